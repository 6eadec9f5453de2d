// SPDX-License-Identifier: Apache-2.0
// The newer ways to ask for memory and to synchronize: requirements without an
// object, dedicated allocations, barriers, events, queries and submits of
// synchronization2, a timeline, and what a device says of itself.
#include "picture.h"

using namespace program;

namespace {

// What programs ask before they decide; nothing of it is replayed.
void ask(Session& s) {
  VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceIDProperties id{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, &driver};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &id};
  vkGetPhysicalDeviceProperties2(s.physical, &properties);
  EXPECT(s, driver.driverName[0] != '\0');
  VkFormatProperties3 more{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
  VkFormatProperties2 format{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &more};
  vkGetPhysicalDeviceFormatProperties2(s.physical, VK_FORMAT_R8G8B8A8_UNORM, &format);
  EXPECT(s, more.optimalTilingFeatures != 0);
  VkDescriptorSetLayoutSupport support{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT};
  const VkDescriptorSetLayoutCreateInfo layout{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  vkGetDescriptorSetLayoutSupport(s.device, &layout, &support);
  EXPECT(s, support.supported == VK_TRUE);
}

// A buffer of 256 bytes with memory of its own, sized before it was made.
MappedBuffer create_dedicated(Session& s) {
  MappedBuffer b;
  b.bytes = 256;
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .size = b.bytes,
                                .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
  LOAD(s, vkGetDeviceBufferMemoryRequirementsKHR);
  const VkDeviceBufferMemoryRequirements unborn{VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, nullptr, &info};
  VkMemoryRequirements2 before{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  vkGetDeviceBufferMemoryRequirementsKHR(s.device, &unborn, &before);
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &b.buffer));
  LOAD(s, vkGetBufferMemoryRequirements2KHR);
  const VkBufferMemoryRequirementsInfo2 which{VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, nullptr, b.buffer};
  VkMemoryDedicatedRequirements dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
  VkMemoryRequirements2 after{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, &dedicated};
  vkGetBufferMemoryRequirements2KHR(s.device, &which, &after);
  EXPECT(s, before.memoryRequirements.size == after.memoryRequirements.size);
  EXPECT(s, before.memoryRequirements.alignment == after.memoryRequirements.alignment);
  EXPECT(s, before.memoryRequirements.memoryTypeBits == after.memoryRequirements.memoryTypeBits);
  const VkMemoryDedicatedAllocateInfo alone{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, nullptr, VK_NULL_HANDLE,
                                            b.buffer};
  const VkMemoryAllocateInfo allocate{
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &alone, after.memoryRequirements.size,
      memory_type(s, after.memoryRequirements.memoryTypeBits,
                  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
  CHECK(vkAllocateMemory(s.device, &allocate, nullptr, &b.memory));
  CHECK(vkBindBufferMemory(s.device, b.buffer, b.memory, 0));
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, b.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  b.words = static_cast<std::uint32_t*>(mapped);
  std::memset(mapped, 0, 256);
  s.at_end.push_back([&s, b]() mutable { destroy(s, b); });
  return b;
}

}  // namespace

int main() {
  VkPhysicalDeviceMaintenance4Features four{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, nullptr, VK_TRUE};
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                                      &four, VK_TRUE};
  VkPhysicalDeviceSynchronization2Features two{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES, &timelines,
                                               VK_TRUE};
  Wanted wanted;
  wanted.features = &two;
  wanted.instance_extensions = {"VK_KHR_get_physical_device_properties2", "VK_KHR_external_memory_capabilities",
                                "VK_KHR_external_fence_capabilities", "VK_KHR_external_semaphore_capabilities"};
  wanted.extensions = {"VK_KHR_synchronization2",
                       "VK_KHR_timeline_semaphore",
                       "VK_KHR_maintenance3",
                       "VK_KHR_maintenance4",
                       "VK_KHR_dedicated_allocation",
                       "VK_KHR_get_memory_requirements2",
                       "VK_KHR_driver_properties",
                       "VK_KHR_external_fence",
                       "VK_KHR_external_memory",
                       "VK_KHR_external_semaphore",
                       "VK_KHR_format_feature_flags2",
                       "VK_EXT_separate_stencil_usage",
                       "VK_EXT_depth_range_unrestricted"};
  Session s = open("memory", wanted);
  LOAD(s, vkCmdPipelineBarrier2KHR);
  LOAD(s, vkCmdSetEvent2KHR);
  LOAD(s, vkCmdWaitEvents2KHR);
  LOAD(s, vkQueueSubmit2KHR);
  LOAD(s, vkWaitSemaphoresKHR);
  ask(s);
  const MappedBuffer alone = create_dedicated(s);
  const MappedBuffer out = create_readback(s, 256);
  // A depth beyond one and a stencil with a use of its own.
  VkImageCreateInfo info =
      image_info(VK_FORMAT_D32_SFLOAT_S8_UINT, 4, VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  const VkImageStencilUsageCreateInfo stencil{VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO, nullptr,
                                              VK_IMAGE_USAGE_TRANSFER_DST_BIT};
  info.pNext = &stencil;
  const Image deep =
      create_image(s, info, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT);
  transition(s.cmd, deep, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  const VkClearDepthStencilValue far{2.5f, 0};
  vkCmdClearDepthStencilImage(s.cmd, deep.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &far, 1, &deep.range);
  copy_out(s.cmd, deep, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, out, 0, VK_IMAGE_ASPECT_DEPTH_BIT);

  const VkEventCreateInfo event_info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, nullptr, VK_EVENT_CREATE_DEVICE_ONLY_BIT};
  VkEvent event;
  CHECK(vkCreateEvent(s.device, &event_info, nullptr, &event));
  keep(s, vkDestroyEvent, event);
  VkMemoryBarrier2 copied{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr,
                          VK_PIPELINE_STAGE_2_CLEAR_BIT,      VK_ACCESS_2_TRANSFER_WRITE_BIT,
                          VK_PIPELINE_STAGE_2_COPY_BIT,       VK_ACCESS_2_TRANSFER_READ_BIT};
  const VkDependencyInfo dependency{
      .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &copied};
  vkCmdFillBuffer(s.cmd, alone.buffer, 0, 128, 0x11);
  vkCmdSetEvent2KHR(s.cmd, event, &dependency);
  vkCmdWaitEvents2KHR(s.cmd, 1, &event, &dependency);
  const VkBufferCopy half{0, 128, 64};
  vkCmdCopyBuffer(s.cmd, alone.buffer, out.buffer, 1, &half);
  copied.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
  copied.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
  copied.srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  vkCmdPipelineBarrier2KHR(s.cmd, &dependency);
  CHECK(vkEndCommandBuffer(s.cmd));

  const VkSemaphoreTypeCreateInfo timeline{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                           VK_SEMAPHORE_TYPE_TIMELINE, 10};
  const VkSemaphoreCreateInfo semaphore_info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &timeline};
  VkSemaphore semaphore;
  CHECK(vkCreateSemaphore(s.device, &semaphore_info, nullptr, &semaphore));
  keep(s, vkDestroySemaphore, semaphore);
  const VkCommandBufferSubmitInfo buffers{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, s.cmd, 0};
  const VkSemaphoreSubmitInfo signals{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, semaphore, 12,
                                      VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,    0};
  const VkSubmitInfo2 batch{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                            .commandBufferInfoCount = 1,
                            .pCommandBufferInfos = &buffers,
                            .signalSemaphoreInfoCount = 1,
                            .pSignalSemaphoreInfos = &signals};
  CHECK(vkQueueSubmit2KHR(s.queues[0], 1, &batch, VK_NULL_HANDLE));
  const std::uint64_t value = 12;
  const VkSemaphoreWaitInfo waits{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &semaphore, &value};
  CHECK(vkWaitSemaphoresKHR(s.device, &waits, UINT64_MAX));
  CHECK(vkQueueWaitIdle(s.queues[0]));
  EXPECT(s, count(out.words, 16, 0x40200000) == 16);  // 2.5
  EXPECT(s, count(out.words + 32, 16, 0x11) == 16);
  EXPECT(s, alone.words[31] == 0x11 && alone.words[32] == 0);
  add(s, out);
  return finish(s);
}
