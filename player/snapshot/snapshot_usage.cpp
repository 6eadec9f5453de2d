// SPDX-License-Identifier: Apache-2.0
#include "player/snapshot/snapshot_usage.h"

#include "format/codec/schema.h"
#include "format/flags2.h"
#include "format/native_view.h"
#include "generated/args.h"
#include "player/plan/op_view.h"
#include "player/plan/plan_edit.h"

namespace rondo::player {

namespace {

constexpr VkImageUsageFlags kSource = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;

// Whether it is one already, whole.
bool is_source(const VkImageCreateInfo& info) {
  const auto* stencil =
      find_chained<VkImageStencilUsageCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO);
  return (info.usage & kSource) != 0 && (stencil == nullptr || (stencil->stencilUsage & kSource) != 0);
}

// Empty: the device can make it as a source, too.
std::string why_not(const VkImageCreateInfo& info, const LiveDevices& live, const LiveDevice& target) {
  if ((info.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) != 0) return "it is transient";
  if (info.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT || info.format == VK_FORMAT_UNDEFINED)
    return "how it is laid out is settled with others, and it was not made to be copied from";
  const auto get = reinterpret_cast<PFN_vkGetPhysicalDeviceImageFormatProperties>(
      live.get("vkGetPhysicalDeviceImageFormatProperties"));
  VkImageFormatProperties has{};
  const VkResult r =
      get(target.handle, info.format, info.imageType, info.tiling, info.usage | kSource, info.flags, &has);
  const bool fits = r >= 0 && info.extent.width <= has.maxExtent.width && info.extent.height <= has.maxExtent.height &&
                    info.extent.depth <= has.maxExtent.depth && info.mipLevels <= has.maxMipLevels &&
                    info.arrayLayers <= has.maxArrayLayers && (info.samples & has.sampleCounts) != 0;
  return fits ? std::string() : "the device cannot copy from images of this kind";
}

}  // namespace

Unreadable make_readable(Plan& plan, std::uint32_t end, const LiveDevices& live, const Targets& targets) {
  Unreadable unreadable;
  OpView view;
  for (std::uint32_t i = 0; i < end; ++i) {
    const Op& op = plan.ops[i];
    const CommandId id = codec::info(op.command).canonical;
    if (id == CommandId::vkCreateBuffer) {
      view.load(plan, op);
      const VkBufferCreateInfo& info = *view.as<args_vkCreateBuffer>().pCreateInfo;
      // These cannot be read whatever they are made for.
      if ((info.flags & VK_BUFFER_CREATE_PROTECTED_BIT) == 0 && (usage_of(info) & kPreprocessUsage) == 0)
        add_buffer_usage(plan, i, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    } else if (id == CommandId::vkCreateImage && op.device != kNone) {
      view.load(plan, op);
      const VkImageCreateInfo& info = *view.as<args_vkCreateImage>().pCreateInfo;
      if (is_source(info) || info.samples != VK_SAMPLE_COUNT_1_BIT) continue;
      std::string why = why_not(info, live, targets[op.device]);
      if (why.empty())
        add_image_usage(plan, i, kSource);
      else
        unreadable.emplace(op.subject, std::move(why));
    }
  }
  return unreadable;
}

}  // namespace rondo::player
