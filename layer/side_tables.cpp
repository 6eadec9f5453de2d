// SPDX-License-Identifier: Apache-2.0
#include "layer/side_tables.h"

#include <algorithm>
#include <mutex>

namespace rondo::layer {

namespace {

template <class Subpass>
codec::EncodeContext::SubpassUse use_of(const Subpass& subpass) {
  codec::EncodeContext::SubpassUse use;
  use.known = true;
  for (std::uint32_t i = 0; i < subpass.colorAttachmentCount; ++i)
    use.color |= subpass.pColorAttachments[i].attachment != VK_ATTACHMENT_UNUSED;
  use.depth_stencil = subpass.pDepthStencilAttachment != nullptr &&
                      subpass.pDepthStencilAttachment->attachment != VK_ATTACHMENT_UNUSED;
  return use;
}

template <class Info>
std::vector<codec::EncodeContext::SubpassUse> uses_of(const Info& info) {
  std::vector<codec::EncodeContext::SubpassUse> uses;
  for (std::uint32_t i = 0; i < info.subpassCount; ++i) uses.push_back(use_of(info.pSubpasses[i]));
  return uses;
}

std::size_t item_bytes(VkDescriptorType type) {
  switch (type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
    case VK_DESCRIPTOR_TYPE_SAMPLE_WEIGHT_IMAGE_QCOM:
    case VK_DESCRIPTOR_TYPE_BLOCK_MATCH_IMAGE_QCOM:
      return sizeof(VkDescriptorImageInfo);
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return sizeof(VkBufferView);
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV:
      return sizeof(VkAccelerationStructureKHR);
    default:
      return sizeof(VkDescriptorBufferInfo);
  }
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

void SideTables::update_template(VkDescriptorUpdateTemplate handle,
                                 const VkDescriptorUpdateTemplateCreateInfo& info) {
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < info.descriptorUpdateEntryCount; ++i) {
    const VkDescriptorUpdateTemplateEntry& entry = info.pDescriptorUpdateEntries[i];
    if (entry.descriptorCount == 0) continue;
    // An inline uniform block counts bytes, which lie together.
    const std::size_t end = entry.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK
                                ? entry.offset + entry.descriptorCount
                                : entry.offset + (entry.descriptorCount - 1) * entry.stride +
                                      item_bytes(entry.descriptorType);
    bytes = std::max(bytes, end);
  }
  const std::lock_guard guard(lock_);
  templates_[handle_value(handle)] = bytes;
}

std::size_t SideTables::template_bytes(std::uint64_t update_template) const {
  const std::shared_lock guard(lock_);
  const auto found = templates_.find(update_template);
  return found == templates_.end() ? 0 : found->second;
}

SideTables& side_tables() {
  static SideTables* const tables = new SideTables;
  return *tables;
}

}  // namespace rondo::layer
