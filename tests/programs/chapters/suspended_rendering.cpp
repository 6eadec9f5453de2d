// SPDX-License-Identifier: Apache-2.0
// Dynamic rendering over several command buffers of one submit, suspended and
// resumed; in secondaries that inherit formats, a depth of their own and holes
// between the attachments; with the rest of a render area left alone.
#include "chapter.h"
#include "second.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;
constexpr VkFormat kFormats[3] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_UNDEFINED};

struct Targets {
  Image first, second, depth;
};

// `what`: suspending, resuming, contents of secondaries.
void begin(VkCommandBuffer cmd, const Targets& t, VkRenderingFlags what) {
  VkRenderingAttachmentInfo colors[3] = {
      attachment(t.first.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR),
      attachment(t.second.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR),
      attachment(VK_NULL_HANDLE, VK_IMAGE_LAYOUT_UNDEFINED, VK_ATTACHMENT_LOAD_OP_DONT_CARE)};
  colors[1].clearValue.color.float32[2] = 8;
  VkRenderingAttachmentInfo depth = attachment(t.depth.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  depth.clearValue.depthStencil.depth = 0.75f;
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .flags = what,
                             .renderArea = {{1, 2}, {12, 13}},
                             .layerCount = 1,
                             .colorAttachmentCount = 3,
                             .pColorAttachments = colors,
                             .pDepthAttachment = &depth};
  vkCmdBeginRendering(cmd, &info);
}

VkCommandBuffer create_secondary(Session& s) {
  VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, s.commands.pool,
                                   VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
  VkCommandBuffer buffer;
  CHECK(vkAllocateCommandBuffers(s.device, &info, &buffer));
  const VkCommandBufferInheritanceRenderingInfo rendering{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
      .colorAttachmentCount = 3,
      .pColorAttachmentFormats = kFormats,
      .depthAttachmentFormat = VK_FORMAT_D16_UNORM,
      .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
  const VkCommandBufferInheritanceInfo inherited{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, &rendering};
  const VkCommandBufferBeginInfo begins{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                        VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inherited};
  CHECK(vkBeginCommandBuffer(buffer, &begins));
  return buffer;
}

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED_CORE(needs, independentBlend);
  Session s = open("suspended_rendering", needs);
  const Targets t{create_canvas(s, kExtent),
                  create_general(s, image_info(kFormats[1], kExtent, kDrawnAndRead | VK_IMAGE_USAGE_TRANSFER_DST_BIT)),
                  create_general(s,
                                 image_info(VK_FORMAT_D16_UNORM, kExtent,
                                            VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                                VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT),
                                 VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT)};
  Pictures p = create_pictures(s, std::size_t{2} * kTexels * (4 + 8 + 2));
  clear(s.cmd, t.first, {.float32 = {0, 0.5f, 0, 0}});
  clear(s.cmd, t.second, {.float32 = {0, 0.5f, 0, 0}});
  const VkClearDepthStencilValue zero{};
  vkCmdClearDepthStencilImage(s.cmd, t.depth.image, VK_IMAGE_LAYOUT_GENERAL, &zero, 1, &t.depth.range);
  barrier(s.cmd);

  Drawing d = shapes(s);
  d.formats.assign(kFormats, kFormats + 3);
  d.attachments = {{.colorWriteMask = 0xf}, {.colorWriteMask = 0}, {.colorWriteMask = 0}};
  d.rendering.depthAttachmentFormat = VK_FORMAT_D16_UNORM;
  d.depth.depthTestEnable = d.depth.depthWriteEnable = VK_TRUE;
  d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  const VkPipeline first = build(s, d);
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, second_frag_spv));
  d.attachments = {{.colorWriteMask = 0}, {.colorWriteMask = 0xf}, {.colorWriteMask = 0}};
  const VkPipeline second = build(s, d);
  const auto draws = [&](VkCommandBuffer cmd, VkPipeline pipeline, const Shape& shape) {
    set_area(cmd, kExtent);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draw(cmd, d.layout, shape);
  };

  // Three command buffers: cleared once, ended once.
  constexpr VkRenderingFlags suspends = VK_RENDERING_SUSPENDING_BIT, resumes = VK_RENDERING_RESUMING_BIT;
  VkCommandBuffer parts[2] = {allocate_command_buffer(s, s.commands.pool), allocate_command_buffer(s, s.commands.pool)};
  begin(s.cmd, t, suspends);
  draws(s.cmd, first, {-1, -1, 0, 0, {1, 0, 0, 1}, 0.5f});
  vkCmdEndRendering(s.cmd);
  program::begin(parts[0], VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  begin(parts[0], t, suspends | resumes);
  draws(parts[0], second, {-0.5f, -0.5f, 0.5f, 0.5f, {0, 2, 0, 1}, 0.25f});
  vkCmdEndRendering(parts[0]);
  program::begin(parts[1], VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  begin(parts[1], t, resumes);
  draws(parts[1], first, {0, 0, 1, 1, {0, 0, 1, 1}, 0.375f});
  vkCmdEndRendering(parts[1]);
  barrier(parts[1]);
  for (const VkCommandBuffer one : {s.cmd, parts[0], parts[1]}) CHECK(vkEndCommandBuffer(one));
  const VkCommandBuffer all[3] = {s.cmd, parts[0], parts[1]};
  VkSubmitInfo submits{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submits.commandBufferCount = 3;
  submits.pCommandBuffers = all;
  CHECK(vkQueueSubmit(s.queues[0], 1, &submits, s.commands.done));
  wait(s, s.commands);
  program::begin(s.commands);
  const std::uint32_t* suspended = take(s, p, t.first);
  take(s, p, t.second, 8);
  take(s, p, t.depth, 2, VK_IMAGE_ASPECT_DEPTH_BIT);

  // The same in secondaries.
  const VkCommandBuffer secondaries[2] = {create_secondary(s), create_secondary(s)};
  draws(secondaries[0], second, {-1, -1, 0.25f, 1, {0.5f, 0, 0, 1}, 0.125f});
  draws(secondaries[1], first, {-0.25f, -0.25f, 1, 1, {1, 0, 1, 1}, 0.5f});
  for (const VkCommandBuffer one : secondaries) CHECK(vkEndCommandBuffer(one));
  begin(s.cmd, t, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
  vkCmdExecuteCommands(s.cmd, 2, secondaries);
  vkCmdEndRendering(s.cmd);
  barrier(s.cmd);
  take(s, p, t.first);
  take(s, p, t.second, 8);
  take(s, p, t.depth, 2, VK_IMAGE_ASPECT_DEPTH_BIT);
  run(s);
  EXPECT(s, suspended[0] == 0x00008000 && suspended[3 * kExtent + 3] == kRed && suspended[12 * kExtent + 12] == kBlue);
  add(s, p.out);
  return finish(s);
}
