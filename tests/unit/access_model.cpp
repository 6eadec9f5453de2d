// SPDX-License-Identifier: Apache-2.0
// The access model knows every command that programs are shown, and what it does with captures that no program makes.
#include "access/model.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzers/access_walk.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo {
namespace {

using access::Executed;
using access::Model;
using test::SyntheticCapture;
using test::TemporaryFile;

TEST(AccessModel, KnowsEveryCommandOfCommandBuffers) {
  int known = 0;
  for (const codec::CommandInfo& command : codec::commands()) {
    if (!command.records_into_command_buffer || command.kind == codec::CommandClass::unsupported) continue;
    ++known;
    EXPECT_TRUE(Model::knows(command)) << command.name << ": what does it touch? (access/)";
  }
  EXPECT_GT(known, 150);
}

template <class Handle>
Handle handle(std::uint64_t value) {
  return reinterpret_cast<Handle>(value);
}

struct Scene {
  TemporaryFile file;
  SyntheticCapture capture{file.path()};
  const VkDevice device = handle<VkDevice>(0x10);
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
  void begin(VkCommandBuffer to) {
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
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
    const auto walked = analyzers::walk_accesses(*walk, wanted, [&](const Executed& executed) {
      for (const access::Touch& touch : executed.touches)
        all.push_back(std::to_string(executed.submit) + " " + walk->objects().name(touch.object) + " " +
                      std::to_string(touch.offset) + ":" + std::to_string(touch.offset + touch.size));
      return true;
    });
    EXPECT_TRUE(walked);
    return all;
  }
};

TEST(AccessModel, CommandsTouchEachTimeThatTheyAreSubmitted) {
  Scene scene;
  const VkBuffer target = scene.buffer(0x100, 64);
  scene.begin(scene.commands);
  scene.fill(scene.commands, target, 8, 16);
  scene.submit(scene.commands);
  scene.submit(scene.commands);
  EXPECT_EQ(scene.touches(), (std::vector<std::string>{"0 VkBuffer#0 8:24", "1 VkBuffer#0 8:24"}));
}

TEST(AccessModel, WhatIsRecordedAnewForgetsWhatWas) {
  Scene scene;
  const VkBuffer target = scene.buffer(0x100, 64);
  scene.begin(scene.commands);
  scene.fill(scene.commands, target, 0, 4);
  scene.begin(scene.commands);
  scene.fill(scene.commands, target, 4, 4);
  scene.submit(scene.commands);
  EXPECT_EQ(scene.touches(), std::vector<std::string>{"0 VkBuffer#0 4:8"});
}

TEST(AccessModel, ASubmitThatFailedIsCountedAndTouchesNothing) {
  Scene scene;
  const VkBuffer target = scene.buffer(0x100, 64);
  scene.begin(scene.commands);
  scene.fill(scene.commands, target, 0, 4);
  scene.submit(scene.commands, VK_ERROR_OUT_OF_HOST_MEMORY);
  scene.submit(scene.commands);
  EXPECT_EQ(scene.touches(), std::vector<std::string>{"1 VkBuffer#0 0:4"});
}

TEST(AccessModel, RangesEndWithTheirBuffersAndAreWholeWords) {
  Scene scene;
  const VkBuffer target = scene.buffer(0x100, 66);
  scene.begin(scene.commands);
  scene.fill(scene.commands, target, 8, VK_WHOLE_SIZE);
  scene.fill(scene.commands, target, 80, VK_WHOLE_SIZE);
  scene.submit(scene.commands);
  EXPECT_EQ(scene.touches(), std::vector<std::string>{"0 VkBuffer#0 8:64"});
}

TEST(AccessModel, SecondariesAreExecutedAsTheyWereRecordedThen) {
  Scene scene;
  const VkBuffer target = scene.buffer(0x100, 64);
  const VkCommandBuffer secondary = scene.command_buffer(0x21);
  scene.begin(secondary);
  scene.fill(secondary, target, 0, 4);
  scene.begin(scene.commands);
  scene.capture.call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{scene.commands, 1, &secondary});
  scene.submit(scene.commands);
  scene.begin(secondary);  // the primary is invalid now
  scene.submit(scene.commands);
  EXPECT_EQ(scene.touches(), std::vector<std::string>{"0 VkBuffer#0 0:4"});
}

TEST(AccessModel, CommandBuffersThatExecuteThemselvesEnd) {
  Scene scene;
  const VkBuffer target = scene.buffer(0x100, 64);
  scene.begin(scene.commands);
  scene.fill(scene.commands, target, 0, 4);
  const std::vector<VkCommandBuffer> itself(40, scene.commands);
  scene.capture.call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{scene.commands, 40, itself.data()});
  scene.submit(scene.commands);
  scene.capture.finish();
  auto walk = analyzers::Walk::open(scene.file.path());
  ASSERT_TRUE(walk);
  std::uint64_t told = 0;
  Model model([&](const Executed&) { ++told; }, {.executed = 10'000});
  NativeView view;
  for (analyzers::Step step; *walk->next(step);) {
    view.load(walk->decoded(), walk->resolution().ids, {});
    model.take({*step.command, view, walk->resolution(), walk->objects(), step.record.sequence, true, 0});
  }
  EXPECT_TRUE(model.too_many());
  EXPECT_LE(told, 10'000u);
  EXPECT_GT(told, 100u);
}

}  // namespace
}  // namespace rondo
