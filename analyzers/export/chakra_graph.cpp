// SPDX-License-Identifier: Apache-2.0
#include "analyzers/export/chakra_graph.h"

#include <algorithm>
#include <iterator>

#include "analyzers/export/each_once.h"
#include "format/check.h"

namespace rondo::analyzers {

void ReducedDependencies::search(std::span<const std::uint32_t> from, std::uint32_t least, bool data_only) {
  search_ += 1;
  RONDO_CHECK(search_ != kNone);
  open_.assign(from.begin(), from.end());  // the latest is on top
  while (!open_.empty()) {
    const std::uint32_t one = open_.back();
    open_.pop_back();
    for (const std::uint32_t target : targets(nodes_[one], data_only)) {
      if (steps_ == 0) return;
      steps_ -= 1;
      if (target < least || is_reached(target)) continue;
      nodes_[target].seen_by = search_;
      open_.push_back(target);
    }
  }
}

void ReducedDependencies::reduce(std::vector<std::uint32_t>& nodes) {
  sort_each_once(nodes);
  if (nodes.size() < 2) return;
  from_ = nodes;
  search(from_, nodes.front(), false);
  std::erase_if(nodes, [&](std::uint32_t one) { return is_reached(one); });
}

std::uint32_t ReducedDependencies::add(std::vector<std::uint32_t>& data, std::vector<std::uint32_t>& control) {
  const std::uint32_t made = nodes();
  sort_each_once(data);
  sort_each_once(control);
  std::erase_if(control, [&](std::uint32_t one) { return std::binary_search(data.begin(), data.end(), one); });
  const std::uint64_t before = data.size() + control.size();
  RONDO_CHECK(data.empty() || data.back() < made);
  RONDO_CHECK(control.empty() || control.back() < made);
  steps_ += kStepsANode;
  if (!control.empty() && data.size() + control.size() > 1) {
    from_.clear();
    std::merge(data.begin(), data.end(), control.begin(), control.end(), std::back_inserter(from_));
    search(from_, control.front(), false);
    std::erase_if(control, [&](std::uint32_t one) { return is_reached(one); });
  }
  if (data.size() > 1) {
    from_ = data;
    search(from_, data.front(), true);
    std::erase_if(data, [&](std::uint32_t one) { return is_reached(one); });
  }
  Node node;
  node.first = targets_.size();
  node.data = static_cast<std::uint32_t>(data.size());
  node.all = static_cast<std::uint32_t>(data.size() + control.size());
  targets_.insert(targets_.end(), data.begin(), data.end());
  targets_.insert(targets_.end(), control.begin(), control.end());
  left_out_ += before - node.all;
  nodes_.push_back(node);
  return made;
}

}  // namespace rondo::analyzers
