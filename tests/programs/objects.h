// SPDX-License-Identifier: Apache-2.0
// One of each kind of object, for programs in which it matters that there are
// objects, and little what they are.
#pragma once

#include "image.h"

namespace program {

struct Texture {
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
};

inline Texture create_texture(const Context& c, VkFormat format, VkExtent3D extent, VkImageUsageFlags usage) {
  Texture t;
  t.image = create_unbound_image(c, image_info(format, extent, usage));
  t.memory = bind_to_memory_of_its_own(c, t.image);
  t.view = create_view(c, t.image, VK_IMAGE_VIEW_TYPE_2D, format, kColor);
  return t;
}

inline void destroy(const Context& c, Texture& t) {
  vkDestroyImageView(c.device, t.view, nullptr);
  vkDestroyImage(c.device, t.image, nullptr);
  vkFreeMemory(c.device, t.memory, nullptr);
}

inline VkSemaphore create_semaphore(const Context& c) {
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  VkSemaphore semaphore;
  CHECK(vkCreateSemaphore(c.device, &info, nullptr, &semaphore));
  return semaphore;
}

inline VkSemaphore create_timeline(const Context& c, std::uint64_t value = 0) {
  const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                       VK_SEMAPHORE_TYPE_TIMELINE, value};
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  VkSemaphore semaphore;
  CHECK(vkCreateSemaphore(c.device, &info, nullptr, &semaphore));
  return semaphore;
}

inline VkEvent create_event(const Context& c) {
  VkEventCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO;
  VkEvent event;
  CHECK(vkCreateEvent(c.device, &info, nullptr, &event));
  return event;
}

// The kinds that nothing else here makes.
struct Unused {
  VkEvent event = VK_NULL_HANDLE;
  VkQueryPool queries = VK_NULL_HANDLE;
  VkSampler sampler = VK_NULL_HANDLE;
  VkPipelineCache cache = VK_NULL_HANDLE;
  Texture target;
  VkRenderPass render_pass = VK_NULL_HANDLE;
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
  MappedBuffer texels;
  VkBufferView texel_view = VK_NULL_HANDLE;
};

inline VkRenderPass create_render_pass(const Context& c, VkFormat format) {
  VkAttachmentDescription attachment{};
  attachment.format = format;
  attachment.samples = VK_SAMPLE_COUNT_1_BIT;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  attachment.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  attachment.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  attachment.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &reference;
  VkRenderPassCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  info.attachmentCount = 1;
  info.pAttachments = &attachment;
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  VkRenderPass render_pass;
  CHECK(vkCreateRenderPass(c.device, &info, nullptr, &render_pass));
  return render_pass;
}

inline Unused create_unused(const Context& c) {
  Unused u;
  u.event = create_event(c);
  VkQueryPoolCreateInfo queries{};
  queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  queries.queryType = VK_QUERY_TYPE_OCCLUSION;
  queries.queryCount = 4;
  CHECK(vkCreateQueryPool(c.device, &queries, nullptr, &u.queries));
  VkSamplerCreateInfo sampler{};
  sampler.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  CHECK(vkCreateSampler(c.device, &sampler, nullptr, &u.sampler));
  VkPipelineCacheCreateInfo cache{};
  cache.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  CHECK(vkCreatePipelineCache(c.device, &cache, nullptr, &u.cache));

  constexpr VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  u.target = create_texture(c, format, {8, 8, 1}, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  u.render_pass = create_render_pass(c, format);
  VkFramebufferCreateInfo framebuffer{};
  framebuffer.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
  framebuffer.renderPass = u.render_pass;
  framebuffer.attachmentCount = 1;
  framebuffer.pAttachments = &u.target.view;
  framebuffer.width = framebuffer.height = 8;
  framebuffer.layers = 1;
  CHECK(vkCreateFramebuffer(c.device, &framebuffer, nullptr, &u.framebuffer));

  u.texels = create_mapped_buffer(c, 256, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
  VkBufferViewCreateInfo texel_view{};
  texel_view.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO;
  texel_view.buffer = u.texels.buffer;
  texel_view.format = format;
  texel_view.range = VK_WHOLE_SIZE;
  CHECK(vkCreateBufferView(c.device, &texel_view, nullptr, &u.texel_view));
  return u;
}

inline void destroy(const Context& c, Unused& u) {
  vkDestroyBufferView(c.device, u.texel_view, nullptr);
  destroy(c, u.texels);
  vkDestroyFramebuffer(c.device, u.framebuffer, nullptr);
  vkDestroyRenderPass(c.device, u.render_pass, nullptr);
  destroy(c, u.target);
  vkDestroyPipelineCache(c.device, u.cache, nullptr);
  vkDestroySampler(c.device, u.sampler, nullptr);
  vkDestroyQueryPool(c.device, u.queries, nullptr);
  vkDestroyEvent(c.device, u.event, nullptr);
}

}  // namespace program
