// SPDX-License-Identifier: Apache-2.0
// What is refused to be decoded, before the device is asked to do anything. What is decoded: scenarios,
// extract-pictures.
#include <gtest/gtest.h>

#include "model/gpu/decode.h"

namespace rondo::gpu {
namespace {

constexpr VkFormatFeatureFlags kAll = VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT;

Error refusal(const std::function<VkFormatFeatureFlags(VkFormat)>& features, VkFormat format, std::size_t bytes) {
  const Dispatch nothing{};  // no command may be called
  Access access;
  access.dispatch = &nothing;
  Decoder decoder(access, 0, features);
  const std::vector<std::byte> texels(bytes);
  const auto decoded = decoder.decode(VK_NULL_HANDLE, format, {4, 4}, texels);
  EXPECT_FALSE(decoded);
  return decoded ? Error{} : decoded.error();
}

TEST(Decoder, NamesTheFormatThatTheDeviceCannotBlit) {
  const auto source = refusal([](VkFormat) { return VkFormatFeatureFlags{0}; }, VK_FORMAT_BC1_RGB_UNORM_BLOCK, 8);
  EXPECT_EQ(source.status, Status::device);
  EXPECT_EQ(source.message, "the device cannot blit from VK_FORMAT_BC1_RGB_UNORM_BLOCK");
  const auto only_blocks = [](VkFormat format) {
    return format == VK_FORMAT_BC6H_UFLOAT_BLOCK ? kAll : VkFormatFeatureFlags{0};
  };
  const auto target = refusal(only_blocks, VK_FORMAT_BC6H_UFLOAT_BLOCK, 16);
  EXPECT_EQ(target.status, Status::device);
  EXPECT_EQ(target.message, "the device cannot blit to VK_FORMAT_R32G32B32A32_SFLOAT");
}

TEST(Decoder, RefusesTexelsOfAnotherSize) {
  const auto error = refusal([](VkFormat) { return kAll; }, VK_FORMAT_BC1_RGB_UNORM_BLOCK, 7);
  EXPECT_EQ(error.status, Status::failed);
  EXPECT_EQ(error.message, "its texels are of another size than VK_FORMAT_BC1_RGB_UNORM_BLOCK has");
}

}  // namespace
}  // namespace rondo::gpu
