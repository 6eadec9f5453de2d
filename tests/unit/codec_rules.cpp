// SPDX-License-Identifier: Apache-2.0
// Pointers and handles that the specification says to ignore hold garbage:
// they are never followed, and written as null.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/unit/codec_ignored.h"

namespace rondo::test {
namespace {

// -- descriptor writes --------------------------------------------------------

class DescriptorWrites : public IgnoredMembers {
 protected:
  const VkWriteDescriptorSet& written(VkDescriptorType type, const VkDescriptorImageInfo* images,
                                      const VkDescriptorBufferInfo* buffers, const VkBufferView* views) {
    VkWriteDescriptorSet write = titled<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
    write.dstSet = handle<VkDescriptorSet>(7);
    write.descriptorCount = 1;
    write.descriptorType = type;
    write.pImageInfo = images;
    write.pBufferInfo = buffers;
    write.pTexelBufferView = views;
    args_vkUpdateDescriptorSets args{handle<VkDevice>(1), 1, &write, 0, nullptr};
    return replayed(CommandId::vkUpdateDescriptorSets, args).pDescriptorWrites[0];
  }

  VkDescriptorImageInfo image_{handle<VkSampler>(11), handle<VkImageView>(12), VK_IMAGE_LAYOUT_GENERAL};
  VkDescriptorBufferInfo buffer_{handle<VkBuffer>(13), 16, 32};
  VkBufferView view_ = handle<VkBufferView>(14);
};

TEST_F(DescriptorWrites, OfBuffersFollowOnlyBuffers) {
  const auto& write = written(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, garbage<VkDescriptorImageInfo*>(), &buffer_,
                              garbage<VkBufferView*>());
  EXPECT_EQ(write.pImageInfo, nullptr);
  EXPECT_EQ(write.pTexelBufferView, nullptr);
  EXPECT_EQ(write.pBufferInfo->buffer, buffer_.buffer);
  EXPECT_EQ(write.pBufferInfo->range, 32u);
  EXPECT_EQ(write.dstSet, handle<VkDescriptorSet>(7));
}

TEST_F(DescriptorWrites, OfTexelBuffersFollowOnlyViews) {
  const auto& write = written(VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, garbage<VkDescriptorImageInfo*>(),
                              garbage<VkDescriptorBufferInfo*>(), &view_);
  EXPECT_EQ(write.pImageInfo, nullptr);
  EXPECT_EQ(write.pBufferInfo, nullptr);
  EXPECT_EQ(*write.pTexelBufferView, view_);
}

TEST_F(DescriptorWrites, OfSampledImagesDropTheSampler) {
  const auto& write =
      written(VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, &image_, garbage<VkDescriptorBufferInfo*>(), garbage<VkBufferView*>());
  EXPECT_EQ(write.pBufferInfo, nullptr);
  EXPECT_EQ(write.pImageInfo->sampler, VK_NULL_HANDLE);
  EXPECT_EQ(write.pImageInfo->imageView, image_.imageView);
}

TEST_F(DescriptorWrites, OfSamplersDropTheView) {
  const auto& write =
      written(VK_DESCRIPTOR_TYPE_SAMPLER, &image_, garbage<VkDescriptorBufferInfo*>(), garbage<VkBufferView*>());
  EXPECT_EQ(write.pImageInfo->sampler, image_.sampler);
  EXPECT_EQ(write.pImageInfo->imageView, VK_NULL_HANDLE);
}

TEST_F(DescriptorWrites, OfInlineUniformBlocksFollowNone) {
  const auto& write = written(VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, garbage<VkDescriptorImageInfo*>(),
                              garbage<VkDescriptorBufferInfo*>(), garbage<VkBufferView*>());
  EXPECT_EQ(write.pImageInfo, nullptr);
  EXPECT_EQ(write.pBufferInfo, nullptr);
  EXPECT_EQ(write.pTexelBufferView, nullptr);
}

TEST_F(DescriptorWrites, OfOneCallKeepTheirTypesApart) {
  VkWriteDescriptorSet writes[2] = {titled<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET),
                                    titled<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET)};
  writes[0].dstSet = writes[1].dstSet = handle<VkDescriptorSet>(7);
  writes[0].descriptorCount = writes[1].descriptorCount = 1;
  writes[0].descriptorType = VK_DESCRIPTOR_TYPE_SAMPLER;
  writes[0].pImageInfo = &image_;
  writes[0].pBufferInfo = garbage<VkDescriptorBufferInfo*>();
  writes[1].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  writes[1].pImageInfo = garbage<VkDescriptorImageInfo*>();
  writes[1].pBufferInfo = &buffer_;
  args_vkUpdateDescriptorSets args{handle<VkDevice>(1), 2, writes, 0, nullptr};
  const auto& back = replayed(CommandId::vkUpdateDescriptorSets, args);
  EXPECT_EQ(back.pDescriptorWrites[0].pImageInfo->imageView, VK_NULL_HANDLE);
  EXPECT_EQ(back.pDescriptorWrites[0].pBufferInfo, nullptr);
  EXPECT_EQ(back.pDescriptorWrites[1].pImageInfo, nullptr);
  EXPECT_EQ(back.pDescriptorWrites[1].pBufferInfo->buffer, buffer_.buffer);
}

