// SPDX-License-Identifier: Apache-2.0
// Attachments (specification, "Render Pass"): loaded, cleared or forgotten where a pass begins, drawn to, stored and
// resolved where it ends. And barriers that forget what an image held.
#include <algorithm>
#include <bit>
#include <optional>

#include "generated/args.h"
#include "model/access/tracker.h"
#include "model/gpu/texels.h"

namespace rondo::access {

namespace {

constexpr VkPipelineStageFlags2 kOutput = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
constexpr VkPipelineStageFlags2 kTests =
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
constexpr VkAccessFlags2 kColorRead = VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT,
                         kColorWrite = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
constexpr VkAccessFlags2 kDepthRead = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
constexpr VkAccessFlags2 kDepthWrite = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
constexpr VkImageAspectFlags kDepthStencil = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;

// --- What passes and framebuffers are made of ---

bool stencil_forgets(const VkAttachmentDescription2& a) {
  const auto* stencil = find_chained<VkAttachmentDescriptionStencilLayout>(
      a.pNext, VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT);
  return (stencil != nullptr ? stencil->stencilInitialLayout : a.initialLayout) == VK_IMAGE_LAYOUT_UNDEFINED;
}

std::uint32_t count_of(std::uint32_t view_mask) { return static_cast<std::uint32_t>(std::popcount(view_mask)); }

void take_chain(RenderPass::Subpass& to, const VkSubpassDescription2& from) {
  if (const auto* depth = find_chained<VkSubpassDescriptionDepthStencilResolve>(
          from.pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
      depth != nullptr && depth->pDepthStencilResolveAttachment != nullptr)
    to.depth_resolve = depth->pDepthStencilResolveAttachment->attachment;
  if (const auto* rate = find_chained<VkFragmentShadingRateAttachmentInfoKHR>(
          from.pNext, VK_STRUCTURE_TYPE_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR);
      rate != nullptr && rate->pFragmentShadingRateAttachment != nullptr)
    to.rate = rate->pFragmentShadingRateAttachment->attachment;
  to.views = count_of(from.viewMask);
}

void create_pass(Tracker& t, const Call& c) {
  const VkRenderPassCreateInfo2& info = *c.as<args_vkCreateRenderPass2>().pCreateInfo;
  RenderPass& pass = t.passes.make(c.created());
  for (const auto& a : std::span(info.pAttachments, info.attachmentCount))
    pass.attachments.push_back({a.loadOp, a.stencilLoadOp, a.storeOp, a.stencilStoreOp,
                                a.initialLayout == VK_IMAGE_LAYOUT_UNDEFINED, stencil_forgets(a), false});
  for (const auto& s : std::span(info.pSubpasses, info.subpassCount)) {
    RenderPass::Subpass subpass;
    for (std::uint32_t i = 0; i < s.colorAttachmentCount; ++i) {
      subpass.colors.push_back(s.pColorAttachments[i].attachment);
      if (s.pResolveAttachments != nullptr) subpass.resolves.push_back(s.pResolveAttachments[i].attachment);
    }
    for (std::uint32_t i = 0; i < s.inputAttachmentCount; ++i)
      subpass.inputs.push_back(s.pInputAttachments[i].attachment);
    if (s.pDepthStencilAttachment != nullptr) subpass.depth = s.pDepthStencilAttachment->attachment;
    take_chain(subpass, s);
    for (const auto* list : {&subpass.colors, &subpass.inputs, &subpass.resolves})
      for (const std::uint32_t a : *list)
        if (a < pass.attachments.size()) pass.attachments[a].used = true;
    for (const std::uint32_t a : {subpass.depth, subpass.depth_resolve, subpass.rate})
      if (a < pass.attachments.size()) pass.attachments[a].used = true;
    pass.subpasses.push_back(std::move(subpass));
  }
}

void create_framebuffer(Tracker& t, const Call& c) {
  const VkFramebufferCreateInfo& info = *c.as<args_vkCreateFramebuffer>().pCreateInfo;
  Framebuffer& made = t.framebuffers.make(c.created());
  made.layers = info.layers;
  if ((info.flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) == 0)
    for (const VkImageView& view : std::span(info.pAttachments, info.attachmentCount))
      made.views.push_back(c.id(&view));
}

// --- Touches of a view ---

struct Area {
  VkRect2D area{};
  std::uint32_t layers = 1;
  bool partial = false;  // as with multiview, where masks say which layers are drawn to
};

bool is_all(Tracker& t, const ImageView& view, const Area& area) {
  const Image* image = t.images.find(view.image);
  if (image == nullptr || area.partial || area.area.offset.x != 0 || area.area.offset.y != 0) return false;
  const VkExtent3D whole = t.extent_of(*image, view.part.aspectMask, view.part.baseMipLevel);
  return area.area.extent.width >= whole.width && area.area.extent.height >= whole.height && whole.depth == 1 &&
         area.layers >= view.part.layerCount;
}

Touch of_view(const ImageView& view, VkImageAspectFlags aspects, VkPipelineStageFlags2 stages, VkAccessFlags2 access,
              bool overwrites, bool forgets = false) {
  Touch touch;
  touch.object = view.image;
  touch.part = view.part;
  touch.part.aspectMask = aspects;
  touch.stages = stages;
  touch.access = access;
  touch.overwrites = overwrites;
  touch.forgets = overwrites && forgets;
  return touch;
}

// Of a view of several mips the first is drawn to.
std::optional<ImageView> first_mip(Tracker& t, ObjectId id) {
  const ImageView* found = t.views.find(id);
  if (found == nullptr) return std::nullopt;
  ImageView view = *found;
  view.part.levelCount = std::min(view.part.levelCount, 1u);
  return view;
}

// What the beginning of a pass does to one aspect of an attachment.
void load(Tracker& t, const Call& c, const ImageView& view, VkImageAspectFlags aspects, VkAttachmentLoadOp op,
          bool forgets, bool all) {
  const bool depth = (aspects & kDepthStencil) != 0;
  const VkPipelineStageFlags2 stages = depth ? VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT : kOutput;
  const VkAccessFlags2 read = depth ? kDepthRead : kColorRead, write = depth ? kDepthWrite : kColorWrite;
  switch (op) {
    case VK_ATTACHMENT_LOAD_OP_LOAD:
      return t.touch(c, of_view(view, aspects, stages, read, false));
    case VK_ATTACHMENT_LOAD_OP_CLEAR:
      return t.touch(c, of_view(view, aspects, stages, write, all));
    case VK_ATTACHMENT_LOAD_OP_DONT_CARE:
      // From UNDEFINED the whole is forgotten; else the area may be.
      return t.touch(c, of_view(view, aspects, stages, write, all || forgets, true));
    default:  // VK_ATTACHMENT_LOAD_OP_NONE_EXT: it is as it was, but for its layout
      if (forgets) t.touch(c, of_view(view, aspects, stages, write, true, true));
      return;
  }
}

// … and its end. What is not stored is forgotten, where it was drawn to.
void store(Tracker& t, const Call& c, const ImageView& view, VkImageAspectFlags aspects, VkAttachmentStoreOp op) {
  if (op != VK_ATTACHMENT_STORE_OP_STORE && op != VK_ATTACHMENT_STORE_OP_DONT_CARE) return;
  const bool depth = (aspects & kDepthStencil) != 0;
  t.touch(c, of_view(view, aspects, depth ? VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT : kOutput,
                     depth ? kDepthWrite : kColorWrite, false));
}

void add_draw_touches(std::vector<Touch>& to, const ImageView& view, bool depth) {
  to.push_back(of_view(view, view.part.aspectMask, depth ? kTests : kOutput,
                       depth ? kDepthRead | kDepthWrite : kColorRead | kColorWrite, false));
}

// --- Render passes ---

// Of depth and stencil a pass uses both, whatever the aspects of the view are.
std::optional<ImageView> attachment(Tracker& t, const CommandBuffer& commands, std::uint32_t index) {
  auto view = first_mip(t, index < commands.views.size() ? commands.views[index] : ObjectId::null);
  if (!view) return std::nullopt;
  if (const Image* image = t.images.find(view->image); image != nullptr && gpu::is_depth_stencil(image->format))
    view->part.aspectMask = gpu::aspects_of(image->format);
  return view;
}

// Draws touch what their subpass has. Shaders read input attachments through descriptors.
void enter_subpass(Tracker& t, CommandBuffer& commands) {
  commands.attachments.clear();
  commands.views_drawn = 0;
  commands.changed();
  const RenderPass* pass = t.passes.find(commands.pass);
  if (pass == nullptr || commands.subpass >= pass->subpasses.size()) return;
  const RenderPass::Subpass& subpass = pass->subpasses[commands.subpass];
  commands.views_drawn = subpass.views;
  for (const std::uint32_t color : subpass.colors)
    if (const auto view = attachment(t, commands, color)) add_draw_touches(commands.attachments, *view, false);
  if (const auto view = attachment(t, commands, subpass.depth)) add_draw_touches(commands.attachments, *view, true);
  if (const auto view = attachment(t, commands, subpass.rate))
    commands.attachments.push_back(of_view(*view, view->part.aspectMask,
                                           VK_PIPELINE_STAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR,
                                           VK_ACCESS_2_FRAGMENT_SHADING_RATE_ATTACHMENT_READ_BIT_KHR, false));
}

// Where a subpass ends its samples are resolved.
void resolve_subpass(Tracker& t, const Call& c, CommandBuffer& commands) {
  const RenderPass* pass = t.passes.find(commands.pass);
  if (pass == nullptr || commands.subpass >= pass->subpasses.size()) return;
  const RenderPass::Subpass& subpass = pass->subpasses[commands.subpass];
  const Area area{commands.area, commands.area_layers, subpass.views != 0 || !commands.area_of_all};
  const auto resolve = [&](std::uint32_t from, std::uint32_t to) {
    const auto source = attachment(t, commands, from), target = attachment(t, commands, to);
    if (!source || !target) return;
    t.touch(c, of_view(*source, source->part.aspectMask, kOutput, kColorRead, false));
    t.touch(c, of_view(*target, target->part.aspectMask, kOutput, kColorWrite, is_all(t, *target, area)));
  };
  for (std::size_t i = 0; i < subpass.resolves.size(); ++i) resolve(subpass.colors[i], subpass.resolves[i]);
  if (const auto target = attachment(t, commands, subpass.depth_resolve)) {
    if (const auto source = attachment(t, commands, subpass.depth))
      t.touch(c, of_view(*source, source->part.aspectMask, kOutput, kColorRead, false));
    t.touch(c, of_view(*target, target->part.aspectMask, kOutput, kColorWrite, false));  // one aspect may have no mode
  }
}

void mark(Tracker& t, const Call& c, Mark mark) {
  CommandBuffer& commands = t.recording(c);
  commands.in_pass = mark != Mark::ends_pass;
  Recorded& recorded = t.record(c).recorded;
  recorded.mark = mark;
  recorded.views = commands.views_drawn;
}

// Each device of a group may have an area of its own.
bool has_areas(const void* chain) {
  const auto* group =
      find_chained<VkDeviceGroupRenderPassBeginInfo>(chain, VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO);
  return group != nullptr && group->deviceRenderAreaCount != 0;
}

void begin_pass(Tracker& t, const Call& c) {
  const VkRenderPassBeginInfo& info = *c.as<args_vkCmdBeginRenderPass2>().pRenderPassBegin;
  CommandBuffer& commands = t.recording(c);
  commands.pass = c.id(&info.renderPass);
  commands.subpass = 0;
  commands.area = info.renderArea;
  commands.area_of_all = !has_areas(info.pNext);
  commands.views.clear();
  commands.area_layers = 1;
  if (const Framebuffer* framebuffer = t.framebuffers.find(c.id(&info.framebuffer)); framebuffer != nullptr) {
    commands.views = framebuffer->views;
    commands.area_layers = framebuffer->layers;
  }
  if (const auto* given = find_chained<VkRenderPassAttachmentBeginInfo>(
          info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
      given != nullptr && given->attachmentCount != 0) {
    commands.views.clear();
    for (const VkImageView& view : std::span(given->pAttachments, given->attachmentCount))
      commands.views.push_back(c.id(&view));
  }
  if (const RenderPass* pass = t.passes.find(commands.pass); pass != nullptr) {
    const bool views =
        std::any_of(pass->subpasses.begin(), pass->subpasses.end(), [](const auto& s) { return s.views != 0; });
    const Area area{commands.area, commands.area_layers, views || !commands.area_of_all};
    for (std::uint32_t i = 0; i < pass->attachments.size(); ++i) {
      const RenderPass::Attachment& a = pass->attachments[i];
      const auto view = attachment(t, commands, i);
      if (!view) continue;
      const VkImageAspectFlags stencil = view->part.aspectMask & VK_IMAGE_ASPECT_STENCIL_BIT;
      const VkImageAspectFlags others = view->part.aspectMask & ~stencil;
      const bool all = is_all(t, *view, area);
      // What no subpass uses keeps its contents, unless its layout forgets them.
      constexpr auto kNone = VK_ATTACHMENT_LOAD_OP_NONE_EXT;
      if (others != 0) load(t, c, *view, others, a.used ? a.load : kNone, a.forgets, all);
      if (stencil != 0) load(t, c, *view, stencil, a.used ? a.stencil_load : kNone, a.stencil_forgets, all);
    }
  }
  enter_subpass(t, commands);
  mark(t, c, Mark::begins_pass);
  t.record(c).recorded.pass = commands.pass;
}

void next_subpass(Tracker& t, const Call& c) {
  CommandBuffer& commands = t.recording(c);
  resolve_subpass(t, c, commands);
  ++commands.subpass;
  enter_subpass(t, commands);
  mark(t, c, Mark::next_subpass);
}

void end_pass(Tracker& t, const Call& c) {
  CommandBuffer& commands = t.recording(c);
  resolve_subpass(t, c, commands);
  if (const RenderPass* pass = t.passes.find(commands.pass); pass != nullptr)
    for (std::uint32_t i = 0; i < pass->attachments.size(); ++i) {
      const RenderPass::Attachment& a = pass->attachments[i];
      const auto view = attachment(t, commands, i);
      if (!view || !a.used) continue;
      const VkImageAspectFlags stencil = view->part.aspectMask & VK_IMAGE_ASPECT_STENCIL_BIT;
      if (const VkImageAspectFlags others = view->part.aspectMask & ~stencil; others != 0)
        store(t, c, *view, others, a.store);
      if (stencil != 0) store(t, c, *view, stencil, a.stencil_store);
    }
  mark(t, c, Mark::ends_pass);
  commands.pass = ObjectId::null;
  commands.views.clear();
  commands.views_drawn = 0;
  commands.attachments.clear();
  commands.changed();
}

// --- Dynamic rendering ---

void begin_rendering(Tracker& t, const Call& c) {
  const VkRenderingInfo& info = *c.as<args_vkCmdBeginRendering>().pRenderingInfo;
  CommandBuffer& commands = t.recording(c);
  const Area area{info.renderArea, info.layerCount, info.viewMask != 0 || has_areas(info.pNext)};
  const bool resumes = (info.flags & VK_RENDERING_RESUMING_BIT) != 0;
  const bool suspends = (info.flags & VK_RENDERING_SUSPENDING_BIT) != 0;
  commands.attachments.clear();
  commands.at_end.clear();
  commands.views_drawn = count_of(info.viewMask);
  commands.changed();
  const auto take = [&](const VkRenderingAttachmentInfo& a, VkImageAspectFlags aspects, bool depth) {
    const auto view = first_mip(t, c.id(&a.imageView));
    if (!view) return;
    load(t, c, *view, aspects, resumes ? VK_ATTACHMENT_LOAD_OP_LOAD : a.loadOp, false, is_all(t, *view, area));
    Touch drawn = of_view(*view, aspects, depth ? kTests : kOutput,
                          depth ? kDepthRead | kDepthWrite : kColorRead | kColorWrite, false);
    commands.attachments.push_back(drawn);
    if (a.storeOp == VK_ATTACHMENT_STORE_OP_STORE || a.storeOp == VK_ATTACHMENT_STORE_OP_DONT_CARE) {
      drawn.access = depth ? kDepthWrite : kColorWrite;
      commands.at_end.push_back(drawn);
    }
    const bool resolves = a.resolveMode != VK_RESOLVE_MODE_NONE && !suspends;
    const auto target = first_mip(t, resolves ? c.id(&a.resolveImageView) : ObjectId::null);
    if (!target) return;
    commands.at_end.push_back(of_view(*view, aspects, kOutput, kColorRead, false));
    commands.at_end.push_back(of_view(*target, aspects, kOutput, kColorWrite, is_all(t, *target, area)));
  };
  for (const VkRenderingAttachmentInfo& color : std::span(info.pColorAttachments, info.colorAttachmentCount))
    take(color, VK_IMAGE_ASPECT_COLOR_BIT, false);
  if (info.pDepthAttachment != nullptr) take(*info.pDepthAttachment, VK_IMAGE_ASPECT_DEPTH_BIT, true);
  if (info.pStencilAttachment != nullptr) take(*info.pStencilAttachment, VK_IMAGE_ASPECT_STENCIL_BIT, true);
  if (const auto* rate = find_chained<VkRenderingFragmentShadingRateAttachmentInfoKHR>(
          info.pNext, VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR);
      rate != nullptr)
    if (const auto view = first_mip(t, c.id(&rate->imageView)))
      commands.attachments.push_back(of_view(*view, view->part.aspectMask,
                                             VK_PIPELINE_STAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR,
                                             VK_ACCESS_2_FRAGMENT_SHADING_RATE_ATTACHMENT_READ_BIT_KHR, false));
  mark(t, c, Mark::begins_pass);
  Recorded& recorded = t.record(c).recorded;
  recorded.suspends = suspends;
  recorded.resumes = resumes;
}

void end_rendering(Tracker& t, const Call& c) {
  CommandBuffer& commands = t.recording(c);
  for (const Touch& touch : commands.at_end) t.touch(c, touch);
  mark(t, c, Mark::ends_pass);
  commands.at_end.clear();
  commands.attachments.clear();
  commands.views_drawn = 0;
  commands.changed();
}

// Which of them a clear is of, is not looked into: all of its aspects may be.
void clear_attachments(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdClearAttachments>();
  const CommandBuffer& commands = t.recording(c);
  if (commands.conditional)
    t.touch_buffer(c, commands.condition.buffer, commands.condition.offset, 4,
                   VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT, VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT);
  VkImageAspectFlags cleared = 0;
  for (const VkClearAttachment& one : std::span(a.pAttachments, a.attachmentCount)) cleared |= one.aspectMask;
  t.record(c).clears = commands.inherits ? cleared : 0;
  const std::vector<Touch> attachments = commands.attachments;  // touches go to the same place
  for (Touch touch : attachments) {
    touch.part.aspectMask &= cleared;
    touch.access &= kWrites;
    if (touch.part.aspectMask != 0 && touch.access != 0) t.touch(c, touch);
  }
}

// --- Barriers ---

void forget(Tracker& t, const Call& c, const VkDependencyInfo& info) {
  for (const VkImageMemoryBarrier2& b : std::span(info.pImageMemoryBarriers, info.imageMemoryBarrierCount)) {
    if (b.oldLayout != VK_IMAGE_LAYOUT_UNDEFINED || b.newLayout == VK_IMAGE_LAYOUT_UNDEFINED) continue;
    Touch touch;
    touch.object = c.id(&b.image);
    touch.part = t.part_of(touch.object, b.subresourceRange);
    touch.stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    touch.access = VK_ACCESS_2_MEMORY_WRITE_BIT;
    touch.overwrites = touch.forgets = true;
    t.touch(c, touch);
  }
}

void barrier(Tracker& t, const Call& c) { forget(t, c, *c.as<args_vkCmdPipelineBarrier2>().pDependencyInfo); }

void wait_events(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdWaitEvents2>();
  for (const VkDependencyInfo& info : std::span(a.pDependencyInfos, a.eventCount)) forget(t, c, info);
}

}  // namespace

void inherit_views(Tracker& t, const Call& c, const VkCommandBufferInheritanceInfo& info) {
  CommandBuffer& commands = t.recording(c);
  if (const RenderPass* pass = t.passes.find(c.id(&info.renderPass)); pass != nullptr) {
    if (info.subpass < pass->subpasses.size()) commands.views_drawn = pass->subpasses[info.subpass].views;
  } else if (const auto* rendering = find_chained<VkCommandBufferInheritanceRenderingInfo>(
                 info.pNext, VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO);
             rendering != nullptr) {
    commands.views_drawn = count_of(rendering->viewMask);
  }
}

void add_passes(Handlers& handlers) {
  const auto add = [&](CommandId id, Handler handler) { handlers[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCreateRenderPass2, create_pass);
  add(CommandId::vkCreateFramebuffer, create_framebuffer);
  add(CommandId::vkCmdBeginRenderPass2, begin_pass);
  add(CommandId::vkCmdNextSubpass2, next_subpass);
  add(CommandId::vkCmdEndRenderPass2, end_pass);
  add(CommandId::vkCmdBeginRendering, begin_rendering);
  add(CommandId::vkCmdEndRendering, end_rendering);
#ifdef VK_KHR_maintenance10
  add(CommandId::vkCmdEndRendering2KHR, end_rendering);
#endif
  add(CommandId::vkCmdClearAttachments, clear_attachments);
  add(CommandId::vkCmdPipelineBarrier2, barrier);
  add(CommandId::vkCmdWaitEvents2, wait_events);
}

}  // namespace rondo::access
