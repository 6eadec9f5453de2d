// SPDX-License-Identifier: Apache-2.0
#include "fake_execute_support.h"

#include <cstring>

namespace fake_test {

std::uint32_t MappedBuffer::word(std::size_t i) const {
  std::uint32_t value;
  std::memcpy(&value, bytes + i * sizeof value, sizeof value);
  return value;
}

// The declarations of a shader with one block a binding; `read_only` has bits of bindings.
std::vector<std::uint32_t> shader(std::uint32_t bindings, std::uint32_t read_only, std::uint32_t salt) {
  constexpr std::uint32_t kStruct = 1, kPointer = 2, kReadStruct = 3, kReadPointer = 4, kFirst = 10;
  std::vector<std::uint32_t> words = {0x07230203, 0x00010000, salt, 100, 0};
  const auto op = [&words](std::uint32_t code, std::vector<std::uint32_t> operands) {
    words.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | code);
    words.insert(words.end(), operands.begin(), operands.end());
  };
  for (std::uint32_t b = 0; b < bindings; ++b) {
    op(71, {kFirst + b, 34, 0});
    op(71, {kFirst + b, 33, b});
  }
  op(72, {kReadStruct, 0, 24});
  op(30, {kStruct, 99});
  op(30, {kReadStruct, 99});
  op(32, {kPointer, 12, kStruct});
  op(32, {kReadPointer, 12, kReadStruct});
  for (std::uint32_t b = 0; b < bindings; ++b)
    op(59, {(read_only >> b & 1) != 0 ? kReadPointer : kPointer, kFirst + b, 12});
  return words;
}

void FakeDevice::start(const fake::Settings& settings) {
  if (device != VK_NULL_HANDLE) end();
  fake::reset(settings);
  rondo::load_global(vk, fake::get_instance_proc_addr);
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo instance_info{};
  instance_info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  instance_info.pApplicationInfo = &application;
  instance_info.enabledExtensionCount = static_cast<std::uint32_t>(instance_extensions.size());
  instance_info.ppEnabledExtensionNames = instance_extensions.data();
  ASSERT_EQ(vk.vkCreateInstance(&instance_info, nullptr, &instance), VK_SUCCESS);
  rondo::load_instance(vk, fake::get_instance_proc_addr, instance);
  std::uint32_t one = 1;
  ASSERT_EQ(vk.vkEnumeratePhysicalDevices(instance, &one, &physical), VK_SUCCESS);

  const float priorities[2] = {1, 1};
  const std::uint32_t counts[] = {2, 2, 1};
  std::vector<VkDeviceQueueCreateInfo> families;
  for (std::uint32_t family = 0; family < 3; ++family) {
    VkDeviceQueueCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    info.queueFamilyIndex = family;
    info.queueCount = counts[family];
    info.pQueuePriorities = priorities;
    families.push_back(info);
  }
  VkPhysicalDeviceVulkan13Features features13{};
  features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  features13.dynamicRendering = features13.synchronization2 = VK_TRUE;
  VkPhysicalDeviceVulkan12Features features12{};
  features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features12.pNext = &features13;
  features12.timelineSemaphore = features12.hostQueryReset = features12.drawIndirectCount = VK_TRUE;
  VkPhysicalDeviceFeatures features{};
  features.pipelineStatisticsQuery = VK_TRUE;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features12;
  info.queueCreateInfoCount = static_cast<std::uint32_t>(families.size());
  info.pQueueCreateInfos = families.data();
  info.pEnabledFeatures = &features;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  ASSERT_EQ(vk.vkCreateDevice(physical, &info, nullptr, &device), VK_SUCCESS);
  rondo::load_device(vk, vk.vkGetDeviceProcAddr, device);
  for (std::uint32_t family = 0; family < 3; ++family)
    for (std::uint32_t i = 0; i < counts[family]; ++i) vk.vkGetDeviceQueue(device, family, i, &queues.emplace_back());

  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  ASSERT_EQ(vk.vkCreateCommandPool(device, &pool_info, nullptr, &pool), VK_SUCCESS);
}

