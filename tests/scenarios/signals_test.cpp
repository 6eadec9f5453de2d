// SPDX-License-Identifier: Apache-2.0
// Signals that end a tool while what it writes is not whole.
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "fixture.h"

using namespace scenario;

namespace {

// In its own directory, beside what it makes.
struct Writing {
  std::string name;
  Words words;                          // FILE: the capture in the directory
  std::string held;                     // how the name ends that a file is to have when the signal comes
  std::vector<std::string> unfinished;  // how the names end of those that are there then
};

// Trusted: in a sandbox another process gives the names (unit-sandbox: Outputs).
const Writing kAll[] = {
    {"trim", {"trim", "--trust", "--submits", "0:1", "FILE", "-o", "out.rondo"}, "out.rondo", {".part"}},
    {"trim --in-place", {"trim", "--trust", "--submits", "0:1", "FILE", "--in-place"}, "in.rondo", {".part"}},
    {"trim --draws",
     {"trim", "--trust", "--draws", "0:0:1", "FILE", "-o", "out.rondo"},
     "out.rondo",
     {".part", ".step"}},
    {"recompress", {"recompress", "FILE", "-o", "out.rondo"}, "out.rondo", {".part"}},
    {"extract", {"extract", "--trust", "--shaders", "FILE", "-o", "."}, ".spv", {".part"}},
};

// Stopped where it is to give a file its name.
Command held(const Writing& writing, const TemporaryDirectory& directory, const Words& in_front = {}) {
  Command command;
  use_driver_for_player(command.environment, lavapipe, "");
  std::string preload = build_root() + "/tests/preload/hold_rename.so";
#ifdef RONDO_SANITIZER_RUNTIME
  preload = RONDO_SANITIZER_RUNTIME ":" + preload;
#endif
  command.arguments = in_front;
  command.arguments.insert(command.arguments.end(), {"env", "LD_PRELOAD=" + preload, "HOLD_RENAME=" + writing.held,
                                                     build_root() + "/analyzers/rondo"});
  for (const std::string& word : writing.words) command.arguments.push_back(word == "FILE" ? "in.rondo" : word);
  command.directory = directory.path();
  return command;
}

void waits_stopped(Process& process) {
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(process.pid()), &info, WEXITED | WSTOPPED | WNOWAIT) == 0);
  if (info.si_code != CLD_STOPPED) FAIL(process.wait().both());
}

void has_unfinished(const TemporaryDirectory& directory, const Writing& writing) {
  std::vector<std::string> endings;
  for (const std::string& name : files_in(directory.path()))
    if (name != "in.rondo") endings.push_back(std::filesystem::path(name).extension().string());
  std::sort(endings.begin(), endings.end());
  CHECK(endings == writing.unfinished);
}

}  // namespace

SCENARIO("a tool that a signal ends leaves no file that is not whole", "[tools]") {
  const Recording& capture = captured({program("triangle")});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const std::string before = read_file(capture.path);
  for (const Writing& writing : kAll) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      INFO(writing.name << ", signal " << signal);
      const TemporaryDirectory directory;
      write_file(directory.file("in.rondo"), before);
      Process process(held(writing, directory));
      waits_stopped(process);
      has_unfinished(directory, writing);
      process.kill(signal);
      process.kill(SIGCONT);
      const Outcome outcome = process.wait();
      INFO(outcome.both());
      CHECK(outcome.signal == signal);
      CHECK(outcome.both().empty());
      CHECK(files_in(directory.path()) == std::vector<std::string>{"in.rondo"});
      CHECK(read_file(directory.file("in.rondo")) == before);
    }
  }
}

SCENARIO("a signal that a tool was started to ignore it ignores", "[tools]") {
  const Recording& capture = captured({program("triangle")});
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  write_file(directory.file("in.rondo"), read_file(capture.path));
  Process process(held(kAll[0], directory, {"nohup"}));
  waits_stopped(process);
  // Of several the lowest number would come first.
  static_assert(SIGHUP < SIGTERM);
  process.kill(SIGHUP);
  process.kill(SIGTERM);
  process.kill(SIGCONT);
  const Outcome outcome = process.wait();
  INFO(outcome.both());
  CHECK(outcome.signal == SIGTERM);
  CHECK(files_in(directory.path()) == std::vector<std::string>{"in.rondo"});
}
