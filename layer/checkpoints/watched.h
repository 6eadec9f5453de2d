// SPDX-License-Identifier: Apache-2.0
// Commands that change what resources there are, or what is in them, as far as
// the command itself says: layer/checkpoints/resources.h is told of them.
#pragma once

#include <atomic>

#include "generated/ids.h"

namespace rondo::layer {

class Resources;

// Whether a device of this process has some: else no call looks for them.
inline std::atomic<bool> g_any_resources{false};

// Before a command that ends something, behind one that made something. Any thread.
void watch(Resources& resources, CommandId id, const void* args) noexcept;

constexpr bool is_watched(CommandId id) {
  switch (id) {
    case CommandId::vkCreateImageView:
    case CommandId::vkCreateFramebuffer:
    case CommandId::vkCreateRenderPass:
    case CommandId::vkCreateRenderPass2:
    case CommandId::vkCreateRenderPass2KHR:
    case CommandId::vkBeginCommandBuffer:
    case CommandId::vkFreeCommandBuffers:
    case CommandId::vkCmdExecuteCommands:
    case CommandId::vkCmdPipelineBarrier:
    case CommandId::vkCmdPipelineBarrier2:
    case CommandId::vkCmdPipelineBarrier2KHR:
    case CommandId::vkCmdWaitEvents:
    case CommandId::vkCmdWaitEvents2:
    case CommandId::vkCmdWaitEvents2KHR:
    case CommandId::vkCmdBeginRenderPass:
    case CommandId::vkCmdBeginRenderPass2:
    case CommandId::vkCmdBeginRenderPass2KHR:
    case CommandId::vkCmdBeginRendering:
    case CommandId::vkCmdBeginRenderingKHR:
    case CommandId::vkCmdCopyBuffer:
    case CommandId::vkCmdCopyBuffer2:
    case CommandId::vkCmdCopyBuffer2KHR:
    case CommandId::vkCmdCopyImage:
    case CommandId::vkCmdCopyImage2:
    case CommandId::vkCmdCopyImage2KHR:
    case CommandId::vkCmdBlitImage:
    case CommandId::vkCmdBlitImage2:
    case CommandId::vkCmdBlitImage2KHR:
    case CommandId::vkCmdCopyBufferToImage:
    case CommandId::vkCmdCopyBufferToImage2:
    case CommandId::vkCmdCopyBufferToImage2KHR:
    case CommandId::vkCmdCopyImageToBuffer:
    case CommandId::vkCmdCopyImageToBuffer2:
    case CommandId::vkCmdCopyImageToBuffer2KHR:
    case CommandId::vkCmdResolveImage:
    case CommandId::vkCmdResolveImage2:
    case CommandId::vkCmdResolveImage2KHR:
    case CommandId::vkCmdUpdateBuffer:
    case CommandId::vkCmdFillBuffer:
    case CommandId::vkCmdCopyQueryPoolResults:
    case CommandId::vkCmdClearColorImage:
    case CommandId::vkCmdClearDepthStencilImage:
      return true;
    default:
      return false;
  }
}

}  // namespace rondo::layer
