// SPDX-License-Identifier: Apache-2.0
// Chapters "Features", "Limits", "Formats" and "Additional Capabilities": what
// programs ask of a device before they do anything, of the device as a whole, of
// every format, of layouts and objects that are never made, and of its clocks.
// Afterwards it does a little work by what it was told.
#include "chapter.h"
#include "words.h"

using namespace program;

namespace {

// As much of every version's structures as there is; only what no driver changes is summed.
void ask_device(Session& s) {
  VkPhysicalDeviceVulkan13Properties v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
  VkPhysicalDeviceVulkan12Properties v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, &v13};
  VkPhysicalDeviceVulkan11Properties v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, &v12};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &v11};
  vkGetPhysicalDeviceProperties2(s.physical, &all);
  EXPECT(s, v13.maxBufferSize > 0 && v12.driverName[0] != 0 && v11.maxMemoryAllocationSize > 0);
  EXPECT(s, all.properties.limits.maxComputeWorkGroupSize[0] >= 128);
  std::uint32_t tools = 0;
  CHECK(vkGetPhysicalDeviceToolProperties(s.physical, &tools, nullptr));
  std::uint32_t layers = 0;
  CHECK(vkEnumerateInstanceLayerProperties(&layers, nullptr));
  std::uint32_t version = 0;
  CHECK(vkEnumerateInstanceVersion(&version));
  EXPECT(s, version >= VK_API_VERSION_1_3);
  std::uint32_t groups = 0;
  CHECK(vkEnumeratePhysicalDeviceGroups(s.instance, &groups, nullptr));
  std::vector<VkPhysicalDeviceGroupProperties> group(groups, {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES});
  CHECK(vkEnumeratePhysicalDeviceGroups(s.instance, &groups, group.data()));
  EXPECT(s, groups > 0 && group[0].physicalDeviceCount > 0);
}

