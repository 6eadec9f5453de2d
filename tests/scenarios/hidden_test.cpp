// SPDX-License-Identifier: Apache-2.0
// What is hidden from a captured program is said where the program asked for it.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "json.h"

using namespace scenario;

namespace {

constexpr const char* kMore = "offers=VK_NV_ray_tracing_motion_blur;VK_RONDO_from_the_future";
constexpr const char* kKnown = "offers=VK_NV_ray_tracing_motion_blur";

struct Asked {
  Recording capture;
  std::string line;  // what `rondo capture` says of hidden things; empty: nothing
  std::string info;
};

Asked asked(const char* what, const std::string& settings, bool with_launcher = true) {
  Asked result;
  result.capture =
      captured({program("asking/asks"), what}, {.driver = fake, .settings = settings, .with_launcher = with_launcher});
  CHECK(result.capture.run.status == 0);
  for (const std::string& line : lines(result.capture.run.err))
    if (line.find("what was hidden") != std::string::npos) {
      CHECK(result.line.empty());
      result.line = line;
    }
  result.info = rondo({"info", result.capture.path}).out;
  return result;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

SCENARIO("a program that asks for the features of a hidden extension is told of", "[hidden]") {
  const Asked all = asked("features", kMore);
  INFO(all.line << '\n' << all.info);
  CHECK(has(all.line,
            "the program asked for what is hidden while it is captured: VK_NV_ray_tracing_motion_blur "
            "(vendors' ray tracing is not replayed yet); `rondo info` lists what was hidden"));
  CHECK(has(all.info,
            "asked for   VK_NV_ray_tracing_motion_blur, and it asked whether the device has its features: "
            "hidden: vendors' ray tracing is not replayed yet"));
  CHECK(has(all.info, "hidden      unknown to this build of Rondo: VK_RONDO_from_the_future"));
  CHECK(has(all.capture.run.out, "motion blur 0"));
  const Json json = Json::parse(rondo({"info", "--json", all.capture.path}).out);
  CHECK(json.at("/hidden/0/name") == "\"VK_NV_ray_tracing_motion_blur\"");
  CHECK(json.at("/hidden/0/unknown") == "false");
  CHECK(json.at("/hidden/1/name") == "\"VK_RONDO_from_the_future\"");
  CHECK(json.at("/hidden/1/unknown") == "true");
}

SCENARIO("a program that only looks at the list of extensions did not ask", "[hidden]") {
  const Asked all = asked("list", kKnown);
  INFO(all.capture.run.err << all.info);
  CHECK(all.line.empty());
  CHECK(has(all.info, "hidden      vendors' ray tracing is not replayed yet: VK_NV_ray_tracing_motion_blur"));
  CHECK(!has(all.info, "asked for "));
}

SCENARIO("a driver that is newer than the build is told of", "[hidden]") {
  CHECK(has(asked("list", kMore).line,
            "the driver is newer than this build of Rondo, which does not know "
            "VK_RONDO_from_the_future and hides what it does not know"));
  const Asked version = asked("list", "version=9");
  INFO(version.line << version.info);
  CHECK(has(version.line, "the driver has Vulkan 1.9, which is newer than what this build of Rondo records"));
  CHECK(has(version.info, "hidden      newer than what this build of Rondo records: Vulkan 1.9"));
}

SCENARIO("a program that makes no device is told of what it may have missed", "[hidden]") {
  const Asked all = asked("leave", kKnown);
  INFO(all.line);
  CHECK(has(all.line,
            "the program made no device, and may miss what is hidden while it is captured: "
            "VK_NV_ray_tracing_motion_blur (vendors' ray tracing is not replayed yet)"));
  THEN("nothing is said where nothing was hidden from it") { CHECK(asked("leave", "").line.empty()); }
}

SCENARIO("a program that asks for a version of Vulkan that is hidden is told of", "[hidden]") {
  const Asked all = asked("version", "version=9");
  INFO(all.line);
  CHECK(has(all.line,
            "asked for what is hidden while it is captured: Vulkan 1.9 (newer than what this build of Rondo "
            "records)"));
  THEN("not where the driver does not have it either") { CHECK(asked("version", "").line.empty()); }
}

SCENARIO("a program that asks for a structure that nobody knows is told of on a newer driver", "[hidden]") {
  CHECK(has(asked("unknown", kMore).line, "structure type 1000999000 (unknown to this build of Rondo)"));
  CHECK(asked("unknown", kKnown).line.empty());
}

SCENARIO("what was hidden is in captures that no launcher made, too", "[hidden]") {
  CHECK(has(asked("features", kMore, false).info, "asked for   VK_NV_ray_tracing_motion_blur"));
}

namespace {

Outcome doctor(const std::string& settings, const Words& options = {}) {
  Command command;
  command.arguments = {build_root() + "/analyzers/rondo", "doctor"};
  command.arguments.insert(command.arguments.end(), options.begin(), options.end());
  use_driver(command.environment, fake, settings);
  return run(command);
}

}  // namespace

SCENARIO("rondo doctor compares each driver with the build", "[hidden]") {
  const Outcome plain = doctor("");
  INFO(plain.both());
  const std::size_t at = plain.out.find("captured programs see ");
  REQUIRE(at != std::string::npos);
  const std::string counts = plain.out.substr(at, plain.out.find('\n', at) - at);  // "… N of N device extensions"
  CHECK(!has(plain.out, "is newer than this build"));
  WHEN("a driver has more") {
    const Outcome more = doctor(std::string(kMore) + ",version=9");
    INFO(more.both());
    CHECK(!has(more.out, counts));
    CHECK(has(more.out, "Vulkan 1.9.239 (captured programs see 1."));
    CHECK(has(more.out,
              "warn  driver    fake_icd: is newer than this build of Rondo, which does not know "
              "VK_RONDO_from_the_future"));
    CHECK(!has(more.out, "VK_NV_ray_tracing_motion_blur"));
  }
  WHEN("each hidden extension is asked for") {
    const Outcome verbose = doctor(kMore, {"--verbose"});
    INFO(verbose.both());
    CHECK(has(verbose.out,
              "hidden    fake_icd: VK_NV_ray_tracing_motion_blur: vendors' ray tracing is not replayed yet"));
  }
}
