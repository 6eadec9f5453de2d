// SPDX-License-Identifier: Apache-2.0
// Resolves outside of passes: parts of images to other places, of several layers and in
// several regions, of whole numbers, floats and sRGB, by the command of each version; images
// of several samples that are copied as they are.
#include "chapter.h"
#include "samples.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED_CORE(needs, sampleRateShading);
  Session s = open("resolves", needs);
  Pictures p = create_pictures(s, 32 * 1024);
  Drawing d = shapes(s);
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, samples_frag_spv));
  d.attachments = {{.colorWriteMask = 0xf}, {.colorWriteMask = 0xf}};
  d.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  struct Pair {
    VkFormat color, number;
    std::uint32_t bytes[2];
  };
  for (const Pair& one : {Pair{VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16_UINT, {4, 4}},
                          {VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32G32_UINT, {8, 8}},
                          {VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8_UINT, {4, 1}}}) {
    const VkFormat formats[2] = {one.color, one.number};
    Image many[2], copies[2], single[2];
    for (int i = 0; i < 2; ++i) {
      VkImageCreateInfo info = image_info(formats[i], kExtent, kDrawnAndRead | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
      info.arrayLayers = 2;
      single[i] = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
      info.samples = VK_SAMPLE_COUNT_4_BIT;
      many[i] = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
      copies[i] = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
      clear(s.cmd, single[i], {});
      clear(s.cmd, many[i], {.float32 = {0.25f, 0.5f, 0.5f, 1}});
    }
    d.formats.assign(formats, formats + 2);
    const VkPipeline pipeline = build(s, d);
    std::vector<VkRenderingAttachmentInfo> colors;
    for (const Image& i : many) colors.push_back(attachment(i.view, kGeneral, VK_ATTACHMENT_LOAD_OP_LOAD));
    const VkRenderingInfo rendering = rendering_info(kExtent, colors);
    vkCmdBeginRendering(s.cmd, &rendering);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draw(s.cmd, d.layout, {-1, -1, 0.3125f, 0.6875f, {1, 0.5f, 0, 1}, 0.25f});
    vkCmdEndRendering(s.cmd);
    barrier(s.cmd);
    for (int i = 0; i < 2; ++i) {
      // Upper half to lower half, a corner elsewhere, both layers.
      constexpr VkImageSubresourceLayers both{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 2},
          first{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
      const VkImageResolve regions[2] = {{both, {0, 0, 0}, both, {0, 4, 0}, {8, 4, 1}},
                                         {first, {4, 4, 0}, first, {1, 0, 0}, {3, 3, 1}}};
      vkCmdResolveImage(s.cmd, many[i].image, kGeneral, single[i].image, kGeneral, 2, regions);
      barrier(s.cmd);
      for (std::uint32_t layer = 0; layer < 2; ++layer)
        take(s, p, single[i], one.bytes[i], VK_IMAGE_ASPECT_COLOR_BIT, 0, layer);
      // A copy keeps every sample.
      const VkImageCopy whole{both, {}, both, {}, {kExtent, kExtent, 1}};
      vkCmdCopyImage(s.cmd, many[i].image, kGeneral, copies[i].image, kGeneral, 1, &whole);
      barrier(s.cmd);
      const VkImageResolve2 region{
          VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2, nullptr, first, {0, 0, 0}, first, {0, 0, 0}, {kExtent, kExtent, 1}};
      const VkResolveImageInfo2 newer{VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2,
                                      nullptr,
                                      copies[i].image,
                                      kGeneral,
                                      single[i].image,
                                      kGeneral,
                                      1,
                                      &region};
      vkCmdResolveImage2(s.cmd, &newer);
      barrier(s.cmd);
      take(s, p, single[i], one.bytes[i]);
    }
  }
  run(s);
  EXPECT(s, p.out.words[4 * kExtent] == 0xff0080ff);
  EXPECT(s, p.out.words[2 * kTexels] == 0xff0080ff);
  EXPECT(s, p.out.words[3 * kTexels + 4 * kExtent + 2] >> 16 == 2);
  add(s, p.out);
  return finish(s);
}
