// SPDX-License-Identifier: Apache-2.0
#include "layer/checkpoints/resources.h"

#include <algorithm>

#include "format/flags2.h"
#include "format/unverified.h"
#include "layer/recorder/chain.h"
#include "model/gpu/texels.h"

namespace rondo::layer {

namespace {

// What a device can write at any time, and not by a command that names the buffer.
constexpr VkFlags64 kWrittenByShaders = ~VkFlags64{
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
    VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
    VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT};

template <class Info>
std::vector<std::uint32_t> sharing(const Info& info) {
  if (info.sharingMode != VK_SHARING_MODE_CONCURRENT) return {};
  return {info.pQueueFamilyIndices, info.pQueueFamilyIndices + info.queueFamilyIndexCount};
}

bool has_stencil_storage(const VkImageCreateInfo& info) {
  const auto* stencil =
      find_in_chain<VkImageStencilUsageCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO);
  return stencil != nullptr && (stencil->stencilUsage & VK_IMAGE_USAGE_STORAGE_BIT) != 0;
}

}  // namespace

void Resources::add(VkImage handle, const VkImageCreateInfo& info, VkDeviceSize bytes, std::string unreadable) {
  Image image;
  image.type = info.imageType;
  image.format = info.format;
  image.extent = info.extent;
  image.mips = info.mipLevels;
  image.layers = info.arrayLayers;
  image.samples = info.samples;
  image.storage = (info.usage & VK_IMAGE_USAGE_STORAGE_BIT) != 0 || has_stencil_storage(info);
  image.families = sharing(info);
  image.disjoint = (info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0;
  image.place.bytes = bytes;
  image.unreadable = std::move(unreadable);
  image.sparse = (info.flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) != 0;
  if (image.sparse) image.unreadable = text_of(Unverified::sparse);  // pages without memory read as anything
  const VkImageAspectFlags aspects = gpu::aspects_of(info.format);
  for (const VkImageAspectFlagBits aspect :
       {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT, VK_IMAGE_ASPECT_PLANE_0_BIT,
        VK_IMAGE_ASPECT_PLANE_1_BIT, VK_IMAGE_ASPECT_PLANE_2_BIT})
    if ((aspects & aspect) != 0 && !(aspect == VK_IMAGE_ASPECT_COLOR_BIT && gpu::is_planar(info.format)))
      image.aspects.push_back(aspect);
  image.parts.resize(image.aspects.size() * image.mips * image.layers);
  const Lock lock = enter();
  images_[handle] = std::move(image);
}

void Resources::add(VkBuffer handle, const VkBufferCreateInfo& info, std::string unreadable) {
  Buffer buffer;
  buffer.size = info.size;
  buffer.place.bytes = info.size;
  buffer.storage = (usage_of(info) & kWrittenByShaders) != 0;
  buffer.drivers_own = (usage_of(info) & kPreprocessUsage) != 0;
  buffer.families = sharing(info);
  buffer.unreadable = std::move(unreadable);
  buffer.sparse = (info.flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) != 0;
  if (buffer.sparse) buffer.unreadable = text_of(Unverified::sparse);
  const Lock lock = enter();
  buffers_[handle] = std::move(buffer);
}

void Resources::bind(VkImage handle, VkDeviceMemory memory, VkDeviceSize offset) {
  const Lock lock = enter();
  const auto found = images_.find(handle);
  if (found == images_.end()) return;
  Place& place = found->second.place;
  place.memory = memory;
  place.offset = offset;
  // An image whose planes are bound one by one comes here once for each plane.
  find_overlaps({handle, VK_NULL_HANDLE, {offset, offset + place.bytes}}, place);
}

void Resources::bind(VkBuffer handle, VkDeviceMemory memory, VkDeviceSize offset) {
  const Lock lock = enter();
  const auto found = buffers_.find(handle);
  if (found == buffers_.end()) return;
  Place& place = found->second.place;
  place.memory = memory;
  place.offset = offset;
  find_overlaps({VK_NULL_HANDLE, handle, {offset, offset + place.bytes}}, place);
}

void Resources::forget(VkImage handle) {
  const Lock lock = enter();
  const auto found = images_.find(handle);
  if (found == images_.end()) return;
  drop_overlaps(handle, found->second.place);
  images_.erase(found);
}

void Resources::forget(VkBuffer handle) {
  const Lock lock = enter();
  const auto found = buffers_.find(handle);
  if (found == buffers_.end()) return;
  drop_overlaps(handle, found->second.place);
  buffers_.erase(found);
}

void Resources::forget(VkDeviceMemory memory) {
  const Lock lock = enter();
  bound_.erase(memory);
  const auto unbind = [&](Place& place) {
    if (place.memory == memory) place = {VK_NULL_HANDLE, place.offset, place.bytes, {}};
  };
  for (auto& [handle, image] : images_) unbind(image.place);
  for (auto& [handle, buffer] : buffers_) unbind(buffer.place);
}

// Slices of a 3D image are no layers of it.
template <class Visit>
void Resources::each(Image& image, const VkImageSubresourceRange& range, Visit visit) {
  const std::uint32_t base_layer = image.type == VK_IMAGE_TYPE_3D ? 0 : range.baseArrayLayer;
  const std::uint32_t layers = image.type == VK_IMAGE_TYPE_3D ? 1 : range.layerCount;
  const auto end_of = [](std::uint32_t base, std::uint32_t count, std::uint32_t all) {
    return base < all ? base + std::min(count, all - base) : base;
  };
  const bool planes = (range.aspectMask & VK_IMAGE_ASPECT_COLOR_BIT) != 0 && image.aspects.size() > 1;
  for (std::size_t aspect = 0; aspect < image.aspects.size(); ++aspect) {
    if (!planes && (range.aspectMask & image.aspects[aspect]) == 0) continue;
    for (std::uint32_t mip = range.baseMipLevel; mip < end_of(range.baseMipLevel, range.levelCount, image.mips); ++mip)
      for (std::uint32_t layer = base_layer; layer < end_of(base_layer, layers, image.layers); ++layer)
        visit(image.parts[(aspect * image.mips + mip) * image.layers + layer]);
  }
}

void Resources::apply(const Effect& effect, std::uint32_t family, bool in_order) {
  const auto move = [&](auto& resource) {
    resource.between = effect.from != VK_QUEUE_FAMILY_IGNORED && effect.to != VK_QUEUE_FAMILY_IGNORED &&
                       effect.from != effect.to && family == effect.from;
    if (!resource.between) resource.family = family;
  };
  if (const auto buffer = buffers_.find(effect.buffer); buffer != buffers_.end()) {
    Buffer& one = buffer->second;
    move(one);
    if (effect.change == Change::write) {
      const Bytes bytes{effect.bytes.from, std::min(effect.bytes.to, one.size)};
      one.written = true;
      take_back(one.lost, bytes);
      overwrite(one.place, {one.place.offset + bytes.from, one.place.offset + bytes.to}, in_order);
    }
  }
  const auto image = images_.find(effect.image);
  if (image == images_.end()) return;
  const Place& place = image->second.place;
  each(image->second, effect.range, [&](Subresource& part) {
    move(part);
    if (effect.layout != VK_IMAGE_LAYOUT_UNDEFINED) {
      part.layout = effect.layout;
      part.uncertain = !in_order;
    }
    if (effect.change == Change::none) return;
    part.written = effect.change == Change::write;
    part.defined = effect.change != Change::discard;  // forgotten: as a new image
    part.lost = false;
    part.uncertain |= !in_order && !place.overlaps.empty();
  });
  if (effect.change != Change::none) overwrite(place, {0, VK_WHOLE_SIZE}, in_order);
}

void Resources::submitted(std::uint32_t family, std::span<const VkCommandBuffer> commands, bool in_order) {
  const Lock lock = enter();
  for (const VkCommandBuffer handle : commands)
    if (const auto found = commands_.find(handle); found != commands_.end())
      for (const Effect& effect : found->second) apply(effect, family, in_order);
}

void Resources::host_wrote(VkImage handle, const VkImageSubresourceLayers& layers) {
  const auto image = images_.find(handle);
  if (image == images_.end()) return;
  each(image->second, {layers.aspectMask, layers.mipLevel, 1, layers.baseArrayLayer, layers.layerCount},
       [](Subresource& part) {
         part.written = part.defined = true;
         part.lost = false;
       });
  overwrite(image->second.place, {0, VK_WHOLE_SIZE}, true);
}

void Resources::host_moved(VkImage handle, const VkImageSubresourceRange& range, VkImageLayout from, VkImageLayout to) {
  const auto image = images_.find(handle);
  if (image == images_.end() || from == to) return;
  each(image->second, range, [&](Subresource& part) {
    part.layout = to;
    part.uncertain = false;
    if (from != VK_IMAGE_LAYOUT_UNDEFINED) return;
    part.written = part.lost = false;  // forgotten: as a new image
    part.defined = true;
  });
  if (from == VK_IMAGE_LAYOUT_UNDEFINED) overwrite(image->second.place, {0, VK_WHOLE_SIZE}, true);
}

void Resources::list(VkImage handle, const Image& image, std::vector<Part>& parts) const {
  if (image.place.memory == VK_NULL_HANDLE && !image.sparse) return;
  Part part;
  part.memory = image.place.memory;
  part.from = image.place.offset;
  part.to = image.place.offset + image.place.bytes;
  for (std::size_t aspect = 0; aspect < image.aspects.size(); ++aspect)
    for (std::uint32_t mip = 0; mip < image.mips; ++mip)
      for (std::uint32_t layer = 0; layer < image.layers; ++layer) {
        const auto at = [&](std::size_t a) -> const Subresource& {
          return image.parts[(a * image.mips + mip) * image.layers + layer];
        };
        const Subresource& one = at(aspect);
        if (!(one.written || image.storage) || one.lost || one.layout == VK_IMAGE_LAYOUT_UNDEFINED ||
            one.layout == VK_IMAGE_LAYOUT_PREINITIALIZED)
          continue;
        gpu::ImageSource source;
        source.image = handle;
        source.format = image.format;
        source.aspect = image.aspects[aspect];
        source.together = source.aspect;
        if (gpu::is_planar(image.format)) {
          source.together = VK_IMAGE_ASPECT_COLOR_BIT;
        } else if (image.aspects.size() == 2 && at(0).layout == at(1).layout) {
          source.together = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
        }
        source.extent = gpu::part_extent(image.format, source.aspect, image.extent, mip);
        source.layout = one.layout;
        source.mip = mip;
        source.layer = layer;
        source.samples = image.samples;
        part.source = source;
        part.family = one.family;
        part.families = image.families;
        part.unreadable = image.disjoint               ? text_of(Unverified::disjoint)
                          : gpu::bytes_of(source) == 0 ? text_of(Unverified::format)
                                                       : image.unreadable;
        if (const char* why = part.unreadable.empty() ? why_shared(image) : nullptr; why != nullptr)
          part.unreadable = why;
        const bool never = !part.unreadable.empty();
        if (!never && one.between) part.unreadable = text_of(Unverified::between_families);
        if (!never && one.uncertain) part.unreadable = text_of(Unverified::layout);
        // Both are written together where a cut puts them back.
        if (!never && gpu::has_samples(source) && image.aspects.size() == 2 && source.together == source.aspect)
          part.unreadable = text_of(Unverified::samples_aspects);
        if (!never && !one.defined) part.unreadable = text_of(Unverified::not_kept);
        parts.push_back(part);
        if (never) return;  // once is enough
      }
}

void Resources::list(VkBuffer handle, const Buffer& buffer, std::vector<Part>& parts) const {
  if ((buffer.place.memory == VK_NULL_HANDLE && !buffer.sparse) || !(buffer.storage || buffer.written)) return;
  if (buffer.drivers_own) return;  // no contents that mean anything
  Part part;
  part.family = buffer.family;
  part.families = buffer.families;
  part.memory = buffer.place.memory;
  part.unreadable = buffer.between ? text_of(Unverified::between_families) : buffer.unreadable;
  list_pieces(part, handle, buffer, parts);
}

std::vector<Resources::Part> Resources::written() const {
  std::vector<Part> parts;
  for (const auto& [handle, buffer] : buffers_) list(handle, buffer, parts);
  for (const auto& [handle, image] : images_) list(handle, image, parts);
  return parts;
}

void Resources::clear_written() {
  // What is between two families could not be read yet.
  for (auto& [handle, buffer] : buffers_) buffer.written = buffer.written && buffer.between;
  for (auto& [handle, image] : images_)
    for (Subresource& part : image.parts) part.written = part.written && part.between;
}

}  // namespace rondo::layer
