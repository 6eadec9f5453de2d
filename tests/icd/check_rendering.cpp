// SPDX-License-Identifier: Apache-2.0
// Dynamic rendering, and clears within a render pass instance.
#include <algorithm>
#include <bit>

#include "tests/icd/chain.h"
#include "tests/icd/install.h"
#include "tests/icd/ranges.h"

namespace fake {
namespace {

constexpr std::uint32_t kMaxColors = 8, kMaxViews = 6;

struct Wanted {
  VkImageUsageFlags usage;
  VkImageAspectFlags aspect;
  const char* name;
};

bool check_view(const ImageView& view, const VkRenderingInfo& info, const Wanted& wanted) {
  const Image& image = *view.image;
  const auto wrong = [&](const char* what) {
    violation(std::string(wanted.name) + " " + what);
    return false;
  };
  if (!image.alive) return wrong("is a view of an image that was destroyed");
  if (!is_usable(image, wanted.usage, wanted.name)) return false;
  if ((view.range.aspectMask & wanted.aspect) == 0) return wrong("lacks the aspect");
  const std::uint32_t layers =
      info.viewMask == 0 ? info.layerCount : static_cast<std::uint32_t>(std::bit_width(info.viewMask));
  if (view.range.layerCount < layers) return wrong("has fewer layers than are rendered to");
  const std::uint32_t level = view.range.baseMipLevel;
  if (!is_within(info.renderArea, std::max(1u, image.extent.width >> level),
                 std::max(1u, image.extent.height >> level)))
    return wrong("is smaller than the render area");
  return true;
}

bool check_attachment(const VkRenderingAttachmentInfo* a, const VkRenderingInfo& info, const Wanted& wanted,
                      std::uint32_t& samples) {
  if (a == nullptr || a->imageView == VK_NULL_HANDLE) return true;
  const auto view = get<ImageView>(a->imageView);
  if (!check_view(*view, info, wanted)) return false;
  // What has one sample is then rendered to as if it had several.
  const auto* several = chained<VkMultisampledRenderToSingleSampledInfoEXT>(info);
  std::uint32_t own = view->image->samples;
  const bool as_several =
      own == 1 && several != nullptr && several->multisampledRenderToSingleSampledEnable != VK_FALSE;
  if (as_several) own = several->rasterizationSamples;
  if (samples != 0 && samples != own) {
    violation("attachments have different sample counts");
    return false;
  }
  samples = own;
  if (a->imageLayout == VK_IMAGE_LAYOUT_UNDEFINED || a->imageLayout == VK_IMAGE_LAYOUT_PREINITIALIZED ||
      a->imageLayout == VK_IMAGE_LAYOUT_PRESENT_SRC_KHR) {
    violation("an attachment's imageLayout is not one to render in");
    return false;
  }
  if (a->resolveMode == VK_RESOLVE_MODE_NONE) return true;
  const auto target = get<ImageView>(a->resolveImageView);
  if (as_several && target == nullptr) return true;  // it is resolved into itself
  if (target == nullptr || view->image->samples == 1 || target->image->samples != 1 || target->format != view->format) {
    violation("an attachment is resolved from one sample, into several, or into another format");
    return false;
  }
  return check_view(*target, info, wanted);
}

void check_begin_rendering(Call&, const args_vkCmdBeginRendering& a) {
  const VkRenderingInfo& info = *a.pRenderingInfo;
  if (info.viewMask == 0 && info.layerCount == 0) return violation("layerCount is 0");
  if (info.layerCount > 2048 || info.viewMask >> kMaxViews != 0)
    return harmless("layerCount or viewMask is beyond the limits");
  if (info.colorAttachmentCount > kMaxColors) return violation("there are more than maxColorAttachments");
  if (!is_within(info.renderArea, 16384, 16384)) return violation("renderArea is beyond the limits");
  std::uint32_t samples = 0;
  const Wanted color{VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, ~VkImageAspectFlags{0}, "a color attachment"};
  for (std::uint32_t i = 0; i < info.colorAttachmentCount; ++i)
    if (!check_attachment(&info.pColorAttachments[i], info, color, samples)) return;
  constexpr VkImageUsageFlags kUsage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  if (!check_attachment(info.pDepthAttachment, info, {kUsage, VK_IMAGE_ASPECT_DEPTH_BIT, "the depth attachment"},
                        samples) ||
      !check_attachment(info.pStencilAttachment, info, {kUsage, VK_IMAGE_ASPECT_STENCIL_BIT, "the stencil attachment"},
                        samples))
    return;
  const auto view = [](const VkRenderingAttachmentInfo* one) {
    return one == nullptr ? VK_NULL_HANDLE : one->imageView;
  };
  const VkImageView depth = view(info.pDepthAttachment), stencil = view(info.pStencilAttachment);
  if (depth != VK_NULL_HANDLE && stencil != VK_NULL_HANDLE && depth != stencil)
    violation("depth and stencil are attachments of different views");
}

void check_clear_attachments(Call& call, const args_vkCmdClearAttachments& a) {
  const Bound& bound = call.command_buffer->bound;
  if (a.attachmentCount == 0 || a.rectCount == 0) return violation("attachmentCount or rectCount is 0");
  for (std::uint32_t i = 0; i < a.attachmentCount; ++i) {
    const VkClearAttachment& clear = a.pAttachments[i];
    const bool color = (clear.aspectMask & VK_IMAGE_ASPECT_COLOR_BIT) != 0;
    constexpr VkImageAspectFlags kDepthStencil = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    if (clear.aspectMask == 0 || (color && clear.aspectMask != VK_IMAGE_ASPECT_COLOR_BIT) ||
        (!color && (clear.aspectMask & ~kDepthStencil) != 0))
      return violation("aspectMask is neither color nor depth and stencil");
    if (color && bound.knows_area && clear.colorAttachment != VK_ATTACHMENT_UNUSED &&
        clear.colorAttachment >= bound.colors)
      return violation("colorAttachment is none of the subpass");
  }
  for (std::uint32_t i = 0; i < a.rectCount; ++i) {
    const VkClearRect& r = a.pRects[i];
    if (r.layerCount == 0 || r.rect.extent.width == 0 || r.rect.extent.height == 0)
      return violation("a rectangle is empty");
    if (!bound.knows_area) continue;  // of the primary that will execute this
    if (r.baseArrayLayer >= bound.layers || r.layerCount > bound.layers - r.baseArrayLayer)
      return violation("a rectangle has layers that are not rendered to");
    VkRect2D moved = r.rect;
    if (__builtin_sub_overflow(moved.offset.x, bound.area.offset.x, &moved.offset.x) ||
        __builtin_sub_overflow(moved.offset.y, bound.area.offset.y, &moved.offset.y) ||
        !is_within(moved, bound.area.extent.width, bound.area.extent.height))
      return violation("a rectangle reaches outside the render area");
  }
}

}  // namespace

void install_rendering_checks(Table& table) {
  table.check<check_begin_rendering>(CommandId::vkCmdBeginRendering);
  table.check<check_clear_attachments>(CommandId::vkCmdClearAttachments);
}

}  // namespace fake
