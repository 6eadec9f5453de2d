// SPDX-License-Identifier: Apache-2.0
#include "model/gpu/decode.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "format/codec/schema.h"
#include "model/gpu/texels.h"

namespace rondo::gpu {

namespace {

constexpr VkFormatFeatureFlags kSource = VK_FORMAT_FEATURE_BLIT_SRC_BIT, kTarget = VK_FORMAT_FEATURE_BLIT_DST_BIT;
constexpr VkDeviceSize kResultAlignment = 256;  // of the result in the buffer: a multiple of every texel

VkFormat target_of(std::string_view name) {
  if (name.find("_SRGB") != std::string_view::npos) return VK_FORMAT_R8G8B8A8_SRGB;
  if (name.find("_UNORM") != std::string_view::npos) return VK_FORMAT_R8G8B8A8_UNORM;
  return VK_FORMAT_R32G32B32A32_SFLOAT;
}

unsigned colors_of(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("_BC4_") || has("_EAC_R11_")) return 1;
  return has("_BC5_") || has("_EAC_R11G11_") ? 2 : 3;
}

}  // namespace

struct Decoder::Image {
  explicit Image(const Access& access) : access_(access) {}
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image() {
    if (handle != VK_NULL_HANDLE) access_.dispatch->vkDestroyImage(access_.device, handle, nullptr);
    if (memory != VK_NULL_HANDLE) access_.dispatch->vkFreeMemory(access_.device, memory, nullptr);
  }
  const Access& access_;
  VkImage handle = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
};

Decoder::Decoder(const Access& access, std::uint32_t queue_family,
                 std::function<VkFormatFeatureFlags(VkFormat)> features)
    : access_(access),
      features_(std::move(features)),
      staging_(access, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
               VK_MEMORY_PROPERTY_HOST_CACHED_BIT, "decoding texels"),
      commands_(access, queue_family) {}

Result<void> Decoder::make(Image& image, VkFormat format, VkExtent2D extent, VkImageUsageFlags usage) const {
  const Dispatch& vk = *access_.dispatch;
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {extent.width, extent.height, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = usage;
  if (const VkResult r = vk.vkCreateImage(access_.device, &info, nullptr, &image.handle); r != VK_SUCCESS) {
    image.handle = VK_NULL_HANDLE;
    return fail(Status::failed, describe("vkCreateImage", r));
  }
  VkMemoryRequirements needs;
  vk.vkGetImageMemoryRequirements(access_.device, image.handle, &needs);
  std::uint32_t type = find_memory_type(access_.memory, needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (type == UINT32_MAX) type = find_memory_type(access_.memory, needs.memoryTypeBits, 0);
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
  if (const VkResult r = vk.vkAllocateMemory(access_.device, &allocate, nullptr, &image.memory); r != VK_SUCCESS) {
    image.memory = VK_NULL_HANDLE;
    return fail(Status::failed, describe("vkAllocateMemory", r));
  }
  if (const VkResult r = vk.vkBindImageMemory(access_.device, image.handle, image.memory, 0); r != VK_SUCCESS)
    return fail(Status::failed, describe("vkBindImageMemory", r));
  return {};
}

void Decoder::record(VkCommandBuffer commands, const Image& from, const Image& to, VkFormat format, VkExtent2D extent,
                     VkDeviceSize result) const {
  const Dispatch& vk = *access_.dispatch;
  const VkImageAspectFlags aspect = aspects_of(format);
  const auto barrier = [&](VkImage image, VkImageLayout before, VkImageLayout after, VkAccessFlags written,
                           VkAccessFlags used) {
    VkImageMemoryBarrier one{};
    one.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    one.srcAccessMask = written;
    one.dstAccessMask = used;
    one.oldLayout = before;
    one.newLayout = after;
    one.srcQueueFamilyIndex = one.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    one.image = image;
    one.subresourceRange = {aspect, 0, 1, 0, 1};
    vk.vkCmdPipelineBarrier(commands, written == 0 ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT,
                            VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 1, &one);
  };
  constexpr VkImageLayout source = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, target = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  constexpr VkAccessFlags reads = VK_ACCESS_TRANSFER_READ_BIT, writes = VK_ACCESS_TRANSFER_WRITE_BIT;
  VkBufferImageCopy region{};
  region.imageSubresource = {aspect, 0, 0, 1};
  region.imageExtent = {extent.width, extent.height, 1};
  barrier(from.handle, VK_IMAGE_LAYOUT_UNDEFINED, target, 0, writes);
  vk.vkCmdCopyBufferToImage(commands, staging_.buffer(), from.handle, target, 1, &region);
  barrier(from.handle, target, source, writes, reads);
  barrier(to.handle, VK_IMAGE_LAYOUT_UNDEFINED, target, 0, writes);
  VkImageBlit blit{};
  blit.srcSubresource = blit.dstSubresource = region.imageSubresource;
  blit.srcOffsets[1] =
      blit.dstOffsets[1] = {static_cast<std::int32_t>(extent.width), static_cast<std::int32_t>(extent.height), 1};
  vk.vkCmdBlitImage(commands, from.handle, source, to.handle, target, 1, &blit, VK_FILTER_NEAREST);
  barrier(to.handle, target, source, writes, reads);
  region.bufferOffset = result;
  vk.vkCmdCopyImageToBuffer(commands, to.handle, source, staging_.buffer(), 1, &region);
  const VkMemoryBarrier to_host{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, writes, VK_ACCESS_HOST_READ_BIT};
  vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
                          nullptr, 0, nullptr);
}

Result<Decoded> Decoder::decode(VkQueue queue, VkFormat format, VkExtent2D extent, std::span<const std::byte> texels) {
  const std::string name(codec::enumerant_name(EnumId::VkFormat, format));
  Decoded out;
  out.format = target_of(name);
  out.colors = colors_of(name);
  if ((features_(format) & kSource) == 0) return fail(Status::device, "the device cannot blit from " + name);
  if ((features_(out.format) & kTarget) == 0)
    return fail(Status::device,
                "the device cannot blit to " + std::string(codec::enumerant_name(EnumId::VkFormat, out.format)));
  const VkExtent3D whole{extent.width, extent.height, 1};
  if (texels.size() != region_bytes(format, aspects_of(format), 0, 0, whole, 1))
    return fail(Status::failed, "its texels are of another size than " + name + " has");
  auto begun = commands_.begin();  // first: pending work may still use the buffer
  if (!begun) return tl::unexpected<Error>(begun.error());
  const VkDeviceSize result = (texels.size() + kResultAlignment - 1) / kResultAlignment * kResultAlignment;
  out.texels.resize(static_cast<std::size_t>(region_bytes(out.format, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, whole, 1)));
  RONDO_TRY(staging_.grow(result + out.texels.size()));
  std::memcpy(staging_.mapped(), texels.data(), texels.size());
  RONDO_TRY(staging_.flush());
  Image from(access_), to(access_);
  RONDO_TRY(make(from, format, extent, VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT));
  RONDO_TRY(make(to, out.format, extent, VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT));
  record(*begun, from, to, format, extent, result);
  RONDO_TRY(commands_.submit_and_wait(queue, {}));
  RONDO_TRY(staging_.invalidate());
  std::memcpy(out.texels.data(), staging_.mapped() + result, out.texels.size());
  return out;
}

}  // namespace rondo::gpu
