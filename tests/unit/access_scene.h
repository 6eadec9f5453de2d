// SPDX-License-Identifier: Apache-2.0
// Captures written by hand for the access model, and what it says of them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzers/read/access_walk.h"
#include "model/parameters.h"
#include "tests/unit/handles.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::test {

// Every record of the capture.
inline void give_all(analyzers::Walk& walk, access::Model& model) {
  model::Parameters parameters;
  analyzers::Step step;
  for (;;) {
    const auto more = walk.next(step);
    ASSERT_TRUE(more) << more.error().message;
    if (!*more) return;
    const auto loaded = model::load(walk.stream(), step, parameters);
    ASSERT_TRUE(loaded) << loaded.error().message;
    model.take(model::call_of(walk.stream(), step, parameters));
  }
}

struct AccessScene {
  TemporaryFile file;
  SyntheticCapture capture{file.path()};
  const VkDevice device = handle<VkDevice>(0x10);
  std::uint64_t next = 0x1000;  // handles that nobody names
  const VkQueue queue = handle<VkQueue>(0x30);
  const VkCommandBuffer commands = command_buffer(0x20);

  VkCommandBuffer command_buffer(std::uint64_t value) {
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = handle<VkCommandPool>(0x40);
    info.commandBufferCount = 1;
    VkCommandBuffer made = handle<VkCommandBuffer>(value);
    capture.call(CommandId::vkAllocateCommandBuffers, args_vkAllocateCommandBuffers{device, &info, &made},
                 {.result = VK_SUCCESS});
    return made;
  }

  VkBuffer buffer(std::uint64_t value, VkDeviceSize bytes) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes;
    VkBuffer made = handle<VkBuffer>(value);
    capture.call(CommandId::vkCreateBuffer, args_vkCreateBuffer{device, &info, nullptr, &made}, {.result = VK_SUCCESS});
    return made;
  }
  VkImage image(std::uint64_t value, VkFormat format, std::uint32_t mips = 1) {
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {16, 16, 1};
    info.mipLevels = mips;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    VkImage made = handle<VkImage>(value);
    capture.call(CommandId::vkCreateImage, args_vkCreateImage{device, &info, nullptr, &made}, {.result = VK_SUCCESS});
    return made;
  }
  VkDescriptorSet set(VkDescriptorType type, std::uint32_t count) {
    const VkDescriptorSetLayoutBinding binding{0, type, count, VK_SHADER_STAGE_ALL, nullptr};
    VkDescriptorSetLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.bindingCount = 1;
    info.pBindings = &binding;
    auto layout = handle<VkDescriptorSetLayout>(next++);
    capture.call(CommandId::vkCreateDescriptorSetLayout,
                 args_vkCreateDescriptorSetLayout{device, &info, nullptr, &layout}, {.result = VK_SUCCESS});
    VkDescriptorSetAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocate.descriptorPool = handle<VkDescriptorPool>(0x50);
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &layout;
    auto made = handle<VkDescriptorSet>(next++);
    capture.call(CommandId::vkAllocateDescriptorSets, args_vkAllocateDescriptorSets{device, &allocate, &made},
                 {.result = VK_SUCCESS});
    return made;
  }
  void begin(VkCommandBuffer to, VkCommandBufferUsageFlags flags = 0) {
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    info.flags = flags;
    capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{to, &info}, {.result = VK_SUCCESS});
  }
  void fill(VkCommandBuffer to, VkBuffer target, VkDeviceSize offset, VkDeviceSize size) {
    capture.call(CommandId::vkCmdFillBuffer, args_vkCmdFillBuffer{to, target, offset, size, 7});
  }
  void submit(const VkCommandBuffer& what, VkResult result = VK_SUCCESS) {
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &what;
    capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{queue, 1, &info, VK_NULL_HANDLE}, {.result = result});
  }
  // "submit object offset:end" of each touch, in order.
  std::vector<std::string> touches(const analyzers::AccessWanted& wanted = {}) {
    capture.finish();
    auto walk = analyzers::Walk::open(file.path());
    std::vector<std::string> all;
    if (!walk) return {walk.error().message};
    const auto walked = analyzers::walk_accesses(*walk, wanted, [&](const access::Executed& executed) {
      for (const access::Touch& touch : executed.touches)
        all.push_back(std::to_string(executed.submit) + " " + walk->objects().name(touch.object) + " " +
                      (touch.part.aspectMask != 0
                           ? "aspects " + std::to_string(touch.part.aspectMask)
                           : std::to_string(touch.offset) + ":" + std::to_string(touch.offset + touch.size)) +
                      (touch.overwrites && touch.part.aspectMask != 0 ? ", all of it" : ""));
      return true;
    });
    EXPECT_TRUE(walked);
    return all;
  }
};

}  // namespace rondo::test
