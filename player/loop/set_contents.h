// SPDX-License-Identifier: Apache-2.0
// What descriptor sets hold at one moment, kept in sets of the player's own.
// Call with all queues idle. One thread.
#pragma once

#include <unordered_map>
#include <vector>

#include "player/run/run.h"

namespace rondo::player {

class SetContents {
 public:
  explicit SetContents(Run& run) : run_(run) {}
  ~SetContents();
  SetContents(const SetContents&) = delete;
  SetContents& operator=(const SetContents&) = delete;

  // Names the set that cannot be copied.
  Result<void> keep(const std::vector<ObjectId>& sets);
  void restore();

 private:
  struct Binding {
    std::uint32_t binding, count;
  };
  struct Kept {
    ObjectId set = ObjectId::null;
    std::uint32_t device = kNone;
    VkDescriptorSet copy = VK_NULL_HANDLE;
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    std::vector<Binding> bindings;
  };
  // `layouts`: the ops that make them.
  Result<void> keep_one(ObjectId set, const Op& allocation, std::uint32_t index,
                        const std::unordered_map<ObjectId, const Op*>& layouts);
  void copy(const Kept& kept, bool back);

  Run& run_;
  std::vector<Kept> kept_;
  std::vector<VkCopyDescriptorSet> copies_;
};

}  // namespace rondo::player
