// SPDX-License-Identifier: Apache-2.0
#include "model/access/tracker.h"

#include <algorithm>

#include "model/gpu/texels.h"

namespace rondo::access {

const char* text_of(Unknown why) {
  switch (why) {
    case kAddresses:
      return "shaders follow addresses";
    case kDescriptors:
      return "descriptors lie in buffers";
    case kStructures:
      return "acceleration structures refer to others";
    case kGenerated:
      return "the device makes commands";
    case kShaders:
      return "shaders are not in the capture";
    case kBindless:
      return "descriptors are chosen from very many";
    case kMemory:
      return "an address is in no known buffer";
  }
  return "";
}

std::size_t index_of(VkPipelineBindPoint point) {
  return point == VK_PIPELINE_BIND_POINT_COMPUTE ? 1 : point == VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR ? 2 : 0;
}

VkImageSubresourceRange range_of(const VkImageSubresourceLayers& layers) {
  return {layers.aspectMask, layers.mipLevel, 1, layers.baseArrayLayer, layers.layerCount};
}

// --- While commands are recorded ---

CommandBuffer& Tracker::recording(const Call& c) {
  CommandBuffer* commands_of = commands.find(c.dispatch());
  return commands_of != nullptr ? *commands_of : commands.make(c.dispatch());
}

Item& Tracker::record(const Call& c) {
  CommandBuffer& to = recording(c);
  if (!to.items.empty() && to.items.back().record == c.sequence) return to.items.back();
  if (++recorded > limits.recorded) {
    --recorded;
    too_many = true;
    return beyond = Item{};
  }
  Item item;
  item.record = c.sequence;
  item.command = c.command.canonical;
  item.first = static_cast<std::uint32_t>(to.touches.size());
  item.recorded.in_pass = to.in_pass;
  item.recorded.views = to.in_pass ? to.views_drawn : 0;
  to.items.push_back(std::move(item));
  return to.items.back();
}

bool Tracker::remember(const Call& c, std::size_t count) {
  if (too_many || count > limits.recorded - std::min(recorded, limits.recorded)) {
    too_many = true;
    return false;
  }
  recorded += count;
  recording(c).bound += count;
  return true;
}

void Tracker::touch(const Call& c, const Touch& touch) {
  if (touch.object == ObjectId::null) return;
  Item& item = record(c);
  CommandBuffer& to = recording(c);
  if (too_many || ++recorded > limits.recorded) {
    recorded -= too_many ? 0 : 1;
    too_many = true;
    return;
  }
  to.touches.push_back(touch);
  item.count += 1;
}

void Tracker::touch_buffer(const Call& c, ObjectId buffer, std::uint64_t offset, std::uint64_t size,
                           VkPipelineStageFlags2 stages, VkAccessFlags2 access, bool overwrites) {
  Touch one;
  one.object = buffer;
  one.offset = offset;
  one.size = bytes_of(buffer, offset, size);
  one.stages = stages;
  one.access = access;
  one.overwrites = overwrites;
  if (one.size != 0) touch(c, one);
}

void Tracker::touch_image(const Call& c, ObjectId image, const VkImageSubresourceRange& part,
                          VkPipelineStageFlags2 stages, VkAccessFlags2 access, bool overwrites) {
  Touch one;
  one.object = image;
  one.part = part_of(image, part);
  one.stages = stages;
  one.access = access;
  one.overwrites = overwrites;
  touch(c, one);
}

void Tracker::touch_address(const Call& c, VkDeviceAddress address, std::uint64_t size, VkPipelineStageFlags2 stages,
                            VkAccessFlags2 access) {
  if (address == 0) return;
  CommandBuffer::Range range;
  if (at_address(address, size, range)) return touch_buffer(c, range.buffer, range.offset, range.size, stages, access);
  record(c).reach.add(kMemory, (access & ~kWrites) != 0, (access & kWrites) != 0, stages);
}

Touch Tracker::structure_touch(ObjectId id, VkPipelineStageFlags2 stages, VkAccessFlags2 access, bool overwrites) {
  Touch one;
  one.object = id;
  one.stages = stages;
  one.access = access;
  one.overwrites = overwrites;
  return one;
}

// It lies in a buffer, which is touched with it.
void Tracker::touch_structure(const Call& c, ObjectId id, VkPipelineStageFlags2 stages, VkAccessFlags2 access,
                              bool overwrites) {
  touch(c, structure_touch(id, stages, access, overwrites));
  if (const Structure* structure = structures.find(id); structure != nullptr)
    touch_buffer(c, structure->buffer, structure->offset, structure->size, stages, access);
}

// --- Parts ---

std::uint64_t Tracker::bytes_of(ObjectId id, std::uint64_t offset, std::uint64_t size) {
  const Buffer* buffer = buffers.find(id);
  if (buffer == nullptr || offset >= buffer->bytes) return 0;
  return std::min(size, buffer->bytes - offset);
}

std::uint64_t Tracker::bytes_of(const Touch& touch) {
  const Image* image = images.find(touch.object);
  if (image == nullptr) return buffers.find(touch.object) != nullptr ? touch.size : 0;
  // The aspect COLOR of a format with several planes stands for all its planes.
  const VkImageAspectFlags all = gpu::aspects_of(image->format);
  VkImageAspectFlags aspects = touch.part.aspectMask & all;
  if ((aspects & VK_IMAGE_ASPECT_COLOR_BIT) != 0 && all != VK_IMAGE_ASPECT_COLOR_BIT)
    aspects = all & ~VkImageAspectFlags{VK_IMAGE_ASPECT_COLOR_BIT};
  std::uint64_t bytes = 0;
  for (; aspects != 0; aspects &= aspects - 1) {
    const VkImageAspectFlags aspect = aspects & (~aspects + 1);
    for (std::uint32_t i = 0; i < touch.part.levelCount; ++i) {
      std::uint64_t mip = gpu::region_bytes(
          image->format, aspect, 0, 0, extent_of(*image, aspect, touch.part.baseMipLevel + i), touch.part.layerCount);
      if (__builtin_mul_overflow(mip, image->samples, &mip) || __builtin_add_overflow(bytes, mip, &bytes))
        return UINT64_MAX;
    }
  }
  return bytes;
}

VkImageSubresourceRange Tracker::part_of(ObjectId id, VkImageSubresourceRange part) {
  const Image* image = images.find(id);
  if (image == nullptr) return part;
  const auto limit = [](std::uint32_t first, std::uint32_t count, std::uint32_t all) {
    return first >= all ? 0 : std::min(count, all - first);
  };
  part.levelCount = limit(part.baseMipLevel, part.levelCount, image->mips);
  if (image->type == VK_IMAGE_TYPE_3D) part.baseArrayLayer = 0, part.layerCount = 1;
  part.layerCount = limit(part.baseArrayLayer, part.layerCount, image->layers);
  return part;
}

VkExtent3D Tracker::extent_of(const Image& image, VkImageAspectFlags aspect, std::uint32_t mip) {
  return gpu::part_extent(image.format, aspect, image.extent, mip);
}

bool Tracker::at_address(VkDeviceAddress address, std::uint64_t size, CommandBuffer::Range& out) {
  std::uint64_t room = 0;
  for (auto at = addresses.upper_bound(address); at != addresses.begin();) {
    --at;
    const std::uint64_t offset = address - at->first;
    if (offset >= longest) break;
    const Buffer* buffer = buffers.find(at->second);
    if (buffer == nullptr || offset >= buffer->bytes || buffer->bytes - offset <= room) continue;
    room = buffer->bytes - offset;
    out = {at->second, offset, size != 0 ? size : room};
  }
  return room != 0 && size <= room;
}

}  // namespace rondo::access
