// SPDX-License-Identifier: Apache-2.0
// Acquires and presents in the work graph. Specification: "Window System Integration".
#include <gtest/gtest.h>

#include "analyzers/analysis/need_orders.h"
#include "analyzers/analysis/why.h"
#include "tests/unit/graph_scene.h"

namespace rondo::test {
namespace {

using analyzers::NeedState;
using Said = std::vector<std::string>;

const Call kPresentOk{.result = VK_SUCCESS};

struct PresentScene : GraphScene {
  const VkSwapchainKHR chain = handle<VkSwapchainKHR>(0x90);
  const VkSemaphore ready = semaphore(0x91), drawn = semaphore(0x92);
  VkImage images[2] = {handle<VkImage>(0x60), handle<VkImage>(0x61)};

  PresentScene() {
    VkSwapchainCreateInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
    info.surface = handle<VkSurfaceKHR>(0x70);
    info.imageFormat = VK_FORMAT_R8G8B8A8_UNORM;
    info.imageExtent = {16, 16};
    info.imageArrayLayers = 1;
    VkSwapchainKHR made = chain;
    capture.call(CommandId::vkCreateSwapchainKHR, args_vkCreateSwapchainKHR{device, &info, nullptr, &made}, kPresentOk);
    std::uint32_t two = 2;
    capture.call(CommandId::vkGetSwapchainImagesKHR, args_vkGetSwapchainImagesKHR{device, chain, &two, images},
                 kPresentOk);
  }

