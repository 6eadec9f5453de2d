// SPDX-License-Identifier: Apache-2.0
// Calls of the first form as calls of the second: what is said stays the same, and handles know where they come from.
#include <gtest/gtest.h>

#include <string>

#include "format/codec/schema.h"
#include "generated/args.h"
#include "model/second_form.h"
#include "tests/unit/handles.h"

namespace rondo::model {
namespace {

using test::handle;

class SecondFormTest : public ::testing::Test {
 protected:
  template <class To, class From>
  const To& second(CommandId first, const From& args) {
    EXPECT_TRUE(form_.take(first, &args));
    return *static_cast<const To*>(form_.args());
  }
  template <class Handle>
  void comes_from(const Handle& member, const Handle& source) {
    EXPECT_EQ(member, source);
    EXPECT_EQ(form_.source_of(&member), &source);
  }

  const VkCommandBuffer commands_ = handle<VkCommandBuffer>(0x10);
  SecondForm form_;
};

TEST_F(SecondFormTest, OfMostCommandsThereIsNone) {
  for (const codec::CommandInfo& command : codec::commands().subspan(1)) {
    const CommandId second = second_form_of(command.id);
    if (second == command.id) continue;
    const codec::CommandInfo& other = codec::info(second);
    EXPECT_EQ(command.canonical, command.id) << command.name;
    EXPECT_EQ(other.canonical, second) << other.name;
    EXPECT_EQ(second_form_of(second), second) << other.name;
    EXPECT_EQ(command.dispatch, other.dispatch);
    const std::string name = other.name;
    EXPECT_TRUE(name == std::string(command.name) + "2" || name == std::string(command.name) + "IndexedEXT") << name;
  }
  const args_vkCmdDraw draw{commands_, 3, 1, 0, 0};
  EXPECT_FALSE(form_.take(CommandId::vkCmdDraw, &draw));
  EXPECT_EQ(form_.args(), nullptr);
  EXPECT_EQ(form_.source_of(&draw), &draw);
}

TEST_F(SecondFormTest, OfCopiesOfBuffers) {
  const VkBufferCopy regions[] = {{1, 2, 3}, {4, 5, 6}};
  const args_vkCmdCopyBuffer args{commands_, handle<VkBuffer>(1), handle<VkBuffer>(2), 2, regions};
  const auto& to = second<args_vkCmdCopyBuffer2>(CommandId::vkCmdCopyBuffer, args);
  comes_from(to.commandBuffer, args.commandBuffer);
  const VkCopyBufferInfo2& info = *to.pCopyBufferInfo;
  EXPECT_EQ(info.sType, VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2);
  comes_from(info.srcBuffer, args.srcBuffer);
  comes_from(info.dstBuffer, args.dstBuffer);
  ASSERT_EQ(info.regionCount, 2u);
  EXPECT_EQ(info.pRegions[1].srcOffset, 4u);
  EXPECT_EQ(info.pRegions[1].dstOffset, 5u);
  EXPECT_EQ(info.pRegions[1].size, 6u);
  // What was made before is gone, and its places mean nothing.
  const args_vkCmdCopyBuffer none{commands_, handle<VkBuffer>(3), handle<VkBuffer>(4), 0, nullptr};
  const auto& again = second<args_vkCmdCopyBuffer2>(CommandId::vkCmdCopyBuffer, none);
  EXPECT_EQ(again.pCopyBufferInfo->regionCount, 0u);
  comes_from(again.pCopyBufferInfo->srcBuffer, none.srcBuffer);
}

TEST_F(SecondFormTest, OfTransfersOfImages) {
  const VkImageSubresourceLayers from{VK_IMAGE_ASPECT_COLOR_BIT, 1, 2, 3}, into{VK_IMAGE_ASPECT_DEPTH_BIT, 4, 5, 6};
  const VkImageCopy copies[] = {{from, {1, 2, 3}, into, {4, 5, 6}, {7, 8, 9}}};
  const VkImageResolve resolves[] = {{from, {1, 2, 3}, into, {4, 5, 6}, {7, 8, 9}}};
  const VkImageBlit blits[] = {{from, {{1, 2, 3}, {4, 5, 6}}, into, {{7, 8, 9}, {10, 11, 12}}}};
  const VkBufferImageCopy texels[] = {{10, 20, 30, from, {1, 2, 3}, {4, 5, 6}}};
  const VkImageLayout before = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, after = VK_IMAGE_LAYOUT_GENERAL;
  const VkImage source = handle<VkImage>(1), target = handle<VkImage>(2);

  const args_vkCmdCopyImage copy{commands_, source, before, target, after, 1, copies};
  const VkCopyImageInfo2& copied = *second<args_vkCmdCopyImage2>(CommandId::vkCmdCopyImage, copy).pCopyImageInfo;
  comes_from(copied.srcImage, copy.srcImage);
  comes_from(copied.dstImage, copy.dstImage);
  EXPECT_EQ(copied.srcImageLayout, before);
  EXPECT_EQ(copied.dstImageLayout, after);
  ASSERT_EQ(copied.regionCount, 1u);
  EXPECT_EQ(copied.pRegions[0].sType, VK_STRUCTURE_TYPE_IMAGE_COPY_2);
  EXPECT_EQ(copied.pRegions[0].srcSubresource.baseArrayLayer, 2u);
  EXPECT_EQ(copied.pRegions[0].dstSubresource.mipLevel, 4u);
  EXPECT_EQ(copied.pRegions[0].dstOffset.z, 6);
  EXPECT_EQ(copied.pRegions[0].extent.height, 8u);

  const args_vkCmdResolveImage resolve{commands_, source, before, target, after, 1, resolves};
  const auto& resolved = *second<args_vkCmdResolveImage2>(CommandId::vkCmdResolveImage, resolve).pResolveImageInfo;
  EXPECT_EQ(resolved.sType, VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2);
  EXPECT_EQ(resolved.pRegions[0].sType, VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2);
  EXPECT_EQ(resolved.pRegions[0].extent.width, 7u);

  const args_vkCmdBlitImage blit{commands_, source, before, target, after, 1, blits, VK_FILTER_LINEAR};
  const VkBlitImageInfo2& blitted = *second<args_vkCmdBlitImage2>(CommandId::vkCmdBlitImage, blit).pBlitImageInfo;
  EXPECT_EQ(blitted.filter, VK_FILTER_LINEAR);
  EXPECT_EQ(blitted.pRegions[0].srcOffsets[1].y, 5);
  EXPECT_EQ(blitted.pRegions[0].dstOffsets[0].x, 7);
  EXPECT_EQ(blitted.pRegions[0].dstOffsets[1].z, 12);

  const args_vkCmdCopyBufferToImage in{commands_, handle<VkBuffer>(3), target, after, 1, texels};
  const auto& put = *second<args_vkCmdCopyBufferToImage2>(CommandId::vkCmdCopyBufferToImage, in).pCopyBufferToImageInfo;
  comes_from(put.srcBuffer, in.srcBuffer);
  comes_from(put.dstImage, in.dstImage);
  EXPECT_EQ(put.dstImageLayout, after);
  EXPECT_EQ(put.pRegions[0].bufferImageHeight, 30u);
  EXPECT_EQ(put.pRegions[0].imageExtent.depth, 6u);

  const args_vkCmdCopyImageToBuffer out{commands_, source, before, handle<VkBuffer>(3), 1, texels};
  const auto& got =
      *second<args_vkCmdCopyImageToBuffer2>(CommandId::vkCmdCopyImageToBuffer, out).pCopyImageToBufferInfo;
  comes_from(got.srcImage, out.srcImage);
  comes_from(got.dstBuffer, out.dstBuffer);
  EXPECT_EQ(got.srcImageLayout, before);
  EXPECT_EQ(got.pRegions[0].bufferOffset, 10u);
}

TEST_F(SecondFormTest, OfRenderPasses) {
  const VkAttachmentDescription attachments[] = {{1, VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_4_BIT,
                                                  VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
                                                  VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                                  VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL}};
  const VkAttachmentReference color{0, VK_IMAGE_LAYOUT_GENERAL}, input{0, VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL},
      depth{VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED};
  VkSubpassDescription subpasses[2]{};
  subpasses[0].colorAttachmentCount = 1;
  subpasses[0].pColorAttachments = &color;
  subpasses[0].pDepthStencilAttachment = &depth;
  subpasses[1].inputAttachmentCount = 1;
  subpasses[1].pInputAttachments = &input;
  const VkSubpassDependency dependency{0, 1, 2, 4, 8, 16, VK_DEPENDENCY_BY_REGION_BIT};
  const std::uint32_t masks[] = {3, 5};
  const std::int32_t offset = -1;
  VkRenderPassMultiviewCreateInfo views{};
  views.sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO;
  views.subpassCount = 2;
  views.pViewMasks = masks;
  views.dependencyCount = 1;
  views.pViewOffsets = &offset;
  const VkInputAttachmentAspectReference aspect{1, 0, VK_IMAGE_ASPECT_COLOR_BIT};
  VkRenderPassInputAttachmentAspectCreateInfo aspects{};
  aspects.sType = VK_STRUCTURE_TYPE_RENDER_PASS_INPUT_ATTACHMENT_ASPECT_CREATE_INFO;
  aspects.pNext = &views;
  aspects.aspectReferenceCount = 1;
  aspects.pAspectReferences = &aspect;
  VkRenderPassCreateInfo info{};
  info.pNext = &aspects;
  info.attachmentCount = 1;
  info.pAttachments = attachments;
  info.subpassCount = 2;
  info.pSubpasses = subpasses;
  info.dependencyCount = 1;
  info.pDependencies = &dependency;
  VkRenderPass made = handle<VkRenderPass>(7);
  const args_vkCreateRenderPass args{handle<VkDevice>(1), &info, nullptr, &made};
  const auto& to = second<args_vkCreateRenderPass2>(CommandId::vkCreateRenderPass, args);
  comes_from(to.device, args.device);
  EXPECT_EQ(to.pRenderPass, &made);  // the same array: the handle that is made keeps its place
  const VkRenderPassCreateInfo2& pass = *to.pCreateInfo;
  EXPECT_EQ(pass.pAttachments[0].samples, VK_SAMPLE_COUNT_4_BIT);
  EXPECT_EQ(pass.pAttachments[0].stencilLoadOp, VK_ATTACHMENT_LOAD_OP_LOAD);
  EXPECT_EQ(pass.pAttachments[0].finalLayout, VK_IMAGE_LAYOUT_GENERAL);
  EXPECT_EQ(pass.pSubpasses[0].viewMask, 3u);
  EXPECT_EQ(pass.pSubpasses[1].viewMask, 5u);
  EXPECT_EQ(pass.pSubpasses[0].pColorAttachments[0].layout, VK_IMAGE_LAYOUT_GENERAL);
  EXPECT_EQ(pass.pSubpasses[0].pResolveAttachments, nullptr);
  EXPECT_EQ(pass.pSubpasses[0].pDepthStencilAttachment->attachment, VK_ATTACHMENT_UNUSED);
  EXPECT_EQ(pass.pSubpasses[1].pDepthStencilAttachment, nullptr);
  EXPECT_EQ(pass.pSubpasses[1].pInputAttachments[0].aspectMask, VkImageAspectFlags{VK_IMAGE_ASPECT_COLOR_BIT});
  EXPECT_EQ(pass.pDependencies[0].dstAccessMask, 16u);
  EXPECT_EQ(pass.pDependencies[0].dependencyFlags, VkDependencyFlags{VK_DEPENDENCY_BY_REGION_BIT});
  EXPECT_EQ(pass.pDependencies[0].viewOffset, -1);

  VkRenderPassBeginInfo begin{};
  const args_vkCmdBeginRenderPass begins{commands_, &begin, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS};
  const auto& begun = second<args_vkCmdBeginRenderPass2>(CommandId::vkCmdBeginRenderPass, begins);
  EXPECT_EQ(begun.pRenderPassBegin, &begin);
  EXPECT_EQ(begun.pSubpassBeginInfo->contents, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
  const args_vkCmdNextSubpass next{commands_, VK_SUBPASS_CONTENTS_INLINE};
  EXPECT_EQ(second<args_vkCmdNextSubpass2>(CommandId::vkCmdNextSubpass, next).pSubpassBeginInfo->contents,
            VK_SUBPASS_CONTENTS_INLINE);
  const args_vkCmdEndRenderPass end{commands_};
  EXPECT_NE(second<args_vkCmdEndRenderPass2>(CommandId::vkCmdEndRenderPass, end).pSubpassEndInfo, nullptr);
}

TEST_F(SecondFormTest, OfBarriersHasTheStagesInEach) {
  const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, 1, 2};
  VkBufferMemoryBarrier buffers[2]{};
  buffers[1] = {VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER, nullptr, 4, 8, 0, 1, handle<VkBuffer>(5), 100, 200};
  VkImageMemoryBarrier images[2]{};
  images[1].srcAccessMask = 16;
  images[1].oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  images[1].newLayout = VK_IMAGE_LAYOUT_GENERAL;
  images[1].dstQueueFamilyIndex = 3;
  images[1].image = handle<VkImage>(6);
  images[1].subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 1, 2, 3, 4};
  const args_vkCmdPipelineBarrier args{commands_,
                                       VK_PIPELINE_STAGE_TRANSFER_BIT,
                                       VK_PIPELINE_STAGE_HOST_BIT,
                                       VK_DEPENDENCY_BY_REGION_BIT,
                                       1,
                                       &memory,
                                       2,
                                       buffers,
                                       2,
                                       images};
  const auto& to = second<args_vkCmdPipelineBarrier2>(CommandId::vkCmdPipelineBarrier, args);
  const VkDependencyInfo& info = *to.pDependencyInfo;
  EXPECT_EQ(info.dependencyFlags, VkDependencyFlags{VK_DEPENDENCY_BY_REGION_BIT});
  ASSERT_EQ(info.memoryBarrierCount, 1u);
  EXPECT_EQ(info.pMemoryBarriers[0].srcAccessMask, 1u);
  EXPECT_EQ(info.pMemoryBarriers[0].srcStageMask, VK_PIPELINE_STAGE_2_TRANSFER_BIT);
  EXPECT_EQ(info.pMemoryBarriers[0].dstStageMask, VK_PIPELINE_STAGE_2_HOST_BIT);
  for (std::uint32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(info.pBufferMemoryBarriers[i].srcStageMask, VK_PIPELINE_STAGE_2_TRANSFER_BIT);
    EXPECT_EQ(info.pImageMemoryBarriers[i].dstStageMask, VK_PIPELINE_STAGE_2_HOST_BIT);
    comes_from(info.pBufferMemoryBarriers[i].buffer, buffers[i].buffer);
    comes_from(info.pImageMemoryBarriers[i].image, images[i].image);
  }
  EXPECT_EQ(info.pBufferMemoryBarriers[1].dstAccessMask, 8u);
  EXPECT_EQ(info.pBufferMemoryBarriers[1].size, 200u);
  EXPECT_EQ(info.pImageMemoryBarriers[1].newLayout, VK_IMAGE_LAYOUT_GENERAL);
  EXPECT_EQ(info.pImageMemoryBarriers[1].dstQueueFamilyIndex, 3u);
  EXPECT_EQ(info.pImageMemoryBarriers[1].subresourceRange.layerCount, 4u);

