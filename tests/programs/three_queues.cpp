// SPDX-License-Identifier: Apache-2.0
// Three queues, of which the first two wait when the third begins: A waits for
// S, B behind it on the same queue signals T, D on a second queue waits for T,
// and only then C on the third one signals S. Status 0 only if every word is right.
// three_queues [--host 1]: on one queue, where C goes first and the host signals S.
#include "objects.h"

using namespace program;

namespace {

constexpr std::uint32_t kRounds = 4;

struct Queues {
  Context c;
  std::vector<std::uint32_t> families;
};

// The first so many queues that the device has, of whatever families.
Queues create_queues(std::uint32_t wanted) {
  Queues all;
  Context& c = all.c;
  c.instance = create_instance("three_queues", VK_API_VERSION_1_2);
  std::uint32_t count = 1;
  const VkResult enumerated = vkEnumeratePhysicalDevices(c.instance, &count, &c.physical);
  if (enumerated < 0 || count == 0) die("vkEnumeratePhysicalDevices", enumerated);
  const std::vector<VkQueueFamilyProperties> families = queue_families(c.physical);
  const std::vector<float> priorities(wanted, 1.0f);
  std::vector<VkDeviceQueueCreateInfo> queues;
  std::uint32_t found = 0;
  for (std::uint32_t family = 0; family < families.size() && found < wanted; ++family) {
    VkDeviceQueueCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    info.queueFamilyIndex = family;
    info.pQueuePriorities = priorities.data();
    for (; info.queueCount < families[family].queueCount && found < wanted; ++info.queueCount, ++found)
      all.families.push_back(family);
    queues.push_back(info);
  }
  if (found < wanted) die("queues of this device", found);
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
  timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  timeline.timelineSemaphore = VK_TRUE;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &timeline;
  info.queueCreateInfoCount = static_cast<std::uint32_t>(queues.size());
  info.pQueueCreateInfos = queues.data();
  CHECK(vkCreateDevice(c.physical, &info, nullptr, &c.device));
  c.queues.resize(wanted);
  std::uint32_t index = 0;
  for (std::uint32_t i = 0; i < wanted; ++i) {
    index = i != 0 && all.families[i] == all.families[i - 1] ? index + 1 : 0;
    vkGetDeviceQueue(c.device, all.families[i], index, &c.queues[i]);
  }
  return all;
}

// `wait` and `signal`: null for none.
void submit_at(VkQueue queue, VkCommandBuffer buffer, VkSemaphore wait, VkSemaphore signal, std::uint64_t value,
               VkFence done) {
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &buffer;
  info.pWaitDstStageMask = &stage;
  info.waitSemaphoreCount = values.waitSemaphoreValueCount = wait == VK_NULL_HANDLE ? 0 : 1;
  info.pWaitSemaphores = &wait;
  info.signalSemaphoreCount = values.signalSemaphoreValueCount = signal == VK_NULL_HANDLE ? 0 : 1;
  info.pSignalSemaphores = &signal;
  values.pWaitSemaphoreValues = values.pSignalSemaphoreValues = &value;
  CHECK(vkQueueSubmit(queue, 1, &info, done));
}

void record_copy(const Commands& commands, const MappedBuffer& from, const MappedBuffer& to, VkDeviceSize offset,
                 VkDeviceSize bytes) {
  begin(commands);
  const VkBufferCopy region{offset, offset, bytes};
  vkCmdCopyBuffer(commands.buffer, from.buffer, to.buffer, 1, &region);
  transfers_to_host(commands.buffer);
  CHECK(vkEndCommandBuffer(commands.buffer));
}

}  // namespace

int main(int argc, char** argv) {
  const bool host = option(argc, argv, "--host", 0) != 0;
  Queues queues = create_queues(host ? 1 : 3);
  const Context& c = queues.c;
  const auto at = [&](std::uint32_t i) { return host ? 0 : i; };
  Commands a = create_commands(c, queues.families[0]), b = create_commands(c, queues.families[0]);
  Commands d = create_commands(c, queues.families[at(1)]), last = create_commands(c, queues.families[at(2)]);
  constexpr VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  constexpr VkDeviceSize bytes = 3072, third = bytes / 3;
  MappedBuffer input = create_mapped_buffer(c, bytes, usage), middle = create_mapped_buffer(c, bytes, usage),
               output = create_mapped_buffer(c, bytes, usage);
  std::memset(middle.words, 0, bytes);
  std::memset(output.words, 0, bytes);
  const VkSemaphore s = create_timeline(c), t = create_timeline(c);
  for (std::uint32_t round = 1; round <= kRounds; ++round) {
    for (std::uint32_t i = 0; i < bytes / 4; ++i) input.words[i] = round * 1000 + i;
    record_copy(a, input, middle, 0, third);
    record_copy(b, input, middle, third, third);
    record_copy(last, input, middle, 2 * third, third);
    record_copy(d, middle, output, 0, bytes);
    if (host) submit_at(c.queues[0], last.buffer, VK_NULL_HANDLE, VK_NULL_HANDLE, round, VK_NULL_HANDLE);
    submit_at(c.queues[0], a.buffer, s, VK_NULL_HANDLE, round, VK_NULL_HANDLE);
    submit_at(c.queues[0], b.buffer, VK_NULL_HANDLE, t, round, VK_NULL_HANDLE);
    submit_at(c.queues[at(1)], d.buffer, t, VK_NULL_HANDLE, round, d.done);
    if (vkGetFenceStatus(c.device, d.done) != VK_NOT_READY) die("D overtook S in round", round);
    if (host) {
      VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, s, round};
      CHECK(vkSignalSemaphore(c.device, &info));
    } else {
      submit_at(c.queues[2], last.buffer, VK_NULL_HANDLE, s, round, VK_NULL_HANDLE);
    }
    wait(c, d);
    for (std::uint32_t i = 0; i < bytes / 4; ++i)
      if (output.words[i] != round * 1000 + i) die("wrong word", i);
    CHECK(vkDeviceWaitIdle(c.device));
  }
  std::printf("three_queues: %u rounds, checksum %016llx\n", kRounds,
              static_cast<unsigned long long>(checksum(output.words, bytes / 4)));
  vkDestroySemaphore(c.device, s, nullptr);
  vkDestroySemaphore(c.device, t, nullptr);
  for (MappedBuffer* buffer : {&input, &middle, &output}) destroy(c, *buffer);
  for (Commands* commands : {&a, &b, &d, &last}) destroy(c, *commands);
  destroy(queues.c);
  return 0;
}
