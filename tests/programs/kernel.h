// SPDX-License-Identifier: Apache-2.0
// Descriptor sets, and compute shaders that work on buffers.
#pragma once

#include "session.h"

namespace program {

inline VkDescriptorSetLayout create_set_layout(Session& s, const std::vector<VkDescriptorSetLayoutBinding>& bindings,
                                               VkDescriptorSetLayoutCreateFlags flags = 0, const void* next = nullptr) {
  const VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, next, flags,
                                             static_cast<std::uint32_t>(bindings.size()), bindings.data()};
  VkDescriptorSetLayout layout;
  CHECK(vkCreateDescriptorSetLayout(s.device, &info, nullptr, &layout));
  return keep(s, vkDestroyDescriptorSetLayout, layout);
}

inline VkPipelineLayout create_layout(Session& s, const std::vector<VkDescriptorSetLayout>& sets,
                                      const std::vector<VkPushConstantRange>& push = {},
                                      VkPipelineLayoutCreateFlags flags = 0) {
  const VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                        nullptr,
                                        flags,
                                        static_cast<std::uint32_t>(sets.size()),
                                        sets.data(),
                                        static_cast<std::uint32_t>(push.size()),
                                        push.data()};
  VkPipelineLayout layout;
  CHECK(vkCreatePipelineLayout(s.device, &info, nullptr, &layout));
  return keep(s, vkDestroyPipelineLayout, layout);
}

// A pool with room for `count` sets and `count` times the given descriptors.
inline VkDescriptorPool create_pool(Session& s, std::uint32_t count, std::vector<VkDescriptorPoolSize> sizes,
                                    const void* next = nullptr, VkDescriptorPoolCreateFlags flags = 0) {
  for (VkDescriptorPoolSize& size : sizes) size.descriptorCount *= count;
  const VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, next,        flags, count,
                                        static_cast<std::uint32_t>(sizes.size()),      sizes.data()};
  VkDescriptorPool pool;
  CHECK(vkCreateDescriptorPool(s.device, &info, nullptr, &pool));
  return keep(s, vkDestroyDescriptorPool, pool);
}

inline VkDescriptorSet allocate_set(Session& s, VkDescriptorPool pool, VkDescriptorSetLayout layout) {
  const VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1, &layout};
  VkDescriptorSet set;
  CHECK(vkAllocateDescriptorSets(s.device, &info, &set));
  return set;
}

// A set of its own pool, for layouts of a few bindings.
inline VkDescriptorSet create_set(Session& s, VkDescriptorSetLayout layout,
                                  std::initializer_list<VkDescriptorType> types) {
  std::vector<VkDescriptorPoolSize> sizes;
  for (const VkDescriptorType type : types) sizes.push_back({type, 1});
  return allocate_set(s, create_pool(s, 1, sizes), layout);
}

inline void write_buffer(Session& s, VkDescriptorSet set, std::uint32_t binding, const MappedBuffer& b,
                         VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) {
  const VkDescriptorBufferInfo info{b.buffer, 0, VK_WHOLE_SIZE};
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = set,
                                   .dstBinding = binding,
                                   .descriptorCount = 1,
                                   .descriptorType = type,
                                   .pBufferInfo = &info};
  vkUpdateDescriptorSets(s.device, 1, &write, 0, nullptr);
}

inline void write_image(Session& s, VkDescriptorSet set, std::uint32_t binding, VkImageView view, VkImageLayout layout,
                        VkSampler sampler, VkDescriptorType type) {
  const VkDescriptorImageInfo info{sampler, view, layout};
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = set,
                                   .dstBinding = binding,
                                   .descriptorCount = 1,
                                   .descriptorType = type,
                                   .pImageInfo = &info};
  vkUpdateDescriptorSets(s.device, 1, &write, 0, nullptr);
}

template <std::size_t N>
VkShaderModule shader(Session& s, const std::uint32_t (&code)[N]) {
  return keep(s, vkDestroyShaderModule, create_shader(s, code, sizeof code));
}

inline VkPipeline create_compute(Session& s, VkPipelineLayout layout, VkShaderModule module,
                                 const VkSpecializationInfo* constants = nullptr, VkPipelineCreateFlags flags = 0,
                                 const void* stage_next = nullptr) {
  const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                         .flags = flags,
                                         .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, stage_next, 0,
                                                   VK_SHADER_STAGE_COMPUTE_BIT, module, "main", constants},
                                         .layout = layout};
  VkPipeline pipeline;
  CHECK(vkCreateComputePipelines(s.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  return keep(s, vkDestroyPipeline, pipeline);
}

// A compute shader over storage buffers 0, 1, …, with 16 bytes to push.
struct Kernel {
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
};

inline Kernel create_kernel(Session& s, VkShaderModule module, std::initializer_list<MappedBuffer> buffers,
                            const VkSpecializationInfo* constants = nullptr, VkPipelineCreateFlags flags = 0) {
  Kernel k;
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (std::uint32_t n = 0; n < buffers.size(); ++n)
    bindings.push_back({n, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  k.set_layout = create_set_layout(s, bindings);
  k.layout = create_layout(s, {k.set_layout}, {{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16}});
  k.pipeline = create_compute(s, k.layout, module, constants, flags);
  const auto count = static_cast<std::uint32_t>(buffers.size());
  k.set = allocate_set(s, create_pool(s, 1, {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count}}), k.set_layout);
  std::uint32_t binding = 0;
  for (const MappedBuffer& b : buffers) write_buffer(s, k.set, binding++, b);
  return k;
}

inline void bind(VkCommandBuffer cmd, const Kernel& k) {
  vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.pipeline);
  vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 0, 1, &k.set, 0, nullptr);
}

inline void push(VkCommandBuffer cmd, const Kernel& k, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0,
                 std::uint32_t d = 0) {
  const std::uint32_t values[4] = {a, b, c, d};
  vkCmdPushConstants(cmd, k.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof values, values);
}

}  // namespace program