  // Without a barrier of memory the executions are ordered all the same.
  const args_vkCmdPipelineBarrier alone{
      commands_, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 0, nullptr, 0, nullptr, 0, nullptr};
  const auto& order = second<args_vkCmdPipelineBarrier2>(CommandId::vkCmdPipelineBarrier, alone);
  ASSERT_EQ(order.pDependencyInfo->memoryBarrierCount, 1u);
  EXPECT_EQ(order.pDependencyInfo->pMemoryBarriers[0].srcStageMask, VK_PIPELINE_STAGE_2_TRANSFER_BIT);
  EXPECT_EQ(order.pDependencyInfo->pMemoryBarriers[0].dstStageMask, VK_PIPELINE_STAGE_2_HOST_BIT);
  EXPECT_EQ(order.pDependencyInfo->pMemoryBarriers[0].srcAccessMask, 0u);

  const VkEvent events[] = {handle<VkEvent>(1), handle<VkEvent>(2)};
  const args_vkCmdWaitEvents waits{
      commands_, 2, events, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 1, &memory, 2,
      buffers,   2, images};
  const auto& waited = second<args_vkCmdWaitEvents2>(CommandId::vkCmdWaitEvents, waits);
  ASSERT_EQ(waited.eventCount, 2u);
  EXPECT_EQ(waited.pEvents, events);
  EXPECT_EQ(waited.pDependencyInfos[0].imageMemoryBarrierCount, 2u);
  comes_from(waited.pDependencyInfos[0].pImageMemoryBarriers[1].image, images[1].image);
  EXPECT_EQ(waited.pDependencyInfos[1].imageMemoryBarrierCount, 0u);
}

TEST_F(SecondFormTest, OfQueriesAndBindings) {
  const VkQueryPool pool = handle<VkQueryPool>(9);
  const args_vkCmdBeginQuery begin{commands_, pool, 4, VK_QUERY_CONTROL_PRECISE_BIT};
  const auto& begun = second<args_vkCmdBeginQueryIndexedEXT>(CommandId::vkCmdBeginQuery, begin);
  comes_from(begun.queryPool, begin.queryPool);
  EXPECT_EQ(begun.query, 4u);
  EXPECT_EQ(begun.flags, VkQueryControlFlags{VK_QUERY_CONTROL_PRECISE_BIT});
  EXPECT_EQ(begun.index, 0u);
  const args_vkCmdEndQuery end{commands_, pool, 4};
  EXPECT_EQ(second<args_vkCmdEndQueryIndexedEXT>(CommandId::vkCmdEndQuery, end).query, 4u);
  const args_vkCmdWriteTimestamp stamp{commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 5};
  const auto& stamped = second<args_vkCmdWriteTimestamp2>(CommandId::vkCmdWriteTimestamp, stamp);
  EXPECT_EQ(stamped.stage, VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT);
  comes_from(stamped.queryPool, stamp.queryPool);
  const VkBuffer buffers[] = {handle<VkBuffer>(1)};
  const VkDeviceSize offsets[] = {12};
  const args_vkCmdBindVertexBuffers bind{commands_, 2, 1, buffers, offsets};
  const auto& bound = second<args_vkCmdBindVertexBuffers2>(CommandId::vkCmdBindVertexBuffers, bind);
  EXPECT_EQ(bound.firstBinding, 2u);
  EXPECT_EQ(bound.pBuffers, buffers);
  EXPECT_EQ(bound.pOffsets, offsets);
  EXPECT_EQ(bound.pSizes, nullptr);
}

TEST_F(SecondFormTest, OfSubmitsHasTheValuesAndDevicesOfChains) {
  const VkSemaphore waits[] = {handle<VkSemaphore>(1), handle<VkSemaphore>(2)}, signals[] = {handle<VkSemaphore>(3)};
  const VkPipelineStageFlags stages[] = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT};
  const VkCommandBuffer lists[] = {handle<VkCommandBuffer>(4), handle<VkCommandBuffer>(5)};
  const std::uint64_t wait_values[] = {7, 8}, signal_values[] = {9};
  const std::uint32_t devices[] = {1, 0}, masks[] = {3, 2};
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = 2;
  values.pWaitSemaphoreValues = wait_values;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = signal_values;
  VkDeviceGroupSubmitInfo group{};
  group.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO;
  group.pNext = &values;
  group.waitSemaphoreCount = 2;
  group.pWaitSemaphoreDeviceIndices = devices;
  group.commandBufferCount = 2;
  group.pCommandBufferDeviceMasks = masks;
  VkProtectedSubmitInfo guarded{};
  guarded.sType = VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO;
  guarded.pNext = &group;
  guarded.protectedSubmit = VK_TRUE;
  VkSubmitInfo batches[2]{};
  batches[0] = {VK_STRUCTURE_TYPE_SUBMIT_INFO, &guarded, 2, waits, stages, 2, lists, 1, signals};
  batches[1].waitSemaphoreCount = 1;
  batches[1].pWaitSemaphores = waits;
  batches[1].pWaitDstStageMask = stages;
  const args_vkQueueSubmit args{handle<VkQueue>(8), 2, batches, handle<VkFence>(9)};
  const auto& to = second<args_vkQueueSubmit2>(CommandId::vkQueueSubmit, args);
  comes_from(to.queue, args.queue);
  comes_from(to.fence, args.fence);
  ASSERT_EQ(to.submitCount, 2u);
  const VkSubmitInfo2& first = to.pSubmits[0];
  EXPECT_EQ(first.flags, VkSubmitFlags{VK_SUBMIT_PROTECTED_BIT});
  ASSERT_EQ(first.waitSemaphoreInfoCount, 2u);
  for (std::uint32_t i = 0; i < 2; ++i) {
    comes_from(first.pWaitSemaphoreInfos[i].semaphore, waits[i]);
    EXPECT_EQ(first.pWaitSemaphoreInfos[i].value, wait_values[i]);
    EXPECT_EQ(first.pWaitSemaphoreInfos[i].stageMask, stages[i]);
    EXPECT_EQ(first.pWaitSemaphoreInfos[i].deviceIndex, devices[i]);
    comes_from(first.pCommandBufferInfos[i].commandBuffer, lists[i]);
    EXPECT_EQ(first.pCommandBufferInfos[i].deviceMask, masks[i]);
  }
  comes_from(first.pSignalSemaphoreInfos[0].semaphore, signals[0]);
  EXPECT_EQ(first.pSignalSemaphoreInfos[0].value, 9u);
  EXPECT_EQ(first.pSignalSemaphoreInfos[0].stageMask, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
  const VkSubmitInfo2& other = to.pSubmits[1];
  EXPECT_EQ(other.flags, 0u);
  EXPECT_EQ(other.pWaitSemaphoreInfos[0].value, 0u);
  EXPECT_EQ(other.commandBufferInfoCount, 0u);
}

// More than the memory that a form begins with.
TEST_F(SecondFormTest, OfVeryManyRegions) {
  const std::vector<VkBufferCopy> regions(100'000, VkBufferCopy{1, 2, 3});
  const args_vkCmdCopyBuffer args{commands_, handle<VkBuffer>(1), handle<VkBuffer>(2), 100'000, regions.data()};
  for (int i = 0; i < 2; ++i) {
    const auto& to = second<args_vkCmdCopyBuffer2>(CommandId::vkCmdCopyBuffer, args);
    EXPECT_EQ(to.pCopyBufferInfo->pRegions[99'999].size, 3u);
  }
}

// A submit may have as many batches as a file has room for: each handle is found without looking at all of them.
TEST_F(SecondFormTest, OfVeryManyBatches) {
  constexpr std::uint32_t kBatches = 200'000;
  const VkCommandBuffer list = handle<VkCommandBuffer>(4);
  std::vector<VkSubmitInfo> batches(kBatches, VkSubmitInfo{});
  for (VkSubmitInfo& one : batches) {
    one.commandBufferCount = 1;
    one.pCommandBuffers = &list;
  }
  const args_vkQueueSubmit args{handle<VkQueue>(8), kBatches, batches.data(), VK_NULL_HANDLE};
  const auto& to = second<args_vkQueueSubmit2>(CommandId::vkQueueSubmit, args);
  for (std::uint32_t i = 0; i < kBatches; ++i)
    ASSERT_EQ(form_.source_of(&to.pSubmits[i].pCommandBufferInfos[0].commandBuffer), &list);
}

}  // namespace
}  // namespace rondo::model
