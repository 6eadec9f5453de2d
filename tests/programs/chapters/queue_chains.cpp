// SPDX-License-Identifier: Apache-2.0
// Chapters "Devices and Queues" and "Synchronization": work handed around all of a
// device's queues by binary semaphores, buffers and images that change their
// family on the way, released by one and acquired by the next, masks of devices.
#include "objects.h"
#include "words.h"

using namespace program;

namespace {

struct Lane {
  std::uint32_t family = 0;
  VkQueue queue = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
};

// A device with every queue of every family that can copy.
Context create_all(const char* name, std::vector<Lane>& lanes) {
  Context c;
  c.instance = create_instance(name, VK_API_VERSION_1_3);
  std::uint32_t count = 1;
  if (vkEnumeratePhysicalDevices(c.instance, &count, &c.physical) < 0) die("no device", 0);
  const std::vector<VkQueueFamilyProperties> families = queue_families(c.physical);
  const std::vector<float> priorities(64, 0.5f);
  std::vector<VkDeviceQueueCreateInfo> queues;
  for (std::uint32_t family = 0; family < families.size(); ++family)
    queues.push_back({VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family, families[family].queueCount,
                      priorities.data()});
  VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  v13.synchronization2 = VK_TRUE;
  const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                .pNext = &v13,
                                .queueCreateInfoCount = static_cast<std::uint32_t>(queues.size()),
                                .pQueueCreateInfos = queues.data()};
  CHECK(vkCreateDevice(c.physical, &info, nullptr, &c.device));
  for (std::uint32_t family = 0; family < families.size(); ++family)
    for (std::uint32_t i = 0; i < families[family].queueCount; ++i) {
      Lane lane;
      lane.family = family;
      const VkDeviceQueueInfo2 which{VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2, nullptr, 0, family, i};
      vkGetDeviceQueue2(c.device, &which, &lane.queue);
      lane.pool = create_command_pool(c, VK_COMMAND_POOL_CREATE_TRANSIENT_BIT, family);
      lanes.push_back(lane);
    }
  return c;
}

// Half of a transfer of what there is from one family to another; nothing where they are one.
void hand_over(VkCommandBuffer cmd, VkBuffer buffer, VkImage image, std::uint32_t from, std::uint32_t to,
               bool releases) {
  const bool moves = from != to;
  const VkPipelineStageFlags2 stage = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  const VkAccessFlags2 both = VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
  const VkBufferMemoryBarrier2 b{.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
                                 .srcStageMask = stage,
                                 .srcAccessMask = releases || !moves ? both : 0,
                                 .dstStageMask = stage,
                                 .dstAccessMask = releases && moves ? 0 : both,
                                 .srcQueueFamilyIndex = from,
                                 .dstQueueFamilyIndex = to,
                                 .buffer = buffer,
                                 .size = VK_WHOLE_SIZE};
  const VkImageMemoryBarrier2 i{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                .srcStageMask = b.srcStageMask,
                                .srcAccessMask = b.srcAccessMask,
                                .dstStageMask = b.dstStageMask,
                                .dstAccessMask = b.dstAccessMask,
                                .oldLayout = VK_IMAGE_LAYOUT_GENERAL,
                                .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                .srcQueueFamilyIndex = from,
                                .dstQueueFamilyIndex = to,
                                .image = image,
                                .subresourceRange = kColor};
  const VkDependencyInfo all{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                             .bufferMemoryBarrierCount = 1,
                             .pBufferMemoryBarriers = &b,
                             .imageMemoryBarrierCount = 1,
                             .pImageMemoryBarriers = &i};
  if (moves || releases) vkCmdPipelineBarrier2(cmd, &all);
}

VkImage create_square(const Context& c, VkDeviceMemory& memory) {
  const VkImage image = create_unbound_image(
      c, image_info(VK_FORMAT_R32_UINT, 4, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT));
  memory = bind_to_memory_of_its_own(c, image);
  return image;
}

}  // namespace

int main() {
  std::vector<Lane> lanes;
  Context c = create_all("queue_chains", lanes);
  const std::size_t rounds = lanes.size() < 4 ? 4 : lanes.size() * 2;
  MappedBuffer b = create_mapped_buffer(c, 4096, kCopies);
  std::memset(b.words, 0, 4096);
  VkDeviceMemory memory;
  const VkImage image = create_square(c, memory);
  std::vector<VkSemaphore> semaphores;
  VkFence done = create_fence(c);
  for (std::size_t n = 0; n < rounds; ++n) {
    const Lane &lane = lanes[n % lanes.size()], &before = lanes[(n + lanes.size() - 1) % lanes.size()],
               &next = lanes[(n + 1) % lanes.size()];
    const VkCommandBuffer cmd = allocate_command_buffer(c, lane.pool);
    begin(cmd, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
    if (n == 0)
      change_layout(cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    else
      hand_over(cmd, b.buffer, image, before.family, lane.family, false);
    vkCmdFillBuffer(cmd, b.buffer, 0, 64, static_cast<std::uint32_t>(n + 1));
    barrier(cmd);
    const VkBufferImageCopy region{
        .bufferOffset = n * 64, .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {4, 4, 1}};
    if (n != 0) vkCmdCopyImageToBuffer(cmd, image, VK_IMAGE_LAYOUT_GENERAL, b.buffer, 1, &region);
    barrier(cmd);
    const VkBufferImageCopy first{
        .bufferOffset = 0, .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {4, 4, 1}};
    vkCmdCopyBufferToImage(cmd, b.buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &first);
    if (n + 1 < rounds)
      hand_over(cmd, b.buffer, image, lane.family, next.family, true);
    else
      transfers_to_host(cmd);
    CHECK(vkEndCommandBuffer(cmd));
    semaphores.push_back(create_semaphore(c));
    const VkSemaphoreSubmitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,     nullptr,
                                     n == 0 ? VK_NULL_HANDLE : semaphores[n - 1], 0,
                                     VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,        0},
        signal{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, semaphores[n], 0,
               VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,    0};
    const VkCommandBufferSubmitInfo work{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, cmd, 1};
    const VkSubmitInfo2 batch{VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, 0, n == 0 ? 0u : 1u, &wait, 1, &work,
                              n + 1 < rounds ? 1u : 0u,        &signal};
    CHECK(vkQueueSubmit2(lane.queue, 1, &batch, n + 1 < rounds ? VK_NULL_HANDLE : done));
  }
  CHECK(vkWaitForFences(c.device, 1, &done, VK_TRUE, UINT64_MAX));
  for (std::size_t n = 1; n < rounds; ++n)
    if (b.words[n * 16 + 5] != n) wrong("a step of the chain", static_cast<long>(n));
  CHECK(vkDeviceWaitIdle(c.device));
  std::printf("queue_chains: checksum %016llx\n", static_cast<unsigned long long>(checksum(b.words, 64)));
  for (VkSemaphore semaphore : semaphores) vkDestroySemaphore(c.device, semaphore, nullptr);
  for (const Lane& lane : lanes) vkDestroyCommandPool(c.device, lane.pool, nullptr);
  vkDestroyFence(c.device, done, nullptr);
  vkDestroyImage(c.device, image, nullptr);
  vkFreeMemory(c.device, memory, nullptr);
  destroy(c, b);
  destroy(c);
  return 0;
}
