// SPDX-License-Identifier: Apache-2.0
// What is done with them: samples_objects.cpp makes the objects.
#include "model/gpu/samples.h"

#include <algorithm>

#include "format/native_view.h"
#include "model/gpu/layouts.h"
#include "model/gpu/sample_words.h"
#include "model/gpu/texels.h"

namespace rondo::gpu {

namespace {

constexpr VkDeviceSize kWordsAtOnce = 32 << 20;
constexpr VkImageAspectFlags kDepthStencil = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
constexpr std::uint32_t kGroup = 8;  // samples_read.comp

std::uint32_t groups(std::uint32_t texels) { return (texels + kGroup - 1) / kGroup; }

}  // namespace

VkFormat samples_view_format(VkFormat format) {
  if (is_depth_stencil(format)) return format;
  if (is_planar(format) || is_compressed(format)) return VK_FORMAT_UNDEFINED;
  switch (block_of(format).bytes) {
    case 1:
      return VK_FORMAT_R8_UINT;
    case 2:
      return VK_FORMAT_R16_UINT;
    case 4:
      return VK_FORMAT_R32_UINT;
    case 8:
      return VK_FORMAT_R32G32_UINT;
    case 16:
      return VK_FORMAT_R32G32B32A32_UINT;
    default:
      return VK_FORMAT_UNDEFINED;
  }
}

VkImageUsageFlags samples_usage(VkFormat format) {
  return VK_IMAGE_USAGE_SAMPLED_BIT |
         (is_depth_stencil(format) ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
}

VkImageCreateFlags samples_flags(VkFormat format) {
  return is_depth_stencil(format) ? 0 : VkImageCreateFlags{VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT};
}

namespace {

constexpr VkImageUsageFlags kCopies = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr VkImageUsageFlags kAttachments = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                           VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                           VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;

bool has_list(const VkImageCreateInfo& info) {
  const auto* list =
      find_chained<VkImageFormatListCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);
  if (list == nullptr || list->viewFormatCount == 0 || list->pViewFormats == nullptr) return false;
  const VkFormat* end = list->pViewFormats + list->viewFormatCount;
  return std::find(list->pViewFormats, end, samples_view_format(info.format)) == end;
}

}  // namespace

std::string why_no_samples(const VkImageCreateInfo& info) {
  const VkFormat view = samples_view_format(info.format);
  if (view == VK_FORMAT_UNDEFINED) return "the bits of its format cannot be drawn";
  if (info.imageType != VK_IMAGE_TYPE_2D || info.tiling != VK_IMAGE_TILING_OPTIMAL || info.mipLevels != 1)
    return "it is of another shape than images of several samples have";
  constexpr VkImageCreateFlags known =
      VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT | VK_IMAGE_CREATE_ALIAS_BIT;
  if ((info.flags & ~known) != 0) return "it has flags that may change what its samples are";
  // What a view in another format can be used for: what the image can.
  const bool storage = block_of(info.format).bytes >= 4 && !is_depth_stencil(info.format);
  const VkImageUsageFlags usage = kCopies | kAttachments | VK_IMAGE_USAGE_SAMPLED_BIT |
                                  (storage ? VkImageUsageFlags{VK_IMAGE_USAGE_STORAGE_BIT} : VkImageUsageFlags{0});
  if ((info.usage & ~usage) != 0) return "it is used in a way that its samples cannot be read beside";
  if (find_chained<VkImageStencilUsageCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO) !=
      nullptr)
    return "its stencil is used apart";
  if (has_list(info)) return "its formats are listed, and none of them shows its bits";
  return {};
}

Result<void> Samples::fetch(VkQueue queue, const ImageSource& from, const Push& push) {
  const Dispatch& vk = *access_.dispatch;
  const auto shader = pipeline(0);
  if (!shader) return tl::unexpected<Error>(shader.error());
  const auto begun = commands_.begin();
  if (!begun) return tl::unexpected<Error>(begun.error());
  begin_use(vk, *begun, from, kUsedByShaders);
  vk.vkCmdBindPipeline(*begun, VK_PIPELINE_BIND_POINT_COMPUTE, *shader);
  vk.vkCmdBindDescriptorSets(*begun, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set_, 0, nullptr);
  vk.vkCmdPushConstants(*begun, layout_, kStages, 0, sizeof push, &push);
  vk.vkCmdDispatch(*begun, groups(push.width), groups(push.rows), 1);
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vk.vkCmdPipelineBarrier(*begun, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                          nullptr, 0, nullptr);
  end_use(vk, *begun, from, kUsedByShaders);
  RONDO_TRY(commands_.submit_and_wait(queue, {}));
  return staging_.invalidate();
}

