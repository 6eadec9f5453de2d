// SPDX-License-Identifier: Apache-2.0
// Commands of Vulkan 1.1 to 1.3 by the names that they had in extensions, where
// no other program calls them so: questions, newer copies, a render pass 2 of
// two subpasses, events and time stamps, a timeline that the host signals behind
// a submit that waits for it, and private data.
#include "picture.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8;
constexpr std::uint32_t kTexels = kExtent * kExtent;
constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkImageUsageFlags kCopies = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr VkImageUsageFlags kTarget = kCopies | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;

// Old and new questions have one answer.
void ask_physical(Session& s) {
  LOAD(s, vkGetPhysicalDeviceFeatures2KHR);
  LOAD(s, vkGetPhysicalDeviceImageFormatProperties2KHR);
  LOAD(s, vkGetPhysicalDeviceQueueFamilyProperties2KHR);
  LOAD(s, vkGetPhysicalDeviceMemoryProperties2KHR);
  LOAD(s, vkGetPhysicalDeviceSparseImageFormatProperties2KHR);
  VkPhysicalDeviceFeatures features;
  VkPhysicalDeviceFeatures2 features2{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  vkGetPhysicalDeviceFeatures(s.physical, &features);
  vkGetPhysicalDeviceFeatures2KHR(s.physical, &features2);
  EXPECT(s, std::memcmp(&features, &features2.features, sizeof features) == 0);
  VkImageFormatProperties image;
  VkImageFormatProperties2 image2{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
  const VkPhysicalDeviceImageFormatInfo2 shape{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                               .format = kFormat,
                                               .type = VK_IMAGE_TYPE_2D,
                                               .tiling = VK_IMAGE_TILING_OPTIMAL,
                                               .usage = kTarget};
  CHECK(vkGetPhysicalDeviceImageFormatProperties(s.physical, kFormat, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                 kTarget, 0, &image));
  CHECK(vkGetPhysicalDeviceImageFormatProperties2KHR(s.physical, &shape, &image2));
  EXPECT(s, image.maxMipLevels == image2.imageFormatProperties.maxMipLevels);
  std::uint32_t families = 0;
  vkGetPhysicalDeviceQueueFamilyProperties2KHR(s.physical, &families, nullptr);
  EXPECT(s, families == queue_families(s.physical).size());
  VkPhysicalDeviceMemoryProperties2 memory{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  vkGetPhysicalDeviceMemoryProperties2KHR(s.physical, &memory);
  EXPECT(s, memory.memoryProperties.memoryTypeCount > 0);
  const VkPhysicalDeviceSparseImageFormatInfo2 sparse{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_INFO_2,
                                                      nullptr,
                                                      kFormat,
                                                      VK_IMAGE_TYPE_2D,
                                                      VK_SAMPLE_COUNT_1_BIT,
                                                      kCopies,
                                                      VK_IMAGE_TILING_OPTIMAL};
  std::uint32_t parts = 1, parts2 = 1;
  vkGetPhysicalDeviceSparseImageFormatProperties(s.physical, sparse.format, sparse.type, sparse.samples, sparse.usage,
                                                 sparse.tiling, &parts, nullptr);
  vkGetPhysicalDeviceSparseImageFormatProperties2KHR(s.physical, &sparse, &parts2, nullptr);
  EXPECT(s, parts == parts2);
}

// Handles of other processes are hidden while captured: no expectation but that there is an answer.
void ask_external(Session& s) {
  LOAD(s, vkGetPhysicalDeviceExternalBufferPropertiesKHR);
  LOAD(s, vkGetPhysicalDeviceExternalFencePropertiesKHR);
  LOAD(s, vkGetPhysicalDeviceExternalSemaphorePropertiesKHR);
  const VkPhysicalDeviceExternalBufferInfo buffer{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO, nullptr, 0,
                                                  VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                                  VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkExternalBufferProperties buffers{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  vkGetPhysicalDeviceExternalBufferPropertiesKHR(s.physical, &buffer, &buffers);
  const VkPhysicalDeviceExternalFenceInfo fence{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO, nullptr,
                                                VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkExternalFenceProperties fences{VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES};
  vkGetPhysicalDeviceExternalFencePropertiesKHR(s.physical, &fence, &fences);
  const VkPhysicalDeviceExternalSemaphoreInfo semaphore{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
                                                        nullptr, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkExternalSemaphoreProperties semaphores{VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
  vkGetPhysicalDeviceExternalSemaphorePropertiesKHR(s.physical, &semaphore, &semaphores);
}

void ask_layout(Session& s) {
  LOAD(s, vkGetDescriptorSetLayoutSupportKHR);
  VkDescriptorSetLayoutSupport support{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT};
  const VkDescriptorSetLayoutCreateInfo layout{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  vkGetDescriptorSetLayoutSupportKHR(s.device, &layout, &support);
  EXPECT(s, support.supported == VK_TRUE);
}

// Asked for before and after it is there, bound by the newer command.
Image create_target(Session& s) {
  LOAD(s, vkGetDeviceImageMemoryRequirementsKHR);
  LOAD(s, vkGetDeviceImageSparseMemoryRequirementsKHR);
  LOAD(s, vkGetImageMemoryRequirements2KHR);
  LOAD(s, vkGetImageSparseMemoryRequirements2KHR);
  LOAD(s, vkBindImageMemory2KHR);
  Image i;
  i.info = image_info(kFormat, kExtent, kTarget);
  i.range = kColor;
  const VkDeviceImageMemoryRequirements unborn{VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS, nullptr, &i.info,
                                               VK_IMAGE_ASPECT_COLOR_BIT};
  VkMemoryRequirements2 before{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2}, needs = before;
  std::uint32_t parts[2] = {};
  vkGetDeviceImageMemoryRequirementsKHR(s.device, &unborn, &before);
  vkGetDeviceImageSparseMemoryRequirementsKHR(s.device, &unborn, &parts[0], nullptr);
  CHECK(vkCreateImage(s.device, &i.info, nullptr, &i.image));
  const VkImageMemoryRequirementsInfo2 which{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, nullptr, i.image};
  const VkImageSparseMemoryRequirementsInfo2 sparse{VK_STRUCTURE_TYPE_IMAGE_SPARSE_MEMORY_REQUIREMENTS_INFO_2, nullptr,
                                                    i.image};
  vkGetImageMemoryRequirements2KHR(s.device, &which, &needs);
  vkGetImageSparseMemoryRequirements2KHR(s.device, &sparse, &parts[1], nullptr);
  EXPECT(s, needs.memoryRequirements.size == before.memoryRequirements.size);
  EXPECT(s, parts[0] == 0 && parts[1] == 0);
  i.memory = keep(s, vkFreeMemory, allocate(s, needs.memoryRequirements, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT));
  keep(s, vkDestroyImage, i.image);
  const VkBindImageMemoryInfo binding{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, nullptr, i.image, i.memory, 0};
  CHECK(vkBindImageMemory2KHR(s.device, 1, &binding));
  i.view = create_view(s, i.image, VK_IMAGE_VIEW_TYPE_2D, kFormat, kColor);
  return i;
}

// Words from one buffer into another, from there into the image.
void copy(Session& s, const Image& target, const MappedBuffer& out) {
  LOAD(s, vkCmdCopyBuffer2KHR);
  LOAD(s, vkCmdCopyBufferToImage2KHR);
  std::uint32_t words[kTexels];
  for (std::uint32_t i = 0; i < kTexels; ++i) words[i] = 0x01020304 * (i + 1);
  const MappedBuffer from = buffer_of(s, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, words);
  const MappedBuffer via = buffer(s, sizeof words, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkBufferCopy2 part{VK_STRUCTURE_TYPE_BUFFER_COPY_2, nullptr, 0, 0, sizeof words};
  const VkCopyBufferInfo2 across{VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2, nullptr, from.buffer, via.buffer, 1, &part};
  vkCmdCopyBuffer2KHR(s.cmd, &across);
  barrier(s.cmd);
  const VkBufferImageCopy2 whole{.sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
                                 .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                 .imageExtent = {kExtent, kExtent, 1}};
  const VkCopyBufferToImageInfo2 in{VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2, nullptr, via.buffer, target.image,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,          1,       &whole};
  transition(s.cmd, target, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  vkCmdCopyBufferToImage2KHR(s.cmd, &in);
  transition(s.cmd, target, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
  copy_out(s.cmd, target, VK_IMAGE_LAYOUT_GENERAL, out);
  barrier(s.cmd);
}

VkRenderPass create_pass(Session& s) {
  const VkAttachmentDescription2 attachment{.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
                                            .format = kFormat,
                                            .samples = VK_SAMPLE_COUNT_1_BIT,
                                            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                            .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
                                            .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
  const VkAttachmentReference2 color{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, nullptr, 0, VK_IMAGE_LAYOUT_GENERAL,
                                     VK_IMAGE_ASPECT_COLOR_BIT};
  VkSubpassDescription2 subpasses[2];
  for (VkSubpassDescription2& one : subpasses)
    one = {.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2, .colorAttachmentCount = 1, .pColorAttachments = &color};
  constexpr VkPipelineStageFlags output = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  const VkSubpassDependency2 between{VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2,
                                     nullptr,
                                     0,
                                     1,
                                     output,
                                     output,
                                     VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                     VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                     VK_DEPENDENCY_BY_REGION_BIT,
                                     0};
  const VkRenderPassCreateInfo2 info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
                                     .attachmentCount = 1,
                                     .pAttachments = &attachment,
                                     .subpassCount = 2,
                                     .pSubpasses = subpasses,
                                     .dependencyCount = 1,
                                     .pDependencies = &between};
  LOAD(s, vkCreateRenderPass2KHR);
  VkRenderPass pass;
  CHECK(vkCreateRenderPass2KHR(s.device, &info, nullptr, &pass));
  return keep(s, vkDestroyRenderPass, pass);
}

// All red; then, in the second subpass, a square of green.
void clear_pass(Session& s, const Image& target, const MappedBuffer& out) {
  LOAD(s, vkCmdBeginRenderPass2KHR);
  LOAD(s, vkCmdNextSubpass2KHR);
  LOAD(s, vkCmdEndRenderPass2KHR);
  LOAD(s, vkCmdSetDepthBoundsTestEnableEXT);
  const VkRenderPass pass = create_pass(s);
  const VkFramebufferCreateInfo info{
      VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, 1, &target.view, kExtent, kExtent, 1};
  VkFramebuffer framebuffer;
  CHECK(vkCreateFramebuffer(s.device, &info, nullptr, &framebuffer));
  keep(s, vkDestroyFramebuffer, framebuffer);
  const VkClearValue red{.color = {{1, 0, 0, 1}}};
  const VkRenderPassBeginInfo begins{
      VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, framebuffer, {{0, 0}, {kExtent, kExtent}}, 1, &red};
  const VkSubpassBeginInfo contents{VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO, nullptr, VK_SUBPASS_CONTENTS_INLINE};
  const VkSubpassEndInfo ends{VK_STRUCTURE_TYPE_SUBPASS_END_INFO};
  vkCmdBeginRenderPass2KHR(s.cmd, &begins, &contents);
  vkCmdNextSubpass2KHR(s.cmd, &contents, &ends);
  vkCmdSetDepthBoundsTestEnableEXT(s.cmd, VK_FALSE);  // lavapipe has no such test
  const VkClearAttachment green{VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {{0, 1, 0, 1}}}};
  const VkClearRect square{{{2, 2}, {4, 4}}, 0, 1};
  vkCmdClearAttachments(s.cmd, 1, &green, 1, &square);
  vkCmdEndRenderPass2KHR(s.cmd, &ends);
  copy_out(s.cmd, target, VK_IMAGE_LAYOUT_GENERAL, out, kTexels * 4);
}

// An event that is set and reset again, and a time.
void mark(Session& s, VkEvent event, VkQueryPool times) {
  LOAD(s, vkCmdSetEvent2KHR);
  LOAD(s, vkCmdResetEvent2KHR);
  LOAD(s, vkCmdWriteTimestamp2KHR);
  const VkMemoryBarrier2 all{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,   nullptr,
                             VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT,
                             VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_READ_BIT};
  const VkDependencyInfo dependency{
      .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &all};
  vkCmdSetEvent2KHR(s.cmd, event, &dependency);
  barrier(s.cmd);
  vkCmdResetEvent2KHR(s.cmd, event, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
  vkCmdResetQueryPool(s.cmd, times, 0, 1);
  vkCmdWriteTimestamp2KHR(s.cmd, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, times, 0);
}

// Submits what waits for the host, and lets it go.
void run_behind(Session& s) {
  LOAD(s, vkGetSemaphoreCounterValueKHR);
  LOAD(s, vkSignalSemaphoreKHR);
  LOAD(s, vkWaitSemaphoresKHR);
  LOAD(s, vkQueueSubmit2KHR);
  LOAD(s, vkTrimCommandPoolKHR);
  const VkSemaphoreTypeCreateInfo timeline{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                           VK_SEMAPHORE_TYPE_TIMELINE, 3};
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &timeline};
  VkSemaphore semaphore;
  CHECK(vkCreateSemaphore(s.device, &info, nullptr, &semaphore));
  keep(s, vkDestroySemaphore, semaphore);
  std::uint64_t value = 0;
  CHECK(vkGetSemaphoreCounterValueKHR(s.device, semaphore, &value));
  EXPECT(s, value == 3);
  const VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT,
                            VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(s.cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, nullptr, 0,
                       nullptr);
  CHECK(vkEndCommandBuffer(s.cmd));
  const VkCommandBufferSubmitInfo buffers{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, s.cmd, 0};
  const VkSemaphoreSubmitInfo waits{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, semaphore, 5,
                                    VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,    0};
  VkSemaphoreSubmitInfo signals = waits;
  signals.value = 6;
  const VkSubmitInfo2 batch{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                            .waitSemaphoreInfoCount = 1,
                            .pWaitSemaphoreInfos = &waits,
                            .commandBufferInfoCount = 1,
                            .pCommandBufferInfos = &buffers,
                            .signalSemaphoreInfoCount = 1,
                            .pSignalSemaphoreInfos = &signals};
  CHECK(vkQueueSubmit2KHR(s.queues[0], 1, &batch, s.commands.done));
  const VkSemaphoreSignalInfo five{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, semaphore, 5};
  CHECK(vkSignalSemaphoreKHR(s.device, &five));
  const std::uint64_t six = 6;
  const VkSemaphoreWaitInfo end{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &semaphore, &six};
  CHECK(vkWaitSemaphoresKHR(s.device, &end, UINT64_MAX));
  CHECK(vkGetSemaphoreCounterValueKHR(s.device, semaphore, &value));
  EXPECT(s, value == six);
  wait(s, s.commands);
  vkTrimCommandPoolKHR(s.device, s.commands.pool, 0);
}

void keep_private(Session& s, VkBuffer object) {
  LOAD(s, vkCreatePrivateDataSlotEXT);
  LOAD(s, vkSetPrivateDataEXT);
  LOAD(s, vkGetPrivateDataEXT);
  LOAD(s, vkDestroyPrivateDataSlotEXT);
  const VkPrivateDataSlotCreateInfo info{VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
  VkPrivateDataSlot slot;
  CHECK(vkCreatePrivateDataSlotEXT(s.device, &info, nullptr, &slot));
  const auto value = reinterpret_cast<std::uint64_t>(object);
  CHECK(vkSetPrivateDataEXT(s.device, VK_OBJECT_TYPE_BUFFER, value, slot, 0xfeedu));
  std::uint64_t kept = 0;
  vkGetPrivateDataEXT(s.device, VK_OBJECT_TYPE_BUFFER, value, slot, &kept);
  EXPECT(s, kept == 0xfeed);
  vkDestroyPrivateDataSlotEXT(s.device, slot, nullptr);
}

}  // namespace

int main() {
  VkPhysicalDevicePrivateDataFeatures secrets{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES, nullptr,
                                              VK_TRUE};
  VkPhysicalDeviceExtendedDynamicStateFeaturesEXT states{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT, &secrets, VK_TRUE};
  VkPhysicalDeviceMaintenance4Features four{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, &states, VK_TRUE};
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                                      &four, VK_TRUE};
  VkPhysicalDeviceSynchronization2Features two{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES, &timelines,
                                               VK_TRUE};
  Wanted wanted;
  wanted.features = &two;
  wanted.instance_extensions = {
      VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME, VK_KHR_EXTERNAL_MEMORY_CAPABILITIES_EXTENSION_NAME,
      VK_KHR_EXTERNAL_FENCE_CAPABILITIES_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_CAPABILITIES_EXTENSION_NAME};
  wanted.extensions = {VK_KHR_BIND_MEMORY_2_EXTENSION_NAME,       VK_KHR_COPY_COMMANDS_2_EXTENSION_NAME,
                       VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME, VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME,
                       VK_KHR_MAINTENANCE_1_EXTENSION_NAME,       VK_KHR_MAINTENANCE_3_EXTENSION_NAME,
                       VK_KHR_MAINTENANCE_4_EXTENSION_NAME,       VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME,
                       VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME,  VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME,
                       VK_EXT_PRIVATE_DATA_EXTENSION_NAME};
  Session s = open("aliases", wanted);
  ask_physical(s);
  ask_external(s);
  ask_layout(s);
  const MappedBuffer out = create_readback(s, 2 * kTexels * 4);
  keep_private(s, out.buffer);
  const Image target = create_target(s);
  copy(s, target, out);
  clear_pass(s, target, out);
  const VkEventCreateInfo event_info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
  VkEvent event;
  CHECK(vkCreateEvent(s.device, &event_info, nullptr, &event));
  keep(s, vkDestroyEvent, event);
  CHECK(vkSetEvent(s.device, event));
  const VkQueryPoolCreateInfo times{
      VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_TIMESTAMP, 1, 0};
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(s.device, &times, nullptr, &pool));
  keep(s, vkDestroyQueryPool, pool);
  mark(s, event, pool);
  run_behind(s);

  EXPECT(s, out.words[0] == 0x01020304 && out.words[kTexels - 1] == 0x01020304 * kTexels);
  EXPECT(s, count(out.words + kTexels, kTexels, kRed) == kTexels - 16);
  EXPECT(s, count(out.words + kTexels, kTexels, kGreen) == 16);
  EXPECT(s, vkGetEventStatus(s.device, event) == VK_EVENT_RESET);
  std::uint64_t time = 0;
  CHECK(vkGetQueryPoolResults(s.device, pool, 0, 1, sizeof time, &time, sizeof time, VK_QUERY_RESULT_64_BIT));
  add(s, out);
  return finish(s);
}
