// SPDX-License-Identifier: Apache-2.0
// Chapters "Initialization" and "Devices and Queues": applications of every version
// of Vulkan, and one that says nothing of itself, in one process: each does the same
// work by what its version has, while the ones before it still live.
#include "count.comp.h"
#include "words.h"

using namespace program;

namespace {

// A device by what 1.0 has, with the version's own structure behind it where there is one.
Context create(std::uint32_t version, std::vector<VkPhysicalDevice>& all) {
  const VkInstance instance = create_instance("versions", version);
  std::uint32_t count = 0;
  CHECK(vkEnumeratePhysicalDevices(instance, &count, nullptr));
  all.resize(count);
  CHECK(vkEnumeratePhysicalDevices(instance, &count, all.data()));
  VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v11};
  VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &v12};
  v13.synchronization2 = VK_TRUE;
  v12.timelineSemaphore = VK_TRUE;
  Wanted wanted;
#ifdef VK_VERSION_1_4
  VkPhysicalDeviceVulkan14Features v14{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES, &v13};
  v14.maintenance5 = v14.maintenance6 = v14.indexTypeUint8 = VK_TRUE;
  if (version >= kVersion14) {
    wanted.features = &v14;
    return create_device(instance, wanted);
  }
#endif
  if (version >= VK_API_VERSION_1_3)
    wanted.features = &v13;
  else if (version >= VK_API_VERSION_1_2)
    wanted.features = &v12;
  return create_device(instance, wanted);
}

void submit_and_wait(const Context& c, std::uint32_t version, VkCommandBuffer cmd, VkFence fence) {
  if (version < VK_API_VERSION_1_2) {
    submit(c.queues[0], cmd, fence);
    CHECK(vkWaitForFences(c.device, 1, &fence, VK_TRUE, UINT64_MAX));
    CHECK(vkResetFences(c.device, 1, &fence));
    return;
  }
  const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                       VK_SEMAPHORE_TYPE_TIMELINE, 0};
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
  VkSemaphore done;
  CHECK(vkCreateSemaphore(c.device, &info, nullptr, &done));
  const std::uint64_t one = 1;
  if (version >= VK_API_VERSION_1_3) {
    const VkCommandBufferSubmitInfo buffer{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, cmd, 0};
    const VkSemaphoreSubmitInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, done, 1,
                                       VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,    0};
    const VkSubmitInfo2 batch{VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, 0, 0, nullptr, 1, &buffer, 1, &signal};
    CHECK(vkQueueSubmit2(c.queues[0], 1, &batch, VK_NULL_HANDLE));
  } else {
    const VkTimelineSemaphoreSubmitInfo values{
        VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 0, nullptr, 1, &one};
    const VkSubmitInfo batch{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, 0, nullptr, nullptr, 1, &cmd, 1, &done};
    CHECK(vkQueueSubmit(c.queues[0], 1, &batch, VK_NULL_HANDLE));
  }
  const VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &done, &one};
  CHECK(vkWaitSemaphores(c.device, &wait, UINT64_MAX));
  CHECK(vkQueueWaitIdle(c.queues[0]));
  vkDestroySemaphore(c.device, done, nullptr);
}

std::uint32_t work(const Context& c, std::uint32_t version) {
  Session s;
  static_cast<Context&>(s) = c;
  s.commands = create_commands(c);
  s.cmd = s.commands.buffer;
  const MappedBuffer in = buffer(s, 256, kStorage), out = buffer(s, 256, kStorage);
  const Kernel k = create_kernel(s, shader(s, count_comp_spv), {in, out});
  begin(s.commands);
  bind(s.cmd, k);
  push(s.cmd, k, 0, version == 0 ? 1 : VK_API_VERSION_MINOR(version) + 2, 8);
  vkCmdDispatch(s.cmd, 2, 1, 1);
  barrier(s.cmd);
  CHECK(vkEndCommandBuffer(s.cmd));
  submit_and_wait(c, version, s.cmd, s.commands.done);
  if (version >= kVersion14 && vkGetDeviceProcAddr(c.device, "vkCmdPushConstants2") == nullptr)
    die("no vkCmdPushConstants2 in a device of 1.4", 0);
  const std::uint32_t sum = out.words[0] + out.words[1] * 10 + in.words[8] * 100;
  for (auto last = s.at_end.rbegin(); last != s.at_end.rend(); ++last) (*last)();
  destroy(c, s.commands);
  return sum;
}

bool has_1_4() {
#ifdef VK_VERSION_1_4
  const VkInstance instance = create_instance("versions", VK_API_VERSION_1_3);
  VkPhysicalDevice physical;
  std::uint32_t count = 1;
  if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || count == 0) die("no device", 0);
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(physical, &properties);
  vkDestroyInstance(instance, nullptr);
  return properties.apiVersion >= kVersion14;
#else
  return false;
#endif
}

}  // namespace

int main() {
  std::vector<std::uint32_t> versions = {0, VK_API_VERSION_1_3, VK_API_VERSION_1_0, VK_API_VERSION_1_2,
                                         VK_API_VERSION_1_1};
  if (has_1_4()) versions.push_back(kVersion14);
  std::vector<Context> alive;
  std::uint32_t sum = 0;
  for (const std::uint32_t version : versions) {
    std::vector<VkPhysicalDevice> all;
    alive.push_back(create(version, all));
    const std::uint32_t step = version == 0 ? 1 : VK_API_VERSION_MINOR(version) + 2;
    const std::uint32_t found = work(alive.back(), version);
    if (found != 4 * step * 11 + 600) wrong("the work of a version", static_cast<long>(found));
    sum = sum * 7 + found;
    sum = sum * 7 + work(alive.front(), versions[0]);
  }
  for (const std::size_t i : {2u, 0u, 4u, 1u, 3u}) destroy(alive[i]);
  if (versions.size() > 5) destroy(alive[5]);
  std::printf("versions: checksum %08x\n", sum);
  return 0;
}
