// SPDX-License-Identifier: Apache-2.0
// What the device can do with each format. Every format of the registry that is
// not a video or ASTC 3D one is there.
#include <cstring>

#include "tests/icd/install.h"
#include "tests/icd/memory.h"
#include "tests/icd/physical_device.h"
#include "tests/icd/tables.h"

namespace fake {

namespace {

constexpr VkFormatFeatureFlags2 kTransfer = VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
constexpr VkFormatFeatureFlags2 kSampled =
    kTransfer | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_BLIT_SRC_BIT;
constexpr VkFormatFeatureFlags2 kRead =
    VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT | VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT;

bool is(const char* numeric, const char* what) { return std::strcmp(numeric, what) == 0; }
bool integer(const char* numeric) { return is(numeric, "UINT") || is(numeric, "SINT"); }

VkFormatFeatureFlags2 image_features(VkFormat format, bool linear) {
  const tables::FormatInfo* f = tables::find_format(format);
  if (f == nullptr || planes_of(format).empty()) return 0;
  if (f->planes.size() > 1)
    return linear
               ? kTransfer
               : kTransfer | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_2_DISJOINT_BIT |
                     VK_FORMAT_FEATURE_2_MIDPOINT_CHROMA_SAMPLES_BIT | VK_FORMAT_FEATURE_2_COSITED_CHROMA_SAMPLES_BIT |
                     VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT |
                     VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT;
  if (f->depth_bits != 0 || f->stencil) return linear ? 0 : kSampled | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT;
  VkFormatFeatureFlags2 all = kSampled;
  if (!integer(f->numeric)) all |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
  const bool compressed = f->block_width > 1 || f->block_height > 1;
  if (compressed) return all;
  all |= VK_FORMAT_FEATURE_2_BLIT_DST_BIT | VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT;
  if (!integer(f->numeric)) all |= VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BLEND_BIT;
  if (!is(f->numeric, "SRGB")) all |= VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT | kRead;
  if (format == VK_FORMAT_R32_UINT || format == VK_FORMAT_R32_SINT) all |= VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT;
  return all;
}

VkFormatFeatureFlags narrow_features(VkFormatFeatureFlags2 all) {
  return static_cast<VkFormatFeatureFlags>(all & 0x7fffffff);
}

VkFormatProperties format_properties(VkFormat format) {
  return {narrow_features(linear_features(format)), narrow_features(optimal_features(format)),
          narrow_features(buffer_features(format))};
}

void get_format(Call&, args_vkGetPhysicalDeviceFormatProperties& a) {
  *a.pFormatProperties = format_properties(a.format);
}

void get_format2(Call&, args_vkGetPhysicalDeviceFormatProperties2& a) {
  a.pFormatProperties->formatProperties = format_properties(a.format);
  for (auto* s = static_cast<VkBaseOutStructure*>(a.pFormatProperties->pNext); s != nullptr; s = s->pNext)
    if (s->sType == VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3) {
      auto& p = *reinterpret_cast<VkFormatProperties3*>(s);
      p.linearTilingFeatures = linear_features(a.format);
      p.optimalTilingFeatures = optimal_features(a.format);
      p.bufferFeatures = buffer_features(a.format);
    }
}

struct Wanted {
  VkFormat format;
  VkImageType type;
  VkImageTiling tiling;
  VkImageUsageFlags usage;
  VkImageCreateFlags flags;
};

VkFormatFeatureFlags2 needed(VkImageUsageFlags usage) {
  VkFormatFeatureFlags2 all = 0;
  if ((usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) != 0) all |= VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT;
  if ((usage & VK_IMAGE_USAGE_TRANSFER_DST_BIT) != 0) all |= VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
  if ((usage & VK_IMAGE_USAGE_SAMPLED_BIT) != 0) all |= VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT;
  if ((usage & VK_IMAGE_USAGE_STORAGE_BIT) != 0) all |= VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT;
  if ((usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) != 0) all |= VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT;
  if ((usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT) != 0)
    all |= VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT;
  return all;
}

VkResult image_format(const Wanted& w, VkImageFormatProperties& out) {
  out = {};
  const VkFormatFeatureFlags2 have =
      w.tiling == VK_IMAGE_TILING_LINEAR ? linear_features(w.format) : optimal_features(w.format);
  constexpr VkImageCreateFlags sparse = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT |
                                        VK_IMAGE_CREATE_SPARSE_ALIASED_BIT | VK_IMAGE_CREATE_PROTECTED_BIT;
  const bool mutable_format = (w.flags & (VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT)) ==
                              (VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT);
  if (have == 0 || (w.flags & sparse) != 0 || w.tiling > VK_IMAGE_TILING_LINEAR ||
      (!mutable_format && (needed(w.usage) & ~have) != 0))
    return VK_ERROR_FORMAT_NOT_SUPPORTED;
  const bool planar = planes_of(w.format).size() > 1 && tables::find_format(w.format)->planes.size() > 1;
  if (planar && w.type != VK_IMAGE_TYPE_2D) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  const bool simple = w.tiling == VK_IMAGE_TILING_LINEAR || planar;
  if (w.type == VK_IMAGE_TYPE_1D)
    out.maxExtent = {16384, 1, 1};
  else if (w.type == VK_IMAGE_TYPE_2D)
    out.maxExtent = {16384, 16384, 1};
  else
    out.maxExtent = {2048, 2048, 2048};
  out.maxMipLevels = simple ? 1 : w.type == VK_IMAGE_TYPE_3D ? 12 : 15;
  out.maxArrayLayers = w.type == VK_IMAGE_TYPE_3D ? 1 : planar ? 1 : 2048;
  const bool attachment =
      (have & (VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT)) != 0;
  out.sampleCounts = VK_SAMPLE_COUNT_1_BIT;
  if (!simple && attachment && w.type == VK_IMAGE_TYPE_2D && (w.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) == 0)
    out.sampleCounts |= VK_SAMPLE_COUNT_2_BIT | VK_SAMPLE_COUNT_4_BIT | VK_SAMPLE_COUNT_8_BIT;
  out.maxResourceSize = 1ull << 40;
  return VK_SUCCESS;
}

VkResult get_image_format(Call&, args_vkGetPhysicalDeviceImageFormatProperties& a) {
  return image_format({a.format, a.type, a.tiling, a.usage, a.flags}, *a.pImageFormatProperties);
}

VkResult get_image_format2(Call&, args_vkGetPhysicalDeviceImageFormatProperties2& a) {
  const auto& i = *a.pImageFormatInfo;
  bool external = false;
  for (auto* s = static_cast<const VkBaseInStructure*>(i.pNext); s != nullptr; s = s->pNext)
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO)
      external = reinterpret_cast<const VkPhysicalDeviceExternalImageFormatInfo*>(s)->handleType != 0;
  for (auto* s = static_cast<VkBaseOutStructure*>(a.pImageFormatProperties->pNext); s != nullptr; s = s->pNext) {
    if (s->sType == VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES)
      reinterpret_cast<VkSamplerYcbcrConversionImageFormatProperties*>(s)->combinedImageSamplerDescriptorCount = 1;
    if (s->sType == VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES)
      reinterpret_cast<VkExternalImageFormatProperties*>(s)->externalMemoryProperties = {};
  }
  const VkResult known =
      image_format({i.format, i.type, i.tiling, i.usage, i.flags}, a.pImageFormatProperties->imageFormatProperties);
  return external ? VK_ERROR_FORMAT_NOT_SUPPORTED : known;
}

}  // namespace

VkFormatFeatureFlags2 linear_features(VkFormat format) { return image_features(format, true); }
VkFormatFeatureFlags2 optimal_features(VkFormat format) { return image_features(format, false); }

VkFormatFeatureFlags2 buffer_features(VkFormat format) {
  const tables::FormatInfo* f = tables::find_format(format);
  if (f == nullptr || f->planes.size() > 1 || f->depth_bits != 0 || f->stencil || f->block_width > 1) return 0;
  VkFormatFeatureFlags2 all = VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT;
  if (is(f->numeric, "SRGB")) return all;
  all |= VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT | VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT | kRead;
  if (format == VK_FORMAT_R32_UINT || format == VK_FORMAT_R32_SINT)
    all |= VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_ATOMIC_BIT;
  return all;
}

void install_formats(Table& table) {
  table.behave<get_format>(CommandId::vkGetPhysicalDeviceFormatProperties);
  table.behave<get_format2>(CommandId::vkGetPhysicalDeviceFormatProperties2);
  table.behave<get_image_format>(CommandId::vkGetPhysicalDeviceImageFormatProperties);
  table.behave<get_image_format2>(CommandId::vkGetPhysicalDeviceImageFormatProperties2);
}

}  // namespace fake
