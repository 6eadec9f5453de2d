// SPDX-License-Identifier: Apache-2.0
// Captures that lie: what their tests share. Every refusal is status 3 and says
// what is wrong, before any device is touched.
#pragma once

#include "tests/unit/player_scene.h"

namespace rondo::test {

class PlayerHostile : public PlayerScene {
 protected:
  using PlayerScene::PlayerScene;

  VkBuffer buffer(VkDeviceSize bytes, bool bound = true) {
    auto info = of_type<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.size = bytes;
    const auto made = create<VkBuffer, args_vkCreateBuffer>(CommandId::vkCreateBuffer, info);
    if (bound)
      capture.call(CommandId::vkBindBufferMemory, args_vkBindBufferMemory{kDevice, made, allocate(bytes), 0}, ok());
    return made;
  }
  VkImage image(std::uint32_t width, std::uint32_t height, std::uint32_t mips = 1, bool bound = true,
                VkFormat format = VK_FORMAT_R8G8B8A8_UNORM) {
    auto info = of_type<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {width, height, 1};
    info.mipLevels = mips;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    const auto made = create<VkImage, args_vkCreateImage>(CommandId::vkCreateImage, info);
    if (bound)
      capture.call(CommandId::vkBindImageMemory, args_vkBindImageMemory{kDevice, made, allocate(1 << 20), 0}, ok());
    return made;
  }
  VkCommandPool command_pool() {
    auto info = of_type<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    return create<VkCommandPool, args_vkCreateCommandPool>(CommandId::vkCreateCommandPool, info);
  }
  VkCommandBuffer commands(VkCommandPool pool, VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY) {
    auto info = of_type<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    info.commandPool = pool;
    info.level = level;
    info.commandBufferCount = 1;
    auto made = fresh<VkCommandBuffer>();
    capture.call(CommandId::vkAllocateCommandBuffers, args_vkAllocateCommandBuffers{kDevice, &info, &made}, ok());
    return made;
  }
  void begin(VkCommandBuffer commands) {
    const auto info = of_type<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{commands, &info}, ok());
  }
  void end(VkCommandBuffer commands) {
    capture.call(CommandId::vkEndCommandBuffer, args_vkEndCommandBuffer{commands}, ok());
  }
  VkCommandBuffer recording() {
    const VkCommandBuffer made = commands(command_pool());
    begin(made);
    return made;
  }
  void refuses(const std::string& mentions) {
    capture.finish();
    fails(build(), Status::unreadable, mentions);
  }
  void accepts() {
    capture.finish();
    const auto plan = build();
    ASSERT_TRUE(plan) << plan.error().message;
  }
};

}  // namespace rondo::test
