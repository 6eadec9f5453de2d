// SPDX-License-Identifier: Apache-2.0
// Chapter "Shaders", references to buffers: a list that the host links through
// several suballocated buffers, another that a shader links in its order, and
// one more that a second dispatch makes of the shader's.
#include "lists.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr std::uint32_t kNodes = 40, kNodeBytes = 16, kPart = 4096;

struct Parts {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkBuffer buffers[3] = {};
  VkDeviceAddress addresses[3] = {};
  unsigned char* bytes = nullptr;
};

// Three buffers in one allocation, the last where the first two end.
Parts create_parts(Session& s) {
  Parts p;
  const VkBufferCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = kPart,
      .usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | kCopies};
  VkMemoryRequirements needs{};
  for (VkBuffer& b : p.buffers) {
    CHECK(vkCreateBuffer(s.device, &info, nullptr, &b));
    keep(s, vkDestroyBuffer, b);
    vkGetBufferMemoryRequirements(s.device, b, &needs);
  }
  const VkDeviceSize step = (needs.size + needs.alignment - 1) / needs.alignment * needs.alignment;
  const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                        VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
  const VkMemoryAllocateInfo allocation{
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, step * 3,
      memory_type(s, needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
  CHECK(vkAllocateMemory(s.device, &allocation, nullptr, &p.memory));
  keep(s, vkFreeMemory, p.memory);
  for (std::uint32_t i = 0; i < 3; ++i) {
    CHECK(vkBindBufferMemory(s.device, p.buffers[i], p.memory, step * i));
    const VkBufferDeviceAddressInfo which{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, p.buffers[i]};
    p.addresses[i] = vkGetBufferDeviceAddress(s.device, &which);
    EXPECT(s, p.addresses[i] != 0);
  }
  EXPECT(s, p.addresses[2] - p.addresses[1] == step);
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, p.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  p.bytes = static_cast<unsigned char*>(mapped);
  std::memset(p.bytes, 0, kPart);
  return p;
}

// Words 0 and 1 are the head, then nodes of 16 bytes, each 7 places behind the last.
void link(const Parts& p) {
  const auto node = [](std::uint32_t i) { return kNodeBytes * (1 + i * 7 % kNodes); };
  const auto put = [&](std::uint32_t at, std::uint64_t address) { std::memcpy(p.bytes + at, &address, 8); };
  put(0, p.addresses[0] + node(0));
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    put(node(i), i + 1 < kNodes ? p.addresses[0] + node(i + 1) : 0);
    std::memcpy(p.bytes + node(i) + 8, &i, 4);
  }
}

}  // namespace

int main() {
  Needs needs;
  NEED(needs, Vulkan12Features, bufferDeviceAddress);
  Session s = open("linked_lists", needs);
  const Parts p = create_parts(s);
  link(p);
  const MappedBuffer out = buffer(s, kPart, kCopies);
  const VkPipelineLayout layout = create_layout(s, {}, {{VK_SHADER_STAGE_COMPUTE_BIT, 0, 24}});
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, create_compute(s, layout, shader(s, lists_comp_spv)));
  for (std::uint32_t i = 0; i < 2; ++i) {  // the second follows what the first has linked
    const VkDeviceAddress push[3] = {p.addresses[i], p.addresses[i + 1], p.addresses[i + 1] + kNodeBytes};
    vkCmdPushConstants(s.cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
    vkCmdDispatch(s.cmd, 1, 1, 1);
    barrier(s.cmd);
  }
  copy(s.cmd, p.buffers[2], 0, out.buffer, 0, kPart);
  run(s);
  for (std::uint32_t n = 0; n < kNodes; ++n)  // without the addresses, which no two runs share
    s.sum = s.sum * 31 + out.words[(1 + n) * 4 + 2];
  // The second list is in the opposite order: its node n is the first one's kNodes - 1 - n.
  EXPECT(s, out.words[6] == ((kNodes - 1) * 3 + kNodes - 1) * 3);
  EXPECT(s, out.words[4 * kNodes + 2] == kNodes - 1);
  return finish(s);
}
