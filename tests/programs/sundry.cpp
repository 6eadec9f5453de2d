// SPDX-License-Identifier: Apache-2.0
// Commands of extensions that lavapipe lacks and that newer ones have replaced:
// debug markers, conversions by their extension's name; what a program asks of a
// surface before it makes a swapchain; and names, tags and private data of those.
#include "session.h"

using namespace program;

namespace {

VkSurfaceKHR ask_surface(Session& s) {
  LOAD(s, vkCreateHeadlessSurfaceEXT);
  LOAD(s, vkGetPhysicalDeviceSurfaceCapabilities2KHR);
  LOAD(s, vkGetPhysicalDeviceSurfaceFormats2KHR);
  const VkHeadlessSurfaceCreateInfoEXT info{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
  VkSurfaceKHR surface;
  CHECK(vkCreateHeadlessSurfaceEXT(s.instance, &info, nullptr, &surface));
  s.at_end.push_back([&s, surface] { vkDestroySurfaceKHR(s.instance, surface, nullptr); });
  VkBool32 supported = VK_FALSE;
  CHECK(vkGetPhysicalDeviceSurfaceSupportKHR(s.physical, s.family, surface, &supported));
  EXPECT(s, supported == VK_TRUE);

  const VkPhysicalDeviceSurfaceInfo2KHR about{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR, nullptr, surface};
  VkSurfaceCapabilitiesKHR old;
  VkSurfaceCapabilities2KHR newer{VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR};
  CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(s.physical, surface, &old));
  CHECK(vkGetPhysicalDeviceSurfaceCapabilities2KHR(s.physical, &about, &newer));
  EXPECT(s, old.minImageCount == newer.surfaceCapabilities.minImageCount);
  std::uint32_t formats = 0, formats2 = 0, modes = 0, rectangles = 0;
  CHECK(vkGetPhysicalDeviceSurfaceFormatsKHR(s.physical, surface, &formats, nullptr));
  CHECK(vkGetPhysicalDeviceSurfaceFormats2KHR(s.physical, &about, &formats2, nullptr));
  CHECK(vkGetPhysicalDeviceSurfacePresentModesKHR(s.physical, surface, &modes, nullptr));
  CHECK(vkGetPhysicalDevicePresentRectanglesKHR(s.physical, surface, &rectangles, nullptr));
  EXPECT(s, formats > 0 && formats == formats2 && modes > 0);
  VkDeviceGroupPresentCapabilitiesKHR group{VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_CAPABILITIES_KHR};
  CHECK(vkGetDeviceGroupPresentCapabilitiesKHR(s.device, &group));
  VkDeviceGroupPresentModeFlagsKHR present = 0;
  CHECK(vkGetDeviceGroupSurfacePresentModesKHR(s.device, surface, &present));
  EXPECT(s, (present & VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR) != 0);
  return surface;
}

void convert(Session& s) {
  LOAD(s, vkCreateSamplerYcbcrConversionKHR);
  LOAD(s, vkDestroySamplerYcbcrConversionKHR);
  const VkSamplerYcbcrConversionCreateInfo info{.sType = VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO,
                                                .format = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
                                                .ycbcrModel = VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709,
                                                .xChromaOffset = VK_CHROMA_LOCATION_MIDPOINT,
                                                .yChromaOffset = VK_CHROMA_LOCATION_MIDPOINT,
                                                .chromaFilter = VK_FILTER_NEAREST};
  VkSamplerYcbcrConversion conversion;
  CHECK(vkCreateSamplerYcbcrConversionKHR(s.device, &info, nullptr, &conversion));
  const VkSamplerYcbcrConversionInfo by{VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO, nullptr, conversion};
  const VkSamplerCreateInfo sampler_info{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                         .pNext = &by,
                                         .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                         .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                         .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
  VkSampler sampler;
  CHECK(vkCreateSampler(s.device, &sampler_info, nullptr, &sampler));
  vkDestroySampler(s.device, sampler, nullptr);
  vkDestroySamplerYcbcrConversionKHR(s.device, conversion, nullptr);
}

void describe(Session& s, VkDebugReportObjectTypeEXT type, std::uint64_t object) {
  LOAD(s, vkDebugMarkerSetObjectNameEXT);
  LOAD(s, vkDebugMarkerSetObjectTagEXT);
  const VkDebugMarkerObjectNameInfoEXT name{VK_STRUCTURE_TYPE_DEBUG_MARKER_OBJECT_NAME_INFO_EXT, nullptr, type, object,
                                            "described"};
  CHECK(vkDebugMarkerSetObjectNameEXT(s.device, &name));
  const std::uint32_t tag[3] = {1, 2, 3};
  const VkDebugMarkerObjectTagInfoEXT tagged{
      VK_STRUCTURE_TYPE_DEBUG_MARKER_OBJECT_TAG_INFO_EXT, nullptr, type, object, 7, sizeof tag, tag};
  CHECK(vkDebugMarkerSetObjectTagEXT(s.device, &tagged));
}

// What is no object of a replay's device.
void describe_presentation(Session& s, VkSurfaceKHR surface) {
  VkSurfaceCapabilitiesKHR caps;
  CHECK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(s.physical, surface, &caps));
  VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
  info.surface = surface;
  info.minImageCount = caps.minImageCount;
  info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
  info.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  info.imageExtent = {16, 16};
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  info.preTransform = caps.currentTransform;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  VkSwapchainKHR swapchain;
  CHECK(vkCreateSwapchainKHR(s.device, &info, nullptr, &swapchain));
  std::uint32_t count = 0;
  CHECK(vkGetSwapchainImagesKHR(s.device, swapchain, &count, nullptr));
  std::vector<VkImage> images(count);
  CHECK(vkGetSwapchainImagesKHR(s.device, swapchain, &count, images.data()));
  const VkImage image = images[0];
  describe(s, VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT, reinterpret_cast<std::uint64_t>(surface));
  describe(s, VK_DEBUG_REPORT_OBJECT_TYPE_SWAPCHAIN_KHR_EXT, reinterpret_cast<std::uint64_t>(swapchain));
  describe(s, VK_DEBUG_REPORT_OBJECT_TYPE_IMAGE_EXT, reinterpret_cast<std::uint64_t>(image));
  const VkPrivateDataSlotCreateInfo slot_info{VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
  VkPrivateDataSlot slot;
  CHECK(vkCreatePrivateDataSlot(s.device, &slot_info, nullptr, &slot));
  CHECK(vkSetPrivateData(s.device, VK_OBJECT_TYPE_SWAPCHAIN_KHR, reinterpret_cast<std::uint64_t>(swapchain), slot, 7));
  CHECK(vkSetPrivateData(s.device, VK_OBJECT_TYPE_IMAGE, reinterpret_cast<std::uint64_t>(image), slot, 8));
  std::uint64_t kept = 0;
  vkGetPrivateData(s.device, VK_OBJECT_TYPE_SWAPCHAIN_KHR, reinterpret_cast<std::uint64_t>(swapchain), slot, &kept);
  EXPECT(s, kept == 7);
  vkDestroyPrivateDataSlot(s.device, slot, nullptr);
  s.at_end.push_back([&s, swapchain] { vkDestroySwapchainKHR(s.device, swapchain, nullptr); });
}

// A fill between markers, of a buffer with a name and a tag.
void mark(Session& s, const MappedBuffer& b) {
  LOAD(s, vkCmdDebugMarkerBeginEXT);
  LOAD(s, vkCmdDebugMarkerInsertEXT);
  LOAD(s, vkCmdDebugMarkerEndEXT);
  describe(s, VK_DEBUG_REPORT_OBJECT_TYPE_BUFFER_EXT, reinterpret_cast<std::uint64_t>(b.buffer));
  const VkDebugMarkerMarkerInfoEXT marker{
      VK_STRUCTURE_TYPE_DEBUG_MARKER_MARKER_INFO_EXT, nullptr, "fill", {1, 0.5f, 0, 1}};
  vkCmdDebugMarkerBeginEXT(s.cmd, &marker);
  vkCmdDebugMarkerInsertEXT(s.cmd, &marker);
  vkCmdFillBuffer(s.cmd, b.buffer, 0, VK_WHOLE_SIZE, 42);
  vkCmdDebugMarkerEndEXT(s.cmd);
}

}  // namespace

int main() {
  VkPhysicalDeviceSamplerYcbcrConversionFeatures conversions{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES, nullptr, VK_TRUE};
  VkPhysicalDevicePrivateDataFeatures feature{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES, &conversions,
                                              VK_TRUE};
  Wanted wanted;
  wanted.features = &feature;
  wanted.instance_extensions = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME,
                                VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME, VK_EXT_DEBUG_REPORT_EXTENSION_NAME};
  wanted.extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_KHR_DEVICE_GROUP_EXTENSION_NAME,
                       VK_KHR_SAMPLER_YCBCR_CONVERSION_EXTENSION_NAME, VK_EXT_DEBUG_MARKER_EXTENSION_NAME};
  Session s = open("sundry", wanted);
  describe_presentation(s, ask_surface(s));
  convert(s);
  const MappedBuffer b = buffer(s, 256, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  mark(s, b);
  run(s);
  EXPECT(s, b.words[0] == 42 && b.words[63] == 42);
  add(s, b);
  return finish(s);
}
