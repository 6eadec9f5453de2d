// SPDX-License-Identifier: Apache-2.0
// Attachments (specification, "Render Pass"): loaded, cleared or forgotten where a pass begins, drawn to, stored and
// resolved where it ends; and their layouts, which a pass changes by itself.
#include <algorithm>
#include <optional>

#include "format/native_view.h"
#include "model/effects/shared.h"
#include "model/gpu/texels.h"

namespace rondo::model {

namespace {

constexpr VkPipelineStageFlags2 kOutput = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
constexpr VkPipelineStageFlags2 kTests =
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
constexpr VkAccessFlags2 kColorRead = VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT,
                         kColorWrite = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
constexpr VkAccessFlags2 kDepthRead = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
constexpr VkAccessFlags2 kDepthWrite = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
constexpr VkImageAspectFlags kStencil = VK_IMAGE_ASPECT_STENCIL_BIT;
constexpr VkImageAspectFlags kDepthStencil = VK_IMAGE_ASPECT_DEPTH_BIT | kStencil;

// What the handlers of passes share, for the call that is being read.
template <class Id>
struct Passes {
  using View = ImageViewOf<Id>;
  using Attachment = RenderPass::Attachment;

  EffectsOf<Id>& e;
  const CallOf<Id>& c;
  RecordingOf<Id>& to = e.recording(c);
  const bool touches = e.wants(kTouches | kWork);

  // --- Attachments ---

  struct Area {
    VkRect2D area{};
    std::uint32_t layers = 1;
    bool partial = false;  // as with multiview, where masks say which layers are drawn to
  };
  Area area(bool has_views) const { return {to.area, to.area_layers, has_views || !to.area_of_all}; }

  bool is_all(const View& view, const Area& drawn) const {
    const Image* image = e.views.images.find(view.image);
    if (image == nullptr || drawn.partial || drawn.area.offset.x != 0 || drawn.area.offset.y != 0) return false;
    const VkExtent3D whole = extent_of(*image, view.part.aspectMask, view.part.baseMipLevel);
    return drawn.area.extent.width >= whole.width && drawn.area.extent.height >= whole.height && whole.depth == 1 &&
           drawn.layers >= view.part.layerCount;
  }

  // What an attachment of the pass draws to: of a view of several mips the first. Nothing: it is unused, or nobody
  // knows its view.
  std::optional<View> attachment(std::uint32_t index) const {
    RONDO_CHECK(to.pass != nullptr);
    RONDO_CHECK(!to.pass->dynamic || to.views.size() == to.pass->attachments.size());
    const View* found = index < to.views.size() ? e.views.views.find(to.views[index]) : nullptr;
    if (found == nullptr) return std::nullopt;
    View view = *found;
    view.part.levelCount = std::min(view.part.levelCount, 1u);
    const VkImageAspectFlags own = index < to.pass->attachments.size() ? to.pass->attachments[index].aspects : 0;
    if (own != 0)
      view.part.aspectMask = own;
    else if (const Image* image = e.views.images.find(view.image); image != nullptr && !to.pass->dynamic)
      if (gpu::is_depth_stencil(image->format)) view.part.aspectMask = gpu::aspects_of(image->format);
    return view;
  }

  static TouchOf<Id> of_view(const View& view, VkImageAspectFlags aspects, VkPipelineStageFlags2 stages,
                             VkAccessFlags2 access, bool overwrites, bool forgets = false) {
    TouchOf<Id> touch;
    touch.object = view.image;
    touch.part = view.part;
    touch.part.aspectMask = aspects;
    touch.stages = stages;
    touch.access = access;
    touch.overwrites = overwrites;
    touch.forgets = overwrites && forgets;
    return touch;
  }

  // Stencil apart from what else an attachment has: visit(aspects, is stencil).
  template <class Visit>
  static void for_aspects(const View& view, const Visit& visit) {
    const VkImageAspectFlags stencil = view.part.aspectMask & kStencil, others = view.part.aspectMask & ~kStencil;
    if (others != 0) visit(others, false);
    if (stencil != 0) visit(stencil, true);
  }

  // --- Begin and end of a pass, for some aspects of an attachment ---

