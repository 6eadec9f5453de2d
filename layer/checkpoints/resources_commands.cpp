// SPDX-License-Identifier: Apache-2.0
// What commands do to resources, as far as it can be told from the commands.
#include <algorithm>

#include "format/codec/schema.h"
#include "generated/args.h"
#include "layer/checkpoints/resources.h"
#include "layer/recorder/chain.h"
#include "layer/recorder/guard.h"
#include "model/gpu/texels.h"

namespace rondo::layer {

template <class Barrier>
void Resources::image_barriers(Effects& effects, std::uint32_t count, const Barrier* barriers) {
  for (const Barrier& b : std::span(barriers, count))
    effects.push_back(
        {b.image, VK_NULL_HANDLE, b.subresourceRange,
         b.oldLayout == b.newLayout ? VK_IMAGE_LAYOUT_UNDEFINED : b.newLayout,
         b.oldLayout == VK_IMAGE_LAYOUT_UNDEFINED && b.newLayout != b.oldLayout ? Change::forget : Change::none,
         b.srcQueueFamilyIndex, b.dstQueueFamilyIndex});
}

template <class Barrier>
void Resources::buffer_barriers(Effects& effects, std::uint32_t count, const Barrier* barriers) {
  for (const Barrier& b : std::span(barriers, count))
    effects.push_back({VK_NULL_HANDLE, b.buffer, {}, {}, Change::none, b.srcQueueFamilyIndex, b.dstQueueFamilyIndex});
}

void Resources::dependencies(Effects& effects, std::uint32_t count, const VkDependencyInfo* infos) {
  for (const VkDependencyInfo& info : std::span(infos, count)) {
    image_barriers(effects, info.imageMemoryBarrierCount, info.pImageMemoryBarriers);
    buffer_barriers(effects, info.bufferMemoryBarrierCount, info.pBufferMemoryBarriers);
  }
}

namespace {

void mark_used(std::vector<bool>& used, std::uint32_t attachment) {
  if (attachment < used.size()) used[attachment] = true;
}

VkImageLayout stencil_layout_of(const VkAttachmentDescription& attachment) { return attachment.finalLayout; }
VkImageLayout stencil_layout_of(const VkAttachmentDescription2& attachment) {
  const auto* stencil = find_in_chain<VkAttachmentDescriptionStencilLayout>(
      attachment.pNext, VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT);
  return stencil != nullptr ? stencil->stencilFinalLayout : attachment.finalLayout;
}

void mark_resolved(std::vector<bool>&, const VkSubpassDescription&) {}
void mark_resolved(std::vector<bool>& used, const VkSubpassDescription2& subpass) {
  const auto* resolve = find_in_chain<VkSubpassDescriptionDepthStencilResolve>(
      subpass.pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
  if (resolve != nullptr && resolve->pDepthStencilResolveAttachment != nullptr)
    mark_used(used, resolve->pDepthStencilResolveAttachment->attachment);
}

}  // namespace

// What a pass does not use keeps its contents, and is transitioned all the same.
template <class Info>
void Resources::add_pass(VkRenderPass pass, const Info& info) {
  std::vector<bool> used(info.attachmentCount);
  for (const auto& subpass : std::span(info.pSubpasses, info.subpassCount)) {
    for (std::uint32_t i = 0; i < subpass.inputAttachmentCount; ++i)
      mark_used(used, subpass.pInputAttachments[i].attachment);
    for (std::uint32_t i = 0; i < subpass.colorAttachmentCount; ++i) {
      mark_used(used, subpass.pColorAttachments[i].attachment);
      if (subpass.pResolveAttachments != nullptr) mark_used(used, subpass.pResolveAttachments[i].attachment);
    }
    if (subpass.pDepthStencilAttachment != nullptr) mark_used(used, subpass.pDepthStencilAttachment->attachment);
    mark_resolved(used, subpass);
  }
  std::vector<Attachment> attachments;
  for (std::uint32_t i = 0; i < info.attachmentCount; ++i) {
    const auto& a = info.pAttachments[i];
    attachments.push_back({a.finalLayout, stencil_layout_of(a), a.storeOp, a.stencilStoreOp, used[i]});
  }
  passes_[pass] = std::move(attachments);
}

// A view of some aspects of a depth/stencil image changes the layouts of both.
void Resources::attachment(Effects& effects, VkImageView handle, const Attachment& a) {
  const auto view = views_.find(handle);
  if (view == views_.end()) return;
  const auto change = [&](VkAttachmentStoreOp store) {
    if (!a.used || (store != VK_ATTACHMENT_STORE_OP_STORE && store != VK_ATTACHMENT_STORE_OP_DONT_CARE))
      return Change::none;
    return store == VK_ATTACHMENT_STORE_OP_STORE ? Change::write : Change::discard;
  };
  Effect effect;
  effect.image = view->second.image;
  effect.range = view->second.range;
  constexpr VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  if ((effect.range.aspectMask & both) == 0) {
    effect.layout = a.layout;
    effect.change = change(a.store);
    effects.push_back(effect);
    return;
  }
  effect.range.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
  effect.layout = a.layout;
  effect.change = change(a.store);
  effects.push_back(effect);
  effect.range.aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT;
  effect.layout = a.stencil_layout;
  effect.change = change(a.stencil_store);
  effects.push_back(effect);
}

// Nothing else can change its attachments' layouts before it ends.
void Resources::begin_pass(Effects& effects, const VkRenderPassBeginInfo& info) {
  const auto pass = passes_.find(info.renderPass);
  if (pass == passes_.end()) return;
  std::span<const VkImageView> views;
  if (const auto found = framebuffers_.find(info.framebuffer); found != framebuffers_.end()) views = found->second;
  if (const auto* given = find_in_chain<VkRenderPassAttachmentBeginInfo>(
          info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
      given != nullptr && given->attachmentCount != 0)
    views = {given->pAttachments, given->attachmentCount};
  for (std::size_t i = 0; i < std::min(views.size(), pass->second.size()); ++i)
    attachment(effects, views[i], pass->second[i]);
}

void Resources::begin_rendering(Effects& effects, const VkRenderingInfo& info) {
  const bool goes_on = (info.flags & VK_RENDERING_SUSPENDING_BIT) != 0;
  const auto draw = [&](const VkRenderingAttachmentInfo& a, VkImageAspectFlags aspects) {
    for (const bool resolved : {false, true}) {
      if (resolved && a.resolveMode == VK_RESOLVE_MODE_NONE) continue;
      const auto view = views_.find(resolved ? a.resolveImageView : a.imageView);
      if (view == views_.end()) continue;
      Effect effect;
      effect.image = view->second.image;
      effect.range = view->second.range;
      effect.range.levelCount = 1;  // of a view of several mips the first is drawn to
      effect.range.aspectMask = aspects;
      const bool kept = resolved || a.storeOp == VK_ATTACHMENT_STORE_OP_STORE || goes_on;
      effect.change = kept                                            ? Change::write
                      : a.storeOp == VK_ATTACHMENT_STORE_OP_DONT_CARE ? Change::discard
                                                                      : Change::none;
      effects.push_back(effect);
    }
  };
  for (const auto& color : std::span(info.pColorAttachments, info.colorAttachmentCount))
    draw(color, VK_IMAGE_ASPECT_COLOR_BIT);
  if (info.pDepthAttachment != nullptr) draw(*info.pDepthAttachment, VK_IMAGE_ASPECT_DEPTH_BIT);
  if (info.pStencilAttachment != nullptr) draw(*info.pStencilAttachment, VK_IMAGE_ASPECT_STENCIL_BIT);
}

namespace {

template <class Args>
const Args& as(const void* args) {
  return *static_cast<const Args*>(args);
}

VkImageSubresourceRange range_of(const VkImageSubresourceLayers& layers) {
  return {layers.aspectMask, layers.mipLevel, 1, layers.baseArrayLayer, layers.layerCount};
}

}  // namespace

void Resources::writes(VkCommandBuffer commands, VkImage image, const VkImageSubresourceRange& range) {
  Effect effect;
  effect.image = image;
  effect.range = range;
  effect.change = Change::write;
  commands_[commands].push_back(effect);
}

void Resources::writes(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size) {
  Effect effect;
  effect.buffer = buffer;
  effect.change = Change::write;
  effect.bytes = {offset, size > VK_WHOLE_SIZE - offset ? VK_WHOLE_SIZE : offset + size};
  commands_[commands].push_back(effect);
}

// Copies, blits and resolves to an image: of the first kind the parameters, of
// the second the structure that they are in.
template <class Info>
void Resources::writes_regions(VkCommandBuffer commands, const Info& info) {
  for (const auto& region : std::span(info.pRegions, info.regionCount)) {
    if constexpr (requires { region.dstSubresource; })
      writes(commands, info.dstImage, range_of(region.dstSubresource));
    else
      writes(commands, info.dstImage, range_of(region.imageSubresource));
  }
}

// The size of an image that is not known (a swapchain's) is not known either: then the write is taken to reach
// the end of the buffer.
template <class Info>
void Resources::writes_texels(VkCommandBuffer commands, const Info& info) {
  const auto image = images_.find(info.srcImage);
  for (const auto& region : std::span(info.pRegions, info.regionCount)) {
    const VkImageSubresourceLayers& part = region.imageSubresource;
    const VkDeviceSize bytes = image == images_.end()
                                   ? VK_WHOLE_SIZE
                                   : gpu::region_bytes(image->second.format, part.aspectMask, region.bufferRowLength,
                                                       region.bufferImageHeight, region.imageExtent, part.layerCount);
    writes(commands, info.dstBuffer, region.bufferOffset, bytes != 0 ? bytes : VK_WHOLE_SIZE);
  }
}

void Resources::watch(CommandId id, const void* args) {
  const Lock lock = enter();
  switch (codec::info(id).canonical) {
    case CommandId::vkCreateImageView: {
      const auto& a = as<args_vkCreateImageView>(args);
      views_[*a.pView] = {a.pCreateInfo->image, a.pCreateInfo->subresourceRange};
      break;
    }
    case CommandId::vkCreateFramebuffer: {
      const auto& a = as<args_vkCreateFramebuffer>(args);
      auto& views = framebuffers_[*a.pFramebuffer];
      views.clear();
      if ((a.pCreateInfo->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) == 0)
        views.assign(a.pCreateInfo->pAttachments, a.pCreateInfo->pAttachments + a.pCreateInfo->attachmentCount);
      break;
    }
    case CommandId::vkCreateRenderPass:
      add_pass(*as<args_vkCreateRenderPass>(args).pRenderPass, *as<args_vkCreateRenderPass>(args).pCreateInfo);
      break;
    case CommandId::vkCreateRenderPass2:
      add_pass(*as<args_vkCreateRenderPass2>(args).pRenderPass, *as<args_vkCreateRenderPass2>(args).pCreateInfo);
      break;
    case CommandId::vkBeginCommandBuffer:
      commands_[as<args_vkBeginCommandBuffer>(args).commandBuffer].clear();
      break;
    case CommandId::vkFreeCommandBuffers: {
      const auto& a = as<args_vkFreeCommandBuffers>(args);
      for (std::uint32_t i = 0; i < a.commandBufferCount; ++i) commands_.erase(a.pCommandBuffers[i]);
      break;
    }
    case CommandId::vkCmdExecuteCommands: {
      const auto& a = as<args_vkCmdExecuteCommands>(args);
      Effects& effects = commands_[a.commandBuffer];
      for (std::uint32_t i = 0; i < a.commandBufferCount; ++i)
        if (const auto found = commands_.find(a.pCommandBuffers[i]); found != commands_.end())
          effects.insert(effects.end(), found->second.begin(), found->second.end());
      break;
    }
    case CommandId::vkCmdPipelineBarrier: {
      const auto& a = as<args_vkCmdPipelineBarrier>(args);
      Effects& effects = commands_[a.commandBuffer];
      image_barriers(effects, a.imageMemoryBarrierCount, a.pImageMemoryBarriers);
      buffer_barriers(effects, a.bufferMemoryBarrierCount, a.pBufferMemoryBarriers);
      break;
    }
    case CommandId::vkCmdWaitEvents: {
      const auto& a = as<args_vkCmdWaitEvents>(args);
      Effects& effects = commands_[a.commandBuffer];
      image_barriers(effects, a.imageMemoryBarrierCount, a.pImageMemoryBarriers);
      buffer_barriers(effects, a.bufferMemoryBarrierCount, a.pBufferMemoryBarriers);
      break;
    }
    case CommandId::vkCmdPipelineBarrier2: {
      const auto& a = as<args_vkCmdPipelineBarrier2>(args);
      dependencies(commands_[a.commandBuffer], 1, a.pDependencyInfo);
      break;
    }
    case CommandId::vkCmdWaitEvents2: {
      const auto& a = as<args_vkCmdWaitEvents2>(args);
      dependencies(commands_[a.commandBuffer], a.eventCount, a.pDependencyInfos);
      break;
    }
    case CommandId::vkCmdBeginRenderPass: {
      const auto& a = as<args_vkCmdBeginRenderPass>(args);
      begin_pass(commands_[a.commandBuffer], *a.pRenderPassBegin);
      break;
    }
    case CommandId::vkCmdBeginRenderPass2: {
      const auto& a = as<args_vkCmdBeginRenderPass2>(args);
      begin_pass(commands_[a.commandBuffer], *a.pRenderPassBegin);
      break;
    }
    case CommandId::vkCmdBeginRendering: {
      const auto& a = as<args_vkCmdBeginRendering>(args);
      begin_rendering(commands_[a.commandBuffer], *a.pRenderingInfo);
      break;
    }
    case CommandId::vkCmdCopyBuffer: {
      const auto& a = as<args_vkCmdCopyBuffer>(args);
      for (const VkBufferCopy& region : std::span(a.pRegions, a.regionCount))
        writes(a.commandBuffer, a.dstBuffer, region.dstOffset, region.size);
      break;
    }
    case CommandId::vkCmdCopyBuffer2: {
      const auto& a = as<args_vkCmdCopyBuffer2>(args);
      for (const VkBufferCopy2& region : std::span(a.pCopyBufferInfo->pRegions, a.pCopyBufferInfo->regionCount))
        writes(a.commandBuffer, a.pCopyBufferInfo->dstBuffer, region.dstOffset, region.size);
      break;
    }
    case CommandId::vkCmdCopyImage:
      writes_regions(as<args_vkCmdCopyImage>(args).commandBuffer, as<args_vkCmdCopyImage>(args));
      break;
    case CommandId::vkCmdCopyImage2:
      writes_regions(as<args_vkCmdCopyImage2>(args).commandBuffer, *as<args_vkCmdCopyImage2>(args).pCopyImageInfo);
      break;
    case CommandId::vkCmdBlitImage:
      writes_regions(as<args_vkCmdBlitImage>(args).commandBuffer, as<args_vkCmdBlitImage>(args));
      break;
    case CommandId::vkCmdBlitImage2:
      writes_regions(as<args_vkCmdBlitImage2>(args).commandBuffer, *as<args_vkCmdBlitImage2>(args).pBlitImageInfo);
      break;
    case CommandId::vkCmdResolveImage:
      writes_regions(as<args_vkCmdResolveImage>(args).commandBuffer, as<args_vkCmdResolveImage>(args));
      break;
    case CommandId::vkCmdResolveImage2:
      writes_regions(as<args_vkCmdResolveImage2>(args).commandBuffer,
                     *as<args_vkCmdResolveImage2>(args).pResolveImageInfo);
      break;
    case CommandId::vkCmdCopyBufferToImage:
      writes_regions(as<args_vkCmdCopyBufferToImage>(args).commandBuffer, as<args_vkCmdCopyBufferToImage>(args));
      break;
    case CommandId::vkCmdCopyBufferToImage2:
      writes_regions(as<args_vkCmdCopyBufferToImage2>(args).commandBuffer,
                     *as<args_vkCmdCopyBufferToImage2>(args).pCopyBufferToImageInfo);
      break;
    case CommandId::vkCmdCopyImageToBuffer: {
      const auto& a = as<args_vkCmdCopyImageToBuffer>(args);
      writes_texels(a.commandBuffer, a);
      break;
    }
    case CommandId::vkCmdCopyImageToBuffer2: {
      const auto& a = as<args_vkCmdCopyImageToBuffer2>(args);
      writes_texels(a.commandBuffer, *a.pCopyImageToBufferInfo);
      break;
    }
    case CommandId::vkCmdUpdateBuffer: {
      const auto& a = as<args_vkCmdUpdateBuffer>(args);
      writes(a.commandBuffer, a.dstBuffer, a.dstOffset, a.dataSize);
      break;
    }
    case CommandId::vkCmdFillBuffer: {
      const auto& a = as<args_vkCmdFillBuffer>(args);
      writes(a.commandBuffer, a.dstBuffer, a.dstOffset, a.size);
      break;
    }
    case CommandId::vkCmdCopyQueryPoolResults: {
      const auto& a = as<args_vkCmdCopyQueryPoolResults>(args);
      // that the last query takes, whose results may be larger than the stride
      constexpr VkDeviceSize kMost = 256;
      writes(a.commandBuffer, a.dstBuffer, a.dstOffset, a.queryCount * a.stride + kMost);
      break;
    }
    case CommandId::vkCmdClearColorImage: {
      const auto& a = as<args_vkCmdClearColorImage>(args);
      for (std::uint32_t i = 0; i < a.rangeCount; ++i) writes(a.commandBuffer, a.image, a.pRanges[i]);
      break;
    }
    case CommandId::vkCmdClearDepthStencilImage: {
      const auto& a = as<args_vkCmdClearDepthStencilImage>(args);
      for (std::uint32_t i = 0; i < a.rangeCount; ++i) writes(a.commandBuffer, a.image, a.pRanges[i]);
      break;
    }
    default:
      break;
  }
}

void watch(Resources& resources, CommandId id, const void* args) noexcept {
  guarded([&] { resources.watch(id, args); });
}

}  // namespace rondo::layer
