// SPDX-License-Identifier: Apache-2.0
// How `rondo graph` prints items and what they need: as text, JSON lines, a drawing (dot, GraphML), or as a list of
// memory slices (thunks).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzers/analysis/graph_walk.h"

namespace rondo::analyzers {

// Where an item stands, for those that name it later.
struct ItemName {
  std::uint64_t record = 0;
  std::uint64_t submit = 0;  // access::Executed::kNoSubmit: none
};
// "1234@3": the record of its first command, at the submit that executes it. "1234": a call.
std::string text_of(const ItemName& name);

// Items and joins by number, as they are told.
class ItemNames {
 public:
  // `shown`: it has a row of its own.
  void add(const graph::Item& item, bool shown);
  void add_join(std::uint32_t join, std::span<const std::uint32_t> items);
  const ItemName& operator[](std::uint32_t item) const { return names_[item]; }
  bool is_shown(std::uint32_t item) const { return shown_[item]; }
  std::size_t size() const { return names_.size(); }
  // Items and joins that a join has.
  std::span<const std::uint32_t> members_of(std::uint32_t join) const { return joins_.at(join).members; }
  // The items that a join stands for, ascending, but no more than `most`; and how many there are.
  std::vector<std::uint32_t> items_of(std::uint32_t join, std::size_t most, std::uint64_t& all) const;

 private:
  struct Join {
    std::vector<std::uint32_t> members;  // items, and joins
    std::uint64_t items = 0;             // that it stands for
  };
  std::vector<ItemName> names_;
  std::vector<bool> shown_;
  std::unordered_map<std::uint32_t, Join> joins_;
};

struct NeedOrder;
class HasOrder;

class GraphRows {
 public:
  virtual ~GraphRows() = default;
  // What a drawing begins with. The first row of JSON lines comes before (AnalysisCommand).
  virtual void head(std::string& /*out*/) {}
  // `orders`: what the program orders of each need. Empty: nobody asked.
  virtual void item(std::string& out, const GraphWalk& walk, const ItemNames& names, const graph::Item& item,
                    std::span<const graph::ItemNeed> needs, std::span<const graph::Piece> pieces,
                    std::span<const NeedOrder> orders) = 0;
  // A draw of the pass that was printed last.
  virtual void draw(std::string& /*out*/, const GraphWalk& /*walk*/, const graph::Item& /*pass*/,
                    const WorkItem& /*draw*/) {}
  // A join, before the first item that is shown and needs it. Joins that it has came before.
  virtual void join(std::string& /*out*/, const ItemNames& /*names*/, std::uint32_t /*join*/) {}
  // Instead of the needs of an item: the operations that it comes after.
  virtual void has_item(std::string& out, const GraphWalk& walk, const graph::Item& item, const HasOrder& has) = 0;
  // An operation, before the items that come after it.
  virtual void operation(std::string& out, const ItemNames& names, const HasOrder& has, std::uint32_t number) = 0;
  virtual void summary(std::string& out, const GraphTotals& totals, std::uint64_t shown) = 0;
};

// "text", "jsonl", "dot", "graphml", "thunks".
std::unique_ptr<GraphRows> graph_rows(std::string_view format);
std::unique_ptr<GraphRows> dot_rows();
std::unique_ptr<GraphRows> graphml_rows();

// What the rows lack of the capture, a line each with `before` in front; nothing: they lack nothing. In text they stand
// before the counts, which are those of a part then.
void append_notes(std::string& out, const GraphTotals& totals, std::string_view before);
// The same as fields of the object that is open: never_began, too_many, partial, cut, damage.
void write_notes(JsonWriter& json, const GraphTotals& totals);
// "1234@3 pass, 57 draws, frame 2, VkPipeline#3, label/path".
std::string item_text(const GraphWalk& walk, const graph::Item& item);
// The same of a draw of a pass.
std::string draw_of_pass_text(const GraphWalk& walk, const WorkItem& draw);
// "RAW WAW", "layout".
std::string kinds_text(std::uint8_t kinds);
// "kinds": an array of these words, in the object that is open.
void write_kinds(JsonWriter& json, std::uint8_t kinds);
// The fields of an item, without what it needs, in the object that is open.
void write_graph_item(JsonWriter& json, const GraphWalk& walk, const graph::Item& item);

}  // namespace rondo::analyzers
