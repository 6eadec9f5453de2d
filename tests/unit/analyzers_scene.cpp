// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/analyzers_scene.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/unit/handles.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::test {

namespace {

// Captured values; non-dispatchable ones may be any number.
const auto kSceneInstance = handle<VkInstance>(0x1000);
const auto kScenePhysical = handle<VkPhysicalDevice>(0x2000);
const auto kSceneDevice = handle<VkDevice>(0x3000);
const auto kSceneQueue = handle<VkQueue>(0x4000);
const auto kBuffer = handle<VkBuffer>(0x50);
const auto kMemory = handle<VkDeviceMemory>(0x60);
const auto kPool = handle<VkCommandPool>(0x70);
const auto kCommands = handle<VkCommandBuffer>(0x8000);
const auto kSwapchain = handle<VkSwapchainKHR>(0x90);

void create_device(SyntheticCapture& capture) {
  const char* instance_extensions[] = {"VK_KHR_surface"};
  VkInstanceCreateInfo instance_info{};
  instance_info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  instance_info.enabledExtensionCount = 1;
  instance_info.ppEnabledExtensionNames = instance_extensions;
  VkInstance instance = kSceneInstance;
  capture.call(CommandId::vkCreateInstance, args_vkCreateInstance{&instance_info, nullptr, &instance}, {.result = 0});

  std::uint32_t count = 1;
  VkPhysicalDevice physical = kScenePhysical;
  capture.call(CommandId::vkEnumeratePhysicalDevices,
               args_vkEnumeratePhysicalDevices{kSceneInstance, &count, &physical}, {.result = 0});

  VkPhysicalDeviceProperties properties{};
  properties.apiVersion = VK_MAKE_API_VERSION(0, 1, 3, 230);
  properties.driverVersion = 1;
  properties.vendorID = 0x10005;
  properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU;
  std::strcpy(properties.deviceName, "test pipe");
  capture.call(CommandId::vkGetPhysicalDeviceProperties,
               args_vkGetPhysicalDeviceProperties{kScenePhysical, &properties}, {.flags = kRecordByLayer});

  const char* extensions[] = {"VK_KHR_swapchain"};
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.features.robustBufferAccess = VK_TRUE;
  const float priority = 0.5f;
  VkDeviceQueueCreateInfo queue_info{};
  queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue_info.queueCount = 1;
  queue_info.pQueuePriorities = &priority;
  VkDeviceCreateInfo device_info{};
  device_info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  device_info.pNext = &features;
  device_info.queueCreateInfoCount = 1;
  device_info.pQueueCreateInfos = &queue_info;
  device_info.enabledExtensionCount = 1;
  device_info.ppEnabledExtensionNames = extensions;
  VkDevice device = kSceneDevice;
  capture.call(CommandId::vkCreateDevice, args_vkCreateDevice{kScenePhysical, &device_info, nullptr, &device},
               {.result = 0});
  VkQueue queue = kSceneQueue;
  capture.call(CommandId::vkGetDeviceQueue, args_vkGetDeviceQueue{kSceneDevice, 0, 0, &queue});
}

void create_resources(SyntheticCapture& capture) {
  VkBufferCreateInfo buffer_info{};
  buffer_info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  buffer_info.size = 1024;
  buffer_info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  capture.call(CommandId::vkCreateBuffer, args_vkCreateBuffer{kSceneDevice, &buffer_info, nullptr, &buffer},
               {.result = VK_ERROR_OUT_OF_HOST_MEMORY});
  buffer = kBuffer;
  capture.call(CommandId::vkCreateBuffer, args_vkCreateBuffer{kSceneDevice, &buffer_info, nullptr, &buffer},
               {.result = 0});
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = 1024;
  VkDeviceMemory memory = kMemory;
  capture.call(CommandId::vkAllocateMemory, args_vkAllocateMemory{kSceneDevice, &allocate, nullptr, &memory},
               {.result = 0});
  capture.unused_number();
}

void record_commands(SyntheticCapture& capture) {
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  VkCommandPool pool = kPool;
  capture.call(CommandId::vkCreateCommandPool, args_vkCreateCommandPool{kSceneDevice, &pool_info, nullptr, &pool},
               {.result = 0});
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = kPool;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = kCommands;
  capture.call(CommandId::vkAllocateCommandBuffers, args_vkAllocateCommandBuffers{kSceneDevice, &allocate, &commands},
               {.result = 0});
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{kCommands, &begin}, {.result = 0});
  capture.call(CommandId::vkCmdFillBuffer, args_vkCmdFillBuffer{kCommands, kBuffer, 0, VK_WHOLE_SIZE, 7});
  capture.call(CommandId::vkCmdDispatch, args_vkCmdDispatch{kCommands, 4, 2, 1});
  capture.call(CommandId::vkEndCommandBuffer, args_vkEndCommandBuffer{kCommands}, {.result = 0});
}

