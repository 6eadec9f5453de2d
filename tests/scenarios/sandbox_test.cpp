// SPDX-License-Identifier: Apache-2.0
// Foreign captures are played in a sandbox, in which every option works. What it refuses to code inside the
// process, unit-sandbox tries.
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

namespace fs = std::filesystem;

// Empty: this machine and build have one.
const std::string& no_sandbox() {
  static const std::string reason = [] {
    const Outcome doctor = rondo({"doctor"});
    return doctor.out.find("sandbox   foreign captures are played in a sandbox") != std::string::npos
               ? std::string()
               : "no sandbox here: rondo doctor says why";
  }();
  return reason;
}

// A copy is foreign.
std::string foreign(const TemporaryDirectory& directory, const Recording& recording) {
  INFO(recording.run.both());
  REQUIRE(recording.run.status == 0);
  const std::string path = directory.file("foreign.rondo");
  fs::copy_file(recording.path, path, fs::copy_options::overwrite_existing);
  return path;
}

const Recording& cube() { return captured(vkcube(10), {.checkpoints = "present"}); }
const Recording& compute() { return captured({program("compute")}, {.checkpoints = "submit"}); }

Command playing(const Words& arguments, const std::string& driver = lavapipe) {
  Command command;
  use_driver_for_player(command.environment, driver, "");
  command.arguments = {build_root() + "/player/player"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return command;
}

// Played in a sandbox, to its end, and nothing on stderr.
Outcome plays(const TemporaryDirectory& directory, Words arguments, Command with = playing({})) {
  const std::string report = directory.file("report.json");
  arguments.insert(arguments.begin(), {"--report", report});
  with.arguments.insert(with.arguments.end(), arguments.begin(), arguments.end());
  const Outcome outcome = run(with);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  CHECK(read_file(report).find("\"sandboxed\": true") != std::string::npos);
  return outcome;
}

}  // namespace

SCENARIO("a foreign capture plays in a sandbox as a trusted one does without", "[sandbox]") {
  if (!no_sandbox().empty()) SKIP_SCENARIO(no_sandbox());
  const TemporaryDirectory directory;
  const std::string path = foreign(directory, compute());
  WHEN("it is compared, looped and given a time limit") {
    const Outcome outcome = plays(directory, {"--verify", "--loop", "3", "--timeout", "100", path});
    CHECK(compared(outcome, "parts of buffers and images").equal ==
          compared(outcome, "parts of buffers and images").all);
  }
  WHEN("it is played from nothing each time, and under the validation layer") {
    plays(directory, {"--fresh", "--loop", "2", "--validate", path});
  }
  WHEN("shaders are replaced") {
    plays(directory, {"--replace", "all@main=" RONDO_TEST_SHADERS "/fourfold.spv", path});
  }
  WHEN("pipelines are kept") {
    const std::string cache = directory.file("pipelines");
    plays(directory, {"--pipeline-cache", cache, path});
    const auto bytes = fs::file_size(cache);
    CHECK(bytes != 0);
    plays(directory, {"--pipeline-cache", cache, path});
    CHECK(fs::file_size(cache) == bytes);
  }
  WHEN("it is measured") {
    Command command = playing({"--benchmark", "--benchmark_min_time=0.01",
                               "--benchmark_out=" + directory.file("rows.json"), "--sandbox=require", path});
    const Outcome outcome = run(command);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(read_file(directory.file("rows.json")).find("replay/whole") != std::string::npos);
  }
  WHEN("its user trusts it, or wants no sandbox") {
    const std::string report = directory.file("report.json");
    for (const char* option : {"--trust", "--sandbox=off"}) {
      CHECK(player({"--quiet", option, "--report", report, path}).status == 0);
      CHECK(read_file(report).find("\"sandboxed\": false") != std::string::npos);
    }
    CHECK(player({"--quiet", "--sandbox=require", "--report", report, compute().path}).status == 0);
    CHECK(read_file(report).find("\"sandboxed\": true") != std::string::npos);
  }
}

