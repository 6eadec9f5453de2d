// SPDX-License-Identifier: Apache-2.0
// Dynamic states, one a case: the same two rectangles are drawn with one value
// and with another, into two pictures that have to differ.
#pragma once

#include "flat.frag.h"
#include "patch.tesc.h"
#include "patch.tese.h"
#include "picture.h"
#include "vertices.vert.h"

namespace program {

struct Stage;

struct Case {
  const char* name;
  std::vector<VkDynamicState> states;
  void (*prepare)(Drawing&) = nullptr;
  void (*set)(const Session&, const Stage&, VkCommandBuffer, bool second) = nullptr;
  float depth = 0.25f;  // of the first rectangle; the attachment begins at 0.5
  float alpha = 0.5f;
  bool vertices = false;  // from a buffer, indexed, flat; else without input
  bool patches = false;   // tessellated
};

struct Stage {
  static constexpr std::uint32_t extent = 16;
  static constexpr std::uint32_t texels = extent * extent;
  Image canvas, behind;
  MappedBuffer vertices, indices, out;
  VkShaderModule vertex, fragment, control, evaluation;
};

inline Stage create_stage(Session& s, std::size_t cases) {
  Stage g;
  g.canvas = create_canvas(s, Stage::extent);
  g.behind = create_image(
      s, image_info(VK_FORMAT_D32_SFLOAT_S8_UINT, Stage::extent, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT),
      VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT);
  transition(s.cmd, g.behind, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
  const float corners[8][2] = {{-0.5f, -1}, {0.5f, -1}, {-0.5f, 1}, {0.5f, 1}, {0, 0}, {1, 0}, {0, 1}, {1, 1}};
  g.vertices = buffer_of(s, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, corners);
  const std::uint32_t indices[6] = {0, 1, 2, ~0u, 3, 1};
  g.indices = buffer_of(s, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
  g.out = create_readback(s, cases * 2 * Stage::texels * 4);
  g.vertex = shader(s, vertices_vert_spv);
  g.fragment = shader(s, flat_frag_spv);
  g.control = shader(s, patch_tesc_spv);
  g.evaluation = shader(s, patch_tese_spv);
  return g;
}

inline void begin_picture(VkCommandBuffer cmd, const Stage& g) {
  const VkRenderingAttachmentInfo color =
      attachment(g.canvas.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  VkRenderingAttachmentInfo depth =
      attachment(g.behind.view, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  depth.clearValue.depthStencil = {0.5f, 1};
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea = {{0, 0}, {Stage::extent, Stage::extent}},
                             .layerCount = 1,
                             .colorAttachmentCount = 1,
                             .pColorAttachments = &color,
                             .pDepthAttachment = &depth,
                             .pStencilAttachment = &depth};
  vkCmdBeginRendering(cmd, &info);
}

inline VkPipeline build(Session& s, const Stage& g, const Case& what, VkPipelineLayout& layout) {
  Drawing d = shapes(s);
  d.rendering.depthAttachmentFormat = d.rendering.stencilAttachmentFormat = VK_FORMAT_D32_SFLOAT_S8_UINT;
  d.depth.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
  d.depth.front = {VK_STENCIL_OP_KEEP, VK_STENCIL_OP_KEEP, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_EQUAL, 0xff, 0xff, 1};
  d.depth.back = d.depth.front;
  const VkVertexInputBindingDescription binding{0, 8, VK_VERTEX_INPUT_RATE_VERTEX};
  const VkVertexInputAttributeDescription attribute{0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
  if (what.vertices) {
    d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, g.vertex), stage(VK_SHADER_STAGE_FRAGMENT_BIT, g.fragment)};
    d.input.vertexBindingDescriptionCount = d.input.vertexAttributeDescriptionCount = 1;
    d.input.pVertexBindingDescriptions = &binding;
    d.input.pVertexAttributeDescriptions = &attribute;
  }
  if (what.patches) {
    d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    d.stages.push_back(stage(VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, g.control));
    d.stages.push_back(stage(VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, g.evaluation));
  }
  for (const VkDynamicState state : what.states) {
    if (state == VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT) d.dynamic[0] = state, d.viewport.viewportCount = 0;
    if (state == VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT) d.dynamic[1] = state, d.viewport.scissorCount = 0;
    if (state != d.dynamic[0] && state != d.dynamic[1]) d.dynamic.push_back(state);
  }
  if (what.prepare != nullptr) what.prepare(d);
  layout = d.layout;
  return build(s, d);
}

// Draws every case both ways, and says which of them made no difference.
inline void draw_cases(Session& s, const std::vector<Case>& cases) {
  const Stage g = create_stage(s, cases.size());
  VkDeviceSize offset = 0;
  for (const Case& what : cases) {
    VkPipelineLayout layout;
    const VkPipeline pipeline = build(s, g, what, layout);
    for (const bool second : {false, true}) {
      begin_picture(s.cmd, g);
      set_area(s.cmd, Stage::extent);
      vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      const VkDeviceSize zero = 0;
      if (what.vertices) vkCmdBindVertexBuffers(s.cmd, 0, 1, &g.vertices.buffer, &zero);
      if (what.vertices) vkCmdBindIndexBuffer(s.cmd, g.indices.buffer, 0, VK_INDEX_TYPE_UINT32);
      what.set(s, g, s.cmd, second);
      const Shape shapes[2] = {{-0.8f, -0.8f, 0.4f, 0.8f, {1, 0.25f, 0, what.alpha}, what.depth},
                               {-0.4f, -0.4f, 0.8f, 0.4f, {0, 0.5f, 1, what.alpha}, what.depth + 0.25f}};
      for (const Shape& shape : shapes) {
        vkCmdPushConstants(s.cmd, layout, kShapeRange.stageFlags, 0, sizeof shape, &shape);
        if (what.vertices)
          vkCmdDrawIndexed(s.cmd, 6, 1, 0, 0, 0);
        else
          vkCmdDraw(s.cmd, 4, 1, 0, 0);
      }
      vkCmdEndRendering(s.cmd);
      copy_out(s.cmd, g.canvas, VK_IMAGE_LAYOUT_GENERAL, g.out, offset);
      barrier(s.cmd);
      offset += Stage::texels * 4;
    }
  }
  run(s);
  const std::uint32_t* pictures = g.out.words;
  for (const Case& what : cases) {
    if (std::memcmp(pictures, pictures + Stage::texels, Stage::texels * 4) == 0) {
      std::fprintf(stderr, "%s makes no difference\n", what.name);
      ++s.wrong;
    }
    pictures += 2 * Stage::texels;
  }
  add(s, g.out);
}

}  // namespace program
