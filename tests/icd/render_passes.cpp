// SPDX-License-Identifier: Apache-2.0
// Render passes, old and new, and framebuffers.
#include <algorithm>

#include "tests/icd/chain.h"
#include "tests/icd/install.h"
#include "tests/icd/state.h"

namespace fake {

namespace {

VkAttachmentReference2 reference(std::uint32_t attachment, VkImageLayout layout) {
  return {VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, nullptr, attachment, layout, 0};
}
VkAttachmentReference2 converted(const VkAttachmentReference& r) { return reference(r.attachment, r.layout); }
VkAttachmentReference2 converted(const VkAttachmentReference2& r) {
  VkAttachmentReference2 out = r;
  out.pNext = nullptr;
  return out;
}
VkAttachmentDescription2 converted(const VkAttachmentDescription& a) {
  return {VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
          nullptr,
          a.flags,
          a.format,
          a.samples,
          a.loadOp,
          a.storeOp,
          a.stencilLoadOp,
          a.stencilStoreOp,
          a.initialLayout,
          a.finalLayout};
}
VkAttachmentDescription2 converted(const VkAttachmentDescription2& a) {
  VkAttachmentDescription2 out = a;
  out.pNext = nullptr;
  return out;
}

RenderPass::Dependency converted(const VkSubpassDependency& d) {
  return {d.srcSubpass, d.dstSubpass, d.srcStageMask, d.dstStageMask, d.srcAccessMask, d.dstAccessMask};
}
RenderPass::Dependency converted(const VkSubpassDependency2& d) {
  if (const auto* barrier = chained<VkMemoryBarrier2>(d))
    return {d.srcSubpass,          d.dstSubpass,           barrier->srcStageMask,
            barrier->dstStageMask, barrier->srcAccessMask, barrier->dstAccessMask};
  return {d.srcSubpass, d.dstSubpass, d.srcStageMask, d.dstStageMask, d.srcAccessMask, d.dstAccessMask};
}

template <class R>
bool outside(std::uint32_t attachments, std::uint32_t count, const R* references) {
  for (std::uint32_t i = 0; references != nullptr && i < count; ++i)
    if (references[i].attachment != VK_ATTACHMENT_UNUSED && references[i].attachment >= attachments) return true;
  return false;
}

// Both kinds of create infos have members of the same names.
template <class A>
void check_create(Call&, const A& a) {
  const auto& info = *a.pCreateInfo;
  if (info.subpassCount == 0) return violation("subpassCount is 0");
  for (std::uint32_t i = 0; i < info.attachmentCount; ++i) {
    const auto& attachment = info.pAttachments[i];
    const auto samples = static_cast<std::uint32_t>(attachment.samples);
    if (planes_of(attachment.format).empty()) return violation("an attachment's format is none");
    if (samples == 0 || (samples & (samples - 1)) != 0) return violation("an attachment's samples are not one bit");
    if (attachment.finalLayout == VK_IMAGE_LAYOUT_UNDEFINED || attachment.finalLayout == VK_IMAGE_LAYOUT_PREINITIALIZED)
      return violation("an attachment's finalLayout is undefined");
  }
  for (std::uint32_t i = 0; i < info.subpassCount; ++i) {
    const auto& pass = info.pSubpasses[i];
    bool wrong = outside(info.attachmentCount, pass.inputAttachmentCount, pass.pInputAttachments) ||
                 outside(info.attachmentCount, pass.colorAttachmentCount, pass.pColorAttachments) ||
                 outside(info.attachmentCount, pass.colorAttachmentCount, pass.pResolveAttachments) ||
                 outside(info.attachmentCount, 1, pass.pDepthStencilAttachment);
    for (std::uint32_t k = 0; k < pass.preserveAttachmentCount; ++k)
      wrong = wrong || pass.pPreserveAttachments[k] >= info.attachmentCount;
    if (wrong) return violation("a subpass refers to an attachment that the render pass lacks");
    if (pass.colorAttachmentCount > 8) return violation("a subpass has more than maxColorAttachments");
  }
  for (std::uint32_t i = 0; i < info.dependencyCount; ++i)
    for (const std::uint32_t pass : {info.pDependencies[i].srcSubpass, info.pDependencies[i].dstSubpass})
      if (pass != VK_SUBPASS_EXTERNAL && pass >= info.subpassCount)
        return violation("a dependency names a subpass that the render pass lacks");
}

template <class Info>
std::shared_ptr<RenderPass> make(const Info& info) {
  auto pass = std::make_shared<RenderPass>();
  for (std::uint32_t i = 0; i < info.attachmentCount; ++i) pass->attachments.push_back(converted(info.pAttachments[i]));
  for (std::uint32_t i = 0; i < info.subpassCount; ++i) {
    const auto& from = info.pSubpasses[i];
    RenderPass::Subpass to;
    to.bind_point = from.pipelineBindPoint;
    for (std::uint32_t k = 0; k < from.inputAttachmentCount; ++k)
      to.inputs.push_back(converted(from.pInputAttachments[k]));
    for (std::uint32_t k = 0; k < from.colorAttachmentCount; ++k)
      to.colors.push_back(converted(from.pColorAttachments[k]));
    for (std::uint32_t k = 0; from.pResolveAttachments != nullptr && k < from.colorAttachmentCount; ++k)
      to.resolves.push_back(converted(from.pResolveAttachments[k]));
    if (from.pDepthStencilAttachment != nullptr) {
      to.has_depth_stencil = true;
      to.depth_stencil = converted(*from.pDepthStencilAttachment);
    }
    pass->subpasses.push_back(std::move(to));
  }
  for (std::uint32_t i = 0; i < info.dependencyCount; ++i)
    pass->dependencies.push_back(converted(info.pDependencies[i]));
  return pass;
}

VkResult publish_pass(Call& call, VkRenderPass* out, const std::function<std::shared_ptr<RenderPass>()>& build) {
  std::string identity;
  if (const auto same = share(call, RenderPass::kType, identity)) {
    *out = as_handle<VkRenderPass>(same->handle);
    return VK_SUCCESS;
  }
  const auto pass = build();
  pass->identity = identity;
  *out = as_handle<VkRenderPass>(publish(pass, call.device));
  return VK_SUCCESS;
}

VkResult create(Call& call, args_vkCreateRenderPass& a) {
  return publish_pass(call, a.pRenderPass, [&] {
    auto pass = make(*a.pCreateInfo);
    if (const auto* views = chained<VkRenderPassMultiviewCreateInfo>(*a.pCreateInfo))
      for (std::uint32_t i = 0; i < views->subpassCount && i < pass->subpasses.size(); ++i)
        pass->subpasses[i].view_mask = views->pViewMasks[i];
    return pass;
  });
}

VkResult create2(Call& call, args_vkCreateRenderPass2& a) {
  return publish_pass(call, a.pRenderPass, [&] {
    auto pass = make(*a.pCreateInfo);
    for (std::uint32_t i = 0; i < a.pCreateInfo->subpassCount; ++i)
      pass->subpasses[i].view_mask = a.pCreateInfo->pSubpasses[i].viewMask;
    return pass;
  });
}

// By a subpass, to render to or to read.
bool is_used(const RenderPass& pass, std::uint32_t attachment) {
  const auto names = [&](const VkAttachmentReference2& r) { return r.attachment == attachment; };
  for (const RenderPass::Subpass& s : pass.subpasses)
    if (std::any_of(s.inputs.begin(), s.inputs.end(), names) || std::any_of(s.colors.begin(), s.colors.end(), names) ||
        std::any_of(s.resolves.begin(), s.resolves.end(), names) || (s.has_depth_stencil && names(s.depth_stencil)))
      return true;
  return false;
}

void check_framebuffer(Call&, const args_vkCreateFramebuffer& a) {
  const VkFramebufferCreateInfo& info = *a.pCreateInfo;
  const auto pass = get<RenderPass>(info.renderPass);
  if (info.attachmentCount != pass->attachments.size())
    return violation("attachmentCount is not that of the render pass");
  if (info.width == 0 || info.height == 0 || info.layers == 0 || info.width > 16384 || info.height > 16384 ||
      info.layers > 2048)
    return violation("width, height or layers is 0 or beyond the limits");
  if ((info.flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) != 0) {
    const auto* images = chained<VkFramebufferAttachmentsCreateInfo>(info);
    if (images == nullptr || images->attachmentImageInfoCount != info.attachmentCount)
      violation("an imageless framebuffer says nothing of its images");
    return;
  }
  for (std::uint32_t i = 0; i < info.attachmentCount; ++i) {
    const auto view = get<ImageView>(info.pAttachments[i]);
    const auto& wanted = pass->attachments[i];
    if (view->format != wanted.format) return violation("an attachment's format is not that of the render pass");
    if (view->image->samples != static_cast<std::uint32_t>(wanted.samples))
      return violation("an attachment's samples are not those of the render pass");
    if (view->range.levelCount != 1) return violation("an attachment has several levels");
    if (!is_used(*pass, i)) continue;  // may be smaller then
    const std::uint32_t level = view->range.baseMipLevel;
    if (view->image->extent.width >> level < info.width || view->image->extent.height >> level < info.height)
      return violation("an attachment is smaller than the framebuffer");
    if (view->range.layerCount < info.layers) return violation("an attachment has fewer layers than the framebuffer");
  }
}

VkResult create_framebuffer(Call& call, args_vkCreateFramebuffer& a) {
  const VkFramebufferCreateInfo& info = *a.pCreateInfo;
  auto framebuffer = std::make_shared<Framebuffer>();
  framebuffer->flags = info.flags;
  framebuffer->attachment_count = info.attachmentCount;
  framebuffer->width = info.width;
  framebuffer->height = info.height;
  framebuffer->layers = info.layers;
  if ((info.flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) == 0)
    for (std::uint32_t i = 0; i < info.attachmentCount; ++i)
      framebuffer->views.push_back(get<ImageView>(info.pAttachments[i]));
  *a.pFramebuffer = as_handle<VkFramebuffer>(publish(framebuffer, call.device));
  return VK_SUCCESS;
}

void granularity(Call&, args_vkGetRenderAreaGranularity& a) { *a.pGranularity = {1, 1}; }

// --- while recording --------------------------------------------------------

bool has_stencil(VkFormat format) {
  for (const Plane& plane : planes_of(format))
    if (plane.aspect == VK_IMAGE_ASPECT_STENCIL_BIT) return true;
  return false;
}

void check_begin_info(const VkRenderPassBeginInfo& info) {
  const auto pass = get<RenderPass>(info.renderPass);
  const auto framebuffer = get<Framebuffer>(info.framebuffer);
  if (framebuffer->attachment_count != pass->attachments.size())
    return violation("the framebuffer has other attachments than the render pass");
  std::uint32_t cleared = 0;
  for (std::uint32_t i = 0; i < pass->attachments.size(); ++i)
    if (pass->attachments[i].loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR ||
        (pass->attachments[i].stencilLoadOp == VK_ATTACHMENT_LOAD_OP_CLEAR && has_stencil(pass->attachments[i].format)))
      cleared = i + 1;
  if (info.clearValueCount < cleared) return violation("clearValueCount is too small for the attachments cleared");
  const VkRect2D& area = info.renderArea;
  const auto reaches = [](std::int32_t at, std::uint32_t size, std::uint32_t limit) {
    return at < 0 || static_cast<std::uint64_t>(at) + size > limit;
  };
  if (reaches(area.offset.x, area.extent.width, framebuffer->width) ||
      reaches(area.offset.y, area.extent.height, framebuffer->height))
    return violation("renderArea reaches outside the framebuffer");
  const auto* images = chained<VkRenderPassAttachmentBeginInfo>(info);
  const bool imageless = (framebuffer->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) != 0;
  if (imageless && (images == nullptr || images->attachmentCount != framebuffer->attachment_count))
    violation("an imageless framebuffer is begun without its images");
  for (const auto& view : framebuffer->views)
    if (!view->alive || !view->image->alive) return violation("an attachment of the framebuffer was destroyed");
}

void check_begin(Call&, const args_vkCmdBeginRenderPass& a) { check_begin_info(*a.pRenderPassBegin); }
void check_begin2(Call&, const args_vkCmdBeginRenderPass2& a) { check_begin_info(*a.pRenderPassBegin); }

void check_next(Call& call) {
  const CommandBuffer& buffer = *call.command_buffer;
  if (buffer.render_pass == nullptr || buffer.continues)
    violation("no render pass was begun here");
  else if (buffer.subpass + 1 >= buffer.render_pass->subpasses.size())
    violation("the render pass has no more subpasses");
}

void check_end(Call& call) {
  const CommandBuffer& buffer = *call.command_buffer;
  if (buffer.render_pass == nullptr || buffer.continues)
    violation("no render pass was begun here");
  else if (buffer.subpass + 1 != buffer.render_pass->subpasses.size())
    violation("is not in the last subpass");
}

void check_end_rendering(Call& call) {
  if (!call.command_buffer->in_rendering || call.command_buffer->continues) violation("no rendering was begun here");
}

}  // namespace

void install_render_passes(Table& table) {
  table.check<check_create<args_vkCreateRenderPass>>(CommandId::vkCreateRenderPass);
  table.behave<create>(CommandId::vkCreateRenderPass);
  table.check<check_create<args_vkCreateRenderPass2>>(CommandId::vkCreateRenderPass2);
  table.behave<create2>(CommandId::vkCreateRenderPass2);
  table.check<check_framebuffer>(CommandId::vkCreateFramebuffer);
  table.behave<create_framebuffer>(CommandId::vkCreateFramebuffer);
  table.behave<granularity>(CommandId::vkGetRenderAreaGranularity);
  table.check<check_begin>(CommandId::vkCmdBeginRenderPass);
  table.check<check_begin2>(CommandId::vkCmdBeginRenderPass2);
  table.add(CommandId::vkCmdNextSubpass, check_next);
  table.add(CommandId::vkCmdNextSubpass2, check_next);
  table.add(CommandId::vkCmdEndRenderPass, check_end);
  table.add(CommandId::vkCmdEndRenderPass2, check_end);
  table.add(CommandId::vkCmdEndRendering, check_end_rendering);
#ifdef VK_KHR_maintenance10
  table.add(CommandId::vkCmdEndRendering2KHR, check_end_rendering);
#endif
}

}  // namespace fake
