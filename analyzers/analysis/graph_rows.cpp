// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph_rows.h"

#include <algorithm>

#include "analyzers/analysis/graph_places.h"
#include "analyzers/analysis/has_order.h"
#include "analyzers/analysis/need_orders.h"
#include "analyzers/analysis/rows.h"
#include "analyzers/text/json.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

using graph::Item;
using graph::ItemKind;
using graph::ItemNeed;
using graph::Piece;

constexpr std::size_t kMostOfJoin = 8;  // items of a join that text names
constexpr std::size_t kMostPlaces = 8;  // ranges of a resource that it names

std::vector<const char*> kind_words(std::uint8_t kinds) {
  std::vector<const char*> words;
  for (const auto& [kind, word] :
       {std::pair(graph::kRaw, "RAW"), std::pair(graph::kWar, "WAR"), std::pair(graph::kWaw, "WAW"),
        std::pair(graph::kLayout, "layout"), std::pair(graph::kQuery, "query"), std::pair(graph::kLifetime, "LIFETIME"),
        std::pair(graph::kPayload, "payload"), std::pair(graph::kOwner, "OWNER")})
    if ((kinds & kind) != 0) words.push_back(word);
  return words;
}

// From 0.
std::uint32_t number_of_join(std::uint32_t join) { return join & ~graph::kJoin; }

const char* access_word(const Piece& piece) { return piece.reads ? (piece.writes ? "read write" : "read") : "write"; }

// What items and draws say alike.
void append_work(std::string& out, const GraphWalk& walk, const WorkItem& work) {
  if (work.draw != access::Executed::kNoDraw) append(out, ", draw {}", draw_text(work));
  if (const std::string counts = counts_text(work); !counts.empty()) append(out, ", {}", counts);
  if (work.queue != ObjectId::null) append(out, ", {}", walk.objects().name(work.queue));
  append(out, ", frame {}", work.frame);
  if (work.pipeline != ObjectId::null) append(out, ", {}", printable(walk.name(work.pipeline)));
  if (const std::string shaders = shaders_text(walk, work.pipeline); !shaders.empty()) append(out, ", {}", shaders);
  if (const std::string labels = walk.label_text(work.label_path); !labels.empty()) append(out, ", {}", labels);
}

class TextRows : public GraphRows {
 public:
  void item(std::string& out, const GraphWalk& walk, const ItemNames& names, const Item& item,
            std::span<const ItemNeed> needs, std::span<const Piece>, std::span<const NeedOrder> orders) override {
    append(out, "{}\n", item_text(walk, item));
    const auto is_same_order = [&](std::size_t a, std::size_t b) { return orders.empty() || orders[a] == orders[b]; };
    // Ranges of one resource that are needed of one item for the same reason stand in one line.
    std::vector<GraphPlace> places;
    for (std::size_t i = 0; i < needs.size(); ++i) {
      const ItemNeed& need = needs[i];
      places.push_back(place_of(walk, need));
      if (i + 1 < needs.size() && needs[i + 1].from == need.from && needs[i + 1].kinds == need.kinds &&
          needs[i + 1].possible == need.possible && needs[i + 1].space == need.space && is_same_order(i, i + 1))
        continue;
      append(out, "    {} {}: {} {}\n", need.possible ? "may need" : "needs", from_text(names, need.from),
             kinds_text(need.kinds), places_text(walk, places));
      if (!orders.empty()) append(out, "        {}\n", order_text(orders[i]));
      places.clear();
    }
  }
  void draw(std::string& out, const GraphWalk& walk, const Item&, const WorkItem& draw) override {
    append(out, "    {}\n", draw_of_pass_text(walk, draw));
  }
  void has_item(std::string& out, const GraphWalk& walk, const Item& item, const HasOrder& has) override {
    has.append_text_item(out, walk, item);
  }
  void operation(std::string& out, const ItemNames& names, const HasOrder& has, std::uint32_t number) override {
    has.append_text(out, names, number);
  }
  void summary(std::string& out, const GraphTotals& totals, std::uint64_t shown) override {
    append_notes(out, totals, "");
    append(out, "{}, {}", plural(totals.items, "item"),
           totals.operations ? plural(*totals.operations, "operation") : plural(totals.needs, "need"));
    if (shown != totals.items) append(out, "; {} shown", count_text(shown));
    if (totals.races) append(out, "; {} not ordered", count_text(*totals.races));
    out += '\n';
  }

