// SPDX-License-Identifier: Apache-2.0
// Bytes of a memory that no replay can repeat: the device's own times, which
// vkCmdCopyQueryPoolResults put there. They stay so: what overwrites them is not followed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

#include "format/vulkan.h"

namespace rondo::player {

class VolatileBytes {
 public:
  void add(VkDeviceSize from, VkDeviceSize to) {
    if (from >= to) return;
    auto next = ranges_.upper_bound(from);
    if (next != ranges_.begin() && std::prev(next)->second >= from) --next;
    while (next != ranges_.end() && next->first <= to) {
      from = std::min(from, next->first);
      to = std::max(to, next->second);
      next = ranges_.erase(next);
    }
    ranges_.emplace_hint(next, from, to);
    if (ranges_.size() <= kMost) return;
    const std::pair all{ranges_.begin()->first, std::prev(ranges_.end())->second};
    ranges_.clear();
    ranges_.insert(all);
  }

  // visit(from, to) of each part of [from, to); false ends it.
  template <class Visit>
  void each(VkDeviceSize from, VkDeviceSize to, Visit visit) const {
    auto range = ranges_.upper_bound(from);
    if (range != ranges_.begin()) --range;
    for (; range != ranges_.end() && range->first < to; ++range)
      if (range->second > from && !visit(std::max(from, range->first), std::min(to, range->second))) return;
  }

 private:
  // A file may ask for any number: of more, all between the first and the last counts.
  static constexpr std::size_t kMost = 4096;
  std::map<VkDeviceSize, VkDeviceSize> ranges_;  // from → to, apart from one another
};

}  // namespace rondo::player
