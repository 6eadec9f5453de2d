// SPDX-License-Identifier: Apache-2.0
// Device addresses: pushed to a shader, stored in buffers by the host, and by
// the shader for the next dispatch. The buffers lie in one memory and in
// several, at its beginning and further on, dedicated and not.
//   addresses [--core 1]   without the extension's names, for devices that have the core's alone
#include "kernel.h"
#include "pointers.comp.h"

using namespace program;

namespace {

struct Memory {
  VkDeviceMemory handle = VK_NULL_HANDLE;
  std::uint32_t* words = nullptr;
};

struct Addressed {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceAddress address = 0;
  std::uint32_t* words = nullptr;
};

constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

VkBuffer create(Session& s, VkDeviceSize bytes) {
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes, .usage = kUsage};
  VkBuffer buffer;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &buffer));
  return keep(s, vkDestroyBuffer, buffer);
}

Memory allocate(Session& s, VkBuffer like, VkDeviceSize bytes, VkBuffer only_for) {
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(s.device, like, &needs);
  const VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, nullptr,
                                                VK_NULL_HANDLE, only_for};
  const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                        only_for != VK_NULL_HANDLE ? &dedicated : nullptr,
                                        VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
  const VkMemoryAllocateInfo info{
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, only_for != VK_NULL_HANDLE ? needs.size : bytes,
      memory_type(s, needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
  Memory memory;
  CHECK(vkAllocateMemory(s.device, &info, nullptr, &memory.handle));
  keep(s, vkFreeMemory, memory.handle);
  void* mapped;
  CHECK(vkMapMemory(s.device, memory.handle, 0, VK_WHOLE_SIZE, 0, &mapped));
  memory.words = static_cast<std::uint32_t*>(mapped);
  return memory;
}

Addressed place(Session& s, VkBuffer buffer, const Memory& memory, VkDeviceSize offset, bool extended) {
  CHECK(vkBindBufferMemory(s.device, buffer, memory.handle, offset));
  const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
  const VkDeviceAddress address = vkGetBufferDeviceAddress(s.device, &info);
  if (extended) {
    LOAD(s, vkGetBufferDeviceAddressKHR);
    EXPECT(s, vkGetBufferDeviceAddressKHR(s.device, &info) == address);
  }
  return {buffer, address, memory.words + offset / 4};
}

void store(std::uint32_t* words, VkDeviceAddress address) { std::memcpy(words, &address, sizeof address); }

}  // namespace

int main(int argc, char** argv) {
  const bool extended = option(argc, argv, "--core", 0) == 0;
  VkPhysicalDeviceVulkan12Features v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                       .bufferDeviceAddress = VK_TRUE};
  const VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v12};
  Wanted wanted;
  wanted.features = &core;
  if (extended) wanted.extensions = {"VK_KHR_buffer_device_address"};
  Session s = open("addresses", wanted);

  constexpr VkDeviceSize kApart = 4096, kBytes = 256;
  constexpr int kNodes = 6;
  std::vector<VkBuffer> buffers;
  for (int i = 0; i <= kNodes; ++i) buffers.push_back(create(s, kBytes));
  const Memory shared = allocate(s, buffers[0], 4 * kApart, VK_NULL_HANDLE);
  const Memory own = allocate(s, buffers[4], kApart, VK_NULL_HANDLE);
  const Memory first = allocate(s, buffers[5], 0, buffers[5]), second = allocate(s, buffers[6], 0, buffers[6]);
  std::vector<Addressed> all;
  for (std::size_t i = 0; i < 4; ++i) all.push_back(place(s, buffers[i], shared, i * kApart, extended));
  all.push_back(place(s, buffers[4], own, 1024, extended));
  all.push_back(place(s, buffers[5], first, 0, extended));
  all.push_back(place(s, buffers[6], second, 0, extended));
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT(s, all[i].address != 0 && all[i].address != all[i - 1].address);

  for (const Addressed& one : all) std::memset(one.words, 0, kBytes);
  // all[0] is the root, the others a ring: lavapipe 26 also reads the node after the last one that is visited.
  store(all[0].words, all[1].address);
  for (std::size_t i = 1; i < all.size(); ++i) {
    store(all[i].words, all[i + 1 < all.size() ? i + 1 : 1].address);
    all[i].words[2] = static_cast<std::uint32_t>(i);
  }
  const VkPipelineLayout layout = create_layout(s, {}, {{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16}});
  const VkPipeline pipeline = create_compute(s, layout, shader(s, pointers_comp_spv));
  std::uint32_t pushed[4] = {0, 0, kNodes, 0};
  store(pushed, all[0].address);
  for (std::uint32_t turn = 0; turn < 3; ++turn) {
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdPushConstants(s.cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof pushed, pushed);
    for (int i = 0; i < 2; ++i) {
      vkCmdDispatch(s.cmd, 1, 1, 1);
      barrier(s.cmd);
    }
    run(s);
    EXPECT(s, all[0].words[5] == kNodes);
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT(s, all[i].words[3] == 2 * (turn + 1));
    s.sum = s.sum * 31 + all[0].words[4];
  }
  // The list was turned six times, by the device: it is what it was.
  std::uint64_t head;
  std::memcpy(&head, all[0].words, sizeof head);
  EXPECT(s, head == all[1].address);
  return finish(s);
}
