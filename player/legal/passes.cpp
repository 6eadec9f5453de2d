// SPDX-License-Identifier: Apache-2.0
// Render passes, framebuffers, and where a command buffer is in them.
#include <algorithm>
#include <bit>
#include <span>

#include "generated/args.h"
#include "model/gpu/texels.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

using gpu::has_stencil;
using gpu::is_depth_stencil;

namespace {

const VkAttachmentReference2* depth_resolve(const VkSubpassDescription2& subpass) {
  const auto* resolve = find_chained<VkSubpassDescriptionDepthStencilResolve>(
      subpass.pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
  return resolve != nullptr ? resolve->pDepthStencilResolveAttachment : nullptr;
}
const VkAttachmentReference* depth_resolve(const VkSubpassDescription&) { return nullptr; }

std::uint32_t view_mask(const VkSubpassDescription2& subpass, const VkRenderPassMultiviewCreateInfo*, std::uint32_t) {
  return subpass.viewMask;
}
std::uint32_t view_mask(const VkSubpassDescription&, const VkRenderPassMultiviewCreateInfo* views, std::uint32_t s) {
  return views != nullptr && views->pViewMasks != nullptr && s < views->subpassCount ? views->pViewMasks[s] : 0;
}

template <class Info>
Wrong create_pass(Validity& v, const Call& c, const Info& info) {
  if (info.subpassCount == 0) return "makes a render pass without subpasses";
  RenderPass pass;
  pass.attachments = info.attachmentCount;
  for (std::uint32_t i = 0; i < info.attachmentCount; ++i)
    if (info.pAttachments[i].loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR ||
        (info.pAttachments[i].stencilLoadOp == VK_ATTACHMENT_LOAD_OP_CLEAR && has_stencil(info.pAttachments[i].format)))
      pass.cleared = i + 1;
  for (std::uint32_t i = 0; i < info.attachmentCount; ++i) {
    const auto& attachment = info.pAttachments[i];
    const std::string what = "attachment " + std::to_string(i);
    if (attachment.format == VK_FORMAT_UNDEFINED) return what + " has no format";
    if (!std::has_single_bit(static_cast<std::uint32_t>(attachment.samples))) return what + " has no number of samples";
    if (attachment.finalLayout == VK_IMAGE_LAYOUT_UNDEFINED || attachment.finalLayout == VK_IMAGE_LAYOUT_PREINITIALIZED)
      return what + " ends in no layout";
    pass.kinds.push_back({attachment.format, attachment.samples});
  }
  pass.rendered.resize(info.attachmentCount, 0);
  const auto* views =
      find_chained<VkRenderPassMultiviewCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
  for (std::uint32_t s = 0; s < info.subpassCount; ++s) {
    const auto& subpass = info.pSubpasses[s];
    const std::uint32_t mask = view_mask(subpass, views, s);
    const auto layers = std::max(1u, static_cast<std::uint32_t>(std::bit_width(mask)));
    pass.views = std::max(pass.views, static_cast<std::uint32_t>(std::popcount(mask)));
    Wrong wrong;
    const auto check = [&](const char* member, const auto* references, std::uint32_t count) {
      bool any = false;
      for (std::uint32_t i = 0; references != nullptr && i < count; ++i) {
        const std::uint32_t at = references[i].attachment;
        if (at == VK_ATTACHMENT_UNUSED) continue;
        any = true;
        if (at >= info.attachmentCount)
          wrong = std::string(member) + " of subpass " + std::to_string(s) + " names attachment " + std::to_string(at) +
                  " of " + std::to_string(info.attachmentCount);
        else
          pass.rendered[at] = std::max(pass.rendered[at], layers);
      }
      return any;
    };
    check("pInputAttachments", subpass.pInputAttachments, subpass.inputAttachmentCount);
    const bool colors = check("pColorAttachments", subpass.pColorAttachments, subpass.colorAttachmentCount);
    check("pResolveAttachments", subpass.pResolveAttachments, subpass.colorAttachmentCount);
    const bool depth = check("pDepthStencilAttachment", subpass.pDepthStencilAttachment, 1);
    check("pDepthStencilResolveAttachment", depth_resolve(subpass), 1);
    for (std::uint32_t i = 0; i < subpass.preserveAttachmentCount; ++i)
      if (subpass.pPreserveAttachments[i] >= info.attachmentCount)
        wrong = "pPreserveAttachments of subpass " + std::to_string(s) + " names attachment " +
                std::to_string(subpass.pPreserveAttachments[i]);
    if (!wrong.empty()) return wrong;
    pass.subpasses.push_back({subpass.colorAttachmentCount, depth, colors});
  }
  for (std::uint32_t i = 0; i < info.dependencyCount; ++i)
    for (const std::uint32_t s : {info.pDependencies[i].srcSubpass, info.pDependencies[i].dstSubpass})
      if (s != VK_SUBPASS_EXTERNAL && s >= info.subpassCount)
        return "dependency " + std::to_string(i) + " names subpass " + std::to_string(s) + " of " +
               std::to_string(info.subpassCount);
  if (const ObjectId id = c.created(); id != ObjectId::null) v.passes.make(id) = std::move(pass);
  return {};
}

Wrong create_pass_1(Validity& v, const Call& c) {
  return create_pass(v, c, *c.as<args_vkCreateRenderPass>().pCreateInfo);
}
Wrong create_pass_2(Validity& v, const Call& c) {
  return create_pass(v, c, *c.as<args_vkCreateRenderPass2>().pCreateInfo);
}

// What is drawn to is as large as what it is drawn for. Only attachments that a
// subpass uses: a shading rate or density map is smaller than what it is for.
Wrong check_attachments(Validity& v, const RenderPass* pass, const Framebuffer& framebuffer,
                        const std::vector<ObjectId>& views) {
  for (std::size_t i = 0; pass != nullptr && i < views.size() && i < pass->rendered.size(); ++i) {
    const ImageView* view = v.image_views.find(views[i]);
    if (views[i] == ObjectId::null) continue;
    if (!v.alive(views[i]) || (view != nullptr && view->image != ObjectId::null && !v.alive(view->image)))
      return v.name(views[i]) + " or its image is destroyed";
    if (view == nullptr) continue;
    const Image* image = v.image(view->image);
    if (view->format != pass->kinds[i].format || (image != nullptr && image->samples != pass->kinds[i].samples))
      return v.name(views[i]) + " does not have the format and samples of attachment " + std::to_string(i);
    if (view->levels != 1) return v.name(views[i]) + " has several mips";
    if (view == nullptr || view->extent.width == 0 || pass->rendered[i] == 0) continue;
    if (view->extent.width < framebuffer.width || view->extent.height < framebuffer.height)
      return v.name(views[i]) + " is smaller than the framebuffer";
    const std::uint32_t layers = std::max(framebuffer.layers, pass->rendered[i]);
    if (view->layers < layers)
      return v.name(views[i]) + " has " + std::to_string(view->layers) + " layers of the " + std::to_string(layers) +
             " that are drawn to";
  }
  return {};
}

// Images of swapchains are played as transfer sources, and others that are read to be compared; those that a cut puts
// back as targets. What an imageless framebuffer says of its images has to agree, so all of them are both.
constexpr VkImageUsageFlags kTransfers = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

void make_readable(Validity& v, const Call& c, const VkFramebufferAttachmentsCreateInfo& images,
                   Framebuffer& framebuffer) {
  for (const VkFramebufferAttachmentImageInfo& image :
       std::span(images.pAttachmentImageInfos, images.attachmentImageInfoCount)) {
    const bool can_be = (image.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) == 0;
    framebuffer.readable.push_back(can_be);
    if (can_be) v.change(c, image.usage, image.usage | kTransfers);
  }
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
  const auto* images = find_chained<VkFramebufferAttachmentsCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO);
  if (framebuffer.imageless && (images == nullptr || images->attachmentImageInfoCount != info.attachmentCount))
    return "says nothing of the images that it has";
  if (framebuffer.imageless) make_readable(v, c, *images, framebuffer);
  for (std::uint32_t i = 0; !framebuffer.imageless && i < info.attachmentCount; ++i)
    if (framebuffer.views.push_back(c.id(&info.pAttachments[i])); framebuffer.views.back() == ObjectId::null)
      return "attachment " + std::to_string(i) + " is null";
  if (Wrong w = check_attachments(v, pass, framebuffer, framebuffer.views); !w.empty()) return w;
  if (const ObjectId id = c.created(); id != ObjectId::null) v.framebuffers.make(id) = std::move(framebuffer);
  return {};
}

Wrong begin_pass(Validity& v, const Call& c, const VkRenderPassBeginInfo& info, VkSubpassContents contents) {
  const ObjectId pass_id = c.id(&info.renderPass), framebuffer_id = c.id(&info.framebuffer);
  const RenderPass* pass = v.passes.find(pass_id);
  const Framebuffer* framebuffer = v.framebuffers.find(framebuffer_id);
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands != nullptr && commands->pass != CommandBuffer::Pass::none) return "within a render pass";
  if (pass != nullptr && info.clearValueCount < pass->cleared)
    return "has " + std::to_string(info.clearValueCount) + " clear values, and " + v.name(pass_id) + " needs " +
           std::to_string(pass->cleared);
  if (framebuffer != nullptr) {
    const auto areas = areas_of(info.renderArea, info.pNext);
    for (const VkRect2D& area : areas)
      if (!is_inside(area, framebuffer->width, framebuffer->height))
        return "renderArea ends outside " + v.name(framebuffer_id) + ", which is " +
               std::to_string(framebuffer->width) + "x" + std::to_string(framebuffer->height);
    // Some drivers read it all the same.
    if (!is_inside(info.renderArea, framebuffer->width, framebuffer->height))
      v.change(c, info.renderArea, areas.front());
    if (pass != nullptr && pass->attachments != framebuffer->attachments)
      return v.name(framebuffer_id) + " does not have the attachments of " + v.name(pass_id);
    const auto* given =
        find_chained<VkRenderPassAttachmentBeginInfo>(info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
    if (framebuffer->imageless && framebuffer->attachments != (given != nullptr ? given->attachmentCount : 0))
      return v.name(framebuffer_id) + " gets another number of images than it has attachments";
    std::vector<ObjectId> views = framebuffer->views;
    for (std::uint32_t i = 0; framebuffer->imageless && given != nullptr && i < given->attachmentCount; ++i)
      if (views.push_back(c.id(&given->pAttachments[i])); views.back() == ObjectId::null)
        return "attachment " + std::to_string(i) + " is null";
    // The framebuffer may have been made with another pass that is compatible.
    if (Wrong w = check_attachments(v, pass, *framebuffer, views); !w.empty()) return w;
    for (std::size_t i = 0; i < framebuffer->readable.size() && i < views.size(); ++i)
      if (const ImageView* view = v.image_views.find(views[i]); view != nullptr && framebuffer->readable[i])
        v.needs_image_usage("", view->image, kTransfers);
    if (commands != nullptr)
      for (const ObjectId id : views) {
        commands->uses.push_back(id);
        if (const ImageView* view = v.image_views.find(id); view != nullptr && view->image != ObjectId::null)
          commands->uses.push_back(view->image);
      }
  }
  if (commands == nullptr) return {};
  commands->pass = CommandBuffer::Pass::render_pass;
  commands->secondaries_only = contents == VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS;
  commands->takes_secondaries = takes_secondaries(v, c, contents);
  commands->in_render_pass = true;
  commands->attachments = pass != nullptr ? pass->attachments : 0;
  commands->framebuffer = framebuffer_id;
  commands->subpass = 0;
  commands->subpasses = pass != nullptr ? static_cast<std::uint32_t>(pass->subpasses.size()) : UINT32_MAX;
  commands->views = pass != nullptr ? pass->views : 0;
  commands->knows_area = pass != nullptr && framebuffer != nullptr;
  if (!commands->knows_area) return {};
  commands->area = areas_of(info.renderArea, info.pNext).front();
  commands->layers = framebuffer->layers;
  commands->colors.clear();
  for (const RenderPass::Subpass& subpass : pass->subpasses) commands->colors.push_back(subpass.colors);
  return {};
}

Wrong begin_pass_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBeginRenderPass>();
  return begin_pass(v, c, *a.pRenderPassBegin, a.contents);
}
Wrong begin_pass_2(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBeginRenderPass2>();
  return begin_pass(v, c, *a.pRenderPassBegin, a.pSubpassBeginInfo->contents);
}

