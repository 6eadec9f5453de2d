// SPDX-License-Identifier: Apache-2.0
// Clears of images outside of passes: ranges of levels and layers, several in one command,
// slices of three dimensions, formats that are packed, compressed in their exponents,
// signed and of whole numbers; depth without stencil and stencil without depth; and
// within passes: several attachments and aspects, rectangles that overlap.
#include "chapter.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
constexpr VkImageUsageFlags kTransfers = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

struct Format {
  VkFormat format;
  std::uint32_t bytes;
  VkClearColorValue value;
};
const Format kFormats[] = {{VK_FORMAT_R5G6B5_UNORM_PACK16, 2, {.float32 = {0.5f, 0.25f, 1, 0}}},
                           {VK_FORMAT_A2B10G10R10_UINT_PACK32, 4, {.uint32 = {1023, 512, 7, 2}}},
                           {VK_FORMAT_R8G8_SNORM, 2, {.float32 = {-0.5f, 2, 0, 0}}},
                           {VK_FORMAT_R16_SINT, 2, {.int32 = {-1234, 0, 0, 0}}},
                           {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4, {.float32 = {0.5f, 1000, 0.03125f, 0}}},
                           {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 4, {.float32 = {100, 0.125f, 3, 0}}},
                           {VK_FORMAT_R8G8B8A8_SRGB, 4, {.float32 = {0.5f, 0.25f, 0.75f, 0.5f}}},
                           {VK_FORMAT_R32G32B32A32_UINT, 16, {.uint32 = {0xffffffff, 0x80000000, 1, 0x12345678}}}};

}  // namespace

