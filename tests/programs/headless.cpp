// SPDX-License-Identifier: Apache-2.0
// Two swapchains on surfaces without a window: acquired with a semaphore and
// with a fence, by both commands; presented together; one is replaced by
// another (oldSwapchain) while its images are still in use.
//   headless [--frames N] [--read 1]   the host looks at each image, too
//            [--undrawn N]             the first N frames are presented as the driver left them
//            [--ahead 1]               acquires with the frame before it in flight
//            [--event 1]               has an event, for which work might wait
//            [--query 1]               copies in each frame what a query found in the first
//            [--model FILE]            reads it into a buffer that each frame copies from
#include <filesystem>
#include <fstream>

#include "objects.h"

using namespace program;

namespace {

constexpr VkFormat kFormat = VK_FORMAT_B8G8R8A8_UNORM;

struct Chain {
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  std::vector<VkImage> images;
  VkExtent2D extent{};
};

void create_swapchain(const Context& c, Chain& chain, VkExtent2D extent, VkSwapchainKHR old) {
  VkSurfaceCapabilitiesKHR caps;
  CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(c.physical, chain.surface, &caps));
  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.surface = chain.surface;
  info.minImageCount = caps.minImageCount < 3 ? 3 : caps.minImageCount;
  info.imageFormat = kFormat;
  info.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  info.imageExtent = chain.extent = extent;
  info.imageArrayLayers = 1;
  info.imageUsage =
      VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  info.preTransform = caps.currentTransform;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  info.clipped = VK_TRUE;
  info.oldSwapchain = old;
  CHECK(vkCreateSwapchainKHR(c.device, &info, nullptr, &chain.swapchain));
  std::uint32_t count = 0;
  CHECK(vkGetSwapchainImagesKHR(c.device, chain.swapchain, &count, nullptr));
  chain.images.resize(count);
  CHECK(vkGetSwapchainImagesKHR(c.device, chain.swapchain, &count, chain.images.data()));
}

Chain create_chain(const Context& c, VkExtent2D extent) {
  Chain chain;
  const auto create =
      reinterpret_cast<PFN_vkCreateHeadlessSurfaceEXT>(vkGetInstanceProcAddr(c.instance, "vkCreateHeadlessSurfaceEXT"));
  VkHeadlessSurfaceCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT;
  CHECK(create(c.instance, &info, nullptr, &chain.surface));
  VkBool32 supported = VK_FALSE;
  CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(c.physical, c.family, chain.surface, &supported));
  if (supported == VK_FALSE) die("the queue cannot present", 0);
  create_swapchain(c, chain, extent, VK_NULL_HANDLE);
  return chain;
}

std::uint32_t acquire(const Context& c, const Chain& chain, VkSemaphore semaphore, VkFence fence, bool second) {
  std::uint32_t index = 0;
  if (second) {
    VkAcquireNextImageInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_ACQUIRE_NEXT_IMAGE_INFO_KHR;
    info.swapchain = chain.swapchain;
    info.timeout = UINT64_MAX;
    info.semaphore = semaphore;
    info.fence = fence;
    info.deviceMask = 1;
    CHECK(vkAcquireNextImage2KHR(c.device, &info, &index));
  } else {
    CHECK(vkAcquireNextImageKHR(c.device, chain.swapchain, UINT64_MAX, semaphore, fence, &index));
  }
  return index;
}

// Whole numbers of 255ths: every driver makes the same bytes of them.
void paint(VkCommandBuffer commands, VkImage image, std::uint32_t red, std::uint32_t green) {
  const VkClearColorValue color{{static_cast<float>(red) / 255, static_cast<float>(green) / 255, 0, 1}};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &all);
}

