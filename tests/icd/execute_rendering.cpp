// SPDX-License-Identifier: Apache-2.0
// Render passes and dynamic rendering: which attachments they draw to, and how
// they load and store them.
#include <algorithm>

#include "tests/icd/chain.h"
#include "tests/icd/execute.h"

using namespace rondo;  // args_vk…

namespace fake {
namespace {

bool is_read_only(VkImageLayout layout, VkImageAspectFlags aspects) {
  switch (layout) {
    case VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL:
      return true;
    // Half of the image is written; one attachment has both halves only where none is.
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL:
      return aspects == VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL:
      return aspects == VK_IMAGE_ASPECT_STENCIL_BIT;
    default:
      return false;
  }
}

Attachment attachment_of(const std::shared_ptr<ImageView>& view, VkImageLayout layout, VkImageAspectFlags aspects) {
  Attachment a;
  if (view == nullptr || view->image == nullptr) return a;
  a.image = view->image;
  a.format = view->format;
  a.range = view->range;
  a.range.aspectMask &= aspects;
  a.read_only = is_read_only(layout, a.range.aspectMask);
  return a;
}

// Depth and stencil one by one: a layout may protect one of them.
constexpr VkImageAspectFlags kHalves[] = {VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT};
constexpr VkImageAspectFlags kColors = ~VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT};

Attachment attachment_of(const RenderPassInstance& at, const VkAttachmentReference2& reference,
                         VkImageAspectFlags aspects) {
  const std::uint32_t i = reference.attachment;
  if (i == VK_ATTACHMENT_UNUSED || i >= at.views.size() || i >= at.pass->attachments.size()) return {};
  Attachment a = attachment_of(at.views[i], reference.layout, aspects);
  const VkAttachmentDescription2& about = at.pass->attachments[i];
  if (!at.used[i]) {
    a.begins = true;
    a.load = about.loadOp;
    a.stencil_load = about.stencilLoadOp;
    a.discarded = about.initialLayout == VK_IMAGE_LAYOUT_UNDEFINED;
    if (i < at.clears.size()) a.clear = at.clears[i];
  }
  const auto uses = [i](const RenderPass::Subpass& subpass) {
    const auto same = [i](const VkAttachmentReference2& r) { return r.attachment == i; };
    return std::any_of(subpass.colors.begin(), subpass.colors.end(), same) ||
           std::any_of(subpass.inputs.begin(), subpass.inputs.end(), same) ||
           std::any_of(subpass.resolves.begin(), subpass.resolves.end(), same) ||
           (subpass.has_depth_stencil && same(subpass.depth_stencil));
  };
  const auto& subpasses = at.pass->subpasses;
  if (std::none_of(subpasses.begin() + at.subpass + 1, subpasses.end(), uses)) {
    a.store = about.storeOp;
    a.stencil_store = about.stencilStoreOp;
  }
  return a;
}

void begin_subpass(Execution& execution) {
  RenderPassInstance& at = execution.instance;
  if (at.pass == nullptr || at.subpass >= at.pass->subpasses.size()) return;
  const RenderPass::Subpass& subpass = at.pass->subpasses[at.subpass];
  RenderTarget target;
  target.area = at.area;
  target.layers = at.layers;
  target.view_mask = subpass.view_mask;
  for (std::size_t i = 0; i < subpass.colors.size(); ++i) {
    target.colors.push_back(attachment_of(at, subpass.colors[i], kColors));
    if (i < subpass.resolves.size() && subpass.resolves[i].attachment < at.views.size())
      target.colors.back().resolve = at.views[subpass.resolves[i].attachment];
  }
  if (subpass.has_depth_stencil)
    for (const VkImageAspectFlags half : kHalves)
      target.depth_stencil.push_back(attachment_of(at, subpass.depth_stencil, half));
  const auto use = [&at](const VkAttachmentReference2& r) {
    if (r.attachment < at.used.size()) at.used[r.attachment] = true;
  };
  // What is only read is loaded too, before anything reads it.
  RenderTarget inputs = target;
  inputs.colors.clear();
  inputs.depth_stencil.clear();
  for (const VkAttachmentReference2& r : subpass.inputs)
    if (r.attachment < at.used.size() && !at.used[r.attachment] &&
        std::none_of(subpass.colors.begin(), subpass.colors.end(),
                     [&](const VkAttachmentReference2& c) { return c.attachment == r.attachment; }) &&
        !(subpass.has_depth_stencil && subpass.depth_stencil.attachment == r.attachment)) {
      inputs.colors.push_back(attachment_of(at, r, ~VkImageAspectFlags{0}));
      use(r);
    }
  execution.begin_target(std::move(inputs));
  std::for_each(subpass.colors.begin(), subpass.colors.end(), use);
  std::for_each(subpass.resolves.begin(), subpass.resolves.end(), use);
  if (subpass.has_depth_stencil) use(subpass.depth_stencil);
  execution.begin_target(std::move(target));
}

void begin_pass(Execution& execution, const VkRenderPassBeginInfo& begin) {
  RenderPassInstance& at = execution.instance;
  at = {};
  at.pass = get<RenderPass>(begin.renderPass);
  const auto framebuffer = get<Framebuffer>(begin.framebuffer);
  if (at.pass == nullptr || framebuffer == nullptr) return;
  at.views = framebuffer->views;
  if (const auto* imageless = chained<VkRenderPassAttachmentBeginInfo>(begin))
    for (std::uint32_t i = 0; i < imageless->attachmentCount; ++i)
      at.views.push_back(get<ImageView>(imageless->pAttachments[i]));
  at.clears.assign(begin.pClearValues, begin.pClearValues + begin.clearValueCount);
  at.used.assign(at.pass->attachments.size(), false);
  at.layers = framebuffer->layers;
  at.area = begin.renderArea;
  begin_subpass(execution);
}

void next_pass(Execution& execution) {
  execution.end_target();
  ++execution.instance.subpass;
  begin_subpass(execution);
}

void end_pass(Execution& execution) {
  execution.end_target();
  execution.instance = {};
}

Attachment attachment_of(const VkRenderingAttachmentInfo* info, VkImageAspectFlags aspects, VkRenderingFlags flags) {
  if (info == nullptr) return {};
  Attachment a = attachment_of(get<ImageView>(info->imageView), info->imageLayout, aspects);
  if ((flags & VK_RENDERING_RESUMING_BIT) == 0) {
    a.begins = true;
    a.load = a.stencil_load = info->loadOp;
    a.clear = info->clearValue;
  }
  if ((flags & VK_RENDERING_SUSPENDING_BIT) == 0) {
    a.store = a.stencil_store = info->storeOp;
    if (info->resolveMode != VK_RESOLVE_MODE_NONE) a.resolve = get<ImageView>(info->resolveImageView);
  }
  return a;
}

void begin_rendering(Execution& execution, const args_vkCmdBeginRendering& a) {
  const VkRenderingInfo& info = *a.pRenderingInfo;
  RenderTarget target;
  target.area = info.renderArea;
  target.layers = info.layerCount;
  target.view_mask = info.viewMask;
  for (std::uint32_t i = 0; i < info.colorAttachmentCount; ++i)
    target.colors.push_back(attachment_of(&info.pColorAttachments[i], kColors, info.flags));
  target.depth_stencil.push_back(attachment_of(info.pDepthAttachment, VK_IMAGE_ASPECT_DEPTH_BIT, info.flags));
  target.depth_stencil.push_back(attachment_of(info.pStencilAttachment, VK_IMAGE_ASPECT_STENCIL_BIT, info.flags));
  execution.begin_target(std::move(target));
}

void begin_pass1(Execution& e, const args_vkCmdBeginRenderPass& a) { begin_pass(e, *a.pRenderPassBegin); }
void begin_pass2(Execution& e, const args_vkCmdBeginRenderPass2& a) { begin_pass(e, *a.pRenderPassBegin); }
void next1(Execution& e, const args_vkCmdNextSubpass&) { next_pass(e); }
void next2(Execution& e, const args_vkCmdNextSubpass2&) { next_pass(e); }
void end_pass1(Execution& e, const args_vkCmdEndRenderPass&) { end_pass(e); }
void end_pass2(Execution& e, const args_vkCmdEndRenderPass2&) { end_pass(e); }
template <class Args>
void end_rendering(Execution& e, const Args&) {
  e.end_target();
}

void execute_secondaries(Execution& execution, const args_vkCmdExecuteCommands& a) {
  for (std::uint32_t i = 0; i < a.commandBufferCount; ++i)
    if (const auto buffer = get<CommandBuffer>(a.pCommandBuffers[i])) execution.run_secondary(*buffer);
}

}  // namespace

void install_rendering(Table& table) {
  execute<begin_pass1>(table, CommandId::vkCmdBeginRenderPass);
  execute<begin_pass2>(table, CommandId::vkCmdBeginRenderPass2);
  execute<next1>(table, CommandId::vkCmdNextSubpass);
  execute<next2>(table, CommandId::vkCmdNextSubpass2);
  execute<end_pass1>(table, CommandId::vkCmdEndRenderPass);
  execute<end_pass2>(table, CommandId::vkCmdEndRenderPass2);
  execute<begin_rendering>(table, CommandId::vkCmdBeginRendering);
  execute<end_rendering<args_vkCmdEndRendering>>(table, CommandId::vkCmdEndRendering);
#ifdef VK_KHR_maintenance10
  execute<end_rendering<args_vkCmdEndRendering2KHR>>(table, CommandId::vkCmdEndRendering2KHR);
#endif
  execute<execute_secondaries>(table, CommandId::vkCmdExecuteCommands);
}

}  // namespace fake
