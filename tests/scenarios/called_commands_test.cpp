// SPDX-License-Identifier: Apache-2.0
// Every command that Rondo supports, of Vulkan 1.0 to 1.4 and of every extension
// that it shows to programs, is called by a program of tests/programs, and its
// record is in the capture under the name that was called; or it stands here
// with the reason why not. An extension whose commands nothing calls is hidden.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

// Enough of them; those behind lack something on lavapipe.
const std::vector<std::string> kPrograms = {"addresses",       "aliases",      "command_buffers",
                                            "conditional",     "core",         "dynamic",
                                            "dynamic3",        "events",       "feedback",
                                            "fences",          "groups",       "images",
                                            "indirect",        "labels",       "leak",
                                            "mappings",        "memory",       "multisample",
                                            "passes",          "queries",      "results",
                                            "inline_uniforms", "sets",         "libraries",
                                            "sparse",          "submits",      "shared_memory",
                                            "timeline",        "rendering",    "templates",
                                            "suballocate",     "host_pointers"};
const std::vector<std::string> kFakePrograms = {"chapters/asked", "discards", "displays", "dynamic_rest", "headless",
                                                "meshes",         "planes",   "presents", "sundry",       "sync_fds"};

const std::vector<std::string> kNewerPrograms = {
    "descriptor_buffers",    "generated_dispatches",  "generated_draws",
    "maintenance5",          "ray_pipelines",         "rays",
    "shader_objects",        "sparse_binds",          "chapters/host_image_copies",
    "chapters/local_reads",  "chapters/mapped_again", "chapters/memory_priorities",
    "chapters/newer_states", "chapters/second_forms"};  // on a newer lavapipe

// By the core of 1.4, too.
const std::vector<std::string> kPromotedPrograms = {
    "chapters/host_image_copies", "chapters/local_reads",  "chapters/mapped_again", "chapters/newer_states",
    "chapters/pushed_sets",       "chapters/second_forms", "maintenance5"};

const std::vector<std::string> kNewestPrograms = {"chapters/cooperative_matrices", "chapters/flexible_matrices",
                                                  "chapters/recent_states",
                                                  "chapters/released_images"};  // on the newest lavapipe

const std::vector<std::string> kOtherPrograms = {"chapters/released_images"};  // on SwiftShader

using Reasons = std::map<std::string, std::string>;

const Reasons kCoreWithout = {
    {"vkGetInstanceProcAddr", "not recorded"},
    {"vkGetDeviceProcAddr", "not recorded"},
    {"vkEnumerateInstanceExtensionProperties", "not recorded"},
    {"vkEnumerateDeviceExtensionProperties", "not recorded"},
    {"vkEnumerateInstanceLayerProperties", "not recorded"},
    {"vkEnumerateDeviceLayerProperties", "not recorded"},
    {"vkEnumerateInstanceVersion", "not recorded"},
    {"vkGetPhysicalDeviceToolProperties", "not recorded"},
    {"vkGetDeviceMemoryCommitment", "needs lazily allocated memory, which neither driver has"},
    {"vkGetDeviceGroupPeerMemoryFeatures", "needs a group of two devices, which neither driver has"},
};

const Reasons kExtensionsWithout = {
    {"vkGetPhysicalDeviceToolPropertiesEXT", "not recorded"},
    {"vkCmdBuildAccelerationStructuresIndirectKHR",
     "needs accelerationStructureIndirectBuild, which no driver here has"},
    {"vkDeferredOperationJoinKHR", "nothing is deferred while Rondo records"},
    {"vkGetDeferredOperationResultKHR", "likewise"},
    {"vkGetDeviceGroupPeerMemoryFeaturesKHR", "needs a group of two devices, which neither driver has"},
    {"vkEnumeratePhysicalDeviceGroupsKHR", "the loader calls the core command: groups"},
    {"vkGetPhysicalDeviceXcbPresentationSupportKHR", "needs a display: [windows]"},
    {"vkCreateXlibSurfaceKHR", "needs a display: [windows]"},
    {"vkGetPhysicalDeviceXlibPresentationSupportKHR", "needs a display: [windows]"},
    {"vkCreateWaylandSurfaceKHR", "needs a compositor: [windows]"},
    {"vkGetPhysicalDeviceWaylandPresentationSupportKHR", "needs a compositor: [windows]"},
};

std::string unquoted(const std::string& value) { return value.size() < 2 ? value : value.substr(1, value.size() - 2); }

