// SPDX-License-Identifier: Apache-2.0
// Secondary command buffers that execute secondary ones (VK_EXT_nested_command_buffer): outside
// of passes, three deep, one of them twice; in dynamic rendering and in a render pass, in turns
// with draws of the primary's own.
#include "chapter.h"
#include "raster.h"

#ifdef VK_EXT_nested_command_buffer

using namespace program;

namespace program {
FEATURES_OF(NestedCommandBufferFeaturesEXT, NESTED_COMMAND_BUFFER_FEATURES_EXT);
}  // namespace program

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;

VkCommandBuffer begin_secondary(Session& s, VkCommandBufferUsageFlags flags,
                                const VkCommandBufferInheritanceInfo& inherited) {
  const VkCommandBufferAllocateInfo wanted{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, s.commands.pool,
                                           VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
  VkCommandBuffer cmd;
  CHECK(vkAllocateCommandBuffers(s.device, &wanted, &cmd));
  const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, flags, &inherited};
  CHECK(vkBeginCommandBuffer(cmd, &info));
  return cmd;
}

void fills(Session& s) {
  const MappedBuffer out = create_readback(s, 64);
  const VkCommandBufferInheritanceInfo none{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
  constexpr VkCommandBufferUsageFlags again = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  const VkCommandBuffer deepest = begin_secondary(s, again, none);
  const VkBufferCopy behind{0, 4, 4};
  vkCmdCopyBuffer(deepest, out.buffer, out.buffer, 1, &behind);
  barrier(deepest);
  vkCmdFillBuffer(deepest, out.buffer, 0, 4, 11);
  barrier(deepest);
  CHECK(vkEndCommandBuffer(deepest));
  const VkCommandBuffer middle = begin_secondary(s, again, none);
  vkCmdFillBuffer(middle, out.buffer, 0, 4, 22);
  barrier(middle);
  vkCmdExecuteCommands(middle, 1, &deepest);
  CHECK(vkEndCommandBuffer(middle));
  const VkCommandBuffer outer = begin_secondary(s, 0, none);
  const VkCommandBuffer both[2] = {middle, deepest};
  vkCmdExecuteCommands(outer, 1, both);
  const VkBufferCopy aside{0, 32, 8};
  vkCmdCopyBuffer(outer, out.buffer, out.buffer, 1, &aside);
  barrier(outer);
  vkCmdExecuteCommands(outer, 2, both);
  vkCmdExecuteCommands(outer, 1, both + 1);
  CHECK(vkEndCommandBuffer(outer));
  vkCmdExecuteCommands(s.cmd, 1, &outer);
  run(s);
  EXPECT(s, out.words[8] == 11 && out.words[9] == 22);
  EXPECT(s, out.words[0] == 11 && out.words[1] == 11);
  add(s, out);
}

struct Scene {
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
};

void draw_column(VkCommandBuffer cmd, const Scene& scene, std::uint32_t column, float green) {
  set_area(cmd, kExtent);
  vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, scene.pipeline);
  const float left = -1 + static_cast<float>(column) / 4;
  draw(cmd, scene.layout, {left, -1, left + 0.25f, 1, {1, green, 0, 1}});
}

// Columns 1 and 2 in secondaries of a secondary, which has column 3.
VkCommandBuffer record(Session& s, const Scene& scene, const VkCommandBufferInheritanceInfo& inherited) {
  constexpr VkCommandBufferUsageFlags inside = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
  VkCommandBuffer inner[2];
  for (std::uint32_t i = 0; i < 2; ++i) {
    inner[i] = begin_secondary(s, inside, inherited);
    draw_column(inner[i], scene, 1 + i, 1);
    CHECK(vkEndCommandBuffer(inner[i]));
  }
  const VkCommandBuffer outer = begin_secondary(s, inside, inherited);
  vkCmdExecuteCommands(outer, 2, inner);
  draw_column(outer, scene, 3, 1);
  CHECK(vkEndCommandBuffer(outer));
  return outer;
}

void expect(Session& s, const MappedBuffer& out) {
  for (std::uint32_t column = 0; column < 5; ++column) {
    EXPECT(s, (out.words[2 * column] & 0xff) == 0xff);
    EXPECT(s, (out.words[2 * column] >> 8 & 0xff) == (column == 0 || column == 4 ? 0u : 0xffu));
  }
  EXPECT(s, out.words[10] == 0);
  add(s, out);
}

void render(Session& s) {
  const Image canvas = create_canvas(s, kExtent);
  const MappedBuffer out = create_readback(s, kTexels * 4);
  Drawing d = shapes(s);
  const Scene scene{build(s, d), d.layout};
  const VkCommandBufferInheritanceRenderingInfo rendering{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
      .flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT | VK_RENDERING_CONTENTS_INLINE_BIT_EXT,
      .colorAttachmentCount = 1,
      .pColorAttachmentFormats = &canvas.info.format,
      .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
  const VkCommandBuffer outer =
      record(s, scene, {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering});
  const VkRenderingAttachmentInfo color = attachment(canvas.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  VkRenderingInfo info = rendering_info(kExtent, {});
  info.flags = rendering.flags;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &color;
  vkCmdBeginRendering(s.cmd, &info);
  draw_column(s.cmd, scene, 0, 0);
  vkCmdExecuteCommands(s.cmd, 1, &outer);
  draw_column(s.cmd, scene, 4, 0);
  vkCmdEndRendering(s.cmd);
  copy_out(s.cmd, canvas, VK_IMAGE_LAYOUT_GENERAL, out);
  run(s);
  expect(s, out);
}

void pass(Session& s) {
  Raster r = create_raster(s, kExtent);
  s.at_end.push_back([&s, r]() mutable { destroy(s, r); });
  const MappedBuffer out = create_readback(s, kTexels * 4);
  Drawing d = shapes(s);
  d.pass = r.pass;
  const Scene scene{build(s, d), d.layout};
  const VkCommandBuffer outer = record(
      s, scene,
      {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .renderPass = r.pass, .framebuffer = r.framebuffer});
  const VkClearValue clear{};
  const VkRenderPassBeginInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   nullptr,
                                   r.pass,
                                   r.framebuffer,
                                   {{0, 0}, {kExtent, kExtent}},
                                   1,
                                   &clear};
  vkCmdBeginRenderPass(s.cmd, &info, VK_SUBPASS_CONTENTS_INLINE_AND_SECONDARY_COMMAND_BUFFERS_EXT);
  draw_column(s.cmd, scene, 0, 0);
  vkCmdExecuteCommands(s.cmd, 1, &outer);
  draw_column(s.cmd, scene, 4, 0);
  vkCmdEndRenderPass(s.cmd);
  const VkBufferImageCopy region{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                 .imageExtent = {kExtent, kExtent, 1}};
  vkCmdCopyImageToBuffer(s.cmd, r.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out.buffer, 1, &region);
  run(s);
  expect(s, out);
}

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME});
  NEED(needs, NestedCommandBufferFeaturesEXT, nestedCommandBuffer);
  NEED(needs, NestedCommandBufferFeaturesEXT, nestedCommandBufferRendering);
  NEED(needs, NestedCommandBufferFeaturesEXT, nestedCommandBufferSimultaneousUse);
  Session s = open("nested_commands", needs);
  fills(s);
  render(s);
  pass(s);
  return finish(s);
}

#else

int main() {
  return program::cannot_run("the headers that it was built with do not have VK_EXT_nested_command_buffer");
}

#endif
