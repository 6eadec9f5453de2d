// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/report_order.h"

#include <algorithm>
#include <bitset>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyzers/analysis/graph_places.h"
#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/graph_walk.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

using graph::Item;
using graph::ItemNeed;
using graph::Piece;

constexpr std::size_t kMostNeedPlaces = 4;  // ranges that an edge names
// An item needs so many others for one reason: they are a point of their own in the drawing.
constexpr std::size_t kManyMembers = 8;
// A submit may wait for a signal of a later frame. Then its items are told late, but not later than so many frames.
constexpr std::uint64_t kLateFrames = 8;

// The queue that executes an item, or what does instead.
std::string lane_of(const GraphWalk& walk, const Item& item) {
  if (item.kind == graph::ItemKind::host) return "host";
  if (item.kind == graph::ItemKind::present || item.kind == graph::ItemKind::acquire) return "presentation";
  return walk.name(item.work.queue);
}

class OrderVisitor final : public GraphVisitor {
 public:
  OrderVisitor(ReportOrder& order, const GraphWalk& walk) : order_(order), walk_(walk) {}

  bool item(const Item& item, std::span<const ItemNeed> needs, std::span<const Piece>) override {
    // What the host ends is no work, and would only crowd the drawing.
    const bool is_in_frame = item.work.frame == order_.frame && item.kind != graph::ItemKind::lifetime;
    names_.add(item, is_in_frame);
    if (!is_in_frame) return item.work.frame <= order_.frame + kLateFrames;
    order_.items += 1;
    const bool is_drawn = order_.shown < ReportOrder::kMostItems;
    std::uint64_t depth = 0, outside = 0;
    std::map<std::uint32_t, Edge> edges;  // by what is needed
    for (const ItemNeed& need : needs) {
      if (!graph::is_join(need.from)) {
        take(edges, need, need.from, depth, outside);
        continue;
      }
      const std::vector<std::uint32_t>& members = members_of(need.from, outside);
      for (const std::uint32_t one : members) depth = std::max(depth, depth_.at(one));
      if (members.size() <= kManyMembers) {
        for (const std::uint32_t one : members) take(edges, need, one, depth, outside);
      } else {
        if (is_drawn && told_.insert(need.from).second) tell_join(need.from, members);
        add(edges[need.from], need);
      }
    }
    depth_[item.number] = depth + 1;
    order_.longest = std::max(order_.longest, depth + 1);
    order_.outside += outside;
    if (!is_drawn) return true;
    tell_item(item, outside);
    find_before(item.number, edges);
    for (const auto& [from, edge] : edges) tell_edge(from, item.number, edge);
    order_.shown += 1;
    return true;
  }
  void join(std::uint32_t join, std::span<const std::uint32_t> items) override { names_.add_join(join, items); }

 private:
  struct Edge {
    std::uint8_t kinds = 0;
    bool possible = true;
    bool is_implied = false;  // other edges lead the same way
    std::vector<std::string> places;
    std::uint64_t more_places = 0;
  };

  void take(std::map<std::uint32_t, Edge>& edges, const ItemNeed& need, std::uint32_t from, std::uint64_t& depth,
            std::uint64_t& outside) {
    if (!names_.is_shown(from)) {
      outside += 1;
      return;
    }
    depth = std::max(depth, depth_.at(from));
    add(edges[from], need);
  }
  void add(Edge& edge, const ItemNeed& need) {
    edge.kinds = static_cast<std::uint8_t>(edge.kinds | need.kinds);
    edge.possible = edge.possible && need.possible;
    std::string place = place_text(walk_, place_of(walk_, need));
    if (std::find(edge.places.begin(), edge.places.end(), place) != edge.places.end()) return;
    if (edge.places.size() < kMostNeedPlaces)
      edge.places.push_back(std::move(place));
    else
      edge.more_places += 1;
  }

  // Items of the frame that come before an item that is drawn: along certain edges, or along any.
  struct Before {
    std::bitset<ReportOrder::kMostItems> certain, any;
  };
  // Also marks the edges that follow from others.
  void find_before(std::uint32_t number, std::map<std::uint32_t, Edge>& edges) {
    Before direct, others;
    for (const auto& [from, edge] : edges) {
      const std::span<const std::uint32_t> items =
          graph::is_join(from) ? std::span<const std::uint32_t>(members_.at(from).items) : std::span(&from, 1);
      for (const std::uint32_t one : items) {
        const Before& before = before_.at(one);
        others.any |= before.any;
        direct.any.set(index_of_.at(one));
        if (edge.possible) continue;
        others.certain |= before.certain;
        direct.certain.set(index_of_.at(one));
      }
    }
    for (auto& [from, edge] : edges)
      if (!graph::is_join(from)) edge.is_implied = (edge.possible ? others.any : others.certain)[index_of_.at(from)];
    index_of_[number] = static_cast<std::size_t>(order_.shown);
    before_[number] = {direct.certain | others.certain, direct.any | others.any};
  }

  // Those of the frame. `outside` counts the others.
  const std::vector<std::uint32_t>& members_of(std::uint32_t join, std::uint64_t& outside) {
    const auto [found, fresh] = members_.try_emplace(join);
    Members& made = found->second;
    if (fresh) {
      std::uint64_t all = 0;
      made.items = names_.items_of(join, SIZE_MAX, all);
      const std::size_t before = made.items.size();
      std::erase_if(made.items, [&](std::uint32_t one) { return !names_.is_shown(one); });
      made.outside = before - made.items.size();
    }
    outside += made.outside;
    return made.items;
  }

