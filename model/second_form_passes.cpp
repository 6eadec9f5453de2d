// SPDX-License-Identifier: Apache-2.0
// Render passes (specification, "Render Pass") and barriers ("Synchronization and Cache Control").
#include "format/native_view.h"
#include "model/second_form_maker.h"

namespace rondo::model {

namespace {

// --- Render passes ---

// Without a chained structure the first form reads all aspects that the attachment's format has: 0 here.
VkAttachmentReference2 reference(const VkAttachmentReference& from, VkImageAspectFlags aspects = 0) {
  return {VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, nullptr, from.attachment, from.layout, aspects};
}

const VkAttachmentReference2* references(Maker& m, std::uint32_t count, const VkAttachmentReference* from) {
  if (from == nullptr) return nullptr;
  auto* const made = m.make<VkAttachmentReference2>(count);
  for (std::uint32_t i = 0; i < count; ++i) made[i] = reference(from[i]);
  return made;
}

VkSubpassDescription2 subpass_of(Maker& m, const VkSubpassDescription& from) {
  VkSubpassDescription2 to{};
  to.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2;
  to.flags = from.flags;
  to.pipelineBindPoint = from.pipelineBindPoint;
  to.inputAttachmentCount = from.inputAttachmentCount;
  to.pInputAttachments = references(m, from.inputAttachmentCount, from.pInputAttachments);
  to.colorAttachmentCount = from.colorAttachmentCount;
  to.pColorAttachments = references(m, from.colorAttachmentCount, from.pColorAttachments);
  to.pResolveAttachments = references(m, from.colorAttachmentCount, from.pResolveAttachments);
  to.pDepthStencilAttachment = references(m, 1, from.pDepthStencilAttachment);
  to.preserveAttachmentCount = from.preserveAttachmentCount;
  to.pPreserveAttachments = from.pPreserveAttachments;
  return to;
}

void take_multiview(const VkRenderPassMultiviewCreateInfo& views, std::span<VkSubpassDescription2> subpasses,
                    std::span<VkSubpassDependency2> dependencies, VkRenderPassCreateInfo2& info) {
  for (std::uint32_t i = 0; i < views.subpassCount && i < subpasses.size(); ++i)
    subpasses[i].viewMask = views.pViewMasks[i];
  for (std::uint32_t i = 0; i < views.dependencyCount && i < dependencies.size(); ++i)
    dependencies[i].viewOffset = views.pViewOffsets[i];
  info.correlatedViewMaskCount = views.correlationMaskCount;
  info.pCorrelatedViewMasks = views.pCorrelationMasks;
}

// "Which aspects a shader reads of an input attachment": VkRenderPassInputAttachmentAspectCreateInfo.
void take_aspects(const VkRenderPassInputAttachmentAspectCreateInfo& aspects,
                  std::span<const VkSubpassDescription2> subpasses) {
  for (const VkInputAttachmentAspectReference& one : std::span(aspects.pAspectReferences, aspects.aspectReferenceCount))
    if (one.subpass < subpasses.size() && one.inputAttachmentIndex < subpasses[one.subpass].inputAttachmentCount)
      const_cast<VkAttachmentReference2&>(subpasses[one.subpass].pInputAttachments[one.inputAttachmentIndex])
          .aspectMask = one.aspectMask;
}

const void* create_pass(Maker& m, const args_vkCreateRenderPass& a) {
  const VkRenderPassCreateInfo& from = *a.pCreateInfo;
  auto* const attachments = m.make<VkAttachmentDescription2>(from.attachmentCount);
  for (std::uint32_t i = 0; i < from.attachmentCount; ++i) {
    const VkAttachmentDescription& one = from.pAttachments[i];
    attachments[i] = {VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
                      nullptr,
                      one.flags,
                      one.format,
                      one.samples,
                      one.loadOp,
                      one.storeOp,
                      one.stencilLoadOp,
                      one.stencilStoreOp,
                      one.initialLayout,
                      one.finalLayout};
  }
  auto* const subpasses = m.make<VkSubpassDescription2>(from.subpassCount);
  for (std::uint32_t i = 0; i < from.subpassCount; ++i) subpasses[i] = subpass_of(m, from.pSubpasses[i]);
  auto* const dependencies = m.make<VkSubpassDependency2>(from.dependencyCount);
  for (std::uint32_t i = 0; i < from.dependencyCount; ++i) {
    const VkSubpassDependency& one = from.pDependencies[i];
    dependencies[i] = {VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2,
                       nullptr,
                       one.srcSubpass,
                       one.dstSubpass,
                       one.srcStageMask,
                       one.dstStageMask,
                       one.srcAccessMask,
                       one.dstAccessMask,
                       one.dependencyFlags,
                       0};
  }
  auto* const info = m.make<VkRenderPassCreateInfo2>();
  info->sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2;
  info->pNext = from.pNext;
  info->flags = from.flags;
  info->attachmentCount = from.attachmentCount;
  info->pAttachments = attachments;
  info->subpassCount = from.subpassCount;
  info->pSubpasses = subpasses;
  info->dependencyCount = from.dependencyCount;
  info->pDependencies = dependencies;
  if (const auto* views = find_chained<VkRenderPassMultiviewCreateInfo>(
          from.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO))
    take_multiview(*views, {subpasses, from.subpassCount}, {dependencies, from.dependencyCount}, *info);
  if (const auto* aspects = find_chained<VkRenderPassInputAttachmentAspectCreateInfo>(
          from.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_INPUT_ATTACHMENT_ASPECT_CREATE_INFO))
    take_aspects(*aspects, {subpasses, from.subpassCount});
  auto* const args = m.make<args_vkCreateRenderPass2>();
  m.link(args->device, a.device);
  args->pCreateInfo = info;
  args->pAllocator = a.pAllocator;
  args->pRenderPass = a.pRenderPass;
  return args;
}

const VkSubpassBeginInfo* subpass_begin(Maker& m, VkSubpassContents contents) {
  auto* const made = m.make<VkSubpassBeginInfo>();
  *made = {VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO, nullptr, contents};
  return made;
}

const VkSubpassEndInfo* subpass_end(Maker& m) {
  auto* const made = m.make<VkSubpassEndInfo>();
  *made = {VK_STRUCTURE_TYPE_SUBPASS_END_INFO, nullptr};
  return made;
}

const void* begin_pass(Maker& m, const args_vkCmdBeginRenderPass& a) {
  auto* const args = m.make<args_vkCmdBeginRenderPass2>();
  m.link(args->commandBuffer, a.commandBuffer);
  args->pRenderPassBegin = a.pRenderPassBegin;
  args->pSubpassBeginInfo = subpass_begin(m, a.contents);
  return args;
}

const void* next_subpass(Maker& m, const args_vkCmdNextSubpass& a) {
  auto* const args = m.make<args_vkCmdNextSubpass2>();
  m.link(args->commandBuffer, a.commandBuffer);
  args->pSubpassBeginInfo = subpass_begin(m, a.contents);
  args->pSubpassEndInfo = subpass_end(m);
  return args;
}

const void* end_pass(Maker& m, const args_vkCmdEndRenderPass& a) {
  auto* const args = m.make<args_vkCmdEndRenderPass2>();
  m.link(args->commandBuffer, a.commandBuffer);
  args->pSubpassEndInfo = subpass_end(m);
  return args;
}

// --- Barriers ---

// The stages of a command of the first form hold for each of its barriers, and for the executions of all commands.
// Where no barrier is of all memory, one without accesses says that.
template <class Args>
VkDependencyInfo dependency_of(Maker& m, const Args& a) {
  const VkPipelineStageFlags2 from = a.srcStageMask, to = a.dstStageMask;
  VkDependencyInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  if constexpr (requires { a.dependencyFlags; }) info.dependencyFlags = a.dependencyFlags;
  const bool is_alone = a.memoryBarrierCount == 0;
  info.memoryBarrierCount = is_alone ? 1 : a.memoryBarrierCount;
  auto* const all = m.make<VkMemoryBarrier2>(info.memoryBarrierCount);
  for (std::uint32_t i = 0; i < info.memoryBarrierCount; ++i)
    all[i] = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
              nullptr,
              from,
              is_alone ? 0 : a.pMemoryBarriers[i].srcAccessMask,
              to,
              is_alone ? 0 : a.pMemoryBarriers[i].dstAccessMask};
  info.pMemoryBarriers = all;
  auto* const buffers = m.make<VkBufferMemoryBarrier2>(a.bufferMemoryBarrierCount);
  for (std::uint32_t i = 0; i < a.bufferMemoryBarrierCount; ++i) {
    const VkBufferMemoryBarrier& b = a.pBufferMemoryBarriers[i];
    buffers[i] = {VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
                  b.pNext,
                  from,
                  b.srcAccessMask,
                  to,
                  b.dstAccessMask,
                  b.srcQueueFamilyIndex,
                  b.dstQueueFamilyIndex,
                  b.buffer,
                  b.offset,
                  b.size};
  }
  m.link_each(buffers, &VkBufferMemoryBarrier2::buffer, a.pBufferMemoryBarriers, &VkBufferMemoryBarrier::buffer,
              a.bufferMemoryBarrierCount);
  info.bufferMemoryBarrierCount = a.bufferMemoryBarrierCount;
  info.pBufferMemoryBarriers = buffers;
  auto* const images = m.make<VkImageMemoryBarrier2>(a.imageMemoryBarrierCount);
  for (std::uint32_t i = 0; i < a.imageMemoryBarrierCount; ++i) {
    const VkImageMemoryBarrier& b = a.pImageMemoryBarriers[i];
    images[i] = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                 b.pNext,
                 from,
                 b.srcAccessMask,
                 to,
                 b.dstAccessMask,
                 b.oldLayout,
                 b.newLayout,
                 b.srcQueueFamilyIndex,
                 b.dstQueueFamilyIndex,
                 b.image,
                 b.subresourceRange};
  }
  m.link_each(images, &VkImageMemoryBarrier2::image, a.pImageMemoryBarriers, &VkImageMemoryBarrier::image,
              a.imageMemoryBarrierCount);
  m.link_each(images, &VkImageMemoryBarrier2::oldLayout, a.pImageMemoryBarriers, &VkImageMemoryBarrier::oldLayout,
              a.imageMemoryBarrierCount);
  info.imageMemoryBarrierCount = a.imageMemoryBarrierCount;
  info.pImageMemoryBarriers = images;
  return info;
}

