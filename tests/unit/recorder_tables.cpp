// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "layer/driver/key_table.h"
#include "layer/recorder/side_tables.h"

namespace rondo::layer {
namespace {

VkCommandBuffer command_buffer(std::uintptr_t value) { return reinterpret_cast<VkCommandBuffer>(value); }

TEST(SideTables, ACommandBufferThatComesBackHasItsNewLevel) {
  SideTables tables;
  const VkCommandBuffer handles[] = {command_buffer(0x10), command_buffer(0x20)};
  tables.command_buffers(handles, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  EXPECT_TRUE(tables.is_secondary(0x10));
  tables.command_buffers({handles, 1}, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  EXPECT_FALSE(tables.is_secondary(0x10));
  EXPECT_TRUE(tables.is_secondary(0x20));
}

TEST(SideTables, SubpassesSayWhatTheyUse) {
  SideTables tables;
  const VkAttachmentReference color{0, VK_IMAGE_LAYOUT_GENERAL};
  const VkAttachmentReference unused{VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_GENERAL};
  VkSubpassDescription subpasses[2]{};
  subpasses[0].colorAttachmentCount = 1;
  subpasses[0].pColorAttachments = &color;
  subpasses[1].colorAttachmentCount = 1;
  subpasses[1].pColorAttachments = &unused;
  subpasses[1].pDepthStencilAttachment = &color;
  VkRenderPassCreateInfo info{};
  info.subpassCount = 2;
  info.pSubpasses = subpasses;
  tables.render_pass(reinterpret_cast<VkRenderPass>(std::uintptr_t{7}), info);
  EXPECT_TRUE(tables.subpass_use(7, 0).color);
  EXPECT_FALSE(tables.subpass_use(7, 0).depth_stencil);
  EXPECT_FALSE(tables.subpass_use(7, 1).color);
  EXPECT_TRUE(tables.subpass_use(7, 1).depth_stencil);
  EXPECT_FALSE(tables.subpass_use(7, 2).known);
  EXPECT_FALSE(tables.subpass_use(8, 0).known);
}

TEST(SideTables, TemplatesKeepTheLayoutOfTheirData) {
  SideTables tables;
  const VkDescriptorUpdateTemplateEntry entries[] = {
      {0, 0, 3, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 8, 64},
      {1, 0, 5, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 160, 999},
      {2, 0, 0, VK_DESCRIPTOR_TYPE_SAMPLER, 4096, 8},
  };
  VkDescriptorUpdateTemplateCreateInfo info{};
  info.descriptorUpdateEntryCount = 3;
  info.pDescriptorUpdateEntries = entries;
  tables.update_template(reinterpret_cast<VkDescriptorUpdateTemplate>(std::uintptr_t{9}), info);
  const auto layout = tables.template_layout(9);
  ASSERT_NE(layout, nullptr);
  ASSERT_EQ(layout->size(), 3u);
  EXPECT_EQ((*layout)[0].offset, 8u);
  EXPECT_EQ((*layout)[0].stride, 64u);
  EXPECT_EQ((*layout)[1].type, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK);
  EXPECT_EQ((*layout)[1].count, 5u);
  EXPECT_EQ(tables.template_layout(10), nullptr);
}

struct State {
  int number;
};

// Tables live as long as their process, and so do their entries.

TEST(KeyTable, FindsWhatLivesAndForgetsWhatDoesNot) {
  static KeyTable<State, 8> table;
  State states[9] = {};
  int keys[9];
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(table.insert(&keys[i], &states[i], {}));
  EXPECT_FALSE(table.insert(&keys[8], &states[8], {}));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(table.find(&keys[i])->state, &states[i]);
  table.erase(&keys[3]);
  EXPECT_EQ(table.find(&keys[3]), nullptr);
  EXPECT_EQ(table.find(&keys[5])->state, &states[5]);
  ASSERT_TRUE(table.insert(&keys[8], &states[8], {}));
  EXPECT_EQ(table.find(&keys[8])->state, &states[8]);
  for (int& key : keys) table.erase(&key);
}

TEST(KeyTable, LooksUpWhileOthersComeAndGo) {
  static KeyTable<State, 64> table;
  State mine{1}, other{2};
  int key, keys[32];
  ASSERT_TRUE(table.insert(&key, &mine, {}));
  std::thread churn([&] {
    for (int i = 0; i < 20000; ++i) {
      table.insert(&keys[i % 32], &other, {});
      table.erase(&keys[i % 32]);
    }
  });
  for (int i = 0; i < 200000; ++i) {
    const auto* entry = table.find(&key);
    ASSERT_NE(entry, nullptr);
    ASSERT_EQ(entry->state, &mine);
  }
  churn.join();
  table.erase(&key);
}

}  // namespace
}  // namespace rondo::layer
