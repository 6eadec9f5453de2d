// SPDX-License-Identifier: Apache-2.0
// rondo diff: the first difference, what is only on one side, spans, and what is ignored.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "analyzers/commands/commands.h"
#include "analyzers/text/json.h"
#include "tests/unit/analyzers_scene.h"
#include "tests/unit/handles.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::analyzers {
namespace {

using test::handle;
using test::printed;
using test::Printed;
using test::SyntheticCapture;
using test::TemporaryFile;

constexpr int kDifferent = 5, kUsage = 2, kUnreadable = 3;

// Buffers of these sizes, with a present behind each; `value` is the first one's handle.
struct Story {
  TemporaryFile file;
  explicit Story(const std::vector<VkDeviceSize>& sizes, std::uint64_t timeout = 1, const char* label = "x",
                 bool one_more = false) {
    SyntheticCapture capture(file.path());
    const auto device = handle<VkDevice>(0x10);
    const auto make = [&](std::uint64_t value, VkDeviceSize size) {
      VkBufferCreateInfo info{};
      info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
      info.size = size;
      VkBuffer made = handle<VkBuffer>(value);
      capture.call(CommandId::vkCreateBuffer, args_vkCreateBuffer{device, &info, nullptr, &made},
                   {.result = VK_SUCCESS});
      return made;
    };
    if (one_more) make(0xf00, 1);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const VkBuffer made = make(0x100 + i, sizes[i]);
      VkDebugUtilsObjectNameInfoEXT name{};
      name.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
      name.objectType = VK_OBJECT_TYPE_BUFFER;
      name.objectHandle = reinterpret_cast<std::uint64_t>(made);
      name.pObjectName = label;
      capture.call(CommandId::vkSetDebugUtilsObjectNameEXT, args_vkSetDebugUtilsObjectNameEXT{device, &name},
                   {.result = VK_SUCCESS});
      capture.call(CommandId::vkWaitForFences, args_vkWaitForFences{device, 0, nullptr, VK_TRUE, timeout},
                   {.result = VK_SUCCESS});
      VkPresentInfoKHR present{};
      present.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
      capture.call(CommandId::vkQueuePresentKHR, args_vkQueuePresentKHR{handle<VkQueue>(0x30), &present},
                   {.result = VK_SUCCESS});
    }
    capture.finish();
  }
};

Printed diff(const std::string& a, const std::string& b, std::vector<std::string> more = {}) {
  more.insert(more.end(), {a, b});
  return printed(run_diff, more);
}

TEST(AnalyzersDiff, OfTheSameThereIsNone) {
  const Story a({1, 2, 3}), b({1, 2, 3});
  const Printed p = diff(a.file.path(), b.file.path());
  EXPECT_EQ(p.status, 0) << p.error;
  EXPECT_EQ(p.out, "the same: 12 calls\n");
  EXPECT_NE(diff(a.file.path(), b.file.path(), {"--format", "json"}).out.find("\"first\": null"), std::string::npos);
}

TEST(AnalyzersDiff, NamesTheFirstCallAndItsParameter) {
  const Story a({1, 2, 3}), b({1, 5, 3});
  const Printed p = diff(a.file.path(), b.file.path());
  EXPECT_EQ(p.status, kDifferent);
  EXPECT_NE(p.out.find("the first difference is call 4 of 12 and 12, in size\n"), std::string::npos) << p.out;
  EXPECT_NE(p.out.find("size=2"), std::string::npos) << p.out;
  EXPECT_NE(p.out.find("size=5"), std::string::npos) << p.out;
  EXPECT_NE(p.out.find("         3          3          1          1 vkCreateBuffer\n"), std::string::npos) << p.out;
  EXPECT_EQ(p.out.find("vkQueuePresentKHR"), std::string::npos) << p.out;
}

TEST(AnalyzersDiff, TellsWhatOnlyOneSideHas) {
  const Story a({1, 2, 3}), b({1, 2});
  const JsonText json = *JsonText::parse(diff(a.file.path(), b.file.path(), {"--format", "json"}).out);
  EXPECT_EQ(json.shown("/same"), "false");
  EXPECT_EQ(json.number("/first/index"), 8u);
  EXPECT_EQ(json.shown("/first/b"), std::nullopt);
  EXPECT_EQ(json.number("/first/a/sequence"), 9u);
  EXPECT_EQ(json.number("/commands/vkCreateBuffer/only_a"), 1u);
  EXPECT_EQ(json.number("/commands/vkCreateBuffer/only_b"), 0u);
  EXPECT_NE(diff(a.file.path(), b.file.path()).out.find(": ends there\n"), std::string::npos);
}