TEST_F(DescriptorWrites, ThatArePushedHaveNoSet) {
  VkWriteDescriptorSet write = titled<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = garbage<VkDescriptorSet>();
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &buffer_;
  args_vkCmdPushDescriptorSetKHR args{
      handle<VkCommandBuffer>(1), VK_PIPELINE_BIND_POINT_COMPUTE, handle<VkPipelineLayout>(2), 0, 1, &write};
  EXPECT_EQ(replayed(CommandId::vkCmdPushDescriptorSetKHR, args).pDescriptorWrites[0].dstSet, VK_NULL_HANDLE);
}

TEST_F(DescriptorWrites, ThroughATemplateKeepTheirHandlesApartAndInPlace) {
  // Two buffers 64 bytes apart, and a sampled image whose sampler is garbage. A
  // stride that no second descriptor needs may be anything.
  context_.layout = std::make_shared<std::vector<FakeContext::TemplateEntry>>(std::vector<FakeContext::TemplateEntry>{
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, 0, 64}, {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, 104, 4096}});
  alignas(8) std::byte data[128] = {};
  image_.sampler = garbage<VkSampler>();
  std::memcpy(data, &buffer_, sizeof buffer_);
  std::memcpy(data + 64, &buffer_, sizeof buffer_);
  std::memcpy(data + 104, &image_, sizeof image_);
  args_vkUpdateDescriptorSetWithTemplate args{handle<VkDevice>(1), handle<VkDescriptorSet>(2),
                                              handle<VkDescriptorUpdateTemplate>(3), data};
  const auto& back = replayed(CommandId::vkUpdateDescriptorSetWithTemplate, args);
  const auto* bytes = static_cast<const std::byte*>(back.pData);
  VkDescriptorBufferInfo second;
  std::memcpy(&second, bytes + 64, sizeof second);
  EXPECT_EQ(second.buffer, buffer_.buffer);
  EXPECT_EQ(second.range, 32u);
  VkDescriptorImageInfo image;
  std::memcpy(&image, bytes + 104, sizeof image);
  EXPECT_EQ(image.imageView, image_.imageView);
  EXPECT_EQ(image.sampler, VK_NULL_HANDLE);
  // Device, set, template, two buffers, sampler, view: all can be patched.
  ASSERT_EQ(lowered_.handles.size(), 7u);
  EXPECT_EQ(lowered_.handles[4].type, HandleType::VkBuffer);
}

// -- sharing, framebuffers, layouts, command buffers ---------------------------

TEST_F(IgnoredMembers, QueueFamiliesUnlessConcurrent) {
  VkBufferCreateInfo create = titled<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  create.size = 64;
  create.queueFamilyIndexCount = 2;
  create.pQueueFamilyIndices = garbage<std::uint32_t*>();
  VkBuffer buffer = handle<VkBuffer>(5);
  args_vkCreateBuffer args{handle<VkDevice>(1), &create, nullptr, &buffer};
  EXPECT_EQ(replayed(CommandId::vkCreateBuffer, args).pCreateInfo->pQueueFamilyIndices, nullptr);

  const std::uint32_t families[2] = {0, 1};
  create.sharingMode = VK_SHARING_MODE_CONCURRENT;
  create.pQueueFamilyIndices = families;
  const auto& back = replayed(CommandId::vkCreateBuffer, args);
  EXPECT_EQ(back.pCreateInfo->pQueueFamilyIndices[1], 1u);
  EXPECT_EQ(lowered_.marks.size(), 2u);  // both can be mapped to another device's families
}

