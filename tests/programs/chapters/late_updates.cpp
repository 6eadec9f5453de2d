// SPDX-License-Identifier: Apache-2.0
// Chapter "Resource Descriptors", descriptors that are written late: after they
// were bound, while other work that does not use them is pending, in a binding
// that is only partly written and as long as its set's allocation said.
#include "late.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkDescriptorType kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr std::uint32_t kMost = 64, kHere = 24;

void write(Session& s, VkDescriptorSet set, std::uint32_t binding, std::uint32_t element, VkBuffer buffer,
           VkDeviceSize at) {
  const VkDescriptorBufferInfo info{buffer, at, 256};
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = set,
                                   .dstBinding = binding,
                                   .dstArrayElement = element,
                                   .descriptorCount = 1,
                                   .descriptorType = kType,
                                   .pBufferInfo = &info};
  vkUpdateDescriptorSets(s.device, 1, &write, 0, nullptr);
}

VkDescriptorSetLayout create_late_layout(Session& s) {
  const VkDescriptorBindingFlags flags[2] = {
      VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT,
      VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT | VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |
          VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT | VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT};
  const VkDescriptorSetLayoutBindingFlagsCreateInfo info{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr, 2, flags};
  return create_set_layout(s, {{0, kType, 1, kCompute, nullptr}, {1, kType, kMost, kCompute, nullptr}},
                           VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT, &info);
}

// Two at once, of different lengths.
void allocate(Session& s, VkDescriptorSetLayout set_layout, VkDescriptorSet (&sets)[2]) {
  const VkDescriptorPool pool =
      create_pool(s, 2, {{kType, 1 + kHere}}, nullptr, VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT);
  const std::uint32_t counts[2] = {kHere, 3};
  const VkDescriptorSetVariableDescriptorCountAllocateInfo lengths{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO, nullptr, 2, counts};
  const VkDescriptorSetLayout layouts[2] = {set_layout, set_layout};
  const VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, &lengths, pool, 2, layouts};
  CHECK(vkAllocateDescriptorSets(s.device, &info, sets));
}

}  // namespace

int main() {
  Needs needs;
  NEED(needs, Vulkan12Features, descriptorBindingStorageBufferUpdateAfterBind);
  NEED(needs, Vulkan12Features, descriptorBindingUpdateUnusedWhilePending);
  NEED(needs, Vulkan12Features, descriptorBindingPartiallyBound);
  NEED(needs, Vulkan12Features, descriptorBindingVariableDescriptorCount);
  NEED(needs, Vulkan12Features, runtimeDescriptorArray);
  NEED(needs, Vulkan12Features, shaderStorageBufferArrayNonUniformIndexing);
  Session s = open("late_updates", needs);
  const MappedBuffer slots = buffer(s, kHere * 256, kStorage), out = buffer(s, 1024, kStorage);
  for (std::uint32_t i = 0; i < kHere; ++i) slots.words[i * 64] = 1000 + i;
  const VkDescriptorSetLayout set_layout = create_late_layout(s);
  VkDescriptorSet sets[2];
  allocate(s, set_layout, sets);
  const VkPipelineLayout layout = create_layout(s, {set_layout}, {{kCompute, 0, 16}});
  const VkPipeline pipeline = create_compute(s, layout, shader(s, late_comp_spv));

  // Recorded before anything was written.
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  const std::uint32_t pushed[2][4] = {{3, 7, 20, 0}, {0, 2, 2, 4}};
  for (std::uint32_t i = 0; i < 2; ++i) {
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &sets[i], 0, nullptr);
    vkCmdPushConstants(s.cmd, layout, kCompute, 0, 16, pushed[i]);
    vkCmdDispatch(s.cmd, 1, 1, 1);
  }
  for (const std::uint32_t element : {7u, 20u, 3u}) write(s, sets[0], 1, element, slots.buffer, element * 256);
  for (const std::uint32_t element : {0u, 2u}) write(s, sets[1], 1, element, slots.buffer, element * 256 + 256);
  write(s, sets[0], 0, 0, out.buffer, 0);
  write(s, sets[1], 0, 0, out.buffer, 512);
  CHECK(vkEndCommandBuffer(s.cmd));
  write(s, sets[1], 0, 0, out.buffer, 256);
  submit(s.queues[0], s.commands);
  // What the pending work does not use; where no shader runs, all of a set counts.
  if (!unchecked()) write(s, sets[0], 1, 5, slots.buffer, 5 * 256);
  wait(s, s.commands);
  if (unchecked()) write(s, sets[0], 1, 5, slots.buffer, 5 * 256);
  EXPECT(s, out.words[0] == 1003 && out.words[1] == 1007 && out.words[2] == 1020);
  EXPECT(s, out.words[64 + 4] == 1001 && out.words[64 + 5] == 1003 && out.words[64 + 6] == 1003);

  begin(s.commands);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &sets[0], 0, nullptr);
  const std::uint32_t again[4] = {5, 5, 7, 8};
  vkCmdPushConstants(s.cmd, layout, kCompute, 0, 16, again);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  write(s, sets[0], 1, 7, slots.buffer, 23 * 256);
  run(s);
  EXPECT(s, out.words[8] == 1005 && out.words[10] == 1023);
  add(s, out);
  return finish(s);
}
