// SPDX-License-Identifier: Apache-2.0
// Images and formats that the target has not, or not as large.
#include <algorithm>
#include <cstring>

#include "format/codec/schema.h"
#include "format/flags2.h"
#include "generated/args.h"
#include "player/devices/preflight.h"

namespace rondo::player {

namespace {

std::string format_name(VkFormat format) {
  const std::string_view name = codec::enumerant_name(EnumId::VkFormat, format);
  return name.empty() ? "format " + std::to_string(static_cast<int>(format)) : std::string(name);
}

// What the program got beyond these numbers the captured device gave it.
void check_image(const std::string& what, const VkImageCreateInfo& info, const LiveDevices& devices,
                 const LiveDevice& target, bool captured_here, std::vector<std::string>& shortfalls) {
  auto get = reinterpret_cast<PFN_vkGetPhysicalDeviceImageFormatProperties>(
      devices.get("vkGetPhysicalDeviceImageFormatProperties"));
  VkImageFormatProperties has{};
  const VkResult r = get(target.handle, info.format, info.imageType, info.tiling, info.usage, info.flags, &has);
  if (r == VK_ERROR_FORMAT_NOT_SUPPORTED) {
    shortfalls.push_back(what + ": " + format_name(info.format) + " in the captured tiling, usage and flags");
    return;
  }
  if (r < 0 || captured_here) return;  // the create itself will tell
  const VkExtent3D& e = info.extent;
  if (e.width > has.maxExtent.width || e.height > has.maxExtent.height || e.depth > has.maxExtent.depth)
    shortfalls.push_back(what + ": " + std::to_string(e.width) + "x" + std::to_string(e.height) + "x" +
                         std::to_string(e.depth) + " texels (at most " + std::to_string(has.maxExtent.width) + "x" +
                         std::to_string(has.maxExtent.height) + "x" + std::to_string(has.maxExtent.depth) + ")");
  if (info.mipLevels > has.maxMipLevels)
    shortfalls.push_back(what + ": " + std::to_string(info.mipLevels) + " mip levels");
  if (info.arrayLayers > has.maxArrayLayers)
    shortfalls.push_back(what + ": " + std::to_string(info.arrayLayers) + " array layers");
  if ((info.samples & has.sampleCounts) == 0)
    shortfalls.push_back(what + ": " + std::to_string(info.samples) + " samples in " + format_name(info.format));
}

// One that nothing can be done with is none.
void check_format(const std::string& what, VkFormat format, const LiveDevices& devices, const LiveDevice& target,
                  std::vector<std::string>& shortfalls) {
  auto get =
      reinterpret_cast<PFN_vkGetPhysicalDeviceFormatProperties>(devices.get("vkGetPhysicalDeviceFormatProperties"));
  VkFormatProperties has{};
  get(target.handle, format, &has);
  if ((has.linearTilingFeatures | has.optimalTilingFeatures | has.bufferFeatures) == 0)
    shortfalls.push_back(what + ": " + format_name(format));
}

// How the view's buffer was made to be used.
VkFlags64 usage_of_buffer(const Plan& plan, const Op& view) {
  for (const Patch& patch : std::span(plan.patches).subspan(view.first_patch, view.patches)) {
    if (plan.objects.objects()[patch.id].type != HandleType::VkBuffer) continue;
    const std::uint32_t place = plan.place_of(patch.id);
    if (place == kNone || plan.resources[place].create_op == kNone) return 0;
    std::vector<std::byte> storage;
    const Op& create = plan.ops[plan.resources[place].create_op];
    const auto* info = native_block<args_vkCreateBuffer>(plan, create, storage).pCreateInfo;
    return info == nullptr ? 0 : usage_of(*info);
  }
  return 0;
}

// … or less, if the view says so.
VkFlags64 usage_of_view(const Plan& plan, const Op& op, const VkBufferViewCreateInfo& info) {
  const auto* own = flags2_in<BufferUsage2>(info.pNext, kBufferUsage2);
  return own != nullptr ? own->usage : usage_of_buffer(plan, op);
}

void check_texels(const std::string& what, VkFormat format, VkFlags64 usage, const LiveDevices& devices,
                  const LiveDevice& target, std::vector<std::string>& shortfalls) {
  auto get =
      reinterpret_cast<PFN_vkGetPhysicalDeviceFormatProperties>(devices.get("vkGetPhysicalDeviceFormatProperties"));
  VkFormatProperties has{};
  get(target.handle, format, &has);
  const auto check = [&](VkBufferUsageFlags use, VkFormatFeatureFlags feature, const char* texels) {
    if ((usage & use) != 0 && (has.bufferFeatures & feature) == 0)
      shortfalls.push_back(what + ": " + format_name(format) + " for " + texels + " texels of a buffer");
  };
  check(VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT, VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT, "uniform");
  check(VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT, VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT, "storage");
}

}  // namespace

void check_images(const Plan& plan, std::uint32_t device, const LiveDevices& devices, const LiveDevice& target,
                  bool captured_here, std::vector<std::string>& shortfalls) {
  std::vector<std::byte> storage;
  for (const Op& op : plan.ops) {
    if (op.device != device) continue;
    const std::string what = op.subject != ObjectId::null ? plan.name(op.subject) : std::string();
    switch (codec::info(op.command).canonical) {
      case CommandId::vkCreateImage: {
        const auto& args = native_block<args_vkCreateImage>(plan, op, storage);
        // Modifiers and external formats have questions of their own.
        if (args.pCreateInfo != nullptr && args.pCreateInfo->format != VK_FORMAT_UNDEFINED &&
            args.pCreateInfo->tiling != VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT)
          check_image(what, *args.pCreateInfo, devices, target, captured_here, shortfalls);
        break;
      }
      case CommandId::vkCreateSwapchainKHR: {
        const auto* info = native_block<args_vkCreateSwapchainKHR>(plan, op, storage).pCreateInfo;
        if (info == nullptr) break;
        VkImageCreateInfo image{};
        if ((info->flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR) != 0)
          image.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
        image.imageType = VK_IMAGE_TYPE_2D;
        image.format = info->imageFormat;
        image.extent = {info->imageExtent.width, info->imageExtent.height, 1};
        image.mipLevels = 1;
        image.arrayLayers = info->imageArrayLayers;
        image.samples = VK_SAMPLE_COUNT_1_BIT;
        image.usage = info->imageUsage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
        check_image(what + "'s images", image, devices, target, captured_here, shortfalls);
        break;
      }
      case CommandId::vkCreateImageView:
        if (const auto* info = native_block<args_vkCreateImageView>(plan, op, storage).pCreateInfo)
          check_format(what, info->format, devices, target, shortfalls);
        break;
      case CommandId::vkCreateBufferView:
        if (const auto* info = native_block<args_vkCreateBufferView>(plan, op, storage).pCreateInfo)
          check_texels(what, info->format, usage_of_view(plan, op, *info), devices, target, shortfalls);
        break;
      case CommandId::vkCreateRenderPass:
        if (const auto* info = native_block<args_vkCreateRenderPass>(plan, op, storage).pCreateInfo)
          for (std::uint32_t i = 0; i < info->attachmentCount; ++i)
            check_format(what, info->pAttachments[i].format, devices, target, shortfalls);
        break;
      case CommandId::vkCreateRenderPass2:
        if (const auto* info = native_block<args_vkCreateRenderPass2>(plan, op, storage).pCreateInfo)
          for (std::uint32_t i = 0; i < info->attachmentCount; ++i)
            check_format(what, info->pAttachments[i].format, devices, target, shortfalls);
        break;
      default:
        break;
    }
  }
  std::sort(shortfalls.begin(), shortfalls.end());
  shortfalls.erase(std::unique(shortfalls.begin(), shortfalls.end()), shortfalls.end());
}

}  // namespace rondo::player
