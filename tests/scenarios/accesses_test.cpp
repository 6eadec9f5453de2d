// SPDX-License-Identifier: Apache-2.0
// The access model: what commands touch is said as it is, in every way in which memory is touched; and nothing
// changes that the model does not know to be written.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

struct Planted {
  std::string name;     // a program
  std::string command;  // that it calls
  std::string touch;    // a line below that
  std::string driver = lavapipe;
};

const std::string kStorage = " at COMPUTE_SHADER";
const std::string kBuild = " at ACCELERATION_STRUCTURE_BUILD_KHR";
const std::string kTrace = " at RAY_TRACING_SHADER_KHR";
const std::string kColor = " COLOR mips 0:1 layers 0:1 ";
const std::string kOutput = " at COLOR_ATTACHMENT_OUTPUT";

// One of each kind of access. The objects are those of the programs' sources, in the order in which they are made.
const std::vector<Planted> kPlanted = {
    // Shaders, by descriptors.
    {"templates", "vkCmdDispatch", "VkBuffer#0 0:4 UNIFORM_READ" + kStorage},
    {"templates", "vkCmdDispatch", "VkBuffer#1 0:64 SHADER_STORAGE_READ" + kStorage},
    {"templates", "vkCmdDispatch", "VkBuffer#3 0:64 SHADER_SAMPLED_READ" + kStorage},
    {"templates", "vkCmdDispatch", "VkBuffer#4 0:256 SHADER_STORAGE_WRITE" + kStorage},
    {"groups", "vkCmdDispatchBase", "VkBuffer#0 0:64 SHADER_STORAGE_READ | SHADER_STORAGE_WRITE" + kStorage},
    {"chapters/offsets_in_sets", "vkCmdDispatch", "VkBuffer#0 256:320 SHADER_STORAGE_READ" + kStorage},
    {"chapters/image_views", "vkCmdDispatch", "VkImage#0 COLOR mips 0:1 layers 5:11 SHADER_SAMPLED_READ" + kStorage},
    {"chapters/fragment_storage", "vkCmdDraw", "VkImage#2" + kColor + "SHADER_STORAGE_READ at FRAGMENT_SHADER"},
    {"chapters/fragment_storage", "vkCmdDraw",
     "VkImage#3 COLOR mips 0:1 layers 0:2 SHADER_STORAGE_WRITE at FRAGMENT_SHADER"},
    {"chapters/fragment_storage", "vkCmdDraw",
     "VkImage#1" + kColor + "SHADER_STORAGE_READ | SHADER_STORAGE_WRITE at FRAGMENT_SHADER"},
    {"chapters/pipeline_parts", "vkCmdDraw", "VkBuffer#1 0:16 UNIFORM_READ at FRAGMENT_SHADER"},
    {"passes", "vkCmdDraw", "VkImage#0" + kColor + "INPUT_ATTACHMENT_READ at FRAGMENT_SHADER"},
    // Draws and dispatches.
    {"triangle", "vkCmdDraw", "VkBuffer#0 0:72 VERTEX_ATTRIBUTE_READ at VERTEX_ATTRIBUTE_INPUT"},
    {"indirect", "vkCmdDrawIndexedIndirectCount", "VkBuffer#0 48:68 INDIRECT_COMMAND_READ at DRAW_INDIRECT"},
    {"indirect", "vkCmdDrawIndexedIndirectCount", "VkBuffer#0 88:92 INDIRECT_COMMAND_READ at DRAW_INDIRECT"},
    {"indirect", "vkCmdDrawIndexedIndirectCount", "VkBuffer#6 0:16 INDEX_READ at INDEX_INPUT"},
    {"indirect", "vkCmdDrawIndexedIndirectCount", "VkBuffer#2 12:64 VERTEX_ATTRIBUTE_READ at VERTEX_ATTRIBUTE_INPUT"},
    {"groups", "vkCmdDispatchIndirect", "VkBuffer#1 0:12 INDIRECT_COMMAND_READ at DRAW_INDIRECT"},
    {"conditional", "vkCmdDispatch", "VkBuffer#1 4:8 CONDITIONAL_RENDERING_READ_EXT at CONDITIONAL_RENDERING_EXT"},
    {"feedback", "vkCmdDraw", "VkBuffer#0 0:128 TRANSFORM_FEEDBACK_WRITE_EXT at TRANSFORM_FEEDBACK_EXT"},
    {"feedback", "vkCmdBeginTransformFeedbackEXT",
     "VkBuffer#2 0:4 TRANSFORM_FEEDBACK_COUNTER_READ_EXT at DRAW_INDIRECT"},
    {"feedback", "vkCmdEndTransformFeedbackEXT",
     "VkBuffer#2 0:4 TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT at TRANSFORM_FEEDBACK_EXT"},
    {"feedback", "vkCmdDrawIndirectByteCountEXT", "VkBuffer#2 0:4 INDIRECT_COMMAND_READ at DRAW_INDIRECT"},
    {"chapters/mesh_tasks", "vkCmdDrawMeshTasksIndirectCountEXT",
     "VkBuffer#1 32:36 INDIRECT_COMMAND_READ at DRAW_INDIRECT", lavapipe25},
    // Attachments.
    {"triangle", "vkCmdBeginRenderPass", "VkImage#0" + kColor + "COLOR_ATTACHMENT_WRITE" + kOutput + ", all of it"},
    {"triangle", "vkCmdDraw", "VkImage#0" + kColor + "COLOR_ATTACHMENT_WRITE" + kOutput},
    {"secondary", "vkCmdDraw", "VkImage#0" + kColor + "COLOR_ATTACHMENT_READ | COLOR_ATTACHMENT_WRITE" + kOutput},
    {"chapters/aspects", "vkCmdBeginRenderPass",
     "VkImage#0 STENCIL mips 0:1 layers 0:1 DEPTH_STENCIL_ATTACHMENT_READ at EARLY_FRAGMENT_TESTS"},
    {"passes", "vkCmdEndRenderPass2", "VkImage#2 DEPTH|STENCIL mips 0:1 layers 0:1 COLOR_ATTACHMENT_WRITE" + kOutput},
    {"multisample", "vkCmdEndRendering", "VkImage#0" + kColor + "COLOR_ATTACHMENT_READ" + kOutput},
    {"multisample", "vkCmdEndRendering", "VkImage#1" + kColor + "COLOR_ATTACHMENT_WRITE" + kOutput + ", all of it"},
    // Transfers and queries.
    {"triangle", "vkCmdCopyImageToBuffer", "VkImage#0" + kColor + "TRANSFER_READ at COPY"},
    {"triangle", "vkCmdCopyImageToBuffer", "VkBuffer#1 0:262144 TRANSFER_WRITE at COPY, all of it"},
    {"compressed", "vkCmdCopyBufferToImage", "VkBuffer#0 0:8 TRANSFER_READ at COPY"},
    {"images", "vkCmdBlitImage", "VkImage#2 COLOR mips 1:2 layers 0:6 TRANSFER_WRITE at BLIT, all of it"},
    {"queries", "vkCmdCopyQueryPoolResults", "VkQueryPool#0 0:2 MEMORY_READ at COPY"},
    {"queries", "vkCmdCopyQueryPoolResults", "VkBuffer#0 0:32 TRANSFER_WRITE at COPY"},
    {"queries", "vkCmdCopyQueryPoolResults", "VkBuffer#0 64:68 TRANSFER_WRITE at COPY"},
    {"queries", "vkCmdCopyQueryPoolResults", "VkBuffer#0 128:136 TRANSFER_WRITE at COPY"},
    // By the host, and the window system.
    {"triangle", "rondoHostWrite", "VkDeviceMemory#1 0:72 HOST_WRITE at HOST, all of it"},
    {"headless", "vkQueuePresentKHR", "VkImage#0" + kColor + "MEMORY_READ at ALL_COMMANDS", lavapipe25},
    // Where addresses lead.
    {"rays", "vkCmdBuildAccelerationStructuresKHR", "VkBuffer#0 0:36 SHADER_READ" + kBuild, lavapipe25},
    {"rays", "vkCmdBuildAccelerationStructuresKHR",
     "VkAccelerationStructureKHR#0 ACCELERATION_STRUCTURE_WRITE_KHR" + kBuild, lavapipe25},
    {"rays", "vkCmdBuildAccelerationStructuresKHR", "anything reachable, read: acceleration structures refer to others",
     lavapipe25},
    {"ray_pipelines", "vkCmdTraceRaysKHR", "VkBuffer#7 64:128 SHADER_BINDING_TABLE_READ_KHR" + kTrace, lavapipe25},
    {"ray_pipelines", "vkCmdTraceRaysKHR", "VkAccelerationStructureKHR#1 ACCELERATION_STRUCTURE_READ_KHR" + kTrace,
     lavapipe25},
    {"ray_pipelines", "vkCmdTraceRaysIndirect2KHR",
     "anything reachable, read: shaders follow addresses, acceleration structures refer to others, the device makes "
     "commands",
     lavapipe25},
    {"descriptor_buffers", "vkCmdDispatch", "VkBuffer#5 0:5632 DESCRIPTOR_BUFFER_READ_EXT at ALL_COMMANDS", lavapipe25},
    {"descriptor_buffers", "vkCmdDispatch", "anything reachable, read, written: descriptors lie in buffers",
     lavapipe25},
    {"chapters/linked_lists", "vkCmdDispatch", "anything reachable, read, written: shaders follow addresses"},
};

