// SPDX-License-Identifier: Apache-2.0
// Where commands may stand and on which queues: a driver looks for the state of
// a pass, or writes packets that the queue's engine does not know.
#include <algorithm>

#include "generated/args.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

bool is_one_of(CommandId id, std::initializer_list<CommandId> list) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

// passes.cpp says what is wrong with the end of a pass, or a next subpass, where no pass is open.
bool is_said_by_passes(const codec::CommandInfo& command) {
  return command.recording.closes == codec::Scope::render_pass ||
         is_one_of(command.id, {CommandId::vkCmdNextSubpass, CommandId::vkCmdNextSubpass2});
}

// Within a subpass that takes secondary command buffers only.
bool beside_secondaries(CommandId id) {
#ifdef VK_KHR_dynamic_rendering_local_read
  // What secondaries inherit has to be said before them.
  if (id == CommandId::vkCmdSetRenderingAttachmentLocations || id == CommandId::vkCmdSetRenderingInputAttachmentIndices)
    return true;
#endif
  return is_one_of(id, {CommandId::vkCmdExecuteCommands, CommandId::vkCmdNextSubpass, CommandId::vkCmdNextSubpass2,
                        CommandId::vkCmdEndRenderPass, CommandId::vkCmdEndRenderPass2,
#ifdef VK_KHR_maintenance10
                        CommandId::vkCmdEndRendering2KHR,
#endif
                        CommandId::vkCmdEndRendering});
}

}  // namespace

Wrong check_place(const CommandBuffer& commands, CommandId id) {
  using Pass = CommandBuffer::Pass;
  using codec::PassScope;
  const codec::CommandInfo& command = codec::info(id);
  const codec::RecordingFacts& facts = command.recording;
  if (commands.can != 0 && facts.queues != 0 && (commands.can & facts.queues) == 0)
    return "the queues of family " + std::to_string(commands.family) + " cannot do this";
  if (commands.secondary && facts.primary_only) return "is in a secondary command buffer";
  if (facts.pass == PassScope::outside && commands.pass != Pass::none) return "within a render pass";
  if (facts.pass == PassScope::inside && commands.pass == Pass::none && !is_said_by_passes(command))
    return "outside of a render pass";
  if (commands.secondaries_only && !beside_secondaries(id))
    return "is in a subpass that takes secondary command buffers only";
  return {};
}

