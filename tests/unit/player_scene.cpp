// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/player_scene.h"

namespace rondo::test {

PlayerScene::PlayerScene(std::uint32_t api_version, const void* device_chain,
                         const std::vector<const char*>& extensions, const std::vector<std::uint32_t>& more_queues)
    : capture(file.path()) {
  auto application = of_type<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.apiVersion = api_version;
  auto instance_info = of_type<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  instance_info.pApplicationInfo = &application;
  VkInstance instance = kInstance;
  capture.call(CommandId::vkCreateInstance, args_vkCreateInstance{&instance_info, nullptr, &instance}, ok());
  std::uint32_t one = 1;
  VkPhysicalDevice physical = kPhysical;
  capture.call(CommandId::vkEnumeratePhysicalDevices, args_vkEnumeratePhysicalDevices{kInstance, &one, &physical},
               ok());
  std::vector<std::uint32_t> counts = {1};
  counts.insert(counts.end(), more_queues.begin(), more_queues.end());
  const std::vector<float> priorities(16, 1.0f);
  std::vector<VkDeviceQueueCreateInfo> queues;
  for (const std::uint32_t count : counts) {
    auto info = of_type<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    info.queueFamilyIndex = static_cast<std::uint32_t>(queues.size());
    info.queueCount = count;
    info.pQueuePriorities = priorities.data();
    queues.push_back(info);
  }
  auto device_info = of_type<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  device_info.pNext = device_chain;
  device_info.queueCreateInfoCount = static_cast<std::uint32_t>(queues.size());
  device_info.pQueueCreateInfos = queues.data();
  device_info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  device_info.ppEnabledExtensionNames = extensions.data();
  VkDevice device = kDevice;
  capture.call(CommandId::vkCreateDevice, args_vkCreateDevice{kPhysical, &device_info, nullptr, &device}, ok());
  VkQueue queue = kQueue;
  capture.call(CommandId::vkGetDeviceQueue, args_vkGetDeviceQueue{kDevice, 0, 0, &queue});
}

VkFence PlayerScene::create_fence(VkFenceCreateFlags flags) {
  auto info = of_type<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  info.flags = flags;
  return create<VkFence, args_vkCreateFence>(CommandId::vkCreateFence, info);
}

VkDeviceMemory PlayerScene::allocate(VkDeviceSize bytes) {
  auto info = of_type<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.allocationSize = bytes;
  return create<VkDeviceMemory, args_vkAllocateMemory>(CommandId::vkAllocateMemory, info);
}

void PlayerScene::write(VkDeviceMemory memory, VkDeviceSize offset, const std::vector<std::byte>& bytes) {
  const RondoRange range{offset, bytes.size()};
  capture.call(CommandId::rondoHostWrite, args_rondoHostWrite{kDevice, memory, 1, &range, bytes.size(), bytes.data()});
}

void PlayerScene::submit(const std::vector<VkCommandBuffer>& commands, VkFence fence) {
  auto info = of_type<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  info.commandBufferCount = static_cast<std::uint32_t>(commands.size());
  info.pCommandBuffers = commands.data();
  capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{kQueue, 1, &info, fence}, ok());
}

Result<std::unique_ptr<player::Plan>> PlayerScene::build(const player::PlanOptions& options) {
  ReaderOptions reader_options;
  reader_options.salvage = options.salvage;
  auto reader = Reader::open(file.path(), reader_options);
  if (!reader) return tl::unexpected<Error>(reader.error());
  return player::build_plan(**reader, options);
}

void PlayerScene::fails(const Result<std::unique_ptr<player::Plan>>& plan, Status status, const std::string& mentions) {
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().status, status);
  EXPECT_NE(plan.error().message.find(mentions), std::string::npos) << plan.error().message;
}

}  // namespace rondo::test
