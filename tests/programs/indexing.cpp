// SPDX-License-Identifier: Apache-2.0
// Descriptor indexing: a binding of variable size, holes in it, and descriptors
// that are written after the set was bound. Lavapipe 22.3 has none.
#include "indexing.comp.h"
#include "kernel.h"

using namespace program;

int main() {
  VkPhysicalDeviceVulkan12Features v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                       .descriptorIndexing = VK_TRUE,
                                       .shaderStorageBufferArrayNonUniformIndexing = VK_TRUE,
                                       .descriptorBindingStorageBufferUpdateAfterBind = VK_TRUE,
                                       .descriptorBindingPartiallyBound = VK_TRUE,
                                       .descriptorBindingVariableDescriptorCount = VK_TRUE,
                                       .runtimeDescriptorArray = VK_TRUE};
  Wanted wanted;
  wanted.features = &v12;
  Session s = open("indexing", wanted);
  constexpr VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  const VkDescriptorBindingFlags flags[2] = {0, VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT |
                                                    VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |
                                                    VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT};
  const VkDescriptorSetLayoutBindingFlagsCreateInfo binding_flags{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr, 2, flags};
  const VkDescriptorSetLayout set_layout = create_set_layout(
      s, {{0, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}, {1, type, 64, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}},
      VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT, &binding_flags);
  const VkDescriptorPool pool =
      create_pool(s, 1, {{type, 9}}, nullptr, VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT);
  const std::uint32_t size = 8;
  const VkDescriptorSetVariableDescriptorCountAllocateInfo variable{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO, nullptr, 1, &size};
  const VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, &variable, pool, 1,
                                             &set_layout};
  VkDescriptorSet set;
  CHECK(vkAllocateDescriptorSets(s.device, &allocate, &set));
  const MappedBuffer out = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  write_buffer(s, set, 0, out);
  const VkPipelineLayout layout = create_layout(s, {set_layout});
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, create_compute(s, layout, shader(s, indexing_comp_spv)));
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  for (std::uint32_t i = 0; i < 4; ++i) {  // after the set was bound; the odd ones stay holes
    const MappedBuffer in = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    in.words[0] = 100 + i;
    const VkDescriptorBufferInfo info{in.buffer, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .dstSet = set,
                                     .dstBinding = 1,
                                     .dstArrayElement = 2 * i,
                                     .descriptorCount = 1,
                                     .descriptorType = type,
                                     .pBufferInfo = &info};
    vkUpdateDescriptorSets(s.device, 1, &write, 0, nullptr);
  }
  run(s);
  // A fake driver runs no shader: it writes what depends on all that is bound.
  EXPECT(s, out.words[0] != 0);
  add(s, out);
  return finish(s);
}
