// SPDX-License-Identifier: Apache-2.0
// Descriptor sets: pools that are emptied and filled until they are full or in
// pieces, sets freed one by one in odd orders and allocated again (with the
// values of the freed ones), written anew between submits, copied.
#include <algorithm>

#include "accumulate.h"

using namespace program;

namespace {

constexpr std::uint32_t kSets = 8;
constexpr std::uint32_t kSlots = 32;

bool ran_out(VkResult result) { return result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL; }

}  // namespace

int main() {
  Context c = create_context("sets");
  Commands commands = create_commands(c);
  Accumulate a = create_accumulate(c, kSlots);
  VkDescriptorPool pool = create_set_pool(c, kSets, VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT);
  std::uint32_t submits = 0;
  const auto use = [&](VkDescriptorSet set) {
    const std::uint32_t slot = submits++ % kSlots;
    write_input(a, slot, submits);
    run_once(c, commands, [&](VkCommandBuffer b) { record_dispatch(a, b, set, slot, kNoSlot); });
    expect_slot(a, slot, submits);
  };

  // Some drivers never run out, others say which way they did.
  std::vector<VkDescriptorSet> sets(kSets);
  CHECK(allocate_sets(c, pool, a.set_layout, kSets, sets.data()));
  for (int i = 0; i < 4; ++i) {
    VkDescriptorSet more[2] = {};
    const VkResult result = allocate_sets(c, pool, a.set_layout, 2, more);
    if (result == VK_SUCCESS) {
      sets.insert(sets.end(), more, more + 2);
    } else if (!ran_out(result)) {
      die("vkAllocateDescriptorSets", result);
    }
  }
  for (VkDescriptorSet set : sets) write_set(c, a, set);
  use(sets[0]);
  use(sets[7]);

  for (std::uint32_t round = 0; round < 12; ++round) {
    // Every other one goes, in another order each time.
    std::vector<VkDescriptorSet> freed;
    for (std::size_t i = round % 2; i < sets.size(); i += 2) freed.push_back(sets[i]);
    std::rotate(freed.begin(), freed.begin() + round % 3, freed.end());
    CHECK(vkFreeDescriptorSets(c.device, pool, static_cast<std::uint32_t>(freed.size()), freed.data()));
    for (std::size_t i = round % 2; i < sets.size(); i += 2) {
      CHECK(allocate_sets(c, pool, a.set_layout, 1, &sets[i]));
      write_set(c, a, sets[i]);
    }
    use(sets[round % sets.size()]);
    use(sets[(round + 1) % sets.size()]);
  }

  // A set that is a copy of another.
  CHECK(vkResetDescriptorPool(c.device, pool, 0));
  CHECK(allocate_sets(c, pool, a.set_layout, 2, sets.data()));
  write_set(c, a, sets[0]);
  VkCopyDescriptorSet copies[2]{};
  for (std::uint32_t i = 0; i < 2; ++i) {
    copies[i].sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET;
    copies[i].srcSet = sets[0];
    copies[i].dstSet = sets[1];
    copies[i].srcBinding = copies[i].dstBinding = i;
    copies[i].descriptorCount = 1;
  }
  vkUpdateDescriptorSets(c.device, 0, nullptr, 2, copies);
  use(sets[1]);

  // Pools that come and go.
  for (std::uint32_t i = 0; i < 64; ++i) {
    VkDescriptorPool brief = create_set_pool(c, 4, 0);
    VkDescriptorSet four[4];
    CHECK(allocate_sets(c, brief, a.set_layout, 4, four));
    if (i % 8 == 0) {
      write_set(c, a, four[i / 16]);
      use(four[i / 16]);
    }
    vkDestroyDescriptorPool(c.device, brief, nullptr);
  }

  std::printf("sets: %u submits, checksum %016llx\n", submits,
              static_cast<unsigned long long>(checksum(a.output.words, kSlots * kSlotWords)));
  vkDestroyDescriptorPool(c.device, pool, nullptr);
  destroy(c, a);
  destroy(c, commands);
  destroy(c);
  return 0;
}
