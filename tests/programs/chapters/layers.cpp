// SPDX-License-Identifier: Apache-2.0
// Layered framebuffers: layers that the vertex shader chooses, of arrays, of cubes and of
// slices of three dimensions, with depth of as many layers; clears of some layers within
// passes; attachments whose views begin above the first layer.
#include "chapter.h"
#include "layered.frag.h"
#include "layered.vert.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent, kLayers = 6;

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED(needs, Vulkan12Features, shaderOutputLayer);
  NEED_CORE(needs, geometryShader);  // the fragment shader reads its layer
  Session s = open("layers", needs);
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, kDrawnAndRead);
  info.arrayLayers = kLayers + 2;
  const Image array = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
  info.arrayLayers = kLayers;
  info.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  const Image cube = create_general(s, info, VK_IMAGE_VIEW_TYPE_CUBE);
  info = image_info(VK_FORMAT_R8G8B8A8_UNORM, VkExtent3D{kExtent, kExtent, kLayers + 1}, kDrawnAndRead);
  info.imageType = VK_IMAGE_TYPE_3D;
  info.flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
  const Image solid = create_general(s, info, VK_IMAGE_VIEW_TYPE_3D);
  info = image_info(VK_FORMAT_D32_SFLOAT, kExtent,
                    VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  info.arrayLayers = kLayers;
  const Image depths = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_ASPECT_DEPTH_BIT);
  constexpr VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  const VkImageView views[3] = {
      create_view(s, array.image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, format, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 2, kLayers}),
      create_view(s, cube.image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, format, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, kLayers}),
      create_view(s, solid.image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, format, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, kLayers})};
  Pictures p = create_pictures(s, std::size_t{3} * (2 * kLayers + 2) * kTexels * 4);
  Drawing d = shapes(s);
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, layered_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, layered_frag_spv))};
  d.depth.depthTestEnable = d.depth.depthWriteEnable = VK_TRUE;
  d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  VkAttachmentDescription attachments[2];
  for (int i = 0; i < 2; ++i)
    attachments[i] = {0,
                      i == 0 ? format : VK_FORMAT_D32_SFLOAT,
                      VK_SAMPLE_COUNT_1_BIT,
                      VK_ATTACHMENT_LOAD_OP_CLEAR,
                      VK_ATTACHMENT_STORE_OP_STORE,
                      VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                      VK_ATTACHMENT_STORE_OP_DONT_CARE,
                      VK_IMAGE_LAYOUT_GENERAL,
                      VK_IMAGE_LAYOUT_GENERAL};
  const VkAttachmentReference color{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
      depth{1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
  const VkSubpassDescription subpass{
      .colorAttachmentCount = 1, .pColorAttachments = &color, .pDepthStencilAttachment = &depth};
  const VkSubpassDependency dependencies[2] = {everything(VK_SUBPASS_EXTERNAL, 0), everything(0, VK_SUBPASS_EXTERNAL)};
  d.pass = create_pass(s, {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                           .attachmentCount = 2,
                           .pAttachments = attachments,
                           .subpassCount = 1,
                           .pSubpasses = &subpass,
                           .dependencyCount = 2,
                           .pDependencies = dependencies});
  const VkPipeline pipeline = build(s, d);
  for (const VkImageView view : views) {
    const VkFramebuffer framebuffer = create_framebuffer(s, d.pass, {view, depths.view}, kExtent, kLayers);
    VkClearValue clears[2]{};
    clears[0].color.float32[3] = 0.5f;
    clears[1].depthStencil.depth = 0.75f;
    const VkRenderPassBeginInfo pass{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                     nullptr,
                                     d.pass,
                                     framebuffer,
                                     {{0, 0}, {kExtent, kExtent}},
                                     2,
                                     clears};
    vkCmdBeginRenderPass(s.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    const Shape shapes[2] = {{-1, -1, 0.25f, 0.5f, {1, 0, 0, 1}, 0.25f}, {-0.5f, 0, 1, 1, {0, 0.25f, 0, 1}, 0.375f}};
    vkCmdPushConstants(s.cmd, d.layout, kShapeRange.stageFlags, 0, sizeof(Shape), &shapes[0]);
    vkCmdDraw(s.cmd, 4, kLayers - 1, 0, 1);
    const VkClearAttachment what[2] = {{VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {0, 0, 1, 1}}}},
                                       {VK_IMAGE_ASPECT_DEPTH_BIT, 7, {.depthStencil = {0.125f, 0}}}};
    const VkClearRect where[2] = {{{{2, 3}, {4, 2}}, 1, 2}, {{{0, 0}, {8, 1}}, 4, 2}};
    vkCmdClearAttachments(s.cmd, 2, what, 2, where);
    vkCmdPushConstants(s.cmd, d.layout, kShapeRange.stageFlags, 0, sizeof(Shape), &shapes[1]);
    vkCmdDraw(s.cmd, 4, kLayers, 0, 0);
    vkCmdEndRenderPass(s.cmd);
    barrier(s.cmd);
    for (std::uint32_t i = 0; i < kLayers; ++i) {
      if (view == views[0]) take(s, p, array, 4, VK_IMAGE_ASPECT_COLOR_BIT, 0, i + 2);
      if (view == views[1]) take(s, p, cube, 4, VK_IMAGE_ASPECT_COLOR_BIT, 0, i);
      take(s, p, depths, 4, VK_IMAGE_ASPECT_DEPTH_BIT, 0, i);
    }
  }
  transition(s.cmd, solid, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
  const VkBufferImageCopy slices{.bufferOffset = p.used,
                                 .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                 .imageOffset = {0, 0, 1},
                                 .imageExtent = {kExtent, kExtent, kLayers}};
  vkCmdCopyImageToBuffer(s.cmd, solid.image, VK_IMAGE_LAYOUT_GENERAL, p.out.buffer, 1, &slices);
  run(s);
  for (std::uint32_t i = 0; i < kLayers; ++i) {
    const std::uint32_t* one = p.out.words + std::size_t{2} * i * kTexels;
    EXPECT(s, std::memcmp(one, one + std::size_t{2} * kLayers * kTexels, kTexels * 4) == 0);
    EXPECT(s, std::memcmp(one, p.out.words + p.used / 4 + i * kTexels, kTexels * 4) == 0);
  }
  add(s, p.out);
  return finish(s);
}
