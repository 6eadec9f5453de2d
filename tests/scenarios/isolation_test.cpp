// SPDX-License-Identifier: Apache-2.0
// What a program notices of Rondo: nothing when it is off, little when it is on.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <sstream>

#include "fixture.h"

using namespace scenario;

namespace {

// What a process has worked, in hundredths of a second.
long worked(pid_t pid) {
  const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  std::istringstream fields(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
  std::string skipped;
  long user = 0, system = 0;
  for (int i = 3; i < 14; ++i) fields >> skipped;
  fields >> user >> system;
  return (user + system) * 100 / ::sysconf(_SC_CLK_TCK);
}

// A program's memory map once it has long begun to submit, and its capture begun if it is captured.
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
  const std::string output = command.environment["RONDO_OUTPUT"];
  for (int i = 0; i < 3000; ++i) {
    ::usleep(10000);
    maps = read_file("/proc/" + std::to_string(process.pid()) + "/maps");
    const bool is_captured = maps.find("librondo") != std::string::npos;
    if (worked(process.pid()) >= 100 && (!is_captured || output.empty() || std::filesystem::exists(output))) break;
  }
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

SCENARIO("an output that is a FIFO, a directory or a device stays as it is, and holds nobody up", "[isolation]") {
  const TemporaryDirectory directory;
  const std::string output = directory.file("x.rondo");
  WHEN("it is a FIFO that nobody reads") { REQUIRE(::mkfifo(output.c_str(), 0600) == 0); }
  WHEN("it is a directory") { REQUIRE(::mkdir(output.c_str(), 0700) == 0); }
  WHEN("it is a link to a device") { REQUIRE(::symlink("/dev/null", output.c_str()) == 0); }
  const auto type = std::filesystem::symlink_status(output).type();
  const Outcome launched = run(capture_command({program("vulkan14")}, output));
  INFO(launched.both());
  CHECK(launched.status == 125);
  CHECK(is_one_line(launched, "rondo"));
  const Outcome outcome = run(capture_command({program("vulkan14")}, output, {.with_launcher = false}));
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(std::filesystem::symlink_status(output).type() == type);
  REQUIRE(files_in(directory.path()) == Words{"x-1.rondo", "x.rondo"});
  CHECK(player({directory.file("x-1.rondo")}).status == 0);
}

SCENARIO("a program whose capture cannot be written runs on, and one line says why", "[isolation]") {
  const TemporaryDirectory directory;
  std::string output = directory.file("x.rondo");
  WHEN("its directory is not there") { output = directory.file("none/x.rondo"); }
  WHEN("its directory may only be read") {
    if (::geteuid() == 0)
      output = "/proc/x.rondo";  // where even root writes no file
    else
      REQUIRE(::chmod(directory.path().c_str(), 0500) == 0);
  }
  Command command = capture_command({program("vulkan14")}, output, {.with_launcher = false});
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("vulkan14: 1 submit") != std::string::npos);
  CHECK(is_one_line(outcome, "rondo"));
  CHECK(outcome.err.find(output) != std::string::npos);
  CHECK(files_in(directory.path()).empty());
}

SCENARIO("a program whose errors nobody reads runs on when Rondo says something", "[isolation]") {
  const TemporaryDirectory directory;
  // stderr is a pipe whose reader is gone; output and status go to a file.
  const std::string script = "{ sleep 0.2; \"$@\" >\"$0\"; echo \"status $?\" >>\"$0\"; } 2>&1 | true";
  const auto said = [&](const std::string& name, bool with_launcher) {
    Command command = capture_command({program("vulkan14")}, directory.file(name), {.with_launcher = with_launcher});
    command.environment["RONDO_LOG"] = "info";
    Words words{"sh", "-c", script, directory.file("said")};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    command.arguments = words;
    run(command);
    return read_file(directory.file("said"));
  };
  for (const bool with_launcher : {false, true}) {
    const std::string name = with_launcher ? "a.rondo" : "b.rondo";
    const std::string text = said(name, with_launcher);
    INFO(text);
    CHECK(text.find("vulkan14: 1 submit") != std::string::npos);
    CHECK(text.find("status 0\n") != std::string::npos);
    CHECK(player({directory.file(name)}).status == 0);
  }
}

SCENARIO("a capture is readable by its owner only", "[isolation]") {
  const Recording& capture = captured({program("vulkan14")});
  REQUIRE(capture.run.status == 0);
  CHECK((std::filesystem::status(capture.path).permissions() & std::filesystem::perms::mask) ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

SCENARIO("every process that uses Vulkan gets a file of its own", "[isolation]") {
  const TemporaryDirectory directory;
  const std::string both = program("vulkan14") + " && " + program("leak");
  const Outcome outcome = run(capture_command({"sh", "-c", both}, directory.file("x.rondo")));
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  const std::vector<std::string> names = files_in(directory.path());
  REQUIRE(names.size() == 2);
  CHECK(std::count(names.begin(), names.end(), "x.rondo") == 1);
  for (const std::string& name : names) {
    INFO(name);
    CHECK(outcome.err.find(name) != std::string::npos);  // the closing line
    CHECK(player({directory.file(name)}).status == 0);
  }
}

SCENARIO("a process that only asks for the version is none of the capture", "[isolation]") {
  const TemporaryDirectory directory;
  for (const std::string children : {"1", "0"}) {
    INFO("RONDO_CHILDREN=" << children);
    Command command = capture_command({program("vulkan14"), "--probe", "1"}, directory.file(children + ".rondo"));
    command.environment.insert_or_assign("RONDO_CHILDREN", children);
    const Outcome outcome = run(command);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(std::filesystem::exists(directory.file(children + ".rondo")));
  }
  CHECK(files_in(directory.path()).size() == 2);
}

SCENARIO("a minimal session keeps no path and no command line", "[isolation]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  Command command = capture_command({program("vulkan14")}, path, {.with_launcher = false});
  WHEN("the session is full") {
    REQUIRE(run(command).status == 0);
    THEN("the program's path is in it") {
      CHECK(rondo({"dump", "--format=jsonl", path}).out.find(program("vulkan14")) != std::string::npos);
    }
  }
  WHEN("the session is minimal") {
    command.environment.insert_or_assign("RONDO_SESSION", "minimal");
    REQUIRE(run(command).status == 0);
    THEN("neither is in it") {
      const std::string dump = rondo({"dump", "--format=jsonl", path}).out;
      CHECK(dump.find("vkQueueSubmit") != std::string::npos);
      CHECK(dump.find(build_root()) == std::string::npos);
    }
  }
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

SCENARIO("a capture that runs out of room is said to be cut when it is", "[isolation]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  const Outcome outcome =
      run(capture_command({"sh", "-c", "ulimit -f 40000; exec \"$0\" \"$@\"", program("persistent"), "--megabytes",
                           "16", "--percent", "50", "--dense", "1", "--frames", "10"},
                          path, {.with_launcher = false}));
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  const std::size_t said = outcome.err.find("recording stopped: " + path + ": File too large");
  CHECK(said != std::string::npos);
  CHECK(outcome.err.find("recording stopped", said + 1) == std::string::npos);
}

SCENARIO("the layer exports its entry points and nothing else", "[isolation]") {
  CHECK(exported(build_root() + "/layer/librondo_layer.so") ==
        std::vector<std::string>{"rondo_enumerate_instance_extensions", "rondo_enumerate_instance_layers",
                                 "rondo_enumerate_instance_version", "rondo_layer_advise", "rondo_layer_close",
                                 "rondo_layer_meet", "rondo_layer_open_door", "rondo_layer_scope_begin",
                                 "rondo_layer_scope_end", "vkGetDeviceProcAddr", "vkGetInstanceProcAddr",
                                 "vkNegotiateLoaderLayerInterfaceVersion", "vk_layerGetPhysicalDeviceProcAddr"});
}
