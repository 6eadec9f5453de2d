// SPDX-License-Identifier: Apache-2.0
// A buffer that the host sees: when it is made again, in which memory it lies, what is left when the driver fails.
#include <algorithm>

#include "fake_execute_support.h"
#include "model/gpu/one_shot.h"
#include "model/gpu/staging.h"

namespace rondo::gpu {
namespace {

class StagingBuffers : public fake_test::FakeDevice {
 protected:
  Access access() {
    Access access;
    access.dispatch = &vk;
    access.device = device;
    vk.vkGetPhysicalDeviceMemoryProperties(physical, &access.memory);
    return access;
  }
  static std::ptrdiff_t times(const char* command) {
    const auto calls = fake::calls();
    return std::count(calls.begin(), calls.end(), command);
  }
};

TEST_F(StagingBuffers, AreMadeAgainOnlyWhereThereIsLessRoom) {
  Staging staging(access(), kTransfers, 0, "a test");
  EXPECT_EQ(times("vkCreateBuffer"), 0);
  ASSERT_TRUE(staging.grow(4096));
  ASSERT_TRUE(staging.grow(4096));
  ASSERT_TRUE(staging.grow(16));
  EXPECT_EQ(times("vkCreateBuffer"), 1);
  ASSERT_TRUE(staging.grow(4097));
  EXPECT_EQ(times("vkAllocateMemory"), 2);
  EXPECT_EQ(times("vkFreeMemory"), 1);
}

TEST_F(StagingBuffers, AreFlushedAndInvalidatedWhereTheyAreNotCoherent) {
  const fake_test::MappedBuffer other = make_buffer(256);
  Staging staging(access(), kTransfers, 0, "a test");  // the driver's first visible memory is not coherent
  ASSERT_TRUE(staging.grow(256));
  const VkBufferCopy whole{0, 0, 256};
  std::fill_n(staging.mapped(), 256, std::byte{0x5a});
  ASSERT_TRUE(staging.flush());
  run([&](VkCommandBuffer c) { vk.vkCmdCopyBuffer(c, staging.buffer(), other.buffer, 1, &whole); });
  EXPECT_EQ(other.word(63), 0x5a5a5a5au);
  std::fill_n(other.bytes, 256, std::uint8_t{0xa5});
  run([&](VkCommandBuffer c) { vk.vkCmdCopyBuffer(c, other.buffer, staging.buffer(), 1, &whole); });
  ASSERT_TRUE(staging.invalidate());
  EXPECT_EQ(staging.mapped()[255], std::byte{0xa5});
}

TEST_F(StagingBuffers, LieInThePreferredMemoryOrInAnyThatIsVisible) {
  constexpr VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  constexpr VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  const auto is_flushed = [this](const Access& on, VkMemoryPropertyFlags preferred) {
    Staging staging(on, kTransfers, preferred, "a test");
    EXPECT_TRUE(staging.grow(256));
    const std::ptrdiff_t before = times("vkFlushMappedMemoryRanges");
    EXPECT_TRUE(staging.flush());
    return times("vkFlushMappedMemoryRanges") != before;
  };
  Access one = access();
  one.memory.memoryTypes[1].propertyFlags = visible;  // beside the next, which is coherent and cached
  EXPECT_TRUE(is_flushed(one, 0));
  EXPECT_FALSE(is_flushed(one, cached));
  one.memory.memoryTypes[2].propertyFlags &= ~cached;
  EXPECT_TRUE(is_flushed(one, cached)) << "nothing is cached: the first that is visible";

  for (VkMemoryType& type : one.memory.memoryTypes) type.propertyFlags &= ~visible;
  Staging nowhere(one, kTransfers, cached, "a test");
  const auto made = nowhere.grow(256);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().status, Status::device);
  EXPECT_EQ(made.error().message, "no host-visible memory type for a test");
}

TEST_F(StagingBuffers, NameTheCallThatFailedAndLeaveNothing) {
  for (const std::string call : {"vkCreateBuffer", "vkAllocateMemory", "vkBindBufferMemory", "vkMapMemory"}) {
    std::string error;
    const auto settings = fake::parse_settings("fail=" + call + ":1:VK_ERROR_OUT_OF_HOST_MEMORY", error);
    ASSERT_EQ(error, "");
    start(settings);
    Staging staging(access(), kTransfers, 0, "a test");
    const auto made = staging.grow(256);
    ASSERT_FALSE(made) << call;
    EXPECT_EQ(made.error().status, Status::failed);
    EXPECT_EQ(made.error().message, call + " returned VK_ERROR_OUT_OF_HOST_MEMORY for a test");
    EXPECT_EQ(staging.buffer(), VkBuffer{VK_NULL_HANDLE});
    EXPECT_EQ(staging.mapped(), nullptr);
    EXPECT_TRUE(staging.grow(256)) << "the next call of " << call << " does not fail";
  }
}

TEST_F(StagingBuffers, CommandsThatWereNotBegunAreNotSubmitted) {
  OneShot one(access(), 0);
  EXPECT_EXIT(static_cast<void>(one.submit_and_wait(VK_NULL_HANDLE, {})), ::testing::KilledBySignal(SIGABRT),
              "commands_ != VK_NULL_HANDLE does not hold");
}

}  // namespace
}  // namespace rondo::gpu
