// SPDX-License-Identifier: Apache-2.0
// A capture written by hand, and all effects of its calls: for handlers that need descriptors, addresses or swapchains.
// Those that need none of these have a simpler scene in effects_scene.h.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/effects/all.h"
#include "model/parameters.h"
#include "model/stream.h"
#include "tests/unit/handles.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::test {

class EffectsCapture : public ::testing::Test, protected model::EffectSink<ObjectId> {
 protected:
  static constexpr Call kOk{.result = VK_SUCCESS};

  EffectsCapture() {
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = handle<VkCommandPool>(0x40);
    info.commandBufferCount = 1;
    VkCommandBuffer made = commands;
    capture.call(CommandId::vkAllocateCommandBuffers, args_vkAllocateCommandBuffers{device, &info, &made}, kOk);
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{commands, &begin}, kOk);
  }
  VkBuffer buffer(std::uint64_t value, VkDeviceSize bytes) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes;
    auto made = handle<VkBuffer>(value);
    capture.call(CommandId::vkCreateBuffer, args_vkCreateBuffer{device, &info, nullptr, &made}, kOk);
    return made;
  }
  // With an address that the program asks for.
  VkBuffer buffer(std::uint64_t value, VkDeviceSize bytes, VkDeviceAddress address) {
    const VkBuffer made = buffer(value, bytes);
    VkBufferDeviceAddressInfo asked{};
    asked.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    asked.buffer = made;
    capture.call(CommandId::vkGetBufferDeviceAddress, args_vkGetBufferDeviceAddress{device, &asked},
                 {.result = static_cast<std::int64_t>(address)});
    return made;
  }
  // Gives every call of the capture to the effects, once. Afterwards `touches` and `reaches` are those of all calls.
  void play() {
    capture.finish();
    auto reader = Reader::open(file.path());
    ASSERT_TRUE(reader) << reader.error().message;
    model::Stream stream(**reader);
    model::Step step;
    model::Parameters parameters;
    model::Effects effects(*this, model::kAllEffects);
    for (;;) {
      const auto more = stream.next(step);
      ASSERT_TRUE(more) << more.error().message;
      if (!*more) break;
      ASSERT_TRUE(model::load(stream, step, parameters));
      effects.take(model::call_of(stream, step, parameters));
    }
    for (const model::Touch& one : touches)
      said.push_back(stream.objects().name(one.object) + " " + std::to_string(one.offset) + ":" +
                     std::to_string(one.offset + one.size) + (one.reads() ? " read" : "") +
                     (one.writes() ? " written" : ""));
  }

  const VkDevice device = handle<VkDevice>(0x10);
  const VkCommandBuffer commands = handle<VkCommandBuffer>(0x20);
  TemporaryFile file;
  SyntheticCapture capture{file.path()};
  std::vector<model::Touch> touches;
  std::vector<model::Reach> reaches;
  std::vector<VkPipelineBindPoint> works;
  std::vector<std::string> said;  // "VkBuffer#0 0:16 read" of each touch

 private:
  void touch(const model::Touch& one) override { touches.push_back(one); }
  void reach(const model::Reach& one) override { reaches.push_back(one); }
  void work(VkPipelineBindPoint point) override { works.push_back(point); }
};

}  // namespace rondo::test
