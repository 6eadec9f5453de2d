// SPDX-License-Identifier: Apache-2.0
// Chapter "Synchronization and Cache Control", events: several waited for at
// once with a dependency each, set in one command buffer and waited for in
// another, reset by the device between, set by the host before and after the
// submit; barriers of every stage, of no memory, of parts of buffers and images.
#include "objects.h"
#include "words.h"

using namespace program;

namespace {

VkDependencyInfo dependency(const VkMemoryBarrier2* memory, const VkBufferMemoryBarrier2* buffer = nullptr,
                            const VkImageMemoryBarrier2* image = nullptr) {
  return {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
          .memoryBarrierCount = memory != nullptr ? 1u : 0u,
          .pMemoryBarriers = memory,
          .bufferMemoryBarrierCount = buffer != nullptr ? 1u : 0u,
          .pBufferMemoryBarriers = buffer,
          .imageMemoryBarrierCount = image != nullptr ? 1u : 0u,
          .pImageMemoryBarriers = image};
}

VkMemoryBarrier2 barrier_of(VkPipelineStageFlags2 from, VkAccessFlags2 wrote, VkPipelineStageFlags2 to,
                            VkAccessFlags2 reads) {
  return {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, from, wrote, to, reads};
}

constexpr VkPipelineStageFlags2 kClear = VK_PIPELINE_STAGE_2_CLEAR_BIT, kCopy = VK_PIPELINE_STAGE_2_COPY_BIT;

// Three events with three kinds of dependency, waited for by one command of another submit.
void three_at_once(Session& s, const MappedBuffer& a, const MappedBuffer& b, VkImage image) {
  VkEvent events[3];
  for (VkEvent& event : events) event = keep(s, vkDestroyEvent, create_event(s));
  const VkMemoryBarrier2 filled =
      barrier_of(kClear, VK_ACCESS_2_TRANSFER_WRITE_BIT, kCopy, VK_ACCESS_2_TRANSFER_READ_BIT);
  const VkBufferMemoryBarrier2 part{.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
                                    .srcStageMask = kClear,
                                    .srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
                                    .dstStageMask = kCopy,
                                    .dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .buffer = a.buffer,
                                    .offset = 16,
                                    .size = VK_WHOLE_SIZE};
  const VkImageMemoryBarrier2 layout{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                     .srcStageMask = kClear,
                                     .srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
                                     .dstStageMask = kCopy,
                                     .dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT,
                                     .oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                     .newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                     .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .image = image,
                                     .subresourceRange = kColor};
  const VkDependencyInfo dependencies[3] = {dependency(&filled), dependency(nullptr, &part),
                                            dependency(nullptr, nullptr, &layout)};
  change_layout(s.cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdFillBuffer(s.cmd, a.buffer, 0, 16, 1);
  vkCmdSetEvent2(s.cmd, events[0], &dependencies[0]);
  vkCmdFillBuffer(s.cmd, a.buffer, 16, 16, 2);
  vkCmdSetEvent2(s.cmd, events[1], &dependencies[1]);
  const VkClearColorValue color{.uint32 = {3, 0, 0, 0}};
  vkCmdClearColorImage(s.cmd, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &kColor);
  vkCmdSetEvent2(s.cmd, events[2], &dependencies[2]);
  run(s);
  vkCmdWaitEvents2(s.cmd, 3, events, dependencies);
  copy(s.cmd, a.buffer, 0, b.buffer, 0, 32);
  const VkBufferImageCopy region{
      .bufferOffset = 32, .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {2, 2, 1}};
  vkCmdCopyImageToBuffer(s.cmd, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, b.buffer, 1, &region);
  barrier(s.cmd);
  for (const VkEvent event : events) vkCmdResetEvent2(s.cmd, event, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
  run(s);
  for (const VkEvent event : events) EXPECT(s, vkGetEventStatus(s.device, event) == VK_EVENT_RESET);
  EXPECT(s, b.words[3] == 1 && b.words[7] == 2 && b.words[11] == 3);
}

// One that the host sets before the submit, one that it sets behind it, and one of the device's.
void by_the_host(Session& s, const MappedBuffer& a, const MappedBuffer& b) {
  VkEvent events[3];
  for (VkEvent& event : events) event = keep(s, vkDestroyEvent, create_event(s));
  const VkMemoryBarrier written{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
                                VK_ACCESS_HOST_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT};
  CHECK(vkSetEvent(s.device, events[0]));
  vkCmdFillBuffer(s.cmd, b.buffer, 128, 64, 5);
  vkCmdSetEvent(s.cmd, events[2], VK_PIPELINE_STAGE_TRANSFER_BIT);
  vkCmdWaitEvents(s.cmd, 3, events, VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                  VK_PIPELINE_STAGE_TRANSFER_BIT, 1, &written, 0, nullptr, 0, nullptr);
  copy(s.cmd, a.buffer, 64, b.buffer, 64, 64);
  copy(s.cmd, b.buffer, 128, b.buffer, 192, 64);
  transfers_to_host(s.cmd);
  CHECK(vkEndCommandBuffer(s.cmd));
  submit(s.queues[0], s.commands);
  a.words[16] = 77;
  CHECK(vkSetEvent(s.device, events[1]));
  wait(s, s.commands);
  begin(s.commands);
  EXPECT(s, b.words[16] == 77 && b.words[48] == 5);
  for (const VkEvent event : events) CHECK(vkResetEvent(s.device, event));
}

// Stages that nothing ran in and no accesses: order and nothing else.
void order_only(Session& s, const MappedBuffer& a, const MappedBuffer& b) {
  constexpr VkPipelineStageFlags2 stages[] = {VK_PIPELINE_STAGE_2_NONE,
                                              VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT,
                                              VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT,
                                              VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT,
                                              VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT,
                                              VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT,
                                              VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT,
                                              VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                                              VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                              VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                                              VK_PIPELINE_STAGE_2_RESOLVE_BIT,
                                              VK_PIPELINE_STAGE_2_BLIT_BIT,
                                              VK_PIPELINE_STAGE_2_HOST_BIT,
                                              VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT,
                                              VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
                                              VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                              VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT};
  vkCmdFillBuffer(s.cmd, a.buffer, 0, 64, 6);
  VkMemoryBarrier2 barriers[std::size(stages)];
  for (std::size_t i = 0; i < std::size(stages); ++i)
    barriers[i] = barrier_of(stages[i], 0, stages[(i + 5) % std::size(stages)], 0);
  barriers[0] = barrier_of(VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT,
                           VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_MEMORY_READ_BIT);
  const VkDependencyInfo all{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                             .dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT,
                             .memoryBarrierCount = std::size(stages),
                             .pMemoryBarriers = barriers};
  vkCmdPipelineBarrier2(s.cmd, &all);
  copy(s.cmd, a.buffer, 0, b.buffer, 256, 64);
  vkCmdPipelineBarrier(s.cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, nullptr, 0,
                       nullptr, 0, nullptr);
  run(s);
  EXPECT(s, b.words[64 + 15] == 6);
}

}  // namespace

int main() {
  Needs needs;
  NEED(needs, Vulkan13Features, synchronization2);
  Session s = open("events2", needs);
  const MappedBuffer a = buffer(s, 512, kCopies), b = buffer(s, 512, kCopies);
  const VkImage image = keep(
      s, vkDestroyImage,
      create_unbound_image(
          s, image_info(VK_FORMAT_R32_UINT, 2, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)));
  keep(s, vkFreeMemory, bind_to_memory_of_its_own(s, image));
  three_at_once(s, a, b, image);
  by_the_host(s, a, b);
  order_only(s, a, b);
  add(s, b);
  return finish(s);
}
