// SPDX-License-Identifier: Apache-2.0
// Memory, images, copies and descriptors beyond their bounds.
#include "tests/unit/player_hostile.h"

namespace rondo::player {
namespace {

using test::kDevice;
using test::of_type;
using test::ok;

class HostileResources : public test::PlayerHostile {
 protected:
  void copy(VkBuffer from, VkBuffer to, const VkBufferCopy& region) {
    capture.call(CommandId::vkCmdCopyBuffer, args_vkCmdCopyBuffer{recording(), from, to, 1, &region});
  }
  void copy(VkBuffer from, VkImage to, const VkBufferImageCopy& region) {
    capture.call(CommandId::vkCmdCopyBufferToImage,
                 args_vkCmdCopyBufferToImage{recording(), from, to, VK_IMAGE_LAYOUT_GENERAL, 1, &region});
  }
  static VkBufferImageCopy texels(std::uint32_t width, std::uint32_t height, std::uint32_t mip = 0) {
    return {0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, mip, 0, 1}, {0, 0, 0}, {width, height, 1}};
  }
  VkDescriptorSetLayout set_layout(std::uint32_t count, VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                   bool variable = false) {
    const VkDescriptorSetLayoutBinding binding{0, type, count, VK_SHADER_STAGE_ALL, nullptr};
    auto info = of_type<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    info.bindingCount = 1;
    info.pBindings = &binding;
    const VkDescriptorBindingFlags flag = VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
    auto flags = of_type<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
    flags.bindingCount = 1;
    flags.pBindingFlags = &flag;
    if (variable) info.pNext = &flags;
    return create<VkDescriptorSetLayout, args_vkCreateDescriptorSetLayout>(CommandId::vkCreateDescriptorSetLayout,
                                                                           info);
  }
  VkDescriptorSet set(VkDescriptorSetLayout layout, std::uint32_t count = 0) {
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 8};
    auto pool_info = of_type<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
    pool_info.maxSets = 1;
    pool_info.poolSizeCount = 1;
    pool_info.pPoolSizes = &size;
    auto info = of_type<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
    info.descriptorPool =
        create<VkDescriptorPool, args_vkCreateDescriptorPool>(CommandId::vkCreateDescriptorPool, pool_info);
    info.descriptorSetCount = 1;
    info.pSetLayouts = &layout;
    auto counts = of_type<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
    counts.descriptorSetCount = 1;
    counts.pDescriptorCounts = &count;
    if (count != 0) info.pNext = &counts;
    auto made = fresh<VkDescriptorSet>();
    capture.call(CommandId::vkAllocateDescriptorSets, args_vkAllocateDescriptorSets{kDevice, &info, &made}, ok());
    return made;
  }
  void write_set(VkDescriptorSet set, std::uint32_t binding, std::uint32_t element, VkDescriptorType type,
                 const VkDescriptorBufferInfo& info) {
    auto write = of_type<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
    write.dstSet = set;
    write.dstBinding = binding;
    write.dstArrayElement = element;
    write.descriptorCount = 1;
    write.descriptorType = type;
    write.pBufferInfo = &info;
    capture.call(CommandId::vkUpdateDescriptorSets, args_vkUpdateDescriptorSets{kDevice, 1, &write, 0, nullptr});
  }
  VkPipelineLayout layout(VkDescriptorSetLayout set) {
    auto info = of_type<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    info.setLayoutCount = 1;
    info.pSetLayouts = &set;
    return create<VkPipelineLayout, args_vkCreatePipelineLayout>(CommandId::vkCreatePipelineLayout, info);
  }
  void bind(VkPipelineLayout layout, std::uint32_t first, VkDescriptorSet set, std::uint32_t offsets = 0) {
    const std::uint32_t offset = 0;
    capture.call(CommandId::vkCmdBindDescriptorSets,
                 args_vkCmdBindDescriptorSets{recording(), VK_PIPELINE_BIND_POINT_COMPUTE, layout, first, 1, &set,
                                              offsets, offsets == 0 ? nullptr : &offset});
  }
};

TEST_F(HostileResources, PushesAreOfWhatCanBePushed) {
  const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1, VK_SHADER_STAGE_ALL,
                                             nullptr};
  auto info = of_type<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
  info.bindingCount = 1;
  info.pBindings = &binding;
  create<VkDescriptorSetLayout, args_vkCreateDescriptorSetLayout>(CommandId::vkCreateDescriptorSetLayout, info);
  refuses("vkCreateDescriptorSetLayout: is for push descriptors and has binding 0");
}