Wrong next_subpass(Validity& v, const Call& c, VkSubpassContents contents) {
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (commands->pass != CommandBuffer::Pass::render_pass) return "outside of a render pass";
  end_queries(v, c, *commands);
  if (commands->feedback) return "transform feedback is not ended";
  if (++commands->subpass >= commands->subpasses) return "behind the last subpass";
  commands->secondaries_only = contents == VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS;
  commands->takes_secondaries = takes_secondaries(v, c, contents);
  return {};
}
Wrong next_subpass_1(Validity& v, const Call& c) { return next_subpass(v, c, c.as<args_vkCmdNextSubpass>().contents); }
Wrong next_subpass_2(Validity& v, const Call& c) {
  return next_subpass(v, c, c.as<args_vkCmdNextSubpass2>().pSubpassBeginInfo->contents);
}

Wrong end_pass(Validity& v, const Call& c) {
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (commands->pass != CommandBuffer::Pass::render_pass) return "outside of a render pass";
  if (commands->subpasses != UINT32_MAX && commands->subpass + 1 != commands->subpasses)
    return "before the last subpass";
  if (commands->feedback) return "transform feedback is not ended";
  end_queries(v, c, *commands);
  leave_pass(*commands);
  return {};
}

// Where the clears of a pass have to stay.
struct Room {
  std::int64_t left, top, right, bottom;
  std::uint32_t layers, colors;
  explicit Room(const CommandBuffer& commands)
      : left(commands.area.offset.x),
        top(commands.area.offset.y),
        right(left + commands.area.extent.width),
        bottom(top + commands.area.extent.height),
        layers(commands.views != 0 ? 1 : commands.layers),
        colors(commands.subpass < commands.colors.size() ? commands.colors[commands.subpass] : 0) {}
};