SCENARIO("pictures and windows of a foreign capture come out of its sandbox", "[sandbox]") {
  if (!no_sandbox().empty()) SKIP_SCENARIO(no_sandbox());
  const TemporaryDirectory directory;
  const std::string path = foreign(directory, cube());
  WHEN("presented images are written") {
    plays(directory, {"--screenshot", directory.file("deep/pictures"), path});
    CHECK(files_in(directory.file("deep/pictures")).size() == 10);
    Words trusted{"--quiet", "--screenshot", directory.file("others"), cube().path};
    CHECK(player(trusted).status == 0);
    for (const std::string& name : files_in(directory.file("others")))
      CHECK(read_file(directory.file("others/" + name)) == read_file(directory.file("deep/pictures/" + name)));
  }
  WHEN("they are shown on an X server") {
    Command command = playing({});
    command.environment["DISPLAY"] = display();
    CHECK(plays(directory, {"--window", "--verify", path}, command).out.find("10 images shown in windows") !=
          std::string::npos);
  }
  WHEN("they are shown by a compositor") {
    const Compositor compositor;
    Command command = playing({});
    command.environment["XDG_RUNTIME_DIR"] = compositor.runtime_directory();
    command.environment["WAYLAND_DISPLAY"] = compositor.name();
    CHECK(plays(directory, {"--window", "--verify", path}, command).out.find("10 images shown in windows") !=
          std::string::npos);
  }
  WHEN("there is no window system") {
    const Outcome outcome = player({"--window", path});
    CHECK(outcome.status == 2);
    CHECK(is_one_line(outcome, "player"));
  }
}

SCENARIO("a foreign capture is cut and taken apart in a sandbox", "[sandbox]") {
  if (!no_sandbox().empty()) SKIP_SCENARIO(no_sandbox());
  const TemporaryDirectory directory, from_trusted;
  const std::string path = foreign(directory, compute()), out = directory.file("out.rondo"),
                    same = from_trusted.file("out.rondo");
  WHEN("submits, draws or all of it are cut out") {
    const Words part = GENERATE(Words{"--submits", "1:3"}, Words{"--draws", "1:0:1"});
    for (const auto& [from, to] : {std::pair(path, out), std::pair(compute().path, same)}) {
      Words words{"trim", "--sandbox", "require", from, "-o", to};
      words.insert(words.end(), part.begin(), part.end());
      const Outcome outcome = rondo(words);
      INFO(outcome.both());
      CHECK(outcome.status == 0);
      CHECK(outcome.err == "");
    }
    CHECK(player({"--verify", out}).status == 0);
    CHECK(rondo({"diff", out, same}).status == 0);
    CHECK(files_in(directory.path()) == std::vector<std::string>{"foreign.rondo", "out.rondo"});
  }
  WHEN("it is replaced by a part of it") {
    const Outcome outcome = rondo({"trim", "--in-place", "--submits", "1:3", path});
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(player({"--verify", path}).status == 0);
    CHECK(files_in(directory.path()) == std::vector<std::string>{"foreign.rondo"});
  }
  WHEN("its contents and shaders are written") {
    const std::string to = directory.file("contents");
    for (const Words& what : {Words{"--buffers", "--images"}, Words{"--shaders"}}) {
      Words words{"extract", "--sandbox", "require", path, "-o", to};
      words.insert(words.end(), what.begin(), what.end());
      const Outcome outcome = rondo(words);
      INFO(outcome.both());
      CHECK(outcome.status == 0);
    }
    CHECK(files_in(to).size() == 5);
    // What is there and the same is left alone.
    const auto before = fs::last_write_time(to + "/VkBuffer-0.bin");
    CHECK(rondo({"extract", "--shaders", path, "-o", to}).status == 0);
    CHECK(fs::last_write_time(to + "/VkBuffer-0.bin") == before);
  }
  WHEN("what it would write is something else") {
    fs::create_directory(directory.file("there"));
    const Outcome outcome = rondo({"trim", "--submits", "1:3", path, "-o", directory.file("there")});
    CHECK(outcome.status == 1);
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(rondo({"extract", "--shaders", path, "-o", path}).status == 2);
  }
}

SCENARIO("a capture whose shader leaves its memory does no harm, on any driver", "[sandbox]") {
  const std::string path = RONDO_SCENARIOS "/foreign/out_of_bounds.rondo";
  const std::string driver = GENERATE(lavapipe, lavapipe25, swiftshader);
  if (const std::string& none = no_driver(driver); !none.empty()) SKIP_SCENARIO(none);
  if (!no_sandbox().empty()) SKIP_SCENARIO(no_sandbox());
  const TemporaryDirectory directory;
  const auto ends = [&](Command command, const std::string& tool) {
    use_driver(command.environment, driver);
    command.timeout_s = 60;
    const Outcome outcome = run(command);
    INFO(driver << ": " << outcome.both());
    CHECK(!outcome.timed_out);
    CHECK(outcome.signal == 0);
    CHECK((outcome.status == 0 || (outcome.status == 1 && is_one_line(outcome, tool)) ||
           (outcome.status == 3 && is_one_line(outcome, tool))));
  };
  ends(playing({"--timeout", "30", path}), "player");
  Command trim, extract;
  trim.arguments = {build_root() + "/analyzers/rondo", "trim", "--submits", "0:1", path, "-o",
                    directory.file("out.rondo")};
  extract.arguments = {build_root() + "/analyzers/rondo", "extract", "--buffers", path, "-o",
                       directory.file("contents")};
  ends(trim, "rondo");
  ends(extract, "rondo");
  for (const std::string& name : files_in(directory.path())) CHECK((name == "out.rondo" || name == "contents"));
}