  template <class Fill>
  void row(const char* kind, const Fill& fill) {
    JsonWriter json(order_.lines);
    json.begin_object();
    json.field("row", kind);
    fill(json);
    json.end_object();
    order_.lines += '\n';
  }
  void tell_item(const Item& item, std::uint64_t outside) {
    row("order_item", [&](JsonWriter& json) {
      write_graph_item(json, walk_, item);
      json.field("text", item_text(walk_, item));
      json.field("lane", lane_of(walk_, item));
      json.field("outside", outside);
    });
  }
  // The edges from its members stand before those from the join.
  void tell_join(std::uint32_t join, std::span<const std::uint32_t> members) {
    row("order_join", [&](JsonWriter& json) {
      json.field("join", join & ~graph::kJoin);
      json.field("items", std::uint64_t{members.size()});
    });
    for (const std::uint32_t one : members) tell_edge(one, join, {});
  }
  static void write_end(JsonWriter& json, const char* name, std::uint32_t one) {
    json.field(name, graph::is_join(one) ? text("j{}", one & ~graph::kJoin) : text("i{}", one));
  }
  void tell_edge(std::uint32_t from, std::uint32_t to, const Edge& edge) {
    order_.edges += 1;
    if (order_.drawn >= ReportOrder::kMostEdges) return;
    order_.drawn += 1;
    row("order_need", [&](JsonWriter& json) {
      write_end(json, "from", from);
      write_end(json, "to", to);
      json.field("kinds", kinds_text(edge.kinds));
      json.field("possible", edge.kinds != 0 && edge.possible);
      json.field("implied", edge.is_implied);
      std::string places;
      for (const std::string& one : edge.places) append(places, "{}{}", places.empty() ? "" : "; ", one);
      if (edge.more_places != 0) append(places, "; and {}", plural(edge.more_places, "other range"));
      json.field("places", places);
    });
  }

  struct Members {
    std::vector<std::uint32_t> items;  // of the frame
    std::uint64_t outside = 0;         // others
  };
  ReportOrder& order_;
  const GraphWalk& walk_;
  ItemNames names_;                                          // `shown`: of the frame
  std::unordered_map<std::uint32_t, std::uint64_t> depth_;   // items on the longest way to an item of the frame
  std::unordered_map<std::uint32_t, std::size_t> index_of_;  // of items that are drawn
  std::unordered_map<std::uint32_t, Before> before_;         // likewise
  std::unordered_map<std::uint32_t, Members> members_;       // by join
  std::unordered_set<std::uint32_t> told_;                   // joins
};

}  // namespace

Result<ReportOrder> choose_frame(const CaptureInfo& info, const SpanRequest& span, std::optional<std::uint64_t> asked) {
  ReportOrder order;
  if (asked) {
    // What is executed after the last present is of one more frame.
    if (*asked > info.frames)
      return fail(Status::usage, text("{}: --order-frame {}: the capture has {}", info.path, *asked,
                                      info.frames == 0 ? std::string("no present, so all of it is frame 0")
                                                       : text("frames 0 to {}", info.frames)));
    order.frame = *asked;
    order.choice = "as --order-frame asks for";
    return order;
  }
  if (info.frames == 0) {
    order.choice = "the capture presents nothing: all of it is one frame";
    return order;
  }
  std::vector<const FrameRow*> frames;
  std::uint64_t submits = 0;
  for (const FrameRow& frame : info.frame_rows) {
    const std::uint64_t first = submits;
    submits += frame.submits;
    const bool is_wanted = span.kind == SpanRequest::Kind::frames
                               ? frame.number >= span.first && frame.number < span.last
                           : span.kind == SpanRequest::Kind::submits ? submits > span.first && first < span.last
                                                                     : true;
    if (is_wanted) frames.push_back(&frame);
  }
  if (frames.empty()) return order;
  // The first frame has what a program does once.
  if (frames.size() > 2 && frames.front()->number == 0) frames.erase(frames.begin());
  std::vector<std::uint64_t> commands;
  for (const FrameRow* frame : frames) commands.push_back(frame->commands);
  const auto middle = commands.begin() + static_cast<std::ptrdiff_t>(commands.size() / 2);
  std::nth_element(commands.begin(), middle, commands.end());
  const std::size_t centre = frames.size() / 2;
  std::optional<std::size_t> nearest;
  const auto distance = [&](std::size_t i) { return i > centre ? i - centre : centre - i; };
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (frames[i]->commands == *middle && (!nearest || distance(i) < distance(*nearest))) nearest = i;
  order.frame = frames[*nearest]->number;
  order.choice =
      frames.size() == 1 ? "the only one of the span" : "it has as many commands as the median of the frames";
  return order;
}

void gather_order(ReportOrder& order, const std::string& file) {
  auto walk = GraphWalk::open(file);
  if (!walk) {
    order.error = walk.error().message;
    return;
  }
  OrderVisitor visitor(order, *walk);
  auto totals = walk->run(visitor);
  if (!totals) {
    order.error = totals.error().message;
    return;
  }
  // Said of the whole capture elsewhere; here it is left early.
  totals->never_began = 0;
  walk->find_damage(*totals);
  append_notes(order.notes, *totals, "");
}

}  // namespace rondo::analyzers