  VkSemaphore semaphore(std::uint64_t value) {
    VkSemaphoreCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    VkSemaphore made = handle<VkSemaphore>(value);
    capture.call(CommandId::vkCreateSemaphore, args_vkCreateSemaphore{device, &info, nullptr, &made}, kPresentOk);
    return made;
  }
  void acquire(std::uint32_t image, VkResult result = VK_SUCCESS) {
    capture.call(CommandId::vkAcquireNextImageKHR,
                 args_vkAcquireNextImageKHR{device, chain, UINT64_MAX, ready, VK_NULL_HANDLE, &image},
                 {.result = result});
  }
  // Clears the image. Waits for the semaphore of the acquire, or not.
  void clear_image(std::uint64_t commands_value, std::uint32_t image, bool waits) {
    const VkCommandBuffer one = command_buffer(commands_value);
    begin(one);
    transition(one, images[image], 0, 1, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    clear(one, images[image], 0);
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.waitSemaphoreCount = waits ? 1 : 0;
    info.pWaitSemaphores = &ready;
    info.pWaitDstStageMask = &stages;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &one;
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &drawn;
    capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{queue, 1, &info, VK_NULL_HANDLE}, kPresentOk);
  }
  void present(std::uint32_t image) {
    VkPresentInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
    info.waitSemaphoreCount = 1;
    info.pWaitSemaphores = &drawn;
    info.swapchainCount = 1;
    info.pSwapchains = &chain;
    info.pImageIndices = &image;
    capture.call(CommandId::vkQueuePresentKHR, args_vkQueuePresentKHR{queue, &info}, kPresentOk);
  }
};

TEST(GraphOfPresents, UseOfAnImageNeedsItsAcquireAndTheAcquireThePresentBefore) {
  PresentScene scene;
  scene.acquire(0);
  scene.clear_image(0x21, 0, true);
  scene.present(0);
  scene.acquire(1, VK_TIMEOUT);  // gets nothing
  scene.acquire(0);
  scene.clear_image(0x22, 0, true);
  scene.look([](const KeptGraph& graph) {
    ASSERT_EQ(graph.items.size(), 7u);
    EXPECT_EQ(graph.items[0].kind, graph::ItemKind::acquire);
    EXPECT_EQ(graph.items[0].work.command, CommandId::vkAcquireNextImageKHR);
    EXPECT_EQ(graph.needs_of[0], Said{});
    EXPECT_EQ(graph.items[1].kind, graph::ItemKind::transition);
    EXPECT_EQ(graph.needs_of[1], Said{"0 payload VkImage#0"});
    EXPECT_EQ(graph.needs_of[2], Said{"1 layout VkImage#0 COLOR mips 0:1 layers 0:1"});
    EXPECT_EQ(graph.items[3].kind, graph::ItemKind::present);
    EXPECT_EQ(graph.needs_of[3], Said{"2 RAW VkImage#0 COLOR mips 0:1 layers 0:1"});
    EXPECT_EQ(graph.items[4].kind, graph::ItemKind::acquire);
    EXPECT_EQ(graph.needs_of[4], (Said{"2 LIFETIME VkSemaphore#0", "3 payload VkImage#0"}));
    EXPECT_EQ(graph.needs_of[5], (Said{"2 layout VkImage#0 COLOR mips 0:1 layers 0:1",
                                       "3 layout VkImage#0 COLOR mips 0:1 layers 0:1", "4 payload VkImage#0"}));
    EXPECT_EQ(graph.needs_of[6], Said{"5 layout VkImage#0 COLOR mips 0:1 layers 0:1"});
  });
}

// The states of what the use of an image needs of its acquire.
struct PayloadStates final : analyzers::GraphVisitor {
  PayloadStates(analyzers::NeedOrders& all, const analyzers::GraphWalk& from) : orders(all), walk(from) {}
  bool item(const graph::Item& item, std::span<const graph::ItemNeed> needs, std::span<const graph::Piece>) override {
    const auto found = orders.take(needs, names, walk.spaces());
    for (std::size_t i = 0; i < needs.size(); ++i)
      if (needs[i].kinds == graph::kPayload && item.kind != graph::ItemKind::acquire) states.push_back(found[i].state);
    names.add(item, true);
    items.push_back(item.work);
    return true;
  }
  analyzers::NeedOrders& orders;
  const analyzers::GraphWalk& walk;
  analyzers::ItemNames names;
  std::vector<NeedState> states;
  std::vector<analyzers::WorkItem> items;
};

TEST(GraphOfPresents, OrdersOfAnAcquireAreThoseOfItsSemaphore) {
  for (const bool first : {false, true})
    for (const bool second : {false, true}) {
      PresentScene scene;
      scene.acquire(0);
      scene.clear_image(0x21, 0, first);
      scene.present(0);
      scene.acquire(0);
      scene.clear_image(0x22, 0, second);
      scene.capture.finish();
      auto orders = analyzers::NeedOrders::of(scene.file.path());
      auto walk = analyzers::GraphWalk::open(scene.file.path());
      ASSERT_TRUE(orders && walk);
      PayloadStates found(*orders, *walk);
      ASSERT_TRUE(walk->run(found, &orders->questions()));
      const auto state = [](bool waits) { return waits ? NeedState::ordered : NeedState::race; };
      EXPECT_EQ(found.states, (std::vector<NeedState>{state(first), state(second)})) << first << second;

      // Of each acquire, and the transition that uses the image first.
      for (const auto& [acquire, use, waits] :
           {std::tuple(found.items[0], found.items[1], first), std::tuple(found.items[4], found.items[5], second)}) {
        auto names = analyzers::GraphWalk::open(scene.file.path());
        ASSERT_TRUE(names);
        const auto why = analyzers::find_why(*names, scene.file.path(), {acquire.record, {}}, {use.record, use.submit});
        ASSERT_TRUE(why) << why.error().message;
        EXPECT_EQ(why->order, waits ? analyzers::Why::Order::all : analyzers::Why::Order::none) << first << second;
        ASSERT_EQ(why->data.size(), 1u);
        EXPECT_EQ(why->data[0].kinds, graph::kPayload);
        EXPECT_EQ(why->data[0].places, Said{"VkImage#0"});
      }
    }
}

}  // namespace
}  // namespace rondo::test