SCENARIO("a driver that the sandbox keeps from its device is named as such", "[sandbox]") {
  if (!no_sandbox().empty()) SKIP_SCENARIO(no_sandbox());
  const TemporaryDirectory directory;
  const std::string path = foreign(directory, compute());
  Command command = playing({path});
  // A manifest that only leads out of what the sandbox lets be read.
  write_file(directory.file("driver.json"),
             R"({"file_format_version": "1.0.0", "ICD": {"library_path": "libnone.so", "api_version": "1.3.0"}})");
  command.environment["VK_ICD_FILENAMES"] = directory.file("driver.json");
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(outcome.status == 4);
  CHECK(outcome.err.find("this is a sandbox, which a driver may not bear: if you trust the capture, --trust "
                         "plays it without") != std::string::npos);
}

SCENARIO("a home directory that is not there is made by no tool", "[sandbox]") {
  const TemporaryDirectory directory;
  const std::string path = foreign(directory, compute()), home = directory.file("nobody");
  const std::string rondo = build_root() + "/analyzers/rondo";
  for (const std::string& driver : {lavapipe, lavapipe25, swiftshader})
    for (const Words& words : {Words{build_root() + "/player/player", path},
                               {rondo, "trim", "--submits", "1:2", path, "-o", directory.file("cut.rondo")},
                               {rondo, "extract", "--buffers", path, "-o", directory.file("contents")},
                               {rondo, "info", path},
                               {rondo, "doctor"},
                               {rondo, "capture", "--output", directory.file("x.rondo"), "--", program("compute")}}) {
      if (!no_driver(driver).empty()) continue;
      Command command;
      command.arguments = words;
      use_driver(command.environment, driver);
      for (const char* name : {"XDG_CACHE_HOME", "XDG_STATE_HOME"}) command.environment.erase(name);
      command.environment["HOME"] = home;
      // Newer Mesa makes the home of a program, with a recorder or without.
      if (words[1] == "capture") command.environment["MESA_SHADER_CACHE_DISABLE"] = "true";
      const Outcome outcome = run(command);
      INFO(driver << ": " << words[0] << " " << words[1] << "\n" << outcome.both());
      CHECK(outcome.status == 0);
      CHECK(!fs::exists(home));
    }
}

SCENARIO("a driver that makes no device in the sandbox is named as such", "[sandbox]") {
  if (!no_sandbox().empty()) SKIP_SCENARIO(no_sandbox());
  const TemporaryDirectory directory;
  const std::string path = foreign(directory, captured(without_checks({program("compute")}), {.driver = fake}));
  const char* const hint = "this is a sandbox, which a driver may not bear: ";
  for (const char* how : {"fail=vkCreateDevice:1:VK_ERROR_INITIALIZATION_FAILED",
                          "fail=vkCreateInstance:2:VK_ERROR_INITIALIZATION_FAILED"}) {  // after the player's own
    const Outcome sandboxed = player({path}, fake, how), trusted = player({"--trust", path}, fake, how);
    INFO(how << "\n" << sandboxed.both() << trusted.both());
    for (const Outcome& outcome : {sandboxed, trusted}) {
      CHECK((outcome.status == 1 || outcome.status == 4));
      CHECK(count(outcome.err, "\n") == 1);
      CHECK(outcome.err.find(": vkCreate") != std::string::npos);
    }
    CHECK(sandboxed.err.find(std::string(hint) + "if you trust the capture, --trust plays it without") !=
          std::string::npos);
    CHECK(trusted.err.find(hint) == std::string::npos);
  }
}

SCENARIO("files that a foreign capture needs are read in its sandbox where they are allowed", "[sandbox]") {
  if (!no_sandbox().empty()) SKIP_SCENARIO(no_sandbox());
  const TemporaryDirectory directory, model;
  const std::string file = model.file("weights");
  std::string bytes;
  std::uint64_t x = 1;
  for (int i = 0; i < 1 << 20; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    bytes += static_cast<char>(x >> 56);
  }
  write_file(file, bytes);
  const std::string path = directory.file("x.rondo");
  Command command = capture_command({program("file_uploads"), file}, path);
  command.arguments.insert(command.arguments.begin() + 2, {"--files", "reference"});
  const Outcome outcome = run(command);
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  fs::copy_file(path, directory.file("copy.rondo"));
  CHECK(player({"--allow-files", model.path(), directory.file("copy.rondo")}).status == 0);
  CHECK(player({directory.file("copy.rondo")}).status == 6);
}
