// SPDX-License-Identifier: Apache-2.0
// The access model knows every command that programs are shown, and what it does with captures that no program makes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/access/model.h"
#include "model/access/tracker.h"
#include "model/second_form.h"
#include "tests/unit/access_scene.h"

namespace rondo {
namespace {

using access::Executed;
using access::Model;
using test::AccessScene;
using test::handle;

TEST(AccessModel, CommandsTouchEachTimeThatTheyAreSubmitted) {
  AccessScene scene;
  const VkBuffer target = scene.buffer(0x100, 64);
  scene.begin(scene.commands);
  scene.fill(scene.commands, target, 8, 16);
  scene.submit(scene.commands);
  scene.submit(scene.commands);
  EXPECT_EQ(scene.touches(), (std::vector<std::string>{"0 VkBuffer#0 8:24", "1 VkBuffer#0 8:24"}));
}

TEST(AccessModel, WhatIsRecordedAnewForgetsWhatWas) {
  AccessScene scene;
  const VkBuffer target = scene.buffer(0x100, 64);
  scene.begin(scene.commands);
  scene.fill(scene.commands, target, 0, 4);
  scene.begin(scene.commands);
  scene.fill(scene.commands, target, 4, 4);
  scene.submit(scene.commands);
  EXPECT_EQ(scene.touches(), std::vector<std::string>{"0 VkBuffer#0 4:8"});
}

TEST(AccessModel, ASubmitThatFailedIsCountedAndTouchesNothing) {
  AccessScene scene;
  const VkBuffer target = scene.buffer(0x100, 64);
  scene.begin(scene.commands);
  scene.fill(scene.commands, target, 0, 4);
  scene.submit(scene.commands, VK_ERROR_OUT_OF_HOST_MEMORY);
  scene.submit(scene.commands);
  EXPECT_EQ(scene.touches(), std::vector<std::string>{"1 VkBuffer#0 0:4"});
}

TEST(AccessModel, RangesEndWithTheirBuffersAndAreWholeWords) {
  AccessScene scene;
  const VkBuffer target = scene.buffer(0x100, 66);
  scene.begin(scene.commands);
  scene.fill(scene.commands, target, 8, VK_WHOLE_SIZE);
  scene.fill(scene.commands, target, 80, VK_WHOLE_SIZE);
  scene.submit(scene.commands);
  EXPECT_EQ(scene.touches(), std::vector<std::string>{"0 VkBuffer#0 8:64"});
}

TEST(AccessModel, SecondariesAreExecutedAsTheyWereRecordedThen) {
  AccessScene scene;
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

TEST(AccessModel, ACommandBufferIsNotExecutedInItself) {
  AccessScene scene;
  const VkBuffer target = scene.buffer(0x100, 64);
  scene.begin(scene.commands);
  scene.fill(scene.commands, target, 0, 4);
  const std::vector<VkCommandBuffer> itself(40, scene.commands);
  scene.capture.call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{scene.commands, 40, itself.data()});
  scene.submit(scene.commands);
  EXPECT_EQ(scene.touches(), std::vector<std::string>{"0 VkBuffer#0 0:4"});
}

TEST(AccessModel, CommandBuffersThatExecuteMoreAndMoreEnd) {
  AccessScene scene;
  const VkBuffer target = scene.buffer(0x100, 64);
  scene.begin(scene.commands);
  scene.fill(scene.commands, target, 0, 4);
  VkCommandBuffer last = scene.commands;
  for (std::uint64_t level = 0; level < 20; ++level) {
    const VkCommandBuffer next = scene.command_buffer(0x400 + level);
    scene.begin(next);
    const std::vector<VkCommandBuffer> before(40, last);
    scene.capture.call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{next, 40, before.data()});
    last = next;
  }
  scene.submit(last);
  scene.capture.finish();
  auto walk = analyzers::Walk::open(scene.file.path());
  ASSERT_TRUE(walk);
  std::uint64_t told = 0;
  Model model([&](const Executed&) { ++told; }, {.executed = 10'000});
  test::give_all(*walk, model);
  EXPECT_TRUE(model.too_many());
  EXPECT_LE(told, 10'000u);
  EXPECT_GT(told, 1'000u);
}

}  // namespace
}  // namespace rondo