// `out`: no buffer, or one to copy it into.
void fill(VkCommandBuffer commands, const Chain& chain, std::uint32_t index, bool draws, std::uint32_t red,
          std::uint32_t green, const MappedBuffer& out) {
  const VkImage image = chain.images[index];
  VkImageLayout layout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  change_layout(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, layout);
  if (draws) paint(commands, image, red, green);
  if (out.buffer != VK_NULL_HANDLE) {
    change_layout(commands, image, layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {chain.extent.width, chain.extent.height, 1};
    vkCmdCopyImageToBuffer(commands, image, layout, out.buffer, 1, &region);
    transfers_to_host(commands);
  }
  change_layout(commands, image, layout, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

VkQueryPool create_query(const Context& c) {
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_OCCLUSION;
  info.queryCount = 1;
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(c.device, &info, nullptr, &pool));
  return pool;
}

void ask_or_copy(VkCommandBuffer commands, VkQueryPool pool, bool asks, const MappedBuffer& to) {
  if (asks) {
    vkCmdResetQueryPool(commands, pool, 0, 1);
    vkCmdBeginQuery(commands, pool, 0, 0);
    vkCmdEndQuery(commands, pool, 0);
  } else {
    vkCmdCopyQueryPoolResults(commands, pool, 0, 1, to.buffer, 0, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  }
}

constexpr VkDeviceSize kCopied = 256;

// Where the copies go is behind it. The file stays open.
MappedBuffer read_model(const Context& c, const char* path) {
  const auto bytes = static_cast<std::uint32_t>(std::filesystem::file_size(path));
  MappedBuffer model =
      create_mapped_buffer(c, bytes + kCopied, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  static std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(model.words), bytes);
  return model;
}

void expect_painted(const Chain& chain, std::uint32_t red, std::uint32_t green, const MappedBuffer& out) {
  if (out.buffer == VK_NULL_HANDLE) return;
  for (std::uint32_t i = 0; i < chain.extent.width * chain.extent.height; ++i)
    if (out.words[i] != (0xff000000u | red << 16 | green << 8)) die("wrong texel", i);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t frames = option(argc, argv, "--frames", 12);
  const std::uint32_t undrawn = option(argc, argv, "--undrawn", 0);
  Wanted wanted;
  wanted.instance_extensions = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
  wanted.extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
  Context c = create_context("headless", wanted);
  Commands commands = create_commands(c);
  MappedBuffer outs[2];  // one texel a word, room for the largest of all images
  const bool reads = option(argc, argv, "--read", 0) != 0;
  for (MappedBuffer& out : outs)
    if (reads) out = create_mapped_buffer(c, 32 * 32 * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  Chain left = create_chain(c, {32, 16}), right = create_chain(c, {16, 16});
  const bool ahead = option(argc, argv, "--ahead", 0) != 0;
  const VkEvent event = option(argc, argv, "--event", 0) != 0 ? create_event(c) : VK_NULL_HANDLE;
  const bool asks = option(argc, argv, "--query", 0) != 0;
  const VkQueryPool query = asks ? create_query(c) : VK_NULL_HANDLE;
  const std::string_view model_path = argc > 2 && std::string_view(argv[argc - 2]) == "--model" ? argv[argc - 1] : "";
  MappedBuffer model{};
  if (!model_path.empty()) model = read_model(c, argv[argc - 1]);
  MappedBuffer found{};
  if (asks) found = create_mapped_buffer(c, 64, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  VkSemaphore acquireds[2] = {create_semaphore(c), create_semaphore(c)}, painted = create_semaphore(c);
  VkFence there = create_fence(c);
  std::uint32_t replaced = 0;
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    if (frame == frames / 2) {  // its images are not in use by the host any more
      const VkSwapchainKHR old = left.swapchain;
      create_swapchain(c, left, {24, 24}, old);
      CHECK(vkQueueWaitIdle(c.queues[0]));
      vkDestroySwapchainKHR(c.device, old, nullptr);
      ++replaced;
    }
    const VkSemaphore acquired = acquireds[ahead ? frame % 2 : 0];
    const std::uint32_t indices[2] = {acquire(c, left, acquired, VK_NULL_HANDLE, frame % 2 == 0),
                                      acquire(c, right, VK_NULL_HANDLE, there, frame % 3 == 0)};
    CHECK(vkWaitForFences(c.device, 1, &there, VK_TRUE, UINT64_MAX));
    CHECK(vkResetFences(c.device, 1, &there));
    if (ahead && frame != 0) wait(c, commands);
    begin(commands);
    if (asks) ask_or_copy(commands.buffer, query, frame == 0, found);
    if (model.buffer != VK_NULL_HANDLE) {
      const VkBufferCopy region{0, model.bytes - kCopied, kCopied};
      vkCmdCopyBuffer(commands.buffer, model.buffer, model.buffer, 1, &region);
    }
    const std::uint32_t shade = 17 * (frame % 16);
    const bool draws = frame >= undrawn;
    fill(commands.buffer, left, indices[0], draws, shade, 0, outs[0]);
    fill(commands.buffer, right, indices[1], draws, 0, shade, outs[1]);
    CHECK(vkEndCommandBuffer(commands.buffer));
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.waitSemaphoreCount = info.signalSemaphoreCount = info.commandBufferCount = 1;
    info.pWaitSemaphores = &acquired;
    info.pWaitDstStageMask = &stage;
    info.pCommandBuffers = &commands.buffer;
    info.pSignalSemaphores = &painted;
    CHECK(vkQueueSubmit(c.queues[0], 1, &info, commands.done));
    const VkSwapchainKHR both[2] = {left.swapchain, right.swapchain};
    VkResult results[2] = {};
    VkPresentInfoKHR present{};
    present.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
    present.waitSemaphoreCount = 1;
    present.pWaitSemaphores = &painted;
    present.swapchainCount = 2;
    present.pSwapchains = both;
    present.pImageIndices = indices;
    present.pResults = results;
    CHECK(vkQueuePresentKHR(c.queues[0], &present));
    if (ahead) continue;
    wait(c, commands);
    if (!draws) continue;
    expect_painted(left, shade, 0, outs[0]);
    expect_painted(right, 0, shade, outs[1]);
  }
  CHECK(vkDeviceWaitIdle(c.device));
  std::printf("headless: %u frames, %u replaced\n", frames, replaced);
  vkDestroyFence(c.device, there, nullptr);
  vkDestroyEvent(c.device, event, nullptr);
  vkDestroyQueryPool(c.device, query, nullptr);
  if (asks) destroy(c, found);
  if (model.buffer != VK_NULL_HANDLE) destroy(c, model);
  for (VkSemaphore semaphore : {acquireds[0], acquireds[1], painted}) vkDestroySemaphore(c.device, semaphore, nullptr);
  for (Chain* chain : {&left, &right}) {
    vkDestroySwapchainKHR(c.device, chain->swapchain, nullptr);
    vkDestroySurfaceKHR(c.instance, chain->surface, nullptr);
  }
  for (MappedBuffer& out : outs)
    if (reads) destroy(c, out);
  destroy(c, commands);
  destroy(c);
  return 0;
}
