// SPDX-License-Identifier: Apache-2.0
// What the programs of the specification's graphics chapters repeat: pictures that
// are read back, render passes and framebuffers, buffers that shaders see.
#pragma once

#include "needs.h"
#include "picture.h"

namespace program {

constexpr VkImageUsageFlags kDrawnAndRead = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
constexpr VkImageAspectFlags kDepthAndStencil = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;

// Dynamic rendering is what most of them draw with.
inline Needs drawing_needs(std::vector<const char*> extensions = {}) {
  Needs needs(std::move(extensions));
  NEED(needs, Vulkan13Features, dynamicRendering);
  return needs;
}

// Where pictures go that the program wants to see: one behind the other.
struct Pictures {
  MappedBuffer out;
  VkDeviceSize used = 0;
};

inline Pictures create_pictures(Session& s, VkDeviceSize bytes) { return {create_readback(s, bytes)}; }

// Copies a level of a layer of an image that is in the GENERAL layout; the words it will be in.
inline const std::uint32_t* take(Session& s, Pictures& p, const Image& i, VkDeviceSize texel_bytes = 4,
                                 VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT, std::uint32_t level = 0,
                                 std::uint32_t layer = 0) {
  const auto at = [&](std::uint32_t size) { return size >> level == 0 ? 1 : size >> level; };
  const VkDeviceSize bytes = texel_bytes * at(i.info.extent.width) * at(i.info.extent.height) * at(i.info.extent.depth);
  if (p.used + bytes > p.out.bytes) die("too many pictures", static_cast<long>(p.used));
  const std::uint32_t* words = p.out.words + p.used / 4;
  copy_out(s.cmd, i, VK_IMAGE_LAYOUT_GENERAL, p.out, p.used, aspect, level, layer);
  barrier(s.cmd);
  p.used += (bytes + 15) / 16 * 16;  // offsets of every format
  return words;
}

// An image in the GENERAL layout.
inline Image create_general(Session& s, const VkImageCreateInfo& info, VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D,
                            VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
  const Image i = create_image(s, info, type, aspect);
  transition(s.cmd, i, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  return i;
}

// Begins with every word of the buffer `value`; the image is in the GENERAL layout.
inline void clear(VkCommandBuffer cmd, const Image& i, const VkClearColorValue& value) {
  vkCmdClearColorImage(cmd, i.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &i.range);
  barrier(cmd);
}

inline VkFramebuffer create_framebuffer(Session& s, VkRenderPass pass, const std::vector<VkImageView>& views,
                                        std::uint32_t extent, std::uint32_t layers = 1) {
  const VkFramebufferCreateInfo info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                     nullptr,
                                     0,
                                     pass,
                                     static_cast<std::uint32_t>(views.size()),
                                     views.data(),
                                     extent,
                                     extent,
                                     layers};
  VkFramebuffer framebuffer;
  CHECK(vkCreateFramebuffer(s.device, &info, nullptr, &framebuffer));
  return keep(s, vkDestroyFramebuffer, framebuffer);
}

inline VkRenderPass create_pass(Session& s, const VkRenderPassCreateInfo& info) {
  VkRenderPass pass;
  CHECK(vkCreateRenderPass(s.device, &info, nullptr, &pass));
  return keep(s, vkDestroyRenderPass, pass);
}

// Between any two subpasses, or before and behind all of them.
constexpr VkSubpassDependency everything(std::uint32_t from, std::uint32_t to, VkDependencyFlags flags = 0) {
  constexpr VkPipelineStageFlags outside = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                 within = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT;
  return {from,
          to,
          from == VK_SUBPASS_EXTERNAL ? outside : within,
          to == VK_SUBPASS_EXTERNAL ? outside : within,
          VK_ACCESS_MEMORY_WRITE_BIT,
          VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
          flags};
}

inline VkRenderingInfo rendering_info(std::uint32_t extent, const std::vector<VkRenderingAttachmentInfo>& colors,
                                      std::uint32_t layers = 1) {
  return {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
          .renderArea = {{0, 0}, {extent, extent}},
          .layerCount = layers,
          .colorAttachmentCount = static_cast<std::uint32_t>(colors.size()),
          .pColorAttachments = colors.data()};
}

inline VkQueryPool create_queries(Session& s, VkQueryType type, std::uint32_t count,
                                  VkQueryPipelineStatisticFlags statistics = 0) {
  const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, type, count, statistics};
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(s.device, &info, nullptr, &pool));
  return keep(s, vkDestroyQueryPool, pool);
}

inline VkSampler create_sampler(Session& s, const VkSamplerCreateInfo& info) {
  VkSampler sampler;
  CHECK(vkCreateSampler(s.device, &info, nullptr, &sampler));
  return keep(s, vkDestroySampler, sampler);
}

}  // namespace program