Wrong no_color(std::uint64_t index, std::uint32_t colors) {
  return "clears color attachment " + std::to_string(index) + " of " + std::to_string(colors);
}

// What lies outside of the pass is left out: nothing says what it would do.
Wrong clear_attachments(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdClearAttachments>();
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (commands->pass == CommandBuffer::Pass::none) return "outside of a render pass";
  for (std::uint32_t i = 0; i < a.attachmentCount; ++i) {
    const std::uint32_t index = a.pAttachments[i].colorAttachment;
    const VkImageAspectFlags aspects = a.pAttachments[i].aspectMask;
    constexpr VkImageAspectFlags kDepthStencil = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    if (aspects == 0 || (aspects != VK_IMAGE_ASPECT_COLOR_BIT && (aspects & ~kDepthStencil) != 0))
      return "aspectMask is neither color nor depth and stencil";
    if ((a.pAttachments[i].aspectMask & VK_IMAGE_ASPECT_COLOR_BIT) == 0 || index == VK_ATTACHMENT_UNUSED) continue;
    if (!commands->knows_area)
      commands->clears.colors = std::max(commands->clears.colors, index + 1);
    else if (const Room room(*commands); index >= room.colors)
      return no_color(index, room.colors);
  }
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < a.rectCount; ++i) {
    VkClearRect rect = a.pRects[i];
    std::int64_t left = rect.rect.offset.x, top = rect.rect.offset.y, right = left + rect.rect.extent.width,
                 bottom = top + rect.rect.extent.height;
    if (!commands->knows_area) {
      if (left >= right || top >= bottom || rect.layerCount == 0) continue;
      v.change(c, a.pRects[kept++], rect);
      Clears& clears = commands->clears;
      clears.left = std::min(clears.left, left);
      clears.top = std::min(clears.top, top);
      clears.right = std::max(clears.right, right);
      clears.bottom = std::max(clears.bottom, bottom);
      clears.layers = std::max(clears.layers, std::uint64_t{rect.baseArrayLayer} + rect.layerCount);
      continue;
    }
    const Room room(*commands);
    left = std::max(left, room.left);
    top = std::max(top, room.top);
    right = std::min(right, room.right);
    bottom = std::min(bottom, room.bottom);
    if (left >= right || top >= bottom || rect.baseArrayLayer >= room.layers || rect.layerCount == 0) continue;
    rect.rect = {{static_cast<std::int32_t>(left), static_cast<std::int32_t>(top)},
                 {static_cast<std::uint32_t>(right - left), static_cast<std::uint32_t>(bottom - top)}};
    rect.layerCount = std::min(rect.layerCount, room.layers - rect.baseArrayLayer);
    v.change(c, a.pRects[kept++], rect);
  }
  if (kept == 0) v.skip();
  v.change(c, a.rectCount, kept);
  return {};
}

}  // namespace