// Only a part of it is written, whatever is asked for elsewhere: an area, an extent, some slices.
const std::vector<Planted> kPartly = {
    {"chapters/load_store", "vkCmdBeginRenderPass", "VkImage#0" + kColor + "COLOR_ATTACHMENT_WRITE" + kOutput},
    {"chapters/layers", "vkCmdBeginRenderPass", "VkImage#2" + kColor + "COLOR_ATTACHMENT_WRITE" + kOutput},
    {"chapters/strides", "vkCmdCopyBufferToImage2", "VkImage#0 COLOR mips 1:2 layers 0:1 TRANSFER_WRITE at COPY"},
    {"chapters/between_images", "vkCmdCopyImage", "VkImage#1 COLOR mips 0:1 layers 3:5 TRANSFER_WRITE at COPY"},
    {"chapters/resolves", "vkCmdResolveImage", "VkImage#12 COLOR mips 0:1 layers 0:2 TRANSFER_WRITE at RESOLVE"},
};

// What is below each command, by its name.
std::map<std::string, std::set<std::string>> touches_in(const std::string& text) {
  std::map<std::string, std::set<std::string>> all;
  std::string command;
  for (const std::string& line : lines(text)) {
    if (line.starts_with("    "))  // where it lies in memory is left out
      all[command].insert(line.substr(4, line.find("; ") - 4));
    else if (const std::size_t at = line.find(' '); at != std::string::npos)
      command = line.substr(at + 1, line.find(',', at) - at - 1);
  }
  return all;
}

