// SPDX-License-Identifier: Apache-2.0
#include "not_found.h"

#include <fnmatch.h>

#include <sstream>

namespace scenario {

namespace {

bool fits(const std::string& patterns, const std::string& text) {
  std::istringstream all(patterns);
  for (std::string one; std::getline(all, one, '|');)
    if (fnmatch(one.c_str(), text.c_str(), 0) == 0) return true;
  return false;
}

#define ORDERING "vkCmdPipelineBarrier*|vkCmdWaitEvents*|vkCmdResetEvent*|vkCmdSetEvent*"
#define WAITS                                                                        \
  "vkWait*|vkDeviceWaitIdle|vkQueueWaitIdle|vkGetEventStatus|vkGetQueryPoolResults|" \
  "vkGetSemaphoreCounterValue"
#define ENDS "vkDestroy*|vkFree*|vkReset*|vkTrimCommandPool"
#define NAMES "*DebugUtils*|vkSetPrivateData|vkCreatePrivateDataSlot"
#define QUEUE_WORK \
  "vkQueueSubmit*|vkQueuePresentKHR|vkAcquireNextImage*|vkSetEvent|vkSignalSemaphore*|rondoHostWrite"
#define COPIES "vkCmdCopy*|vkCmdResolveImage*|vkCmdFillBuffer"

}  // namespace

bool Pattern::matches(const Unseen& unseen) const {
  if (unseen.how != how || !fits(program, unseen.program)) return false;
  if (fits(command, unseen.command) && fits(what, unseen.what)) return true;
  return unseen.how == "swap" && fits(command, unseen.what) && fits(what, unseen.command);
}

const std::vector<NotFound>& not_found() {
  static const std::vector<NotFound> all{
      {"barriers, events, stages",
       {{"drop", "vkCmdPipelineBarrier*|vkCmdWaitEvents*|vkCmdResetEvent*"},
        {"swap", ORDERING},
        {"corrupt", ORDERING},
        {"handle", ORDERING},
        {"corrupt", "vkQueueSubmit*", "*DstStageMask|*.stageMask"}}},
      {"waits, polls, counters",
       {{"drop", WAITS},
        {"swap", WAITS},
        {"corrupt", WAITS "|vkAcquireNextImage*"},
        {"handle", WAITS},
        {"corrupt", "vkQueueSubmit*", "*.pWaitSemaphoreValues|VkSemaphoreSubmitInfo.value"},
        {"corrupt", "vkCreateSemaphore", "VkSemaphoreTypeCreateInfo.*"},
        {"handle", "vkQueueSubmit*", "VkSemaphore|VkQueue"},
        {"corrupt", "vkGetDeviceQueue", "*.queueIndex"}}},
      {"checkpoints",
       {{"drop", "rondoCheckpoint*"},
        {"swap", "rondoCheckpoint*"},
        {"handle", "rondoCheckpoint*"},
        {"corrupt", "rondoCheckpoint*"},
        {"drop", "vkQueuePresentKHR"},
        {"handle", "vkQueuePresentKHR"}}},
      {"destroys, frees, resets", {{"drop", ENDS}, {"swap", ENDS}, {"corrupt", ENDS}, {"handle", ENDS}}},
      {"the order of creates",
       {{"swap",
         "vkCreate*|vkAllocate*|vkBind*Memory*|vkGetDeviceQueue*|vkUpdateDescriptorSet*|vkSetPrivateData|"
         "vkMergePipelineCaches"}}},
      {"the order of what is independent",
       {{"swap", "vkEndCommandBuffer|vkBeginCommandBuffer"},
        {"swap", QUEUE_WORK, QUEUE_WORK},
        {"swap", COPIES, COPIES}}},
      {"queries",
       {{"swap", "vkCmd*Query*|vkCmdWriteTimestamp*"},
        {"drop", "vkCmdEndQuery*"},
        {"corrupt", "vkCmdBeginQuery*|vkCmdCopyQueryPoolResults|vkCmdWriteTimestamp*|vkCreateQueryPool"}}},
      {"debug names, labels, tags, private data", {{"drop", NAMES}, {"swap", NAMES}, {"corrupt", NAMES}}},
      {"enabled features", {{"corrupt", "vkCreateDevice", "*Features*.*"}}},
      {"hints and what is not modelled",
       {{"corrupt", "*", "*.flags|*.flags2|*Layout|*eviceMask|*eviceMasks|*deviceIndex|*DeviceIndices"},
        {"corrupt", "vkCreate*", "*.basePipelineIndex|*.pQueueFamilyIndices|*.usage|*.stencilUsage|*.tiling"},
        {"corrupt", "vkAllocateMemory", "*.memoryTypeIndex"},
        {"corrupt", "vkCreateInstance", "VkApplicationInfo.*"},
        {"corrupt", "vkCreateDevice", "*.pQueuePriorities"},
        {"corrupt", "vkCreateDescriptorPool", "*.maxSets|*.descriptorCount|*.maxInlineUniformBlockBindings"},
        {"corrupt", "vkBeginCommandBuffer", "VkCommandBufferInheritance*"},
        {"corrupt", "vkCreateSwapchainKHR"},
        {"handle", "vkCreateSwapchainKHR", "VkSurfaceKHR|VkSwapchainKHR"},
        {"handle", "vkMergePipelineCaches|vkCreate*Pipelines", "VkPipelineCache"},
        {"drop", "vkMergePipelineCaches"},
        {"corrupt", "vkCreateDescriptorUpdateTemplate*", "*.set|*.pipelineBindPoint"},
        {"drop", "vkCmdSetDeviceMask"}}},
      {"an object for another that is alike",
       {{"handle",
         "vkAllocate*|vkBind*|vkCmdBind*|vkCmdPushConstants|vkCreate*|vkUpdateDescriptorSets|"
         "vkAcquireNextImage*"}}},
      {"what comes to the same",
       {{"corrupt", "vkCreateBuffer", "*.size"},
        {"corrupt", "vkCmdCopyBuffer*", "VkBufferCopy*.*"},
        {"corrupt", "vkCmdCopyBufferToImage*|vkCmdCopyImageToBuffer*",
         "*.bufferRowLength|*.bufferImageHeight"},
        {"corrupt", "vkCmdClear*"},
        {"corrupt", "vkBind*Memory*", "*.memoryOffset"},  // the player aligns it
        {"corrupt", "vkCmdBeginRendering*", "VkRenderingInfo.layerCount"},
        {"corrupt", "vkUpdateDescriptorSets", "VkDescriptorBufferInfo.range"},
        {"handle", "vkBeginCommandBuffer", "VkCommandBuffer"},
        {"corrupt", "vkCmdBlitImage*", "VkOffset3D.*|*.filter"},
        {"corrupt", "vkCreateDescriptorUpdateTemplate*", "*.stride"},
        {"corrupt", "vkUpdateDescriptorSets", "VkCopyDescriptorSet.descriptorCount", "inline_uniforms"},
        {"corrupt", "vkAllocateDescriptorSets", "*.pDescriptorCounts", "indexing"},
        {"corrupt", "vkCmdBeginRenderPass*", "*.pClearValues"}}},
      {"what nothing uses or reads",
       {{"drop", "vkBeginCommandBuffer"},  // the last one of a session is not submitted
        {"corrupt", "vkCreateGraphicsPipelines|vkCreatePipelineLayout", "*", "secondary"},
        {"corrupt", "vkCreateImageView", "VkComponentMapping.*"},
        {"drop", COPIES, "*", "command_buffers|events|flag|mappings|queues|rewrite|shared_memory|images"},
        {"drop", "vkEndCommandBuffer", "*", "command_buffers"},
        {"handle", "vkQueueSubmit", "VkCommandBuffer", "command_buffers"},
        {"drop", "rondoHostWrite", "*", "groups|mappings|memory|shared_memory"},
        {"corrupt", "rondoHostWrite", "*", "groups|images|mappings|memory|shared_memory"},
        {"handle", "rondoHostWrite", "*", "groups"},
        {"corrupt", "vkCmdCopyBufferToImage", "VkOffset3D.*", "queues"},
        {"corrupt", "vkCmdCopyImage*", "VkOffset3D.z|VkImageSubresourceLayers.*", "images"},
        {"handle", "vkCmdBlitImage2KHR|vkCmdCopyBuffer", "*", "images|shared_memory"},
        {"corrupt", "vkCmdFillBuffer", "*", "flag"},
        {"corrupt", "vkCreateImage", "VkExtent3D.*|*.format|*.imageType",
         "images|memory|queues|shared_memory"},
        {"corrupt", "vkCreateImageView", "VkImageSubresourceRange.*", "images"},
        {"drop", "vkQueueSubmit", "*", "submits"}}},
  };
  return all;
}

}  // namespace scenario
