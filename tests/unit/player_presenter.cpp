// SPDX-License-Identifier: Apache-2.0
// When windows go: behind their surfaces, or, where these cannot go, not at all.
#include <unistd.h>

#include <algorithm>

#include "player/run/deadline.h"
#include "player/show/presenter.h"
#include "tests/icd/fake.h"
#include "tests/icd/stage.h"
#include "tests/unit/player_sloppy.h"

namespace rondo::test {
namespace {

struct Ends {
  int windows = 0, desktops = 0;
  int early = 0;  // windows whose surface was there
};

auto calls_of(const char* command) {
  const std::vector<std::string> calls = fake::calls();
  return std::count(calls.begin(), calls.end(), command);
}

// Of a surface without a window, which the fake driver has.
class TestWindow : public player::DesktopWindow {
 public:
  explicit TestWindow(Ends& ends) : ends_(ends) { extent_ = {16, 16}; }
  ~TestWindow() override {
    ++ends_.windows;
    ends_.early += calls_of("vkCreateHeadlessSurfaceEXT") != calls_of("vkDestroySurfaceKHR") ? 1 : 0;
  }
  VkResult create_surface(VkInstance instance, const Dispatch& vk, VkSurfaceKHR* surface) override {
    const auto info = of_type<VkHeadlessSurfaceCreateInfoEXT>(VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT);
    return vk.vkCreateHeadlessSurfaceEXT(instance, &info, nullptr, surface);
  }
  void resize(VkExtent2D) override {}

 private:
  Ends& ends_;
};

class TestDesktop : public player::Desktop {
 public:
  explicit TestDesktop(Ends& ends) : ends_(ends) {}
  ~TestDesktop() override { ++ends_.desktops; }
  const char* surface_extension() const override { return VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME; }
  std::unique_ptr<player::DesktopWindow> create_window(VkExtent2D, const std::string&) override {
    return std::make_unique<TestWindow>(ends_);
  }
  void poll() override {}
  void catch_up() override {}
  std::vector<int> sockets() const override { return {}; }

 private:
  Ends& ends_;
};

class WindowEnds : public Sloppy {
 protected:
  void SetUp() override {
    auto surface = fresh<VkSurfaceKHR>();
    const auto headless = of_type<VkHeadlessSurfaceCreateInfoEXT>(VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT);
    capture.call(CommandId::vkCreateHeadlessSurfaceEXT,
                 args_vkCreateHeadlessSurfaceEXT{kInstance, &headless, nullptr, &surface}, ok());
    auto info = of_type<VkSwapchainCreateInfoKHR>(VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR);
    info.surface = surface;
    info.minImageCount = 2;
    info.imageFormat = VK_FORMAT_R8G8B8A8_UNORM;
    info.imageExtent = {16, 16};
    info.imageArrayLayers = 1;
    info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const auto swapchain = create<VkSwapchainKHR, args_vkCreateSwapchainKHR>(CommandId::vkCreateSwapchainKHR, info);
    std::uint32_t count = 1, index = 0;
    auto image = fresh<VkImage>();
    capture.call(CommandId::vkGetSwapchainImagesKHR, args_vkGetSwapchainImagesKHR{kDevice, swapchain, &count, &image},
                 ok());
    capture.call(CommandId::vkAcquireNextImageKHR,
                 args_vkAcquireNextImageKHR{kDevice, swapchain, UINT64_MAX, VK_NULL_HANDLE, create_fence(), &index},
                 ok());
    auto present = of_type<VkPresentInfoKHR>(VK_STRUCTURE_TYPE_PRESENT_INFO_KHR);
    present.swapchainCount = 1;
    present.pSwapchains = &swapchain;
    present.pImageIndices = &index;
    capture.call(CommandId::vkQueuePresentKHR, args_vkQueuePresentKHR{kQueue, &present}, ok());
  }

  // As play.cpp does. True: nothing was left running.
  static bool play(player::Plan& plan, double timeout, Ends& ends) {
    const auto stage = fake::set_stage(plan);
    EXPECT_TRUE(stage) << stage.error().message;
    player::Deadline deadline(timeout);
    player::Observer observer;
    player::PlacementCache placements;
    player::Windows windows;
    windows.desktop = std::make_unique<TestDesktop>(ends);
    player::RunOptions options;
    options.windows = &windows;
    player::Run run(plan, (*stage)->loader, (*stage)->targets, options, deadline, observer, placements);
    const Result<void> played = run.play();
    const Result<void> ended = run.finish();
    EXPECT_EQ(windows.shown, 1u);
    return played && ended;
  }
};

TEST_F(WindowEnds, BehindTheirSurfaces) {
  fake::Settings settings;
  settings.unified = true;
  fake::reset(settings);
  const auto built = plan();
  Ends ends;
  EXPECT_TRUE(play(*built, 30, ends));
  EXPECT_EQ(ends.windows, 1);
  EXPECT_EQ(ends.desktops, 1);
  EXPECT_EQ(ends.early, 0);
  for (const fake::Violation& v : fake::violations()) ADD_FAILURE() << v.command << ": " << v.what;
}

// In a process that ends there, as the player does.
TEST_F(WindowEnds, NotWhereWorkGoesOn) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto built = plan();
  EXPECT_EXIT(
      {
        fake::Settings settings;
        settings.unified = true;
        settings.delay_us = 60'000'000;
        fake::reset(settings);
        Ends ends;
        const bool all_ended = play(*built, 0.2, ends);
        _exit(!all_ended && ends.windows == 0 && ends.desktops == 0 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace rondo::test
