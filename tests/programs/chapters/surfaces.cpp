// SPDX-License-Identifier: Apache-2.0
// Presents on a surface without a window: a swapchain whose images are seen in two
// formats, drawn by render passes that leave them to be presented and load them again;
// counts of images that are too small; a swapchain in place of another.
#include "chapter.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;
constexpr VkFormat kFormats[2] = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB};

struct Chain {
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  std::vector<VkImage> images;
  std::vector<VkFramebuffer> framebuffers[2];  // by format
};

VkRenderPass create_pass(Session& s, VkFormat format, bool clears) {
  const VkAttachmentDescription color{0,
                                      format,
                                      VK_SAMPLE_COUNT_1_BIT,
                                      clears ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
                                      VK_ATTACHMENT_STORE_OP_STORE,
                                      VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                      VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                      clears ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
                                      VK_IMAGE_LAYOUT_PRESENT_SRC_KHR};
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  const VkSubpassDescription subpass{.colorAttachmentCount = 1, .pColorAttachments = &reference};
  const VkSubpassDependency dependencies[2] = {everything(VK_SUBPASS_EXTERNAL, 0), everything(0, VK_SUBPASS_EXTERNAL)};
  return program::create_pass(s, {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                  .attachmentCount = 1,
                                  .pAttachments = &color,
                                  .subpassCount = 1,
                                  .pSubpasses = &subpass,
                                  .dependencyCount = 2,
                                  .pDependencies = dependencies});
}

Chain create_chain(Session& s, VkSurfaceKHR surface, VkSwapchainKHR old, const VkRenderPass (&passes)[2]) {
  VkSurfaceCapabilitiesKHR can;
  CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(s.physical, surface, &can));
  const VkImageFormatListCreateInfo list{VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO, nullptr, 2, kFormats};
  const VkSwapchainCreateInfoKHR info{.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                      .pNext = &list,
                                      .flags = VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR,
                                      .surface = surface,
                                      .minImageCount = can.minImageCount < 3 ? 3 : can.minImageCount,
                                      .imageFormat = kFormats[0],
                                      .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
                                      .imageExtent = {kExtent, kExtent},
                                      .imageArrayLayers = 1,
                                      .imageUsage = kDrawnAndRead,
                                      .preTransform = can.currentTransform,
                                      .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                      .presentMode = VK_PRESENT_MODE_FIFO_KHR,
                                      .clipped = VK_FALSE,
                                      .oldSwapchain = old};
  Chain chain;
  CHECK(vkCreateSwapchainKHR(s.device, &info, nullptr, &chain.swapchain));
  keep(s, vkDestroySwapchainKHR, chain.swapchain);
  std::uint32_t count = 1;  // fewer than there are
  VkImage first;
  if (vkGetSwapchainImagesKHR(s.device, chain.swapchain, &count, &first) != VK_INCOMPLETE) die("images", count);
  CHECK(vkGetSwapchainImagesKHR(s.device, chain.swapchain, &count, nullptr));
  chain.images.resize(count);
  CHECK(vkGetSwapchainImagesKHR(s.device, chain.swapchain, &count, chain.images.data()));
  for (const VkImage image : chain.images)
    for (int i = 0; i < 2; ++i)
      chain.framebuffers[i].push_back(create_framebuffer(
          s, passes[i], {create_view(s, image, VK_IMAGE_VIEW_TYPE_2D, kFormats[i], kColor)}, kExtent));
  return chain;
}

}  // namespace

