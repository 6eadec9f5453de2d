// SPDX-License-Identifier: Apache-2.0
// Copies that the host makes between images and memory: no member says how long the
// memory is.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/unit/codec_ignored.h"

#ifdef VK_EXT_host_image_copy

namespace rondo::test {
namespace {

class Lengths : public FakeContext {
 public:
  std::optional<std::uint64_t> host_texels(const HostRegion& region) override {
    asked.push_back(region);
    return bytes;
  }
  std::vector<HostRegion> asked;
  std::optional<std::uint64_t> bytes = 40;
};

template <class Region>
Region region_of(void* memory) {
  return {std::is_same_v<Region, VkMemoryToImageCopyEXT> ? VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT
                                                         : VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY_EXT,
          nullptr,
          memory,
          5,
          6,
          {VK_IMAGE_ASPECT_COLOR_BIT, 1, 2, 3},
          {},
          {7, 8, 9}};
}

class HostCopies : public testing::Test {
 protected:
  std::string encode(VkHostImageCopyFlagsEXT flags) {
    const auto region = region_of<VkMemoryToImageCopyEXT>(memory_);
    const VkCopyMemoryToImageInfoEXT info{VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT,
                                          nullptr,
                                          flags,
                                          handle<VkImage>(9),
                                          VK_IMAGE_LAYOUT_GENERAL,
                                          1,
                                          &region};
    const args_vkCopyMemoryToImage args{handle<VkDevice>(1), &info};
    return codec::encode(buffer_, context_, CommandId::vkCopyMemoryToImageEXT, &args).error;
  }

  char memory_[1000] = "the texels";
  Lengths context_;
  codec::Buffer buffer_;
  codec::Lowered lowered_;
};

TEST_F(HostCopies, AskHowLongTheirMemoryIs) {
  ASSERT_EQ(encode(VK_HOST_IMAGE_COPY_MEMCPY_EXT), "");
  ASSERT_EQ(context_.asked.size(), 1u);
  const auto& asked = context_.asked[0];
  EXPECT_EQ(asked.image, 9u);
  EXPECT_TRUE(asked.as_it_lies);
  EXPECT_EQ(asked.row_length, 5u);
  EXPECT_EQ(asked.image_height, 6u);
  EXPECT_EQ(asked.layers.layerCount, 3u);
  EXPECT_EQ(asked.extent.depth, 9u);
  ASSERT_TRUE(codec::decode(lowered_, own_ids(), CommandId::vkCopyMemoryToImageEXT, buffer_.bytes()));
  ASSERT_EQ(lowered_.data.size(), 1u);
  EXPECT_EQ(lowered_.data[0].bytes, 40u);
  const auto* args = static_cast<const args_vkCopyMemoryToImage*>(relocate(lowered_, context_.blobs));
  EXPECT_STREQ(static_cast<const char*>(args->pCopyMemoryToImageInfo->pRegions[0].pHostPointer), memory_);
}

TEST_F(HostCopies, AreRefusedWhereNobodyKnows) {
  context_.bytes.reset();
  EXPECT_NE(encode(0).find("pHostPointer: how much of it the copy touches is not known"), std::string::npos);
}

// The player has its own place for them, and compares.
TEST_F(HostCopies, ToMemoryKeepWhatTheProgramGot) {
  context_.bytes = 1000;
  const auto region = region_of<VkImageToMemoryCopyEXT>(memory_);
  const VkCopyImageToMemoryInfoEXT info{VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO_EXT,
                                        nullptr,
                                        0,
                                        handle<VkImage>(9),
                                        VK_IMAGE_LAYOUT_GENERAL,
                                        1,
                                        &region};
  const args_vkCopyImageToMemory args{handle<VkDevice>(1), &info};
  ASSERT_EQ(codec::encode(buffer_, context_, CommandId::vkCopyImageToMemoryEXT, &args).error, "");
  ASSERT_TRUE(codec::decode(lowered_, own_ids(), CommandId::vkCopyImageToMemoryEXT, buffer_.bytes()));
  ASSERT_EQ(lowered_.blobs.size(), 1u);
  EXPECT_EQ(lowered_.blobs[0].bytes, 1000u);
  EXPECT_STREQ(reinterpret_cast<const char*>(context_.blobs.at(lowered_.blobs[0].digest).data()), memory_);
}

}  // namespace
}  // namespace rondo::test

#endif
