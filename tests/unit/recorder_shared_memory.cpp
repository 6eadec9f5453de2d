// SPDX-License-Identifier: Apache-2.0
// What checkpoints of submits compare of resources that share memory: what was written last.
#include "format/unverified.h"
#include "tests/unit/recorder_resources.h"

namespace rondo::layer {
namespace {

class SharedMemory : public ResourcesTest {
 protected:
  static VkImageCreateInfo one_part(VkImageUsageFlags usage) {
    VkImageCreateInfo info = image_info(VK_FORMAT_R8_UNORM, usage);
    info.mipLevels = info.arrayLayers = 1;
    return info;
  }
  // 4 KiB each, at the same place of the memory.
  void add_two_images(VkImageUsageFlags usage) {
    for (const VkImage image : {kImage, kOther}) {
      resources.add(image, one_part(usage), 4096, {});
      resources.bind(image, kMemory, 0);
    }
  }
  void add_buffer(VkBufferUsageFlags usage, VkDeviceSize bytes, VkDeviceSize offset) {
    VkBufferCreateInfo info{};
    info.size = bytes;
    info.usage = usage;
    resources.add(kBuffer, info, {});
    resources.bind(kBuffer, kMemory, offset);
  }
  void take(VkImage image) {
    barrier(kAll, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED,
            image);
  }
  void fill(VkDeviceSize offset, VkDeviceSize size) {
    const args_vkCmdFillBuffer args{kCommands, kBuffer, offset, size, 1};
    resources.watch(CommandId::vkCmdFillBuffer, &args);
  }
  // What can be read: "A" and "B" for the images, bytes of the buffer; what cannot, with its reason.
  std::string listed() {
    std::string text;
    for (const Resources::Part& part : submit()) {
      text += text.empty() ? "" : " ";
      if (const auto* buffer = std::get_if<gpu::BufferSource>(&part.source))
        text += std::to_string(buffer->offset) + ":" + std::to_string(buffer->offset + buffer->size);
      else
        text += image(part).image == kImage ? "A" : "B";
      if (!part.unreadable.empty()) text += "(" + part.unreadable + ")";
    }
    return text;
  }
  static std::string not_read(const std::string& what, Unverified why) { return what + "(" + text_of(why) + ")"; }
};

TEST_F(SharedMemory, TheImageThatWasWrittenLastIsCompared) {
  add_two_images(VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  begin();
  take(kImage);
  clear(kAll);
  EXPECT_EQ(listed(), "A");
  begin();
  take(kOther);
  clear(kAll, kOther);
  EXPECT_EQ(listed(), "B");
  begin();
  take(kImage);
  clear(kAll);
  take(kOther);
  clear(kAll, kOther);
  EXPECT_EQ(listed(), "B") << "the first one's contents are gone";
}

TEST_F(SharedMemory, AnImageTakesTheMemoryWhenItLeavesUndefined) {
  add_two_images(VK_IMAGE_USAGE_STORAGE_BIT);
  begin();
  take(kImage);
  EXPECT_EQ(listed(), "A");
  begin();
  EXPECT_EQ(listed(), "A") << "shaders may have written to it";
  take(kOther);
  EXPECT_EQ(listed(), "B");
  begin();
  EXPECT_EQ(listed(), "B") << "the first one has not left UNDEFINED again";
  take(kImage);
  EXPECT_EQ(listed(), "A");
}

TEST_F(SharedMemory, AnImageThatNothingSharesAnyMoreIsComparedAgainOnceItIsWritten) {
  add_two_images(VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  begin();
  take(kImage);
  take(kOther);
  resources.forget(kOther);
  clear(kAll);
  EXPECT_EQ(listed(), "A");
}

TEST_F(SharedMemory, ABufferHasContentsWhereNoImageWasWrittenSince) {
  resources.add(kImage, one_part(VK_IMAGE_USAGE_TRANSFER_DST_BIT), 4096, {});
  resources.bind(kImage, kMemory, 4096);
  add_buffer(VK_BUFFER_USAGE_TRANSFER_DST_BIT, 16384, 0);
  begin();
  fill(0, VK_WHOLE_SIZE);
  EXPECT_EQ(listed(), "0:16384");
  begin();
  take(kImage);
  clear(kAll);
  EXPECT_EQ(listed(), "A");
  begin();
  fill(0, 64);
  EXPECT_EQ(listed(), "0:4096 8192:16384") << "the image lies between them";
  begin();
  clear(kAll);
  fill(5000, 100);
  EXPECT_EQ(listed(), "0:4096 5000:5100 8192:16384") << "the image is lost with its first byte";
}

TEST_F(SharedMemory, WhatShadersMayHaveWrittenSaysSo) {
  resources.add(kImage, one_part(VK_IMAGE_USAGE_TRANSFER_DST_BIT), 4096, {});
  resources.bind(kImage, kMemory, 0);
  add_buffer(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, 8192, 0);
  begin();
  EXPECT_EQ(listed(), "0:8192") << "nothing was put into the image yet";
  take(kImage);
  clear(kAll);
  EXPECT_EQ(listed(),
            not_read("0:4096", Unverified::image_shared) + " 4096:8192 " + not_read("A", Unverified::buffer_shared));
}

TEST_F(SharedMemory, ADriverInThisProcessReadsAnImageBesideABufferOfShaders) {
  Resources here(true);
  here.add(kImage, one_part(VK_IMAGE_USAGE_TRANSFER_DST_BIT), 4096, {});
  here.bind(kImage, kMemory, 0);
  VkBufferCreateInfo info{};
  info.size = 4096;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  here.add(kBuffer, info, {});
  here.bind(kBuffer, kMemory, 0);
  {
    const auto lock = here.enter();
    here.host_moved(kImage, kAll, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    here.host_wrote(kImage, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1});
  }
  const auto lock = here.enter();
  const auto parts = here.written();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].unreadable, text_of(Unverified::image_shared));
  EXPECT_EQ(parts[1].unreadable, "");
}

TEST_F(SharedMemory, SubmitsThatMayRunInAnotherOrderTellNoLastOne) {
  add_two_images(VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  in_order = false;
  begin();
  take(kImage);
  clear(kAll);
  EXPECT_EQ(listed(), not_read("A", Unverified::layout));
}

}  // namespace
}  // namespace rondo::layer