struct Commands {
  std::set<std::string> supported, unsupported;
};

// Of the core, or of all extensions.
Commands commands(bool of_core) {
  const Json coverage = Json::parse(rondo({"info", "--coverage", "--json"}).out);
  Commands found;
  for (std::size_t i = 0; i < coverage.size("/commands"); ++i) {
    const std::string row = "/commands/" + std::to_string(i);
    if ((coverage.at(row + "/feature").find("VK_VERSION_") != std::string::npos) != of_core) continue;
    const bool supported = unquoted(coverage.at(row + "/class")) != "unsupported";
    (supported ? found.supported : found.unsupported).insert(unquoted(coverage.at(row + "/name")));
  }
  return found;
}

// Names of the records of a capture.
void add_names(const Recording& capture, std::set<std::string>& names) {
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const std::string key = "\"command\":";
  for (const std::string& line : lines(rondo({"dump", "--format=jsonl", capture.path}).out)) {
    const std::size_t at = line.find(key);
    const std::size_t from = at == std::string::npos ? at : line.find('"', at + key.size());
    if (from != std::string::npos) names.insert(line.substr(from + 1, line.find('"', from + 1) - from - 1));
  }
}

const std::set<std::string>& recorded() {
  static std::set<std::string> names;
  if (!names.empty()) return names;
  std::set<std::string> found;
  for (const std::string& name : kPrograms)
    add_names(captured({program(name)}, {.checkpoints = "readback", .driver = lavapipe}), found);
  for (const std::string& name : kFakePrograms)
    if (cannot_run(without_checks({program(name)}), fake).empty())
      add_names(captured(without_checks({program(name)}), {.checkpoints = "readback", .driver = fake}), found);
  for (const std::string& name : kNewerPrograms)
    if (cannot_run({program(name)}, lavapipe25).empty())
      add_names(captured({program(name)}, {.checkpoints = "readback", .driver = lavapipe25}), found);
  for (const std::string& name : kPromotedPrograms)
    if (const Words words = by_core_of_1_4({program(name)}); cannot_run(words, lavapipe25).empty())
      add_names(captured(words, {.checkpoints = "readback", .driver = lavapipe25}), found);
  for (const std::string& name : kNewestPrograms)
    if (cannot_run({program(name)}, lavapipe26).empty())
      add_names(captured({program(name)}, {.checkpoints = "readback", .driver = lavapipe26}), found);
  for (const std::string& name : kOtherPrograms)
    if (cannot_run({program(name)}, swiftshader).empty())
      add_names(captured({program(name)}, {.checkpoints = "readback", .driver = swiftshader}), found);
  return names = found;
}

void check(const Commands& commands, const std::set<std::string>& seen, const Reasons& without) {
  std::string left, out_of_date;
  for (const std::string& name : commands.supported)
    if (seen.count(name) + without.count(name) == 0) left += name + " ";
  for (const auto& [name, reason] : without)
    if (seen.count(name) == 1 || commands.supported.count(name) == 0) out_of_date += name + " ";
  for (const std::string& name : commands.unsupported)
    if (seen.count(name) == 1) out_of_date += name + " ";
  THEN("nothing is left over") { CHECK(left == ""); }
  THEN("no reason is out of date, and no unsupported command was recorded") { CHECK(out_of_date == ""); }
}

}  // namespace

SCENARIO("each core command is recorded of a program or has its reason", "[commands]") {
  GIVEN("the commands of every version of Vulkan that are supported") {
    const Commands core = commands(true);
    REQUIRE(core.supported.size() > 200);
    WHEN("the captures of the programs are read") { check(core, recorded(), kCoreWithout); }
  }
}

SCENARIO("each command of an extension that programs see is recorded of one or has its reason", "[commands]") {
  for (const std::string& driver : {lavapipe25, lavapipe26})
    if (!no_driver(driver).empty()) SKIP_SCENARIO(no_driver(driver));
  GIVEN("the commands of extensions that are supported, aliases among them") {
    const Commands extensions = commands(false);
    REQUIRE(extensions.supported.count("vkCmdSetCullModeEXT") == 1);
    REQUIRE(extensions.supported.size() > 150);
    WHEN("the captures of the programs are read, and that of one with a window") {
      std::set<std::string> seen = recorded();
      add_names(captured(vkcube(1)), seen);
      check(extensions, seen, kExtensionsWithout);
    }
  }
}
