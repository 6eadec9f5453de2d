// SPDX-License-Identifier: Apache-2.0
// Allocations, buffers and their binding. Images are fitted into memory at
// replay, by the sizes that the driver gives (placement.h).
#include "generated/args.h"
#include "player/validity/validity.h"

namespace rondo::player::validity {

namespace {

Wrong allocate(Validity& v, const Call& c) {
  const VkMemoryAllocateInfo& info = *c.as<args_vkAllocateMemory>().pAllocateInfo;
  if (info.allocationSize == 0) return "allocates no bytes";
  if (const ObjectId id = c.created(); id != 0) v.memories.make(id).bytes = info.allocationSize;
  return {};
}

Wrong create_buffer(Validity& v, const Call& c) {
  const VkBufferCreateInfo& info = *c.as<args_vkCreateBuffer>().pCreateInfo;
  if (info.size == 0) return "makes a buffer without bytes";
  if (const ObjectId id = c.created(); id != 0) {
    Buffer& buffer = v.buffers.make(id);
    buffer.bytes = info.size;
    buffer.bound = (info.flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) != 0;
  }
  return {};
}

Wrong bind_buffer(Validity& v, ObjectId id, ObjectId memory_id, VkDeviceSize offset) {
  Buffer* buffer = v.buffers.find(id);
  const Memory* memory = v.memories.find(memory_id);
  if (buffer == nullptr) return {};
  if (memory_id == 0) return "binds " + v.name(id) + " to no memory";
  if (memory != nullptr && !within(offset, buffer->bytes, memory->bytes))
    return "binds " + v.name(id) + ", which has " + std::to_string(buffer->bytes) + " bytes, at " +
           std::to_string(offset) + " of " + v.name(memory_id) + ", which has " +
           std::to_string(memory->bytes);
  if (buffer->bound) return "binds " + v.name(id) + " again";
  buffer->bound = true;
  buffer->memory = memory_id;
  v.hold(memory_id, id);
  return {};
}

Wrong bind_image(Validity& v, ObjectId id, ObjectId memory_id, VkDeviceSize offset, bool again) {
  Image* image = v.image(id);
  const Memory* memory = v.memories.find(memory_id);
  if (image == nullptr) return {};
  if (memory_id == 0) return "binds " + v.name(id) + " to no memory";
  if (memory != nullptr && offset >= memory->bytes)
    return "binds " + v.name(id) + " at " + std::to_string(offset) + " of " + v.name(memory_id) +
           ", which has " + std::to_string(memory->bytes) + " bytes";
  if (image->bound && !again) return "binds " + v.name(id) + " again";
  image->bound = true;
  image->memory = memory_id;
  v.hold(memory_id, id);
  return {};
}

Wrong bind_buffer_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkBindBufferMemory>();
  return bind_buffer(v, c.id(&a.buffer), c.id(&a.memory), a.memoryOffset);
}

Wrong bind_buffer_2(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkBindBufferMemory2>();
  for (std::uint32_t i = 0; i < a.bindInfoCount; ++i) {
    const VkBindBufferMemoryInfo& info = a.pBindInfos[i];
    if (Wrong w = bind_buffer(v, c.id(&info.buffer), c.id(&info.memory), info.memoryOffset); !w.empty())
      return w;
  }
  return {};
}

Wrong bind_image_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkBindImageMemory>();
  return bind_image(v, c.id(&a.image), c.id(&a.memory), a.memoryOffset, false);
}

Wrong bind_image_2(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkBindImageMemory2>();
  for (std::uint32_t i = 0; i < a.bindInfoCount; ++i) {
    const VkBindImageMemoryInfo& info = a.pBindInfos[i];
    if (info.memory == VK_NULL_HANDLE) continue;  // a swapchain's: refused elsewhere
    const bool plane = find_chained<VkBindImagePlaneMemoryInfo>(
                           info.pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO) != nullptr;
    if (Wrong w = bind_image(v, c.id(&info.image), c.id(&info.memory), info.memoryOffset, plane); !w.empty())
      return w;
  }
  return {};
}

Wrong create_buffer_view(Validity& v, const Call& c) {
  const VkBufferViewCreateInfo& info = *c.as<args_vkCreateBufferView>().pCreateInfo;
  const ObjectId buffer = c.id(&info.buffer), id = c.created();
  const Buffer* state = v.buffers.find(buffer);
  const bool early = state != nullptr && !state->bound && id != 0;
  if (Wrong w = check_bytes(v, "buffer", buffer, info.offset, info.range, early); !w.empty()) return w;
  if (id != 0) {
    v.buffer_views.make(id).buffer = buffer;
    v.hold(buffer, id);
  }
  if (early) v.wait_for_bind(buffer, id);
  return {};
}

}  // namespace

Wrong check_bytes(Validity& v, const char* member, ObjectId id, VkDeviceSize offset, VkDeviceSize size,
                  bool unbound) {
  const Buffer* buffer = v.buffers.find(id);
  if (buffer == nullptr) return {};
  if (!buffer->bound && !unbound)
    return std::string(member) + " is " + v.name(id) + ", which no memory is bound to";
  if (v.was_freed(buffer->memory))
    return std::string(member) + " is " + v.name(id) + ", whose memory was freed";
  if (size == VK_WHOLE_SIZE ? offset <= buffer->bytes : within(offset, size, buffer->bytes)) return {};
  return std::string(member) + " has " + span_text(offset, size) + " of " + v.name(id) + ", which has " +
         std::to_string(buffer->bytes);
}

void add_memory_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkAllocateMemory, allocate);
  add(CommandId::vkCreateBuffer, create_buffer);
  add(CommandId::vkBindBufferMemory, bind_buffer_1);
  add(CommandId::vkBindBufferMemory2, bind_buffer_2);
  add(CommandId::vkBindImageMemory, bind_image_1);
  add(CommandId::vkBindImageMemory2, bind_image_2);
  add(CommandId::vkCreateBufferView, create_buffer_view);
}

}  // namespace rondo::player::validity
