// SPDX-License-Identifier: Apache-2.0
// Dynamic rendering: its attachments are as large as the area that is drawn to, and their samples go
// together.
#include <algorithm>
#include <bit>

#include "generated/args.h"
#include "model/gpu/texels.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

using gpu::is_depth_stencil;

namespace {

// One vkCmdBeginRendering.
class Rendering {
 public:
  Rendering(Validity& v, const Call& c, const VkRenderingInfo& info)
      : v_(v),
        c_(c),
        info_(info),
        areas_(areas_of(info.renderArea, info.pNext)),
        single_(find_chained<VkMultisampledRenderToSingleSampledInfoEXT>(
            info.pNext, VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT)),
        layers_(info.viewMask != 0 ? static_cast<std::uint32_t>(std::bit_width(info.viewMask))
                                   : std::max(1u, info.layerCount)) {
    if (single_ != nullptr && (single_->multisampledRenderToSingleSampledEnable == VK_FALSE ||
                               !v.allows(c.dispatch(), Relaxation::multisampled_to_single_sampled)))
      single_ = nullptr;
  }

  Wrong check() {
    const auto begins_outside = [](const VkRect2D& area) { return area.offset.x < 0 || area.offset.y < 0; };
    if (std::any_of(areas_.begin(), areas_.end(), begins_outside)) return "renderArea begins outside its images";
    area_is_unfit_ = begins_outside(info_.renderArea);
    for (std::uint32_t i = 0; i < info_.colorAttachmentCount; ++i)
      if (Wrong w = check_attachment(&info_.pColorAttachments[i], VK_IMAGE_ASPECT_COLOR_BIT); !w.empty()) return w;
    if (Wrong w = check_attachment(info_.pDepthAttachment, VK_IMAGE_ASPECT_DEPTH_BIT); !w.empty()) return w;
    if (Wrong w = check_attachment(info_.pStencilAttachment, VK_IMAGE_ASPECT_STENCIL_BIT); !w.empty()) return w;
    const ObjectId depth = view_of(info_.pDepthAttachment), stencil = view_of(info_.pStencilAttachment);
    if (depth != ObjectId::null && stencil != ObjectId::null && depth != stencil)
      return "depth and stencil are attachments of different views";
    if (info_.viewMask == 0 && info_.layerCount != layers_) v_.change(c_, info_.layerCount, layers_);
    if (area_is_unfit_) v_.change(c_, info_.renderArea, areas_.front());
    return {};
  }
  std::uint32_t layers() const { return layers_; }
  const VkRect2D& area() const { return areas_.front(); }

 private:
  ObjectId view_of(const VkRenderingAttachmentInfo* one) const {
    return one != nullptr ? c_.id(&one->imageView) : ObjectId::null;
  }

  VkSampleCountFlagBits samples_of(const ImageView* view) const {
    const Image* image = view != nullptr ? v_.image(view->image) : nullptr;
    return image != nullptr ? image->samples : VK_SAMPLE_COUNT_1_BIT;
  }

