// SPDX-License-Identifier: Apache-2.0
#include "player/plan/layouts.h"

#include <algorithm>
#include <tuple>

#include "format/codec/schema.h"
#include "generated/args.h"
#include "model/gpu/texels.h"

namespace rondo::player {

namespace {

// Beyond what the capture has: nothing in it takes or gives there.
bool is_outside(std::uint32_t family) {
  return family == VK_QUEUE_FAMILY_EXTERNAL || family == VK_QUEUE_FAMILY_FOREIGN_EXT;
}

bool overlap(std::uint64_t a, std::uint64_t a_count, std::uint64_t b, std::uint64_t b_count) {
  return a < b + b_count && b < a + a_count;
}

bool overlap(const model::Transition& a, const model::Transition& b) {
  if (a.resource != b.resource || a.is_image != b.is_image) return false;
  if (!a.is_image) {
    const auto size = [](const model::Transition& e) {
      return e.size == VK_WHOLE_SIZE ? VK_WHOLE_SIZE - e.offset : e.size;
    };
    return overlap(a.offset, size(a), b.offset, size(b));
  }
  return (a.range.aspectMask & b.range.aspectMask) != 0 &&
         overlap(a.range.baseMipLevel, a.range.levelCount, b.range.baseMipLevel, b.range.levelCount) &&
         overlap(a.range.baseArrayLayer, a.range.layerCount, b.range.baseArrayLayer, b.range.layerCount);
}

}  // namespace

PartRange parts_of(const ImageLayouts& image, const VkImageSubresourceRange& range) {
  PartRange parts;
  const bool planes = image.planar && (range.aspectMask & VK_IMAGE_ASPECT_COLOR_BIT) != 0;
  for (std::size_t i = 0; i < image.aspects.size(); ++i)
    if (planes || (range.aspectMask & image.aspects[i]) != 0) parts.aspects.push_back(i);
  const auto clip = [](std::uint32_t base, std::uint32_t count, std::uint32_t all) {
    const std::uint32_t first = std::min(base, all);
    return std::pair(first, first + std::min(count, all - first));
  };
  std::tie(parts.first_mip, parts.end_mip) = clip(range.baseMipLevel, range.levelCount, image.mips);
  std::tie(parts.first_layer, parts.end_layer) =
      image.volume ? std::pair(0u, 1u) : clip(range.baseArrayLayer, range.layerCount, image.layers);
  parts.all = parts.aspects.size() == image.aspects.size() && parts.end_mip - parts.first_mip == image.mips &&
              parts.end_layer - parts.first_layer == image.layers;
  return parts;
}

void LayoutTracker::add_image(ObjectId id, const VkImageCreateInfo& info) {
  ImageLayouts image;
  image.mips = info.mipLevels;
  image.volume = info.imageType == VK_IMAGE_TYPE_3D;
  image.layers = image.volume ? 1 : info.arrayLayers;
  image.shared = info.sharingMode == VK_SHARING_MODE_CONCURRENT;
  image.planar = gpu::is_planar(info.format);
  const VkImageAspectFlags aspects = gpu::aspects_of(info.format);
  for (const VkImageAspectFlagBits aspect :
       {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT, VK_IMAGE_ASPECT_PLANE_0_BIT,
        VK_IMAGE_ASPECT_PLANE_1_BIT, VK_IMAGE_ASPECT_PLANE_2_BIT})
    if ((aspects & aspect) != 0 && !(aspect == VK_IMAGE_ASPECT_COLOR_BIT && image.planar))
      image.aspects.push_back(aspect);
  image.whole.layout = info.initialLayout;
  now_.images[id] = std::move(image);
}

void LayoutTracker::add_swapchain(const Op& op) {
  view_.load(plan_, op);
  const VkSwapchainCreateInfoKHR& info = *view_.as<args_vkCreateSwapchainKHR>().pCreateInfo;
  const std::uint32_t place = plan_.place_of(op.subject);
  if (place >= plan_.swapchains.size()) return;
  VkImageCreateInfo image{};
  image.imageType = VK_IMAGE_TYPE_2D;
  image.format = info.imageFormat;
  image.mipLevels = 1;
  image.arrayLayers = info.imageArrayLayers;
  image.sharingMode = info.imageSharingMode;
  for (const ObjectId id : plan_.swapchains[place].images)
    if (id != ObjectId::null) add_image(id, image);
}

void LayoutTracker::apply(const model::Transition& effect, std::uint32_t family) {
  const auto image = effect.is_image ? now_.images.find(effect.resource) : now_.images.end();
  if (effect.is_image && image == now_.images.end()) return;
  const bool shared = effect.is_image && image->second.shared;
  const bool moves = effect.source != effect.target && effect.source != VK_QUEUE_FAMILY_IGNORED &&
                     effect.target != VK_QUEUE_FAMILY_IGNORED && !shared;
  if (moves && !is_outside(effect.source) && !is_outside(effect.target)) {
    if (family == effect.source) {
      if (now_.transfers.size() >= kMostTransfers) too_many_ = true;
      if (!too_many_) now_.transfers.push_back(effect);
      return;
    }
    if (family != effect.target) return;
    std::erase_if(now_.transfers, [&](const Transfer& given) {
      return given.source == effect.source && given.target == effect.target && overlap(given, effect);
    });
  }
  if (!effect.is_image) return;
  const auto set = [&](PartLayout& part) {
    if (effect.from != effect.to) part.layout = effect.to;
    if (moves && is_outside(effect.target))
      part.family = effect.target;
    else if (family != VK_QUEUE_FAMILY_IGNORED && !shared)
      part.family = family;
  };
  ImageLayouts& layouts = image->second;
  const PartRange range = parts_of(layouts, effect.range);
  if (range.all && layouts.parts.empty()) return set(layouts.whole);
  if (layouts.parts.empty()) {
    if (layouts.part_count() > kMostParts - parts_) too_many_ = true;
    if (too_many_) return;
    parts_ += layouts.part_count();
    layouts.parts.assign(layouts.part_count(), layouts.whole);
  }
  RONDO_CHECK(layouts.parts.size() == layouts.part_count());
  range.each(layouts, [&](std::size_t part) { set(layouts.parts[part]); });
  if (!range.all) return;
  const bool same = std::all_of(layouts.parts.begin(), layouts.parts.end(),
                                [&](const PartLayout& part) { return part == layouts.parts.front(); });
  if (!same) return;
  layouts.whole = layouts.parts.front();
  lose_parts(layouts.parts.size());
  layouts.parts = {};
}

void LayoutTracker::lose_parts(std::size_t count) {
  RONDO_CHECK(count <= parts_);
  parts_ -= count;
}

void LayoutTracker::take(std::uint32_t index) {
  const Op& op = plan_.ops[index];
  recordings_.take(index);
  for (const model::Transition& effect : recordings_.transitions_now()) apply(effect, VK_QUEUE_FAMILY_IGNORED);
  run_.clear();
  order_.take(index, run_);
  for (const std::uint32_t submit : run_) {
    const auto family = families_.find(plan_.ops[submit].dispatch);
    for (const ObjectId id : submitted_commands(plan_, plan_.ops[submit]))
      if (const auto recording = recordings_.find(id); recording != nullptr)
        for (const model::Transition& effect : recording->transitions)
          apply(effect, family == families_.end() ? VK_QUEUE_FAMILY_IGNORED : family->second);
  }
  switch (codec::info(op.command).canonical) {
    case CommandId::vkGetDeviceQueue:
      view_.load(plan_, op);
      families_.emplace(op.subject, view_.as<args_vkGetDeviceQueue>().queueFamilyIndex);
      break;
    case CommandId::vkGetDeviceQueue2:
      view_.load(plan_, op);
      families_.emplace(op.subject, view_.as<args_vkGetDeviceQueue2>().pQueueInfo->queueFamilyIndex);
      break;
    case CommandId::vkCreateImage:
      view_.load(plan_, op);
      add_image(op.subject, *view_.as<args_vkCreateImage>().pCreateInfo);
      break;
    case CommandId::vkCreateSwapchainKHR:
      add_swapchain(op);
      break;
    default:
      break;
  }
  if (keeps_ended_) return;
  for (std::uint32_t i = 0; i < op.ended; ++i) {
    const ObjectId id = plan_.ended[op.first_ended + i];
    const auto image = now_.images.find(id);
    if (image != now_.images.end()) {
      lose_parts(image->second.parts.size());
      now_.images.erase(image);
    } else if (plan_.objects.objects()[id].type != HandleType::VkBuffer) {
      continue;
    }
    std::erase_if(now_.transfers, [&](const Transfer& given) { return given.resource == id; });
  }
}

}  // namespace rondo::player
