// SPDX-License-Identifier: Apache-2.0
#include "calls.h"

#include <cstdint>

#include "format/vulkan.h"
#include "generated/args.h"

namespace rondo::bench {

namespace {

// A captured handle's value: nothing follows it.
template <class Handle>
Handle handle(std::uintptr_t value) {
  return reinterpret_cast<Handle>(value);  // NOLINT(performance-no-int-to-ptr)
}

const VkCommandBuffer kCommands = handle<VkCommandBuffer>(0x55d0c0de1000);

const args_vkCmdDraw draw{kCommands, 36, 1, 0, 0};

const float tint[4] = {1, 0.5f, 0.25f, 1};
const args_vkCmdPushConstants push{
    kCommands, handle<VkPipelineLayout>(0x7f0000001000), VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof tint, tint};

const VkViewport viewports[1] = {{0, 0, 500, 500, 0, 1}};
const args_vkCmdSetViewport set_viewport{kCommands, 0, 1, viewports};

const VkDescriptorSet sets[1] = {handle<VkDescriptorSet>(0x7f0000002000)};
const args_vkCmdBindDescriptorSets bind_sets{
    kCommands, VK_PIPELINE_BIND_POINT_GRAPHICS, handle<VkPipelineLayout>(0x7f0000001000), 0, 1, sets, 0, nullptr};

const VkImageMemoryBarrier barriers[1] = {{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                           nullptr,
                                           VK_ACCESS_TRANSFER_WRITE_BIT,
                                           VK_ACCESS_SHADER_READ_BIT,
                                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                           VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                           VK_QUEUE_FAMILY_IGNORED,
                                           VK_QUEUE_FAMILY_IGNORED,
                                           handle<VkImage>(0x7f0000003000),
                                           {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}}};
const args_vkCmdPipelineBarrier barrier{
    kCommands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, 0, 0, nullptr, 0, nullptr, 1,
    barriers};

VkClearValue clears[2];  // zero: black, depth 0
const VkRenderPassBeginInfo begin_info{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                       nullptr,
                                       handle<VkRenderPass>(0x7f0000004000),
                                       handle<VkFramebuffer>(0x7f0000005000),
                                       {{0, 0}, {500, 500}},
                                       2,
                                       clears};
const args_vkCmdBeginRenderPass begin_pass{kCommands, &begin_info, VK_SUBPASS_CONTENTS_INLINE};

const VkSemaphore semaphores[2] = {handle<VkSemaphore>(0x7f0000006000), handle<VkSemaphore>(0x7f0000007000)};
const VkPipelineStageFlags stages[1] = {VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT};
const VkCommandBuffer submitted[1] = {kCommands};
const VkSubmitInfo submits[1] = {
    {VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &semaphores[0], stages, 1, submitted, 1, &semaphores[1]}};
const args_vkQueueSubmit submit{handle<VkQueue>(0x55d0c0de2000), 1, submits, handle<VkFence>(0x7f0000008000)};

const VkDescriptorBufferInfo buffer_info{handle<VkBuffer>(0x7f0000009000), 0, 1216};
const VkDescriptorImageInfo image_info{handle<VkSampler>(0x7f000000a000), handle<VkImageView>(0x7f000000b000),
                                       VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
const VkWriteDescriptorSet writes[2] = {{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, sets[0], 0, 0, 1,
                                         VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, nullptr, &buffer_info, nullptr},
                                        {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, sets[0], 1, 0, 1,
                                         VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, &image_info, nullptr, nullptr}};
const args_vkUpdateDescriptorSets update_sets{handle<VkDevice>(0x55d0c0de3000), 2, writes, 0, nullptr};

}  // namespace

const std::vector<Call>& typical_calls() {
  static const std::vector<Call> calls = {
      {"vkCmdDraw", CommandId::vkCmdDraw, &draw},
      {"vkCmdPushConstants", CommandId::vkCmdPushConstants, &push},
      {"vkCmdSetViewport", CommandId::vkCmdSetViewport, &set_viewport},
      {"vkCmdBindDescriptorSets", CommandId::vkCmdBindDescriptorSets, &bind_sets},
      {"vkCmdPipelineBarrier", CommandId::vkCmdPipelineBarrier, &barrier},
      {"vkCmdBeginRenderPass", CommandId::vkCmdBeginRenderPass, &begin_pass},
      {"vkQueueSubmit", CommandId::vkQueueSubmit, &submit},
      {"vkUpdateDescriptorSets", CommandId::vkUpdateDescriptorSets, &update_sets},
  };
  return calls;
}

}  // namespace rondo::bench
