// SPDX-License-Identifier: Apache-2.0
// Copies between images and memory that the host makes (VK_EXT_host_image_copy).
// What the program got is got again, and compared.
#include <algorithm>
#include <cstring>

#include "format/codec/shapes.h"
#include "format/unverified.h"
#include "generated/args.h"
#include "model/gpu/texels.h"
#include "player/run/run.h"
#include "player/verify/difference.h"
#include "player/verify/psnr.h"

namespace rondo::player {

#ifdef VK_EXT_host_image_copy

namespace {

// In the driver's own layout, here; 0: it does not say.
std::uint64_t bytes_as_they_lie(const DeviceState& device, VkImage image, const VkImageSubresourceLayers& layers) {
  const Dispatch& vk = device.dispatch;
  const auto ask = vk.vkGetImageSubresourceLayout2EXT != nullptr ? vk.vkGetImageSubresourceLayout2EXT
                                                                 : vk.vkGetImageSubresourceLayout2KHR;
  if (ask == nullptr) return 0;
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < layers.layerCount; ++i) {
    const VkImageSubresource2EXT asked{VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_EXT,
                                       nullptr,
                                       {layers.aspectMask, layers.mipLevel, layers.baseArrayLayer + i}};
    VkSubresourceHostMemcpySizeEXT size{};
    size.sType = VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE_EXT;
    VkSubresourceLayout2EXT layout{};
    layout.sType = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_EXT;
    layout.pNext = &size;
    ask(device.handle, image, &asked, &layout);
    all += size.size;
  }
  return all;
}

Result<void> check_length(Run& run, const Op& op, VkImage image, const VkImageSubresourceLayers& layers,
                          std::uint64_t captured) {
  const std::uint64_t here = bytes_as_they_lie(run.device(op), image, layers);
  if (here == captured) return {};
  return tl::unexpected<Error>(run.refuse(op, Status::device,
                                          "the driver's own layout of an image has " + std::to_string(here) +
                                              " bytes here and " + std::to_string(captured) + " in the capture"));
}

// lavapipe 25.0.7 copies whole texels of formats with depth and stencil, whichever aspect is named: so many
// times as much memory as the region takes has to be there.
std::uint64_t room_factor(Run& run, const Op& op, std::byte* args, const VkImage& image) {
  constexpr VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  const ObjectId id = run.patched_id(op, offset_in(args, &image));
  const VkFormat format = run.plan().resources[run.plan().place_of(id)].format;
  return (gpu::aspects_of(format) & both) == both ? 8 : 1;
}

// Of all regions together, each from a multiple of 16 on.
std::uint64_t rounded(std::uint64_t bytes) { return (bytes + 15) / 16 * 16; }
std::byte* room_for(Run& run, const std::vector<std::uint64_t>& bytes, std::uint64_t factor) {
  std::uint64_t all = 0;
  for (const std::uint64_t one : bytes) all += rounded(one) * factor;
  std::vector<std::byte>& room = run.output_buffer();
  if (room.size() < all) room.resize(all);
  return room.data();
}

// Of each region, as captured; a copy of no region has none.
const std::vector<std::uint64_t>& captured_bytes(const Run& run, const Op& op) {
  static const std::vector<std::uint64_t> none;
  const auto found = run.plan().host_bytes.find(op.sequence);
  return found == run.plan().host_bytes.end() ? none : found->second;
}

Result<void> to_image(Run& run, const Op& op, std::byte* args) {
  const auto& info = *as<args_vkCopyMemoryToImage>(args).pCopyMemoryToImageInfo;
  const std::vector<std::uint64_t>& bytes = captured_bytes(run, op);
  if ((info.flags & VK_HOST_IMAGE_COPY_MEMCPY_EXT) != 0)
    for (std::uint32_t i = 0; i < info.regionCount; ++i)
      RONDO_TRY(check_length(run, op, info.dstImage, info.pRegions[i].imageSubresource, bytes[i]));
  const std::uint64_t factor = room_factor(run, op, args, info.dstImage);
  if (factor == 1) return run.call_checked(op, args);
  std::byte* next = room_for(run, bytes, factor);
  for (std::uint32_t i = 0; i < info.regionCount; ++i) {
    auto& region = const_cast<VkMemoryToImageCopyEXT&>(info.pRegions[i]);
    std::memcpy(next, region.pHostPointer, bytes[i]);
    region.pHostPointer = next;
    next += rounded(bytes[i]) * factor;
  }
  return run.call_checked(op, args);
}

// The texels of a region without what lies between its rows.
std::vector<std::byte> texels_of(const VkImageToMemoryCopyEXT& region, VkFormat format, std::uint32_t layers,
                                 std::span<const std::byte> bytes) {
  const gpu::Block block = gpu::block_of(format, region.imageSubresource.aspectMask);
  const auto blocks = [](std::uint32_t texels, std::uint32_t unit) { return (std::size_t{texels} + unit - 1) / unit; };
  const VkExtent3D& e = region.imageExtent;
  const std::size_t row = blocks(e.width, block.width) * block.bytes;
  const std::size_t rows = blocks(e.height, block.height);
  const std::size_t pitch = blocks(std::max(region.memoryRowLength, e.width), block.width) * block.bytes;
  const std::size_t height = blocks(std::max(region.memoryImageHeight, e.height), block.height);
  std::vector<std::byte> packed;
  for (std::size_t slice = 0; slice < std::size_t{e.depth} * layers; ++slice)
    for (std::size_t y = 0; y < rows; ++y) {
      const auto from = bytes.subspan((slice * height + y) * pitch, row);
      packed.insert(packed.end(), from.begin(), from.end());
    }
  return packed;
}

// What the driver lays out itself may have bytes between texels that it leaves alone.
void compare(Run& run, const Op& op, ObjectId image, const VkImageToMemoryCopyEXT& region, bool as_it_lies,
             std::span<const std::byte> captured, std::span<const std::byte> here) {
  Observer& observer = run.observer();
  Comparison& counts = observer.verification.contents;
  const std::string what = "record " + std::to_string(op.sequence) + ": what the host copied out of " +
                           run.plan().full_name(image) + " mip " + std::to_string(region.imageSubresource.mipLevel) +
                           " layer " + std::to_string(region.imageSubresource.baseArrayLayer);
  if (op.lost) return observer.skip(counts, what, text_of(Unverified::lost));
  std::vector<std::byte> a(captured.begin(), captured.end()), b(here.begin(), here.end());
  const CapturedResource& resource = run.plan().resources[run.plan().place_of(image)];
  const std::uint32_t layers = region.imageSubresource.layerCount;
  if (!as_it_lies) {
    a = texels_of(region, resource.format, layers, captured);
    b = texels_of(region, resource.format, layers, here);
  }
  const Observer::Compared one{op.sequence, what, digest_of(a)};
  const Texels texels{resource.format, region.imageSubresource.aspectMask, region.imageExtent};
  std::string how_alike;
  if (a != b && !as_it_lies && observer.wanted_psnr && has_psnr(texels)) {
    const auto found = psnr(a, b, texels);
    if (found && observer.alike(counts, one, *found)) return;
    how_alike = psnr_text(found, *observer.wanted_psnr) + "; ";
  }
  if (!observer.first_to_differ(counts, one, digest_of(b))) return;
  observer.verification.first_difference =
      what + ": " + how_alike + (as_it_lies || layers != 1 ? describe_bytes(a, b, 0) : describe_texels(a, b, texels));
}

Result<void> to_memory(Run& run, const Op& op, std::byte* args) {
  const auto& info = *as<args_vkCopyImageToMemory>(args).pCopyImageToMemoryInfo;
  const bool as_it_lies = (info.flags & VK_HOST_IMAGE_COPY_MEMCPY_EXT) != 0;
  const std::vector<std::uint64_t>& bytes = captured_bytes(run, op);
  for (std::uint32_t i = 0; as_it_lies && i < info.regionCount; ++i)
    RONDO_TRY(check_length(run, op, info.srcImage, info.pRegions[i].imageSubresource, bytes[i]));
  const std::uint64_t factor = room_factor(run, op, args, info.srcImage);
  // Other than anything captured, where nothing is written.
  std::vector<const std::byte*> captured;
  std::byte* next = room_for(run, bytes, factor);
  for (std::uint32_t i = 0; i < info.regionCount; ++i) {
    auto& region = const_cast<VkImageToMemoryCopyEXT&>(info.pRegions[i]);
    captured.push_back(static_cast<const std::byte*>(region.pHostPointer));
    for (std::size_t b = 0; run.options().verify && !as_it_lies && b < bytes[i]; ++b) next[b] = ~captured.back()[b];
    if (run.options().verify && as_it_lies) std::memcpy(next, captured.back(), bytes[i]);
    region.pHostPointer = next;
    next += rounded(bytes[i]) * factor;
  }
  RONDO_TRY(run.call_checked(op, args));
  for (std::uint32_t i = 0; run.options().verify && i < info.regionCount; ++i) {
    const ObjectId image = run.patched_id(op, offset_in(args, &info.srcImage));
    compare(run, op, image, info.pRegions[i], as_it_lies, {captured[i], bytes[i]},
            {static_cast<const std::byte*>(info.pRegions[i].pHostPointer), bytes[i]});
  }
  return {};
}

}  // namespace

void add_host_copy_executors(std::vector<Executor>& table) {
  table[static_cast<std::size_t>(CommandId::vkCopyMemoryToImage)] = to_image;
  table[static_cast<std::size_t>(CommandId::vkCopyImageToMemory)] = to_memory;
}

#else

void add_host_copy_executors(std::vector<Executor>&) {}

#endif

}  // namespace rondo::player
