// SPDX-License-Identifier: Apache-2.0
// What the tools tell about captures, about this build and about this machine.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

const Recording& cube() {
  static const Recording& capture = captured(vkcube(10), {.checkpoints = "present"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

}  // namespace

SCENARIO("info tells what of a capture identifies somebody, and what a minimal session leaves", "[tools]") {
  const TemporaryDirectory directory;
  const auto told = [&](const std::string& session) {
    const std::string path = directory.file(session + ".rondo");
    Command command = capture_command({program("states"), "--state", "told"}, path);
    command.environment["RONDO_SESSION"] = session;
    REQUIRE(run(command).status == 0);
    const Outcome outcome = rondo({"info", "--privacy", path});
    CHECK(outcome.status == 0);
    CHECK(Json::parse(rondo({"info", "--privacy", "--json", path}).out).at("/0/what") != "");
    return outcome.out;
  };
  const std::string full = told("full"), minimal = told("minimal");
  INFO(full << minimal);
  for (const char* what : {"\ncommand line ", "\ndirectory ", "\nenvironment "}) {
    CHECK(full.find(what) != std::string::npos);
    CHECK(minimal.find(what) == std::string::npos);
  }
  // The program's own words stay.
  for (const std::string& text : {full, minimal}) {
    CHECK(text.find("\"something\", \"the output\"") != std::string::npos);
    CHECK(text.find("\"around\", \"middle\"") != std::string::npos);
    CHECK(text.find("\napplication       \"states\", \"rondo-tests\"") != std::string::npos);
  }
  CHECK(rondo({"info", "--privacy", "--frames", directory.file("full.rondo")}).status == 2);
}

SCENARIO("draws have the numbers in a dump that info --draws gives them", "[tools]") {
  int numbered = 0, before = 0;
  for (const char* name :
       {"triangle", "secondary", "kernels", "states", "core", "indirect", "rendering", "passes", "scopes", "loops"}) {
    const Recording& capture = captured({program(name)}, {.checkpoints = "submit"});
    INFO(name);
    REQUIRE(capture.run.status == 0);
    std::map<std::string, std::string> record_of;                 // by number
    std::map<std::string, std::pair<std::string, int>> first_of;  // by record: its first number, and how many it has
    const int submits = std::stoi(Json::parse(rondo({"info", "--json", capture.path}).out).at("/submits"));
    for (const std::string& line : lines(rondo({"info", "--draws", "--json", capture.path}).out)) {
      const Json row = Json::parse(line);
      if (row.at("/row") != "\"draw\"" || row.at("/draw") == "null") continue;
      const std::string number = row.at("/submit") + ":" + row.at("/draw");
      record_of[number] = row.at("/record");
      auto& first = first_of[row.at("/record")];
      if (first.second++ == 0) first.first = number;
    }
    REQUIRE(!record_of.empty());
    std::map<std::string, std::pair<std::string, int>> dumped;
    for (const std::string& line : lines(rondo({"dump", "--format=jsonl", capture.path}).out)) {
      const Json row = Json::parse(line);
      if (!row.at("/draw").empty())
        dumped[row.at("/sequence")] = {row.at("/draw_submit") + ":" + row.at("/draw"),
                                       std::stoi(row.at("/executions"))};
    }
    CHECK(dumped == first_of);
    numbered += static_cast<int>(dumped.size());
    // What a submit executes is in its span, whether it was recorded there or before.
    for (int submit = 0; submit < submits; ++submit) {
      std::set<std::string> there, expected;
      const std::string span = std::to_string(submit) + ":" + std::to_string(submit + 1);
      for (const std::string& line : lines(rondo({"dump", "--format=jsonl", "--submits", span, capture.path}).out)) {
        const Json row = Json::parse(line);
        if (row.at("/draw").empty()) continue;
        there.insert(row.at("/sequence"));
        if (row.at("/row") != "\"executed\"") continue;
        ++before;
        CHECK(row.at("/submit") == std::to_string(submit));
        CHECK(record_of[row.at("/submit") + ":" + row.at("/draw")] == row.at("/sequence"));
      }
      for (const auto& [number, record] : record_of)
        if (number.starts_with(std::to_string(submit) + ":")) expected.insert(record);
      INFO("submit " << submit);
      CHECK(std::includes(there.begin(), there.end(), expected.begin(), expected.end()));
    }
  }
  CHECK(numbered > 20);
  CHECK(before > 1);
}

SCENARIO("info lists some frames and some submits", "[tools]") {
  const auto numbers = [](const std::string& kind, const char* option, const char* range) {
    const std::string pointer = "/" + kind + "_rows";
    const Json info = Json::parse(rondo({"info", "--json", option, range, cube().path}).out);
    std::string all;
    for (std::size_t i = 0; i < info.size(pointer); ++i)
      all += info.at(pointer + "/" + std::to_string(i) + "/" + kind) + " ";
    return all;
  };
  CHECK(numbers("frame", "--frames", "3:5") == "3 4 ");
  CHECK(numbers("frame", "--frames", "3") == "3 ");
  CHECK(numbers("submit", "--submits", "0:2") == "0 1 ");
  const Outcome none = rondo({"info", "--frames", "90:91", cube().path});
  CHECK(none.status == kUsage);
  CHECK(none.err.find("it has 10 frames, from 0") != std::string::npos);
}

SCENARIO("a manifest of a driver that is not there is named", "[tools]") {
  Command command;
  command.arguments = {build_root() + "/player/player", cube().path};
  command.environment["VK_DRIVER_FILES"] = command.environment["VK_ICD_FILENAMES"] = "/nonexistent/icd.json";
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(outcome.status == kDevice);
  CHECK(outcome.err.find("VK_DRIVER_FILES names /nonexistent/icd.json, which is not there") != std::string::npos);
}

SCENARIO("a dump of a frame shows the command buffers that were recorded before it", "[tools]") {
  const Outcome outcome = rondo({"dump", "--frames", "7:8", cube().path});
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  CHECK(count(outcome.out, "vkBeginCommandBuffer") == 0);
  CHECK(count(outcome.out, "executes VkCommandBuffer#") == 1);
  CHECK(count(outcome.out, ", before this span:") == 1);
  CHECK(count(outcome.out, "               8:0 ") == 1);  // the draw has its number
  CHECK(count(outcome.out, "               8:- ") > 3);   // the other commands
  CHECK(count(outcome.out, "vkCmdDraw(") == 1);
  const Outcome draws = rondo({"dump", "--frames", "7:8", "--grep", "vkCmdDraw", cube().path});
  CHECK(count(draws.out, "vkCmd") == 1);
}

SCENARIO("a dump is cut to frames, to submits and to what matches", "[tools]") {
  const auto rows = [](const Words& more) {
    Words words{"dump", "--format=jsonl"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(cube().path);
    const Outcome outcome = rondo(words);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.out;
  };
  CHECK(count(rows({}), "\"vkQueuePresentKHR\"") == 10);
  CHECK(count(rows({"--frames", "3:5"}), "\"vkQueuePresentKHR\"") == 2);
  CHECK(count(rows({"--grep", "vkQueuePresentKHR"}), "\"row\":\"record\"") == 10);
  CHECK(count(rows({"--frames", "0:1"}), "\"vkCreateDevice\"") == 1);
  CHECK(count(rows({"--frames", "1:2"}), "\"vkCreateDevice\"") == 0);
  const Json info = Json::parse(rondo({"info", "--json", cube().path}).out);
  const int submits = std::stoi(info.at("/submits"));
  CHECK(count(rows({"--submits", "0:" + std::to_string(submits)}), "\"vkQueueSubmit\"") == submits);
  CHECK(count(rows({"--submits", "2:3"}), "\"vkQueueSubmit\"") == 1);
}

SCENARIO("a dump begins with the file and a summary of what can be replayed", "[tools]") {
  const std::vector<std::string> rows = lines(rondo({"dump", "--format=jsonl", cube().path}).out);
  REQUIRE(rows.size() > 3);
  CHECK(Json::parse(rows[0]).at("/row") == "\"file\"");
  const Json summary = Json::parse(rows[1]);
  CHECK(summary.at("/row") == "\"summary\"");
  CHECK(summary.at("/unsupported") == "0");
  CHECK(summary.at("/replayable") == summary.at("/calls"));
  const Json last = Json::parse(rows.back());
  CHECK(last.at("/row") == "\"record\"");
  CHECK(last.at("/sequence") == summary.at("/last_sequence"));
}

SCENARIO("every call of a dump carries its parameters by name", "[tools]") {
  const std::vector<std::string> rows =
      lines(rondo({"dump", "--format=jsonl", "--grep", "vkCmdDraw", cube().path}).out);
  const auto draw = std::find_if(rows.begin(), rows.end(),
                                 [](const std::string& row) { return row.find("\"vkCmdDraw\"") != std::string::npos; });
  REQUIRE(draw != rows.end());
  const Json json = Json::parse(*draw);
  INFO(*draw);
  CHECK(json.at("/parameters/vertexCount") == "36");
  CHECK(json.at("/parameters/instanceCount") == "1");
  CHECK(json.at("/parameters/commandBuffer").find("VkCommandBuffer#") != std::string::npos);
}

SCENARIO("rondo info tells what a capture holds", "[tools]") {
  const Outcome text = rondo({"info", cube().path});
  INFO(text.both());
  REQUIRE(text.status == 0);
  CHECK(text.err.empty());
  CHECK(text.out.find("vkcube") != std::string::npos);
  CHECK(text.out.find("llvmpipe") != std::string::npos);  // the device
  CHECK(text.out.find("vkQueueSubmit") != std::string::npos);
  CHECK(text.out.find("complete") != std::string::npos);
}

SCENARIO("a capture that is compressed otherwise is the same one", "[tools]") {
  const TemporaryDirectory directory;
  const std::string before = rondo({"dump", "--format=jsonl", cube().path}).out;
  for (const std::string codec : {"none", "lz4", "zstd"}) {
    const std::string output = directory.file(codec + ".rondo");
    const Outcome done = rondo({"recompress", "--codec", codec, cube().path, "-o", output});
    INFO(done.both());
    REQUIRE(done.status == 0);
    const std::string after = rondo({"dump", "--format=jsonl", output}).out;
    CHECK(after.substr(after.find('\n')) == before.substr(before.find('\n')));  // the first line names the file
    const Outcome played = player({"--verify", output});
    INFO(played.both());
    CHECK(played.status == 0);
    CHECK(compared(played, "images").equal == 10);
  }
  CHECK(std::filesystem::file_size(directory.file("zstd.rondo")) <
        std::filesystem::file_size(directory.file("none.rondo")));
  CHECK(rondo({"recompress", cube().path}).status == kUsage);
  CHECK(rondo({"recompress", cube().path, "-o", cube().path}).status == kUsage);
  const Outcome again = rondo({"recompress", "--in-place", directory.file("none.rondo")});
  CHECK(again.status == 0);
  CHECK(std::filesystem::file_size(directory.file("none.rondo")) ==
        std::filesystem::file_size(directory.file("zstd.rondo")));
}

SCENARIO("rondo info --coverage sorts every command of the registry", "[tools]") {
  const Outcome json = rondo({"info", "--coverage", "--json"});
  INFO(json.err);
  REQUIRE(json.status == 0);
  CHECK(Json::parse(json.out).valid());
  const Outcome text = rondo({"info", "--coverage"});
  REQUIRE(text.status == 0);
  for (const char* what : {"regular", "irregular", "unsupported"}) CHECK(text.out.find(what) != std::string::npos);
  CHECK(text.out.find("vkCmdDraw") != std::string::npos);
}

SCENARIO("rondo doctor finds loader, layer, driver and a memory mechanism", "[tools]") {
  const Outcome outcome = rondo({"doctor"});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("llvmpipe") != std::string::npos);
}

SCENARIO("player lists the devices it could use", "[tools]") {
  const Outcome outcome = player({"--list-devices"});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("llvmpipe") != std::string::npos);
}

SCENARIO("a replay goes to the device that is asked for", "[tools]") {
  CHECK(player({"--device", "0", "--verify", cube().path}).status == 0);
  CHECK(player({"--device", "llvmpipe", "--verify", cube().path}).status == 0);
}

SCENARIO("rondo play is player", "[tools]") {
  const Outcome outcome = rondo({"play", "--verify", cube().path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "images").equal == 10);
}

SCENARIO("both programs say their version and their options", "[tools]") {
  const Outcome versions[] = {player({"--version"}), rondo({"--version"})};
  for (const Outcome& outcome : versions) {
    CHECK(outcome.status == 0);
    CHECK(lines(outcome.out).size() == 1);
    for (const char* what : {", commit ", ", format 1.", ", Vulkan registry 1."})
      CHECK(outcome.out.find(what) != std::string::npos);
  }
  const std::string help = player({"--help"}).out;
  for (const char* option : {"--device", "--list-devices", "--loop", "--verify", "--screenshot", "--report",
                             "--allow-files", "--file-remap", "--validate", "--salvage", "--timeout", "--window"}) {
    INFO(option);
    CHECK(help.find(option) != std::string::npos);
  }
  CHECK(help.find("--damage") == std::string::npos);  // for developers only
}

SCENARIO("a report is never written over its capture", "[tools]") {
  const Recording& capture = captured({program("triangle")});
  REQUIRE(capture.run.status == 0);
  const std::string before = read_file(capture.path);
  const Outcome outcome = player({"--report", capture.path, capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 2);
  CHECK(is_one_line(outcome, "player"));
  CHECK(read_file(capture.path) == before);
}

SCENARIO("options that change nothing are told", "[tools]") {
  const Recording& capture = captured({program("compute")});
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const Outcome outcome = player({"--until", "1000000", "--screenshot", directory.path(), capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("--until changes nothing") != std::string::npos);
  CHECK(outcome.out.find("no pictures: no image was presented") != std::string::npos);
  const Outcome cut = player({"--until", "30", capture.path});
  INFO(cut.both());
  CHECK(cut.out.find("changes nothing") == std::string::npos);
}

SCENARIO("a replay that takes too long ends with status 7", "[tools]") {
  const Recording& capture = captured(vkcube(300));
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({"--loop", "100000", "--timeout", "1", capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 7);
  CHECK(outcome.seconds < 20);
}

SCENARIO("a loop that is interrupted says what it has", "[tools]") {
  const Recording& capture = captured(vkcube(30));
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.json");
  const Words how = GENERATE(Words{}, Words{"--fresh"});
  Command command;
  use_driver_for_player(command.environment, lavapipe, "");
  command.arguments = {build_root() + "/player/player", "--frames", "10:12", "--loop", "100000000", "--report", report};
  command.arguments.insert(command.arguments.end(), how.begin(), how.end());
  command.arguments.push_back(capture.path);
  Process player(command);
  ::sleep(3);
  player.kill(SIGINT);
  const Outcome outcome = player.wait();
  INFO(outcome.both());
  CHECK(outcome.signal == SIGINT);
  CHECK(outcome.out.find("interrupted after ") != std::string::npos);
  const Json json = Json::parse(read_file(report));
  CHECK(json.at("/interrupted") == "true");
  CHECK(json.size("/iterations") > 0);
}

SCENARIO("the playbook for agents runs as printed", "[tools]") {
#ifdef RONDO_SANITIZER_RUNTIME
  SKIP_SCENARIO("a sanitized layer needs its runtime preloaded, and the playbook starts vkcube by itself");
#endif
  const Outcome playbook = rondo({"help", "agents"});
  INFO(playbook.both());
  REQUIRE(playbook.status == 0);
  std::string script;
  int blocks = 0;
  bool inside = false;
  for (const std::string& line : lines(playbook.out)) {
    if (line == "```sh") ++blocks;
    if (inside && line != "```") script += line + "\n";
    inside = line == "```sh" || (inside && line != "```");
  }
  REQUIRE(blocks >= 5);
  const TemporaryDirectory directory;
  Command shell;
  shell.arguments = {"sh", "-e", "-c", script};
  shell.directory = directory.path();
  shell.environment["PATH"] = build_root() + "/analyzers:" + build_root() + "/player:" + shell.environment["PATH"];
  const Outcome outcome = run(shell);
  INFO(script << "\n" << outcome.both());
  CHECK(outcome.status == 0);
}

namespace {

// `meson install` into `directory`, and its log: another test may install at the same time and replace it.
std::string install_into(const std::string& directory) {
  Command install;
  install.arguments = {"meson", "install", "--no-rebuild", "--quiet", "-C", build_root()};
  install.environment["DESTDIR"] = directory;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Outcome installed = run(install);
    INFO(installed.both());
    REQUIRE(installed.status == 0);
    const std::string log = read_file(build_root() + "/meson-logs/install-log.txt");
    if (log.find(directory + "/") != std::string::npos) return log;
  }
  return {};
}

std::vector<std::filesystem::path> files_below(const std::string& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    if (!entry.is_directory() || entry.is_symlink()) files.push_back(entry.path());
  return files;
}

// The only one of that name; empty: there is none.
std::string installed(const std::string& directory, const std::string& name) {
  std::string found;
  for (const std::filesystem::path& path : files_below(directory))
    if (path.filename() == name) {
      INFO(found << " and " << path.string());
      CHECK(found.empty());
      found = path.string();
    }
  return found;
}

}  // namespace

SCENARIO("an installed tree works wherever it lies", "[tools]") {
  const TemporaryDirectory directory;
  install_into(directory.path());
  const std::string tool = installed(directory.path(), "rondo");
  REQUIRE(!tool.empty());
  for (const Words& how : {Words{}, Words{"--layer-only"}, Words{"--shim-only"}}) {
    Command command;
    use_driver(command.environment, lavapipe);
#ifdef RONDO_SANITIZER_RUNTIME
    command.environment["LD_PRELOAD"] = RONDO_SANITIZER_RUNTIME;
#endif
    command.arguments = {
        tool, "capture", "--verify", "--checkpoints", "readback", "--output", directory.file("a%p.rondo")};
    command.arguments.insert(command.arguments.end(), how.begin(), how.end());
    command.arguments.insert(command.arguments.end(), {"--", program("compute")});
    const Outcome outcome = run(command);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    if (no_readback().empty()) CHECK(compared(outcome, "memory ranges").equal == 128);
  }
}

SCENARIO("what is installed is whole, and an uninstall leaves nothing of it", "[tools]") {
  const TemporaryDirectory directory;
  const std::string root = directory.file("root");
  const std::string log = install_into(root);
  REQUIRE(!log.empty());
  for (const char* name : {"player", "rondo", "rondo-player", "librondo_layer.so", "librondo_preload.so",
                           "librondo-scope.so", "librondo-scope.so.0", "rondo_scope.h", "rondo-scope.pc",
                           "rondo_scope.py", "rondo.py", "LICENSE", "VkLayer_RONDO_capture.json", "rondo.1",
                           "rondo-trim.1", "rondo-player.1", "rondo.bash", "_rondo", "rondo.fish"}) {
    INFO(name);
    CHECK(!installed(root, name).empty());
  }
  Command version;
  version.arguments = {installed(root, "rondo-player"), "--version"};
  CHECK(run(version).out.rfind("player ", 0) == 0);
#ifndef RONDO_SANITIZER_RUNTIME  // would have to be Python's first library
  THEN("Python finds the library of the module's own prefix") {
    Command python;
    python.arguments = {"python3", "-B", "-c", "import rondo_scope; print(rondo_scope._library is not None)"};
    const std::filesystem::path module = installed(root, "rondo_scope.py");
    python.environment["PYTHONPATH"] = module.parent_path().string();
    const Outcome outcome = run(python);
    INFO(outcome.both());
    CHECK(outcome.out == "True\n");
  }
#endif
  THEN("ninja uninstall, which goes by the log of the installation, removes all of it") {
    std::filesystem::create_directories(directory.file("build/meson-logs"));
    std::ofstream(directory.file("build/meson-logs/install-log.txt")) << log;
    Command uninstall;
    uninstall.arguments = {"meson", "--internal", "uninstall"};
    uninstall.directory = directory.file("build");
    const Outcome outcome = run(uninstall);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(!std::filesystem::exists(root));  // which the installation made
  }
}
