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
  "vkGetSemaphoreCounterValue|rondoDeviceIdle"
#define ENDS "vkDestroy*|vkFree*|vkReset*|vkTrimCommandPool"
#define NAMES "*DebugUtils*|vkSetPrivateData|vkCreatePrivateDataSlot"
#define QUEUE_WORK "vkQueueSubmit*|vkQueuePresentKHR|vkAcquireNextImage*|vkSetEvent|vkSignalSemaphore*|rondoHostWrite"
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
        {"corrupt", "vkQueueSubmit*", "*DstStageMask|*.stageMask"}},
       false,
       true},
      {"waits, polls, counters",
       {{"drop", WAITS},
        {"swap", WAITS},
        {"corrupt", WAITS "|vkAcquireNextImage*"},
        {"handle", WAITS},
        {"corrupt", "vkQueueSubmit*", "*.pWaitSemaphoreValues|VkSemaphoreSubmitInfo.value"},
        {"corrupt", "vkCreateSemaphore", "VkSemaphoreTypeCreateInfo.*"},
        {"handle", "vkQueueSubmit*", "VkSemaphore|VkQueue"},
        {"corrupt", "vkGetDeviceQueue", "*.queueIndex"}},
       false,
       true},
      {"checkpoints",
       {{"drop", "rondoCheckpoint*"},
        {"swap", "rondoCheckpoint*"},
        {"handle", "rondoCheckpoint*"},
        {"corrupt", "rondoCheckpointMemory", "RondoDigest.*|RondoRange.size", "groups|memory|shared_memory"},
        {"corrupt", "rondoCheckpointMemory", "RondoRange.offset", "mappings"},  // all bytes there are equal
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
        {"swap", COPIES, COPIES}},
       false,
       true},
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
        {"corrupt", "vkCreateDescriptorPool",
         "*.maxSets|*.descriptorCount|VkDescriptorPoolSize.type|*.maxInlineUniformBlockBindings"},
        {"corrupt", "vkBeginCommandBuffer", "VkCommandBufferInheritance*"},
        {"corrupt", "vkCreateSwapchainKHR"},
        {"handle", "vkCreateSwapchainKHR", "VkSurfaceKHR|VkSwapchainKHR"},
        {"handle", "vkMergePipelineCaches|vkCreate*Pipelines", "VkPipelineCache"},
        {"drop", "vkMergePipelineCaches"},
        {"corrupt", "vkCreateDescriptorUpdateTemplate*", "*.set|*.pipelineBindPoint"},
        {"drop", "vkCmdSetDeviceMask"}}},
      {"an object for another that is alike",
       {{"handle", "vkAllocateCommandBuffers", "VkCommandPool", "command_buffers|queues|three_queues"},
        {"handle", "vkAllocateDescriptorSets", "VkDescriptor*", "constants"},
        {"handle", "vkBindBufferMemory", "VkDeviceMemory", "headless|indirect"},
        {"handle", "vkBindImageMemory", "VkDeviceMemory", "images|multisample|rendering|samplers"},
        {"handle", "vkCmdBindDescriptorSets|vkUpdateDescriptorSets", "VkDescriptorSet", "inline_uniforms|templates"},
        {"handle", "vkCmdBindDescriptorSets|vkCreateComputePipelines", "VkPipelineLayout", "constants|libraries"},
        {"handle", "vkCmdPushConstants|vkCreateGraphicsPipelines", "VkPipelineLayout", "dynamic|dynamic3"},
        {"handle", "vkCmdBindPipeline", "VkPipeline", "dynamic|libraries"},
        {"handle", "vkCmdBindVertexBuffers", "VkBuffer", "indirect"},
        {"handle", "vkCreateComputePipelines|vkCreateGraphicsPipelines", "VkShaderModule", "libraries|secondary"},
        {"handle", "vkCreateDescriptorUpdateTemplate*|vkCreatePipelineLayout", "VkDescriptorSetLayout",
         "constants|templates"},
        {"handle", "vkCreateImageView", "VkImage", "images"},
        {"handle", "vkAcquireNextImage*", "VkSwapchainKHR", "headless"}}},
      {"what comes to the same",
       {{"corrupt", "vkCreateBuffer", "*.size", "flag|headless|images|memory|memory_types|queries|shared_memory"},
        {"corrupt", "vkCmdCopyBuffer", "VkBufferCopy.size"},
        {"corrupt", "vkCmdCopyBuffer", "VkBufferCopy.*Offset", "command_buffers|shared_memory"},
        {"corrupt", "vkCmdCopyBufferToImage|vkCmdCopyImageToBuffer", "*.bufferRowLength|*.bufferImageHeight",
         "images|queues"},
        {"corrupt", "vkCmdClearColorImage", "*.pColor", "headless|images"},
        {"corrupt", "vkCmdClearDepthStencilImage", "VkClearDepthStencilValue.stencil", "memory"},
        {"corrupt", "vkBind*Memory*", "*.memoryOffset"},  // the player aligns it
        {"corrupt", "vkCmdBeginRendering*", "VkRenderingInfo.layerCount"},
        {"corrupt", "vkUpdateDescriptorSets", "VkDescriptorBufferInfo.range"},
        {"handle", "vkBeginCommandBuffer", "VkCommandBuffer", "command_buffers"},
        {"corrupt", "vkCmdBlitImage*", "VkOffset3D.[xy]|*.filter", "images"},
        {"corrupt", "vkCreateDescriptorUpdateTemplate*", "*.stride", "inline_uniforms|templates"},
        {"corrupt", "vkUpdateDescriptorSets", "VkCopyDescriptorSet.descriptorCount", "inline_uniforms"},
        {"corrupt", "vkAllocateDescriptorSets", "*.pDescriptorCounts", "indexing"},
        {"corrupt", "vkCmdBeginRenderPass", "*.pClearValues", "secondary"},
        {"corrupt", "vkCmdBeginRendering*", "*.resolveMode", "rendering"}}},
      {"what programs get away with",
       {{"corrupt", "vkCmdPipelineBarrier", "*.aspectMask|*QueueFamilyIndex"},
        {"handle", "vkCmdPipelineBarrier", "VkImage"},
        {"drop", "vkCmdResetQueryPool|vkResetQueryPool*"},
        {"corrupt", "vkCmdResetQueryPool|vkResetQueryPool*"},
        {"handle", "vkCmdResetQueryPool", "VkQueryPool"},
        {"corrupt", "vkCmdCopyBufferToImage|vkCmdCopyImageToBuffer", "VkExtent3D.*|VkBufferImageCopy.buffer*",
         "headless|images|queues"},
        {"handle", "vkCmdCopyBuffer", "VkBuffer"},
        {"drop", "vkQueueSubmit", "*", "queues|three_queues"},
        {"corrupt", "vkQueueSubmit", "VkTimelineSemaphoreSubmitInfo.*", "queues|three_queues"},
        {"handle", "vkQueueSubmit", "VkSemaphore", "queues|three_queues"}},
       true},
      {"what nothing uses or reads",
       {{"drop", "vkBeginCommandBuffer"},  // the last one of a session is not submitted
        {"corrupt", "vkCreateGraphicsPipelines|vkCreatePipelineLayout", "*", "secondary"},
        {"corrupt", "vkCreateImageView", "VkComponentMapping.*|*.format", "images|queues|samplers|secondary"},
        {"handle", "vkCmdCopyImageToBuffer", "*", "headless"},
        {"corrupt", "vkCmdCopyImageToBuffer", "VkExtent3D.*", "headless"},
        {"drop", COPIES, "*", "command_buffers|events|flag|headless|mappings|queues|rewrite|shared_memory|images"},
        {"drop", "vkEndCommandBuffer", "*", "command_buffers"},
        {"handle", "vkQueueSubmit", "VkCommandBuffer", "command_buffers"},
        {"drop", "rondoHostWrite", "*", "groups|headless|mappings|memory|shared_memory"},
        {"corrupt", "rondoHostWrite", "*", "groups|headless|images|mappings|memory|shared_memory"},
        {"handle", "rondoHostWrite", "*", "groups|headless"},
        {"corrupt", "vkCmdCopyBufferToImage", "VkOffset3D.*", "queues"},
        {"corrupt", "vkCmdCopyImage*", "VkOffset3D.z|VkImageSubresourceLayers.*", "images"},
        {"handle", "vkCmdBlitImage2KHR|vkCmdCopyBuffer", "*", "images|shared_memory"},
        {"corrupt", "vkCmdFillBuffer", "*", "flag"},
        {"corrupt", "vkCreateImage", "VkExtent3D.*|*.format|*.imageType",
         "images|memory|queues|secondary|shared_memory"},
        {"corrupt", "vkCreateImageView", "VkImageSubresourceRange.*", "images"},
        {"drop", "vkQueueSubmit", "*", "submits"}}},
  };
  return all;
}

}  // namespace scenario
