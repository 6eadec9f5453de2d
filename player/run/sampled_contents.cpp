// SPDX-License-Identifier: Apache-2.0
#include "player/run/sampled_contents.h"

#include <algorithm>

#include "format/native_view.h"
#include "generated/args.h"
#include "model/gpu/samples.h"
#include "model/gpu/texels.h"
#include "player/devices/preflight.h"
#include "player/plan/op_view.h"
#include "player/plan/plan_edit.h"

namespace rondo::player {

namespace {

constexpr VkImageUsageFlags kCopies = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

// Imageless framebuffers say for what their images were made, which has to stay so: it is not known which
// images they will have.
using Attachments = std::vector<VkFramebufferAttachmentImageInfo>;
Attachments imageless_attachments(const Plan& plan) {
  Attachments all;
  OpView view;
  for (const Op& op : plan.ops) {
    if (codec::info(op.command).canonical != CommandId::vkCreateFramebuffer) continue;
    view.load(plan, op);
    const auto* images = find_chained<VkFramebufferAttachmentsCreateInfo>(
        view.as<args_vkCreateFramebuffer>().pCreateInfo->pNext, VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO);
    if (images != nullptr && images->pAttachmentImageInfos != nullptr)
      all.insert(all.end(), images->pAttachmentImageInfos,
                 images->pAttachmentImageInfos + images->attachmentImageInfoCount);
  }
  return all;
}
bool may_be_of(const VkImageCreateInfo& info, const Attachments& attachments) {
  return std::any_of(attachments.begin(), attachments.end(), [&](const VkFramebufferAttachmentImageInfo& one) {
    return ((one.usage ^ info.usage) & ~kCopies) == 0 && one.width == info.extent.width &&
           one.height == info.extent.height;
  });
}

}  // namespace

std::string why_no_samples(const VkImageCreateInfo& info, const LiveDevices& live, const LiveDevice& target) {
  if (std::string why = gpu::why_no_samples(info); !why.empty()) return why;
  const auto get = reinterpret_cast<PFN_vkGetPhysicalDeviceImageFormatProperties>(
      live.get("vkGetPhysicalDeviceImageFormatProperties"));
  const auto can = [&](VkFormat format, VkImageUsageFlags usage, VkImageCreateFlags flags) {
    VkImageFormatProperties has{};
    return get(target.handle, format, info.imageType, info.tiling, usage, flags, &has) >= 0 &&
           info.extent.width <= has.maxExtent.width && info.extent.height <= has.maxExtent.height &&
           info.arrayLayers <= has.maxArrayLayers && (info.samples & has.sampleCounts) != 0;
  };
  const VkPhysicalDeviceLimits& limits = target.properties.limits;
  if (info.extent.width > limits.maxFramebufferWidth || info.extent.height > limits.maxFramebufferHeight)
    return "the device does not draw to images as large";
  const VkImageUsageFlags more = gpu::samples_usage(info.format);
  if (!can(info.format, info.usage | more, info.flags | gpu::samples_flags(info.format)) ||
      !can(gpu::samples_view_format(info.format), info.usage | more, 0))
    return "the device cannot read and draw to the samples of images of this kind";
  return {};
}

const VkImageCreateInfo* info_of_image(const Plan& plan, ObjectId image, std::vector<std::byte>& storage) {
  const std::uint32_t place = plan.place_of(image);
  if (place >= plan.resources.size() || plan.resources[place].id != image || !plan.resources[place].image ||
      plan.resources[place].create_op == kNone)
    return nullptr;
  const Op& op = plan.ops[plan.resources[place].create_op];
  if (codec::info(op.command).canonical != CommandId::vkCreateImage) return nullptr;
  return native_block<args_vkCreateImage>(plan, op, storage).pCreateInfo;
}

std::set<ObjectId> make_samples_readable(Plan& plan, std::uint32_t end, const LiveDevices& live, const Targets& targets,
                                         const std::function<bool(ObjectId)>& wanted) {
  std::set<ObjectId> readable;
  const Attachments imageless = imageless_attachments(plan);
  OpView view;
  for (std::uint32_t i = 0; i < end; ++i) {
    const Op& op = plan.ops[i];
    if (codec::info(op.command).canonical != CommandId::vkCreateImage || op.device == kNone || !wanted(op.subject))
      continue;
    view.load(plan, op);
    const VkImageCreateInfo& info = *view.as<args_vkCreateImage>().pCreateInfo;
    if (info.samples == VK_SAMPLE_COUNT_1_BIT || may_be_of(info, imageless) ||
        !why_no_samples(info, live, targets[op.device]).empty())
      continue;
    add_image_usage(plan, i, gpu::samples_usage(info.format));
    flags_of(plan, i, &args_vkCreateImage::pCreateInfo, &VkImageCreateInfo::flags) |= gpu::samples_flags(info.format);
    readable.insert(op.subject);
  }
  return readable;
}

void make_compared_samples_readable(Plan& plan, const LiveDevices& live, const Targets& targets) {
  std::set<ObjectId> compared;
  OpView view;
  for (const Op& op : plan.ops) {
    if (codec::info(op.command).canonical != CommandId::rondoCheckpointSubresources) continue;
    view.load(plan, op);
    const auto& a = view.as<args_rondoCheckpointSubresources>();
    for (std::uint32_t i = 0; a.unverified == nullptr && i < a.count; ++i) compared.insert(view.id(&a.pImages[i]));
  }
  if (compared.empty()) return;
  plan.samples_read = make_samples_readable(plan, static_cast<std::uint32_t>(plan.ops.size()), live, targets,
                                            [&](ObjectId id) { return compared.count(id) != 0; });
}

void check_sampled_contents(const Plan& plan, std::uint32_t device, const LiveDevices& live, const LiveDevice& target,
                            std::vector<std::string>& shortfalls) {
  OpView view;
  std::vector<std::byte> storage;
  std::set<ObjectId> seen;
  for (const Op& op : plan.ops) {
    if (op.device != device || codec::info(op.command).canonical != CommandId::rondoImageContents) continue;
    view.load(plan, op);
    const ObjectId image = view.id(&view.as<args_rondoImageContents>().image);
    if (!seen.insert(image).second) continue;
    const VkImageCreateInfo* info = info_of_image(plan, image, storage);
    if (info == nullptr || info->samples == VK_SAMPLE_COUNT_1_BIT) continue;
    if (const std::string why = why_no_samples(*info, live, target); !why.empty())
      shortfalls.push_back(plan.name(image) + ", whose samples the cut brings: " + why);
  }
}

}  // namespace rondo::player