  void load(const View& view, VkImageAspectFlags aspects, VkAttachmentLoadOp op, bool forgets, bool all, bool later) {
    const auto touch = [&](TouchOf<Id> one) {
      one.is_loaded_later = later;
      e.touch(one);
    };
    const bool depth = (aspects & kDepthStencil) != 0;
    const VkPipelineStageFlags2 stages = depth ? VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT : kOutput;
    const VkAccessFlags2 read = depth ? kDepthRead : kColorRead, write = depth ? kDepthWrite : kColorWrite;
    switch (op) {
      case VK_ATTACHMENT_LOAD_OP_LOAD:
        return touch(of_view(view, aspects, stages, read, false));
      case VK_ATTACHMENT_LOAD_OP_CLEAR:
        return touch(of_view(view, aspects, stages, write, all));
      case VK_ATTACHMENT_LOAD_OP_DONT_CARE:
        // From UNDEFINED the whole is forgotten; else the area may be.
        return touch(of_view(view, aspects, stages, write, all || forgets, true));
      default:  // VK_ATTACHMENT_LOAD_OP_NONE_EXT: it is as it was, but for its layout
        if (forgets) touch(of_view(view, aspects, stages, write, true, true));
        return;
    }
  }

  // What is not stored is forgotten, where it was drawn to.
  void store(const View& view, VkImageAspectFlags aspects, VkAttachmentStoreOp op) {
    if (op != VK_ATTACHMENT_STORE_OP_STORE && op != VK_ATTACHMENT_STORE_OP_DONT_CARE) return;
    const bool depth = (aspects & kDepthStencil) != 0;
    const VkPipelineStageFlags2 tests = to.pass->dynamic ? kTests : VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
    e.touch(of_view(view, aspects, depth ? tests : kOutput, depth ? kDepthWrite : kColorWrite, false));
  }

  void load_all() {
    constexpr auto kNone = VK_ATTACHMENT_LOAD_OP_NONE_EXT;
    const Area drawn = area(to.pass->has_views());
    for (std::uint32_t i = 0; i < to.pass->attachments.size(); ++i) {
      const auto view = attachment(i);
      if (!view) continue;
      const Attachment& a = to.pass->attachments[i];
      const bool all = is_all(*view, drawn);
      // What no subpass uses keeps its contents, unless its layout forgets them.
      for_aspects(*view, [&](VkImageAspectFlags aspects, bool stencil) {
        const bool forgets = (stencil ? a.stencil_from : a.from) == VK_IMAGE_LAYOUT_UNDEFINED && !to.pass->dynamic;
        load(*view, aspects, !a.used ? kNone : stencil ? a.stencil_load : a.load, forgets, all, a.first_subpass != 0);
      });
    }
  }

  // What is stored in such a layout is what was there.
  bool stays_read_only(std::uint32_t index, bool stencil) const {
    bool any = false;
    for (const RenderPass::Subpass& subpass : to.pass->subpasses)
      for (const RenderPass::Reference& depth : subpass.depths) {
        if (depth.attachment != index) continue;
        any = true;
        if (!is_read_only(stencil ? depth.stencil_layout : depth.layout, stencil)) return false;
      }
    return any;
  }

  void store(std::uint32_t index) {
    const Attachment& a = to.pass->attachments[index];
    const auto view = attachment(index);
    if (!view || !a.used) return;
    for_aspects(*view, [&](VkImageAspectFlags aspects, bool stencil) {
      if ((stencil ? a.stencil_store : a.store) == VK_ATTACHMENT_STORE_OP_STORE && stays_read_only(index, stencil))
        return;
      store(*view, aspects, stencil ? a.stencil_store : a.store);
    });
  }

  void resolve(std::uint32_t from, std::uint32_t into, const Area& drawn) {
    const auto source = attachment(from), target = attachment(into);
    if (!source || !target) return;
    e.touch(of_view(*source, source->part.aspectMask, kOutput, kColorRead, false));
    e.touch(of_view(*target, target->part.aspectMask, kOutput, kColorWrite, is_all(*target, drawn)));
  }

