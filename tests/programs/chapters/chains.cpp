// SPDX-License-Identifier: Apache-2.0
// Chapters "Initialization" and "Devices and Queues": what stands in the chains of
// instances and devices: a messenger before there is an instance, features one by
// one and as wholes, a group of one, private data, extensions that have become
// core, and several devices with other features each at the same time.
#include "count.comp.h"
#include "words.h"

using namespace program;

namespace {

VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                    const VkDebugUtilsMessengerCallbackDataEXT*, void* heard) {
  ++*static_cast<int*>(heard);
  return VK_FALSE;
}

VkInstance create_chained(int& heard) {
  const VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                                     nullptr,
                                                     0,
                                                     VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                                     VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
                                                     hear,
                                                     &heard};
  const char* const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_KHR_DEVICE_GROUP_CREATION_EXTENSION_NAME,
                                    VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME};
  const VkApplicationInfo application{
      VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr, nullptr, 0xffffffff, "", 0, VK_API_VERSION_1_3};
  const VkInstanceCreateInfo info{
      VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &messenger, 0, &application, 0, nullptr, 3, extensions};
  VkInstance instance;
  CHECK(vkCreateInstance(&info, nullptr, &instance));
  return instance;
}

Context create(VkInstance instance, const void* chain, const VkPhysicalDeviceFeatures* features,
               const std::vector<const char*>& extensions = {}) {
  Context c;
  c.instance = instance;
  std::uint32_t count = 1;
  if (vkEnumeratePhysicalDevices(instance, &count, &c.physical) < 0) die("no device", 0);
  const float priority = 0;
  const VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
  const VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                chain,
                                0,
                                1,
                                &queue,
                                0,
                                nullptr,
                                static_cast<std::uint32_t>(extensions.size()),
                                extensions.data(),
                                features};
  CHECK(vkCreateDevice(c.physical, &info, nullptr, &c.device));
  c.queues.resize(1);
  vkGetDeviceQueue(c.device, 0, 0, &c.queues[0]);
  return c;
}

std::uint32_t work(const Context& c, std::uint32_t step) {
  Session s;
  static_cast<Context&>(s) = c;
  s.commands = create_commands(c);
  s.cmd = s.commands.buffer;
  begin(s.commands);
  const MappedBuffer in = buffer(s, 256, kStorage), out = buffer(s, 256, kStorage);
  const Kernel k = create_kernel(s, shader(s, count_comp_spv), {in, out});
  bind(s.cmd, k);
  push(s.cmd, k, 0, step, 99);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  run(s);
  const std::uint32_t found = out.words[0];
  for (auto last = s.at_end.rbegin(); last != s.at_end.rend(); ++last) (*last)();
  destroy(c, s.commands);
  return found;
}

}  // namespace

int main() {
  int heard = 0;
  const VkInstance instance = create_chained(heard);
  std::vector<Context> devices;
  devices.push_back(create(instance, nullptr, nullptr));
  VkPhysicalDeviceFeatures some{};
  vkGetPhysicalDeviceFeatures(devices[0].physical, &some);
  const VkBool32 robust = some.robustBufferAccess;
  some = {};
  some.robustBufferAccess = robust;
  devices.push_back(create(instance, nullptr, &some));
  // Structures of one feature each, the newest first, and one that says no to everything.
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                                      nullptr, VK_TRUE};
  VkPhysicalDeviceMultiviewFeatures views{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES, &timelines, VK_FALSE,
                                          VK_FALSE, VK_FALSE};
  VkPhysicalDeviceSynchronization2Features two{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES, &views,
                                               VK_TRUE};
  const VkPhysicalDevice self = devices[0].physical;
  const VkDeviceGroupDeviceCreateInfo group{VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO, &two, 1, &self};
  devices.push_back(create(instance, &group, &some,
                           {VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME,
                            VK_KHR_MULTIVIEW_EXTENSION_NAME}));
  // Everything of 1.1 and 1.2 as wholes, with the old structure within the chain.
  VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v11};
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v12};
  vkGetPhysicalDeviceFeatures2(self, &all);
  const VkDevicePrivateDataCreateInfo slots{VK_STRUCTURE_TYPE_DEVICE_PRIVATE_DATA_CREATE_INFO, &all, 0};
  devices.push_back(create(instance, &slots, nullptr));

  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < devices.size(); ++i) {
    const std::uint32_t found = work(devices[i], i + 1);
    if (found != 4 * (i + 1)) wrong("a device's count", found);
    sum = sum * 31 + found;
  }
  for (const std::size_t i : {1u, 3u, 0u, 2u}) vkDestroyDevice(devices[i].device, nullptr);
  vkDestroyInstance(instance, nullptr);
  std::printf("chains: heard %d, checksum %08x\n", heard, sum);
  return 0;
}
