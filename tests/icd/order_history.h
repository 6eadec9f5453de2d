// SPDX-License-Identifier: Apache-2.0
// What the order mode remembers of written bytes, and what it lets a reader see: bytes from before a write that was not
// made visible. Guarded by the monitor (sync.h). Private to tests/icd.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "tests/icd/order_graph.h"

namespace fake::order {

// Decisions by chance, all from one seed.
class Chance {
 public:
  void seed(std::uint64_t seed) { state_ = seed_ = seed; }
  // A number below `count`.
  std::uint64_t below(std::uint64_t count);
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  // Seed 0 decides nothing by chance: it is the reverse order.
  bool is_reverse() const { return seed_ == 0; }

 private:
  std::uint64_t state_ = 0, seed_ = 0;
};

class WriteHistory {
 public:
  explicit WriteHistory(Graph& graph, Chance& chance) : graph_(graph), chance_(chance) {}

  // Before a node's run: the ownership that it releases or acquires.
  void transfer(const Node& node);
  // Around a node's run: puts stale bytes where it reads, and takes them away again.
  void before(const Node& node, std::vector<Touch> touches);
  void after(const Node& node);

  void forget(const Node& node);                    // its writes are visible to all that may come
  void forget(std::byte* begin, std::size_t size);  // memory that is freed

 private:
  struct Write {
    const Node* node = nullptr;
    Touch touch;
    std::vector<std::byte> before;  // of all ranges, one after another
    // The bytes that a queue family owns: twice the family. What the first has released and the second not acquired.
    std::map<std::pair<std::uint32_t, std::uint32_t>, Ranges> owners = {};
  };
  struct Patch {
    Bytes bytes;
    std::vector<std::byte> kept;
  };

  using Test = std::function<bool(const Bytes&)>;
  // Parts of `ranges` for which `test` is true; it is asked once for each stretch between two cuts.
  Ranges select(const Ranges& ranges, const Test& test) const;
  void make_stale(const Node& node, const Touch& touch);
  static bool owns(const Node& reader, const Write& write, const Bytes& bytes);
  void put_back(const Write& write, const Bytes& bytes);
  void lose_writes(const Node& node, const Write& made);

  Graph& graph_;
  Chance& chance_;
  std::vector<Write> writes_;  // in the order in which they happened
  // Of the node that runs.
  std::vector<Patch> patches_;
  std::vector<Write> made_;
};

std::vector<std::byte> copy_of(const Ranges& ranges);

}  // namespace fake::order
