// SPDX-License-Identifier: Apache-2.0
// Requests for frames: what they may say, and how the recording ends behind them.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "layer/recorder/frames.h"
#include "layer/recorder/trigger.h"
#include "tests/unit/recorder_hooks.h"

namespace rondo::layer::testing {
namespace {

TEST(Frames, ARangeHasAFirstFrameAndOneBehindTheLast) {
  const auto range = parse_frames("1:3");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 1u);
  EXPECT_EQ(range->last, 3u);
  EXPECT_TRUE(parse_frames("0:18446744073709551615"));
  for (const char* wrong : {"", "5", ":", "1:", ":1", "9:3", "3:3", "x:y", "1:2:3", " 1:2", "1:2 ", "-1:2", "+1:2",
                            "0x1:2", "0:18446744073709551616"})
    EXPECT_FALSE(parse_frames(wrong)) << wrong;
}

TEST(Frames, TheRequestIsASessionObject) { EXPECT_EQ(cut_request({1, 3}), R"({"cut_request":{"frames":"1:3"}})"); }

TEST(Trigger, ARequestIsANumberOfFrames) {
  EXPECT_EQ(parse_trigger("frames 1"), 1u);
  EXPECT_EQ(parse_trigger("frames 18446744073709551615"), UINT64_MAX);
  for (const char* wrong : {"", "frames", "frames ", "frames 0", "frames -1", "frames 1 ", "frames 1x", "frame 1",
                            "frames 18446744073709551616"})
    EXPECT_FALSE(parse_trigger(wrong)) << wrong;
}

std::atomic<int> g_presents{0};
VkResult VKAPI_CALL fake_present(VkQueue, const VkPresentInfoKHR*) {
  ++g_presents;
  return VK_SUCCESS;
}

std::atomic<bool> g_inside{false}, g_leave{false};
VkResult VKAPI_CALL slow_submit(VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) {
  g_inside = true;
  while (!g_leave) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return VK_SUCCESS;
}

Dispatch driver() {
  Dispatch dispatch;
  dispatch.vkQueuePresentKHR = fake_present;
  dispatch.vkQueueSubmit = slow_submit;
  return dispatch;
}

void present(FakeDevice& device) {
  VkPresentInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  if (hook_vkQueuePresentKHR(device.queue(), &info) != VK_SUCCESS) ::_exit(1);
}

bool complete(const std::string& path) {
  const auto reader = Reader::open(path);
  return reader && (*reader)->complete();
}

bool complete_soon(const std::string& path) {
  for (int i = 0; i < 1000 && !complete(path); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return complete(path);
}

// Each record's command, and whether its call has returned.
using Calls = std::vector<std::pair<CommandId, bool>>;
Calls calls_of(const std::string& path) {
  const Capture capture(path);
  Calls all;
  if (capture.reader == nullptr) return all;
  EXPECT_EQ(capture.reader->footer()->ending, static_cast<std::uint32_t>(Ending::exited));
  EXPECT_EQ(capture.reader->gaps(), 0u);
  while (const auto record = capture.next()) all.emplace_back(capture.ids.command(record->command), record->has_return);
  return all;
}

class RecordedFrames : public RecorderTest {};

TEST_F(RecordedFrames, TheFileIsWholeBehindTheLastOneAndTheProgramGoesOn) {
  in_process(file("a.rondo"), [&] {
    ::setenv("RONDO_FRAMES", "1:3", 1);
    const Dispatch dispatch = driver();
    FakeDevice device(dispatch);
    start();
    present(device);
    present(device);
    if (!recording()) ::_exit(2);
    present(device);
    if (recording()) ::_exit(3);
    if (!complete_soon(file("a.rondo"))) ::_exit(4);
    present(device);
    if (g_presents != 4) ::_exit(5);
    if (ask_for_frames(1)) ::_exit(6);
  });
  EXPECT_EQ(calls_of(file("a.rondo")), Calls(3, {CommandId::vkQueuePresentKHR, true}));
}

TEST_F(RecordedFrames, TheNextOnesCanBeAskedForWhileItRuns) {
  in_process(file("a.rondo"), [&] {
    const Dispatch dispatch = driver();
    FakeDevice device(dispatch);
    start();
    present(device);
    const auto many = ask_for_frames(UINT64_MAX), two = ask_for_frames(2);
    if (!many || many->first != 1 || many->last != UINT64_MAX) ::_exit(2);
    if (!two || two->first != 1 || two->last != 3) ::_exit(3);
    if (ask_for_frames(0)) ::_exit(4);
    present(device);
    present(device);
    if (recording() || !complete_soon(file("a.rondo"))) ::_exit(5);
  });
  EXPECT_EQ(calls_of(file("a.rondo")), Calls(3, {CommandId::vkQueuePresentKHR, true}));
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  ASSERT_GE(capture.reader->sessions().size(), 3u);
  EXPECT_EQ(capture.reader->sessions().back(), cut_request({1, 3}));
}

TEST_F(RecordedFrames, AFileIsClosedWhenCallsOfOtherThreadsHaveReturned) {
  in_process(file("a.rondo"), [&] {
    ::setenv("RONDO_FRAMES", "0:1", 1);
    const Dispatch dispatch = driver();
    FakeDevice device(dispatch);
    start();
    std::thread other([&] { hook_vkQueueSubmit(device.queue(), 0, nullptr, VK_NULL_HANDLE); });
    while (!g_inside) std::this_thread::yield();
    present(device);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (complete(file("a.rondo"))) ::_exit(2);
    g_leave = true;
    other.join();
    if (!complete_soon(file("a.rondo"))) ::_exit(3);
  });
  EXPECT_EQ(calls_of(file("a.rondo")), (Calls{{CommandId::vkQueueSubmit, true}, {CommandId::vkQueuePresentKHR, true}}));
}

TEST_F(RecordedFrames, AProcessThatEndsWaitsForNoCall) {
  const auto start_time = std::chrono::steady_clock::now();
  in_process(file("a.rondo"), [&] {
    ::setenv("RONDO_FRAMES", "0:1", 1);
    const Dispatch dispatch = driver();
    static FakeDevice* const device = new FakeDevice(dispatch);
    start();
    std::thread([] { hook_vkQueueSubmit(device->queue(), 0, nullptr, VK_NULL_HANDLE); }).detach();
    while (!g_inside) std::this_thread::yield();
    present(*device);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // it is being closed
    std::exit(0);                                                // here, where the dispatch table is still there
  });
  EXPECT_LT(std::chrono::steady_clock::now() - start_time, std::chrono::seconds(8));
  EXPECT_EQ(calls_of(file("a.rondo")),
            (Calls{{CommandId::vkQueueSubmit, false}, {CommandId::vkQueuePresentKHR, true}}));
}

TEST_F(RecordedFrames, AForkedChildNeitherRecordsNorCloses) {
  in_process(file("a.rondo"), [&] {
    ::setenv("RONDO_FRAMES", "0:2", 1);
    const Dispatch dispatch = driver();
    FakeDevice device(dispatch);
    start();
    present(device);
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0; i < 4; ++i) present(device);
      ::_exit(ask_for_frames(1) ? 1 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0 || !recording() || complete(file("a.rondo"))) ::_exit(2);
    present(device);
    if (recording() || !complete_soon(file("a.rondo"))) ::_exit(3);
  });
  EXPECT_EQ(calls_of(file("a.rondo")), Calls(2, {CommandId::vkQueuePresentKHR, true}));
}

}  // namespace
}  // namespace rondo::layer::testing
