// SPDX-License-Identifier: Apache-2.0
#include "analyzers/text/ktx2.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "format/codec/schema.h"
#include "model/gpu/texels.h"

namespace rondo::analyzers {

namespace {

std::string_view name_of(VkFormat format) { return codec::enumerant_name(EnumId::VkFormat, format); }

class Bytes {
 public:
  void u32(std::uint32_t value) { append(&value, sizeof value); }
  void u64(std::uint64_t value) { append(&value, sizeof value); }
  void append(const void* from, std::size_t count) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
  }
  void align(std::size_t to) { bytes_.resize((bytes_.size() + to - 1) / to * to); }
  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// "VK_FORMAT_R8_USCALED" is prohibited, "VK_FORMAT_R8_UINT" has the same bits. Packed ABGR and RGBA, too, but
// readers that follow the first revisions of the specification do not take the former.
VkFormat allowed(VkFormat format) {
  switch (format) {
    case VK_FORMAT_A8B8G8R8_UNORM_PACK32:
      return VK_FORMAT_R8G8B8A8_UNORM;
    case VK_FORMAT_A8B8G8R8_SNORM_PACK32:
      return VK_FORMAT_R8G8B8A8_SNORM;
    case VK_FORMAT_A8B8G8R8_USCALED_PACK32:
    case VK_FORMAT_A8B8G8R8_UINT_PACK32:
      return VK_FORMAT_R8G8B8A8_UINT;
    case VK_FORMAT_A8B8G8R8_SSCALED_PACK32:
    case VK_FORMAT_A8B8G8R8_SINT_PACK32:
      return VK_FORMAT_R8G8B8A8_SINT;
    case VK_FORMAT_A8B8G8R8_SRGB_PACK32:
      return VK_FORMAT_R8G8B8A8_SRGB;
    default:
      break;
  }
  // Vulkan 1.0 numbers each layout's formats UNORM, SNORM, USCALED, SSCALED, UINT, SINT.
  return name_of(format).find("SCALED") == std::string_view::npos ? format : static_cast<VkFormat>(format + 2);
}

}  // namespace

std::uint32_t ktx2_type_bytes(VkFormat format) {
  const std::string_view name = name_of(format);
  if (const std::size_t pack = name.find("PACK"); pack != std::string_view::npos)
    return static_cast<std::uint32_t>(std::stoul(std::string(name.substr(pack + 4)))) / 8;
  if (name.find("_BLOCK") != std::string_view::npos) return 1;
  // The bits behind the first letter: "VK_FORMAT_R16G16_UNORM", "VK_FORMAT_D32_SFLOAT".
  const std::size_t digits = name.find_first_of("0123456789");
  return digits == std::string_view::npos
             ? 1
             : std::max(static_cast<std::uint32_t>(std::stoul(std::string(name.substr(digits)))) / 8, 1u);
}

std::vector<std::byte> encode_ktx2(const Ktx2Image& image, std::string_view writer) {
  constexpr unsigned char identifier[12] = {0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n', 0x1a, '\n'};
  constexpr std::uint32_t kIndexEnd = 12 + 9 * 4 + 4 * 4 + 2 * 8 + 3 * 8;  // header, index, one level
  const VkFormat format = allowed(image.format);
  const std::vector<std::uint32_t> descriptor = data_format_descriptor(format);
  const auto descriptor_bytes = static_cast<std::uint32_t>(4 + descriptor.size() * 4);
  std::string pair = "KTXwriter";
  pair.push_back('\0');
  pair += writer;
  pair.push_back('\0');
  const auto pair_bytes = static_cast<std::uint32_t>(4 + (pair.size() + 3) / 4 * 4);
  const std::uint32_t block = gpu::block_of(format, gpu::aspects_of(format)).bytes;
  const std::uint64_t alignment = std::lcm(std::max(block, 1u), 4u);
  const std::uint64_t level = (kIndexEnd + descriptor_bytes + pair_bytes + alignment - 1) / alignment * alignment;

  Bytes out;
  out.append(identifier, sizeof identifier);
  out.u32(static_cast<std::uint32_t>(format));
  out.u32(ktx2_type_bytes(format));
  out.u32(image.extent.width);
  // Those of fewer dimensions say 0; blocks have a height.
  out.u32(image.type == VK_IMAGE_TYPE_1D && !gpu::is_compressed(format) ? 0 : image.extent.height);
  out.u32(image.type == VK_IMAGE_TYPE_3D ? image.extent.depth : 0);
  out.u32(0);  // layers: no array
  out.u32(1);  // faces
  out.u32(1);  // levels
  out.u32(0);  // supercompression: none
  out.u32(kIndexEnd);
  out.u32(descriptor_bytes);
  out.u32(kIndexEnd + descriptor_bytes);
  out.u32(pair_bytes);
  out.u64(0);  // supercompression's global data
  out.u64(0);
  out.u64(level);
  out.u64(image.texels.size());
  out.u64(image.texels.size());  // uncompressed
  out.u32(descriptor_bytes);
  out.append(descriptor.data(), descriptor.size() * 4);
  out.u32(static_cast<std::uint32_t>(pair.size()));
  out.append(pair.data(), pair.size());
  out.align(4);
  out.align(static_cast<std::size_t>(alignment));
  out.append(image.texels.data(), image.texels.size());
  return out.take();
}

}  // namespace rondo::analyzers
