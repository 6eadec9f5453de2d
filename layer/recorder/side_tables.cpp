// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/side_tables.h"

#include <algorithm>
#include <mutex>

#include "layer/driver/state.h"
#include "model/gpu/texels.h"

namespace rondo::layer {

namespace {

template <class Subpass>
codec::EncodeContext::SubpassUse use_of(const Subpass& subpass) {
  codec::EncodeContext::SubpassUse use;
  use.known = true;
  for (std::uint32_t i = 0; i < subpass.colorAttachmentCount; ++i)
    use.color |= subpass.pColorAttachments[i].attachment != VK_ATTACHMENT_UNUSED;
  use.depth_stencil =
      subpass.pDepthStencilAttachment != nullptr && subpass.pDepthStencilAttachment->attachment != VK_ATTACHMENT_UNUSED;
  return use;
}

template <class Info>
std::vector<codec::EncodeContext::SubpassUse> uses_of(const Info& info) {
  std::vector<codec::EncodeContext::SubpassUse> uses;
  for (std::uint32_t i = 0; i < info.subpassCount; ++i) uses.push_back(use_of(info.pSubpasses[i]));
  return uses;
}

}  // namespace

void SideTables::command_buffers(std::span<const VkCommandBuffer> handles, VkCommandBufferLevel level) {
  const std::lock_guard guard(lock_);
  for (VkCommandBuffer handle : handles) {
    if (level == VK_COMMAND_BUFFER_LEVEL_SECONDARY)
      secondaries_.insert(handle_value(handle));
    else
      secondaries_.erase(handle_value(handle));
  }
}

bool SideTables::is_secondary(std::uint64_t command_buffer) const {
  const std::shared_lock guard(lock_);
  return secondaries_.contains(command_buffer);
}

void SideTables::render_pass(VkRenderPass handle, const VkRenderPassCreateInfo& info) {
  auto uses = uses_of(info);
  const std::lock_guard guard(lock_);
  render_passes_[handle_value(handle)] = std::move(uses);
}

void SideTables::render_pass(VkRenderPass handle, const VkRenderPassCreateInfo2& info) {
  auto uses = uses_of(info);
  const std::lock_guard guard(lock_);
  render_passes_[handle_value(handle)] = std::move(uses);
}

codec::EncodeContext::SubpassUse SideTables::subpass_use(std::uint64_t render_pass, std::uint32_t subpass) const {
  const std::shared_lock guard(lock_);
  const auto found = render_passes_.find(render_pass);
  if (found == render_passes_.end() || subpass >= found->second.size()) return {};
  return found->second[subpass];
}

void SideTables::update_template(VkDescriptorUpdateTemplate handle, const VkDescriptorUpdateTemplateCreateInfo& info) {
  auto layout = std::make_shared<std::vector<codec::EncodeContext::TemplateEntry>>();
  for (std::uint32_t i = 0; i < info.descriptorUpdateEntryCount; ++i) {
    const VkDescriptorUpdateTemplateEntry& entry = info.pDescriptorUpdateEntries[i];
    layout->push_back(
        {static_cast<std::uint32_t>(entry.descriptorType), entry.descriptorCount, entry.offset, entry.stride});
  }
  const std::lock_guard guard(lock_);
  templates_[handle_value(handle)] = std::move(layout);
}

codec::EncodeContext::TemplateLayout SideTables::template_layout(std::uint64_t update_template) const {
  const std::shared_lock guard(lock_);
  const auto found = templates_.find(update_template);
  return found == templates_.end() ? nullptr : found->second;
}

void SideTables::host_image(VkDevice device, VkImage handle, const VkImageCreateInfo& info) {
  const std::lock_guard guard(lock_);
  host_images_[handle_value(handle)] = {device, info.format, info.arrayLayers};
}

namespace {

// Of a subresource in the driver's own layout.
std::optional<std::uint64_t> bytes_as_they_lie([[maybe_unused]] VkDevice device, [[maybe_unused]] VkImage image,
                                               [[maybe_unused]] const VkImageSubresource& part) {
#ifdef VK_EXT_host_image_copy
  const Dispatch& vk = next_of(device);
  const auto ask = vk.vkGetImageSubresourceLayout2EXT != nullptr   ? vk.vkGetImageSubresourceLayout2EXT
                   : vk.vkGetImageSubresourceLayout2KHR != nullptr ? vk.vkGetImageSubresourceLayout2KHR
                                                                   : vk.vkGetImageSubresourceLayout2;
  if (ask == nullptr) return std::nullopt;
  const VkImageSubresource2EXT asked{VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_EXT, nullptr, part};
  VkSubresourceHostMemcpySizeEXT size{};
  size.sType = VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE_EXT;
  VkSubresourceLayout2EXT layout{};
  layout.sType = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_EXT;
  layout.pNext = &size;
  ask(device, image, &asked, &layout);
  return size.size;
#else
  return std::nullopt;
#endif
}

}  // namespace

std::optional<std::uint64_t> SideTables::host_texels(const codec::EncodeContext::HostRegion& region) const {
  HostImage image;
  {
    const std::shared_lock guard(lock_);
    const auto found = host_images_.find(region.image);
    if (found == host_images_.end()) return std::nullopt;
    image = found->second;
  }
  VkImageSubresourceLayers layers = region.layers;
  if (layers.layerCount == VK_REMAINING_ARRAY_LAYERS)
    layers.layerCount = image.layers - std::min(image.layers, layers.baseArrayLayer);
  if (!region.as_it_lies) {
    const std::uint64_t bytes = gpu::region_bytes(image.format, layers.aspectMask, region.row_length,
                                                  region.image_height, region.extent, layers.layerCount);
    if (bytes == 0 || bytes >= UINT64_MAX - 1) return std::nullopt;
    return bytes;
  }
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < layers.layerCount; ++i) {
    const auto one = bytes_as_they_lie(image.device, reinterpret_cast<VkImage>(region.image),
                                       {layers.aspectMask, layers.mipLevel, layers.baseArrayLayer + i});
    if (!one) return std::nullopt;
    all += *one;
  }
  return all;
}

SideTables& side_tables() {
  static SideTables* const tables = new SideTables;
  return *tables;
}

}  // namespace rondo::layer