void FakeDevice::end() {
  vk.vkDestroyDevice(device, nullptr);
  vk.vkDestroyInstance(instance, nullptr);
  device = VK_NULL_HANDLE;
  queues.clear();
}

void FakeDevice::TearDown() {
  if (device != VK_NULL_HANDLE) {
    vk.vkDeviceWaitIdle(device);
    end();
  }
  for (const fake::Violation& v : fake::violations()) ADD_FAILURE() << v.command << ": " << v.what;
  fake::clear_violations();
}

std::string FakeDevice::take_violation() {
  const auto all = fake::violations();
  fake::clear_violations();
  return all.empty() ? std::string() : all[0].what;
}

void FakeDevice::expect_violation(const std::string& part) {
  const std::string found = take_violation();
  EXPECT_NE(found.find(part), std::string::npos) << "'" << found << "' does not say '" << part << "'";
}

VkDeviceMemory FakeDevice::allocate(const VkMemoryRequirements& needs) {
  constexpr VkMemoryPropertyFlags kWanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties properties;
  vk.vkGetPhysicalDeviceMemoryProperties(physical, &properties);
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = needs.size;
  for (std::uint32_t i = 0; i < properties.memoryTypeCount; ++i) {
    if ((needs.memoryTypeBits & 1u << i) == 0) continue;
    info.memoryTypeIndex = i;
    if ((properties.memoryTypes[i].propertyFlags & kWanted) == kWanted) break;
  }
  VkDeviceMemory memory = VK_NULL_HANDLE;
  EXPECT_EQ(vk.vkAllocateMemory(device, &info, nullptr, &memory), VK_SUCCESS);
  return memory;
}

MappedBuffer FakeDevice::make_buffer(VkDeviceSize size, VkBufferUsageFlags usage, VkSharingMode sharing) {
  MappedBuffer made;
  made.size = size;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = usage;
  info.sharingMode = sharing;
  constexpr std::uint32_t families[3] = {0, 1, 2};
  if (sharing == VK_SHARING_MODE_CONCURRENT) info.queueFamilyIndexCount = 3;
  info.pQueueFamilyIndices = families;
  EXPECT_EQ(vk.vkCreateBuffer(device, &info, nullptr, &made.buffer), VK_SUCCESS);
  VkMemoryRequirements needs;
  vk.vkGetBufferMemoryRequirements(device, made.buffer, &needs);
  const VkDeviceMemory memory = allocate(needs);
  EXPECT_EQ(vk.vkBindBufferMemory(device, made.buffer, memory, 0), VK_SUCCESS);
  void* mapped = nullptr;
  EXPECT_EQ(vk.vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
  made.bytes = static_cast<std::uint8_t*>(mapped);
  std::memset(made.bytes, 0, size);
  return made;
}

VkImage FakeDevice::make_image(VkFormat format, VkExtent3D extent, std::uint32_t layers, std::uint32_t levels,
                               VkImageType type, VkSampleCountFlagBits samples) {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = type;
  info.format = format;
  info.extent = extent;
  info.mipLevels = levels;
  info.arrayLayers = layers;
  info.samples = samples;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  if (type == VK_IMAGE_TYPE_2D && format == VK_FORMAT_R8G8B8A8_UNORM) info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  if (format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D24_UNORM_S8_UINT)
    info.usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  VkImage image = VK_NULL_HANDLE;
  EXPECT_EQ(vk.vkCreateImage(device, &info, nullptr, &image), VK_SUCCESS);
  VkMemoryRequirements needs;
  vk.vkGetImageMemoryRequirements(device, image, &needs);
  EXPECT_EQ(vk.vkBindImageMemory(device, image, allocate(needs), 0), VK_SUCCESS);
  return image;
}

VkImageView FakeDevice::make_view(VkImage image, VkFormat format, VkImageAspectFlags aspects) {
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image;
  info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  info.format = format;
  info.subresourceRange = {aspects, 0, 1, 0, 1};
  VkImageView view = VK_NULL_HANDLE;
  EXPECT_EQ(vk.vkCreateImageView(device, &info, nullptr, &view), VK_SUCCESS);
  return view;
}

VkShaderModule FakeDevice::make_shader(const std::vector<std::uint32_t>& code) {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = code.size() * 4;
  info.pCode = code.data();
  VkShaderModule made = VK_NULL_HANDLE;
  EXPECT_EQ(vk.vkCreateShaderModule(device, &info, nullptr, &made), VK_SUCCESS);
  return made;
}

VkFence FakeDevice::make_fence(VkFenceCreateFlags flags) {
  const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, flags};
  VkFence fence = VK_NULL_HANDLE;
  EXPECT_EQ(vk.vkCreateFence(device, &info, nullptr, &fence), VK_SUCCESS);
  return fence;
}