TEST_F(IgnoredMembers, LayoutsOfTemplatesOfTheOtherType) {
  VkDescriptorUpdateTemplateEntry entry{};
  VkDescriptorUpdateTemplateCreateInfo create =
      titled<VkDescriptorUpdateTemplateCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO);
  create.descriptorUpdateEntryCount = 1;
  create.pDescriptorUpdateEntries = &entry;
  create.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
  create.descriptorSetLayout = handle<VkDescriptorSetLayout>(4);
  create.pipelineLayout = garbage<VkPipelineLayout>();
  VkDescriptorUpdateTemplate made = handle<VkDescriptorUpdateTemplate>(5);
  args_vkCreateDescriptorUpdateTemplate args{handle<VkDevice>(1), &create, nullptr, &made};
  const auto* back = replayed(CommandId::vkCreateDescriptorUpdateTemplate, args).pCreateInfo;
  EXPECT_EQ(back->pipelineLayout, VK_NULL_HANDLE);
  EXPECT_EQ(back->descriptorSetLayout, create.descriptorSetLayout);

  create.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR;
  create.descriptorSetLayout = garbage<VkDescriptorSetLayout>();
  create.pipelineLayout = handle<VkPipelineLayout>(6);
  back = replayed(CommandId::vkCreateDescriptorUpdateTemplate, args).pCreateInfo;
  EXPECT_EQ(back->descriptorSetLayout, VK_NULL_HANDLE);
  EXPECT_EQ(back->pipelineLayout, create.pipelineLayout);
}

TEST_F(IgnoredMembers, SwapchainQueueFamiliesUnlessConcurrent) {
  VkSwapchainCreateInfoKHR create = titled<VkSwapchainCreateInfoKHR>(VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR);
  create.surface = handle<VkSurfaceKHR>(4);
  create.queueFamilyIndexCount = 2;
  create.pQueueFamilyIndices = garbage<std::uint32_t*>();
  VkSwapchainKHR swapchain = handle<VkSwapchainKHR>(5);
  args_vkCreateSwapchainKHR args{handle<VkDevice>(1), &create, nullptr, &swapchain};
  EXPECT_EQ(replayed(CommandId::vkCreateSwapchainKHR, args).pCreateInfo->pQueueFamilyIndices, nullptr);
}

TEST_F(IgnoredMembers, AttachmentsOfImagelessFramebuffers) {
  VkFramebufferCreateInfo create = titled<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO);
  create.flags = VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT;
  create.renderPass = handle<VkRenderPass>(8);
  create.attachmentCount = 3;
  create.pAttachments = garbage<VkImageView*>();
  VkFramebuffer framebuffer = handle<VkFramebuffer>(9);
  args_vkCreateFramebuffer args{handle<VkDevice>(1), &create, nullptr, &framebuffer};
  const auto& back = replayed(CommandId::vkCreateFramebuffer, args);
  EXPECT_EQ(back.pCreateInfo->pAttachments, nullptr);
  EXPECT_EQ(back.pCreateInfo->attachmentCount, 3u);
}

TEST_F(IgnoredMembers, ImmutableSamplersOfOtherTypes) {
  VkSampler samplers[1] = {handle<VkSampler>(4)};
  VkDescriptorSetLayoutBinding bindings[2] = {
      {0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 8, VK_SHADER_STAGE_ALL, garbage<VkSampler*>()},
      {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_ALL, samplers}};
  VkDescriptorSetLayoutCreateInfo create{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 2, bindings};
  VkDescriptorSetLayout layout = handle<VkDescriptorSetLayout>(6);
  args_vkCreateDescriptorSetLayout args{handle<VkDevice>(1), &create, nullptr, &layout};
  const auto* back = replayed(CommandId::vkCreateDescriptorSetLayout, args).pCreateInfo->pBindings;
  EXPECT_EQ(back[0].pImmutableSamplers, nullptr);
  EXPECT_EQ(back[1].pImmutableSamplers[0], samplers[0]);
}