  // Where a subpass ends its samples are resolved.
  void resolve_subpass() {
    const RenderPass::Subpass* subpass = current();
    if (subpass == nullptr) return;
    const Area drawn = area(subpass->view_mask != 0);
    for (std::size_t i = 0; i < subpass->resolves.size() && i < subpass->colors.size(); ++i)
      resolve(subpass->colors[i].attachment, subpass->resolves[i].attachment, drawn);
    if (const auto target = attachment(subpass->depth_resolve.attachment)) {
      if (!subpass->depths.empty())
        if (const auto source = attachment(subpass->depths[0].attachment))
          e.touch(of_view(*source, source->part.aspectMask, kOutput, kColorRead, false));
      // Depth or stencil may have no mode, and stays as it is.
      e.touch(of_view(*target, target->part.aspectMask, kOutput, kColorWrite, false));
    }
  }

  // Of dynamic rendering each attachment is stored, then resolved.
  void end_rendering() {
    const RenderPass::Subpass* subpass = current();
    if (subpass == nullptr) return;
    const Area drawn = area(subpass->view_mask != 0);
    const std::size_t count = subpass->colors.size() + subpass->depths.size();
    for (std::uint32_t i = 0; i < count; ++i) {
      store(i);
      resolve(i, subpass->resolves[i].attachment, drawn);
    }
  }

  // --- Subpasses ---

  const RenderPass::Subpass* current() const {
    return to.pass != nullptr && to.subpass < to.pass->subpasses.size() ? &to.pass->subpasses[to.subpass] : nullptr;
  }

  // Whether draws may not write to depth, or to stencil, in a layout.
  static bool is_read_only(VkImageLayout layout, bool stencil) {
    switch (layout) {
      case VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL:
      case VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL:
        return true;
      case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL:
      case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL:
        return !stencil;
      case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL:
      case VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL:
        return stencil;
      default:
        return false;
    }
  }

  // What draws of the subpass touch. Shaders read input attachments through descriptors.
  void enter_subpass() {
    to.attachments.clear();
    to.views_drawn = 0;
    changed();
    const RenderPass::Subpass* subpass = current();
    if (subpass == nullptr) return;
    to.views_drawn = views_in(subpass->view_mask);
    if (!touches) return;
    const auto drawn = [&](const RenderPass::Reference& one, VkPipelineStageFlags2 stages, VkAccessFlags2 access) {
      if (const auto view = attachment(one.attachment))
        to.attachments.push_back(of_view(*view, view->part.aspectMask, stages, access, false));
    };
    for (const auto& color : subpass->colors) drawn(color, kOutput, kColorRead | kColorWrite);
    for (const auto& depth : subpass->depths) {
      const auto view = attachment(depth.attachment);
      if (!view) continue;
      const VkImageAspectFlags aspects = view->part.aspectMask;
      VkImageAspectFlags read_only = 0;
      for_aspects(*view, [&](VkImageAspectFlags some, bool stencil) {
        if (is_read_only(stencil ? depth.stencil_layout : depth.layout, stencil)) read_only |= some;
      });
      if (aspects != read_only)
        to.attachments.push_back(of_view(*view, aspects & ~read_only, kTests, kDepthRead | kDepthWrite, false));
      if (read_only != 0) to.attachments.push_back(of_view(*view, read_only, kTests, kDepthRead, false));
    }
    drawn(subpass->rate, VK_PIPELINE_STAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR,
          VK_ACCESS_2_FRAGMENT_SHADING_RATE_ATTACHMENT_READ_BIT_KHR);
  }

  void changed() {
    if constexpr (requires { e.recording(c).bindings; }) e.recording(c).bindings.changed();
  }

  // --- Layouts ---

  void change_layout(std::uint32_t index, VkImageLayout layout, VkImageLayout stencil_layout) {
    const auto view = attachment(index);
    if (!view || index >= to.layouts.size()) return;
    for_aspects(*view, [&](VkImageAspectFlags aspects, bool stencil) {
      VkImageLayout& now = stencil ? to.layouts[index].stencil : to.layouts[index].now;
      const VkImageLayout then = stencil ? stencil_layout : layout;
      if (now == then) return;
      TransitionOf<Id> one;
      one.resource = view->image;
      one.range = view->part;
      one.range.aspectMask = aspects;
      one.from = now;
      one.to = then;
      e.transition(one);
      now = then;
    });
  }

