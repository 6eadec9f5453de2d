// SPDX-License-Identifier: Apache-2.0
// Render passes, framebuffers, and where a command buffer is in them.
#include <algorithm>

#include "generated/args.h"
#include "player/validity/validity.h"

namespace rondo::player::validity {

namespace {

const VkAttachmentReference2* depth_resolve(const VkSubpassDescription2& subpass) {
  const auto* resolve = find_chained<VkSubpassDescriptionDepthStencilResolve>(
      subpass.pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
  return resolve != nullptr ? resolve->pDepthStencilResolveAttachment : nullptr;
}
const VkAttachmentReference* depth_resolve(const VkSubpassDescription&) { return nullptr; }

template <class Info>
Wrong create_pass(Validity& v, const Call& c, const Info& info) {
  if (info.subpassCount == 0) return "makes a render pass without subpasses";
  RenderPass pass;
  pass.attachments = info.attachmentCount;
  for (std::uint32_t i = 0; i < info.attachmentCount; ++i)
    if (info.pAttachments[i].loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR ||
        info.pAttachments[i].stencilLoadOp == VK_ATTACHMENT_LOAD_OP_CLEAR)
      pass.cleared = i + 1;
  for (std::uint32_t s = 0; s < info.subpassCount; ++s) {
    const auto& subpass = info.pSubpasses[s];
    Wrong wrong;
    const auto check = [&](const char* member, const auto* references, std::uint32_t count) {
      for (std::uint32_t i = 0; references != nullptr && i < count; ++i)
        if (references[i].attachment != VK_ATTACHMENT_UNUSED &&
            references[i].attachment >= info.attachmentCount)
          wrong = std::string(member) + " of subpass " + std::to_string(s) + " names attachment " +
                  std::to_string(references[i].attachment) + " of " + std::to_string(info.attachmentCount);
    };
    check("pInputAttachments", subpass.pInputAttachments, subpass.inputAttachmentCount);
    check("pColorAttachments", subpass.pColorAttachments, subpass.colorAttachmentCount);
    check("pResolveAttachments", subpass.pResolveAttachments, subpass.colorAttachmentCount);
    check("pDepthStencilAttachment", subpass.pDepthStencilAttachment, 1);
    check("pDepthStencilResolveAttachment", depth_resolve(subpass), 1);
    for (std::uint32_t i = 0; i < subpass.preserveAttachmentCount; ++i)
      if (subpass.pPreserveAttachments[i] >= info.attachmentCount)
        wrong = "pPreserveAttachments of subpass " + std::to_string(s) + " names attachment " +
                std::to_string(subpass.pPreserveAttachments[i]);
    if (!wrong.empty()) return wrong;
    const auto* depth = subpass.pDepthStencilAttachment;
    pass.subpasses.push_back(
        {subpass.colorAttachmentCount, depth != nullptr && depth->attachment != VK_ATTACHMENT_UNUSED});
  }
  for (std::uint32_t i = 0; i < info.dependencyCount; ++i)
    for (const std::uint32_t s : {info.pDependencies[i].srcSubpass, info.pDependencies[i].dstSubpass})
      if (s != VK_SUBPASS_EXTERNAL && s >= info.subpassCount)
        return "dependency " + std::to_string(i) + " names subpass " + std::to_string(s) + " of " +
               std::to_string(info.subpassCount);
  if (const ObjectId id = c.created(); id != 0) v.passes.make(id) = std::move(pass);
  return {};
}

Wrong create_pass_1(Validity& v, const Call& c) {
  return create_pass(v, c, *c.as<args_vkCreateRenderPass>().pCreateInfo);
}
Wrong create_pass_2(Validity& v, const Call& c) {
  return create_pass(v, c, *c.as<args_vkCreateRenderPass2>().pCreateInfo);
}

Wrong create_framebuffer(Validity& v, const Call& c) {
  const VkFramebufferCreateInfo& info = *c.as<args_vkCreateFramebuffer>().pCreateInfo;
  const ObjectId pass_id = c.id(&info.renderPass);
  const RenderPass* pass = v.passes.find(pass_id);
  if (pass != nullptr && pass->attachments != info.attachmentCount)
    return "has " + std::to_string(info.attachmentCount) + " attachments, and " + v.name(pass_id) + " has " +
           std::to_string(pass->attachments);
  if (info.width == 0 || info.height == 0 || info.layers == 0) return "makes a framebuffer without texels";
  Framebuffer framebuffer;
  framebuffer.attachments = info.attachmentCount;
  framebuffer.width = info.width;
  framebuffer.height = info.height;
  framebuffer.layers = info.layers;
  framebuffer.imageless = (info.flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) != 0;
  for (std::uint32_t i = 0; !framebuffer.imageless && i < info.attachmentCount; ++i) {
    const ObjectId id = c.id(&info.pAttachments[i]);
    const ImageView* view = v.image_views.find(id);
    // A shading rate or density map is smaller than what it is for.
    const Image* image = view != nullptr ? v.images.find(view->image) : nullptr;
    if (image != nullptr && view->extent.width != 0 && info.attachmentCount == 1 &&
        (view->extent.width < info.width || view->extent.height < info.height))
      return v.name(id) + " is smaller than the framebuffer";
    framebuffer.views.push_back(id);
  }
  if (const ObjectId id = c.created(); id != 0) v.framebuffers.make(id) = std::move(framebuffer);
  return {};
}

Wrong begin_pass(Validity& v, const Call& c, const VkRenderPassBeginInfo& info) {
  const ObjectId pass_id = c.id(&info.renderPass), framebuffer_id = c.id(&info.framebuffer);
  const RenderPass* pass = v.passes.find(pass_id);
  const Framebuffer* framebuffer = v.framebuffers.find(framebuffer_id);
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (pass != nullptr && info.clearValueCount < pass->cleared)
    return "has " + std::to_string(info.clearValueCount) + " clear values, and " + v.name(pass_id) +
           " needs " + std::to_string(pass->cleared);
  if (framebuffer != nullptr) {
    const VkRect2D& area = info.renderArea;
    if (area.offset.x < 0 || area.offset.y < 0 ||
        !within(static_cast<std::uint32_t>(area.offset.x), area.extent.width, framebuffer->width) ||
        !within(static_cast<std::uint32_t>(area.offset.y), area.extent.height, framebuffer->height))
      return "renderArea ends outside " + v.name(framebuffer_id) + ", which is " +
             std::to_string(framebuffer->width) + "x" + std::to_string(framebuffer->height);
    if (pass != nullptr && pass->attachments != framebuffer->attachments)
      return v.name(framebuffer_id) + " does not have the attachments of " + v.name(pass_id);
    const auto* given = find_chained<VkRenderPassAttachmentBeginInfo>(
        info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
    if (framebuffer->imageless && framebuffer->attachments != (given != nullptr ? given->attachmentCount : 0))
      return v.name(framebuffer_id) + " gets another number of images than it has attachments";
    if (commands != nullptr)
      commands->uses.insert(commands->uses.end(), framebuffer->views.begin(), framebuffer->views.end());
  }
  if (commands == nullptr) return {};
  commands->pass = CommandBuffer::Pass::render_pass;
  commands->subpass = 0;
  commands->subpasses = pass != nullptr ? static_cast<std::uint32_t>(pass->subpasses.size()) : UINT32_MAX;
  return {};
}

Wrong begin_pass_1(Validity& v, const Call& c) {
  return begin_pass(v, c, *c.as<args_vkCmdBeginRenderPass>().pRenderPassBegin);
}
Wrong begin_pass_2(Validity& v, const Call& c) {
  return begin_pass(v, c, *c.as<args_vkCmdBeginRenderPass2>().pRenderPassBegin);
}

Wrong next_subpass(Validity& v, const Call& c) {
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (commands->pass != CommandBuffer::Pass::render_pass) return "outside of a render pass";
  if (++commands->subpass >= commands->subpasses) return "behind the last subpass";
  return {};
}

Wrong end_pass(Validity& v, const Call& c) {
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (commands->pass != CommandBuffer::Pass::render_pass) return "outside of a render pass";
  if (commands->subpasses != UINT32_MAX && commands->subpass + 1 != commands->subpasses)
    return "before the last subpass";
  commands->pass = CommandBuffer::Pass::none;
  return {};
}

Wrong begin_rendering(Validity& v, const Call& c) {
  const VkRenderingInfo& info = *c.as<args_vkCmdBeginRendering>().pRenderingInfo;
  const VkRect2D& area = info.renderArea;
  const auto check = [&](const VkRenderingAttachmentInfo* attachment, bool color) -> Wrong {
    if (attachment == nullptr || attachment->imageView == VK_NULL_HANDLE) return {};
    const ObjectId id = c.id(&attachment->imageView);
    const ImageView* view = v.image_views.find(id);
    if (view == nullptr) return {};
    const bool depth = view->format >= VK_FORMAT_D16_UNORM && view->format <= VK_FORMAT_D32_SFLOAT_S8_UINT;
    if (depth == color)
      return v.name(id) + (color ? " has no color format" : " has no depth or stencil format");
    if (view->extent.width == 0) return {};
    if (area.offset.x < 0 || area.offset.y < 0 ||
        !within(static_cast<std::uint32_t>(area.offset.x), area.extent.width, view->extent.width) ||
        !within(static_cast<std::uint32_t>(area.offset.y), area.extent.height, view->extent.height))
      return "renderArea ends outside " + v.name(id);
    return {};
  };
  for (std::uint32_t i = 0; i < info.colorAttachmentCount; ++i)
    if (Wrong w = check(&info.pColorAttachments[i], true); !w.empty()) return w;
  if (Wrong w = check(info.pDepthAttachment, false); !w.empty()) return w;
  if (Wrong w = check(info.pStencilAttachment, false); !w.empty()) return w;
  if (CommandBuffer* commands = v.command_buffers.find(c.dispatch()); commands != nullptr)
    commands->pass = CommandBuffer::Pass::rendering;
  return {};
}

Wrong end_rendering(Validity& v, const Call& c) {
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (commands->pass != CommandBuffer::Pass::rendering) return "outside of dynamic rendering";
  commands->pass = CommandBuffer::Pass::none;
  return {};
}

}  // namespace

void add_pass_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCreateRenderPass, create_pass_1);
  add(CommandId::vkCreateRenderPass2, create_pass_2);
  add(CommandId::vkCreateFramebuffer, create_framebuffer);
  add(CommandId::vkCmdBeginRenderPass, begin_pass_1);
  add(CommandId::vkCmdBeginRenderPass2, begin_pass_2);
  add(CommandId::vkCmdNextSubpass, next_subpass);
  add(CommandId::vkCmdNextSubpass2, next_subpass);
  add(CommandId::vkCmdEndRenderPass, end_pass);
  add(CommandId::vkCmdEndRenderPass2, end_pass);
  add(CommandId::vkCmdBeginRendering, begin_rendering);
  add(CommandId::vkCmdEndRendering, end_rendering);
}

}  // namespace rondo::player::validity
