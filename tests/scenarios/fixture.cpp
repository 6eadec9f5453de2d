// SPDX-License-Identifier: Apache-2.0
#include "fixture.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <regex>
#include <sstream>

namespace scenario {

namespace {

// Programs that are not of this tree and use Vulkan all the same.
bool is_opengl(const Words& words) { return words[0] == "glmark2" || words.back() == "glxgears"; }
bool is_foreign(const Words& words) {
  return is_opengl(words) || words[0] == "vkcube" || words[0] == "vkcubepp" || words[0] == "vkcube-wayland";
}
bool is_wayland(const Words& words) { return words[0] == "vkcube-wayland" || words.back() == "wayland"; }
bool is_of_windows(const Words& words) { return words[0].rfind(build_root() + "/tests/windows/", 0) == 0; }
bool opens_windows(const Words& words) { return is_foreign(words) || is_of_windows(words); }

// A sanitizer's runtime comes first in a program that loads the layer and is
// not built with it. Not in a shell: dash does not live with TSan's.
Words with_runtime(Words words) {
#ifdef RONDO_SANITIZER_RUNTIME
  if (is_foreign(words))
    words.insert(words[0] == "timeout" ? words.end() - 1 : words.begin(),
                 {"env", "LD_PRELOAD=" RONDO_SANITIZER_RUNTIME});
#endif
  return words;
}

// What the fake driver says of calls that no program may make.
std::string complaints(const Outcome& outcome) {
  std::string text;
  for (const std::string& line : lines(outcome.err))
    if (line.rfind("fake driver: ", 0) == 0) text += line + "\n";
  return text;
}

std::string fetched_manifest(const std::string& driver) { return fetched_drivers() + "/" + driver + ".json"; }

bool is_fetched(const std::string& driver) {
  return driver == lavapipe25 || driver == lavapipe26 || driver == swiftshader;
}

std::string oracle_report(const std::string& capture) { return capture + ".oracle"; }

}  // namespace

std::string build_root() {
  static const std::string root =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path().parent_path().string();
  return root;
}

std::string program(const std::string& name) { return build_root() + "/tests/programs/" + name; }

std::vector<std::string> programs(const std::string& directory) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(program(directory)))
    if (file.is_regular_file() && file.path().extension().empty() &&
        (file.status().permissions() & fs::perms::owner_exec) != fs::perms::none)
      names.push_back(file.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

Words with_variable(const std::string& variable, const Words& words) {
  Words all{"/usr/bin/env", variable};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace

Words without_checks(const Words& words) { return with_variable("TEST_UNCHECKED=1", words); }
Words by_core_of_1_4(const Words& words) { return with_variable("TEST_CORE=1.4", words); }

void use_driver(Environment& environment, const std::string& driver, const std::string& settings) {
  if (driver == fake) environment["VK_ICD_FILENAMES"] = build_root() + "/tests/icd/fake_icd.json";
  if (is_fetched(driver)) environment["VK_ICD_FILENAMES"] = fetched_manifest(driver);
  if (!settings.empty()) environment["RONDO_FAKE_ICD"] = settings;
}

namespace {

std::string why_no_driver(const std::string& driver) {
  if (!is_fetched(driver)) return "";
  if (!std::filesystem::exists(fetched_manifest(driver))) return "no " + driver + " here: scripts/drivers fetches it";
  Command nothing;
  nothing.arguments = {"true"};
  use_driver(nothing.environment, driver);
  const Outcome outcome = run(nothing);
  return outcome.status == 0 ? "" : driver + " cannot be used here: " + outcome.err.substr(0, outcome.err.find('\n'));
}

}  // namespace

const std::string& no_driver(const std::string& driver) {
  static std::map<std::string, std::string> reasons;
  const auto found = reasons.find(driver);
  return found != reasons.end() ? found->second : reasons[driver] = why_no_driver(driver);
}

std::string cannot_run(const Words& words, const std::string& driver) {
  if (const std::string& none = no_driver(driver); !none.empty()) return none;
  Command alone;
  alone.arguments = words;
  use_driver(alone.environment, driver);
  const Outcome outcome = run(alone);
  return outcome.status == kCannotRun ? outcome.err.substr(0, outcome.err.find('\n')) : "";
}

void use_oracle(Environment& environment, const std::string& report, const std::string& contents) {
  environment["VK_INSTANCE_LAYERS"] = "VK_LAYER_RONDO_test_oracle";
  environment["VK_LAYER_PATH"] = build_root() + "/tests/oracle";
  environment["RONDO_TEST_ORACLE"] = report;
  if (!contents.empty()) environment["RONDO_TEST_ORACLE_CONTENTS"] = contents;
}

Outcome run_on(const std::string& driver, const Command& command) {
  const Outcome outcome = run(command);
  INFO(command.arguments[0] << " " << command.arguments.back());
  if (driver == fake) CHECK(complaints(outcome) == "");
  return outcome;
}

void use_driver_for_player(Environment& environment, const std::string& driver, const std::string& settings) {
  use_driver(environment, driver, (settings.empty() ? "" : settings + ",") + "leaks=violation");
}

Outcome player(const Words& arguments, const std::string& driver, const std::string& settings) {
  Command command;
  use_driver_for_player(command.environment, driver, settings);
  command.arguments = {build_root() + "/player/player"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return run_on(driver, command);
}

Outcome rondo(const Words& arguments) {
  Command command;
  command.arguments = {build_root() + "/analyzers/rondo"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return run(command);
}

const std::string& display() {
  static const VirtualDisplay server;
  return server.name();
}

void use_window_system(Environment& environment, const Words& words) {
  if (!opens_windows(words)) return;
  if (!is_wayland(words)) {
    environment["DISPLAY"] = display();
    return;
  }
  static const Compositor compositor;
  environment["XDG_RUNTIME_DIR"] = compositor.runtime_directory();
  environment["WAYLAND_DISPLAY"] = compositor.name();
}

Words vkcube(int frames) { return {"vkcube", "--c", std::to_string(frames)}; }

Words vkcubepp(int frames) { return {"vkcubepp", "--c", std::to_string(frames)}; }

// Newer packages of vulkan-tools have one program for all window systems.
Words vkcube_wayland(int frames) {
  const std::string count = std::to_string(frames);
  if (std::filesystem::exists("/usr/bin/vkcube-wayland")) return {"vkcube-wayland", "--c", count};
  return {"vkcube", "--c", count, "--wsi", "wayland"};
}

Words windows(const std::string& system) { return {build_root() + "/tests/windows/windows", "--system", system}; }

Words glxgears(int seconds) { return {"timeout", "--preserve-status", std::to_string(seconds), "glxgears"}; }

Words glmark2(const std::string& benchmark, int frames) {
  return {"glmark2", "-s", "320x240", "-b", benchmark + ":nframes=" + std::to_string(frames) + ":duration=60"};
}

Command capture_command(const Words& words, const std::string& output, const CaptureOptions& options) {
  Command command;
  if (options.with_launcher) {
    command.arguments = {build_root() + "/analyzers/rondo",
                         "capture",
                         "--output",
                         output,
                         "--checkpoints",
                         options.checkpoints,
                         "--compression",
                         options.compression,
                         "--memory",
                         options.memory,
                         "--"};
  } else {
    const Environment recording{{"RONDO_CAPTURE", "1"},
                                {"RONDO_OUTPUT", output},
                                {"RONDO_CHECKPOINTS", options.checkpoints},
                                {"RONDO_COMPRESSION", options.compression},
                                {"RONDO_MEMORY", options.memory},
                                {"XDG_DATA_DIRS", build_root() + "/share:/usr/local/share:/usr/share"}};
    command.environment.insert(recording.begin(), recording.end());
  }
  const Words all = with_runtime(words);
  command.arguments.insert(command.arguments.end(), all.begin(), all.end());
  use_window_system(command.environment, words);
  if (is_opengl(words))
    command.environment.insert({{"MESA_LOADER_DRIVER_OVERRIDE", "zink"}, {"LIBGL_ALWAYS_SOFTWARE", "1"}});
  use_driver(command.environment, options.driver, options.settings);
  if (options.oracle) use_oracle(command.environment, oracle_report(output));
  return command;
}

const std::string& no_readback(const std::string& driver) {
  static std::map<std::string, std::string> reasons;
  const auto found = reasons.find(driver);
  if (found != reasons.end()) return found->second;
  Command doctor;
  doctor.arguments = {build_root() + "/analyzers/rondo", "doctor"};
  use_driver(doctor.environment, driver);
  return reasons[driver] = run(doctor).out.find("memfd aliases") != std::string::npos
                               ? ""
                               : "no memfd aliases under asynchronous write-protect here (rondo doctor says why): "
                                 "what is read back cannot be told from host writes, so it has no checkpoints";
}

Outcome run_to_the_end(const std::function<Outcome()>& start) {
  Outcome outcome;
  for (int tries = 0; tries < 4; ++tries) {
    outcome = start();
    if (outcome.status != 1 || outcome.both().find("X Error of failed request:  BadDrawable") == std::string::npos)
      break;
  }
  return outcome;
}

const Recording& captured(const Words& words, const CaptureOptions& options) {
  static const TemporaryDirectory directory;
  static std::map<std::string, Recording> made;
  std::string key = options.checkpoints + options.compression + options.memory + options.driver + options.settings +
                    (options.with_launcher ? "" : " by environment") + (options.oracle ? " under the oracle" : "");
  for (const std::string& word : words) key.append(" ").append(word);
  auto found = made.find(key);
  if (found == made.end()) {
    Recording recording;
    recording.path = directory.file(std::to_string(made.size()) + ".rondo");
    if (options.oracle) recording.oracle = oracle_report(recording.path);
    recording.run = run_to_the_end([&] {
      std::filesystem::remove(recording.path);
      // A program that allocates nothing says nothing.
      if (options.oracle) write_file(recording.oracle, "");
      return run_on(options.driver, capture_command(words, recording.path, options));
    });
    found = made.emplace(key, std::move(recording)).first;
  }
  return found->second;
}

Compared compared(const Outcome& outcome, const std::string& what) {
  const std::string text = outcome.both();
  std::smatch match;
  if (!std::regex_search(text, match, std::regex("([0-9]+) of ([0-9]+) " + what + " compared and equal"))) return {};
  return {std::stoi(match[1]), std::stoi(match[2])};
}

bool is_one_line(const Outcome& outcome, const std::string& name) {
  return outcome.signal == 0 && !outcome.timed_out && outcome.err.rfind(name + ": ", 0) == 0 &&
         outcome.err.find('\n') + 1 == outcome.err.size();
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

}  // namespace scenario
