// SPDX-License-Identifier: Apache-2.0
// The work of the compute programs: slots of 64 words in two mapped buffers,
// and a dispatch that sets output[slot] = 3 * input[slot] + output[previous].
#pragma once

#include <cstdint>  // for the shaders' headers, too

#include "accumulate.comp.h"  // built from accumulate.comp; needs <cstdint>
#include "support.h"

namespace program {

inline constexpr std::uint32_t kSlotWords = 64;
inline constexpr std::uint32_t kNoSlot = 0xffffffff;

struct Accumulate {
  MappedBuffer input;
  MappedBuffer output;
  VkShaderModule shader = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
};

// A pool for `sets` sets of two storage buffers each.
inline VkDescriptorPool create_set_pool(const Context& c, std::uint32_t sets, VkDescriptorPoolCreateFlags flags) {
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 * sets};
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.flags = flags;
  info.maxSets = sets;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  VkDescriptorPool pool;
  CHECK(vkCreateDescriptorPool(c.device, &info, nullptr, &pool));
  return pool;
}

inline VkResult allocate_sets(const Context& c, VkDescriptorPool pool, VkDescriptorSetLayout layout,
                              std::uint32_t count, VkDescriptorSet* sets) {
  const std::vector<VkDescriptorSetLayout> layouts(count, layout);
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pool;
  info.descriptorSetCount = count;
  info.pSetLayouts = layouts.data();
  return vkAllocateDescriptorSets(c.device, &info, sets);
}

// Lets a set name the input and output of `a`.
inline void write_set(const Context& c, const Accumulate& a, VkDescriptorSet set) {
  const VkDescriptorBufferInfo buffers[2] = {{a.input.buffer, 0, VK_WHOLE_SIZE}, {a.output.buffer, 0, VK_WHOLE_SIZE}};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set;
  write.descriptorCount = 2;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = buffers;
  vkUpdateDescriptorSets(c.device, 1, &write, 0, nullptr);
}

inline Accumulate create_accumulate(const Context& c, std::uint32_t slots) {
  Accumulate a;
  const VkDeviceSize bytes = VkDeviceSize{slots} * kSlotWords * sizeof(std::uint32_t);
  a.input = create_mapped_buffer(c, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  a.output = create_mapped_buffer(c, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  std::memset(a.output.words, 0, bytes);
  a.shader = create_shader(c, accumulate_comp_spv, sizeof accumulate_comp_spv);

  VkDescriptorSetLayoutBinding bindings[2]{};
  for (std::uint32_t i = 0; i < 2; ++i) {
    bindings[i].binding = i;
    bindings[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    bindings[i].descriptorCount = 1;
    bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  VkDescriptorSetLayoutCreateInfo set_layout{};
  set_layout.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set_layout.bindingCount = 2;
  set_layout.pBindings = bindings;
  CHECK(vkCreateDescriptorSetLayout(c.device, &set_layout, nullptr, &a.set_layout));

  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, 2 * sizeof(std::uint32_t)};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &a.set_layout;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &push;
  CHECK(vkCreatePipelineLayout(c.device, &layout, nullptr, &a.layout));

  VkComputePipelineCreateInfo pipeline{};
  pipeline.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipeline.stage.module = a.shader;
  pipeline.stage.pName = "main";
  pipeline.layout = a.layout;
  CHECK(vkCreateComputePipelines(c.device, VK_NULL_HANDLE, 1, &pipeline, nullptr, &a.pipeline));

  a.pool = create_set_pool(c, 1, 0);
  CHECK(allocate_sets(c, a.pool, a.set_layout, 1, &a.set));
  write_set(c, a, a.set);
  return a;
}

inline void destroy(const Context& c, Accumulate& a) {
  vkDestroyDescriptorPool(c.device, a.pool, nullptr);
  vkDestroyPipeline(c.device, a.pipeline, nullptr);
  vkDestroyPipelineLayout(c.device, a.layout, nullptr);
  vkDestroyDescriptorSetLayout(c.device, a.set_layout, nullptr);
  vkDestroyShaderModule(c.device, a.shader, nullptr);
  destroy(c, a.output);
  destroy(c, a.input);
}

// What the host writes into a slot before the submit that reads it.
inline std::uint32_t input_value(std::uint32_t round, std::uint32_t word) {
  return (round + 1) * 2654435761u ^ word * 40503u;
}

inline void write_input(const Accumulate& a, std::uint32_t slot, std::uint32_t round) {
  for (std::uint32_t i = 0; i < kSlotWords; ++i) a.input.words[slot * kSlotWords + i] = input_value(round, i);
}

inline void record_dispatch(const Accumulate& a, VkCommandBuffer commands, VkDescriptorSet set, std::uint32_t slot,
                            std::uint32_t previous) {
  const std::uint32_t push[2] = {slot, previous};
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, a.pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, a.layout, 0, 1, &set, 0, nullptr);
  vkCmdPushConstants(commands, a.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
  // What earlier submits wrote is read here; what this one writes, by the host.
  VkMemoryBarrier earlier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                          VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                       &earlier, 0, nullptr, 0, nullptr);
  vkCmdDispatch(commands, 1, 1, 1);
  VkMemoryBarrier host{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &host, 0,
                       nullptr, 0, nullptr);
}

inline void record_dispatch(const Accumulate& a, const Commands& commands, std::uint32_t slot, std::uint32_t previous) {
  record_dispatch(a, commands.buffer, a.set, slot, previous);
}

// Whether a slot holds 3 * the input of `round` + what the slot before held.
inline void expect_slot(const Accumulate& a, std::uint32_t slot, std::uint32_t round,
                        const std::uint32_t* before = nullptr) {
  for (std::uint32_t i = 0; i < kSlotWords; ++i)
    if (a.output.words[slot * kSlotWords + i] != 3 * input_value(round, i) + (before != nullptr ? before[i] : 0))
      wrong("wrong result in slot", slot);
}

}  // namespace program
