// SPDX-License-Identifier: Apache-2.0
// Memory runs out while a call is recorded: the call is made all the same, and the
// capture ends before it and says why.
#include <cstdlib>
#include <new>
#include <vector>

#include "layer/recorder/regular.h"
#include "tests/unit/recorder_hooks.h"
#include "tests/unit/recorder_support.h"

namespace {

thread_local int t_allocations_left = -1;  // before one fails; -1: none does
thread_local bool t_all_fail = false;      // from then on
thread_local bool t_failed = false;

void* allocate(std::size_t bytes) {
  if (t_allocations_left == 0) {
    if (!t_all_fail) t_allocations_left = -1;
    t_failed = true;
    return nullptr;
  }
  if (t_allocations_left > 0) --t_allocations_left;
  return std::malloc(bytes != 0 ? bytes : 1);
}

void* allocate_or_throw(std::size_t bytes) {
  void* const got = allocate(bytes);
  if (got == nullptr) throw std::bad_alloc();
  return got;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

namespace rondo::layer::testing {
namespace {

int g_updates = 0;

void VKAPI_CALL update_buffer(VkCommandBuffer, VkBuffer, VkDeviceSize, VkDeviceSize, const void*) { ++g_updates; }

class OutOfMemory : public RecorderTest, public ::testing::WithParamInterface<bool> {
 protected:
  // Three calls, in the second of which the allocation after `left` others fails.
  void expect_stopped(int left) {
    const std::string path = file("a" + std::to_string(left) + ".rondo");
    in_process(path, [left] {
      Dispatch dispatch;
      dispatch.vkCmdUpdateBuffer = update_buffer;
      FakeDevice device(dispatch);
      start();
      const auto commands = device.handle<VkCommandBuffer>();
      const VkBuffer buffer = VK_NULL_HANDLE;
      const auto update = [&](const std::vector<std::byte>& bytes) {
        const void* const data = bytes.data();
        regular<CommandId::vkCmdUpdateBuffer>(commands, buffer, VkDeviceSize{0}, VkDeviceSize{bytes.size()}, data);
      };
      const std::vector<std::byte> little(16), much(60'000);
      update(little);
      t_all_fail = GetParam();
      t_allocations_left = left;
      update(much);
      t_allocations_left = -1;
      if (t_failed == recording()) ::_exit(1);  // whatever failed, the recording ended
      update(little);
      if (g_updates != 3) ::_exit(2);
      std::exit(0);
    });
    const Capture capture(path);
    ASSERT_NE(capture.reader, nullptr);
    EXPECT_EQ(capture.reader->gaps(), 0u);
    if (capture.reader->footer()->ending == static_cast<std::uint32_t>(Ending::stopped)) ++failures_;
    const auto first = capture.next();
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(capture.ids.command(first->command), CommandId::vkCmdUpdateBuffer);
  }
  int failures_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Once, OutOfMemory, ::testing::Values(false, true),
                         [](const auto& info) { return std::string(info.param ? "ForGood" : "Once"); });

TEST_P(OutOfMemory, TheCallIsMadeAndTheRecordingStops) {
  for (int left = 0; left < 6; ++left) {
    SCOPED_TRACE(left);
    expect_stopped(left);
  }
  EXPECT_GT(failures_, 0);
}

}  // namespace
}  // namespace rondo::layer::testing
