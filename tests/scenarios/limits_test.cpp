// SPDX-License-Identifier: Apache-2.0
// Tools in processes that may do less than others: their words stay, nothing is lost.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "fixture.h"
#include "skip.h"

using namespace scenario;

namespace {

const std::string& tool(const std::string& name) {
  static const std::string rondo = build_root() + "/analyzers/rondo", player = build_root() + "/player/player";
  return name == "player" ? player : rondo;
}

// `words` run behind `before`, lines of a shell.
Outcome run_behind(const std::string& before, const Words& words, const std::string& directory = "",
                   const Environment& more = {}) {
  Command command;
  command.arguments = {"sh", "-c", before + "\nexec \"$0\" \"$@\""};
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  command.directory = directory;
  for (const auto& [name, value] : more) command.environment[name] = value;
  return run(command);
}

// A file as a killed program leaves it.
std::string cut_capture(const TemporaryDirectory& directory) {
  const std::string path = directory.file("cut.rondo");
  const Outcome outcome = run(capture_command({program("crash")}, path, {.with_launcher = false}));
  INFO(outcome.both());
  REQUIRE(outcome.signal == SIGKILL);
  return path;
}

void is_refused(const Outcome& outcome, int status, const std::string& name, const std::string& words) {
  INFO(outcome.both());
  CHECK(outcome.signal == 0);
  CHECK(outcome.status == status);
  CHECK(is_one_line(outcome, name));
  CHECK(outcome.err.find(words) != std::string::npos);
}

// Of what root may read and write in spite of a file's mode, nothing.
Words as_anybody(const Words& words) {
  if (::geteuid() != 0) return words;
  Words all = {"setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace

SCENARIO("a limit of file size ends a tool's work in words, not by its signal", "[limits]") {
#if defined(RONDO_SANITIZER_RUNTIME) || defined(RONDO_COVERAGE)
  SKIP_SCENARIO("a sanitizer's or coverage's runtime writes files of its own");
#endif
  const TemporaryDirectory directory;
  const std::string path = cut_capture(directory);
  for (const char* blocks : {"0", "4"}) {
    INFO("ulimit -f " << blocks);
    is_refused(run_behind(std::string("ulimit -f ") + blocks, {tool("rondo"), "finish", path}), 1, "rondo",
               path + ": cannot be finished: File too large");
  }
  WHEN("the limit is gone") {
    const Outcome finished = rondo({"finish", path});
    INFO(finished.both());
    CHECK(finished.status == 0);
    CHECK(player({path}).status == 0);
  }
  const Recording& capture = captured({program("triangle")});
  const std::string report = directory.file("report.json");
  is_refused(run_behind("ulimit -f 0", {tool("player"), "--report", report, capture.path}), 1, "player", report);
  const Outcome dumped = run_behind("ulimit -f 0", {"sh", "-c", "exec \"$0\" \"$@\" >" + directory.file("dump.txt"),
                                                    tool("rondo"), "dump", capture.path});
  is_refused(dumped, 1, "rondo", "File too large");
}

// From the start: the driver, the program and Rondo share what the limit leaves. lavapipe itself dies now and then
// where it finds no memory, alone as well: one of three runs is to live.
SCENARIO("a program that lives in little address space alone lives there with Rondo, too", "[limits]") {
#ifdef RONDO_SANITIZER_RUNTIME
  SKIP_SCENARIO("a sanitizer's shadow takes more address space than any limit leaves");
#endif
  const TemporaryDirectory directory;
  for (const char* name : {"compute", "triangle"})
    for (int mebibytes = 400; mebibytes <= 600; mebibytes += 20) {
      INFO(name << " in " << mebibytes << " MiB");
      const std::string limit = "ulimit -v " + std::to_string(mebibytes * 1024);
      const Outcome alone = run_behind(limit, {program(name)});
      if (alone.status != 0) continue;
      Command command = capture_command({program(name)}, directory.file("%e-%p.rondo"), {.with_launcher = false});
      command.arguments.insert(command.arguments.begin(), {"sh", "-c", limit + "\nexec \"$0\" \"$@\""});
      Outcome captured_run = run(command);
      for (int i = 0; i < 2 && captured_run.status != 0; ++i) captured_run = run(command);
      INFO(captured_run.both());
      CHECK(captured_run.status == 0);
      CHECK(captured_run.out == alone.out);
    }
}

// lavapipe itself dies now and then where it finds no memory, and then the line says which limit there is. A thread of
// its that finds none may also never end: then --timeout ends the tool.
SCENARIO("a tool that finds no address space names the limit, and none keeps more of it than it uses", "[limits]") {
#ifdef RONDO_SANITIZER_RUNTIME
  SKIP_SCENARIO("a sanitizer's shadow takes more address space than any limit leaves");
#endif
  const TemporaryDirectory directory;
  const Recording& capture = captured({program("triangle")});
  const auto named = [](const std::string& kibibytes) {
    return "the address space is limited to " + kibibytes + " KiB (ulimit -v)";
  };
  // Those in which a reservation of 1.5, 3 or 6 GiB left the driver too little.
  for (const char* kibibytes : {"1600000", "1800000", "3200000", "3500000", "6500000"}) {
    INFO(kibibytes << " KiB");
    const Outcome outcome = run_behind(std::string("ulimit -v ") + kibibytes, {tool("player"), capture.path});
    INFO(outcome.both());
    CHECK(outcome.status == 0);
  }
  for (const char* kibibytes : {"60000", "120000", "180000", "240000", "300000"})
    for (const Words& words :
         {Words{tool("player"), "--timeout", "10", capture.path},
          {tool("rondo"), "trim", "--timeout", "10", "--submits", "0:1", capture.path, "-o",
           directory.file("cut.rondo")},
          {tool("rondo"), "extract", "--timeout", "10", "--images", capture.path, "-o", directory.file("extracted")}}) {
      const Outcome outcome = run_behind(std::string("ulimit -v ") + kibibytes, words);
      INFO(kibibytes << " KiB: " << words[0] << " " << words[1] << "\n" << outcome.both());
      CHECK(outcome.signal == 0);
      if (outcome.status == 0 || outcome.status == kTimeout ||
          outcome.err.find("while loading shared libraries") != std::string::npos)
        continue;
      CHECK(outcome.err.find(named(kibibytes)) != std::string::npos);
    }
}

// Whole, where a capture of some kilobytes fits.
SCENARIO("a small limit of file size leaves a capture of what fits", "[limits]") {
#if defined(RONDO_SANITIZER_RUNTIME) || defined(RONDO_COVERAGE)
  SKIP_SCENARIO("a sanitizer's or coverage's runtime writes files of its own");
#endif
  const TemporaryDirectory directory;
  for (const char* kibibytes : {"1024", "4096", "16384", "32768"}) {
    INFO(kibibytes << " KiB");
    const std::string path = directory.file(std::string(kibibytes) + ".rondo");
    Command command = capture_command({program("compute")}, path, {.checkpoints = "present", .with_launcher = false});
    // Of bash a block of `ulimit -f` has 1024 bytes, of dash 512.
    command.arguments.insert(command.arguments.begin(),
                             {"bash", "-c", std::string("ulimit -f ") + kibibytes + "\nexec \"$0\" \"$@\""});
    const Outcome outcome = run(command);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    CHECK(player({path}).status == 0);
  }
}

// Uploads of 300,000 bytes, of which the smallest limits have no room for one.
SCENARIO("an upload that a limit of file size has no room for ends a capture that plays up to there", "[limits]") {
#if defined(RONDO_SANITIZER_RUNTIME) || defined(RONDO_COVERAGE)
  SKIP_SCENARIO("a sanitizer's or coverage's runtime writes files of its own");
#endif
  const TemporaryDirectory directory;
  std::string content(3'000'000, '\0');
  std::uint32_t random = 1;
  for (char& byte : content) byte = static_cast<char>((random = random * 1664525 + 1013904223) >> 24);
  write_file(directory.file("content"), content);
  const Words words{program("file_uploads"), directory.file("content")};
  const Outcome alone = run_behind(":", words);
  REQUIRE(alone.status == 0);
  for (const char* kibibytes : {"255", "256", "400", "512", "700", "1024", "1500", "2048", "3000", "16384"}) {
    INFO(kibibytes << " KiB");
    const std::string path = directory.file(std::string(kibibytes) + ".rondo");
    Command command = capture_command(words, path);
    command.arguments.insert(command.arguments.begin(),
                             {"bash", "-c", std::string("ulimit -f ") + kibibytes + "\nexec \"$0\" \"$@\""});
    const Outcome outcome = run(command);
    INFO(outcome.both());
    if (std::string_view(kibibytes) == "255") {
      is_refused(outcome, 125, "rondo",
                 "files may not grow beyond 261120 bytes here, and a capture needs 262144: raise the limit "
                 "(ulimit -f)");
      continue;
    }
    CHECK(outcome.status == 0);
    CHECK(outcome.out == alone.out);
    const bool stops = outcome.err.find("(stopped before the program did: rondo info says why)") != std::string::npos;
    CHECK(stops == (std::string_view(kibibytes) != "16384"));
    CHECK(stops == (outcome.err.find("(ulimit -f)") != std::string::npos));
    const Outcome played = player({path});
    INFO(played.both());
    CHECK(played.status == 0);
  }
}

SCENARIO("a capture that may only be read is not finished, and one that is complete needs nothing", "[limits]") {
  const TemporaryDirectory directory;
  const std::string cut = cut_capture(directory);
  const std::string complete = directory.file("complete.rondo");
  std::filesystem::copy_file(captured({program("triangle")}).path, complete);
  for (const std::string& path : {cut, complete}) REQUIRE(::chmod(path.c_str(), 0400) == 0);
  Command command;
  command.arguments = as_anybody({tool("rondo"), "finish", cut});
  is_refused(run(command), 1, "rondo", cut + ": cannot be opened: Permission denied");
  command.arguments = as_anybody({tool("rondo"), "finish", complete});
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("complete already") != std::string::npos);
}

SCENARIO("rondo doctor says what a limit of address space costs", "[limits]") {
#ifdef RONDO_SANITIZER_RUNTIME
  SKIP_SCENARIO("a sanitizer's shadow takes more address space than any limit leaves");
#endif
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  const Outcome outcome = run_behind("ulimit -v 6000000", {tool("rondo"), "doctor"});
  INFO(outcome.both());
  CHECK(outcome.out.find("what the limit of address space (ulimit -v) leaves") != std::string::npos);
}

SCENARIO("rondo doctor is not recorded where RONDO_CAPTURE is set", "[limits]") {
  const auto recorded_in = [](const TemporaryDirectory& directory, const Words& words) {
    Command command = capture_command(words, "", {.with_launcher = false});
    command.environment.erase("RONDO_OUTPUT");
    command.directory = directory.path();
    return run(command);
  };
  const TemporaryDirectory directory, other;
  recorded_in(other, {program("compute")});
  REQUIRE(files_in(other.path()).size() == 1);
  const Outcome outcome = recorded_in(directory, {tool("rondo"), "doctor"});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(files_in(directory.path()).empty());
}

SCENARIO("in a directory that is gone nothing is recorded, and the program runs", "[limits]") {
  const TemporaryDirectory directory;
  const std::string gone = directory.file("gone");
  std::filesystem::create_directory(gone);
  const std::string leave = "rmdir '" + gone + "'";
  WHEN("the environment alone asks for a capture") {
    Command command = capture_command({program("compute")}, "", {.with_launcher = false});
    command.environment.erase("RONDO_OUTPUT");
    command.arguments.insert(command.arguments.begin(), {"sh", "-c", leave + "\nexec \"$0\" \"$@\""});
    command.directory = gone;
    const Outcome outcome = run(command);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("checksum") != std::string::npos);
    CHECK(lines(outcome.err).size() == 1);
    CHECK(outcome.err.find("the program's directory is gone") != std::string::npos);
  }
  WHEN("the launcher does") {
    is_refused(run_behind(leave, {tool("rondo"), "capture", "--", program("compute")}, gone), 125, "rondo",
               "the directory of now");
  }
  WHEN("rondo doctor is asked") {
    const Outcome outcome = run_behind(leave, {tool("rondo"), "doctor"}, gone);
    INFO(outcome.both());
    CHECK(outcome.status == 1);
    CHECK(outcome.out.find("the directory of now") != std::string::npos);
  }
}