int main() {
  Needs needs;
  Session s = open("clears", needs);
  Pictures p = create_pictures(s, 64 * 1024);
  for (const Format& one : kFormats) {
    if (!can_be(s, one.format, VK_FORMAT_FEATURE_TRANSFER_DST_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT)) continue;
    VkImageCreateInfo info = image_info(one.format, kExtent, kTransfers);
    info.mipLevels = 3;
    info.arrayLayers = 3;
    const Image i = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
    const VkClearColorValue zero{};
    clear(s.cmd, i, zero);
    const VkImageSubresourceRange ranges[3] = {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, 1},
                                               {VK_IMAGE_ASPECT_COLOR_BIT, 1, VK_REMAINING_MIP_LEVELS, 0, 1},
                                               {VK_IMAGE_ASPECT_COLOR_BIT, 2, 1, 1, VK_REMAINING_ARRAY_LAYERS}};
    vkCmdClearColorImage(s.cmd, i.image, kGeneral, &one.value, 3, ranges);
    barrier(s.cmd);
    for (std::uint32_t level = 0; level < 3; ++level)
      for (std::uint32_t layer = 0; layer < 3; ++layer)
        take(s, p, i, one.bytes, VK_IMAGE_ASPECT_COLOR_BIT, level, layer);
  }
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, VkExtent3D{kExtent, 4, 5}, kTransfers);
  info.imageType = VK_IMAGE_TYPE_3D;
  info.mipLevels = 2;
  const Image solid = create_general(s, info, VK_IMAGE_VIEW_TYPE_3D);
  const VkClearColorValue red{.float32 = {1, 0, 0, 1}}, green{.float32 = {0, 1, 0, 1}};
  clear(s.cmd, solid, red);
  const VkImageSubresourceRange level{VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 0, 1};
  vkCmdClearColorImage(s.cmd, solid.image, kGeneral, &green, 1, &level);
  barrier(s.cmd);
  const std::uint32_t* large = take(s, p, solid);
  const std::uint32_t* small = take(s, p, solid, 4, VK_IMAGE_ASPECT_COLOR_BIT, 1);

  info = image_info(VK_FORMAT_D32_SFLOAT_S8_UINT, kExtent, kTransfers | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  info.arrayLayers = 2;
  const Image behind = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY, kDepthAndStencil);
  const VkClearDepthStencilValue first{0.25f, 0x11}, second{0.75f, 0x22}, third{0.5f, 0x133};
  const VkImageSubresourceRange aspects[2] = {{VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 1, 1},
                                              {VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 0, 1}};
  vkCmdClearDepthStencilImage(s.cmd, behind.image, kGeneral, &first, 1, &behind.range);
  barrier(s.cmd);
  vkCmdClearDepthStencilImage(s.cmd, behind.image, kGeneral, &second, 1, &aspects[0]);
  vkCmdClearDepthStencilImage(s.cmd, behind.image, kGeneral, &third, 1, &aspects[1]);
  barrier(s.cmd);
  const auto all_of_behind = [&] {
    for (std::uint32_t layer = 0; layer < 2; ++layer) {
      take(s, p, behind, 4, VK_IMAGE_ASPECT_DEPTH_BIT, 0, layer);
      take(s, p, behind, 1, VK_IMAGE_ASPECT_STENCIL_BIT, 0, layer);
    }
  };
  all_of_behind();

  constexpr VkImageUsageFlags usage = kDrawnAndRead | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const Image canvas[2] = {create_general(s, image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, usage)),
                           create_general(s, image_info(VK_FORMAT_R16G16_SINT, kExtent, usage))};
  for (const Image& i : canvas) clear(s.cmd, i, {});  // the pass does not reach their first column
  VkAttachmentDescription attachments[3];
  VkAttachmentReference references[3];
  for (std::uint32_t i = 0; i < 3; ++i) {
    attachments[i] = {0,
                      i < 2 ? canvas[i].info.format : behind.info.format,
                      VK_SAMPLE_COUNT_1_BIT,
                      i < 2 ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
                      VK_ATTACHMENT_STORE_OP_STORE,
                      VK_ATTACHMENT_LOAD_OP_LOAD,
                      VK_ATTACHMENT_STORE_OP_STORE,
                      kGeneral,
                      kGeneral};
    references[i] = {i, kGeneral};
  }
  const VkSubpassDescription subpass{
      .colorAttachmentCount = 2, .pColorAttachments = references, .pDepthStencilAttachment = &references[2]};
  const VkSubpassDependency dependencies[2] = {everything(VK_SUBPASS_EXTERNAL, 0), everything(0, VK_SUBPASS_EXTERNAL)};
  const VkRenderPass pass = create_pass(s, {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                            .attachmentCount = 3,
                                            .pAttachments = attachments,
                                            .subpassCount = 1,
                                            .pSubpasses = &subpass,
                                            .dependencyCount = 2,
                                            .pDependencies = dependencies});
  const VkImageView one_layer =
      create_view(s, behind.image, VK_IMAGE_VIEW_TYPE_2D, behind.info.format, {kDepthAndStencil, 0, 1, 1, 1});
  const VkClearValue values[2]{};
  const VkRenderPassBeginInfo begins{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                     nullptr,
                                     pass,
                                     create_framebuffer(s, pass, {canvas[0].view, canvas[1].view, one_layer}, kExtent),
                                     {{1, 0}, {7, 8}},
                                     2,
                                     values};
  vkCmdBeginRenderPass(s.cmd, &begins, VK_SUBPASS_CONTENTS_INLINE);
  const VkClearAttachment what[4] = {{VK_IMAGE_ASPECT_COLOR_BIT, 1, {.color = {.int32 = {-5, 300, 0, 0}}}},
                                     {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = green}},
                                     {VK_IMAGE_ASPECT_STENCIL_BIT, 0, {.depthStencil = {9, 0x44}}},
                                     {VK_IMAGE_ASPECT_COLOR_BIT, VK_ATTACHMENT_UNUSED, {.color = red}}};
  const VkClearRect where[3] = {{{{1, 2}, {3, 3}}, 0, 1}, {{{3, 4}, {4, 2}}, 0, 1}, {{{7, 7}, {1, 1}}, 0, 1}};
  vkCmdClearAttachments(s.cmd, 3, what, 3, where);
  const VkClearAttachment both{kDepthAndStencil, 0, {.depthStencil = {0.125f, 0x55}}};
  vkCmdClearAttachments(s.cmd, 1, &both, 1, where + 1);
  vkCmdEndRenderPass(s.cmd);
  barrier(s.cmd);
  const std::uint32_t* cleared = take(s, p, canvas[0]);
  take(s, p, canvas[1]);
  all_of_behind();
  run(s);
  EXPECT(s, count(large, kExtent * 4 * 5, kRed) == kExtent * 4 * 5 && count(small, 16, kGreen) == 16);
  EXPECT(s, count(cleared, kExtent * kExtent, kGreen) == 9 + 8 - 1 + 1);
  add(s, p.out);
  return finish(s);
}
