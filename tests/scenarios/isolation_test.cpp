// SPDX-License-Identifier: Apache-2.0
// What a program notices of Rondo: nothing when it is off, little when it is on.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "fixture.h"

using namespace scenario;

namespace {

// A program's memory map once its driver is loaded.
std::string maps_with(const Environment& more) {
  Command command;
  command.arguments = {program("compute"), "--submits", "1000000"};
  command.environment["XDG_DATA_DIRS"] = build_root() + "/share:/usr/local/share:/usr/share";
  for (const auto& [name, value] : more) command.environment[name] = value;
  Process process(command);
  std::string maps;
  for (int i = 0; i < 500 && maps.find("libvulkan_lvp") == std::string::npos; ++i) {
    ::usleep(10000);
    maps = read_file("/proc/" + std::to_string(process.pid()) + "/maps");
  }
  ::usleep(100000);
  maps = read_file("/proc/" + std::to_string(process.pid()) + "/maps");
  process.kill(SIGKILL);
  process.wait();
  return maps;
}

std::vector<std::string> exported(const std::string& library) {
  Command nm;
  nm.arguments = {"nm", "--dynamic", "--defined-only", "--format=just-symbols", library};
  const Outcome outcome = run(nm);
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  std::vector<std::string> names = lines(outcome.out);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

SCENARIO("a program loads the layer exactly when RONDO_CAPTURE is 1", "[isolation]") {
  const TemporaryDirectory directory;
  const Environment output{{"RONDO_OUTPUT", directory.file("x.rondo")}};
  const auto with = [&](Environment more) {
    more.insert(output.begin(), output.end());
    const std::string maps = maps_with(more);
    REQUIRE(maps.find("libvulkan_lvp") != std::string::npos);  // the program did reach its driver
    return maps.find("librondo") != std::string::npos;
  };
  WHEN("it is unset") {
    CHECK(!with({}));
    THEN("there is no capture either") { CHECK(files_in(directory.path()).empty()); }
  }
  WHEN("it is 0") { CHECK(!with({{"RONDO_CAPTURE", "0"}})); }
  WHEN("it is 1, but RONDO_DISABLE is set") { CHECK(!with({{"RONDO_CAPTURE", "1"}, {"RONDO_DISABLE", "1"}})); }
  WHEN("it is 1") {
    CHECK(with({{"RONDO_CAPTURE", "1"}}));
    THEN("there is a capture") { CHECK(files_in(directory.path()).size() == 1); }
  }
}

SCENARIO("a program that never creates an instance leaves no file", "[isolation]") {
  const TemporaryDirectory directory;
  Command command = capture_command({"true"}, directory.file("%p.rondo"));
  const Outcome outcome = run(command);
  CHECK(outcome.status == 0);
  CHECK(files_in(directory.path()).empty());
  CHECK(outcome.err.find("no Vulkan") != std::string::npos);
}

SCENARIO("the launcher passes stdin, output and exit status through", "[isolation]") {
  const TemporaryDirectory directory;
  Command command = capture_command({"sh", "-c", "cat; echo oops >&2; exit 42"}, directory.file("%p.rondo"));
  command.input = "through and through\n";
  const Outcome outcome = run(command);
  CHECK(outcome.status == 42);
  CHECK(outcome.out == "through and through\n");
  CHECK(outcome.err.find("oops\n") != std::string::npos);
}

SCENARIO("an existing capture is never overwritten", "[isolation]") {
  const TemporaryDirectory directory;
  write_file(directory.file("x.rondo"), "mine");
  const Outcome outcome = run(capture_command({program("vulkan14")}, directory.file("x.rondo")));
  CHECK(outcome.status == 0);
  CHECK(read_file(directory.file("x.rondo")) == "mine");
  CHECK(files_in(directory.path()).size() == 2);
}

SCENARIO("a capture that cannot be written does not disturb the program", "[isolation]") {
  const CaptureOptions by_environment{.with_launcher = false};
  const Outcome outcome =
      run(capture_command({program("vulkan14")}, "/proc/no-such-directory/x.rondo", by_environment));
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("checksum") != std::string::npos);
  CHECK(lines(outcome.err).size() == 1);
}

SCENARIO("the layer exports its entry points and nothing else", "[isolation]") {
  for (const std::string& name : exported(build_root() + "/layer/librondo_layer.so")) {
    INFO(name);
    CHECK((name.rfind("vkNegotiateLoaderLayerInterfaceVersion", 0) == 0 || name.rfind("rondo_", 0) == 0));
  }
  CHECK(exported(build_root() + "/layer/librondo_layer.so").size() >= 1);
}
