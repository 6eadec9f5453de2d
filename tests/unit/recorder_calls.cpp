// SPDX-License-Identifier: Apache-2.0
// The sequence rule: what is numbered where, over a driver of the test's own.
#include <atomic>
#include <barrier>
#include <cstring>
#include <set>
#include <thread>

#include "generated/args.h"
#include "generated/hooks.h"
#include "layer/recorder/regular.h"
#include "tests/unit/recorder_support.h"

namespace rondo::layer::testing {
namespace {

// A dispatchable handle is a pointer to a word that is the loader's table.
struct FakeDevice {
  int table = 0;
  void* object = &table;
  DeviceState state;

  explicit FakeDevice(const Dispatch& dispatch) { g_devices.insert(&table, &state, dispatch); }
  template <class Handle>
  Handle handle() {
    return reinterpret_cast<Handle>(&object);
  }
};

// The number that the next record will take, seen from inside the driver.
std::atomic<std::uint64_t> g_seen_in_driver;
std::uint64_t numbers_taken() {
  // Numbers only grow: taking one here would leave a gap, so ask the stream.
  return t_state == nullptr ? 0 : t_state->stream.last_sequence();
}

void VKAPI_CALL fake_draw(VkCommandBuffer, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) {
  g_seen_in_driver = numbers_taken();
}
VkResult VKAPI_CALL fake_end(VkCommandBuffer) {
  g_seen_in_driver = numbers_taken();
  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}
VkResult VKAPI_CALL fake_fence(VkDevice, const VkFenceCreateInfo*, const VkAllocationCallbacks*, VkFence* fence) {
  g_seen_in_driver = numbers_taken();
  const std::uint64_t value = 0x1234;
  std::memcpy(fence, &value, sizeof value);
  return VK_SUCCESS;
}

Dispatch fakes() {
  Dispatch dispatch;
  dispatch.vkCmdDraw = fake_draw;
  dispatch.vkEndCommandBuffer = fake_end;
  dispatch.vkCreateFence = fake_fence;
  return dispatch;
}

class RecordedCalls : public RecorderTest {};

TEST_F(RecordedCalls, ACommandIsCommittedBeforeTheDriver) {
  in_process(file("a.rondo"), [] {
    FakeDevice device(fakes());
    start();
    regular<CommandId::vkCmdDraw>(device.handle<VkCommandBuffer>(), 3u, 1u, 0u, 7u);
    if (g_seen_in_driver != 1) ::_exit(1);
  });
  const Capture capture(file("a.rondo"));
  const auto record = capture.next();
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(capture.ids.command(record->command), CommandId::vkCmdDraw);
  EXPECT_EQ(record->sequence, 1u);
  EXPECT_FALSE(record->has_return);
  codec::Lowered lowered;
  ASSERT_TRUE(codec::decode(lowered, capture.ids, CommandId::vkCmdDraw, record->payload));
  args_vkCmdDraw args;
  std::memcpy(&args, lowered.bytes.data(), sizeof args);
  EXPECT_EQ(args.vertexCount, 3u);
  EXPECT_EQ(args.firstInstance, 7u);
}

TEST_F(RecordedCalls, AnAnswerFollowsACallThatIsNumberedBefore) {
  in_process(file("a.rondo"), [] {
    FakeDevice device(fakes());
    start();
    if (regular<CommandId::vkEndCommandBuffer>(device.handle<VkCommandBuffer>()) != VK_ERROR_OUT_OF_DEVICE_MEMORY)
      ::_exit(1);
    if (g_seen_in_driver != 1) ::_exit(2);
  });
  const Capture capture(file("a.rondo"));
  const auto record = capture.next();
  ASSERT_TRUE(record.has_value());
  ASSERT_TRUE(record->has_return);
  EXPECT_EQ(record->return_value, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_FALSE(capture.next().has_value());
}

TEST_F(RecordedCalls, ACreateIsNumberedAfterTheDriverWithWhatItMade) {
  in_process(file("a.rondo"), [] {
    FakeDevice device(fakes());
    start();
    note("takes number 1");
    VkFenceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    VkFence fence = VK_NULL_HANDLE;
    const VkAllocationCallbacks* const none = nullptr;
    const VkFenceCreateInfo* const asked = &info;
    regular<CommandId::vkCreateFence, true>(device.handle<VkDevice>(), asked, none, &fence);
    if (g_seen_in_driver != 1) ::_exit(1);
  });
  const Capture capture(file("a.rondo"));
  capture.next();
  const auto record = capture.next();
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->sequence, 2u);
  EXPECT_TRUE(record->has_times);
  EXPECT_LE(record->start_ns, record->end_ns);
  codec::Lowered lowered;
  ASSERT_TRUE(codec::decode(lowered, capture.ids, CommandId::vkCreateFence, record->payload));
  ASSERT_EQ(lowered.handles.size(), 2u);
  EXPECT_EQ(lowered.handles[1].captured, 0x1234u);
}

TEST_F(RecordedCalls, ThreadsLeaveNoGapInTheNumbers) {
  constexpr int kThreads = 8, kCalls = 5000;
  in_process(file("a.rondo"), [] {
    FakeDevice device(fakes());
    start();
    std::barrier together(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        together.arrive_and_wait();
        for (std::uint32_t i = 0; i < kCalls; ++i) {
          regular<CommandId::vkCmdDraw>(device.handle<VkCommandBuffer>(), i, 1u, 0u, 0u);
          regular<CommandId::vkEndCommandBuffer>(device.handle<VkCommandBuffer>());
        }
      });
    for (std::thread& thread : threads) thread.join();
  });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  EXPECT_EQ(capture.reader->gaps(), 0u);
  std::uint64_t expected = 0;
  std::set<std::uint32_t> seen;
  while (const auto record = capture.next()) {
    ASSERT_EQ(record->sequence, ++expected);
    seen.insert(record->thread);
    if (capture.ids.command(record->command) == CommandId::vkEndCommandBuffer) {
      ASSERT_TRUE(record->has_return);
    }
  }
  EXPECT_EQ(expected, std::uint64_t{2} * kThreads * kCalls);
  EXPECT_EQ(seen.size(), std::size_t{kThreads});
}

TEST_F(RecordedCalls, AnUnknownStructureStopsTheRecordingAndNotTheCall) {
  in_process(file("a.rondo"), [] {
    FakeDevice device(fakes());
    start();
    VkBaseInStructure unknown{static_cast<VkStructureType>(0x7ffffff0), nullptr};
    VkFenceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    info.pNext = &unknown;
    VkFence fence = VK_NULL_HANDLE;
    const VkAllocationCallbacks* const none = nullptr;
    const VkFenceCreateInfo* const asked = &info;
    if (regular<CommandId::vkCreateFence>(device.handle<VkDevice>(), asked, none, &fence) != VK_SUCCESS) ::_exit(1);
    if (recording()) ::_exit(2);
    if (regular<CommandId::vkCreateFence>(device.handle<VkDevice>(), asked, none, &fence) != VK_SUCCESS) ::_exit(3);
  });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  EXPECT_EQ(capture.reader->footer()->ending, static_cast<std::uint32_t>(Ending::stopped));
  const auto record = capture.next();
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(capture.ids.command(record->command), CommandId::rondoNote);
  EXPECT_EQ(capture.reader->gaps(), 0u);
}

TEST_F(RecordedCalls, AQueryWithAnUnknownStructureIsLeftOutAndNotedOnce) {
  in_process(file("a.rondo"), [] {
    FakeDevice device(fakes());
    start();
    VkBaseOutStructure unknown{static_cast<VkStructureType>(0x7ffffff0), nullptr};
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &unknown;
    for (int i = 0; i < 2; ++i) {
      const typename CommandTraits<CommandId::vkGetPhysicalDeviceProperties2>::Args args{
          device.handle<VkPhysicalDevice>(), &properties};
      if (encode_payload(*thread_state(), CommandId::vkGetPhysicalDeviceProperties2, &args, true)) ::_exit(1);
    }
    if (!recording()) ::_exit(2);
    regular<CommandId::vkCmdDraw>(device.handle<VkCommandBuffer>(), 3u, 1u, 0u, 0u);
  });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  EXPECT_EQ(capture.reader->footer()->ending, static_cast<std::uint32_t>(Ending::exited));
  auto record = capture.next();
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(capture.ids.command(record->command), CommandId::rondoNote);
  record = capture.next();
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(capture.ids.command(record->command), CommandId::vkCmdDraw);
  EXPECT_FALSE(capture.next().has_value());
  EXPECT_EQ(capture.reader->gaps(), 0u);
}

TEST_F(RecordedCalls, WhatIsNotRecordedIsForwarded) {
  in_process(file("a.rondo"), [] {
    FakeDevice device(fakes());
    g_seen_in_driver = 99;
    regular<CommandId::vkCmdDraw>(device.handle<VkCommandBuffer>(), 3u, 1u, 0u, 0u);
    if (g_seen_in_driver != 0) ::_exit(1);
  });
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

// What vkGetDescriptorEXT is to write, and what lies there while the driver is at it.
std::uint64_t g_place[4];
bool g_place_was_written;
void VKAPI_CALL fake_descriptor(VkDevice, const VkDescriptorGetInfoEXT*, std::size_t bytes, void* descriptor) {
  const std::uint64_t before = g_place[0];
  std::memset(descriptor, 0x5a, bytes - 8);  // drivers need not write all
  g_place_was_written = g_place[0] != before;
}

TEST_F(RecordedCalls, ADescriptorIsRecordedBeforeAnotherThreadCanFindIt) {
  in_process(file("a.rondo"), [] {
    Dispatch dispatch;
    dispatch.vkGetDescriptorEXT = fake_descriptor;
    FakeDevice device(dispatch);
    start();
    g_place[3] = 7;
    VkDescriptorGetInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT;
    info.type = VK_DESCRIPTOR_TYPE_SAMPLER;
    hook_vkGetDescriptorEXT(device.handle<VkDevice>(), &info, sizeof g_place, g_place);
    if (g_place_was_written) ::_exit(1);
    if (g_place[0] != 0x5a5a'5a5a'5a5a'5a5a || g_place[3] != 7) ::_exit(2);
  });
  const Capture capture(file("a.rondo"));
  const auto record = capture.next();
  ASSERT_TRUE(record.has_value());
  codec::Lowered lowered;
  ASSERT_TRUE(codec::decode(lowered, capture.ids, CommandId::vkGetDescriptorEXT, record->payload));
  args_vkGetDescriptorEXT args;
  std::memcpy(&args, lowered.bytes.data(), sizeof args);
  ASSERT_EQ(args.dataSize, 32u);
  const auto at = reinterpret_cast<std::uintptr_t>(args.pDescriptor);  // an offset
  ASSERT_LE(at + sizeof g_place, lowered.bytes.size());
  EXPECT_EQ(lowered.bytes[at], std::byte{0x5a});
  EXPECT_EQ(lowered.bytes[at + 24], std::byte{7});
}

}  // namespace
}  // namespace rondo::layer::testing
