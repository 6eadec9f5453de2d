// SPDX-License-Identifier: Apache-2.0
// Resolves at the end of passes: of two colours and of none between, of depth and
// stencil by every mode that the device has, in render passes and in dynamic rendering,
// where integers take their first sample.
#include "chapter.h"
#include "samples.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent;
constexpr VkFormat kColor2 = VK_FORMAT_R16G16_UINT, kBehind = VK_FORMAT_D32_SFLOAT_S8_UINT;

struct Pair {
  Image many, one;
};

Pair create_pair(Session& s, VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect) {
  VkImageCreateInfo info = image_info(format, kExtent, usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  Pair p;
  p.one = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D, aspect);
  info.samples = VK_SAMPLE_COUNT_4_BIT;
  p.many = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D, aspect);
  return p;
}

VkRenderingAttachmentInfo resolved(const Pair& p, VkResolveModeFlagBits mode, const VkClearValue& value) {
  return {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
          .imageView = p.many.view,
          .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
          .resolveMode = mode,
          .resolveImageView = p.one.view,
          .resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL,
          .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
          .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
          .clearValue = value};
}

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED_CORE(needs, sampleRateShading);
  Session s = open("resolving_passes", needs);
  const auto modes = properties<VkPhysicalDeviceDepthStencilResolveProperties>(
      s, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_STENCIL_RESOLVE_PROPERTIES);
  const Pair first = create_pair(s, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                 VK_IMAGE_ASPECT_COLOR_BIT),
             second = create_pair(s, kColor2, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_IMAGE_ASPECT_COLOR_BIT),
             behind = create_pair(s, kBehind, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, kDepthAndStencil);
  Pictures p = create_pictures(s, 64 * kTexels * 4);
  Drawing d = shapes(s);
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, samples_frag_spv));
  d.formats = {VK_FORMAT_R8G8B8A8_UNORM, kColor2};
  d.attachments = {{.colorWriteMask = 0xf}, {.colorWriteMask = 0xf}};
  d.rendering.depthAttachmentFormat = d.rendering.stencilAttachmentFormat = kBehind;
  d.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  d.multisample.sampleShadingEnable = VK_TRUE;
  d.multisample.minSampleShading = 1;
  d.depth.depthTestEnable = d.depth.depthWriteEnable = d.depth.stencilTestEnable = VK_TRUE;
  d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  d.depth.front = {
      VK_STENCIL_OP_KEEP, VK_STENCIL_OP_INCREMENT_AND_CLAMP, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_ALWAYS, 0xff, 0xff, 0};
  d.depth.back = d.depth.front;
  const VkPipeline pipeline = build(s, d);

  const auto pass = [&](VkResolveModeFlagBits color, VkResolveModeFlagBits depth, VkResolveModeFlagBits stencil) {
    VkClearValue values[3]{};
    values[0].color.float32[1] = 0.25f;
    values[1].color.uint32[0] = 1000;
    values[2].depthStencil = {0.9375f, 5};
    const std::vector<VkRenderingAttachmentInfo> colors{resolved(first, color, values[0]),
                                                        resolved(second, VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, values[1])};
    const VkRenderingAttachmentInfo depths = resolved(behind, depth, values[2]),
                                    stencils = resolved(behind, stencil, values[2]);
    VkRenderingInfo info = rendering_info(kExtent, colors);
    info.pDepthAttachment = &depths;
    info.pStencilAttachment = &stencils;
    vkCmdBeginRendering(s.cmd, &info);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draw(s.cmd, d.layout, {-1, -1, 0.0625f, 0.3125f, {1, 0, 0, 1}, 0.5f});
    draw(s.cmd, d.layout, {-0.6875f, -1, 0.4375f, 0.8125f, {0, 0, 1, 1}, 0.25f});
    vkCmdEndRendering(s.cmd);
    take(s, p, first.one);
    take(s, p, second.one);
    take(s, p, behind.one, 4, VK_IMAGE_ASPECT_DEPTH_BIT);
    take(s, p, behind.one, 1, VK_IMAGE_ASPECT_STENCIL_BIT);
  };
  constexpr VkResolveModeFlagBits none = VK_RESOLVE_MODE_NONE, average = VK_RESOLVE_MODE_AVERAGE_BIT;
  int passes = 0;
  for (const VkResolveModeFlagBits mode : {VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, VK_RESOLVE_MODE_AVERAGE_BIT,
                                           VK_RESOLVE_MODE_MIN_BIT, VK_RESOLVE_MODE_MAX_BIT}) {
    const bool depth = (modes.supportedDepthResolveModes & mode) != 0,
               stencil = (modes.supportedStencilResolveModes & mode) != 0;
    if (depth && stencil) pass(average, mode, mode), ++passes;
    if (depth && modes.independentResolveNone == VK_TRUE) pass(average, mode, none), ++passes;
    if (stencil && modes.independentResolveNone == VK_TRUE) pass(average, none, mode), ++passes;
  }
  pass(none, none, none);
  run(s);
  EXPECT(s, passes > 0);
  EXPECT(s, count(p.out.words, kTexels, kRed) > 0 && count(p.out.words, kTexels, kBlue) > 0);
  add(s, p.out);
  return finish(s);
}
