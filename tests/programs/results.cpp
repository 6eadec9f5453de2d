// SPDX-License-Identifier: Apache-2.0
// Every answer that is neither success nor the end: VK_INCOMPLETE from lists
// with too little room, VK_TIMEOUT, VK_NOT_READY, VK_EVENT_SET and _RESET,
// VK_ERROR_OUT_OF_POOL_MEMORY (of a driver that counts), creations that fail (on
// a driver that fails some) and are tried again.
//   results [--fails 1]   the driver is known to fail some creations
//           [--full 1]    … and to say when a pool is full
#include "objects.h"
#include "shift.h"

using namespace program;

namespace {

void expect(VkResult result, VkResult expected, const char* what) {
  if (result != expected) die(what, result);
}

// A list with room for one element less than there are, twice: once with the
// right room before and after.
void lists(const Context& c) {
  std::uint32_t count = 0;
  CHECK(vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr));
  std::vector<VkExtensionProperties> extensions(count);
  const std::uint32_t instance_extensions = --count;
  expect(vkEnumerateInstanceExtensionProperties(nullptr, &count, extensions.data()), VK_INCOMPLETE,
         "instance extensions");
  if (count != instance_extensions) die("instance extensions", count);

  CHECK(vkEnumerateDeviceExtensionProperties(c.physical, nullptr, &count, nullptr));
  extensions.resize(count);
  --count;
  expect(vkEnumerateDeviceExtensionProperties(c.physical, nullptr, &count, extensions.data()), VK_INCOMPLETE,
         "device extensions");
  if (extensions[0].extensionName[0] == 0) die("an extension without a name", 0);

  count = 0;
  VkPhysicalDevice device;
  expect(vkEnumeratePhysicalDevices(c.instance, &count, &device), VK_INCOMPLETE, "no room for a device");
  if (count != 0) die("devices written without room", count);
  count = 0;
  VkPhysicalDeviceGroupProperties group{};
  group.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES;
  expect(vkEnumeratePhysicalDeviceGroups(c.instance, &count, &group), VK_INCOMPLETE, "no room for a group");

  // These have no result to say it with.
  count = 0;
  VkQueueFamilyProperties family{};
  vkGetPhysicalDeviceQueueFamilyProperties(c.physical, &count, &family);
  if (count != 0) die("queue families written without room", count);
}

void caches(const Context& c) {
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  VkPipelineCache cache;
  CHECK(vkCreatePipelineCache(c.device, &info, nullptr, &cache));
  std::size_t size = 4;
  char data[4];
  expect(vkGetPipelineCacheData(c.device, cache, &size, data), VK_INCOMPLETE, "room for a part of a cache");
  CHECK(vkGetPipelineCacheData(c.device, cache, &size, nullptr));
  vkDestroyPipelineCache(c.device, cache, nullptr);
}

// Sets for which their pool has no room, by their number or by their
// descriptors: no handle is written, and what was there is as it was.
void full_pools(const Context& c, bool counts) {
  const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, VK_SHADER_STAGE_COMPUTE_BIT,
                                             nullptr};
  VkDescriptorSetLayoutCreateInfo layout_info{};
  layout_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  layout_info.bindingCount = 1;
  layout_info.pBindings = &binding;
  VkDescriptorSetLayout layout;
  CHECK(vkCreateDescriptorSetLayout(c.device, &layout_info, nullptr, &layout));
  const VkDescriptorSetLayout layouts[3] = {layout, layout, layout};
  for (const bool by_number : {true, false}) {
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, by_number ? 8u : 4u};
    VkDescriptorPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    info.flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT;
    info.maxSets = by_number ? 2 : 4;
    info.poolSizeCount = 1;
    info.pPoolSizes = &size;
    VkDescriptorPool pool;
    CHECK(vkCreateDescriptorPool(c.device, &info, nullptr, &pool));
    VkDescriptorSetAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocation.descriptorPool = pool;
    allocation.pSetLayouts = layouts;
    const auto allocate = [&](std::uint32_t count, VkDescriptorSet* sets) {
      allocation.descriptorSetCount = count;
      return vkAllocateDescriptorSets(c.device, &allocation, sets);
    };
    const auto no_room = [&](std::uint32_t count, VkDescriptorSet* sets) {
      if (!counts) return;
      expect(allocate(count, sets), VK_ERROR_OUT_OF_POOL_MEMORY, "sets of a pool without room");
      for (std::uint32_t i = 0; i < count; ++i)
        if (sets[i] != VK_NULL_HANDLE) die("a set of a pool without room", i);
    };
    VkDescriptorSet sets[3];
    no_room(3, sets);  // too many at once: none
    CHECK(allocate(2, sets));
    no_room(1, sets + 2);
    CHECK(vkFreeDescriptorSets(c.device, pool, 1, sets));
    VkDescriptorSet more[2];
    no_room(2, more);  // one would fit
    CHECK(allocate(1, sets));
    no_room(1, sets + 2);
    vkDestroyDescriptorPool(c.device, pool, nullptr);
  }
  vkDestroyDescriptorSetLayout(c.device, layout, nullptr);
}

