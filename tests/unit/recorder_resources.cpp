// SPDX-License-Identifier: Apache-2.0
// What checkpoints of submits know of resources: layouts, what was written, what cannot be read.
#include "tests/unit/recorder_resources.h"

#include "format/flags2.h"
#include "format/unverified.h"

namespace rondo::layer {
namespace {

TEST_F(ResourcesTest, WhatACommandWroteIsReadInTheLayoutThatItWasLeftIn) {
  add(image_info(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_TRANSFER_DST_BIT));
  begin();
  barrier(kAll, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  clear({VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 2, 1});
  barrier({VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 0, VK_REMAINING_ARRAY_LAYERS}, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
          VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  const auto parts = submit();
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(image(parts[0]).mip, 1u);
  EXPECT_EQ(image(parts[0]).layer, 2u);
  EXPECT_EQ(image(parts[0]).layout, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  EXPECT_EQ(image(parts[0]).extent.width, 8u);
  EXPECT_EQ(image(parts[0]).extent.height, 4u);
  EXPECT_EQ(submit().size(), 1u) << "the same commands again write again";
}

TEST_F(ResourcesTest, WhatTheHostCopiesIsReadBehindTheNextSubmit) {
  add(image_info(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT));
  {
    const auto lock = resources.enter();
    resources.host_wrote(kImage, {VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 1});
    resources.host_moved(kImage, kAll, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    resources.host_wrote(kImage, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 2});
    resources.host_moved(kImage, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 2, 1}, VK_IMAGE_LAYOUT_GENERAL,
                         VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  }
  begin();
  const auto parts = submit();
  ASSERT_EQ(parts.size(), 2u) << "what was written before the image's layout was UNDEFINED is gone";
  EXPECT_EQ(image(parts[0]).layer, 1u);
  EXPECT_EQ(image(parts[0]).layout, VK_IMAGE_LAYOUT_GENERAL);
  EXPECT_EQ(image(parts[1]).layer, 2u);
  EXPECT_EQ(image(parts[1]).layout, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  EXPECT_EQ(parts[0].family, VK_QUEUE_FAMILY_IGNORED) << "no queue owns it yet";
  EXPECT_TRUE(submit().empty());
}

TEST_F(ResourcesTest, NothingIsReadThatNoSubmitWrote) {
  add(image_info(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_TRANSFER_DST_BIT));
  begin();
  barrier(kAll, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  EXPECT_TRUE(submit().empty());
}

TEST_F(ResourcesTest, CommandsCountOnceTheyAreSubmitted) {
  add(image_info(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_TRANSFER_DST_BIT));
  begin();
  barrier(kAll, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  clear(kAll);
  {
    const auto lock = resources.enter();
    EXPECT_TRUE(resources.written().empty());
  }
  EXPECT_EQ(submit().size(), 6u);
  begin();  // recorded again: they do nothing now
  EXPECT_TRUE(submit().empty());
}

TEST_F(ResourcesTest, StorageImagesMayBeWrittenByAnySubmit) {
  add(image_info(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_STORAGE_BIT));
  begin();
  barrier({VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  EXPECT_EQ(submit().size(), 1u) << "the other parts have no contents";
  begin();
  EXPECT_EQ(submit().size(), 1u);
}

TEST_F(ResourcesTest, AspectsThatAreKeptAreReadAndOthersAreNot) {
  add(image_info(VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT));
  begin();
  draw(VK_ATTACHMENT_STORE_OP_STORE, VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
       VK_IMAGE_ASPECT_DEPTH_BIT);
  const auto parts = submit();
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(image(parts[0]).aspect, VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT});
  EXPECT_EQ(image(parts[0]).together, VkImageAspectFlags{VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT});
  EXPECT_EQ(image(parts[0]).layer, 1u);
  EXPECT_EQ(image(parts[0]).layout, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
}

TEST_F(ResourcesTest, WhatOneFamilyGaveUpIsNobodysUntilAnotherTakesIt) {
  add(image_info(VK_FORMAT_R8_UNORM, VK_IMAGE_USAGE_STORAGE_BIT));
  begin();
  barrier(kAll, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, 0, 1);
  const auto given = submit(0);
  ASSERT_EQ(given.size(), 6u);
  EXPECT_EQ(given[0].unreadable, "it is between two queue families");
  const auto taken = submit(1);
  ASSERT_EQ(taken.size(), 6u);
  EXPECT_EQ(taken[0].unreadable, "");
  EXPECT_EQ(taken[0].family, 1u);
}

TEST_F(ResourcesTest, WhatWasWrittenBeforeItWasGivenUpIsReadOnceItIsTaken) {
  add(image_info(VK_FORMAT_R8_UNORM, VK_IMAGE_USAGE_TRANSFER_DST_BIT));
  constexpr VkImageSubresourceRange one{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  begin();
  barrier(kAll, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  clear(one);
  barrier(one, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, 0, 1);
  const auto given = submit(0);
  ASSERT_EQ(given.size(), 1u);
  EXPECT_EQ(given[0].unreadable, "it is between two queue families");
  begin();
  barrier(one, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, 0, 1);
  const auto taken = submit(1);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].unreadable, "");
  EXPECT_TRUE(submit(1).empty());
}

// The order of the submits is not that of their execution then.
TEST_F(ResourcesTest, LayoutsAreNotKnownWhileWorkWaitsForTheProgram) {
  add(image_info(VK_FORMAT_R8_UNORM, VK_IMAGE_USAGE_STORAGE_BIT));
  begin();
  barrier(kAll, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  in_order = false;
  const auto unknown = submit();
  ASSERT_EQ(unknown.size(), 6u);
  EXPECT_NE(unknown[0].unreadable.find("its layout is not known"), std::string::npos);
  in_order = true;
  EXPECT_EQ(submit()[0].unreadable, "");
}

TEST_F(ResourcesTest, AStorageImageThatAPassDidNotKeepIsNotCompared) {
  add(image_info(VK_FORMAT_R8_UNORM, VK_IMAGE_USAGE_STORAGE_BIT));
  constexpr VkImageSubresourceRange drawn{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, 1};
  begin();
  draw(VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_GENERAL,
       VK_IMAGE_ASPECT_COLOR_BIT);
  const auto discarded = submit();
  ASSERT_EQ(discarded.size(), 1u);
  EXPECT_NE(discarded[0].unreadable.find("did not keep it"), std::string::npos);
  begin();
  barrier(drawn, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  EXPECT_EQ(submit()[0].unreadable, "") << "like a new one";
}

TEST_F(ResourcesTest, WhatIsSharedNamesTheFamiliesThatMayReadIt) {
  const std::uint32_t families[] = {1, 2};
  VkBufferCreateInfo info{};
  info.size = 64;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  info.sharingMode = VK_SHARING_MODE_CONCURRENT;
  info.queueFamilyIndexCount = 2;
  info.pQueueFamilyIndices = families;
  resources.add(kBuffer, info, {});
  resources.bind(kBuffer, kMemory, 0);
  begin();
  const auto parts = submit();
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].families, (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(ResourcesTest, WhatCannotBeReadSaysWhyOnce) {
  add(image_info(VK_FORMAT_R8_UNORM, VK_IMAGE_USAGE_STORAGE_BIT), "no reader");
  begin();
  barrier(kAll, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  const auto parts = submit();
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].unreadable, "no reader");
}

TEST_F(ResourcesTest, SeveralSamplesAreReadByAspectsOfOneLayout) {
  VkImageCreateInfo info = image_info(VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  info.samples = VK_SAMPLE_COUNT_4_BIT;
  add(info);
  begin();
  draw(VK_ATTACHMENT_STORE_OP_STORE, VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
       VK_IMAGE_ASPECT_DEPTH_BIT);
  auto parts = submit();
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].unreadable, "");
  EXPECT_EQ(image(parts[0]).samples, VK_SAMPLE_COUNT_4_BIT);
  EXPECT_EQ(gpu::bytes_of(parts[0].source), 4u * 16 * 8 * 4);
  begin();
  draw(VK_ATTACHMENT_STORE_OP_STORE, VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
       VK_IMAGE_ASPECT_DEPTH_BIT);
  barrier({VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 1, 1}, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
          VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL);
  parts = submit();
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].unreadable, text_of(Unverified::samples_aspects));
}

TEST_F(ResourcesTest, WhatADriverPreprocessedIsNotCompared) {
  const BufferUsage2 usage{kBufferUsage2, nullptr, kPreprocessUsage};
  VkBufferCreateInfo info{};
  info.pNext = &usage;
  info.size = 4096;
  resources.add(kBuffer, info, {});
  resources.bind(kBuffer, kMemory, 4096);
  begin();
  EXPECT_TRUE(submit().empty());
  const auto other = handle<VkBuffer>(0x71);
  info.pNext = nullptr;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  resources.add(other, info, {});
  resources.bind(other, kMemory, 6000);
  const auto parts = submit();
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_FALSE(parts[0].unreadable.empty()) << "it lies over what is the driver's own";
}

TEST_F(ResourcesTest, AUsageInTheChainTakesThePlaceOfTheMember) {
  BufferUsage2 usage{kBufferUsage2, nullptr, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  VkBufferCreateInfo info{};
  info.pNext = &usage;
  info.size = 4096;
  info.usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;
  resources.add(kBuffer, info, {});
  resources.bind(kBuffer, kMemory, 0);
  begin();
  EXPECT_EQ(submit().size(), 1u);
  usage.usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  resources.add(kBuffer, info, {});
  resources.bind(kBuffer, kMemory, 0);
  EXPECT_TRUE(submit().empty());
}

TEST_F(ResourcesTest, NothingIsReadOfMemoryThatIsGone) {
  add(image_info(VK_FORMAT_R8_UNORM, VK_IMAGE_USAGE_STORAGE_BIT));
  begin();
  barrier(kAll, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  resources.forget(kMemory);
  EXPECT_TRUE(submit().empty());
}

TEST_F(ResourcesTest, SecondariesBringTheirEffects) {
  add(image_info(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_TRANSFER_DST_BIT));
  begin();
  barrier(kAll, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  clear(kAll);
  const auto primary = handle<VkCommandBuffer>(0x11);
  const args_vkBeginCommandBuffer begin_args{primary, nullptr};
  resources.watch(CommandId::vkBeginCommandBuffer, &begin_args);
  const args_vkCmdExecuteCommands execute{primary, 1, &kCommands};
  resources.watch(CommandId::vkCmdExecuteCommands, &execute);
  resources.submitted(0, {&primary, 1}, true);
  const auto lock = resources.enter();
  EXPECT_EQ(resources.written().size(), 6u);
}

TEST_F(ResourcesTest, BuffersThatOnlyCommandsWriteAreReadBehindThose) {
  VkBufferCreateInfo info{};
  info.size = 600 * 1024;
  info.usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  resources.add(kBuffer, info, {});
  resources.bind(kBuffer, kMemory, 256);
  begin();
  EXPECT_TRUE(submit().empty());
  args_vkCmdFillBuffer fill{};
  fill.commandBuffer = kCommands;
  fill.dstBuffer = kBuffer;
  resources.watch(CommandId::vkCmdFillBuffer, &fill);
  const auto parts = submit();
  ASSERT_EQ(parts.size(), 3u);
  const auto& last = std::get<gpu::BufferSource>(parts[2].source);
  EXPECT_EQ(last.offset + last.size, info.size);
  EXPECT_EQ(parts[2].to, 256 + info.size);
}

}  // namespace
}  // namespace rondo::layer
