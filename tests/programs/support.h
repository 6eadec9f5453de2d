// SPDX-License-Identifier: Apache-2.0
// What the tiny programs share: an instance, a device with one queue, memory
// that stays mapped. Plain functions, no ownership: a program that wants to
// leak just does not call destroy(). Any error ends the program with status 1.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace program {

// For main() to return where the device or the build lacks what the program shows.
inline int cannot_run(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  return 77;
}

[[noreturn]] inline void die(const char* what, long code) {
  std::fprintf(stderr, "%s: %ld\n", what, code);
  std::exit(1);
}

inline void check(VkResult result, const char* call) {
  if (result != VK_SUCCESS) die(call, result);
}
#define CHECK(call) ::program::check((call), #call)

// TEST_UNCHECKED=1: the driver runs no shaders (tests/icd), so their results are
// another's. The program goes on as if they were right.
inline bool unchecked() {
  static const bool is = std::getenv("TEST_UNCHECKED") != nullptr;
  return is;
}

constexpr std::uint32_t kVersion14 = VK_MAKE_API_VERSION(0, 1, 4, 0);

// TEST_CORE=1.4: what Vulkan 1.4 has in its core is called by the core's names, without the
// extensions that it came from.
inline bool by_core_of_1_4() {
#ifdef VK_VERSION_1_4
  static const bool is = std::getenv("TEST_CORE") != nullptr;
  return is;
#else
  if (std::getenv("TEST_CORE") == nullptr) return false;
  std::exit(cannot_run("the headers that it was built with do not have Vulkan 1.4"));
#endif
}

inline void version_or_leave(VkPhysicalDevice physical) {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(physical, &properties);
  if (properties.apiVersion < kVersion14) std::exit(cannot_run("this device lacks Vulkan 1.4"));
}

// Of extensions, those that such a device does not have in its core.
inline std::vector<const char*> not_in_core_of_1_4(const std::vector<const char*>& extensions) {
  constexpr std::string_view promoted[] = {"VK_EXT_host_image_copy",
                                           "VK_EXT_pipeline_protected_access",
                                           "VK_EXT_pipeline_robustness",
                                           "VK_KHR_dynamic_rendering_local_read",
                                           "VK_KHR_global_priority",
                                           "VK_KHR_index_type_uint8",
                                           "VK_KHR_line_rasterization",
                                           "VK_KHR_load_store_op_none",
                                           "VK_KHR_maintenance5",
                                           "VK_KHR_maintenance6",
                                           "VK_KHR_map_memory2",
                                           "VK_KHR_push_descriptor",
                                           "VK_KHR_shader_expect_assume",
                                           "VK_KHR_shader_float_controls2",
                                           "VK_KHR_shader_subgroup_rotate",
                                           "VK_KHR_vertex_attribute_divisor"};
  std::vector<const char*> left;
  for (const char* name : extensions)
    if (std::find(std::begin(promoted), std::end(promoted), name) == std::end(promoted)) left.push_back(name);
  return left;
}

// A shader's result is not what it should be.
inline void wrong(const char* what, long code) {
  if (!unchecked()) die(what, code);
}

struct Context {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  std::uint32_t family = 0;
  std::vector<VkQueue> queues;  // of `family`: as many as asked for, if it has them
};

// What a program asks of its device, beyond one queue of Vulkan 1.1.
struct Wanted {
  std::uint32_t queues = 1;                        // of the first family that does graphics and compute
  std::uint32_t api_version = VK_API_VERSION_1_1;  // 0: the program says nothing about itself
  const void* features = nullptr;                  // the device's pNext
  std::vector<const char*> extensions = {};
  std::vector<const char*> instance_extensions = {};
};

inline VkInstance create_instance(const char* name, std::uint32_t api_version,
                                  const std::vector<const char*>& extensions = {}) {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = name;
  application.pEngineName = "rondo-tests";
  application.apiVersion = api_version;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = api_version != 0 ? &application : nullptr;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkInstance instance;
  const VkResult created = vkCreateInstance(&info, nullptr, &instance);
  if (created == VK_ERROR_INCOMPATIBLE_DRIVER && api_version >= kVersion14)
    std::exit(cannot_run("this driver makes no instance of Vulkan 1.4"));
  CHECK(created);
  return instance;
}

inline std::vector<VkQueueFamilyProperties> queue_families(VkPhysicalDevice physical) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  return families;
}

