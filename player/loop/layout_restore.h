// SPDX-License-Identifier: Apache-2.0
// Gives images the layouts and owners that they had where a span begins. What
// they hold is lost: Contents puts it back, byte by byte, behind that. So a
// driver that keeps in an image's memory how it is laid out finds what it left.
// Call with all queues idle. One thread.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "player/loop/layout_changes.h"
#include "player/run/run.h"

namespace rondo::player {

class LayoutRestore {
 public:
  LayoutRestore(Run& run, const LayoutChanges& changes) : run_(run), changes_(changes) {}
  // Where the span begins, before its contents are kept.
  Result<void> prepare();
  // Behind an iteration.
  Result<void> restore();

 private:
  struct Barriers {
    std::vector<VkImageMemoryBarrier> images;
    std::vector<VkBufferMemoryBarrier> buffers;
  };
  using ByFamily = std::map<std::pair<std::uint32_t, std::uint32_t>, Barriers>;  // of devices

  void add(ByFamily& to, ObjectId image, const VkImageSubresourceRange& range, std::uint32_t family, VkImageLayout from,
           VkImageLayout layout);
  void add(ByFamily& to, const Transfer& transfer, std::uint32_t family);
  std::uint32_t device_of(ObjectId id) const;
  // On a queue of each family.
  Result<void> submit(const ByFamily& barriers);

  Run& run_;
  const LayoutChanges& changes_;
};

}  // namespace rondo::player