  // From the layouts before the pass to those that the subpass wants.
  void begin_layouts() {
    to.layouts.clear();
    if (!e.wants(kTransitions) || to.pass->dynamic) return;
    for (const Attachment& a : to.pass->attachments) to.layouts.push_back({a.from, a.stencil_from});
  }
  void subpass_layouts() {
    const RenderPass::Subpass* subpass = current();
    if (subpass == nullptr || to.layouts.empty()) return;
    RONDO_CHECK(to.layouts.size() == to.pass->attachments.size());
    const auto change = [&](const RenderPass::Reference& one) {
      change_layout(one.attachment, one.layout, one.stencil_layout);
    };
    for (const auto* list : {&subpass->inputs, &subpass->colors, &subpass->depths, &subpass->resolves})
      std::for_each(list->begin(), list->end(), change);
    change(subpass->depth_resolve);
    change(subpass->rate);
  }
  void end_layouts() {
    if (to.pass == nullptr) return;
    RONDO_CHECK(to.layouts.empty() || to.layouts.size() == to.pass->attachments.size());
    for (std::uint32_t i = 0; i < to.layouts.size(); ++i)
      change_layout(i, to.pass->attachments[i].to, to.pass->attachments[i].stencil_to);
    to.layouts.clear();
  }

  // --- Dependencies of subpasses ---

  // Those that end in the subpass that is entered; at the end of the pass those that end outside.
  void dependencies(std::uint32_t into) {
    if (to.pass == nullptr || !e.wants(kBarriers)) return;
    for (const RenderPass::Dependency& one : to.pass->dependencies) {
      if (one.to != into) continue;
      BarrierOf<Id> barrier;
      barrier.of = BarrierOf<Id>::Of::subpass_dependency;
      barrier.src_stages = one.src_stages;
      barrier.dst_stages = one.dst_stages;
      barrier.src_access = one.src_access;
      barrier.dst_access = one.dst_access;
      barrier.flags = one.flags;
      barrier.src_subpass = one.from;
      barrier.dst_subpass = one.to;
      barrier.implicit = one.implicit;
      e.barrier(barrier);
    }
  }

  void mark(MarkingOf<Id> marking) {
    to.in_pass = marking.mark != Mark::ends_pass;
    e.mark(marking);
  }