std::string joined(const std::set<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text += "\n  " + one;
  return text;
}

}  // namespace

SCENARIO("every way to touch memory is told as it is: objects, ranges, accesses and stages", "[accesses]") {
  for (const Planted& planted : kPlanted) {
    const Words words{program(planted.name)};
    if (!no_driver(planted.driver).empty()) continue;  // the next scenario says so
    if (!cannot_run(words, planted.driver).empty()) continue;
    const Recording& capture = captured(words, {.checkpoints = "submit", .driver = planted.driver});
    INFO(planted.name << "\n" << capture.run.both());
    REQUIRE(capture.run.status == 0);
    const Outcome outcome = rondo({"accesses", capture.path});
    REQUIRE(outcome.status == 0);
    const auto all = touches_in(outcome.out);
    INFO(planted.command << ": " << planted.touch);
    const auto found = all.find(planted.command);
    REQUIRE(found != all.end());
    INFO("has" << joined(found->second));
    CHECK(found->second.count(planted.touch) == 1);
  }
}

SCENARIO("a host write and the copy that reads it meet in memory", "[accesses]") {
  const Recording& capture = captured({program("aliases")}, {.checkpoints = "submit"});
  REQUIRE(capture.run.status == 0);
  std::string written;  // "VkDeviceMemory#2 0:256"
  bool is_read = false;
  for (const std::string& line : lines(rondo({"accesses", capture.path}).out)) {
    if (written.empty() && line.starts_with("    VkDeviceMemory#"))
      written = line.substr(4, line.find(" HOST_WRITE") - 4);
    is_read = is_read || (!written.empty() && line.find(" TRANSFER_READ at COPY; in " + written) != std::string::npos);
  }
  INFO(written);
  CHECK(is_read);
}

