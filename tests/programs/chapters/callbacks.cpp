// SPDX-License-Identifier: Apache-2.0
// Chapter "Fundamentals" and "Memory Allocation", host memory: every object of the
// program is made and destroyed with callbacks of its own, which count, and
// everything that was taken has been given back at the end.
#include <atomic>

#include "count.comp.h"
#include "words.h"

using namespace program;

namespace {

struct Heap {
  std::atomic<int> alive{0};
  std::atomic<int> taken{0};
};

// Each block begins with its size.
constexpr std::size_t kHead = 64;

void* take(void* user, std::size_t size, std::size_t alignment, VkSystemAllocationScope) {
  const std::size_t whole = (size + kHead + 63) / 64 * 64;
  auto* block = static_cast<unsigned char*>(std::aligned_alloc(alignment > 64 ? alignment : 64, whole));
  if (block == nullptr || alignment > kHead) return nullptr;
  std::memcpy(block, &size, sizeof size);
  auto* heap = static_cast<Heap*>(user);
  ++heap->alive;
  ++heap->taken;
  return block + kHead;
}

void give(void* user, void* memory) {
  if (memory == nullptr) return;
  --static_cast<Heap*>(user)->alive;
  std::free(static_cast<unsigned char*>(memory) - kHead);
}

void* retake(void* user, void* memory, std::size_t size, std::size_t alignment, VkSystemAllocationScope scope) {
  void* fresh = size == 0 ? nullptr : take(user, size, alignment, scope);
  std::size_t before = 0;
  if (memory != nullptr) std::memcpy(&before, static_cast<unsigned char*>(memory) - kHead, sizeof before);
  if (memory != nullptr && fresh != nullptr) std::memcpy(fresh, memory, before < size ? before : size);
  if (size == 0 || fresh != nullptr) give(user, memory);
  return fresh;
}

void told(void*, std::size_t, VkInternalAllocationType, VkSystemAllocationScope) {}

template <class Object, class Create, class Info>
Object make(const Context& c, Create create, const Info& info, const VkAllocationCallbacks& by) {
  Object object = VK_NULL_HANDLE;
  CHECK(create(c.device, &info, &by, &object));
  return object;
}

Context create_device_of(const VkAllocationCallbacks& by) {
  Context c;
  const VkApplicationInfo application{
      VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr, "callbacks", 1, "rondo-tests", 1, VK_API_VERSION_1_3};
  const VkInstanceCreateInfo instance{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                      .pApplicationInfo = &application};
  CHECK(vkCreateInstance(&instance, &by, &c.instance));
  std::uint32_t count = 1;
  if (vkEnumeratePhysicalDevices(c.instance, &count, &c.physical) < 0) die("no device", 0);
  const float priority = 0.5f;
  const VkDeviceQueueCreateInfo queue{
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  const VkDeviceCreateInfo device{
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
  CHECK(vkCreateDevice(c.physical, &device, &by, &c.device));
  c.queues.resize(1);
  vkGetDeviceQueue(c.device, 0, 0, &c.queues[0]);
  return c;
}

std::uint64_t work(const Context& c, const VkAllocationCallbacks& by) {
  const auto pool = make<VkCommandPool>(
      c, vkCreateCommandPool, VkCommandPoolCreateInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, c.family},
      by);
  const auto fence = make<VkFence>(c, vkCreateFence, VkFenceCreateInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, by);
  const auto semaphore =
      make<VkSemaphore>(c, vkCreateSemaphore, VkSemaphoreCreateInfo{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO}, by);
  const auto event = make<VkEvent>(c, vkCreateEvent, VkEventCreateInfo{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO}, by);
  const auto buffer = make<VkBuffer>(
      c, vkCreateBuffer,
      VkBufferCreateInfo{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 512, .usage = kStorage}, by);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(c.device, buffer, &needs);
  const VkMemoryAllocateInfo allocation{
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size,
      memory_type(c, needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
  const auto memory = make<VkDeviceMemory>(c, vkAllocateMemory, allocation, by);
  CHECK(vkBindBufferMemory(c.device, buffer, memory, 0));
  const VkDescriptorSetLayoutBinding bindings[2] = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kCompute, nullptr},
                                                    {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kCompute, nullptr}};
  const auto set_layout = make<VkDescriptorSetLayout>(
      c, vkCreateDescriptorSetLayout,
      VkDescriptorSetLayoutCreateInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 2, bindings},
      by);
  const VkPushConstantRange range{kCompute, 0, 16};
  const auto layout = make<VkPipelineLayout>(
      c, vkCreatePipelineLayout,
      VkPipelineLayoutCreateInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 1, &set_layout, 1, &range},
      by);
  const auto module = make<VkShaderModule>(c, vkCreateShaderModule,
                                           VkShaderModuleCreateInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                                    nullptr, 0, sizeof count_comp_spv, count_comp_spv},
                                           by);
  const auto cache = make<VkPipelineCache>(c, vkCreatePipelineCache,
                                           VkPipelineCacheCreateInfo{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO}, by);
  const VkComputePipelineCreateInfo pipeline_info{
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, VK_SHADER_STAGE_COMPUTE_BIT, module,
                "main", nullptr},
      .layout = layout};
  VkPipeline pipeline;
  CHECK(vkCreateComputePipelines(c.device, cache, 1, &pipeline_info, &by, &pipeline));
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
  const auto sets = make<VkDescriptorPool>(
      c, vkCreateDescriptorPool,
      VkDescriptorPoolCreateInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, nullptr, 0, 1, 1, &size}, by);
  const VkDescriptorSetAllocateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, sets, 1,
                                             &set_layout};
  VkDescriptorSet set;
  CHECK(vkAllocateDescriptorSets(c.device, &set_info, &set));
  const VkDescriptorBufferInfo halves[2] = {{buffer, 0, 256}, {buffer, 256, 256}};
  const VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set,    0,      0, 2,
                                   VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,      nullptr, halves, nullptr};
  vkUpdateDescriptorSets(c.device, 1, &write, 0, nullptr);

  const VkCommandBuffer cmd = allocate_command_buffer(c, pool);
  begin(cmd, 0);
  vkCmdFillBuffer(cmd, buffer, 0, 512, 7);
  barrier(cmd);
  vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  const std::uint32_t pushed[4] = {2, 5, 99, 0};
  vkCmdPushConstants(cmd, layout, kCompute, 0, 16, pushed);
  vkCmdDispatch(cmd, 3, 1, 1);
  barrier(cmd);
  CHECK(vkEndCommandBuffer(cmd));
  submit(c.queues[0], cmd, fence);
  CHECK(vkWaitForFences(c.device, 1, &fence, VK_TRUE, UINT64_MAX));
  void* mapped = nullptr;
  CHECK(vkMapMemory(c.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  const auto* words = static_cast<const std::uint32_t*>(mapped);
  if (words[64 + 4] != 27 || words[64 + 5] != 7) wrong("a word", words[64 + 4]);
  const std::uint64_t sum = checksum(words, 128);

  vkDestroyDescriptorPool(c.device, sets, &by);
  vkDestroyPipeline(c.device, pipeline, &by);
  vkDestroyPipelineCache(c.device, cache, &by);
  vkDestroyShaderModule(c.device, module, &by);
  vkDestroyPipelineLayout(c.device, layout, &by);
  vkDestroyDescriptorSetLayout(c.device, set_layout, &by);
  vkDestroyBuffer(c.device, buffer, &by);
  vkFreeMemory(c.device, memory, &by);
  vkDestroyEvent(c.device, event, &by);
  vkDestroySemaphore(c.device, semaphore, &by);
  vkDestroyFence(c.device, fence, &by);
  vkDestroyCommandPool(c.device, pool, &by);
  return sum;
}

}  // namespace

int main() {
  Heap heap;
  const VkAllocationCallbacks by{&heap, take, retake, give, told, told};
  const Context c = create_device_of(by);
  const std::uint64_t sum = work(c, by);
  vkDestroyDevice(c.device, &by);
  vkDestroyInstance(c.instance, &by);
  if (heap.alive != 0) die("blocks that nobody gave back", heap.alive);
  std::printf("callbacks: checksum %016llx\n", static_cast<unsigned long long>(sum));
  return 0;
}
