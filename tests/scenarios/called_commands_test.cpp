// SPDX-License-Identifier: Apache-2.0
// Every command of Vulkan 1.0 to 1.3 is called by a program of tests/programs,
// and its record is in the capture; or it stands here with the reason why not.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "fixture.h"
#include "json.h"

using namespace scenario;

namespace {

// Enough of them, planes on the fake driver.
const std::vector<std::string> kPrograms = {
    "core",      "dynamic",    "results",  "passes", "events",    "images", "leak",      "command_buffers",
    "labels",    "timeline",   "mappings", "planes", "queries",   "sets",   "submits",   "inline_uniforms",
    "indirect",  "fences",     "groups",   "memory", "libraries", "sparse", "rendering", "shared_memory",
    "templates", "suballocate"};

const std::map<std::string, std::string> kWithout = {
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

std::string unquoted(const std::string& value) {
  return value.size() < 2 ? value : value.substr(1, value.size() - 2);
}

std::map<std::string, std::string> core_commands() {
  const Json coverage = Json::parse(rondo({"info", "--coverage", "--json"}).out);
  std::map<std::string, std::string> classes;
  for (std::size_t i = 0; i < coverage.size("/commands"); ++i) {
    const std::string row = "/commands/" + std::to_string(i);
    if (coverage.at(row + "/feature").find("VK_VERSION_") != std::string::npos)
      classes[unquoted(coverage.at(row + "/name"))] = unquoted(coverage.at(row + "/class"));
  }
  return classes;
}

// Names of the records of a capture.
void add_names(const Recording& capture, std::set<std::string>& names) {
  const std::string key = "\"command\":";
  for (const std::string& line : lines(rondo({"dump", "--format=jsonl", capture.path}).out)) {
    const std::size_t at = line.find(key);
    const std::size_t from = at == std::string::npos ? at : line.find('"', at + key.size());
    if (from != std::string::npos) names.insert(line.substr(from + 1, line.find('"', from + 1) - from - 1));
  }
}

}  // namespace

SCENARIO("each core command is recorded of a program or has its reason", "[commands]") {
  GIVEN("the commands of Vulkan 1.0 to 1.3 that are supported") {
    const std::map<std::string, std::string> core = core_commands();
    REQUIRE(core.size() > 200);
    WHEN("the captures of the programs are read") {
      std::set<std::string> seen;
      for (const std::string& name : kPrograms) {
        const Recording& capture = captured(
            {program(name)}, {.checkpoints = "readback", .driver = name == "planes" ? fake : lavapipe});
        INFO(name << ": " << capture.run.both());
        REQUIRE(capture.run.status == 0);
        add_names(capture, seen);
      }
      THEN("nothing is left over") {
        std::string left;
        for (const auto& [name, kind] : core)
          if (kind != "unsupported" && seen.count(name) + kWithout.count(name) == 0) left += name + " ";
        CHECK(left == "");
      }
      THEN("no reason is out of date, and no unsupported command was recorded") {
        for (const auto& [name, reason] : kWithout) {
          INFO(name << ": " << reason);
          CHECK(seen.count(name) == 0);
          CHECK(core.count(name) == 1);
        }
        for (const auto& [name, kind] : core)
          if (kind == "unsupported") CHECK(seen.count(name) == 0);
      }
    }
  }
}