// A driver that counts the bytes of a set in 32 bits overflows: lavapipe does.
TEST_F(HostileResources, SetsHaveNoMoreDescriptorsThanDriversCount) {
  set_layout(1u << 24);
  accepts();
}
TEST_F(HostileResources, SetsOfMoreDescriptorsAreRefused) {
  set_layout(UINT32_MAX);
  refuses("vkCreateDescriptorSetLayout: has more than 16777216 descriptors");
}
TEST_F(HostileResources, BindingsOfASetCountTogether) {
  const VkDescriptorSetLayoutBinding bindings[2] = {
      {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1u << 24, VK_SHADER_STAGE_ALL, nullptr},
      {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, nullptr}};
  auto info = of_type<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  info.bindingCount = 2;
  info.pBindings = bindings;
  create<VkDescriptorSetLayout, args_vkCreateDescriptorSetLayout>(CommandId::vkCreateDescriptorSetLayout, info);
  refuses("vkCreateDescriptorSetLayout: has more than 16777216 descriptors");
}

// lavapipe reads the color from the chain, whether anything uses it or not.
TEST_F(HostileResources, SamplersWithAColorOfTheirOwnSayWhich) {
  auto info = of_type<VkSamplerCreateInfo>(VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO);
  info.borderColor = VK_BORDER_COLOR_INT_CUSTOM_EXT;
  create<VkSampler, args_vkCreateSampler>(CommandId::vkCreateSampler, info);
  refuses("vkCreateSampler: borderColor is a color of its own, and nothing says which");
}