Result<void> Samples::draw(VkQueue queue, const ImageSource& to, const Push& push) {
  const Dispatch& vk = *access_.dispatch;
  const auto shader = pipeline(push.number);
  if (!shader) return tl::unexpected<Error>(shader.error());
  RONDO_TRY(staging_.flush());
  const auto begun = commands_.begin();
  if (!begun) return tl::unexpected<Error>(begun.error());
  begin_use(vk, *begun, to, kUsedByShaders);
  const VkViewport viewport{0, 0, static_cast<float>(to.extent.width), static_cast<float>(to.extent.height), 0, 1};
  const VkRect2D area{{0, static_cast<std::int32_t>(push.row)}, {push.width, push.rows}};
  VkRenderPassBeginInfo pass{};
  pass.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
  pass.renderPass = pass_;
  pass.framebuffer = framebuffer_;
  pass.renderArea = area;
  vk.vkCmdBeginRenderPass(*begun, &pass, VK_SUBPASS_CONTENTS_INLINE);
  vk.vkCmdBindPipeline(*begun, VK_PIPELINE_BIND_POINT_GRAPHICS, *shader);
  vk.vkCmdBindDescriptorSets(*begun, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set_, 0, nullptr);
  vk.vkCmdSetViewport(*begun, 0, 1, &viewport);
  vk.vkCmdSetScissor(*begun, 0, 1, &area);
  Push with_bit = push;
  if (kind_.aspect != VK_IMAGE_ASPECT_STENCIL_BIT) {
    vk.vkCmdPushConstants(*begun, layout_, kStages, 0, sizeof with_bit, &with_bit);
    vk.vkCmdDraw(*begun, 3, 1, 0, 0);
  } else {
    // No shader of Vulkan 1.0 tells a stencil: first all bits are cleared, then each is set where it was.
    for (std::uint32_t bit = 0; bit <= 0x80; bit = bit == 0 ? 1 : bit << 1) {
      with_bit.bit = bit;
      vk.vkCmdPushConstants(*begun, layout_, kStages, 0, sizeof with_bit, &with_bit);
      vk.vkCmdSetStencilWriteMask(*begun, VK_STENCIL_FACE_FRONT_AND_BACK, bit == 0 ? 0xff : bit);
      vk.vkCmdSetStencilReference(*begun, VK_STENCIL_FACE_FRONT_AND_BACK, bit);
      vk.vkCmdDraw(*begun, 3, 1, 0, 0);
    }
  }
  vk.vkCmdEndRenderPass(*begun);
  end_use(vk, *begun, to, kUsedByShaders);
  return commands_.submit_and_wait(queue, {});
}

namespace {

struct Pieces {
  std::uint32_t count = 0, each = 0, rows = 0;  // samples; words of a texel; rows at once
  std::size_t row = 0, sample = 0;              // bytes
};

Result<Pieces> pieces_of(const ImageSource& image, std::size_t bytes) {
  Pieces pieces;
  pieces.count = static_cast<std::uint32_t>(image.samples);
  pieces.each = words_of(image.format, image.aspect);
  pieces.row = std::size_t{image.extent.width} * block_of(image.format, image.aspect).bytes;
  pieces.sample = pieces.row * image.extent.height;
  if (pieces.each == 0 || pieces.sample == 0 || bytes != pieces.sample * pieces.count || image.extent.depth != 1)
    return fail(Status::failed, "format " + std::to_string(static_cast<int>(image.format)) + " has other samples");
  const VkDeviceSize words = VkDeviceSize{image.extent.width} * pieces.each * 4;
  pieces.rows = std::clamp<std::uint32_t>(static_cast<std::uint32_t>(kWordsAtOnce / words), 1, image.extent.height);
  return pieces;
}

}  // namespace

Result<void> Samples::read(VkQueue queue, const ImageSource& from, std::span<std::byte> texels) {
  const auto pieces = pieces_of(from, texels.size());
  if (!pieces) return tl::unexpected<Error>(pieces.error());
  RONDO_TRY(prepare({false, samples_view_format(from.format), from.aspect, from.samples}));
  const PartEnd end{*this};
  RONDO_TRY(create_view(from, from.aspect));
  RONDO_TRY(staging_.grow(VkDeviceSize{pieces->rows} * from.extent.width * pieces->each * 4));
  describe_objects();
  for (std::uint32_t sample = 0; sample < pieces->count; ++sample)
    for (std::uint32_t row = 0; row < from.extent.height; row += pieces->rows) {
      const std::uint32_t rows = std::min(pieces->rows, from.extent.height - row);
      RONDO_TRY(fetch(queue, from, {from.extent.width, row, rows, pieces->each, sample, 0}));
      from_words(from.format, from.aspect, {words(), std::size_t{rows} * from.extent.width * pieces->each},
                 texels.subspan(sample * pieces->sample + row * pieces->row, rows * pieces->row));
    }
  return {};
}

Result<void> Samples::write(VkQueue queue, const ImageSource& to, std::span<const std::byte> texels) {
  const auto pieces = pieces_of(to, texels.size());
  if (!pieces) return tl::unexpected<Error>(pieces.error());
  RONDO_TRY(prepare({true, samples_view_format(to.format), to.aspect, to.samples}));
  const PartEnd end{*this};
  RONDO_TRY(create_view(to, is_depth_stencil(to.format) ? aspects_of(to.format) & kDepthStencil : to.aspect));
  RONDO_TRY(create_framebuffer(to));
  RONDO_TRY(staging_.grow(VkDeviceSize{pieces->rows} * to.extent.width * pieces->each * 4));
  describe_objects();
  for (std::uint32_t sample = 0; sample < pieces->count; ++sample)
    for (std::uint32_t row = 0; row < to.extent.height; row += pieces->rows) {
      const std::uint32_t rows = std::min(pieces->rows, to.extent.height - row);
      to_words(to.format, to.aspect, texels.subspan(sample * pieces->sample + row * pieces->row, rows * pieces->row),
               {words(), std::size_t{rows} * to.extent.width * pieces->each});
      RONDO_TRY(draw(queue, to, {to.extent.width, row, rows, pieces->each, sample, 0}));
    }
  return {};
}

}  // namespace rondo::gpu
