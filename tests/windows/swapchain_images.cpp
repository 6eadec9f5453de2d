// SPDX-License-Identifier: Apache-2.0
// Images that the program makes itself of a swapchain (VkImageSwapchainCreateInfoKHR,
// VkBindImageMemorySwapchainInfoKHR), drawn to and presented without asking the swapchain for its own. Some
// are destroyed and made anew on the way.
#include "tests/programs/image.h"
#include "window.h"

using namespace program;

namespace {

constexpr VkFormat kFormat = VK_FORMAT_B8G8R8A8_UNORM;
constexpr VkExtent2D kExtent{200, 160};
constexpr VkImageUsageFlags kUsage =
    VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;

VkSwapchainKHR create_swapchain(const Context& c, VkSurfaceKHR surface) {
  VkSurfaceCapabilitiesKHR caps;
  CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(c.physical, surface, &caps));
  const VkSwapchainCreateInfoKHR info{.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                      .surface = surface,
                                      .minImageCount = std::max(3u, caps.minImageCount),
                                      .imageFormat = kFormat,
                                      .imageExtent = kExtent,
                                      .imageArrayLayers = 1,
                                      .imageUsage = kUsage,
                                      .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
                                      .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                      .presentMode = VK_PRESENT_MODE_FIFO_KHR,
                                      .clipped = VK_TRUE};
  VkSwapchainKHR swapchain;
  CHECK(vkCreateSwapchainKHR(c.device, &info, nullptr, &swapchain));
  return swapchain;
}

VkImage image_of(const Context& c, VkSwapchainKHR swapchain, std::uint32_t index) {
  const VkImageSwapchainCreateInfoKHR of{VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR, nullptr, swapchain};
  VkImageCreateInfo info = image_info(kFormat, {kExtent.width, kExtent.height, 1}, kUsage);
  info.pNext = &of;
  const VkImage image = create_unbound_image(c, info);
  const VkBindImageMemorySwapchainInfoKHR which{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR, nullptr,
                                                swapchain, index};
  const VkBindImageMemoryInfo bind{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, &which, image, VK_NULL_HANDLE, 0};
  CHECK(vkBindImageMemory2(c.device, 1, &bind));
  return image;
}

void paint(VkCommandBuffer commands, VkImage image, std::uint32_t frame, const MappedBuffer& out) {
  const VkClearColorValue color{{static_cast<float>(frame) / 16, 0.5f, 1, 1}};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  const VkBufferImageCopy whole{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {kExtent.width, kExtent.height, 1}};
  constexpr VkImageLayout source = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, target = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  change_layout(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, target);
  vkCmdClearColorImage(commands, image, target, &color, 1, &all);
  change_layout(commands, image, target, source);
  vkCmdCopyImageToBuffer(commands, image, source, out.buffer, 1, &whole);
  change_layout(commands, image, source, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t frames = option(argc, argv, "--frames", 8);
  const auto system = open_xcb();
  Wanted wanted;
  wanted.api_version = VK_API_VERSION_1_2;
  wanted.instance_extensions = {VK_KHR_SURFACE_EXTENSION_NAME, system->surface_extension()};
  wanted.extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
  Context c = create_context("swapchain_images", wanted);
  Commands commands = create_commands(c);
  const auto window = system->create_window(kExtent.width, kExtent.height);
  const VkSurfaceKHR surface = window->create_surface(c.instance);
  VkBool32 presents = VK_FALSE;
  CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(c.physical, c.family, surface, &presents));
  if (presents != VK_TRUE) die("the queues do not present", 0);
  const VkSwapchainKHR swapchain = create_swapchain(c, surface);
  std::uint32_t count = 0;
  CHECK(vkGetSwapchainImagesKHR(c.device, swapchain, &count, nullptr));
  std::vector<VkImage> images(count);
  for (std::uint32_t i = 0; i < count; ++i) images[i] = image_of(c, swapchain, i);

  const std::uint32_t texels = kExtent.width * kExtent.height;
  MappedBuffer out = create_mapped_buffer(c, VkDeviceSize{4} * texels, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, nullptr, 0};
  VkSemaphore acquired, painted;
  CHECK(vkCreateSemaphore(c.device, &semaphore, nullptr, &acquired));
  CHECK(vkCreateSemaphore(c.device, &semaphore, nullptr, &painted));
  std::uint64_t sum = 0;
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    std::uint32_t index = 0;
    if (const VkResult r = vkAcquireNextImageKHR(c.device, swapchain, UINT64_MAX, acquired, VK_NULL_HANDLE, &index);
        r < 0)
      die("vkAcquireNextImageKHR", r);
    if (frame >= frames / 2) {  // another object for the same image
      vkDestroyImage(c.device, images[index], nullptr);
      images[index] = image_of(c, swapchain, index);
    }
    begin(commands);
    paint(commands.buffer, images[index], frame, out);
    CHECK(vkEndCommandBuffer(commands.buffer));
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo submit{
        VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &acquired, &stage, 1, &commands.buffer, 1, &painted};
    CHECK(vkQueueSubmit(c.queues[0], 1, &submit, commands.done));
    const VkPresentInfoKHR present{
        VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, nullptr, 1, &painted, 1, &swapchain, &index, nullptr};
    if (const VkResult r = vkQueuePresentKHR(c.queues[0], &present); r < 0) die("vkQueuePresentKHR", r);
    wait(c, commands);
    sum = sum * 31 + checksum(out.words, texels);
    if (out.words[5] != out.words[2000]) wrong("the image is of one color", frame);
  }
  CHECK(vkDeviceWaitIdle(c.device));
  for (const VkImage image : images) vkDestroyImage(c.device, image, nullptr);
  vkDestroySemaphore(c.device, acquired, nullptr);
  vkDestroySemaphore(c.device, painted, nullptr);
  destroy(c, out);
  vkDestroySwapchainKHR(c.device, swapchain, nullptr);
  vkDestroySurfaceKHR(c.instance, surface, nullptr);
  destroy(c, commands);
  destroy(c);
  std::printf("swapchain_images: checksum %016llx\n", static_cast<unsigned long long>(sum));
  return 0;
}
