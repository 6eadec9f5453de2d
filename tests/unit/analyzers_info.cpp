// SPDX-License-Identifier: Apache-2.0
// rondo info and rondo finish on the scene.
#include <gtest/gtest.h>

#include <string>

#include "analyzers/commands/commands.h"
#include "analyzers/launch/replayable.h"
#include "analyzers/read/summary.h"
#include "analyzers/text/json.h"
#include "format/codec/schema.h"
#include "format/reader.h"
#include "tests/unit/analyzers_scene.h"
#include "tests/unit/player_scene.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::analyzers {
namespace {

using test::printed;
using test::Printed;
using test::TemporaryFile;

JsonText json_of(const Printed& p) {
  EXPECT_EQ(p.status, 0) << p.error;
  auto parsed = JsonText::parse(p.out);
  EXPECT_TRUE(parsed) << p.out;
  return parsed ? *parsed : JsonText::merge({});
}

// The lines of `out` from the one that begins with `first` on.
std::string from_line(const std::string& out, const std::string& first) {
  const std::size_t at = out.find("\n" + first);
  return at == std::string::npos ? "no line begins with " + first + " in\n" + out : out.substr(at + 1);
}

TEST(AnalyzersInfo, JsonHasWhatTheSceneHolds) {
  const TemporaryFile file;
  test::write_scene(file.path());
  const JsonText info = json_of(printed(run_info, {"--json", file.path()}));
  EXPECT_EQ(info.shown("/complete"), "true");
  EXPECT_EQ(info.string("/ending"), "exited");
  EXPECT_EQ(info.string("/session/process/program"), "scene");
  EXPECT_EQ(info.number("/calls"), 17u);
  EXPECT_EQ(info.number("/by_layer"), 1u);
  EXPECT_EQ(info.number("/ambiguous"), 1u);
  EXPECT_EQ(info.number("/frames"), 2u);
  EXPECT_EQ(info.number("/submits"), 3u);
  EXPECT_EQ(info.number("/threads"), 1u);
  EXPECT_EQ(info.number("/last_sequence"), 22u);
  EXPECT_EQ(info.number("/commands/vkCreateBuffer/calls"), 2u);
  EXPECT_EQ(info.number("/commands/vkCreateBuffer/failed"), 1u);
  EXPECT_EQ(info.number("/objects/VkBuffer"), 1u);
  EXPECT_EQ(info.shown("/blobs"), R"({"missing":0,"references":2,"total_bytes":600,"unique":1,"unique_bytes":300})");
  EXPECT_EQ(info.string("/devices/0/name"), "test pipe");
  EXPECT_EQ(info.string("/devices/0/api_version"), "1.3.230");
  EXPECT_EQ(info.shown("/logical_devices/0/features"), R"(["robustBufferAccess"])");
  EXPECT_EQ(info.shown("/logical_devices/0/extensions"), R"(["VK_KHR_swapchain"])");
  EXPECT_EQ(info.shown("/notes"), R"(["the note"])");
}

TEST(AnalyzersInfo, TextCountsCommandsAndObjects) {
  const TemporaryFile file;
  test::write_scene(file.path());
  const Printed p = printed(run_info, {file.path()});
  EXPECT_EQ(p.status, 0) << p.error;
  EXPECT_EQ(from_line(p.out, "frames "), R"(frames      2
submits     3
time        1.50 ms from the first to the last call that is timed
)" + from_line(p.out, "blobs "));
  EXPECT_EQ(from_line(p.out, "commands\n"), R"(commands
           2 rondoHostWrite
           2 vkCreateBuffer (1 returned an error)
           2 vkQueuePresentKHR
           2 vkQueueSubmit
           1 rondoNote
           1 vkAllocateCommandBuffers
           1 vkAllocateMemory
           1 vkBeginCommandBuffer
           1 vkCmdDispatch
           1 vkCmdFillBuffer
           1 vkCreateCommandPool
           1 vkCreateDevice
           1 vkCreateInstance
           1 vkEndCommandBuffer
           1 vkEnumeratePhysicalDevices
           1 vkGetDeviceQueue
objects
           1 VkBuffer
           1 VkCommandBuffer
           1 VkCommandPool
           1 VkDevice
           1 VkDeviceMemory
           1 VkInstance
           1 VkPhysicalDevice
           1 VkQueue
)");
}

TEST(AnalyzersInfo, SubmitsAndFramesHaveNativeTimesAndCounts) {
  const TemporaryFile file;
  test::write_scene(file.path());
  const Printed submits = printed(run_info, {"--submits", "--times", file.path()});
  EXPECT_EQ(from_line(submits.out, "  submit "),
            R"(  submit   sequence queue           buffers  commands       start ms      call ms   to wait ms
       0         17 VkQueue#0             1         2       0.000000     0.000250            -
       1         17 VkQueue#0             1         2       0.000000     0.000250            -
       2         20 VkQueue#0             1         2       1.000000     0.000250            -
)");
  const Printed frames = printed(run_info, {"--frames", "--times", file.path()});
  EXPECT_EQ(from_line(frames.out, "   frame "),
            R"(   frame      first    present    calls  submits  commands       start ms           ms   to wait ms
       0          1         18       15        2         4       0.000000     0.501000            -
       1         20         21        2        1         2       0.501000     1.000000            -
)");
  const JsonText json = json_of(printed(run_info, {"--json", "--submits", "--times", file.path()}));
  EXPECT_EQ(json.shown("/submit_rows/2"),
            R"({"command_buffers":1,"commands":2,"end_ns":2000250,"queue":"VkQueue#0","sequence":20,)"
            R"("start_ns":2000000,"submit":2})");
}

TEST(AnalyzersInfo, ACutCaptureSaysWhyAndWhatToDo) {
  const TemporaryFile file;
  test::write_cut_scene(file.path());
  const Printed text = printed(run_info, {file.path()});
  EXPECT_EQ(text.status, 0) << text.error;
  EXPECT_NE(text.out.find("\ncut "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("rondo finish " + file.path()), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("--salvage"), std::string::npos) << text.out;
  const JsonText json = json_of(printed(run_info, {"--json", file.path()}));
  EXPECT_EQ(json.shown("/complete"), "false");
  EXPECT_EQ(json.number("/unfinished"), 1u);
  EXPECT_EQ(json.number("/submits"), 3u);
}

class AnalyzersReplayable : public test::PlayerScene {
 protected:
  void reset_a_fence_that_nothing_made() {
    const auto fence = test::handle<VkFence>(0xbad);
    capture.call(CommandId::vkResetFences, args_vkResetFences{test::kDevice, 1, &fence}, test::ok());
  }
};

TEST_F(AnalyzersReplayable, InfoSaysWhatThePlayerRefuses) {
  reset_a_fence_that_nothing_made();
  capture.finish();
  const Printed text = printed(run_info, {file.path()});
  EXPECT_EQ(text.status, 0) << text.error;
  const std::string why = "vkResetFences uses the VkFence 0xbad, which is not alive here";
  EXPECT_NE(text.out.find("\nreplay      cannot be replayed: record "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find(why), std::string::npos) << text.out;
  const JsonText json = json_of(printed(run_info, {"--json", file.path()}));
  EXPECT_NE(json.string("/cannot_be_replayed").value_or("").find(why), std::string::npos);
}

TEST_F(AnalyzersReplayable, InfoSaysNothingOfWhatIsPlayed) {
  create_fence();
  capture.finish();
  EXPECT_EQ(why_not_replayable(file.path()), "");
  EXPECT_EQ(printed(run_info, {file.path()}).out.find("cannot be replayed"), std::string::npos);
  EXPECT_FALSE(json_of(printed(run_info, {"--json", file.path()})).string("/cannot_be_replayed"));
}

TEST_F(AnalyzersReplayable, RecordsAreLookedAtUpToTheLastThatIsAskedFor) {
  create_fence();
  reset_a_fence_that_nothing_made();
  create_fence();
  capture.finish();
  const std::string why = why_not_replayable(file.path());
  const std::size_t at = why.find("record ");
  ASSERT_NE(at, std::string::npos) << why;
  const std::uint64_t record = std::stoull(why.substr(at + std::string("record ").size()));
  EXPECT_EQ(why_not_replayable(file.path(), {.until = record}), why);
  EXPECT_EQ(why_not_replayable(file.path(), {.until = record - 1}), "");
}

// Others say what they lack.
TEST_F(AnalyzersReplayable, CutAndLargeCapturesAreNotLookedAt) {
  const VkDeviceMemory memory = allocate(1 << 20);
  write(memory, 0, std::vector<std::byte>(1 << 20));
  reset_a_fence_that_nothing_made();
  capture.finish();
  EXPECT_NE(why_not_replayable(file.path()), "");
  EXPECT_EQ(why_not_replayable(file.path(), {.memory = 65536}), "");
  const TemporaryFile cut;
  test::write_cut_scene(cut.path());
  EXPECT_EQ(why_not_replayable(cut.path()), "");
}

TEST(AnalyzersFinish, ClosesACutCaptureOnceAndKeepsItsRecords) {
  const TemporaryFile file;
  test::write_cut_scene(file.path());
  const Printed first = printed(run_finish, {file.path()});
  EXPECT_EQ(first.status, 0) << first.error;
  EXPECT_NE(first.out.find("18 calls, 3 submits, 2 frames, 1.50 ms (finished)"), std::string::npos) << first.out;
  const JsonText json = json_of(printed(run_info, {"--json", file.path()}));
  EXPECT_EQ(json.shown("/complete"), "true");
  EXPECT_EQ(json.string("/ending"), "finished");
  const Printed second = printed(run_finish, {file.path()});
  EXPECT_EQ(second.status, 0) << second.error;
  EXPECT_NE(second.out.find("(was complete already: nothing to do;"), std::string::npos) << second.out;
}

TEST(AnalyzersFinish, TheSignalThatEndedTheProgramIsTold) {
  const TemporaryFile file;
  test::write_cut_scene(file.path());
  ASSERT_TRUE(finish_capture(file.path(), 9));
  EXPECT_NE(printed(run_info, {file.path()}).out.find("finished after SIGKILL ended the program"), std::string::npos);
}

TEST(AnalyzersCoverage, CountsAddUpAndWhatIsNotRegularHasAReason) {
  const JsonText json = json_of(printed(run_info, {"--coverage", "--json"}));
  const std::size_t rows = json.members("/commands").size();
  EXPECT_EQ(json.number("/counts/regular").value_or(0) + json.number("/counts/irregular").value_or(0) +
                json.number("/counts/unsupported").value_or(0),
            rows);
  EXPECT_GE(rows, 549u);
  EXPECT_EQ(json.members("/extensions").size(), codec::extensions().size());
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string at = "/commands/" + std::to_string(i);
    const bool explained = json.string((at + "/reason").c_str()).has_value();
    EXPECT_TRUE(explained || json.string((at + "/class").c_str()) == "regular") << *json.shown(at.c_str());
  }
}

TEST(AnalyzersCoverage, OfACaptureListsItsIrregularCommands) {
  const TemporaryFile file;
  test::write_scene(file.path());
  const Printed p = printed(run_info, {"--coverage", file.path()});
  EXPECT_EQ(p.status, 0) << p.error;
  EXPECT_NE(p.out.find("\ncoverage    of the commands used: "), std::string::npos) << p.out;
  EXPECT_NE(p.out.find("  irregular   vkQueueSubmit: "), std::string::npos) << p.out;
}

}  // namespace
}  // namespace rondo::analyzers
