// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/order_graph.h"

#include <algorithm>
#include <set>

namespace fake::order {
namespace {

// The second scope of the one and the first scope of the other have work in common: a dependency chain.
bool forms_chain(const Node& one, const Node& other) {
  return (one.second & other.first) != 0 && one.position < other.position &&
         std::max(one.second_positions.begin, other.first_positions.begin) <
             std::min(one.second_positions.end, other.first_positions.end);
}

bool is_in_first(const Node& item, const Node& sync) {
  return (item.stages & sync.first) != 0 && sync.first_positions.has(item.position);
}

bool is_in_second(const Node& item, const Node& sync) {
  return (item.stages & sync.second) != 0 && sync.second_positions.has(item.position);
}

bool covers(const MemoryDependency& dependency, const Bytes& bytes) {
  return dependency.everywhere || holds(dependency.bytes, bytes);
}

}  // namespace

Node& Graph::make(Line& line) {
  Node& node = *nodes_.emplace_back(std::make_unique<Node>());
  node.line = &line;
  node.position = line.positions++;
  node.number = ++numbers_;
  node.submitted = clock_;
  return node;
}

// What comes before the nearest synchronization comes before the node too: such edges are left out.
void Graph::add_sync(Node& node) {
  Line& line = *node.line;
  const Node* nearest = nullptr;
  for (auto sync = line.syncs.rbegin(); sync != line.syncs.rend(); ++sync) {
    if (!forms_chain(**sync, node) || (nearest != nullptr && forms_chain(**sync, *nearest))) continue;
    node.chain.push_back(*sync);
    order(**sync, node);
    if (nearest == nullptr) nearest = *sync;
  }
  for (auto item = line.items.rbegin(); item != line.items.rend(); ++item)
    if (is_in_first(**item, node) && (nearest == nullptr || !is_in_first(**item, *nearest))) order(**item, node);
  line.syncs.push_back(&node);
  count_cuts(node, true);
}

void Graph::add_item(Node& node) {
  Line& line = *node.line;
  const Node* nearest = nullptr;
  for (auto sync = line.syncs.rbegin(); sync != line.syncs.rend(); ++sync) {
    if (!is_in_second(node, **sync) || (nearest != nullptr && forms_chain(**sync, *nearest))) continue;
    order(**sync, node);
    if (nearest == nullptr) nearest = *sync;
  }
  line.items.push_back(&node);
}

void Graph::add(Node& node) {
  for (Node* sync : node.chain) order(*sync, node);
  // Layout transitions of a queue execute in submission order ("Image Layout Transitions").
  if (!node.changes.empty()) {
    node.transition_before = node.line->last_transition;
    if (node.transition_before != nullptr) order(*node.transition_before, node);
    node.line->last_transition = &node;
  }
  node.is_sync ? add_sync(node) : add_item(node);
  if (node.waits_for == 0) make_ready(node);
}

void Graph::order(Node& before, Node& after) {
  if (before.done) return;
  before.next.push_back(&after);
  ++after.waits_for;
}

void Graph::make_ready(Node& node) { ready_.push_back(&node); }

void Graph::finish(Node& node) {
  std::erase(ready_, &node);
  node.done = true;
  ++finished_;
  for (Node* after : node.next)
    if (--after->waits_for == 0) make_ready(*after);
  node.next.clear();
  // What it holds is not needed any more.
  node.run = nullptr;
  node.touches = nullptr;
  node.is_ready = nullptr;
}

bool Graph::makes_available(const Node& writer, const Touch& write, const Node& sync, const Bytes& bytes) const {
  if (&writer == &sync) return true;  // a layout transition's own writes are
  if (sync.is_host) return writer.observed != 0 && writer.observed <= sync.submitted;
  if (writer.line != sync.line) return false;
  bool before = sync.first_positions.has(writer.position);
  for (const Positions& positions : sync.event_positions)
    before = before || (positions.has(writer.position) && (write.stages & sync.event_stages) != 0);
  return before && std::any_of(sync.memory.begin(), sync.memory.end(), [&](const MemoryDependency& m) {
           return (write.stages & m.first_stages) != 0 && (write.access & m.first) != 0 && covers(m, bytes);
         });
}

bool Graph::reaches(const Node& writer, const Touch& write, const Node& sync, const Bytes& bytes) {
  if (sync.seen_by == searches_) return false;
  sync.seen_by = searches_;
  if (sync.line == writer.line && sync.position < writer.position) return false;
  if (makes_available(writer, write, sync, bytes)) return true;
  if (std::any_of(sync.chain.rbegin(), sync.chain.rend(),
                  [&](const Node* earlier) { return reaches(writer, write, *earlier, bytes); }))
    return true;
  // What was available to an earlier transition of the bytes is so to a later one. Of other bytes it says nothing.
  if (sync.changes.empty() || !holds(sync.changes, bytes)) return false;
  for (const Node* earlier = sync.transition_before; earlier != nullptr; earlier = earlier->transition_before)
    if (holds(earlier->changes, bytes) && reaches(writer, write, *earlier, bytes)) return true;
  return false;
}

bool Graph::is_visible(const Node& writer, const Touch& write, const Node& reader, const Touch& read,
                       const Bytes& bytes) {
  if (&writer == &reader) return true;
  if (write.subpass != 0 && write.subpass == read.subpass &&
      (write.role == Role::load || read.role == Role::attachment))
    return true;
  ++searches_;
  // What is available is visible to a layout transition.
  if (reader.is_sync) return reaches(writer, write, reader, bytes);
  const auto& syncs = reader.line->syncs;
  for (auto each = syncs.rbegin(); each != syncs.rend(); ++each) {
    const Node* sync = *each;
    if (!is_in_second(reader, *sync)) continue;
    if (std::none_of(sync->memory.begin(), sync->memory.end(), [&](const MemoryDependency& m) {
          return (m.second_stages & read.stages) != 0 && (m.second & read.access) != 0 && covers(m, bytes);
        }))
      continue;
    // A synchronization that was seen in vain stays so.
    if (reaches(writer, write, *sync, bytes)) return true;
  }
  return false;
}

bool Graph::is_available(const Node& writer, const Touch& write, const Node& second, const Touch& touch,
                         const Bytes& bytes) {
  if (&writer == &second || (write.subpass != 0 && write.subpass == touch.subpass)) return true;
  ++searches_;
  if (second.is_sync) return reaches(writer, write, second, bytes);
  return std::any_of(second.line->syncs.rbegin(), second.line->syncs.rend(), [&](const Node* sync) {
    return is_in_second(second, *sync) && reaches(writer, write, *sync, bytes);
  });
}

void Graph::observe() {
  ++clock_;
  for (const auto& end : nodes_) {
    if (!end->ends || !end->done || end->observed != 0) continue;
    for (const auto* all : {&end->line->items, &end->line->syncs})
      for (Node* node : *all)
        if (node->observed == 0 && node->done && node->position < end->position &&
            (node->is_sync || end->first == kAllStages || (node->stages & end->first) != 0))
          node->observed = clock_;
    end->observed = clock_;
  }
}

void Graph::prune(const std::function<void(Node&)>& visit) {
  constexpr std::uint64_t kWorthwhile = 64;
  if (finished_ < kWorthwhile && !ready_.empty()) return;
  finished_ = 0;
  std::uint64_t oldest = UINT64_MAX;  // when the first was submitted that is not done
  for (const auto& node : nodes_)
    if (!node->done) oldest = std::min(oldest, node->submitted);
  remove([&](const Node& node) { return node.done && node.observed != 0 && node.observed <= oldest; }, visit);
}

void Graph::drop(Line& line, const std::function<void(Node&)>& visit) {
  for (const auto& node : nodes_)
    if (node->line == &line && !node->done) finish(*node);
  remove([&](const Node& node) { return node.line == &line; }, visit);
}

void Graph::remove(const std::function<bool(const Node&)>& which, const std::function<void(Node&)>& visit) {
  std::vector<const Node*> gone;
  for (const auto& node : nodes_)
    if (which(*node)) gone.push_back(node.get());
  if (gone.empty()) return;
  std::sort(gone.begin(), gone.end());
  const auto is_gone = [&](const Node* node) { return std::binary_search(gone.begin(), gone.end(), node); };
  std::set<Line*> lines;
  for (const auto& node : nodes_) {
    if (is_gone(node.get())) {
      visit(*node);
      count_cuts(*node, false);
      lines.insert(node->line);
    } else {
      std::erase_if(node->chain, is_gone);
      while (node->transition_before != nullptr && is_gone(node->transition_before))
        node->transition_before = node->transition_before->transition_before;
      std::erase_if(node->next, is_gone);
    }
  }
  for (Line* line : lines) {
    std::erase_if(line->items, is_gone);
    std::erase_if(line->syncs, is_gone);
    while (line->last_transition != nullptr && is_gone(line->last_transition))
      line->last_transition = line->last_transition->transition_before;
  }
  std::erase_if(ready_, is_gone);
  std::erase_if(nodes_, [&](const auto& node) { return is_gone(node.get()); });
}

void Graph::count_cuts(const Node& node, bool add) {
  for (const MemoryDependency& m : node.memory)
    for (const Bytes& b : m.bytes)
      for (std::byte* at : {b.begin, b.end}) {
        if (add)
          ++cuts_[at];
        else if (--cuts_[at] == 0)
          cuts_.erase(at);
      }
}

}  // namespace fake::order
