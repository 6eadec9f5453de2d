// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/order_ranges.h"

#include <algorithm>

namespace fake::order {

Ranges normalized(Ranges ranges) {
  std::erase_if(ranges, [](const Bytes& b) { return b.begin >= b.end; });
  std::sort(ranges.begin(), ranges.end(), [](const Bytes& a, const Bytes& b) { return a.begin < b.begin; });
  Ranges merged;
  for (const Bytes& b : ranges) {
    if (!merged.empty() && b.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, b.end);
    else
      merged.push_back(b);
  }
  return merged;
}

Ranges intersection(const Ranges& a, const Ranges& b) {
  Ranges common;
  if (lie_apart(a, b)) return common;
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const Bytes both{std::max(a[i].begin, b[k].begin), std::min(a[i].end, b[k].end)};
    if (both.begin < both.end) common.push_back(both);
    a[i].end < b[k].end ? ++i : ++k;
  }
  return common;
}

Ranges difference(const Ranges& a, const Ranges& b) {
  if (lie_apart(a, b)) return a;
  Ranges left;
  std::size_t k = 0;
  for (Bytes rest : a) {
    while (k < b.size() && b[k].end <= rest.begin) ++k;
    for (std::size_t i = k; i < b.size() && b[i].begin < rest.end; ++i) {
      if (rest.begin < b[i].begin) left.push_back({rest.begin, b[i].begin});
      rest.begin = std::max(rest.begin, std::min(b[i].end, rest.end));
    }
    if (rest.begin < rest.end) left.push_back(rest);
  }
  return left;
}

bool holds(const Ranges& ranges, const Bytes& bytes) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), bytes.begin,
                                      [](const std::byte* at, const Bytes& b) { return at < b.begin; });
  return after != ranges.begin() && bytes.end <= std::prev(after)->end;
}

bool lie_apart(const Ranges& a, const Ranges& b) {
  return a.empty() || b.empty() || a.back().end <= b.front().begin || b.back().end <= a.front().begin;
}

void add_bytes(Ranges& to, const Buffer* buffer, VkDeviceSize offset, VkDeviceSize size) {
  if (buffer == nullptr || buffer->data() == nullptr || offset >= buffer->size) return;
  to.push_back({buffer->data() + offset, buffer->data() + offset + std::min(size, buffer->size - offset)});
}

void add_box(Ranges& to, const Box& box) {
  for (std::size_t slice = 0; slice < box.slices.size(); ++slice)
    for (std::uint32_t y = 0; y < box.height; ++y)
      to.push_back({box.row(slice, y), box.row(slice, y) + box.row_bytes()});
}

void add_subresources(Ranges& to, const Image& image, const VkImageSubresourceRange& named) {
  VkImageSubresourceRange range = resolved(image, named);
  if (image.image_type == VK_IMAGE_TYPE_3D) range.baseArrayLayer = 0, range.layerCount = 1;
  for (const VkImageAspectFlagBits aspect : aspects_of(image, range.aspectMask)) {
    std::byte* data = image.data(aspect);
    if (data == nullptr) continue;
    for (std::uint32_t level = 0; level < range.levelCount; ++level)
      for (std::uint32_t layer = 0; layer < range.layerCount; ++layer) {
        const Image::Layout at = image.layout(aspect, range.baseMipLevel + level, range.baseArrayLayer + layer);
        if (at.plane != nullptr) to.push_back({data + at.offset, data + at.offset + at.size});
      }
  }
}

}  // namespace fake::order