void end_queries(Validity& v, const Call& c, CommandBuffer& commands) {
  std::erase_if(commands.queries, [&](const CommandBuffer::ActiveQuery& query) {
    if (query.inside) v.needs_query_end(c.dispatch(), query);
    return query.inside;
  });
}

void leave_pass(CommandBuffer& commands) {
  commands.pass = CommandBuffer::Pass::none;
  commands.knows_area = commands.secondaries_only = commands.in_render_pass = false;
  commands.takes_secondaries = false;
  commands.framebuffer = ObjectId::null;
}

std::span<const VkRect2D> areas_of(const VkRect2D& area, const void* chain) {
  const auto* group =
      find_chained<VkDeviceGroupRenderPassBeginInfo>(chain, VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO);
  if (group == nullptr || group->deviceRenderAreaCount == 0) return {&area, 1};
  return {group->pDeviceRenderAreas, group->deviceRenderAreaCount};
}

bool is_inside(const VkRect2D& area, std::uint32_t width, std::uint32_t height) {
  return area.offset.x >= 0 && area.offset.y >= 0 &&
         within(static_cast<std::uint32_t>(area.offset.x), area.extent.width, width) &&
         within(static_cast<std::uint32_t>(area.offset.y), area.extent.height, height);
}

Wrong check_clears(CommandBuffer& commands, const Clears& clears) {
  if (!commands.knows_area && commands.secondary) {  // looked at with its own
    Clears& own = commands.clears;
    own.left = std::min(own.left, clears.left);
    own.top = std::min(own.top, clears.top);
    own.right = std::max(own.right, clears.right);
    own.bottom = std::max(own.bottom, clears.bottom);
    own.layers = std::max(own.layers, clears.layers);
    own.colors = std::max(own.colors, clears.colors);
  }
  if (!commands.knows_area) return {};
  const Room room(commands);
  if (clears.colors > room.colors) return no_color(clears.colors - std::uint64_t{1}, room.colors);
  if (clears.right <= clears.left || clears.bottom <= clears.top) return {};
  if (clears.left < room.left || clears.top < room.top || clears.right > room.right || clears.bottom > room.bottom ||
      clears.layers > room.layers)
    return "clears beyond the pass that it is executed in";
  return {};
}

void add_pass_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCreateRenderPass, create_pass_1);
  add(CommandId::vkCreateRenderPass2, create_pass_2);
  add(CommandId::vkCreateFramebuffer, create_framebuffer);
  add(CommandId::vkCmdBeginRenderPass, begin_pass_1);
  add(CommandId::vkCmdBeginRenderPass2, begin_pass_2);
  add(CommandId::vkCmdNextSubpass, next_subpass_1);
  add(CommandId::vkCmdNextSubpass2, next_subpass_2);
  add(CommandId::vkCmdEndRenderPass, end_pass);
  add(CommandId::vkCmdEndRenderPass2, end_pass);
  add(CommandId::vkCmdClearAttachments, clear_attachments);
}

}  // namespace rondo::player::validity
