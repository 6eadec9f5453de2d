// SPDX-License-Identifier: Apache-2.0
// vkCmdClear*: whole images outside of render passes, rectangles within.
#include "tests/icd/clear.h"
#include "tests/icd/execute.h"

using namespace rondo;  // args_vk…

namespace fake {
namespace {

void clear_image(VkImage handle, const VkClearValue& value, const VkImageSubresourceRange* ranges,
                 std::uint32_t count) {
  const auto image = get<Image>(handle);
  if (image == nullptr) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkImageSubresourceRange range = resolved(*image, ranges[i]);
    for (const VkImageAspectFlagBits aspect : aspects_of(*image, range.aspectMask))
      for (std::uint32_t level = 0; level < range.levelCount; ++level)
        clear_box(box_of(*image, aspect, range.baseMipLevel + level, range.baseArrayLayer, range.layerCount), *image,
                  image->format, aspect, value);
  }
}

void clear_color(Execution&, const args_vkCmdClearColorImage& a) {
  VkClearValue value{};
  value.color = *a.pColor;
  clear_image(a.image, value, a.pRanges, a.rangeCount);
}

void clear_depth_stencil(Execution&, const args_vkCmdClearDepthStencilImage& a) {
  VkClearValue value{};
  value.depthStencil = *a.pDepthStencil;
  clear_image(a.image, value, a.pRanges, a.rangeCount);
}

void clear_rectangles(const Attachment& attachment, VkImageAspectFlags aspects, const VkClearValue& value,
                      const args_vkCmdClearAttachments& a, std::uint32_t view_mask) {
  if (attachment.image == nullptr) return;
  const Image& image = *attachment.image;
  for (const VkImageAspectFlagBits aspect : aspects_of(image, aspects & attachment.range.aspectMask))
    for (std::uint32_t i = 0; i < a.rectCount; ++i) {
      const VkClearRect& rectangle = a.pRects[i];
      for (std::uint32_t layer = 0; layer < attachment.range.layerCount; ++layer) {
        const bool named = view_mask != 0 ? layer < 32 && (view_mask >> layer & 1) != 0
                                          : layer >= rectangle.baseArrayLayer &&
                                                layer - rectangle.baseArrayLayer < rectangle.layerCount;
        if (named)
          clear_box(box_of_area(image, aspect, attachment.range, layer, rectangle.rect), image, attachment.format,
                    aspect, value);
      }
    }
}

void clear_attachments(Execution& execution, const args_vkCmdClearAttachments& a) {
  RenderTarget* target = execution.target();
  if (target == nullptr || !execution.state().predicate) return;
  execution.flush_target();
  for (std::uint32_t i = 0; i < a.attachmentCount; ++i) {
    const VkClearAttachment& clear = a.pAttachments[i];
    if ((clear.aspectMask & VK_IMAGE_ASPECT_COLOR_BIT) != 0) {
      if (clear.colorAttachment < target->colors.size())
        clear_rectangles(target->colors[clear.colorAttachment], clear.aspectMask, clear.clearValue, a,
                         target->view_mask);
      continue;
    }
    for (const Attachment& attachment : target->depth_stencil)
      clear_rectangles(attachment, clear.aspectMask, clear.clearValue, a, target->view_mask);
  }
}

}  // namespace

void install_clears(Table& table) {
  execute<clear_color>(table, CommandId::vkCmdClearColorImage);
  execute<clear_depth_stencil>(table, CommandId::vkCmdClearDepthStencilImage);
  execute<clear_attachments>(table, CommandId::vkCmdClearAttachments);
}

}  // namespace fake
