// SPDX-License-Identifier: Apache-2.0
// Copies of the host that would read or write what is not there; secondaries that
// would never end.
#include "tests/unit/player_hostile.h"

#ifdef VK_EXT_host_image_copy

namespace rondo::player {
namespace {

using test::kDevice;
using test::of_type;
using test::ok;

class HostileHostCopies : public test::PlayerHostile {
 protected:
  // 8 by 8 texels of 4 bytes, in rows of 10; the capture has `bytes` of them.
  void write(VkImage to, std::uint64_t bytes, VkHostImageCopyFlagsEXT flags = 0, std::int32_t left = 0) {
    capture.host_bytes = bytes;
    const auto region = region_of<VkMemoryToImageCopyEXT>(VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT, left);
    auto info = of_type<VkCopyMemoryToImageInfoEXT>(VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT);
    info.flags = flags;
    info.dstImage = to;
    info.dstImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    info.regionCount = 1;
    info.pRegions = &region;
    capture.call(CommandId::vkCopyMemoryToImageEXT, args_vkCopyMemoryToImage{kDevice, &info}, ok());
  }
  void read(VkImage from, std::uint64_t bytes) {
    capture.host_bytes = bytes;
    const auto region = region_of<VkImageToMemoryCopyEXT>(VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY_EXT, 0);
    auto info = of_type<VkCopyImageToMemoryInfoEXT>(VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO_EXT);
    info.srcImage = from;
    info.srcImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    info.regionCount = 1;
    info.pRegions = &region;
    capture.call(CommandId::vkCopyImageToMemoryEXT, args_vkCopyImageToMemory{kDevice, &info}, ok());
  }
  template <class Region>
  Region region_of(VkStructureType type, std::int32_t left) {
    auto region = of_type<Region>(type);
    region.pHostPointer = memory_.data();
    region.memoryRowLength = 10;
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageOffset = {left, 0, 0};
    region.imageExtent = {8, 8, 1};
    return region;
  }
  static constexpr std::uint64_t kEnough = (7 * 10 + 8) * 4;
  std::vector<std::byte> memory_ = std::vector<std::byte>(4096);
};

TEST_F(HostileHostCopies, HaveTheBytesThatTheyTake) {
  write(image(8, 8), kEnough);
  write(image(8, 8), kEnough - 1);
  refuses("a region has 311 bytes, and takes 312");
}
TEST_F(HostileHostCopies, HaveTheBytesThatTheyGive) {
  read(image(8, 8), kEnough - 1);
  refuses("vkCopyImageToMemoryEXT: a region has 311 bytes, and takes 312");
}
TEST_F(HostileHostCopies, StayInTheirImage) {
  write(image(8, 8), kEnough, 0, 1);
  refuses("has texels outside mip 0 of VkImage#0");
}
TEST_F(HostileHostCopies, OfImagesThatHaveMemory) {
  write(image(8, 8, 1, false), kEnough);
  refuses("dstImage is VkImage#0, which no memory is bound to");
}
TEST_F(HostileHostCopies, InTheDriversLayoutHaveNoRowsOfTheirOwn) {
  write(image(8, 8), 4096, VK_HOST_IMAGE_COPY_MEMCPY_EXT);
  refuses("a region of the driver's own layout says how long its rows are");
}
TEST_F(HostileHostCopies, TransitionsEndInALayout) {
  auto info = of_type<VkHostImageLayoutTransitionInfoEXT>(VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO_EXT);
  info.image = image(8, 8);
  info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  info.newLayout = VK_IMAGE_LAYOUT_PREINITIALIZED;
  capture.call(CommandId::vkTransitionImageLayoutEXT, args_vkTransitionImageLayout{kDevice, 1, &info}, ok());
  refuses("newLayout is one that nothing can be in");
}

}  // namespace
}  // namespace rondo::player

#endif