// A device of an instance that there is: the first one's first queue family
// that does graphics and compute.
inline Context create_device(VkInstance instance, const Wanted& wanted) {
  Context c;
  c.instance = instance;
  std::uint32_t count = 1;
  VkResult enumerated = vkEnumeratePhysicalDevices(c.instance, &count, &c.physical);
  if (enumerated < 0 || count == 0) die("vkEnumeratePhysicalDevices", enumerated);
  std::vector<const char*> extensions = wanted.extensions;
  if (by_core_of_1_4()) {
    version_or_leave(c.physical);
    extensions = not_in_core_of_1_4(extensions);
  }

  const std::vector<VkQueueFamilyProperties> families = queue_families(c.physical);
  constexpr VkQueueFlags both = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  while (c.family < families.size() && (families[c.family].queueFlags & both) != both) ++c.family;
  if (c.family == families.size()) die("no queue family with graphics and compute", c.family);

  std::uint32_t queue_count = families[c.family].queueCount;
  if (queue_count > wanted.queues) queue_count = wanted.queues;
  const std::vector<float> priorities(queue_count, 1.0f);
  VkDeviceQueueCreateInfo queues{};
  queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queues.queueFamilyIndex = c.family;
  queues.queueCount = queue_count;
  queues.pQueuePriorities = priorities.data();
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = wanted.features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queues;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const VkResult created = vkCreateDevice(c.physical, &info, nullptr, &c.device);
  if (created == VK_ERROR_EXTENSION_NOT_PRESENT || created == VK_ERROR_FEATURE_NOT_PRESENT)
    std::exit(cannot_run("this device lacks an extension or a feature that it shows"));
  CHECK(created);
  c.queues.resize(queue_count);
  for (std::uint32_t i = 0; i < queue_count; ++i) vkGetDeviceQueue(c.device, c.family, i, &c.queues[i]);
  return c;
}

inline Context create_context(const char* name, const Wanted& wanted) {
  return create_device(create_instance(name, wanted.api_version, wanted.instance_extensions), wanted);
}

inline Context create_context(const char* name, std::uint32_t wanted_queues = 1,
                              std::uint32_t api_version = VK_API_VERSION_1_1) {
  Wanted wanted;
  wanted.queues = wanted_queues;
  wanted.api_version = api_version;
  return create_context(name, wanted);
}

inline void destroy(Context& c) {
  vkDestroyDevice(c.device, nullptr);
  vkDestroyInstance(c.instance, nullptr);
}

