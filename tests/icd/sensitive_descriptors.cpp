// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>

#include "tests/icd/access.h"
#include "tests/icd/descriptors.h"
#include "tests/icd/pipeline_uses.h"
#include "tests/icd/sensitive.h"

namespace fake {
namespace {

bool is_written(VkDescriptorType type) {
  switch (type) {
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return true;
    default:
      return false;
  }
}

// A descriptor of a bound set as a shader sees it.
struct Reached {
  const Descriptor& descriptor;
  std::uint64_t place = 0;  // set, binding and element
  VkDeviceSize dynamic_offset = 0;
  bool may_write = false;
};

std::span<std::byte> bytes_of(const Reached& reached) {
  const Descriptor& d = reached.descriptor;
  if (d.texels != nullptr && d.texels->buffer != nullptr && d.texels->buffer->alive)
    return fake::bytes_of(*d.texels->buffer, d.texels->offset, d.texels->range);
  if (d.buffer == nullptr || !d.buffer->alive || d.buffer->data() == nullptr) return {};
  const VkDeviceSize offset = d.offset + reached.dynamic_offset;
  if (offset >= d.buffer->size) return {};
  return fake::bytes_of(*d.buffer, offset, std::min(d.range, d.buffer->size - offset));
}

template <class Visit>
void each_row(const ImageView& view, const Visit& visit) {
  if (view.image == nullptr || !view.image->alive) return;
  const Image& image = *view.image;
  const VkImageSubresourceRange& range = view.range;
  const bool volume = image.image_type == VK_IMAGE_TYPE_3D;
  for (const VkImageAspectFlagBits aspect : aspects_of(image, range.aspectMask)) {
    if (image.data(aspect) == nullptr) continue;
    for (std::uint32_t level = 0; level < range.levelCount; ++level) {
      const Box box = box_of(image, aspect, range.baseMipLevel + level, volume ? 0 : range.baseArrayLayer,
                             volume ? 1 : range.layerCount);
      for (std::size_t slice = 0; slice < box.slices.size(); ++slice)
        for (std::uint32_t y = 0; y < box.height; ++y) visit(box.row(slice, y), box.row_bytes());
    }
  }
}

// `visit` for each descriptor that the bound pipeline's shaders declare, in
// order; `block` for the bytes of inline uniform blocks.
template <class Visit, class Block>
void each_reached(const BindPoint& point, const Visit& visit, const Block& block) {
  if (point.pipeline == nullptr || point.pipeline->uses == nullptr) return;
  for (const auto& [place, written] : point.pipeline->uses->resources) {
    const auto bound = point.sets.find(place.first);
    if (bound == point.sets.end() || bound->second.set == nullptr) continue;
    const DescriptorSet& set = *bound->second.set;
    const auto slot = set.slots.find(place.second);
    if (slot == set.slots.end()) continue;
    // Updates after bind may come meanwhile, of descriptors that are not used.
    std::unique_lock lock(set.mutex);
    const DescriptorSet::Slot contents = slot->second;
    // Dynamic offsets go by binding number, then by element.
    std::size_t dynamic = 0;
    for (const auto& [binding, before] : set.slots)
      if (binding < place.second)
        for (const Descriptor& d : before.descriptors) dynamic += is_dynamic(d.type);
    lock.unlock();
    block(contents.inline_block);
    std::uint64_t element = 0;
    for (const Descriptor& d : contents.descriptors) {
      const std::uint64_t at = std::uint64_t{place.first} << 56 ^ std::uint64_t{place.second} << 32 ^ element++;
      VkDeviceSize offset = 0;
      if (is_dynamic(d.type)) {
        const auto& offsets = bound->second.dynamic_offsets;
        if (dynamic < offsets.size()) offset = offsets[dynamic];
        ++dynamic;
      }
      if (d.written) visit(Reached{d, at, offset, written && is_written(d.type)});
    }
  }
}

}  // namespace

void fold_descriptors(Execution& execution, const BindPoint& point, Hash& hash) {
  if (point.pipeline != nullptr) hash.value(point.pipeline->content);
  each_reached(
      point,
      [&](const Reached& reached) {
        const Descriptor& d = reached.descriptor;
        if (d.type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT) execution.flush_target();
        hash.value(reached.place);
        hash.value(static_cast<std::uint64_t>(d.type));
        if (d.sampler != nullptr) hash.value(content_of(*d.sampler));
        const auto bytes = bytes_of(reached);
        hash.bytes(bytes.data(), bytes.size());
        if (d.texels != nullptr) hash.value(static_cast<std::uint64_t>(d.texels->format));
        if (d.view == nullptr || !d.view->alive) return;
        hash.value(content_of(*d.view));
        each_row(*d.view, [&](const std::byte* row, std::size_t size) { hash.bytes(row, size); });
      },
      [&](const std::vector<std::byte>& block) { hash.bytes(block.data(), block.size()); });
}

void each_reached_bytes(const BindPoint& point, const ReachedBytes& visit) {
  each_reached(
      point,
      [&](const Reached& reached) {
        const std::pair<std::uint32_t, std::uint32_t> place{static_cast<std::uint32_t>(reached.place >> 56),
                                                            static_cast<std::uint32_t>(reached.place >> 32) & 0xffffff};
        const auto bytes = bytes_of(reached);
        visit(place, reached.descriptor, reached.may_write, bytes.data(), bytes.size());
        const Descriptor& d = reached.descriptor;
        if (d.view == nullptr || !d.view->alive) return;
        each_row(*d.view, [&](std::byte* row, std::size_t size) { visit(place, d, reached.may_write, row, size); });
      },
      [](const std::vector<std::byte>&) {});
}

void write_descriptors(Execution&, const BindPoint& point, std::uint64_t seed) {
  Hash place(seed);
  each_reached(
      point,
      [&](const Reached& reached) {
        place.value(1);
        if (!reached.may_write) return;
        const auto bytes = bytes_of(reached);
        fill_pattern(bytes.data(), bytes.size(), place.digest());
        const Descriptor& d = reached.descriptor;
        if (d.view == nullptr || !d.view->alive) return;
        each_row(*d.view, [&](std::byte* row, std::size_t size) {
          place.value(2);
          fill_pattern(row, size, place.digest());
        });
      },
      [](const std::vector<std::byte>&) {});
}

}  // namespace fake