void host_write(SyntheticCapture& capture, std::uint16_t flags) {
  std::array<std::uint8_t, 300> bytes{};
  const RondoRange range{16, bytes.size()};
  capture.call(CommandId::rondoHostWrite,
               args_rondoHostWrite{kSceneDevice, kMemory, 1, &range, bytes.size(), bytes.data()}, {.flags = flags});
}

void submit(SyntheticCapture& capture, std::uint32_t batches, std::uint64_t start_ns) {
  const VkCommandBuffer commands = kCommands;
  VkSubmitInfo infos[2] = {};
  for (VkSubmitInfo& info : infos) {
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
  }
  capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{kSceneQueue, batches, infos, VK_NULL_HANDLE},
               {.result = 0, .start_ns = start_ns, .end_ns = start_ns + 250});
}

void present(SyntheticCapture& capture, std::uint64_t start_ns) {
  const VkSwapchainKHR swapchain = kSwapchain;  // of a create that is not in the capture
  const std::uint32_t index = 0;
  VkPresentInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  info.swapchainCount = 1;
  info.pSwapchains = &swapchain;
  info.pImageIndices = &index;
  capture.call(CommandId::vkQueuePresentKHR, args_vkQueuePresentKHR{kSceneQueue, &info},
               {.result = VK_SUBOPTIMAL_KHR, .start_ns = start_ns, .end_ns = start_ns + 1000});
}

void write_calls(SyntheticCapture& capture) {
  capture.session(R"({"process":{"pid":7,"program":"scene"}})");
  create_device(capture);
  create_resources(capture);
  record_commands(capture);
  host_write(capture, 0);
  submit(capture, 2, 1'000'000);
  present(capture, 1'500'000);
  host_write(capture, kRecordAmbiguous);
  submit(capture, 1, 2'000'000);
  present(capture, 2'500'000);
  capture.call(CommandId::rondoNote, args_rondoNote{0, "the note"});
}

}  // namespace

void write_scene(const std::string& path) {
  SyntheticCapture capture(path);
  write_calls(capture);
  capture.finish();
}

void write_cut_scene(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      SyntheticCapture capture(path);
      write_calls(capture);
      capture.call_without_end(CommandId::vkQueueSubmit, args_vkQueueSubmit{kSceneQueue, 0, nullptr, VK_NULL_HANDLE});
      ::_exit(0);
    } catch (...) {
      ::_exit(1);
    }
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || status != 0) throw std::runtime_error("cannot write a cut capture");
}

Printed printed(Result<int> (*run)(std::span<const std::string>), const std::vector<std::string>& arguments) {
  const TemporaryFile file("stdout");
  const int saved = ::dup(1);
  const int to = ::open(file.path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (saved < 0 || to < 0) throw std::runtime_error("cannot redirect standard output");
  ::dup2(to, 1);
  ::close(to);
  const auto status = run(arguments);
  ::dup2(saved, 1);
  ::close(saved);
  Printed result;
  std::ifstream in(file.path(), std::ios::binary);
  result.out.assign(std::istreambuf_iterator<char>(in), {});
  result.status = status ? *status : static_cast<int>(status.error().status);
  if (!status) result.error = status.error().message;
  return result;
}

}  // namespace rondo::test
