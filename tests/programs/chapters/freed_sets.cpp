// SPDX-License-Identifier: Apache-2.0
// Chapter "Resource Descriptors", pools: sets freed one by one and allocated
// again between others, null handles among those that are freed, a pool reset
// and filled with another shape of sets, one that is destroyed with its sets.
#include "gather.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkDescriptorType kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

struct Bench {
  Session& s;
  MappedBuffer slots, out;
  VkPipelineLayout layout;
  VkPipeline pipeline;
  VkDescriptorSetLayout set_layout;
};

// All of a set: slots from `first` on, round and round, and a part of the output.
void write(const Bench& b, VkDescriptorSet set, std::uint32_t first, std::uint32_t part) {
  VkDescriptorBufferInfo infos[9];
  for (std::uint32_t i = 0; i < 8; ++i) infos[i] = {b.slots.buffer, (first + i) % 8 * 256, 256};
  infos[8] = {b.out.buffer, part * 256, 256};
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = set,
                                   .descriptorCount = 9,
                                   .descriptorType = kType,
                                   .pBufferInfo = infos};
  vkUpdateDescriptorSets(b.s.device, 1, &write, 0, nullptr);
}

void dispatch(const Bench& b, const std::vector<VkDescriptorSet>& sets) {
  vkCmdBindPipeline(b.s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, b.pipeline);
  for (const VkDescriptorSet set : sets) {
    vkCmdBindDescriptorSets(b.s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, b.layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(b.s.cmd, 1, 1, 1);
  }
  run(b.s);
}

std::vector<VkDescriptorSet> allocate(const Bench& b, VkDescriptorPool pool, std::uint32_t count) {
  const std::vector<VkDescriptorSetLayout> layouts(count, b.set_layout);
  const VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, count,
                                         layouts.data()};
  std::vector<VkDescriptorSet> sets(count);
  CHECK(vkAllocateDescriptorSets(b.s.device, &info, sets.data()));
  return sets;
}

// Others take the places of those that were freed, and those that stay are as they were.
void free_some(const Bench& b) {
  const VkDescriptorPool pool =
      create_pool(b.s, 6, {{kType, 9}}, nullptr, VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT);
  std::vector<VkDescriptorSet> sets = allocate(b, pool, 6);
  for (std::uint32_t i = 0; i < 6; ++i) write(b, sets[i], i, i);
  dispatch(b, sets);
  for (std::uint32_t round = 0; round < 3; ++round) {
    const VkDescriptorSet freed[4] = {sets[1], VK_NULL_HANDLE, sets[4], VK_NULL_HANDLE};
    CHECK(vkFreeDescriptorSets(b.s.device, pool, 4, freed));
    const std::vector<VkDescriptorSet> fresh = allocate(b, pool, 2);
    sets[4] = fresh[0];
    sets[1] = fresh[1];
    write(b, sets[4], round + 2, 4);
    write(b, sets[1], round + 5, 1);
    dispatch(b, sets);
    for (std::uint32_t part = 0; part < 6; ++part) {
      const std::uint32_t first = part == 4 ? round + 2 : part == 1 ? round + 5 : part;
      EXPECT(b.s, b.out.words[part * 64 + 3] == 100 + (first + 3) % 8);
    }
  }
  CHECK(vkFreeDescriptorSets(b.s.device, pool, 6, sets.data()));
}

void reset(const Bench& b) {
  const VkDescriptorPool pool = create_pool(b.s, 4, {{kType, 9}});
  for (std::uint32_t round = 0; round < 4; ++round) {
    const std::vector<VkDescriptorSet> sets = allocate(b, pool, 1 + round);
    for (std::uint32_t i = 0; i <= round; ++i) write(b, sets[i], round + i, i);
    dispatch(b, sets);
    EXPECT(b.s, b.out.words[round * 64] == 100 + round * 2 % 8);
    CHECK(vkResetDescriptorPool(b.s.device, pool, 0));
  }
  write(b, allocate(b, pool, 4)[2], 0, 0);  // never used
}

}  // namespace

int main() {
  Needs needs;
  NEED_CORE(needs, shaderStorageBufferArrayDynamicIndexing);
  Session s = open("freed_sets", needs);
  const VkDescriptorSetLayout set_layout = create_set_layout(s, {{0, kType, 3, kCompute, nullptr},
                                                                 {1, kType, 1, kCompute, nullptr},
                                                                 {3, kType, 4, kCompute, nullptr},
                                                                 {4, kType, 1, kCompute, nullptr}});
  const VkPipelineLayout layout = create_layout(s, {set_layout});
  const Bench b{s,
                buffer(s, 8 * 256, kStorage),
                buffer(s, 6 * 256, kStorage),
                layout,
                create_compute(s, layout, shader(s, gather_comp_spv)),
                set_layout};
  for (std::uint32_t i = 0; i < 8; ++i) b.slots.words[i * 64] = 100 + i;
  free_some(b);
  reset(b);
  add(s, b.out);
  return finish(s);
}