bool does_nothing(const Call& c) {
  switch (c.command.canonical) {
    case CommandId::vkCmdCopyBuffer:
      return c.as<args_vkCmdCopyBuffer>().regionCount == 0;
    case CommandId::vkCmdCopyBuffer2:
      return c.as<args_vkCmdCopyBuffer2>().pCopyBufferInfo->regionCount == 0;
    case CommandId::vkCmdCopyImage:
      return c.as<args_vkCmdCopyImage>().regionCount == 0;
    case CommandId::vkCmdCopyImage2:
      return c.as<args_vkCmdCopyImage2>().pCopyImageInfo->regionCount == 0;
    case CommandId::vkCmdCopyBufferToImage:
      return c.as<args_vkCmdCopyBufferToImage>().regionCount == 0;
    case CommandId::vkCmdCopyBufferToImage2:
      return c.as<args_vkCmdCopyBufferToImage2>().pCopyBufferToImageInfo->regionCount == 0;
    case CommandId::vkCmdCopyImageToBuffer:
      return c.as<args_vkCmdCopyImageToBuffer>().regionCount == 0;
    case CommandId::vkCmdCopyImageToBuffer2:
      return c.as<args_vkCmdCopyImageToBuffer2>().pCopyImageToBufferInfo->regionCount == 0;
    case CommandId::vkCmdBlitImage:
      return c.as<args_vkCmdBlitImage>().regionCount == 0;
    case CommandId::vkCmdBlitImage2:
      return c.as<args_vkCmdBlitImage2>().pBlitImageInfo->regionCount == 0;
    case CommandId::vkCmdResolveImage:
      return c.as<args_vkCmdResolveImage>().regionCount == 0;
    case CommandId::vkCmdResolveImage2:
      return c.as<args_vkCmdResolveImage2>().pResolveImageInfo->regionCount == 0;
    case CommandId::vkCmdClearColorImage:
      return c.as<args_vkCmdClearColorImage>().rangeCount == 0;
    case CommandId::vkCmdClearDepthStencilImage:
      return c.as<args_vkCmdClearDepthStencilImage>().rangeCount == 0;
    case CommandId::vkCmdClearAttachments: {
      const auto& a = c.as<args_vkCmdClearAttachments>();
      return a.attachmentCount == 0 || a.rectCount == 0;
    }
    case CommandId::vkCmdBindVertexBuffers:
      return c.as<args_vkCmdBindVertexBuffers>().bindingCount == 0;
    case CommandId::vkCmdBindVertexBuffers2:
      return c.as<args_vkCmdBindVertexBuffers2>().bindingCount == 0;
    case CommandId::vkCmdBindTransformFeedbackBuffersEXT:
      return c.as<args_vkCmdBindTransformFeedbackBuffersEXT>().bindingCount == 0;
    case CommandId::vkCmdBindDescriptorSets:
      return c.as<args_vkCmdBindDescriptorSets>().descriptorSetCount == 0;
    case CommandId::vkCmdPushDescriptorSetKHR:
      return c.as<args_vkCmdPushDescriptorSetKHR>().descriptorWriteCount == 0;
    case CommandId::vkCmdPushConstants:
      return c.as<args_vkCmdPushConstants>().size == 0;
#ifdef VK_EXT_host_image_copy
    case CommandId::vkCopyMemoryToImage:
      return c.as<args_vkCopyMemoryToImage>().pCopyMemoryToImageInfo->regionCount == 0;
    case CommandId::vkCopyImageToMemory:
      return c.as<args_vkCopyImageToMemory>().pCopyImageToMemoryInfo->regionCount == 0;
    case CommandId::vkCopyImageToImage:
      return c.as<args_vkCopyImageToImage>().pCopyImageToImageInfo->regionCount == 0;
    case CommandId::vkTransitionImageLayout:
      return c.as<args_vkTransitionImageLayout>().transitionCount == 0;
#endif
#ifdef VK_KHR_maintenance6
    case CommandId::vkCmdBindDescriptorSets2:
      return c.as<args_vkCmdBindDescriptorSets2>().pBindDescriptorSetsInfo->descriptorSetCount == 0;
    case CommandId::vkCmdPushDescriptorSet2:
      return c.as<args_vkCmdPushDescriptorSet2>().pPushDescriptorSetInfo->descriptorWriteCount == 0;
    case CommandId::vkCmdPushConstants2:
      return c.as<args_vkCmdPushConstants2>().pPushConstantsInfo->size == 0;
#endif
    case CommandId::vkCmdExecuteCommands:
      return c.as<args_vkCmdExecuteCommands>().commandBufferCount == 0;
    case CommandId::vkCmdSetViewport:
      return c.as<args_vkCmdSetViewport>().viewportCount == 0;
    case CommandId::vkCmdSetScissor:
      return c.as<args_vkCmdSetScissor>().scissorCount == 0;
    case CommandId::vkCmdResetQueryPool:
      return c.as<args_vkCmdResetQueryPool>().queryCount == 0;
    case CommandId::vkCmdCopyQueryPoolResults:
      return c.as<args_vkCmdCopyQueryPoolResults>().queryCount == 0;
    case CommandId::vkResetQueryPool:
      return c.as<args_vkResetQueryPool>().queryCount == 0;
    case CommandId::vkGetQueryPoolResults:
      return c.as<args_vkGetQueryPoolResults>().queryCount == 0;
    case CommandId::vkAllocateDescriptorSets:
      return c.as<args_vkAllocateDescriptorSets>().pAllocateInfo->descriptorSetCount == 0;
    case CommandId::vkAllocateCommandBuffers:
      return c.as<args_vkAllocateCommandBuffers>().pAllocateInfo->commandBufferCount == 0;
    case CommandId::vkCreateGraphicsPipelines:
      return c.as<args_vkCreateGraphicsPipelines>().createInfoCount == 0;
    case CommandId::vkCreateComputePipelines:
      return c.as<args_vkCreateComputePipelines>().createInfoCount == 0;
#ifdef VK_EXT_shader_object
    case CommandId::vkCreateShadersEXT:
      return c.as<args_vkCreateShadersEXT>().createInfoCount == 0;
    case CommandId::vkCmdBindShadersEXT:
      return c.as<args_vkCmdBindShadersEXT>().stageCount == 0;
#endif
    case CommandId::vkBindBufferMemory2:
      return c.as<args_vkBindBufferMemory2>().bindInfoCount == 0;
    case CommandId::vkBindImageMemory2:
      return c.as<args_vkBindImageMemory2>().bindInfoCount == 0;
    case CommandId::vkWaitForFences:
      return c.as<args_vkWaitForFences>().fenceCount == 0;
    case CommandId::vkResetFences:
      return c.as<args_vkResetFences>().fenceCount == 0;
    case CommandId::vkWaitSemaphores:
      return c.as<args_vkWaitSemaphores>().pWaitInfo->semaphoreCount == 0;
    case CommandId::vkQueuePresentKHR:
      return c.as<args_vkQueuePresentKHR>().pPresentInfo->swapchainCount == 0 &&
             c.as<args_vkQueuePresentKHR>().pPresentInfo->waitSemaphoreCount == 0;
    default:
      return false;
  }
}

}  // namespace rondo::player::validity