  // The view's first mip is drawn to, however many it has.
  Wrong check_view(const VkImageView& handle, VkImageAspectFlags aspect) {
    const ObjectId id = c_.id(&handle);
    const ImageView* view = v_.image_views.find(id);
    if (view == nullptr) return {};
    const bool color = aspect == VK_IMAGE_ASPECT_COLOR_BIT;
    if (is_depth_stencil(view->format) == color || (!color && (view->aspects & aspect) == 0))
      return v_.name(id) + (color ? " has no color format" : " has no depth or stencil format");
    if (view->image != ObjectId::null && !v_.alive(view->image)) return "the image of " + v_.name(id) + " is destroyed";
    if (Wrong w = check_bound(v_, "imageView", view->image); !w.empty()) return w;
    if (Wrong w = v_.needs_image_usage(
            "imageView", view->image,
            color ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
        !w.empty())
      return w;
    if (view->extent.width == 0) return {};
    const auto fits = [&](const VkRect2D& area) { return is_inside(area, view->extent.width, view->extent.height); };
    if (!std::all_of(areas_.begin(), areas_.end(), fits)) return "renderArea ends outside " + v_.name(id);
    if (!fits(info_.renderArea)) area_is_unfit_ = true;  // the areas of devices take its place
    if (view->layers >= layers_) return {};
    if (info_.viewMask != 0)
      return v_.name(id) + " has " + std::to_string(view->layers) + " layers of the " + std::to_string(layers_) +
             " that are drawn to";
    layers_ = view->layers;  // no rule said so before 2026: what is drawn to others is lost
    return {};
  }

  Wrong check_samples(const ImageView* view) {
    const VkSampleCountFlagBits has = samples_of(view);
    if (single_ != nullptr)
      return has == VK_SAMPLE_COUNT_1_BIT || has == single_->rasterizationSamples
                 ? Wrong()
                 : "an attachment has neither one sample nor as many as it is drawn with";
    const bool may_differ = v_.allows(c_.dispatch(), Relaxation::mixed_samples) ||
                            v_.allows(c_.dispatch(), Relaxation::multisampled_to_single_sampled);
    if (samples_ != 0 && samples_ != has && !may_differ) return "its attachments have different numbers of samples";
    samples_ = has;
    return {};
  }

  Wrong check_resolve(const VkRenderingAttachmentInfo& attachment, VkImageAspectFlags aspect) {
    if (Wrong w = check_view(attachment.resolveImageView, aspect); !w.empty()) return w;
    const ImageView* view = v_.image_views.find(c_.id(&attachment.imageView));
    const ImageView* target = v_.image_views.find(c_.id(&attachment.resolveImageView));
    const bool one_sample = samples_of(view) == VK_SAMPLE_COUNT_1_BIT;
    if (one_sample && single_ != nullptr && target == nullptr) return {};  // the attachment itself is the target
    if (view == nullptr || target == nullptr || one_sample || samples_of(target) != VK_SAMPLE_COUNT_1_BIT ||
        target->format != view->format)
      return "an attachment is resolved from one sample, into several, or into another format";
    return {};
  }

  Wrong check_attachment(const VkRenderingAttachmentInfo* attachment, VkImageAspectFlags aspect) {
    if (attachment == nullptr) return {};
    if (attachment->imageView == VK_NULL_HANDLE) {  // nothing to resolve either
      if (attachment->resolveMode != VK_RESOLVE_MODE_NONE) v_.change(c_, attachment->resolveMode, VK_RESOLVE_MODE_NONE);
      return {};
    }
    if (Wrong w = check_view(attachment->imageView, aspect); !w.empty()) return w;
    if (Wrong w = check_samples(v_.image_views.find(view_of(attachment))); !w.empty()) return w;
    if (attachment->imageLayout == VK_IMAGE_LAYOUT_UNDEFINED ||
        attachment->imageLayout == VK_IMAGE_LAYOUT_PREINITIALIZED)
      return "an attachment is in no layout to draw in";
    return attachment->resolveMode == VK_RESOLVE_MODE_NONE ? Wrong() : check_resolve(*attachment, aspect);
  }

  Validity& v_;
  const Call& c_;
  const VkRenderingInfo& info_;
  const std::span<const VkRect2D> areas_;
  const VkMultisampledRenderToSingleSampledInfoEXT* single_;  // null: not enabled
  std::uint32_t layers_;                                      // that are drawn to, of each attachment
  VkSampleCountFlags samples_ = 0;                            // of the attachments so far; 0: none yet
  bool area_is_unfit_ = false;
};

Wrong begin_rendering(Validity& v, const Call& c) {
  const VkRenderingInfo& info = *c.as<args_vkCmdBeginRendering>().pRenderingInfo;
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands != nullptr && commands->pass != CommandBuffer::Pass::none) return "within a render pass";
  Rendering rendering(v, c, info);
  if (Wrong w = rendering.check(); !w.empty()) return w;
  if (commands == nullptr) return {};
  commands->pass = CommandBuffer::Pass::rendering;
  commands->takes_secondaries = (info.flags & VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT) != 0;
  commands->secondaries_only = commands->takes_secondaries;
#ifdef VK_EXT_nested_command_buffer
  if ((info.flags & VK_RENDERING_CONTENTS_INLINE_BIT_EXT) != 0 && may_mix(v, c)) commands->secondaries_only = false;
#endif
  commands->in_render_pass = false;
  commands->framebuffer = ObjectId::null;
  commands->subpass = 0;
  commands->knows_area = true;
  commands->area = rendering.area();
  commands->layers = rendering.layers();
  commands->views = static_cast<std::uint32_t>(std::popcount(info.viewMask));
  commands->colors.assign(1, info.colorAttachmentCount);
  return {};
}

Wrong end_rendering(Validity& v, const Call& c) {
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (commands->pass != CommandBuffer::Pass::rendering) return "outside of dynamic rendering";
  if (commands->feedback) return "transform feedback is not ended";
  end_queries(v, c, *commands);
  leave_pass(*commands);
  return {};
}

}  // namespace

void add_rendering_checks(std::vector<Handler>& table) {
  table[static_cast<std::size_t>(CommandId::vkCmdBeginRendering)] = begin_rendering;
  table[static_cast<std::size_t>(CommandId::vkCmdEndRendering)] = end_rendering;
#ifdef VK_KHR_maintenance10
  table[static_cast<std::size_t>(CommandId::vkCmdEndRendering2KHR)] = end_rendering;
#endif
}

}  // namespace rondo::player::validity