TEST_F(HostileResources, BuffersLieWithinTheirMemory) {
  const VkBuffer made = buffer(64, false);
  capture.call(CommandId::vkBindBufferMemory, args_vkBindBufferMemory{kDevice, made, allocate(64), 8}, ok());
  refuses("vkBindBufferMemory: binds VkBuffer#0, which has 64 bytes, at 8 of VkDeviceMemory#0, which has 64");
}
TEST_F(HostileResources, BuffersAreBoundOnce) {
  const VkBuffer made = buffer(64);
  capture.call(CommandId::vkBindBufferMemory, args_vkBindBufferMemory{kDevice, made, allocate(64), 0}, ok());
  refuses("binds VkBuffer#0 again");
}
TEST_F(HostileResources, BuffersAreBoundBeforeUse) {
  const VkBuffer from = buffer(64), to = buffer(64, false);
  copy(from, to, {0, 0, 8});
  refuses("dstBuffer is VkBuffer#1, which no memory is bound to");
}
TEST_F(HostileResources, CopiesStayWithinBuffers) {
  const VkBuffer from = buffer(64), to = buffer(64);
  copy(from, to, {60, 0, 8});
  refuses("srcBuffer has 8 bytes at 60 of VkBuffer#0, which has 64");
}
TEST_F(HostileResources, SizesThatOverflowAreSeen) {
  copy(buffer(64), buffer(64), {8, 0, VK_WHOLE_SIZE - 4});
  refuses("srcBuffer has");
}
TEST_F(HostileResources, CopiesStayWithinMips) {
  copy(buffer(4096), image(16, 16, 2), texels(16, 16, 1));
  refuses("a region has texels outside mip 1 of VkImage#0, which is 8x8x1");
}
TEST_F(HostileResources, CopiesNameMipsThatAreThere) {
  copy(buffer(4096), image(16, 16), texels(1, 1, 4));
  refuses("imageSubresource: mip 4");
}
TEST_F(HostileResources, TexelsFitTheirBuffer) {
  copy(buffer(1023), image(16, 16), texels(16, 16));
  refuses("a region has 1024 bytes at 0 of VkBuffer#0, which has 1023");
}
TEST_F(HostileResources, WhatFitsExactlyIsPlayed) {
  copy(buffer(1024), image(16, 16), texels(16, 16));
  accepts();
}
TEST_F(HostileResources, ImagesHaveNoMoreMipsThanTheirSizeAllows) {
  image(16, 16, 6);
  refuses("mipLevels is 6, and the image can have 1 to 5");
}
TEST_F(HostileResources, FillsStayWithinTheirBuffer) {
  const VkBuffer made = buffer(64);
  capture.call(CommandId::vkCmdFillBuffer, args_vkCmdFillBuffer{recording(), made, 32, 64, 0});
  refuses("dstBuffer has 64 bytes at 32");
}
TEST_F(HostileResources, ViewsStayWithinTheirImage) {
  auto info = of_type<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  info.image = image(16, 16);
  info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  info.format = VK_FORMAT_R8G8B8A8_UNORM;
  info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, 1};
  create<VkImageView, args_vkCreateImageView>(CommandId::vkCreateImageView, info);
  refuses("subresourceRange is outside VkImage#0, which has 1 mips and 1 layers");
}
TEST_F(HostileResources, WhatSucceedsMakesSomething) {
  const auto info = of_type<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  VkFence none = VK_NULL_HANDLE;
  capture.call(CommandId::vkCreateFence, args_vkCreateFence{kDevice, &info, nullptr, &none}, ok());
  refuses("vkCreateFence succeeded and made no VkFence");
}
TEST_F(HostileResources, EnumerantsAreTheRegistrys) {
  auto info = of_type<VkBufferViewCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO);
  info.buffer = buffer(64);
  info.format = static_cast<VkFormat>(54321);
  info.range = VK_WHOLE_SIZE;
  create<VkBufferView, args_vkCreateBufferView>(CommandId::vkCreateBufferView, info);
  refuses("format of VkBufferViewCreateInfo is 54321, which no VkFormat is");
}
TEST_F(HostileResources, WritesNameBindingsThatAreThere) {
  const VkBuffer made = buffer(64);
  write_set(set(set_layout(2)), 3, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {made, 0, 64});
  refuses("VkDescriptorSet#0 has no binding 3");
}
TEST_F(HostileResources, WritesStayWithinBindings) {
  const VkBuffer made = buffer(64);
  write_set(set(set_layout(2)), 0, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {made, 0, 64});
  refuses("do not fit binding 0 of VkDescriptorSet#0");
}
TEST_F(HostileResources, WritesHaveTheirBindingsType) {
  const VkBuffer made = buffer(64);
  write_set(set(set_layout(2)), 0, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, {made, 0, 64});
  refuses("binding 0 of VkDescriptorSet#0 has another descriptor type");
}
TEST_F(HostileResources, DescriptorsStayWithinBuffers) {
  const VkBuffer made = buffer(64);
  write_set(set(set_layout(2)), 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {made, 65, 64});
  refuses("pBufferInfo has 64 bytes at 65 of VkBuffer#0");
}
TEST_F(HostileResources, DescriptorsThatReachBeyondTheirBufferEndWithIt) {
  const VkBuffer made = buffer(64);
  write_set(set(set_layout(2)), 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {made, 32, 64});
  accepts();
}
TEST_F(HostileResources, SetsOfVariableCountHaveWhatTheyWereAllocatedWith) {
  const VkDescriptorSet made = set(set_layout(64, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, true), 8);
  write_set(made, 0, 7, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {buffer(64), 0, 64});
  write_set(made, 0, 63, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {buffer(64), 0, 64});
  refuses("1 descriptors from element 63 do not fit binding 0 of VkDescriptorSet#0");
}
TEST_F(HostileResources, MutableDescriptorsAreCopiedToTypedOnes) {
  const VkDescriptorSet from = set(set_layout(2, VK_DESCRIPTOR_TYPE_MUTABLE_EXT)), to = set(set_layout(2));
  auto copy = of_type<VkCopyDescriptorSet>(VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET);
  copy.srcSet = from;
  copy.dstSet = to;
  copy.descriptorCount = 2;
  capture.call(CommandId::vkUpdateDescriptorSets, args_vkUpdateDescriptorSets{kDevice, 0, nullptr, 1, &copy});
  accepts();
}
TEST_F(HostileResources, SetsAreBoundWhereTheLayoutHasThem) {
  const VkDescriptorSetLayout made = set_layout(1);
  bind(layout(made), 1, set(made));
  refuses("binds sets 1 to 2 of VkPipelineLayout#0, which has 1");
}
TEST_F(HostileResources, SetsHaveTheLayoutThatIsAskedFor) {
  bind(layout(set_layout(1)), 0, set(set_layout(2)));
  refuses("VkDescriptorSet#0 does not have the layout of set 0 of VkPipelineLayout#0");
}
TEST_F(HostileResources, DynamicOffsetsAreNoFewerThanTheSetsHave) {
  const VkDescriptorSetLayout made = set_layout(1);
  bind(layout(made), 0, set(made), 1);
  const VkDescriptorSetLayout dynamic = set_layout(1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC);
  bind(layout(dynamic), 0, set(dynamic), 0);
  refuses("has 0 dynamic offsets, and its sets have 1");
}

}  // namespace
}  // namespace rondo::player
