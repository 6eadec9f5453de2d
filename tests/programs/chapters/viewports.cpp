// SPDX-License-Identifier: Apache-2.0
// Viewports and scissors: as many as the device has, chosen by a vertex shader,
// upside down with negative heights, outside of the target, with inverted and unequal
// depth ranges, from negative one to one; some static, some dynamic; counts that are dynamic.
#include "chapter.h"
#include "varying.frag.h"
#include "viewports.vert.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 32, kTexels = kExtent * kExtent, kViewports = 6;
constexpr VkViewport kAreas[kViewports] = {{0, 0, 8, 8, 0, 1},
                                           {8, 16, 8, -16, 0, 1},
                                           {16.5f, 0.25f, 7.5f, 13.75f, 1, 0},
                                           {-4, 20, 16, 16, 0.25f, 0.5f},
                                           {14, 32, 12, -12, 0.75f, 0.5f},
                                           {28, 0, 16, 32, 0, 0}};
constexpr VkRect2D kScissors[kViewports] = {
    {{1, 1}, {6, 6}}, {{8, 0}, {8, 32}}, {{0, 0}, {32, 32}}, {{0, 0}, {10, 30}}, {{16, 16}, {0x7fffffef, 0x7fffffef}},
    {{0, 5}, {32, 3}}};

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME});
  NEED(needs, DepthClipControlFeaturesEXT, depthClipControl);
  NEED(needs, Vulkan12Features, shaderOutputViewportIndex);
  NEED_CORE(needs, multiViewport);
  Session s = open("viewports", needs);
  const Image canvas = create_canvas(s, kExtent);
  const Image behind =
      create_general(s,
                     image_info(VK_FORMAT_D32_SFLOAT, kExtent,
                                VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT),
                     VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT);
  Pictures p = create_pictures(s, std::size_t{10} * kTexels * 4);
  Drawing d = shapes(s);
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, viewports_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, varying_frag_spv))};
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  d.rendering.depthAttachmentFormat = VK_FORMAT_D32_SFLOAT;
  d.depth.depthTestEnable = d.depth.depthWriteEnable = VK_TRUE;
  d.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
  const auto picture = [&](VkPipeline pipeline, auto&& set) {
    const std::vector<VkRenderingAttachmentInfo> colors{
        attachment(canvas.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR)};
    const VkRenderingAttachmentInfo depth =
        attachment(behind.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
    VkRenderingInfo info = rendering_info(kExtent, colors);
    info.pDepthAttachment = &depth;
    vkCmdBeginRendering(s.cmd, &info);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    set();
    vkCmdDraw(s.cmd, 3, kViewports, 0, 0);
    vkCmdEndRendering(s.cmd);
    take(s, p, canvas);
    take(s, p, behind, 4, VK_IMAGE_ASPECT_DEPTH_BIT);
  };
  // All static.
  d.dynamic.clear();
  d.viewport.viewportCount = d.viewport.scissorCount = kViewports;
  d.viewport.pViewports = kAreas;
  d.viewport.pScissors = kScissors;
  picture(build(s, d), [] {});
  // Scissors alone are dynamic, set in two parts; depths from negative one.
  const VkPipelineViewportDepthClipControlCreateInfoEXT control{
      VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT, nullptr, VK_TRUE};
  d.viewport.pNext = &control;
  d.viewport.pScissors = reinterpret_cast<const VkRect2D*>(0x18);  // ignored
  d.dynamic = {VK_DYNAMIC_STATE_SCISSOR};
  picture(build(s, d), [&] {
    vkCmdSetScissor(s.cmd, 2, 4, kScissors + 2);
    vkCmdSetScissor(s.cmd, 0, 2, kScissors + 2);
  });
  // Viewports alone, the other way round.
  d.viewport.pNext = nullptr;
  d.viewport.pViewports = nullptr;
  d.viewport.pScissors = kScissors;
  d.dynamic = {VK_DYNAMIC_STATE_VIEWPORT};
  picture(build(s, d), [&] {
    for (std::uint32_t i = 0; i < kViewports; ++i) vkCmdSetViewport(s.cmd, i, 1, &kAreas[kViewports - 1 - i]);
  });
  // And their number: indices beyond it are the driver's to bring in.
  d.viewport.viewportCount = d.viewport.scissorCount = 0;
  d.viewport.pScissors = nullptr;
  d.dynamic = {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT};
  picture(build(s, d), [&] {
    vkCmdSetViewportWithCount(s.cmd, kViewports, kAreas);
    vkCmdSetScissorWithCount(s.cmd, kViewports, kScissors);
  });
  run(s);
  EXPECT(s, std::memcmp(p.out.words, p.out.words + 6 * kTexels, 2 * kTexels * 4) == 0);
  EXPECT(s, std::memcmp(p.out.words, p.out.words + 2 * kTexels, kTexels * 4) != 0);
  EXPECT(s, count(p.out.words, kTexels, kBlack) < kTexels);
  add(s, p.out);
  return finish(s);
}
