// SPDX-License-Identifier: Apache-2.0
// Every extension that a captured program sees on lavapipe is enabled by a
// program of tests/programs, whose scenario replays it, or listed with the
// reason why not. That its commands are called is called_commands_test.cpp's.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "fixture.h"
#include "json.h"

using namespace scenario;

namespace {

const std::vector<std::string> kPrograms = {
    "addresses", "arithmetic", "conditional", "constants",     "dynamic",     "dynamic3",
    "feedback",  "geometry",   "groups",      "host_pointers", "loops",       "images",
    "indirect",  "libraries",  "labels",      "memory",        "multisample", "passes",
    "queries",   "rendering",  "samplers",    "secondary",     "templates",   "inline_uniforms"};

const std::map<std::string, std::string> kWithout = {
    {"VK_KHR_surface", "needs a display: [windows]"},
    {"VK_KHR_xcb_surface", "needs a display: [windows]"},
    {"VK_KHR_xlib_surface", "needs a display: [windows]"},
    {"VK_KHR_wayland_surface", "needs a Wayland compositor: [windows]"},
    {"VK_KHR_swapchain", "needs a display: [windows]"},
    {"VK_KHR_incremental_present", "needs a display: [vkcube]"},
    {"VK_KHR_swapchain_mutable_format", "needs a display: [windows]"},
    {"VK_KHR_get_surface_capabilities2", "queries of a display, never replayed"},
    {"VK_KHR_surface_protected_capabilities", "queries of a display, never replayed"},
    {"VK_KHR_portability_enumeration", "lavapipe is not a portability driver"},
};

std::set<std::string> enabled(const std::string& name) {
  const Recording& capture = captured({program(name)}, {.checkpoints = "readback"});
  const Json info = Json::parse(rondo({"info", "--json", capture.path}).out);
  std::set<std::string> names;
  for (const std::string list : {"/instance_extensions", "/logical_devices/0/extensions"})
    for (std::size_t i = 0; i < info.size(list); ++i) {
      const std::string quoted = info.at(list + "/" + std::to_string(i));
      names.insert(quoted.substr(1, quoted.size() - 2));
    }
  return names;
}

}  // namespace

SCENARIO("each extension that lavapipe shows is enabled by a program or has its reason", "[commands]") {
  GIVEN("what a captured program sees") {
    const Recording& seen = captured({program("extensions")});
    REQUIRE(seen.run.status == 0);
    WHEN("the captures of the programs are read") {
      std::set<std::string> on;
      for (const std::string& name : kPrograms)
        for (const std::string& one : enabled(name)) on.insert(one);
      THEN("nothing is left over") {
        for (const std::string& name : lines(seen.run.out)) {
          INFO(name);
          if (name.rfind("VK_", 0) == 0) CHECK(on.count(name) + kWithout.count(name) > 0);
        }
      }
      THEN("no reason is out of date") {
        for (const auto& [name, reason] : kWithout) {
          INFO(name << ": " << reason);
          CHECK(on.count(name) == 0);
        }
      }
    }
  }
}
