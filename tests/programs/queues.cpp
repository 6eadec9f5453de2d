// SPDX-License-Identifier: Apache-2.0
// Every queue of the device, each with a thread of its own: they write one
// buffer in turn and one image handed from family to family, in an order that
// only semaphores give. Submits come in the opposite order: each waits for
// work that is not yet submitted, where there is more than one queue.
#include <set>
#include <thread>

#include "objects.h"

using namespace program;

namespace {

constexpr std::uint32_t kRounds = 4;
constexpr VkExtent3D kExtent{8, 8, 1};

struct Owner {
  VkQueue queue = VK_NULL_HANDLE;
  std::uint32_t family = 0;
};

// A device with every queue that can copy.
Context create_with_all_queues(std::vector<Owner>& owners) {
  Context c;
  c.instance = create_instance("queues", VK_API_VERSION_1_2);
  std::uint32_t count = 1;
  if (vkEnumeratePhysicalDevices(c.instance, &count, &c.physical) < 0) die("no device", 0);
  const std::vector<VkQueueFamilyProperties> families = queue_families(c.physical);
  constexpr float priorities[16]{};
  std::vector<VkDeviceQueueCreateInfo> queues;
  for (std::uint32_t f = 0; f < families.size(); ++f) {
    constexpr VkQueueFlags copies = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
    if ((families[f].queueFlags & copies) == 0) continue;
    VkDeviceQueueCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    info.queueFamilyIndex = f;
    info.queueCount = families[f].queueCount < 16 ? families[f].queueCount : 16;
    info.pQueuePriorities = priorities;
    queues.push_back(info);
  }
  VkPhysicalDeviceTimelineSemaphoreFeatures features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  features.timelineSemaphore = VK_TRUE;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features;
  info.queueCreateInfoCount = static_cast<std::uint32_t>(queues.size());
  info.pQueueCreateInfos = queues.data();
  CHECK(vkCreateDevice(c.physical, &info, nullptr, &c.device));
  for (const VkDeviceQueueCreateInfo& family : queues)
    for (std::uint32_t i = 0; i < family.queueCount; ++i) {
      Owner owner{VK_NULL_HANDLE, family.queueFamilyIndex};
      vkGetDeviceQueue(c.device, family.queueFamilyIndex, i, &owner.queue);
      owners.push_back(owner);
    }
  return c;
}

// One half of handing the image from family to family, or all of it where it
// stays: what could be read is to be written next.
void hand_over(VkCommandBuffer commands, VkImage image, std::uint32_t from, std::uint32_t to) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  barrier.srcQueueFamilyIndex = from;
  barrier.dstQueueFamilyIndex = to;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                       nullptr, 1, &barrier);
}

// Waits for `value` of the timeline and signals the next.
void submit(VkQueue queue, VkCommandBuffer commands, VkSemaphore timeline, std::uint64_t value) {
  const std::uint64_t next = value + 1;
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = values.signalSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &value;
  values.pSignalSemaphoreValues = &next;
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = info.signalSemaphoreCount = info.commandBufferCount = 1;
  info.pWaitSemaphores = info.pSignalSemaphores = &timeline;
  info.pWaitDstStageMask = &stage;
  info.pCommandBuffers = &commands;
  CHECK(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
}

}  // namespace

int main() {
  std::vector<Owner> owners;
  Context c = create_with_all_queues(owners);
  const auto queues = static_cast<std::uint32_t>(owners.size());
  const std::uint32_t steps = kRounds * queues;
  std::set<std::uint32_t> families;
  for (const Owner& owner : owners) families.insert(owner.family);
  MappedBuffer out =
      create_mapped_buffer(c, (steps + 1) * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                           {families.begin(), families.end()});
  std::memset(out.words, 0, (steps + 1) * 4);
  out.words[0] = 1;
  Texture image =
      create_texture(c, VK_FORMAT_R32_UINT, kExtent,
                     VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
  VkSemaphore timeline = create_timeline(c);

  std::vector<Commands> commands;
  for (const Owner& owner : owners) commands.push_back(create_commands(c, owner.family));
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    for (std::uint32_t q = 0; q < queues; ++q) {
      const std::uint32_t step = round * queues + q;
      const std::uint32_t before = owners[(q + queues - 1) % queues].family, own = owners[q].family,
                          after = owners[(q + 1) % queues].family;
      begin(commands[q]);
      VkCommandBuffer b = commands[q].buffer;
      if (step == 0)
        change_layout(b, image.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
      else
        hand_over(b, image.image, before, own);
      // The word of this step is the word before, by way of the image.
      VkBufferImageCopy texel{};
      texel.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
      texel.imageExtent = kExtent;
      texel.imageExtent.width = texel.imageExtent.height = 1;
      texel.bufferOffset = step * 4;
      vkCmdCopyBufferToImage(b, out.buffer, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &texel);
      change_layout(b, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
      texel.bufferOffset = (step + 1) * 4;
      vkCmdCopyImageToBuffer(b, image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out.buffer, 1, &texel);
      if (own != after) hand_over(b, image.image, own, after);
      transfers_to_host(b);
      CHECK(vkEndCommandBuffer(b));
    }
    // The last first, one thread each.
    for (std::uint32_t q = queues; q-- > 0;)
      std::thread([&] {
        submit(owners[q].queue, commands[q].buffer, timeline, std::uint64_t{round} * queues + q);
      }).join();
    CHECK(vkDeviceWaitIdle(c.device));
  }
  for (std::uint32_t step = 0; step <= steps; ++step)
    if (out.words[step] != 1) die("the value was lost in step", step);
  std::printf("queues: %u queues, %u submits, right\n", queues, steps);
  for (Commands& one : commands) destroy(c, one);
  vkDestroySemaphore(c.device, timeline, nullptr);
  destroy(c, image);
  destroy(c, out);
  destroy(c);
  return 0;
}