  void leave() {
    to.pass = nullptr;
    to.views.clear();
    to.layouts.clear();
    to.attachments.clear();
    to.views_drawn = 0;
    changed();
  }
};

// Each device of a group may have an area of its own.
bool has_areas(const void* chain) {
  const auto* group =
      find_chained<VkDeviceGroupRenderPassBeginInfo>(chain, VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO);
  return group != nullptr && group->deviceRenderAreaCount != 0;
}

template <class Id>
void begin_pass(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const VkRenderPassBeginInfo& info = *c.template as<args_vkCmdBeginRenderPass2>().pRenderPassBegin;
  Passes<Id> p{e, c};
  const Id id = c.id(&info.renderPass);
  p.to.pass = e.views.pass(id);
  p.to.subpass = 0;
  p.to.area = info.renderArea;
  p.to.area_of_all = !has_areas(info.pNext);
  p.to.views.clear();
  p.to.area_layers = 1;
  if (const auto* framebuffer = e.views.framebuffers.find(c.id(&info.framebuffer)); framebuffer != nullptr) {
    p.to.views = framebuffer->views;
    p.to.area_layers = framebuffer->layers;
  }
  if (const auto* given = find_chained<VkRenderPassAttachmentBeginInfo>(
          info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
      given != nullptr && given->attachmentCount != 0) {
    p.to.views.clear();
    for (const VkImageView& view : std::span(given->pAttachments, given->attachmentCount))
      p.to.views.push_back(c.id(&view));
  }
  if (p.to.pass != nullptr) {
    p.begin_layouts();
    p.dependencies(0);
    p.subpass_layouts();
    if (p.touches) p.load_all();
  }
  p.enter_subpass();
  p.mark({Mark::begins_pass, id});
}

template <class Id>
void next_subpass(EffectsOf<Id>& e, const CallOf<Id>& c) {
  Passes<Id> p{e, c};
  if (p.touches) p.resolve_subpass();
  ++p.to.subpass;
  p.dependencies(p.to.subpass);
  p.subpass_layouts();
  p.enter_subpass();
  p.mark({Mark::next_subpass});
}

template <class Id>
void end_pass(EffectsOf<Id>& e, const CallOf<Id>& c) {
  Passes<Id> p{e, c};
  if (p.touches) {
    p.resolve_subpass();
    for (std::uint32_t i = 0; p.to.pass != nullptr && i < p.to.pass->attachments.size(); ++i) p.store(i);
  }
  p.dependencies(VK_SUBPASS_EXTERNAL);
  p.end_layouts();
  p.mark({Mark::ends_pass});
  p.leave();
}

template <class Id>
void begin_rendering(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const VkRenderingInfo& info = *c.template as<args_vkCmdBeginRendering>().pRenderingInfo;
  Passes<Id> p{e, c};
  p.to.pass = render_pass_of(info);
  p.to.subpass = 0;
  p.to.area = info.renderArea;
  p.to.area_of_all = !has_areas(info.pNext);
  p.to.area_layers = info.layerCount;
  p.to.views.clear();
  for (const VkImageView* view : views_of(info)) p.to.views.push_back(view != nullptr ? c.id(view) : Id{});
  RONDO_CHECK(p.to.views.size() == p.to.pass->attachments.size());
  p.begin_layouts();
  if (p.touches) p.load_all();
  p.enter_subpass();
  MarkingOf<Id> marking{Mark::begins_pass};
  marking.suspends = (info.flags & VK_RENDERING_SUSPENDING_BIT) != 0;
  marking.resumes = (info.flags & VK_RENDERING_RESUMING_BIT) != 0;
  p.mark(marking);
}

template <class Id>
void end_rendering(EffectsOf<Id>& e, const CallOf<Id>& c) {
  Passes<Id> p{e, c};
  if (p.touches && p.to.pass != nullptr && p.to.pass->dynamic) p.end_rendering();
  p.mark({Mark::ends_pass});
  p.leave();
}

// Which of them a clear is of is not looked into: all of its aspects may be.
template <class Id>
void clear_attachments(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& a = c.template as<args_vkCmdClearAttachments>();
  const RecordingOf<Id>& recording = e.recording(c);
  if (recording.conditional)
    e.touch_buffer(recording.condition.buffer, recording.condition.offset, 4,
                   VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT, VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT);
  VkImageAspectFlags cleared = 0;
  for (const VkClearAttachment& one : std::span(a.pAttachments, a.attachmentCount)) cleared |= one.aspectMask;
  if (recording.inherits) e.clears_inherited(cleared);
  for (TouchOf<Id> touch : recording.attachments) {
    touch.part.aspectMask &= cleared;
    touch.access &= kWrites;
    if (touch.part.aspectMask != 0 && touch.access != 0) e.touch(touch);
  }
}

}  // namespace

template <class Id>
void add_passes(SharedHandlers<Id>& handlers) {
  // What is left open by a pass is part of what later commands do.
  constexpr std::uint32_t kPass = kObjects | kTouches | kTransitions | kBarriers | kMarks;
  add(handlers, CommandId::vkCmdBeginRenderPass2, begin_pass<Id>, kPass);
  add(handlers, CommandId::vkCmdNextSubpass2, next_subpass<Id>, kPass);
  add(handlers, CommandId::vkCmdEndRenderPass2, end_pass<Id>, kPass);
  add(handlers, CommandId::vkCmdBeginRendering, begin_rendering<Id>, kPass);
  add(handlers, CommandId::vkCmdEndRendering, end_rendering<Id>, kPass);
#ifdef VK_KHR_maintenance10
  add(handlers, CommandId::vkCmdEndRendering2KHR, end_rendering<Id>, kPass);
#endif
  add(handlers, CommandId::vkCmdClearAttachments, clear_attachments<Id>, kTouches);
}

template void add_passes(SharedHandlers<ObjectId>&);
template void add_passes(SharedHandlers<std::uint64_t>&);

}  // namespace rondo::model