TEST_F(IgnoredMembers, InheritanceOfPrimaries) {
  VkCommandBufferBeginInfo begin = titled<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  begin.pInheritanceInfo = garbage<VkCommandBufferInheritanceInfo*>();
  args_vkBeginCommandBuffer args{handle<VkCommandBuffer>(8), &begin};
  EXPECT_EQ(replayed(CommandId::vkBeginCommandBuffer, args).pBeginInfo->pInheritanceInfo, nullptr);
}

TEST_F(IgnoredMembers, RenderPassOfSecondariesOutsideOne) {
  context_.secondary = true;
  VkCommandBufferInheritanceInfo inheritance =
      titled<VkCommandBufferInheritanceInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO);
  inheritance.renderPass = garbage<VkRenderPass>();
  inheritance.framebuffer = garbage<VkFramebuffer>();
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, &inheritance};
  args_vkBeginCommandBuffer args{handle<VkCommandBuffer>(8), &begin};
  const auto* back = replayed(CommandId::vkBeginCommandBuffer, args).pBeginInfo->pInheritanceInfo;
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(back->renderPass, VK_NULL_HANDLE);
  EXPECT_EQ(back->framebuffer, VK_NULL_HANDLE);

  begin.flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
  inheritance.renderPass = handle<VkRenderPass>(21);
  back = replayed(CommandId::vkBeginCommandBuffer, args).pBeginInfo->pInheritanceInfo;
  EXPECT_EQ(back->renderPass, handle<VkRenderPass>(21));
}

TEST_F(IgnoredMembers, FormatsOfSecondariesOutsideRendering) {
  context_.secondary = true;
  const VkFormat color = VK_FORMAT_R8G8B8A8_UNORM;
  VkCommandBufferInheritanceRenderingInfo rendering =
      titled<VkCommandBufferInheritanceRenderingInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO);
  rendering.colorAttachmentCount = 1;
  VkCommandBufferInheritanceInfo inheritance =
      titled<VkCommandBufferInheritanceInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO);
  inheritance.pNext = &rendering;
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, &inheritance};
  args_vkBeginCommandBuffer args{handle<VkCommandBuffer>(8), &begin};
  const auto formats = [&] {
    const auto* back = replayed(CommandId::vkBeginCommandBuffer, args).pBeginInfo->pInheritanceInfo;
    return static_cast<const VkCommandBufferInheritanceRenderingInfo*>(back->pNext)->pColorAttachmentFormats;
  };
  rendering.pColorAttachmentFormats = garbage<VkFormat*>();
  EXPECT_EQ(formats(), nullptr) << "it continues nothing";
  begin.flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
  inheritance.renderPass = handle<VkRenderPass>(21);
  EXPECT_EQ(formats(), nullptr) << "it continues a render pass";
  inheritance.renderPass = VK_NULL_HANDLE;
  rendering.pColorAttachmentFormats = &color;
  ASSERT_NE(formats(), nullptr);
  EXPECT_EQ(*formats(), color);
}

TEST_F(IgnoredMembers, ResolveViewWithoutResolve) {
  VkRenderingAttachmentInfo color = titled<VkRenderingAttachmentInfo>(VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO);
  color.imageView = handle<VkImageView>(3);
  color.resolveImageView = garbage<VkImageView>();
  VkRenderingInfo rendering = titled<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachments = &color;
  args_vkCmdBeginRendering args{handle<VkCommandBuffer>(8), &rendering};
  const auto& back = replayed(CommandId::vkCmdBeginRendering, args).pRenderingInfo->pColorAttachments[0];
  EXPECT_EQ(back.resolveImageView, VK_NULL_HANDLE);
  EXPECT_EQ(back.imageView, color.imageView);

  color.imageView = VK_NULL_HANDLE;
  color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  EXPECT_EQ(replayed(CommandId::vkCmdBeginRendering, args).pRenderingInfo->pColorAttachments[0].resolveImageView,
            VK_NULL_HANDLE)
      << "there is nothing to resolve";
}

