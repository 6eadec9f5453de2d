// SPDX-License-Identifier: Apache-2.0
// The order mode's picture of submitted work: items that do something, and synchronization that orders them. Every
// node stands in a line, at a position: submission order of a queue. Guarded by the monitor (sync.h). Private to
// tests/icd.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "tests/icd/order_ranges.h"
#include "tests/icd/order_stages.h"

namespace fake {
struct QueueState;
}

namespace fake::order {

// Who touches within a render pass instance, where some order needs no synchronization.
enum class Role {
  none,
  load,        // a load operation: before all of its subpass
  attachment,  // in rasterization order
  input,       // reads an input attachment
};

// Bytes that a node reads or writes.
struct Touch {
  Stages stages = 0;  // those that may do it; a scope with one of them has the touch
  Accesses access = 0;
  bool writes = false;
  Ranges bytes = {};
  Role role = Role::none;
  std::uint64_t subpass = 0;  // the instance of a subpass; 0: outside
};

// What a synchronization makes available and visible.
struct MemoryDependency {
  Stages first_stages = 0;
  Accesses first = 0;
  Stages second_stages = 0;
  Accesses second = 0;
  bool everywhere = true;
  Ranges bytes = {};  // where not everywhere
};

struct Positions {
  std::uint64_t begin = 0, end = UINT64_MAX;
  bool has(std::uint64_t position) const { return begin <= position && position < end; }
};

struct Line;

struct Node {
  Line* line = nullptr;
  std::uint64_t position = 0;   // in the line
  std::uint64_t number = 0;     // over all lines, by submission
  std::uint64_t submitted = 0;  // the graph's clock then
  std::uint64_t batch = 0;

  // Items: the stages that they run in.
  Stages stages = 0;

  // Synchronization: the scopes, as stages and as positions in the line. It may do something too: layout transitions.
  bool is_sync = false;
  Stages first = 0, second = 0;
  Positions first_positions{0, 0}, second_positions{0, 0};
  std::vector<MemoryDependency> memory;
  std::vector<Node*> chain;                // earlier synchronization that it forms a dependency chain with
  Ranges changes;                          // a layout transition: of these bytes
  Node* transition_before = nullptr;       // … and the transition before it in the line
  std::vector<Positions> event_positions;  // a wait for events: what came before they were set
  Stages event_stages = 0;
  bool is_host = false;  // the host's part of a submit: all that the host has seen finished comes before it
  bool ends = false;     // it signals a semaphore or fence: the host may see it

  // A release or an acquire of ownership, by the queue families ("Queue Family Ownership Transfer").
  struct Transfer {
    std::uint32_t from = 0, to = 0;
    Ranges bytes;
  };
  std::vector<Transfer> transfers;

  // Queries that it begins, ends, resets, copies or writes.
  struct QueryUse {
    const Object* pool = nullptr;
    std::uint32_t first = 0, count = 0;
    bool makes_available = false;  // ends it, or writes a timestamp
    bool passes_over = false;      // a copy that does not wait for results
  };
  std::optional<QueryUse> queries;

  // What it does. None of these: nothing.
  std::function<std::vector<Touch>()> touches;
  std::function<void()> run;
  bool runs_locked = false;        // under the monitor
  std::function<bool()> is_ready;  // beyond the nodes that it waits for

  // To be run when nothing is left that it waits for.
  std::vector<Node*> next;
  std::size_t waits_for = 0;
  bool done = false;
  mutable std::uint64_t seen_by = 0;  // the graph's last search that came here
  std::uint64_t observed = 0;         // when the host saw it finished; 0: not yet
};

// A queue.
struct Line {
  QueueState* queue = nullptr;
  std::uint32_t family = 0;
  std::uint64_t positions = 0;  // given so far
  std::deque<Node*> items, syncs;
  std::map<const Object*, Node*> set_events;  // by the last command that set each
  Node* last_transition = nullptr;
  std::uint64_t rendering = 0;  // the last instance of a subpass: it may be suspended
};

class Graph {
 public:
  // Nodes come in submission order. Between make() and add() the caller fills a node's members in: they decide what it
  // waits for. A chain that is filled in already is kept.
  Node& make(Line& line);
  void add(Node& node);
  // One more node to wait for. Before add() of `after`, or as long as nothing ran.
  static void order(Node& before, Node& after);
  void finish(Node& node);

  // True if the bytes that `write` left are visible to the reader; `bytes` has no cut inside (cuts()).
  bool is_visible(const Node& writer, const Touch& write, const Node& reader, const Touch& read, const Bytes& bytes);
  // True if they are available before the second writer.
  bool is_available(const Node& writer, const Touch& write, const Node& second, const Touch& touch, const Bytes& bytes);
  // Where memory dependencies of single ranges begin and end.
  const std::map<std::byte*, std::size_t>& cuts() const { return cuts_; }

  // The host saw that a wait has ended: it comes after everything that was signaled.
  void observe();
  void observe_at_once(Node& node) { node.observed = ++clock_; }  // what the host does itself
  std::uint64_t clock() const { return clock_; }
  // Nodes that no node which may still come can miss: everything submitted after this sees them. `visit` for each.
  void prune(const std::function<void(Node&)>& visit);
  void drop(Line& line, const std::function<void(Node&)>& visit);  // all of a line
  const std::deque<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  const std::vector<Node*>& ready() const { return ready_; }

 private:
  bool reaches(const Node& writer, const Touch& write, const Node& sync, const Bytes& bytes);
  bool makes_available(const Node& writer, const Touch& write, const Node& sync, const Bytes& bytes) const;
  void remove(const std::function<bool(const Node&)>& which, const std::function<void(Node&)>& visit);
  void count_cuts(const Node& node, bool add);
  void add_sync(Node& node);
  void add_item(Node& node);
  void make_ready(Node& node);

  std::deque<std::unique_ptr<Node>> nodes_;
  std::vector<Node*> ready_;  // nothing left that they wait for
  std::map<std::byte*, std::size_t> cuts_;
  std::uint64_t searches_ = 0;  // the last one: nodes that it saw say so
  std::uint64_t numbers_ = 0, clock_ = 0, finished_ = 0;
};

}  // namespace fake::order
