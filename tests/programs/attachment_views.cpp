// SPDX-License-Identifier: Apache-2.0
// Dynamic rendering to views that no rule minded before 2026: of several mips, of which the first is drawn to
// (a color attachment, a depth attachment, a resolve's target), of a 3D image, and of fewer layers than are
// drawn to. What lies in the other mips stays.
#include "picture.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kMips = 3, kTexels = kExtent * kExtent;
constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM, kDepth = VK_FORMAT_D32_SFLOAT;
constexpr VkImageUsageFlags kUsage =
    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

// What is drawn to, and how.
struct Target {
  VkImageCreateInfo info = image_info(kFormat, kExtent, kUsage);
  VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D;
  std::uint32_t view_levels = 1, layers = 1;
  bool resolved = false;  // from an image of four samples
  bool tests_depth = false;
};

// The last mip is red before, and after.
void draws_half(Session& s, const Target& target) {
  Drawing d = shapes(s);
  if (target.resolved) d.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  if (target.tests_depth) {
    d.rendering.depthAttachmentFormat = kDepth;
    d.depth.depthTestEnable = d.depth.depthWriteEnable = VK_TRUE;
    d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  }
  const VkPipeline pipeline = build(s, d);
  Image image = create_image(s, target.info, target.type);
  const VkImageView view =
      create_view(s, image.image, target.type, kFormat, {VK_IMAGE_ASPECT_COLOR_BIT, 0, target.view_levels, 0, 1});
  transition(s.cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  const std::uint32_t last = target.info.mipLevels - 1;
  const VkImageSubresourceRange last_mip{VK_IMAGE_ASPECT_COLOR_BIT, last, 1, 0, 1};
  const VkClearColorValue red{{1, 0, 0, 1}};
  vkCmdClearColorImage(s.cmd, image.image, VK_IMAGE_LAYOUT_GENERAL, &red, 1, &last_mip);
  VkImageCreateInfo samples_info = image_info(kFormat, kExtent, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  samples_info.samples = VK_SAMPLE_COUNT_4_BIT;
  const Image samples = create_image(s, samples_info);
  transition(s.cmd, samples, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  VkImageCreateInfo depth_info = image_info(kDepth, kExtent, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  depth_info.mipLevels = kMips;
  const Image depth = create_image(s, depth_info, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT);
  transition(s.cmd, depth, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  const VkDeviceSize bytes = VkDeviceSize{4} * kTexels * target.info.extent.depth;
  const MappedBuffer picture = create_readback(s, bytes), rest = create_readback(s, bytes);
  for (const bool first : {true, false}) {
    const VkAttachmentLoadOp load = first ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
    barrier(s.cmd);
    VkRenderingAttachmentInfo color = attachment(target.resolved ? samples.view : view, VK_IMAGE_LAYOUT_GENERAL, load);
    if (target.resolved) {
      color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
      color.resolveImageView = view;
      color.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    VkRenderingAttachmentInfo tested = attachment(depth.view, VK_IMAGE_LAYOUT_GENERAL, load);
    tested.clearValue.depthStencil.depth = 1;
    const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                               .renderArea = {{0, 0}, {kExtent, kExtent}},
                               .layerCount = target.layers,
                               .colorAttachmentCount = 1,
                               .pColorAttachments = &color,
                               .pDepthAttachment = target.tests_depth ? &tested : nullptr};
    vkCmdBeginRendering(s.cmd, &info);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    // Green on the left half, then blue over all of it, which is farther away.
    draw(s.cmd, d.layout, first ? Shape{-1, -1, 0, 1, {0, 1, 0, 1}, 0.25f} : Shape{-1, -1, 1, 1, {0, 0, 1, 1}, 0.5f});
    vkCmdEndRendering(s.cmd);
    barrier(s.cmd);
    copy_out(s.cmd, image, VK_IMAGE_LAYOUT_GENERAL, picture);
    copy_out(s.cmd, image, VK_IMAGE_LAYOUT_GENERAL, rest, 0, VK_IMAGE_ASPECT_COLOR_BIT, last);
    run(s);
    add(s, picture);
    add(s, rest);
    const std::size_t green = first || target.tests_depth ? kTexels / 2 : 0;
    EXPECT(s, count(picture.words, kTexels, kGreen) == green);
    EXPECT(s, count(picture.words, kTexels, kBlue) == (first ? 0 : kTexels - green));
    EXPECT(s, last == 0 || rest.words[0] == kRed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t layers = option(argc, argv, "--layers", 1);
  VkPhysicalDeviceDynamicRenderingFeatures rendering{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
                                                     nullptr, VK_TRUE};
  Wanted wanted;
  wanted.features = &rendering;
  Session s = open("attachment_views", wanted);
  if (layers != 1) {
    Target too_many;
    too_many.layers = layers;
    draws_half(s, too_many);
    return finish(s);
  }
  Target mips;
  mips.info.mipLevels = kMips;
  mips.view_levels = kMips;
  draws_half(s, mips);
  Target remaining = mips;
  remaining.view_levels = VK_REMAINING_MIP_LEVELS;
  draws_half(s, remaining);
  Target resolved = mips;
  resolved.resolved = true;
  draws_half(s, resolved);
  Target tested;
  tested.tests_depth = true;
  draws_half(s, tested);
  Target volume;
  volume.info.imageType = VK_IMAGE_TYPE_3D;
  volume.info.extent.depth = 4;
  volume.info.flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
  volume.type = VK_IMAGE_VIEW_TYPE_3D;
  draws_half(s, volume);
  return finish(s);
}