TEST_F(IgnoredMembers, CallbacksAndUserData) {
  VkDebugUtilsMessengerCreateInfoEXT create =
      titled<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  create.pfnUserCallback = garbage<PFN_vkDebugUtilsMessengerCallbackEXT>();
  create.pUserData = garbage<void*>();
  VkDebugUtilsMessengerEXT messenger = handle<VkDebugUtilsMessengerEXT>(2);
  args_vkCreateDebugUtilsMessengerEXT args{handle<VkInstance>(1), &create, garbage<VkAllocationCallbacks*>(),
                                           &messenger};
  const auto& back = replayed(CommandId::vkCreateDebugUtilsMessengerEXT, args);
  EXPECT_EQ(back.pCreateInfo->pfnUserCallback, nullptr);
  EXPECT_EQ(back.pCreateInfo->pUserData, nullptr);
  EXPECT_EQ(back.pAllocator, nullptr);
}

TEST_F(IgnoredMembers, LoaderLinksOfInstanceCreation) {
  VkBaseInStructure link{VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, nullptr};
  VkInstanceCreateInfo create = titled<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &link);
  VkInstance instance = handle<VkInstance>(1);
  args_vkCreateInstance args{&create, nullptr, &instance};
  EXPECT_EQ(replayed(CommandId::vkCreateInstance, args).pCreateInfo->pNext, nullptr);
}

TEST_F(IgnoredMembers, SettingsOfLayersInInstanceCreation) {
  VkBaseInStructure settings{static_cast<VkStructureType>(1000496000), nullptr};
  VkInstanceCreateInfo create = titled<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &settings);
  VkInstance instance = handle<VkInstance>(1);
  args_vkCreateInstance args{&create, nullptr, &instance};
  EXPECT_EQ(replayed(CommandId::vkCreateInstance, args).pCreateInfo->pNext, nullptr);
}

TEST_F(IgnoredMembers, ElementsBehindWhatADriverHasWritten) {
  VkPhysicalDeviceMemoryProperties properties;
  std::memset(&properties, 0xa5, sizeof properties);
  properties.memoryTypeCount = 1;
  properties.memoryTypes[0] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 1};
  properties.memoryHeapCount = 2;
  properties.memoryHeaps[0] = {4096, 0};
  properties.memoryHeaps[1] = {8192, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  args_vkGetPhysicalDeviceMemoryProperties args{handle<VkPhysicalDevice>(1), &properties};
  const auto& told = *replayed(CommandId::vkGetPhysicalDeviceMemoryProperties, args).pMemoryProperties;
  EXPECT_EQ(told.memoryTypes[0].heapIndex, 1u);
  EXPECT_EQ(told.memoryHeaps[1].size, 8192u);
  for (std::uint32_t i = 1; i < VK_MAX_MEMORY_TYPES; ++i)
    EXPECT_EQ(told.memoryTypes[i].propertyFlags | told.memoryTypes[i].heapIndex, 0u);
  for (std::uint32_t i = 2; i < VK_MAX_MEMORY_HEAPS; ++i)
    EXPECT_EQ(told.memoryHeaps[i].size | told.memoryHeaps[i].flags, 0u);
}

TEST_F(IgnoredMembers, OutputsOfFailedCalls) {
  VkBufferCreateInfo create = titled<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  args_vkCreateBuffer args{handle<VkDevice>(1), &create, nullptr, garbage<VkBuffer*>()};
  codec::Buffer buffer;
  ASSERT_EQ(codec::encode(buffer, context_, CommandId::vkCreateBuffer, &args, false).error, "");
  ASSERT_TRUE(codec::decode(lowered_, own_ids(), CommandId::vkCreateBuffer, buffer.bytes()).has_value());
  EXPECT_EQ(static_cast<const args_vkCreateBuffer*>(relocate(lowered_, {}))->pBuffer, nullptr);
}

TEST_F(IgnoredMembers, PresentResultsBeforeThePresent) {
  VkSwapchainKHR swapchain = handle<VkSwapchainKHR>(3);
  const std::uint32_t index = 2;
  VkPresentInfoKHR present{
      VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, nullptr, 0, nullptr, 1, &swapchain, &index, garbage<VkResult*>()};
  args_vkQueuePresentKHR args{handle<VkQueue>(4), &present};
  const auto& back = replayed(CommandId::vkQueuePresentKHR, args);
  EXPECT_EQ(back.pPresentInfo->pResults, nullptr);
  EXPECT_EQ(back.pPresentInfo->pImageIndices[0], 2u);
}

// -- graphics pipelines ---------------------------------------------------------

}  // namespace
}  // namespace rondo::test