TEST(AnalyzersDiff, ComparesSpansOfBothOrOfEach) {
  const Story a({1, 2, 3}), b({1, 5, 3});
  EXPECT_EQ(diff(a.file.path(), b.file.path(), {"--frames", "0:1"}).status, 0);
  EXPECT_EQ(diff(a.file.path(), b.file.path(), {"--frames", "1:2"}).status, kDifferent);
  EXPECT_EQ(diff(a.file.path(), b.file.path(), {"--frames", "2:3"}).status, 0);
  const Story repeated({1, 2, 3, 1}), moved({7, 1, 2});
  EXPECT_EQ(
      diff(repeated.file.path() + "@frames=0:1", moved.file.path() + "@frames=1:2", {"--ignore", "handles"}).status, 0);
  EXPECT_EQ(
      diff(repeated.file.path() + "@frames=0:2", moved.file.path() + "@frames=1:3", {"--ignore", "handles"}).status, 0);
  EXPECT_EQ(diff(repeated.file.path() + "@frames=0:1", moved.file.path() + "@frames=1:2").status, kDifferent);
}

TEST(AnalyzersDiff, IgnoresWhatItIsToldTo) {
  const Story plain({1, 2}), later({1, 2}, 99), named({1, 2}, 1, "y"), more({1, 2}, 1, "x", true);
  EXPECT_EQ(diff(plain.file.path(), later.file.path()).status, kDifferent);
  EXPECT_EQ(diff(plain.file.path(), later.file.path(), {"--ignore", "times"}).status, 0);
  EXPECT_EQ(diff(plain.file.path(), named.file.path()).status, kDifferent);
  EXPECT_EQ(diff(plain.file.path(), named.file.path(), {"--ignore", "handles,names"}).status, 0);
  const JsonText json =
      *JsonText::parse(diff(plain.file.path(), more.file.path(), {"--format", "json", "--ignore", "handles"}).out);
  EXPECT_EQ(json.number("/commands/vkCreateBuffer/only_a"), 0u);
  EXPECT_EQ(json.number("/commands/vkCreateBuffer/only_b"), 1u);
}

// A map of `size` bytes, which the driver put at `at`.
struct Map {
  TemporaryFile file;
  Map(std::uint64_t at, VkDeviceSize size) {
    SyntheticCapture capture(file.path());
    void* data = handle<void*>(at);
    const args_vkMapMemory args{handle<VkDevice>(0x10), handle<VkDeviceMemory>(0x20), 0, size, 0, &data};
    capture.call(CommandId::vkMapMemory, args, {.result = VK_SUCCESS});
    capture.finish();
  }
};

TEST(AnalyzersDiff, DoesNotCompareWhereMemoryLiesInTheProcess) {
  const Map here(0x7f0000001000, 64), there(0x7e0000002000, 64), larger(0x7f0000001000, 65);
  const Printed same = diff(here.file.path(), there.file.path());
  EXPECT_EQ(same.status, 0) << same.out << same.error;
  EXPECT_NE(diff(here.file.path(), larger.file.path()).out.find(", in size\n"), std::string::npos);
}

TEST(AnalyzersDiff, SaysWhatIsWrongWithItsWords) {
  const Story a({1});
  const std::string path = a.file.path();
  EXPECT_EQ(diff(path, path, {"--ignore", "colours"}).status, kUsage);
  EXPECT_EQ(diff(path, path, {"--frames", "0:1", "--submits", "0:1"}).status, kUsage);
  EXPECT_EQ(diff(path, path + "@pages=0:1").status, kUsage);
  const Printed none = diff(path, path + "@frames=7:8");
  EXPECT_EQ(none.status, kUsage);
  EXPECT_NE(none.error.find("there is no frame 7"), std::string::npos) << none.error;
  EXPECT_EQ(diff(path, "nowhere.rondo").status, kUnreadable);
  for (const char* option : {"--frames", "--submits"})
    EXPECT_EQ(diff(path, path, {option, ""}).status, kUsage) << option;
}

TEST(AnalyzersDiff, RefusesWhatIsCutOrDamaged) {
  const TemporaryFile scene("scene.rondo"), cut("cut.rondo"), damaged("damaged.rondo");
  test::write_scene(scene.path());
  test::write_cut_scene(cut.path());
  const Printed p = diff(cut.path(), cut.path());
  EXPECT_EQ(p.status, kUnreadable);
  EXPECT_NE(p.error.find("rondo finish"), std::string::npos) << p.error;
  // A byte of each kind of chunk, contents too.
  std::ifstream in(scene.path(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t at = 64; at < whole.size(); at += 7) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    std::ofstream(damaged.path(), std::ios::binary | std::ios::trunc) << bad;
    EXPECT_NE(diff(scene.path(), damaged.path()).status, 0) << at;
  }
}

}  // namespace
}  // namespace rondo::analyzers
