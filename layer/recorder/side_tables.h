// SPDX-License-Identifier: Apache-2.0
// What encoding needs to know of earlier calls, and nothing else. Entries are
// replaced when a handle value comes back, and never removed: a template may
// be gone when a set written through it is still used, and two live objects of
// the same value were created alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "format/codec/encoder.h"
#include "format/vulkan.h"

namespace rondo::layer {

// Handle values of both kinds as the capture has them.
template <class Handle>
std::uint64_t handle_value(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<std::uintptr_t>(handle);
  else
    return handle;
}

// Any thread.
class SideTables {
 public:
  void command_buffers(std::span<const VkCommandBuffer> handles, VkCommandBufferLevel level);
  bool is_secondary(std::uint64_t command_buffer) const;

  void render_pass(VkRenderPass handle, const VkRenderPassCreateInfo& info);
  void render_pass(VkRenderPass handle, const VkRenderPassCreateInfo2& info);
  codec::EncodeContext::SubpassUse subpass_use(std::uint64_t render_pass, std::uint32_t subpass) const;

  // Images that the host copies to and from.
  void host_image(VkDevice device, VkImage handle, const VkImageCreateInfo& info);
  std::optional<std::uint64_t> host_texels(const codec::EncodeContext::HostRegion& region) const;

  void update_template(VkDescriptorUpdateTemplate handle, const VkDescriptorUpdateTemplateCreateInfo& info);
  codec::EncodeContext::TemplateLayout template_layout(std::uint64_t update_template) const;

 private:
  using Subpasses = std::vector<codec::EncodeContext::SubpassUse>;

  struct HostImage {
    VkDevice device = VK_NULL_HANDLE;
    VkFormat format = VK_FORMAT_UNDEFINED;
    std::uint32_t layers = 1;
  };

  mutable std::shared_mutex lock_;
  std::unordered_map<std::uint64_t, HostImage> host_images_;
  std::unordered_set<std::uint64_t> secondaries_;
  std::unordered_map<std::uint64_t, Subpasses> render_passes_;
  std::unordered_map<std::uint64_t, codec::EncodeContext::TemplateLayout> templates_;
};

SideTables& side_tables();  // one for the process

}  // namespace rondo::layer
