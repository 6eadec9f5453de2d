// SPDX-License-Identifier: Apache-2.0
// Framebuffers without images: one, begun with other images each time, in formats
// that its list has, of some of an image's layers and levels, as a render pass
// of the second kind with flags and a fragment density of none.
#include "chapter.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;
constexpr VkFormat kFormats[2] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB};
constexpr VkImageUsageFlags kUsage = kDrawnAndRead | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;

VkRenderPass create(Session& s, VkFormat format) {
  const VkAttachmentDescription2 color{VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
                                       nullptr,
                                       VK_ATTACHMENT_DESCRIPTION_MAY_ALIAS_BIT,
                                       format,
                                       VK_SAMPLE_COUNT_1_BIT,
                                       VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       VK_ATTACHMENT_STORE_OP_STORE,
                                       VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                       VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                       VK_IMAGE_LAYOUT_UNDEFINED,
                                       VK_IMAGE_LAYOUT_GENERAL};
  const VkAttachmentReference2 reference{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, nullptr, 0,
                                         VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_ASPECT_COLOR_BIT};
  const VkSubpassDescription2 subpass{
      .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2, .colorAttachmentCount = 1, .pColorAttachments = &reference};
  const VkMemoryBarrier2 finer{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                               nullptr,
                               VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                               VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
                               VK_PIPELINE_STAGE_2_COPY_BIT,
                               VK_ACCESS_2_TRANSFER_READ_BIT};
  const VkSubpassDependency2 dependency{VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2, &finer, 0, VK_SUBPASS_EXTERNAL};
  const VkRenderPassCreateInfo2 info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
                                     .attachmentCount = 1,
                                     .pAttachments = &color,
                                     .subpassCount = 1,
                                     .pSubpasses = &subpass,
                                     .dependencyCount = 1,
                                     .pDependencies = &dependency};
  VkRenderPass pass;
  CHECK(vkCreateRenderPass2(s.device, &info, nullptr, &pass));
  return keep(s, vkDestroyRenderPass, pass);
}

VkFramebuffer create_without_images(Session& s, VkRenderPass pass, std::uint32_t extent, std::uint32_t layers) {
  const VkFramebufferAttachmentImageInfo shape{VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO,
                                               nullptr,
                                               VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT,
                                               kUsage,
                                               extent,
                                               extent,
                                               layers,
                                               2,
                                               kFormats};
  const VkFramebufferAttachmentsCreateInfo attachments{VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO, nullptr,
                                                       1, &shape};
  const VkFramebufferCreateInfo info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                     &attachments,
                                     VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT,
                                     pass,
                                     1,
                                     nullptr,
                                     extent,
                                     extent,
                                     layers};
  VkFramebuffer framebuffer;
  CHECK(vkCreateFramebuffer(s.device, &info, nullptr, &framebuffer));
  return keep(s, vkDestroyFramebuffer, framebuffer);
}

Image create_target(Session& s) {
  const VkImageFormatListCreateInfo list{VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO, nullptr, 2, kFormats};
  VkImageCreateInfo info = image_info(kFormats[0], kExtent, kUsage);
  info.pNext = &list;
  info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
  info.mipLevels = 2;
  info.arrayLayers = 4;
  return create_image(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
}

}  // namespace

int main() {
  Needs needs;
  NEED(needs, Vulkan12Features, imagelessFramebuffer);
  NEED(needs, Vulkan13Features, synchronization2);
  Session s = open("imageless", needs);
  const Image targets[2] = {create_target(s), create_target(s)};
  for (const Image& i : targets) transition(s.cmd, i, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  for (const Image& i : targets) clear(s.cmd, i, {.float32 = {0.5f, 0.5f, 0.5f, 0.5f}});
  Pictures p = create_pictures(s, std::size_t{2} * (2 * kTexels + kTexels / 4) * 4);
  Drawing d = shapes(s);
  VkRenderPass passes[2];
  VkPipeline pipelines[2];
  VkFramebuffer large[2], small[2];
  for (int i = 0; i < 2; ++i) {
    d.pass = passes[i] = create(s, kFormats[i]);
    pipelines[i] = build(s, d);
    large[i] = create_without_images(s, d.pass, kExtent, 2);
    small[i] = create_without_images(s, d.pass, kExtent / 2, 1);
  }
  const auto pass = [&](const Image& target, int format, bool whole) {
    const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, whole ? 0u : 1u, 1, whole ? 1u : 3u,
                                        whole ? 2u : 1u};
    const VkImageView view = create_view(s, target.image, whole ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                                         kFormats[format], range);
    const VkRenderPassAttachmentBeginInfo given{VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO, nullptr, 1, &view};
    const std::uint32_t extent = whole ? kExtent : kExtent / 2;
    VkClearValue value{};
    value.color.float32[format] = 0.25f;
    const VkRenderPassBeginInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                     &given,
                                     passes[format],
                                     whole ? large[format] : small[format],
                                     {{0, 0}, {extent, extent}},
                                     1,
                                     &value};
    const VkSubpassBeginInfo begins{VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO, nullptr, VK_SUBPASS_CONTENTS_INLINE};
    const VkSubpassEndInfo ends{VK_STRUCTURE_TYPE_SUBPASS_END_INFO};
    vkCmdBeginRenderPass2(s.cmd, &info, &begins);
    set_area(s.cmd, extent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[format]);
    draw(s.cmd, d.layout, {-0.5f, -0.5f, 0.5f, 1, {0.5f, 0.25f, 1, 1}});
    vkCmdEndRenderPass2(s.cmd, &ends);
    barrier(s.cmd);
  };
  pass(targets[0], 0, true);
  pass(targets[1], 1, true);
  pass(targets[0], 1, false);
  pass(targets[1], 0, false);
  const std::uint32_t* pictures[6];
  int n = 0;
  for (const Image& i : targets) {
    pictures[n++] = take(s, p, i, 4, VK_IMAGE_ASPECT_COLOR_BIT, 0, 1);
    pictures[n++] = take(s, p, i, 4, VK_IMAGE_ASPECT_COLOR_BIT, 0, 2);
    pictures[n++] = take(s, p, i, 4, VK_IMAGE_ASPECT_COLOR_BIT, 1, 3);
  }
  run(s);
  // Layer 2 has its clear alone; the other format holds 0.25 as another number.
  EXPECT(s, count(pictures[1], kTexels, 0x00000040) == kTexels);
  EXPECT(s, count(pictures[4], kTexels, 0x00008900) == kTexels);
  EXPECT(s, count(pictures[0], kTexels, 0xffff4080) == 96);
  EXPECT(s, count(pictures[2], kTexels / 4, 0x00008900) == 40);
  add(s, p.out);
  return finish(s);
}