SCENARIO("of what is written in part it is not said that all of it is replaced", "[accesses]") {
  for (const Planted& planted : kPartly) {
    const Recording& capture = captured({program(planted.name)}, {.checkpoints = "submit"});
    INFO(planted.name << ", " << planted.command << ": " << planted.touch);
    REQUIRE(capture.run.status == 0);
    const auto all = touches_in(rondo({"accesses", capture.path}).out);
    const auto found = all.find(planted.command);
    REQUIRE(found != all.end());
    INFO("has" << joined(found->second));
    CHECK(found->second.count(planted.touch) == 1);
    CHECK(found->second.count(planted.touch + ", all of it") == 0);
  }
}

SCENARIO("no byte changes that the access model does not know to be written", "[accesses]") {
  int compared = 0;
  std::set<std::string> without;
  std::vector<std::string> names = programs();
  for (const std::string& name : programs("chapters")) names.push_back("chapters/" + name);
  for (const std::string& name : names) {
    // Their captures are cut, or another's than the program's own.
    if (name == "crash" || name == "lost" || name == "forks" || name == "hostile" || name == "churn") continue;
    const Words words{program(name)};
    for (const std::string& driver : {lavapipe, lavapipe25}) {
      if (!no_driver(driver).empty() || !cannot_run(words, driver).empty()) continue;
      const Recording& capture = captured(words, {.checkpoints = "submit", .driver = driver});
      if (capture.run.status != 0) continue;  // natively neither: other scenarios say why
      Command command;
      command.arguments = {build_root() + "/tests/scenarios/access-changes", capture.path};
      const Outcome outcome = run(command);
      INFO(name << " on " << driver << "\n" << outcome.both());
      CHECK(outcome.status == 0);
      if (outcome.out.find(" changed 0 times") == std::string::npos) ++compared;
      break;
    }
  }
  // Most of them submit work that writes something.
  INFO(compared << " of " << names.size());
  CHECK(compared * 3 > 2 * static_cast<int>(names.size()));
}

SCENARIO("of frames and submits as they are asked for, as JSON lines, too", "[accesses]") {
  const Recording& capture = captured({program("compute")}, {.checkpoints = "submit"});
  REQUIRE(capture.run.status == 0);
  const Outcome all = rondo({"accesses", "--format", "jsonl", capture.path});
  REQUIRE(all.status == 0);
  int commands = 0, summaries = 0;
  for (const std::string& line : lines(all.out)) {
    const Json row = Json::parse(line);
    REQUIRE(row.valid());
    if (row.at("/row") == "\"summary\"") {
      ++summaries;
      CHECK(row.at("/commands") == std::to_string(commands));
      CHECK(row.at("/known") == std::to_string(commands));
      continue;
    }
    ++commands;
    CHECK(row.size("/touches") > 0);
  }
  CHECK(commands > 2);
  CHECK(summaries == 1);
  const Outcome first = rondo({"accesses", "--submits", "0:1", capture.path});
  CHECK(first.status == 0);
  CHECK(first.out.find("submit 0 by") != std::string::npos);
  CHECK(first.out.find("submit 1 by") == std::string::npos);
  const Outcome none = rondo({"accesses", "--submits", "900:901", capture.path});
  CHECK(none.status == kUsage);
  CHECK(none.err.find("no record is in these frames or submits") != std::string::npos);
}
