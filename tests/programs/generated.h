// SPDX-License-Identifier: Apache-2.0
// Commands that a device makes of what it finds in memory (VK_EXT_device_generated_commands):
// their layouts, sets to choose from, and memory to preprocess them in.
#pragma once

#include "kernel.h"

#ifdef VK_EXT_device_generated_commands

namespace program {

struct Generated {
  PFN_vkCreateIndirectCommandsLayoutEXT create_layout = nullptr;
  PFN_vkDestroyIndirectCommandsLayoutEXT destroy_layout = nullptr;
  PFN_vkCreateIndirectExecutionSetEXT create_set = nullptr;
  PFN_vkDestroyIndirectExecutionSetEXT destroy_set = nullptr;
  PFN_vkUpdateIndirectExecutionSetPipelineEXT update_pipelines = nullptr;
  PFN_vkGetGeneratedCommandsMemoryRequirementsEXT requirements = nullptr;
  PFN_vkCmdPreprocessGeneratedCommandsEXT preprocess = nullptr;
  PFN_vkCmdExecuteGeneratedCommandsEXT execute = nullptr;
};

inline Generated load_generated(const Session& s) {
#define FIND(name) load<PFN_##name>(s, #name)
  return {FIND(vkCreateIndirectCommandsLayoutEXT),       FIND(vkDestroyIndirectCommandsLayoutEXT),
          FIND(vkCreateIndirectExecutionSetEXT),         FIND(vkDestroyIndirectExecutionSetEXT),
          FIND(vkUpdateIndirectExecutionSetPipelineEXT), FIND(vkGetGeneratedCommandsMemoryRequirementsEXT),
          FIND(vkCmdPreprocessGeneratedCommandsEXT),     FIND(vkCmdExecuteGeneratedCommandsEXT)};
#undef FIND
}

// Memory with room for several of them, mapped as long as the session lives.
struct Place {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::uint32_t* words = nullptr;
};

// A mapped buffer with a device address, whose usage stands in its chain: the member is ignored.
struct Wide : MappedBuffer {
  VkDeviceAddress address = 0;
};

inline VkBuffer create_wide_buffer(Session& s, VkDeviceSize bytes, VkBufferUsageFlags2KHR usage) {
  const VkBufferUsageFlags2CreateInfoKHR wide{VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR, nullptr,
                                              usage | VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT_KHR};
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &wide, .size = bytes};
  VkBuffer buffer;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &buffer));
  return keep(s, vkDestroyBuffer, buffer);
}

// Mapped memory whose buffers have addresses, filled with zeros.
inline Place create_place(Session& s, VkDeviceSize bytes, std::uint32_t types) {
  const VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  const VkMemoryAllocateInfo allocation{
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, bytes,
      memory_type(s, types, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
  Place place;
  CHECK(vkAllocateMemory(s.device, &allocation, nullptr, &place.memory));
  keep(s, vkFreeMemory, place.memory);
  void* mapped;
  CHECK(vkMapMemory(s.device, place.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  std::memset(mapped, 0, static_cast<std::size_t>(bytes));
  place.words = static_cast<std::uint32_t*>(mapped);
  return place;
}

// At `offset` of memory that there is, or in memory of its own.
inline Wide create_wide(Session& s, VkDeviceSize bytes, VkBufferUsageFlags2KHR usage, Place place = {},
                        VkDeviceSize offset = 0) {
  Wide b;
  b.bytes = bytes;
  b.buffer = create_wide_buffer(s, bytes, usage);
  if (place.memory == VK_NULL_HANDLE) {
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(s.device, b.buffer, &needs);
    place = create_place(s, needs.size, needs.memoryTypeBits);
  }
  b.memory = place.memory;
  b.words = place.words + offset / 4;
  CHECK(vkBindBufferMemory(s.device, b.buffer, b.memory, offset));
  const VkBufferDeviceAddressInfo asked{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, b.buffer};
  b.address = vkGetBufferDeviceAddress(s.device, &asked);
  return b;
}

template <class Item, std::size_t N>
Wide wide_of(Session& s, VkBufferUsageFlags2KHR usage, const Item (&items)[N]) {
  Wide b = create_wide(s, sizeof items, usage);
  std::memcpy(b.words, items, sizeof items);
  return b;
}

// Tokens, each behind the one before it.
struct Tokens {
  std::vector<VkIndirectCommandsLayoutTokenEXT> all;
  std::uint32_t stride = 0;

  void add(VkIndirectCommandsTokenTypeEXT type, std::uint32_t bytes, VkIndirectCommandsTokenDataEXT data = {}) {
    all.push_back({VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT, nullptr, type, data, stride});
    stride += bytes;
  }
};

inline VkIndirectCommandsLayoutEXT create_commands_layout(Session& s, const Generated& g, const Tokens& tokens,
                                                          VkShaderStageFlags stages, VkPipelineLayout layout,
                                                          VkIndirectCommandsLayoutUsageFlagsEXT flags = 0,
                                                          const void* next = nullptr) {
  const VkIndirectCommandsLayoutCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT,
                                                   next,
                                                   flags,
                                                   stages,
                                                   tokens.stride,
                                                   layout,
                                                   static_cast<std::uint32_t>(tokens.all.size()),
                                                   tokens.all.data()};
  VkIndirectCommandsLayoutEXT made;
  CHECK(g.create_layout(s.device, &info, nullptr, &made));
  return keep(s, g.destroy_layout, made);
}

inline VkMemoryRequirements requirements(const Session& s, const Generated& g, const VkGeneratedCommandsInfoEXT& info) {
  const VkGeneratedCommandsMemoryRequirementsInfoEXT question{
      VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT,
      info.pNext,
      info.indirectExecutionSet,
      info.indirectCommandsLayout,
      info.maxSequenceCount,
      info.maxDrawCount};
  VkMemoryRequirements2 needs{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  g.requirements(s.device, &question, &needs);
  return needs.memoryRequirements;
}

// A buffer for what the driver makes of it.
inline void give_room(Session& s, const Generated& g, VkGeneratedCommandsInfoEXT& info) {
  const VkMemoryRequirements needs = requirements(s, g, info);
  if (needs.size == 0) return;
  const Wide room = create_wide(s, needs.size, VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT);
  info.preprocessAddress = room.address;
  info.preprocessSize = needs.size;
}

// Commands of one command buffer before what follows.
inline void generated_barrier(VkCommandBuffer cmd) {
  const VkMemoryBarrier all{
      VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
      VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_COMMAND_PREPROCESS_WRITE_BIT_EXT,
      VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_COMMAND_PREPROCESS_READ_BIT_EXT};
  vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_COMMAND_PREPROCESS_BIT_EXT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_COMMAND_PREPROCESS_BIT_EXT, 0, 1, &all, 0,
                       nullptr, 0, nullptr);
}

}  // namespace program

#endif
