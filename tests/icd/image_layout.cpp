// SPDX-License-Identifier: Apache-2.0
// How images lie in memory: plane by plane, layer by layer, level by level, in
// rows that are longer than they need be (the setting image-padding).
#include <algorithm>
#include <map>
#include <mutex>

#include "tests/icd/fake.h"
#include "tests/icd/objects.h"
#include "tests/icd/tables.h"

namespace fake {

namespace {

constexpr VkImageAspectFlagBits kPlaneAspects[] = {VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT,
                                                   VK_IMAGE_ASPECT_PLANE_2_BIT};
constexpr VkDeviceSize kRowAlignment = 64;

std::vector<Plane> make_planes(VkFormat format) {
  const tables::FormatInfo* known = tables::find_format(format);
  if (known == nullptr) return {};
  std::vector<Plane> planes;
  if (!known->planes.empty()) {
    for (std::size_t i = 0; i < known->planes.size(); ++i) {
      const auto& p = known->planes[i];
      const auto alone = static_cast<VkFormat>(p.format);
      const tables::FormatInfo* one = tables::find_format(alone);
      planes.push_back({kPlaneAspects[i], one->block_bytes, 1, 1, p.width_divisor, p.height_divisor, alone});
    }
    return planes;
  }
  if (known->depth_bits != 0) {
    const std::uint32_t bytes = known->depth_bits == 16 ? 2 : 4;
    const VkFormat alone = known->depth_bits == 16   ? VK_FORMAT_D16_UNORM
                           : known->depth_bits == 24 ? VK_FORMAT_X8_D24_UNORM_PACK32
                                                     : VK_FORMAT_D32_SFLOAT;
    planes.push_back({VK_IMAGE_ASPECT_DEPTH_BIT, bytes, 1, 1, 1, 1, alone});
  }
  if (known->stencil) planes.push_back({VK_IMAGE_ASPECT_STENCIL_BIT, 1, 1, 1, 1, 1, VK_FORMAT_S8_UINT});
  if (planes.empty())
    planes.push_back(
        {VK_IMAGE_ASPECT_COLOR_BIT, known->block_bytes, known->block_width, known->block_height, 1, 1, format});
  return planes;
}

VkExtent3D level_extent(const Image& image, const Plane& plane, std::uint32_t level) {
  const auto part = [level](std::uint32_t full, std::uint32_t divisor) {
    return std::max(1u, (full / divisor) >> level);
  };
  return {part(image.extent.width, plane.width_divisor), part(image.extent.height, plane.height_divisor),
          part(image.extent.depth, 1)};
}

Image::Layout level_layout(const Image& image, const Plane& plane, std::uint32_t level) {
  Image::Layout at;
  at.plane = &plane;
  at.extent = level_extent(image, plane, level);
  at.block_bytes = VkDeviceSize{plane.bytes} * image.samples;
  const VkDeviceSize across = (at.extent.width + plane.block_width - 1) / plane.block_width;
  const VkDeviceSize down = (at.extent.height + plane.block_height - 1) / plane.block_height;
  at.row_pitch = across * at.block_bytes * settings().image_padding;
  at.row_pitch = (at.row_pitch + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  at.slice_pitch = at.row_pitch * down;
  at.size = at.slice_pitch * at.extent.depth;
  return at;
}

VkDeviceSize layer_size(const Image& image, const Plane& plane) {
  VkDeviceSize bytes = 0;
  for (std::uint32_t level = 0; level < image.levels; ++level) bytes += level_layout(image, plane, level).size;
  return bytes;
}

}  // namespace

const std::vector<Plane>& planes_of(VkFormat format) {
  static std::mutex mutex;
  static auto& known = *new std::map<VkFormat, std::vector<Plane>>;  // for queues that outlive main()
  const std::lock_guard lock(mutex);
  auto found = known.find(format);
  if (found == known.end()) found = known.emplace(format, make_planes(format)).first;
  return found->second;
}

const char* numeric_format(VkFormat format) {
  const tables::FormatInfo* known = tables::find_format(format);
  return known == nullptr ? "" : known->numeric;
}

VkDeviceSize plane_size(const Image& image, const Plane& plane) { return layer_size(image, plane) * image.layers; }

Image::Layout Image::layout(VkImageAspectFlagBits aspect, std::uint32_t level, std::uint32_t layer) const {
  const bool disjoint = (flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0;
  VkDeviceSize base = 0;
  for (const Plane& plane : planes_of(format)) {
    if (plane.aspect != aspect) {
      if (!disjoint) base += plane_size(*this, plane);
      continue;
    }
    if (level >= levels || layer >= layers) break;
    base += layer_size(*this, plane) * layer;
    for (std::uint32_t before = 0; before < level; ++before) base += level_layout(*this, plane, before).size;
    Layout at = level_layout(*this, plane, level);
    at.offset = base;
    return at;
  }
  return {};
}

std::byte* Image::data(VkImageAspectFlagBits aspect) const {
  if ((flags & VK_IMAGE_CREATE_DISJOINT_BIT) == 0) return binding.data();
  const auto& planes = planes_of(format);
  for (std::size_t i = 0; i < planes.size() && i < plane_bindings.size(); ++i)
    if (planes[i].aspect == aspect) return plane_bindings[i].data();
  return nullptr;
}

}  // namespace fake
