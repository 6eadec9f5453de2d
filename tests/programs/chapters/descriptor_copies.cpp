// SPDX-License-Identifier: Apache-2.0
// Chapter "Resource Descriptors", updates: copies between sets and within one,
// writes and copies that run on into the following bindings, several of both in
// one call, of descriptors that were copied before.
#include "gather.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkShaderStageFlags kStage = VK_SHADER_STAGE_COMPUTE_BIT;
constexpr VkDescriptorType kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr std::uint32_t kSlots = 8;

VkCopyDescriptorSet copy(VkDescriptorSet from, std::uint32_t binding, std::uint32_t element, VkDescriptorSet to,
                         std::uint32_t to_binding, std::uint32_t to_element, std::uint32_t count) {
  return {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, from, binding, element, to, to_binding, to_element, count};
}

}  // namespace

int main() {
  Needs needs;
  NEED_CORE(needs, shaderStorageBufferArrayDynamicIndexing);
  Session s = open("descriptor_copies", needs);
  // Slots of 256 bytes with their own number in the first word.
  const MappedBuffer slots = buffer(s, kSlots * 256, kStorage);
  for (std::uint32_t i = 0; i < kSlots; ++i) slots.words[i * 64] = 100 + i;
  const MappedBuffer out = buffer(s, 4 * 256, kStorage);
  // Bindings 0 (3 descriptors), 1 (1), 2 (none), 3 (4): consecutive for updates, without the empty one.
  const VkDescriptorSetLayout set_layout = create_set_layout(s, {{0, kType, 3, kStage, nullptr},
                                                                 {1, kType, 1, kStage, nullptr},
                                                                 {2, kType, 0, 0, nullptr},
                                                                 {3, kType, 4, kStage, nullptr},
                                                                 {4, kType, 1, kStage, nullptr}});
  const VkDescriptorPool pool = create_pool(s, 4, {{kType, 9}});
  VkDescriptorSet sets[4];
  for (VkDescriptorSet& set : sets) set = allocate_set(s, pool, set_layout);
  VkDescriptorBufferInfo infos[kSlots];
  for (std::uint32_t i = 0; i < kSlots; ++i) infos[i] = {slots.buffer, i * 256, 256};
  const VkDescriptorBufferInfo results[4] = {
      {out.buffer, 0, 256}, {out.buffer, 256, 256}, {out.buffer, 512, 256}, {out.buffer, 768, VK_WHOLE_SIZE}};
  std::vector<VkWriteDescriptorSet> writes{{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = sets[0],
                                            .dstBinding = 0,
                                            .descriptorCount = kSlots,  // all of 0, 1 and 3
                                            .descriptorType = kType,
                                            .pBufferInfo = infos}};
  for (std::uint32_t i = 0; i < 4; ++i)
    writes.push_back({.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                      .dstSet = sets[i],
                      .dstBinding = 4,
                      .descriptorCount = 1,
                      .descriptorType = kType,
                      .pBufferInfo = results + i});
  const VkCopyDescriptorSet first[] = {copy(sets[0], 0, 0, sets[1], 0, 0, 8)};
  vkUpdateDescriptorSets(s.device, 5, writes.data(), 1, first);                  // writes come before copies
  const VkCopyDescriptorSet second[] = {copy(sets[1], 0, 1, sets[2], 0, 0, 7),   // turned by one, over all bindings
                                        copy(sets[0], 0, 0, sets[2], 3, 3, 1),   // … and its last
                                        copy(sets[2], 3, 2, sets[3], 0, 0, 2),   // of what was just copied
                                        copy(sets[0], 3, 0, sets[3], 0, 2, 2),   // into 0 and 1
                                        copy(sets[3], 0, 1, sets[3], 3, 0, 2),   // within a set
                                        copy(sets[0], 1, 0, sets[3], 3, 2, 2)};  // out of 1 and 3
  vkUpdateDescriptorSets(s.device, 0, nullptr, 6, second);
  const VkPipelineLayout layout = create_layout(s, {set_layout});
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, create_compute(s, layout, shader(s, gather_comp_spv)));
  for (const VkDescriptorSet set : sets) {
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(s.cmd, 1, 1, 1);
  }
  run(s);
  constexpr std::uint32_t expected[4][8] = {
      {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 4, 5, 6, 7, 0}, {7, 0, 4, 5, 0, 4, 3, 4}};
  for (std::uint32_t set = 0; set < 4; ++set)
    for (std::uint32_t i = 0; i < 8; ++i) EXPECT(s, out.words[set * 64 + i] == 100 + expected[set][i]);
  add(s, out);
  return finish(s);
}
