// SPDX-License-Identifier: Apache-2.0
// Secondary command buffers: one that draws within a render pass and is
// executed by two primaries and twice in one of them, one without a pass that
// executes nothing but transfers, and primaries begun with a pointer to
// inheritance that nobody may look at.
#include "picture.h"
#include "raster.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16;
constexpr std::uint32_t kTexels = kExtent * kExtent;

VkCommandBuffer allocate(Session& s, VkCommandBufferLevel level) {
  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, s.commands.pool,
                                         level, 1};
  VkCommandBuffer cmd;
  CHECK(vkAllocateCommandBuffers(s.device, &info, &cmd));
  return cmd;
}

void begin_secondary(VkCommandBuffer cmd, VkCommandBufferUsageFlags flags,
                     const VkCommandBufferInheritanceInfo& inheritance) {
  const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, flags, &inheritance};
  CHECK(vkBeginCommandBuffer(cmd, &info));
}

// Clears the pass's image, runs the secondaries in it, copies it to `offset`.
void record(VkCommandBuffer cmd, const Raster& r, const std::vector<VkCommandBuffer>& inside, VkCommandBuffer after) {
  const VkClearValue clear{};
  const VkRenderPassBeginInfo pass{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   nullptr,
                                   r.pass,
                                   r.framebuffer,
                                   {{0, 0}, {kExtent, kExtent}},
                                   1,
                                   &clear};
  vkCmdBeginRenderPass(cmd, &pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
  vkCmdExecuteCommands(cmd, static_cast<std::uint32_t>(inside.size()), inside.data());
  vkCmdEndRenderPass(cmd);
  vkCmdExecuteCommands(cmd, 1, &after);
}

}  // namespace

int main() {
  Session s = open("secondary");
  Raster r = create_raster(s, kExtent);
  Drawing d = shapes(s);
  d.pass = r.pass;
  d.attachments[0] = {VK_TRUE,
                      VK_BLEND_FACTOR_ONE,
                      VK_BLEND_FACTOR_ONE,
                      VK_BLEND_OP_ADD,
                      VK_BLEND_FACTOR_ONE,
                      VK_BLEND_FACTOR_ONE,
                      VK_BLEND_OP_ADD,
                      0xf};
  const VkPipeline pipeline = build(s, d);
  MappedBuffer out = create_readback(s, 2 * kTexels * 4);

  const VkCommandBuffer draws = allocate(s, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  begin_secondary(
      draws, VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT | VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
      {VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, nullptr, r.pass, 0, r.framebuffer, VK_FALSE, 0, 0});
  set_area(draws, kExtent);
  vkCmdBindPipeline(draws, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  draw(draws, d.layout, {-1, -1, 0, 1, {0.2f, 0, 0, 1}});
  CHECK(vkEndCommandBuffer(draws));

  VkCommandBuffer copies[2];
  for (std::uint32_t n = 0; n < 2; ++n) {
    copies[n] = allocate(s, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    begin_secondary(copies[n], 0, {VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO});
    const VkBufferImageCopy region{.bufferOffset = n * kTexels * 4,
                                   .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                   .imageExtent = {kExtent, kExtent, 1}};
    vkCmdCopyImageToBuffer(copies[n], r.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out.buffer, 1, &region);
    CHECK(vkEndCommandBuffer(copies[n]));
  }

  // Inheritance is ignored for primaries: it may be garbage.
  VkCommandBuffer primaries[2];
  for (std::uint32_t n = 0; n < 2; ++n) {
    primaries[n] = allocate(s, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0,
                                        reinterpret_cast<const VkCommandBufferInheritanceInfo*>(0x10)};
    CHECK(vkBeginCommandBuffer(primaries[n], &info));
    if (n == 0)
      record(primaries[n], r, {draws}, copies[n]);
    else
      record(primaries[n], r, {draws, draws, draws}, copies[n]);
    CHECK(vkEndCommandBuffer(primaries[n]));
  }
  const VkSubmitInfo both{
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 2, .pCommandBuffers = primaries};
  CHECK(vkQueueSubmit(s.queues[0], 1, &both, VK_NULL_HANDLE));
  run(s);

  EXPECT(s, count(out.words, kTexels, 0xff000033) == kTexels / 2);            // once 51
  EXPECT(s, count(out.words + kTexels, kTexels, 0xff000099) == kTexels / 2);  // three times
  add(s, out);
  s.at_end.insert(s.at_end.begin(), [&] { destroy(s, r); });
  return finish(s);
}