int main() {
  Needs needs({VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME});
  needs.instance_extensions = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
  Session s = open("surfaces", needs);
  LOAD(s, vkCreateHeadlessSurfaceEXT);
  const VkHeadlessSurfaceCreateInfoEXT surface_info{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
  VkSurfaceKHR surface;
  CHECK(vkCreateHeadlessSurfaceEXT(s.instance, &surface_info, nullptr, &surface));
  s.at_end.push_back([&] { vkDestroySurfaceKHR(s.instance, surface, nullptr); });
  VkBool32 presents = VK_FALSE;
  CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(s.physical, s.family, surface, &presents));
  if (presents == VK_FALSE) leave("presents on surfaces without a window");
  std::uint32_t formats = 0;
  CHECK(vkGetPhysicalDeviceSurfaceFormatsKHR(s.physical, surface, &formats, nullptr));
  std::vector<VkSurfaceFormatKHR> offered(formats);
  CHECK(vkGetPhysicalDeviceSurfaceFormatsKHR(s.physical, surface, &formats, offered.data()));
  bool fits = false;
  for (const VkSurfaceFormatKHR& one : offered) fits |= one.format == kFormats[0];
  if (!fits) leave("a surface's format");

  Drawing d = shapes(s);
  const VkRenderPass clears[2] = {create_pass(s, kFormats[0], true), create_pass(s, kFormats[1], true)},
                     loads[2] = {create_pass(s, kFormats[0], false), create_pass(s, kFormats[1], false)};
  VkPipeline pipelines[2];
  for (int i = 0; i < 2; ++i) {
    d.pass = clears[i];
    pipelines[i] = build(s, d);
  }
  const MappedBuffer out = create_readback(s, std::size_t{12} * kTexels * 4);
  const auto semaphore = [&] {
    const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore made;
    CHECK(vkCreateSemaphore(s.device, &info, nullptr, &made));
    return keep(s, vkDestroySemaphore, made);
  };
  VkDeviceSize used = 0;
  int n = 0;
  const auto paint = [&](const Chain& chain, std::uint32_t index, bool again, VkSemaphore ready, VkSemaphore done) {
    const int format = n % 2;
    VkClearValue value{};
    value.color.float32[1] = 0.25f;
    const VkRenderPassBeginInfo pass{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                     nullptr,
                                     again ? loads[format] : clears[format],
                                     chain.framebuffers[format][index],
                                     {{0, 0}, {kExtent, kExtent}},
                                     1,
                                     &value};
    vkCmdBeginRenderPass(s.cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[format]);
    const float left = static_cast<float>(n++ % 8) / 4 - 1;
    draw(s.cmd, d.layout, {left, left, left + 0.25f, 1, {0.5f, 0, static_cast<float>(n) / 16, 1}});
    vkCmdEndRenderPass(s.cmd);
    Image image;
    image.image = chain.images[index];
    image.info.extent = {kExtent, kExtent, 1};
    image.range = kColor;
    copy_out(s.cmd, image, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, out, used);
    used += kTexels * 4;
    barrier(s.cmd);
    CHECK(vkEndCommandBuffer(s.cmd));
    const VkPipelineStageFlags where = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &ready, &where, 1, &s.cmd, 1, &done};
    CHECK(vkQueueSubmit(s.queues[0], 1, &submit, s.commands.done));
    wait(s, s.commands);
    begin(s.commands);
  };
  const auto present = [&](const Chain& chain, std::uint32_t index, VkSemaphore done) {
    VkResult result = VK_ERROR_UNKNOWN;
    const VkPresentInfoKHR info{
        VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, nullptr, 1, &done, 1, &chain.swapchain, &index, &result};
    CHECK(vkQueuePresentKHR(s.queues[0], &info));
    CHECK(result);
  };
  Chain chain = create_chain(s, surface, VK_NULL_HANDLE, clears);
  std::vector<bool> has(chain.images.size());
  for (int frame = 0; frame < 4; ++frame) {
    const VkSemaphore ready = semaphore(), done = semaphore();
    std::uint32_t index = 0;
    CHECK(vkAcquireNextImageKHR(s.device, chain.swapchain, UINT64_MAX, ready, VK_NULL_HANDLE, &index));
    paint(chain, index, has[index], ready, done);
    has[index] = true;
    present(chain, index, done);
  }
  CHECK(vkQueueWaitIdle(s.queues[0]));
  // Another takes its place.
  chain = create_chain(s, surface, chain.swapchain, clears);
  for (int frame = 0; frame < 2; ++frame) {
    const VkSemaphore ready = semaphore(), done = semaphore();
    std::uint32_t index = 0;
    CHECK(vkAcquireNextImageKHR(s.device, chain.swapchain, UINT64_MAX, ready, VK_NULL_HANDLE, &index));
    paint(chain, index, false, ready, done);
    present(chain, index, done);
  }
  CHECK(vkQueueWaitIdle(s.queues[0]));
  EXPECT(s, count(out.words, kTexels, 0xff000000) != kTexels && out.words[kTexels] != 0);
  add(s, out);
  return finish(s);
}
