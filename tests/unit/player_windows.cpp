// SPDX-License-Identifier: Apache-2.0
// What a window's swapchain is made of, by what its surface offers.
#include <gtest/gtest.h>

#include "player/show/window_chain.h"

namespace rondo::player {

namespace {

constexpr VkColorSpaceKHR kUsual = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
constexpr VkSurfaceFormatKHR kUnorm{VK_FORMAT_B8G8R8A8_UNORM, kUsual}, kSrgb{VK_FORMAT_B8G8R8A8_SRGB, kUsual};

}  // namespace

TEST(WindowFormats, TheCapturedOneIfItIsOffered) {
  EXPECT_EQ(choose_surface_format({kUnorm, kSrgb}, VK_FORMAT_B8G8R8A8_SRGB).format, VK_FORMAT_B8G8R8A8_SRGB);
  EXPECT_EQ(choose_surface_format({kSrgb, kUnorm}, VK_FORMAT_B8G8R8A8_UNORM).format, VK_FORMAT_B8G8R8A8_UNORM);
}

TEST(WindowFormats, ElseOneThatShowsTheSameColors) {
  EXPECT_EQ(choose_surface_format({kUnorm, kSrgb}, VK_FORMAT_R8G8B8A8_SRGB).format, VK_FORMAT_B8G8R8A8_SRGB);
  EXPECT_EQ(choose_surface_format({kSrgb, kUnorm}, VK_FORMAT_R8G8B8A8_UNORM).format, VK_FORMAT_B8G8R8A8_UNORM);
  EXPECT_EQ(choose_surface_format({kUnorm, kSrgb}, VK_FORMAT_R16G16B16A16_SFLOAT).format, VK_FORMAT_B8G8R8A8_SRGB);
}

TEST(WindowFormats, NotOneOfAnotherColorSpace) {
  const VkSurfaceFormatKHR other{VK_FORMAT_R8G8B8A8_UNORM, VK_COLOR_SPACE_HDR10_ST2084_EXT};
  EXPECT_EQ(choose_surface_format({other, kUnorm}, VK_FORMAT_R8G8B8A8_UNORM).format, VK_FORMAT_B8G8R8A8_UNORM);
  EXPECT_EQ(choose_surface_format({other}, VK_FORMAT_B8G8R8A8_UNORM).format, VK_FORMAT_R8G8B8A8_UNORM);
  EXPECT_EQ(choose_surface_format({}, VK_FORMAT_B8G8R8A8_UNORM).format, VK_FORMAT_UNDEFINED);
}

TEST(WindowModes, TheCapturedOneIfItIsOfferedAndShowsItsImagesInTurn) {
  const std::vector<VkPresentModeKHR> offered{VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR,
                                              VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR};
  EXPECT_EQ(choose_present_mode(offered, VK_PRESENT_MODE_MAILBOX_KHR), VK_PRESENT_MODE_MAILBOX_KHR);
  EXPECT_EQ(choose_present_mode(offered, VK_PRESENT_MODE_IMMEDIATE_KHR), VK_PRESENT_MODE_FIFO_KHR);
  EXPECT_EQ(choose_present_mode(offered, VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR), VK_PRESENT_MODE_FIFO_KHR);
}

TEST(WindowExtents, TheSurfacesOwnOrWithinItsLimits) {
  VkSurfaceCapabilitiesKHR surface{};
  surface.minImageExtent = {16, 16};
  surface.maxImageExtent = {100, 100};
  surface.currentExtent = {0, 0};  // minimized
  EXPECT_EQ(choose_extent(surface, {64, 64}).width, 0u);
  surface.currentExtent = {UINT32_MAX, UINT32_MAX};
  EXPECT_EQ(choose_extent(surface, {64, 200}).width, 64u);
  EXPECT_EQ(choose_extent(surface, {64, 200}).height, 100u);
  EXPECT_EQ(choose_extent(surface, {1, 200}).width, 16u);
}

}  // namespace rondo::player
