// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "format/call_chains.h"
#include "player/plan/plan_builder.h"

namespace rondo::player {

namespace {

// Of surfaces, and of displays with their planes and modes: no replay has any.
bool is_surface_command(const codec::CommandInfo& command) {
  const std::string_view feature = command.feature;
  return command.makes == HandleType::VkSurfaceKHR || feature == "VK_KHR_display" ||
         feature == "VK_KHR_get_display_properties2";
}

// Window-system commands that change nothing a virtual swapchain could show.
bool is_presentation_hint(CommandId id) {
  switch (id) {
    case CommandId::vkDestroySurfaceKHR:
    case CommandId::vkSetHdrMetadataEXT:
    case CommandId::vkSetLocalDimmingAMD:
    case CommandId::vkReleaseSwapchainImagesEXT:
    case CommandId::vkCreateHeadlessSurfaceEXT:
      return true;
    default:
      return false;
  }
}

// The player holds its own mappings (rondoHostWrite says what was written) and
// installs its own callbacks.
bool is_players_own_business(CommandId id) {
  switch (id) {
    case CommandId::vkMapMemory:
    case CommandId::vkUnmapMemory:
#ifdef VK_KHR_map_memory2
    case CommandId::vkMapMemory2:
    case CommandId::vkUnmapMemory2:
#endif
    case CommandId::vkFlushMappedMemoryRanges:
    case CommandId::vkInvalidateMappedMemoryRanges:
    case CommandId::vkCreateDebugUtilsMessengerEXT:
    case CommandId::vkDestroyDebugUtilsMessengerEXT:
    case CommandId::vkSubmitDebugUtilsMessageEXT:
    case CommandId::vkCreateDebugReportCallbackEXT:
    case CommandId::vkDestroyDebugReportCallbackEXT:
    case CommandId::vkDebugReportMessageEXT:
    case CommandId::vkEnumeratePhysicalDevices:  // done when the instance is made
    case CommandId::vkEnumeratePhysicalDeviceGroups:
    case CommandId::vkGetSwapchainImagesKHR:  // done when the swapchain is made
    case CommandId::rondoAddress:             // taken into the plan
    case CommandId::rondoWorkEnded:           // likewise (late_writes.h)
    case CommandId::rondoNote:
    case CommandId::rondoObjectNumbers:  // taken into the table of objects
    case CommandId::rondoScopeBegin:     // spans are found in the capture
    case CommandId::rondoScopeEnd:
      return true;
    default:
      return false;
  }
}

// Queries whose captured answer orders the replay (docs/fidelity.md, "Replay").
bool is_waited_for(CommandId id) {
  switch (id) {
    case CommandId::vkGetFenceStatus:
    case CommandId::vkGetSemaphoreCounterValue:
    case CommandId::vkGetEventStatus:
    case CommandId::vkGetQueryPoolResults:
    case CommandId::vkWaitForFences:
    case CommandId::vkWaitSemaphores:
    case CommandId::vkGetSemaphoreFdKHR:
    case CommandId::vkGetFenceFdKHR:
    case CommandId::vkGetDeviceQueue:
    case CommandId::vkGetDeviceQueue2:
    case CommandId::rondoHostWrite:
    case CommandId::rondoDeviceIdle:
    case CommandId::rondoCheckpointImage:
    case CommandId::rondoCheckpointMemory:
    case CommandId::rondoCheckpointBuffers:
    case CommandId::rondoCheckpointSubresources:
    case CommandId::rondoPrelude:
    case CommandId::rondoCut:
    case CommandId::rondoMemoryContents:
    case CommandId::rondoImageContents:
    case CommandId::rondoMips:
    case CommandId::rondoBarriers:
    case CommandId::rondoEventSet:
    case CommandId::rondoQueries:
      return true;
    default:
      return false;
  }
}

bool is_present(CommandId id) { return id == CommandId::vkQueuePresentKHR; }

// Presents that the presentation engine rejects wait for their semaphores all the same
// (chapter "WSI Swapchain", vkQueuePresentKHR); those that failed otherwise may not have.
bool waits_though_rejected(CommandId id, std::int64_t result) {
  return is_present(id) && (result == VK_ERROR_OUT_OF_DATE_KHR || result == VK_ERROR_SURFACE_LOST_KHR ||
                            result == VK_ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT);
}

bool may_publish_and_fail(CommandId id) {
#ifdef VK_EXT_shader_object
  if (id == CommandId::vkCreateShadersEXT) return true;
#endif
  return id == CommandId::vkCreateGraphicsPipelines || id == CommandId::vkCreateComputePipelines ||
         id == CommandId::vkCreateRayTracingPipelinesKHR;
}

}  // namespace

bool said_not_ready(CommandId id, std::int64_t result) {
  switch (id) {
    case CommandId::vkWaitForFences:
    case CommandId::vkWaitSemaphores:
    case CommandId::vkGetFenceStatus:
    case CommandId::vkGetQueryPoolResults:
      return result != VK_SUCCESS;
    case CommandId::vkAcquireNextImageKHR:
    case CommandId::vkAcquireNextImage2KHR:
      return result == VK_TIMEOUT || result == VK_NOT_READY;
    case CommandId::vkWaitForPresentKHR:
      return result == VK_TIMEOUT;
    case CommandId::vkGetEventStatus:
      return result != VK_EVENT_SET;
    default:
      return false;
  }
}

// Its waits end however they end (chapter "Devices and Queues", Lost Device), and what it
// is given after that never runs.
bool needs_a_living_device(CommandId canonical) {
  switch (canonical) {
    case CommandId::vkQueueSubmit:
    case CommandId::vkQueueSubmit2:
    case CommandId::vkQueueBindSparse:
    case CommandId::vkQueuePresentKHR:
    case CommandId::vkAcquireNextImageKHR:
    case CommandId::vkAcquireNextImage2KHR:
    case CommandId::vkWaitForFences:
    case CommandId::vkGetFenceStatus:
    case CommandId::vkWaitSemaphores:
    case CommandId::vkGetSemaphoreCounterValue:
    case CommandId::vkWaitForPresentKHR:
    case CommandId::vkQueueWaitIdle:
    case CommandId::vkDeviceWaitIdle:
    case CommandId::vkGetEventStatus:
    case CommandId::vkGetQueryPoolResults:
    case CommandId::vkSignalSemaphore:
    case CommandId::vkSetEvent:
    case CommandId::vkImportSemaphoreFdKHR:
    case CommandId::vkGetSemaphoreFdKHR:
    case CommandId::vkImportFenceFdKHR:
    case CommandId::vkGetFenceFdKHR:
    case CommandId::rondoDeviceIdle:
      return true;
    default:
      return false;
  }
}

Action action_for(const codec::CommandInfo& command, const Record& record, std::string& why) {
  const CommandId id = command.canonical;
  if (command.kind == codec::CommandClass::unsupported) {
    why = std::string("not supported: ") + (command.reason != nullptr ? command.reason : "no reason given");
    return Action::refuse;
  }
  if (is_surface_command(command) || is_presentation_hint(id) || is_players_own_business(id) || says_who_calls(id))
    return Action::drop;
  if (command.query && !is_waited_for(id)) return Action::drop;
  if (command.returns == codec::Returns::result && record.has_return) {
    if (record.return_value < 0 && !waits_though_rejected(id, record.return_value) && !may_publish_and_fail(id))
      return Action::drop;
    // What a poll saw in spite of that, only the plan can say (player/legal/polls.cpp).
    const bool may_say = (record.return_value == VK_NOT_READY && id == CommandId::vkGetQueryPoolResults) ||
                         (record.return_value == VK_EVENT_RESET && id == CommandId::vkGetEventStatus);
    if (said_not_ready(id, record.return_value) && !may_say) return Action::drop;
  }
  // Died inside: whether it got anything is unknown, and nothing uses it. What
  // was given to a queue counts as given: a present's image is there to compare.
  if (command.returns == codec::Returns::result && !record.has_return && id != CommandId::vkQueueSubmit &&
      id != CommandId::vkQueueSubmit2 && !is_present(id))
    return Action::drop;
  return Action::play;
}

}  // namespace rondo::player