VkSemaphore FakeDevice::make_semaphore() {
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, nullptr, 0};
  VkSemaphore semaphore = VK_NULL_HANDLE;
  EXPECT_EQ(vk.vkCreateSemaphore(device, &info, nullptr, &semaphore), VK_SUCCESS);
  return semaphore;
}

VkSemaphore FakeDevice::make_timeline(std::uint64_t value) {
  const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                       VK_SEMAPHORE_TYPE_TIMELINE, value};
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  VkSemaphore semaphore = VK_NULL_HANDLE;
  EXPECT_EQ(vk.vkCreateSemaphore(device, &info, nullptr, &semaphore), VK_SUCCESS);
  return semaphore;
}

VkEvent FakeDevice::make_event() {
  const VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, nullptr, 0};
  VkEvent event = VK_NULL_HANDLE;
  EXPECT_EQ(vk.vkCreateEvent(device, &info, nullptr, &event), VK_SUCCESS);
  return event;
}

VkQueryPool FakeDevice::make_queries(VkQueryType type, std::uint32_t count, VkQueryPipelineStatisticFlags statistics) {
  const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, type, count, statistics};
  VkQueryPool made = VK_NULL_HANDLE;
  EXPECT_EQ(vk.vkCreateQueryPool(device, &info, nullptr, &made), VK_SUCCESS);
  return made;
}

VkCommandBuffer FakeDevice::allocate(VkCommandBufferLevel level) {
  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool, level, 1};
  VkCommandBuffer buffer = VK_NULL_HANDLE;
  EXPECT_EQ(vk.vkAllocateCommandBuffers(device, &info, &buffer), VK_SUCCESS);
  return buffer;
}

VkCommandBuffer FakeDevice::record(const Commands& commands, VkCommandBufferUsageFlags usage) {
  const VkCommandBuffer buffer = allocate();
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, usage, nullptr};
  EXPECT_EQ(vk.vkBeginCommandBuffer(buffer, &begin), VK_SUCCESS);
  commands(buffer);
  EXPECT_EQ(vk.vkEndCommandBuffer(buffer), VK_SUCCESS);
  return buffer;
}

void FakeDevice::submit(VkQueue queue, const Batch& batch, VkFence fence) {
  const std::vector<VkPipelineStageFlags> stages(batch.waits.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  std::vector<std::uint64_t> wait_values = batch.wait_values, signal_values = batch.signal_values;
  wait_values.resize(batch.waits.size());
  signal_values.resize(batch.signals.size());
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = static_cast<std::uint32_t>(wait_values.size());
  values.pWaitSemaphoreValues = wait_values.data();
  values.signalSemaphoreValueCount = static_cast<std::uint32_t>(signal_values.size());
  values.pSignalSemaphoreValues = signal_values.data();
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = static_cast<std::uint32_t>(batch.waits.size());
  info.pWaitSemaphores = batch.waits.data();
  info.pWaitDstStageMask = stages.data();
  info.commandBufferCount = static_cast<std::uint32_t>(batch.buffers.size());
  info.pCommandBuffers = batch.buffers.data();
  info.signalSemaphoreCount = static_cast<std::uint32_t>(batch.signals.size());
  info.pSignalSemaphores = batch.signals.data();
  EXPECT_EQ(vk.vkQueueSubmit(queue, 1, &info, fence), VK_SUCCESS);
}

void FakeDevice::run(const Commands& commands) {
  const VkFence fence = make_fence();
  submit(queues[0], {.buffers = {record(commands)}}, fence);
  EXPECT_EQ(vk.vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
  vk.vkDestroyFence(device, fence, nullptr);
}

}  // namespace fake_test
