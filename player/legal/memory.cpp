// SPDX-License-Identifier: Apache-2.0
// Allocations, buffers and their binding. Images are fitted into memory at
// replay, by the sizes that the driver gives (placement.h).
#include <bit>

#include "format/flags2.h"
#include "generated/args.h"
#include "model/gpu/texels.h"
#include "player/legal/validity.h"
#include "player/plan/swapchain_images.h"

namespace rondo::player::validity {

using gpu::aspects_of;

namespace {

Wrong allocate(Validity& v, const Call& c) {
  const VkMemoryAllocateInfo& info = *c.as<args_vkAllocateMemory>().pAllocateInfo;
  if (info.allocationSize == 0) return "allocates no bytes";
  const auto* dedicated =
      find_chained<VkMemoryDedicatedAllocateInfo>(info.pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
  const ObjectId image = dedicated != nullptr ? c.id(&dedicated->image) : ObjectId::null;
  const ObjectId buffer = dedicated != nullptr ? c.id(&dedicated->buffer) : ObjectId::null;
  if (image != ObjectId::null && buffer != ObjectId::null) return "is dedicated to both an image and a buffer";
  const auto* flags = find_chained<VkMemoryAllocateFlagsInfo>(info.pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  const VkMemoryAllocateFlags bits = flags != nullptr ? flags->flags : 0;
  const auto* address = find_chained<VkMemoryOpaqueCaptureAddressAllocateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO);
  if (address != nullptr && address->opaqueCaptureAddress != 0 &&
      (bits & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT) == 0)
    return "gives a captured address, and does not say so in its flags";
  if (const ObjectId id = c.created(); id != ObjectId::null) {
    Memory& memory = v.memories.make(id);
    memory.bytes = info.allocationSize;
    memory.addresses = (bits & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) != 0;
    memory.only_for = image != ObjectId::null ? image : buffer;
  }
  return {};
}

Wrong create_buffer(Validity& v, const Call& c) {
  const VkBufferCreateInfo& info = *c.as<args_vkCreateBuffer>().pCreateInfo;
  if (info.size == 0) return "makes a buffer without bytes";
  if (const ObjectId id = c.created(); id != ObjectId::null) {
    Buffer& buffer = v.buffers.make(id);
    buffer.bytes = info.size;
    buffer.bound = buffer.sparse = (info.flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) != 0;
    buffer.usage = usage_of(info);
    buffer.create_op = v.op();
  }
  return {};
}

Wrong check_dedicated(Validity& v, ObjectId memory_id, ObjectId id) {
  const Memory* memory = v.memories.find(memory_id);
  return memory == nullptr || memory->only_for == ObjectId::null || memory->only_for == id
             ? Wrong()
             : "binds " + v.name(id) + " to " + v.name(memory_id) + ", which is dedicated to " +
                   v.name(memory->only_for);
}

Wrong bind_buffer(Validity& v, ObjectId id, ObjectId memory_id, VkDeviceSize offset) {
  Buffer* buffer = v.buffers.find(id);
  const Memory* memory = v.memories.find(memory_id);
  if (buffer == nullptr) return {};
  if (memory_id == ObjectId::null) return "binds " + v.name(id) + " to no memory";
  if (memory != nullptr && !within(offset, buffer->bytes, memory->bytes))
    return "binds " + v.name(id) + ", which has " + std::to_string(buffer->bytes) + " bytes, at " +
           std::to_string(offset) + " of " + v.name(memory_id) + ", which has " + std::to_string(memory->bytes);
  if (buffer->bound) return "binds " + v.name(id) + " again";
  if (Wrong w = check_dedicated(v, memory_id, id); !w.empty()) return w;
  if (memory != nullptr && !memory->addresses && (buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0)
    return v.name(id) + " may be asked for its address, and " + v.name(memory_id) + " was not allocated for that";
  buffer->bound = true;
  buffer->memory = memory_id;
  v.hold(memory_id, id);
  return {};
}

Wrong bind_image(Validity& v, ObjectId id, ObjectId memory_id, VkDeviceSize offset, VkImageAspectFlags plane) {
  Image* image = v.image(id);
  const Memory* memory = v.memories.find(memory_id);
  if (image == nullptr) return {};
  if (memory_id == ObjectId::null) return "binds " + v.name(id) + " to no memory";
  if (memory != nullptr && offset >= memory->bytes)
    return "binds " + v.name(id) + " at " + std::to_string(offset) + " of " + v.name(memory_id) + ", which has " +
           std::to_string(memory->bytes) + " bytes";
  if (image->bound || (image->planes & plane) != 0) return "binds " + v.name(id) + " again";
  if (Wrong w = check_dedicated(v, memory_id, id); !w.empty()) return w;
  if ((plane != 0) != ((image->flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0))
    return plane != 0 ? "binds a plane of " + v.name(id) + ", which is not disjoint"
                      : "binds " + v.name(id) + ", which is disjoint, as a whole";
  if (image->of_swapchain) return "binds " + v.name(id) + ", which is of a swapchain";
  if (plane != 0) {
    const VkImageAspectFlags planes = aspects_of(image->format) & ~VkImageAspectFlags{VK_IMAGE_ASPECT_COLOR_BIT};
    if (!std::has_single_bit(plane) || (plane & ~planes) != 0) return "binds a plane that " + v.name(id) + " lacks";
    image->planes |= plane;
    image->bound = image->planes == planes;
  } else {
    image->bound = true;
  }
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
    if (Wrong w = bind_buffer(v, c.id(&info.buffer), c.id(&info.memory), info.memoryOffset); !w.empty()) return w;
  }
  return {};
}

Wrong bind_image_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkBindImageMemory>();
  return bind_image(v, c.id(&a.image), c.id(&a.memory), a.memoryOffset, 0);
}

// The image was made of this swapchain, and is one of its images from here on.
Wrong bind_to_swapchain(Validity& v, ObjectId id, ObjectId swapchain) {
  Image* image = v.image(id);
  if (image == nullptr) return {};
  if (made_of_swapchain(v.plan(), id).swapchain != swapchain)
    return "binds " + v.name(id) + ", which was not made of " + v.name(swapchain);
  if (image->bound) return "binds " + v.name(id) + " again";
  image->bound = true;
  image->memory = swapchain;  // it goes with it
  v.hold(swapchain, id);
  return {};
}

Wrong bind_image_2(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkBindImageMemory2>();
  for (std::uint32_t i = 0; i < a.bindInfoCount; ++i) {
    const VkBindImageMemoryInfo& info = a.pBindInfos[i];
    const auto* of = find_chained<VkBindImageMemorySwapchainInfoKHR>(
        info.pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
    if (const ObjectId swapchain = of != nullptr ? c.id(&of->swapchain) : ObjectId::null; swapchain != ObjectId::null) {
      if (info.memory != VK_NULL_HANDLE) return "binds " + v.name(c.id(&info.image)) + " to memory and to a swapchain";
      if (Wrong w = bind_to_swapchain(v, c.id(&info.image), swapchain); !w.empty()) return w;
      continue;
    }
    const auto* plane =
        find_chained<VkBindImagePlaneMemoryInfo>(info.pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);
    if (plane != nullptr && plane->planeAspect == 0) return "binds no plane";
    if (Wrong w = bind_image(v, c.id(&info.image), c.id(&info.memory), info.memoryOffset,
                             plane != nullptr ? plane->planeAspect : 0);
        !w.empty())
      return w;
  }
  return {};
}

Wrong create_buffer_view(Validity& v, const Call& c) {
  const VkBufferViewCreateInfo& info = *c.as<args_vkCreateBufferView>().pCreateInfo;
  const ObjectId buffer = c.id(&info.buffer), id = c.created();
  const Buffer* state = v.buffers.find(buffer);
  const bool early = state != nullptr && !state->bound && id != ObjectId::null;
  if (info.range == 0 || (state != nullptr && info.offset >= state->bytes)) return "makes a view without bytes";
  if (info.format == VK_FORMAT_UNDEFINED) return "format is undefined";
  if (state != nullptr &&
      (state->usage & (VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT)) == 0)
    v.needs_usage(buffer, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
  if (Wrong w = check_bytes(v, "buffer", buffer, info.offset, info.range, early); !w.empty()) return w;
  if (id != ObjectId::null) {
    v.buffer_views.make(id).buffer = buffer;
    v.hold(buffer, id);
  }
  if (early) v.wait_for_bind(buffer, id);
  return {};
}

Wrong get_address(Validity& v, const Call& c) {
  const auto* info = c.as<args_vkGetBufferDeviceAddress>().pInfo;
  const ObjectId id = info != nullptr ? c.id(&info->buffer) : ObjectId::null;
  const Buffer* buffer = v.buffers.find(id);
  if (buffer == nullptr) return "asks for the address of no buffer";
  if ((buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) == 0)
    return "asks for the address of " + v.name(id) + ", which was not made to have one";
  if (!v.enabled_addresses(c.dispatch())) return "is of a device without bufferDeviceAddress";
  v.note_address(id, c.returned);
  return check_bytes(v, "buffer", id, 0, 0);
}

}  // namespace

Wrong check_bytes(Validity& v, const char* member, ObjectId id, VkDeviceSize offset, VkDeviceSize size, bool unbound) {
  const Buffer* buffer = v.buffers.find(id);
  if (buffer == nullptr) return {};
  if (!buffer->bound && !unbound) return std::string(member) + " is " + v.name(id) + ", which no memory is bound to";
  if (v.was_freed(buffer->memory)) return std::string(member) + " is " + v.name(id) + ", whose memory was freed";
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
  add(CommandId::vkGetBufferDeviceAddress, get_address);
}

}  // namespace rondo::player::validity