// The work that everything waits for waits for the host.
void not_yet(const Context& c, const Commands& commands, const Shift& shift) {
  VkEvent gate = create_event(c);
  VkQueryPoolCreateInfo info{};  // not asked while work is pending: some drivers wait for it, then
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_OCCLUSION;
  info.queryCount = 1;
  VkQueryPool queries;
  CHECK(vkCreateQueryPool(c.device, &info, nullptr, &queries));
  run_once(c, commands, [&](VkCommandBuffer b) { vkCmdResetQueryPool(b, queries, 0, 1); });
  std::uint64_t value[2] = {99, 99};
  expect(
      vkGetQueryPoolResults(c.device, queries, 0, 1, sizeof value[0], value, sizeof value[0], VK_QUERY_RESULT_64_BIT),
      VK_NOT_READY, "a query that nobody has begun");
  expect(vkGetQueryPoolResults(c.device, queries, 0, 1, sizeof value, value, sizeof value,
                               VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
         VK_NOT_READY, "and its availability");
  if (value[1] != 0) die("a query is available too early", 1);

  begin(commands);
  const VkMemoryBarrier none{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, 0, 0};
  vkCmdWaitEvents(commands.buffer, 1, &gate, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 1, &none, 0,
                  nullptr, 0, nullptr);
  vkCmdBeginQuery(commands.buffer, queries, 0, 0);
  vkCmdEndQuery(commands.buffer, queries, 0);
  record_shift(shift, commands.buffer);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands);
  for (int i = 0; i < 3; ++i) {
    expect(vkGetEventStatus(c.device, gate), VK_EVENT_RESET, "an event");
    expect(vkGetFenceStatus(c.device, commands.done), VK_NOT_READY, "a fence");
    expect(vkWaitForFences(c.device, 1, &commands.done, VK_TRUE, 0), VK_TIMEOUT, "a wait without time");
    expect(vkWaitForFences(c.device, 1, &commands.done, VK_TRUE, 10000), VK_TIMEOUT, "a wait of 10 us");
  }
  CHECK(vkSetEvent(c.device, gate));
  wait(c, commands);
  expect(vkGetEventStatus(c.device, gate), VK_EVENT_SET, "an event that was set");
  CHECK(vkGetQueryPoolResults(c.device, queries, 0, 1, sizeof value[0], value, sizeof value[0],
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
  if (value[0] != 0) die("nothing was drawn", static_cast<long>(value[0]));
  vkDestroyQueryPool(c.device, queries, nullptr);
  vkDestroyEvent(c.device, gate, nullptr);
}

// Tries until it works. How often it did not is the driver's business.
std::uint32_t failures(const Context& c, const Shift& shift, const Commands& commands) {
  std::uint32_t failed = 0;
  for (std::uint32_t i = 0; i < 32; ++i) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = 256;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    const VkResult created = vkCreateBuffer(c.device, &info, nullptr, &buffer);
    if (created != VK_SUCCESS) {
      if (created > 0) die("vkCreateBuffer", created);
      ++failed;
      continue;
    }
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(c.device, buffer, &needs);
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = memory_type(c, needs.memoryTypeBits, 0);
    VkDeviceMemory memory = VK_NULL_HANDLE;
    if (vkAllocateMemory(c.device, &allocation, nullptr, &memory) == VK_SUCCESS) {
      CHECK(vkBindBufferMemory(c.device, buffer, memory, 0));
      run_once(c, commands, [&](VkCommandBuffer b) {
        vkCmdFillBuffer(b, buffer, 0, VK_WHOLE_SIZE, i);
        record_shift(shift, b);
      });
    } else {
      ++failed;
      run_once(c, commands, [&](VkCommandBuffer b) { record_shift(shift, b); });
    }
    vkDestroyBuffer(c.device, buffer, nullptr);
    vkFreeMemory(c.device, memory, nullptr);
  }
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  Context c = create_context("results");
  Commands commands = create_commands(c);
  Shift shift = create_shift(c);
  lists(c);
  caches(c);
  full_pools(c, option(argc, argv, "--full", 0) != 0);
  not_yet(c, commands, shift);
  not_yet(c, commands, shift);
  const std::uint32_t failed = failures(c, shift, commands);
  if ((failed != 0) != (option(argc, argv, "--fails", 0) != 0)) die("creations that failed", failed);
  std::printf("results: %u failed, checksum %016llx\n", failed,
              static_cast<unsigned long long>(checksum(shift.words.words, kShiftWords)));
  destroy(c, shift);
  destroy(c, commands);
  destroy(c);
  return 0;
}