void ask_formats(Session& s) {
  std::uint32_t usable = 0;
  for (int format = 1; format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; ++format) {
    VkFormatProperties3 more{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
    VkFormatProperties2 two{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &more};
    vkGetPhysicalDeviceFormatProperties2(s.physical, static_cast<VkFormat>(format), &two);
    const VkFormatProperties one = format_properties(s, static_cast<VkFormat>(format));
    EXPECT(s, one.optimalTilingFeatures == two.formatProperties.optimalTilingFeatures);
    if ((one.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) == 0) continue;
    const VkPhysicalDeviceImageFormatInfo2 asked{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                                 nullptr,
                                                 static_cast<VkFormat>(format),
                                                 VK_IMAGE_TYPE_2D,
                                                 VK_IMAGE_TILING_OPTIMAL,
                                                 VK_IMAGE_USAGE_SAMPLED_BIT,
                                                 0};
    VkImageFormatProperties2 found{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    if (vkGetPhysicalDeviceImageFormatProperties2(s.physical, &asked, &found) == VK_SUCCESS) ++usable;
  }
  EXPECT(s, usable > 20);
}

// Of layouts and objects that there are not.
void ask_unborn(Session& s) {
  const VkDescriptorSetLayoutBinding few{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4, kCompute, nullptr};
  const VkDescriptorSetLayoutCreateInfo layout{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 1,
                                               &few};
  VkDescriptorSetVariableDescriptorCountLayoutSupport count{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT};
  VkDescriptorSetLayoutSupport support{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT, &count};
  vkGetDescriptorSetLayoutSupport(s.device, &layout, &support);
  EXPECT(s, support.supported);
  const VkImageCreateInfo image = image_info(VK_FORMAT_R8G8B8A8_UNORM, 33, VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  const VkDeviceImageMemoryRequirements asked{VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS, nullptr, &image,
                                              VK_IMAGE_ASPECT_COLOR_BIT};
  VkMemoryRequirements2 needs{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  vkGetDeviceImageMemoryRequirements(s.device, &asked, &needs);
  EXPECT(s, needs.memoryRequirements.size >= 33 * 33 * 4);
  const VkImage same = keep(s, vkDestroyImage, create_unbound_image(s, image));
  VkMemoryRequirements there;
  vkGetImageMemoryRequirements(s.device, same, &there);
  EXPECT(s, there.size == needs.memoryRequirements.size && there.alignment == needs.memoryRequirements.alignment);
  std::uint32_t sparse = 0;
  vkGetDeviceImageSparseMemoryRequirements(s.device, &asked, &sparse, nullptr);
  EXPECT(s, sparse == 0);
  VkExtent2D granularity{};
  const VkRenderPassCreateInfo pass_info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .subpassCount = 1};
  VkSubpassDescription nothing{};
  VkRenderPassCreateInfo with_one = pass_info;
  with_one.pSubpasses = &nothing;
  vkGetRenderAreaGranularity(s.device, create_pass(s, with_one), &granularity);
  EXPECT(s, granularity.width > 0 && granularity.height > 0);
}

// Handles of other processes: programs ask, and do without.
void ask_external(Session& s) {
  const VkPhysicalDeviceExternalBufferInfo buffer{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO, nullptr, 0,
                                                  kCopies, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkExternalBufferProperties b{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  vkGetPhysicalDeviceExternalBufferProperties(s.physical, &buffer, &b);
  const VkPhysicalDeviceExternalFenceInfo fence{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO, nullptr,
                                                VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
  VkExternalFenceProperties f{VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES};
  vkGetPhysicalDeviceExternalFenceProperties(s.physical, &fence, &f);
  const VkPhysicalDeviceExternalSemaphoreInfo semaphore{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
                                                        nullptr, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkExternalSemaphoreProperties p{VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
  vkGetPhysicalDeviceExternalSemaphoreProperties(s.physical, &semaphore, &p);
  const VkPhysicalDeviceExternalImageFormatInfo handle{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
                                                       nullptr, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  const VkPhysicalDeviceImageFormatInfo2 image{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                               &handle,
                                               VK_FORMAT_R8G8B8A8_UNORM,
                                               VK_IMAGE_TYPE_2D,
                                               VK_IMAGE_TILING_OPTIMAL,
                                               VK_IMAGE_USAGE_SAMPLED_BIT,
                                               0};
  VkExternalImageFormatProperties external{VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
  VkImageFormatProperties2 found{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, &external};
  const VkResult result = vkGetPhysicalDeviceImageFormatProperties2(s.physical, &image, &found);
  EXPECT(s, result == VK_SUCCESS || result == VK_ERROR_FORMAT_NOT_SUPPORTED);
}

// By the commands of VK_EXT_calibrated_timestamps, or by those of its successor.
void ask_clocks(Session& s, const std::string& tag) {
  const auto domains_of = load<PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT>(
      s, ("vkGetPhysicalDeviceCalibrateableTimeDomains" + tag).c_str());
  const auto times_of = load<PFN_vkGetCalibratedTimestampsEXT>(s, ("vkGetCalibratedTimestamps" + tag).c_str());
  std::uint32_t count = 0;
  CHECK(domains_of(s.physical, &count, nullptr));
  std::vector<VkTimeDomainEXT> domains(count);
  CHECK(domains_of(s.physical, &count, domains.data()));
  std::vector<VkCalibratedTimestampInfoEXT> asked;
  for (const VkTimeDomainEXT domain : domains)
    asked.push_back({VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, nullptr, domain});
  std::vector<std::uint64_t> before(count), after(count);
  std::uint64_t deviation = 0;
  CHECK(times_of(s.device, count, asked.data(), before.data(), &deviation));
  CHECK(times_of(s.device, count, asked.data(), after.data(), &deviation));
  for (std::uint32_t i = 0; i < count; ++i) EXPECT(s, before[i] <= after[i]);
}

}  // namespace

int main() {
  Needs needs;
  constexpr char kClocks[] = "VK_KHR_calibrated_timestamps";
  needs.wished = {VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, kClocks};
  NEED(needs, Vulkan13Features, maintenance4);
  Session s = open("asked", needs);
  ask_device(s);
  ask_formats(s);
  ask_unborn(s);
  ask_external(s);
  if (has(needs, VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME)) ask_clocks(s, "EXT");
  if (has(needs, kClocks)) ask_clocks(s, "KHR");
  const MappedBuffer out = buffer(s, 256, kCopies);
  vkCmdFillBuffer(s.cmd, out.buffer, 0, 256, 3);
  run(s);
  EXPECT(s, out.words[63] == 3);
  add(s, out);
  return finish(s);
}
