// SPDX-License-Identifier: Apache-2.0
// Drawings of the work graph: dot, and GraphML.
#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/has_order.h"
#include "analyzers/analysis/need_orders.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

using graph::Item;
using graph::ItemNeed;
using graph::Piece;

// A drawing has one edge for all needs of two items that it shows.
class Drawing : public GraphRows {
 public:
  void item(std::string& out, const GraphWalk& walk, const ItemNames& names, const Item& item,
            std::span<const ItemNeed> needs, std::span<const Piece>, std::span<const NeedOrder> orders) override {
    node(out, item.number, item_text(walk, item));
    for (std::size_t i = 0; i < needs.size();) {
      Edge made;
      NeedOrder order;
      const std::uint32_t from = needs[i].from;
      for (; i < needs.size() && needs[i].from == from; ++i) {
        made.kinds = static_cast<std::uint8_t>(made.kinds | needs[i].kinds);
        made.possible = made.possible && needs[i].possible;
        if (!orders.empty()) order.add(orders[i]);
      }
      if (!orders.empty()) {
        made.order = word_of(order.state);
        made.is_race = is_race(order.state);
      }
      if (graph::is_join(from) || names.is_shown(from)) edge(out, id_of(from), id_of(item.number), made);
    }
  }
  void has_item(std::string& out, const GraphWalk& walk, const Item& item, const HasOrder& has) override {
    node(out, item.number, item_text(walk, item));
    for (const graph::HasLink& link : has.graph().after[item.number])
      if (has.is_told(link.operation)) {
        Edge made;
        made.possible = false;
        edge(out, operation_id(link.operation), id_of(item.number), made);
      }
  }
  void operation(std::string& out, const ItemNames& names, const HasOrder& has, std::uint32_t number) override {
    const graph::HasOperation& one = has.graph().operations[number];
    operation_node(out, number, has.text_of_operation(number));
    Edge made;
    made.possible = false;
    for (const std::uint32_t item : one.items)
      if (item < names.size() && names.is_shown(item)) edge(out, id_of(item), operation_id(number), made);
    for (const graph::HasLink& link : one.links) {
      if (!has.is_told(link.operation)) continue;
      made.order = name_of(link.kind);
      edge(out, operation_id(link.operation), operation_id(number), made);
    }
  }
  void join(std::string& out, const ItemNames& names, std::uint32_t join) override {
    point(out, join);
    for (const std::uint32_t one : names.members_of(join))
      if (graph::is_join(one) || names.is_shown(one)) edge(out, id_of(one), id_of(join), {0, false, nullptr, false});
  }

 protected:
  struct Edge {
    std::uint8_t kinds = 0;
    bool possible = true;
    const char* order = nullptr;  // a word for it: whether the program orders it, or how operations are linked
    bool is_race = false;
  };
  virtual void node(std::string& out, std::uint32_t item, const std::string& label) = 0;
  virtual void point(std::string& out, std::uint32_t join) = 0;
  virtual void operation_node(std::string& out, std::uint32_t number, const std::string& label) = 0;
  virtual void edge(std::string& out, const std::string& from, const std::string& to, const Edge& edge) = 0;
  static std::string operation_id(std::uint32_t number) { return text("o{}", number); }
  static std::string id_of(std::uint32_t one) {
    return graph::is_join(one) ? text("j{}", one & ~graph::kJoin) : text("i{}", one);
  }
};

class DotRows : public Drawing {
 public:
  void head(std::string& out) override { out += "digraph rondo {\n  node [shape=box];\n"; }
  void summary(std::string& out, const GraphTotals& totals, std::uint64_t) override {
    append_notes(out, totals, "  // ");
    out += "}\n";
  }

 private:
  static std::string quoted(const std::string& label) {
    std::string out;
    for (const char c : label) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out;
  }
  void node(std::string& out, std::uint32_t item, const std::string& label) override {
    append(out, "  {} [label=\"{}\"];\n", id_of(item), quoted(label));
  }
  void point(std::string& out, std::uint32_t join) override { append(out, "  {} [shape=point];\n", id_of(join)); }
  void operation_node(std::string& out, std::uint32_t number, const std::string& label) override {
    append(out, "  {} [label=\"{}\", shape=ellipse];\n", operation_id(number), quoted(label));
  }
  void edge(std::string& out, const std::string& from, const std::string& to, const Edge& edge) override {
    std::string label = kinds_text(edge.kinds);
    if (edge.order != nullptr) append(label, "{}{}", label.empty() ? "" : ", ", edge.order);
    append(out, "  {} -> {} [label=\"{}\"{}{}];\n", from, to, label, edge.possible ? ", style=dashed" : "",
           edge.is_race ? ", color=red" : "");
  }
};

class GraphMlRows : public Drawing {
 public:
  void head(std::string& out) override {
    out +=
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
        "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
        "  <key id=\"kinds\" for=\"edge\" attr.name=\"kinds\" attr.type=\"string\"/>\n"
        "  <key id=\"order\" for=\"edge\" attr.name=\"order\" attr.type=\"string\"/>\n"
        "  <key id=\"grade\" for=\"edge\" attr.name=\"grade\" attr.type=\"string\"/>\n"
        "  <graph edgedefault=\"directed\">\n";
  }
  void summary(std::string& out, const GraphTotals& totals, std::uint64_t) override {
    std::string notes;
    append_notes(notes, totals, "");
    if (!notes.empty()) append(out, "  <!-- {} -->\n", escaped(notes));
    out += "  </graph>\n</graphml>\n";
  }

 private:
  static std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
      switch (c) {
        case '&':
          out += "&amp;";
          break;
        case '<':
          out += "&lt;";
          break;
        case '>':
          out += "&gt;";
          break;
        case '-':  // two of them end a comment
          out += out.ends_with('-') ? " -" : "-";
          break;
        default:
          out += c;
      }
    }
    return out;
  }
  void node(std::string& out, std::uint32_t item, const std::string& label) override {
    append(out, "    <node id=\"{}\"><data key=\"label\">{}</data></node>\n", id_of(item), escaped(label));
  }
  void point(std::string& out, std::uint32_t join) override {
    append(out, "    <node id=\"{}\"><data key=\"label\">all of these</data></node>\n", id_of(join));
  }
  void operation_node(std::string& out, std::uint32_t number, const std::string& label) override {
    append(out, "    <node id=\"{}\"><data key=\"label\">{}</data></node>\n", operation_id(number), escaped(label));
  }
  void edge(std::string& out, const std::string& from, const std::string& to, const Edge& edge) override {
    append(out, "    <edge source=\"{}\" target=\"{}\"><data key=\"kinds\">{}</data><data key=\"grade\">{}</data>",
           from, to, kinds_text(edge.kinds), edge.possible ? "possible" : "certain");
    if (edge.order != nullptr) append(out, "<data key=\"order\">{}</data>", edge.order);
    out += "</edge>\n";
  }
};

}  // namespace

std::unique_ptr<GraphRows> dot_rows() { return std::make_unique<DotRows>(); }
std::unique_ptr<GraphRows> graphml_rows() { return std::make_unique<GraphMlRows>(); }

}  // namespace rondo::analyzers