 private:
  static std::string places_text(const GraphWalk& walk, std::span<const GraphPlace> places) {
    std::string out;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i == kMostPlaces) return out + text(", and {} more", plural(places.size() - i, "range"));
      const bool same = i != 0 && places[i].object == places[i - 1].object && places[i].on == places[i - 1].on;
      if (same && !places[i].is_image)
        append(out, ", {}:{}", places[i].begin, places[i].end);
      else
        append(out, "{}{}", i == 0 ? "" : "; ", place_text(walk, places[i]));
    }
    return out;
  }
  static std::string from_text(const ItemNames& names, std::uint32_t from) {
    if (!graph::is_join(from)) return text_of(names[from]);
    std::uint64_t all = 0;
    const std::vector<std::uint32_t> some = names.items_of(from, kMostOfJoin, all);
    std::string out = text("{}: ", plural(all, "item"));
    for (const std::uint32_t one : some) append(out, "{}{}", one == some.front() ? "" : ", ", text_of(names[one]));
    return all > some.size() ? out + ", ..." : out;
  }
};

class JsonRows : public GraphRows {
 public:
  void item(std::string& out, const GraphWalk& walk, const ItemNames& names, const Item& item,
            std::span<const ItemNeed> needs, std::span<const Piece> pieces,
            std::span<const NeedOrder> orders) override {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "item");
    write_graph_item(json, walk, item);
    json.key("touches");
    json.begin_array();
    for (const Piece& piece : pieces) {
      json.begin_object();
      write_place(json, walk, place_of(walk, piece.space, piece.begin, piece.end));
      json.field("reads", piece.reads);
      json.field("writes", piece.writes);
      json.end_object();
    }
    json.end_array();
    json.key("needs");
    json.begin_array();
    for (const ItemNeed& need : needs) {
      json.begin_object();
      if (graph::is_join(need.from)) {
        json.field("join", number_of_join(need.from));
      } else {
        json.field("item", need.from);
        json.field("name", text_of(names[need.from]));
      }
      write_kinds(json, need.kinds);
      json.field("grade", need.possible ? "possible" : "certain");
      write_place(json, walk, place_of(walk, need));
      if (!orders.empty()) write_order(json, orders[static_cast<std::size_t>(&need - needs.data())]);
      json.end_object();
    }
    json.end_array();
    json.end_object();
    out += '\n';
  }
  void draw(std::string& out, const GraphWalk& walk, const Item& pass, const WorkItem& draw) override {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "draw");
    json.field("item", pass.number);
    json.field("name", text_of(ItemName{draw.record, draw.submit}));
    write_work(json, walk, draw);
    json.end_object();
    out += '\n';
  }
  void has_item(std::string& out, const GraphWalk& walk, const Item& item, const HasOrder& has) override {
    has.append_json_item(out, walk, item);
  }
  void operation(std::string& out, const ItemNames& names, const HasOrder& has, std::uint32_t number) override {
    has.append_json(out, names, number);
  }
  void join(std::string& out, const ItemNames& names, std::uint32_t join) override {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "join");
    json.field("join", number_of_join(join));
    for (const bool joins : {false, true}) {
      json.key(joins ? "joins" : "items");
      json.begin_array();
      for (const std::uint32_t one : names.members_of(join))
        if (graph::is_join(one) == joins) json.unsigned_value(joins ? number_of_join(one) : one);
      json.end_array();
    }
    json.end_object();
    out += '\n';
  }
  void summary(std::string& out, const GraphTotals& totals, std::uint64_t shown) override {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "summary");
    json.field("items", totals.items);
    json.field("needs", totals.needs);
    if (totals.operations) json.field("operations", *totals.operations);
    if (totals.races) json.field("races", *totals.races);
    json.field("shown", shown);
    write_notes(json, totals);
    json.end_object();
    out += '\n';
  }
};

// One line an item: what it does, and the slices of memory that it reads and writes.
class ThunkRows : public GraphRows {
 public:
  void item(std::string& out, const GraphWalk& walk, const ItemNames&, const Item& item, std::span<const ItemNeed>,
            std::span<const Piece> pieces, std::span<const NeedOrder>) override {
    if (item.kind == ItemKind::lifetime || item.kind == ItemKind::acquire) return;  // it touches nothing
    append(out, "{}", item_text(walk, item));
    for (const Piece& piece : pieces)
      append(out, "{}{} {}", &piece == &pieces.front() ? ": " : ", ", access_word(piece),
             slice_text(walk, piece.space, piece.begin, piece.end));
    out += '\n';
  }
  // The command refuses these.
  void has_item(std::string&, const GraphWalk&, const Item&, const HasOrder&) override { RONDO_CHECK(false); }
  void operation(std::string&, const ItemNames&, const HasOrder&, std::uint32_t) override { RONDO_CHECK(false); }
  void summary(std::string& out, const GraphTotals& totals, std::uint64_t) override { append_notes(out, totals, ""); }
};

}  // namespace

