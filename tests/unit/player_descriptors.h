// SPDX-License-Identifier: Apache-2.0
// What the tests of descriptors and pipelines share.
#pragma once

#include "tests/unit/player_sloppy.h"

namespace rondo::test {

class Descriptors : public Sloppy {
 protected:
  using Sloppy::Sloppy;

  VkShaderModule module(const std::vector<std::uint32_t>& code) {
    auto info = of_type<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    info.codeSize = code.size() * sizeof(std::uint32_t);
    info.pCode = code.data();
    return create<VkShaderModule, args_vkCreateShaderModule>(CommandId::vkCreateShaderModule, info);
  }
  VkPipelineLayout layout(VkDescriptorSetLayout set = VK_NULL_HANDLE) {
    auto info = of_type<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    info.setLayoutCount = set != VK_NULL_HANDLE ? 1 : 0;
    info.pSetLayouts = &set;
    return create<VkPipelineLayout, args_vkCreatePipelineLayout>(CommandId::vkCreatePipelineLayout, info);
  }
  VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits kind, VkShaderModule code) {
    auto info = of_type<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
    info.stage = kind;
    info.module = code;
    info.pName = "main";
    return info;
  }
  VkDescriptorSetLayout set_layout(VkDescriptorType type) {
    const VkDescriptorSetLayoutBinding binding{0, type, 1, VK_SHADER_STAGE_ALL, nullptr};
    auto info = of_type<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    info.bindingCount = 1;
    info.pBindings = &binding;
    return create<VkDescriptorSetLayout, args_vkCreateDescriptorSetLayout>(CommandId::vkCreateDescriptorSetLayout,
                                                                           info);
  }
  VkDescriptorPool set_pool(VkDescriptorType type) {
    const VkDescriptorPoolSize size{type, 1};
    auto info = of_type<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
    info.maxSets = info.poolSizeCount = 1;
    info.pPoolSizes = &size;
    return create<VkDescriptorPool, args_vkCreateDescriptorPool>(CommandId::vkCreateDescriptorPool, info);
  }
  VkDescriptorSet set(VkDescriptorPool pool, VkDescriptorSetLayout of) {
    auto info = of_type<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
    info.descriptorPool = pool;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &of;
    auto made = fresh<VkDescriptorSet>();
    capture.call(CommandId::vkAllocateDescriptorSets, args_vkAllocateDescriptorSets{kDevice, &info, &made}, ok());
    return made;
  }
  void write_set(VkDescriptorSet to, VkDescriptorType type, VkBuffer what, VkDeviceSize range,
                 VkDeviceSize offset = 0) {
    const VkDescriptorBufferInfo one{what, offset, range};
    auto write = of_type<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
    write.dstSet = to;
    write.descriptorCount = 1;
    write.descriptorType = type;
    write.pBufferInfo = &one;
    capture.call(CommandId::vkUpdateDescriptorSets, args_vkUpdateDescriptorSets{kDevice, 1, &write, 0, nullptr});
  }
  void bind_set(VkCommandBuffer into, VkPipelineLayout with, VkDescriptorSet what, VkPipelineBindPoint point,
                std::vector<std::uint32_t> offsets = {}) {
    capture.call(CommandId::vkCmdBindDescriptorSets,
                 args_vkCmdBindDescriptorSets{into, point, with, 0, 1, &what,
                                              static_cast<std::uint32_t>(offsets.size()), offsets.data()});
  }
};

}  // namespace rondo::test