const void* barrier(Maker& m, const args_vkCmdPipelineBarrier& a) {
  auto* const args = m.make<args_vkCmdPipelineBarrier2>();
  m.link(args->commandBuffer, a.commandBuffer);
  auto* const info = m.make<VkDependencyInfo>();
  *info = dependency_of(m, a);
  args->pDependencyInfo = info;
  return args;
}

// The first form waits for all events at once: what it orders is said with the first of them. The others order nothing
// by themselves.
const void* wait_events(Maker& m, const args_vkCmdWaitEvents& a) {
  auto* const args = m.make<args_vkCmdWaitEvents2>();
  m.link(args->commandBuffer, a.commandBuffer);
  auto* const infos = m.make<VkDependencyInfo>(a.eventCount);
  for (std::uint32_t i = 0; i < a.eventCount; ++i) infos[i].sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  if (a.eventCount != 0) infos[0] = dependency_of(m, a);
  args->eventCount = a.eventCount;
  args->pEvents = a.pEvents;
  args->pDependencyInfos = infos;
  return args;
}

constexpr Pair kPassPairs[] = {
    pair<args_vkCreateRenderPass, create_pass>(CommandId::vkCreateRenderPass, CommandId::vkCreateRenderPass2),
    pair<args_vkCmdBeginRenderPass, begin_pass>(CommandId::vkCmdBeginRenderPass, CommandId::vkCmdBeginRenderPass2),
    pair<args_vkCmdNextSubpass, next_subpass>(CommandId::vkCmdNextSubpass, CommandId::vkCmdNextSubpass2),
    pair<args_vkCmdEndRenderPass, end_pass>(CommandId::vkCmdEndRenderPass, CommandId::vkCmdEndRenderPass2),
    pair<args_vkCmdPipelineBarrier, barrier>(CommandId::vkCmdPipelineBarrier, CommandId::vkCmdPipelineBarrier2),
    pair<args_vkCmdWaitEvents, wait_events>(CommandId::vkCmdWaitEvents, CommandId::vkCmdWaitEvents2),
};

}  // namespace

std::span<const Pair> pairs_of_passes() { return kPassPairs; }

}  // namespace rondo::model