void append_notes(std::string& out, const GraphTotals& totals, std::string_view before) {
  if (totals.never_began != 0)
    append(out, "{}{} wait for a signal that the capture does not have: not in this\n", before,
           plural(totals.never_began, "submit"));
  if (!totals.damage.empty())
    append(out, "{}the capture is damaged ({}): what cannot be read is not in this\n", before,
           printable(totals.damage));
  // Where the index is damaged the capture counts as cut, for the same reason.
  if (!totals.cut.empty() && totals.damage.find(totals.cut) == std::string::npos)
    append(out, "{}the capture is cut ({}): what it lacks is not in this\n", before, printable(totals.cut));
  if (totals.too_many)
    append(out, "{}the capture has more to follow than any program needs: the rest is not in this\n", before);
}

void write_notes(JsonWriter& json, const GraphTotals& totals) {
  json.field("never_began", totals.never_began);
  json.field("too_many", totals.too_many);
  json.field("partial", totals.is_partial());
  if (!totals.cut.empty()) json.field("cut", totals.cut);
  if (!totals.damage.empty()) json.field("damage", totals.damage);
}

std::string text_of(const ItemName& name) {
  if (name.submit == access::Executed::kNoSubmit) return text("{}", name.record);
  return text("{}@{}", name.record, name.submit);
}

void ItemNames::add(const Item& item, bool shown) {
  names_.push_back({item.work.record, item.work.submit});
  shown_.push_back(shown);
}

void ItemNames::add_join(std::uint32_t join, std::span<const std::uint32_t> items) {
  Join& made = joins_[join];
  made.members.assign(items.begin(), items.end());
  for (const std::uint32_t one : items) made.items += graph::is_join(one) ? joins_.at(one).items : 1;
}

std::vector<std::uint32_t> ItemNames::items_of(std::uint32_t join, std::size_t most, std::uint64_t& all) const {
  std::vector<std::uint32_t> items, open{join};
  all = joins_.at(join).items;
  while (!open.empty() && items.size() < most) {
    const Join& next = joins_.at(open.back());
    open.pop_back();
    for (const std::uint32_t one : next.members) {
      if (graph::is_join(one))
        open.push_back(one);
      else if (items.size() < most)
        items.push_back(one);
    }
  }
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  return items;
}

std::string kinds_text(std::uint8_t kinds) {
  std::string out;
  for (const char* word : kind_words(kinds)) append(out, "{}{}", out.empty() ? "" : " ", word);
  return out;
}

void write_kinds(JsonWriter& json, std::uint8_t kinds) {
  json.key("kinds");
  json.begin_array();
  for (const char* word : kind_words(kinds)) json.string(word);
  json.end_array();
}

std::string item_text(const GraphWalk& walk, const Item& item) {
  const WorkItem& work = item.work;
  std::string out = text("{} {}", text_of(ItemName{work.record, work.submit}),
                         item.kind == ItemKind::pass ? "render pass" : codec::info(work.command).name);
  if (work.end != work.record && work.end != 0) append(out, " to {}", work.end);
  if (item.kind == ItemKind::pass) append(out, ", {}", plural(work.draws, "draw"));
  append_work(out, walk, work);
  return out;
}

std::string draw_of_pass_text(const GraphWalk& walk, const WorkItem& draw) {
  std::string out = text("{} {}", text_of(ItemName{draw.record, draw.submit}), codec::info(draw.command).name);
  append_work(out, walk, draw);
  return out;
}

void write_graph_item(JsonWriter& json, const GraphWalk& walk, const Item& item) {
  json.field("item", item.number);
  json.field("kind", name_of(item.kind));
  json.field("name", text_of(ItemName{item.work.record, item.work.submit}));
  write_work(json, walk, item.work);
  if (item.kind == ItemKind::pass) {
    json.field("render_pass",
               item.work.render_pass != ObjectId::null ? walk.objects().name(item.work.render_pass) : "");
    json.field("draws", item.work.draws);
    json.field("end_record", item.work.end);
    json.field("commands", item.commands);
  }
}

std::unique_ptr<GraphRows> graph_rows(std::string_view format) {
  if (format == "jsonl") return std::make_unique<JsonRows>();
  if (format == "dot") return dot_rows();
  if (format == "graphml") return graphml_rows();
  if (format == "thunks") return std::make_unique<ThunkRows>();
  return std::make_unique<TextRows>();
}

}  // namespace rondo::analyzers
