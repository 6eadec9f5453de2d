// SPDX-License-Identifier: Apache-2.0
// Why one item of work comes after another one: because of what both touch, because the program orders them, or not at
// all. No device. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzers/analysis/graph/sync_order.h"
#include "analyzers/analysis/graph_edges.h"
#include "analyzers/analysis/graph_places.h"

namespace rondo::analyzers {

struct Why {
  // A step from an item to what it needs.
  struct Need {
    graph::Item from, to;  // `to` needs `from`
    std::uint8_t kinds = 0;
    bool possible = false;
    std::vector<std::string> places;  // the first ones
  };
  // What orders both, in the order of execution.
  struct Op {
    std::uint64_t record = 0;
    std::string text;
  };
  enum class Order : std::uint8_t { all, some, none };
  // A command on the way that names too little for the second to see what the first wrote.
  struct Lack {
    std::uint64_t record = 0;
    std::string text;
  };

  graph::Item first, second;  // in the order of execution
  bool swapped = false;       // the second one that was asked for executes first
  std::vector<Need> data;     // the shortest way from the second to the first; empty: it does not need it
  Order order = Order::none;  // of accesses of the first before accesses of the second
  std::vector<Op> ops;        // of one of these
  std::string unordered;      // some, none: an access that is not ordered
  // Of what the second must see of what the first wrote, and the program orders: how much it makes visible. Nothing:
  // the second sees nothing that the first wrote last.
  std::optional<Order> visible;
  std::string invisible;    // some, none: the first place and accesses of which the second does not see the first
  std::vector<Lack> lacks;  // why it does not
  GraphTotals totals;       // counts of the whole capture
};

Result<Why> find_why(GraphWalk& names, const std::string& file, const ItemWanted& a, const ItemWanted& b);

}  // namespace rondo::analyzers