inline std::uint32_t memory_type(const Context& c, std::uint32_t allowed, VkMemoryPropertyFlags wanted) {
  VkPhysicalDeviceMemoryProperties properties;
  vkGetPhysicalDeviceMemoryProperties(c.physical, &properties);
  for (std::uint32_t i = 0; i < properties.memoryTypeCount; ++i)
    if ((allowed & (1u << i)) != 0 && (properties.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  die("no memory type with these properties", static_cast<long>(wanted));
}

inline VkDeviceMemory allocate(const Context& c, const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted) {
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = needs.size;
  info.memoryTypeIndex = memory_type(c, needs.memoryTypeBits, wanted);
  VkDeviceMemory memory;
  CHECK(vkAllocateMemory(c.device, &info, nullptr, &memory));
  return memory;
}

// A buffer in coherent memory that is mapped once, for as long as it lives.
struct MappedBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize bytes = 0;
  std::uint32_t* words = nullptr;
};

// `families`: those whose queues use it at the same time, if more than one.
inline MappedBuffer create_mapped_buffer(const Context& c, VkDeviceSize bytes, VkBufferUsageFlags usage,
                                         const std::vector<std::uint32_t>& families = {}) {
  MappedBuffer b;
  b.bytes = bytes;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = usage;
  info.sharingMode = families.size() > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE;
  info.queueFamilyIndexCount = static_cast<std::uint32_t>(families.size());
  info.pQueueFamilyIndices = families.data();
  CHECK(vkCreateBuffer(c.device, &info, nullptr, &b.buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(c.device, b.buffer, &needs);
  b.memory = allocate(c, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  CHECK(vkBindBufferMemory(c.device, b.buffer, b.memory, 0));
  void* mapped = nullptr;
  CHECK(vkMapMemory(c.device, b.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  b.words = static_cast<std::uint32_t*>(mapped);
  return b;
}

inline void destroy(const Context& c, MappedBuffer& b) {
  vkUnmapMemory(c.device, b.memory);
  vkDestroyBuffer(c.device, b.buffer, nullptr);
  vkFreeMemory(c.device, b.memory, nullptr);
}

// A command buffer with its pool and the fence that its submits signal: one a thread.
struct Commands {
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer buffer = VK_NULL_HANDLE;
  VkFence done = VK_NULL_HANDLE;
};

inline VkCommandPool create_command_pool(const Context& c, VkCommandPoolCreateFlags flags, std::uint32_t family) {
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.flags = flags;
  info.queueFamilyIndex = family;
  VkCommandPool pool;
  CHECK(vkCreateCommandPool(c.device, &info, nullptr, &pool));
  return pool;
}

inline VkCommandBuffer allocate_command_buffer(const Context& c, VkCommandPool pool) {
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer buffer;
  CHECK(vkAllocateCommandBuffers(c.device, &info, &buffer));
  return buffer;
}

inline VkFence create_fence(const Context& c, VkFenceCreateFlags flags = 0) {
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  info.flags = flags;
  VkFence fence;
  CHECK(vkCreateFence(c.device, &info, nullptr, &fence));
  return fence;
}

inline Commands create_commands(const Context& c, std::uint32_t family) {
  Commands out;
  out.pool = create_command_pool(c, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, family);
  out.buffer = allocate_command_buffer(c, out.pool);
  out.done = create_fence(c);
  return out;
}

inline Commands create_commands(const Context& c) { return create_commands(c, c.family); }

inline void destroy(const Context& c, Commands& commands) {
  vkDestroyFence(c.device, commands.done, nullptr);
  vkDestroyCommandPool(c.device, commands.pool, nullptr);
}

inline void begin(VkCommandBuffer buffer, VkCommandBufferUsageFlags usage) {
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = usage;
  CHECK(vkBeginCommandBuffer(buffer, &info));
}

inline void begin(const Commands& commands) { begin(commands.buffer, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT); }

// Orders everything that transfers wrote before what comes next in `next`.
inline void transfer_barrier(VkCommandBuffer buffer, VkPipelineStageFlags next, VkAccessFlags access) {
  VkMemoryBarrier written{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT, access};
  vkCmdPipelineBarrier(buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, next, 0, 1, &written, 0, nullptr, 0, nullptr);
}

// Lets the host read what transfers wrote.
inline void transfers_to_host(VkCommandBuffer buffer) {
  transfer_barrier(buffer, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

inline void submit(VkQueue queue, VkCommandBuffer buffer, VkFence done) {
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &buffer;
  CHECK(vkQueueSubmit(queue, 1, &info, done));
}

inline void submit(VkQueue queue, const Commands& commands) { submit(queue, commands.buffer, commands.done); }

inline void wait(const Context& c, const Commands& commands) {
  CHECK(vkWaitForFences(c.device, 1, &commands.done, VK_TRUE, UINT64_MAX));
  CHECK(vkResetFences(c.device, 1, &commands.done));
}

// Records one command buffer by `record(VkCommandBuffer)`, submits it to the first queue and waits.
template <class Record>
void run_once(const Context& c, const Commands& commands, const Record& record) {
  begin(commands);
  record(commands.buffer);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands);
  wait(c, commands);
}

inline VkShaderModule create_shader(const Context& c, const std::uint32_t* code, std::size_t bytes) {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = bytes;
  info.pCode = code;
  VkShaderModule module;
  CHECK(vkCreateShaderModule(c.device, &info, nullptr, &module));
  return module;
}

// The number behind `name` on the command line, or `otherwise`.
inline std::uint32_t option(int argc, char** argv, const char* name, std::uint32_t otherwise) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], name) == 0) return static_cast<std::uint32_t>(std::strtoul(argv[i + 1], nullptr, 10));
  return otherwise;
}

// A word that is different for every pair.
inline std::uint32_t mix(std::uint32_t a, std::uint32_t b) { return (a + 1) * 2654435761u ^ (b + 1) * 40503u; }

// FNV-1a over words: what the programs print, so that runs can be compared.
inline std::uint64_t checksum(const std::uint32_t* words, std::size_t count) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ words[i]) * 0x100000001b3u;
  return hash;
}

}  // namespace program
