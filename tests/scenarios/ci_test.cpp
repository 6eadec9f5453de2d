// SPDX-License-Identifier: Apache-2.0
// What CI asks of Rondo: containers with Docker's default profile, a /tmp that cannot be written, verdicts as JUnit
// XML.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "fixture.h"
#include "skip.h"

using namespace scenario;

namespace {

const std::string& contained() {
  static const std::string path = build_root() + "/tests/containers/contained";
  return path;
}

std::string tool(const std::string& name) {
  return build_root() + (name == "player" ? "/player/player" : "/analyzers/rondo");
}

// Beside the tree: /tmp may be read only.
class OwnDirectory {
 public:
  OwnDirectory() : path_(build_root() + "/ci-XXXXXX") { REQUIRE(::mkdtemp(path_.data()) != nullptr); }
  ~OwnDirectory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  OwnDirectory(const OwnDirectory&) = delete;
  OwnDirectory& operator=(const OwnDirectory&) = delete;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

Outcome in_container(const Words& words, const std::string& directory, bool writable_tmp = true,
                     const std::string& driver = lavapipe) {
  Command command;
  command.arguments = {contained()};
  if (!writable_tmp) command.arguments.push_back("--read-only-tmp");
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  command.directory = directory;
  use_driver(command.environment, driver);
  return run(command);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// What an XML parser makes of it: a line for the suite, and one a test.
std::string parsed(const std::string& xml) {
  Command command;
  command.arguments = {"python3", "-c",
                       "import sys, xml.etree.ElementTree as e\n"
                       "for s in e.parse(sys.stdin).getroot():\n"
                       " print(s.get('name'), s.get('tests'), s.get('failures'), s.get('errors'), s.get('skipped'))\n"
                       " for t in s: print(t.get('classname'), '|', t.get('name'), '|', *[c.tag + ': ' + "
                       "c.get('message') for c in t])\n"};
  command.input = xml;
  const Outcome outcome = run(command);
  INFO(xml << outcome.err);
  CHECK(outcome.status == 0);
  return outcome.out;
}

}  // namespace

SCENARIO("captures and their verification work under Docker's default profile", "[ci]") {
  const std::string checkpoints = GENERATE("readback", "submit");
  const OwnDirectory directory;
  const std::string file = directory.file("compute.rondo");
  const Outcome outcome = in_container(
      {tool("rondo"), "capture", "--verify", "--checkpoints", checkpoints, "--output", file, "--", program("compute")},
      directory.path());
  INFO(checkpoints << '\n' << outcome.both());
  if (outcome.status == kCannotRun) SKIP_SCENARIO("no filter of system calls can be set here");
  CHECK(outcome.status == 0);
#ifndef RONDO_SANITIZER_RUNTIME  // has no sandbox
  THEN("a replay that demands the sandbox has it there, too") {
    const Outcome sandboxed = in_container({tool("player"), "--sandbox=require", "--verify", file}, directory.path());
    INFO(sandboxed.both());
    const Outcome outside = player({"--sandbox=require", file});
    CHECK(sandboxed.status == outside.status);
  }
#endif
  THEN("the verification finds what is wrong") {
    const Outcome damaged =
        in_container({tool("player"), "--verify", "--damage", "drop:vkCmdDispatch#3", file}, directory.path());
    INFO(damaged.both());
    CHECK(damaged.status == kDifferent);
  }
}

SCENARIO("what is presented is captured and verified under Docker's default profile", "[ci]") {
  const OwnDirectory directory;
  const Outcome outcome = in_container({tool("rondo"), "capture", "--verify", "--checkpoints", "present", "--output",
                                        directory.file("h.rondo"), "--", program("headless")},
                                       directory.path(), true, fake);
  INFO(outcome.both());
  if (outcome.status == kCannotRun) SKIP_SCENARIO("no filter of system calls can be set here");
  CHECK(outcome.status == 0);
}

SCENARIO("rondo doctor says what a container's filter takes, and how to have it", "[ci]") {
  const OwnDirectory directory;
  const Outcome outcome = in_container({tool("rondo"), "doctor"}, directory.path());
  INFO(outcome.both());
  if (outcome.status == kCannotRun) SKIP_SCENARIO("no filter of system calls can be set here");
  CHECK(outcome.status == 0);
  CHECK(has(outcome.out,
            "warn  memory    host writes are found by comparing: userfaultfd is not possible here (Operation not "
            "permitted)"));
  CHECK(has(outcome.out, "--security-opt seccomp=unconfined"));
  CHECK(has(outcome.out, "rondo capture loads the layer"));
}

SCENARIO("no tool needs a /tmp that can be written", "[ci]") {
  if (build_root().rfind("/tmp/", 0) == 0) SKIP_SCENARIO("the tree itself lies in /tmp");
  const OwnDirectory directory;
  const std::string file = directory.file("x.rondo");
  const auto here = [&](const Words& words) { return in_container(words, directory.path(), false); };
  const Outcome touched = here({"sh", "-c", "touch /tmp/x"});
  if (touched.status == kCannotRun) SKIP_SCENARIO("this user may make no mount namespace: " + touched.err);
  REQUIRE(touched.status != 0);
  const Outcome captured = here(
      {tool("rondo"), "capture", "--verify", "--checkpoints", "submit", "--output", file, "--", program("rendering")});
  INFO(captured.both());
  REQUIRE(captured.status == 0);
  REQUIRE(std::filesystem::exists(file));
  for (const Words& words :
       std::vector<Words>{{tool("player"), "--verify", "--report", directory.file("r.json"), file},
                          {tool("player"), "--loop", "3", "--submits", "0:1", file},
                          {tool("rondo"), "trim", "--submits", "0:1", file, "-o", directory.file("cut.rondo")},
                          {tool("rondo"), "extract", "--images", "--buffers", file, "-o", directory.file("extracted")},
                          {tool("rondo"), "recompress", file, "-o", directory.file("again.rondo")},
                          {tool("rondo"), "pack", file, "-o", directory.file("packed.rondo")},
                          {tool("rondo"), "info", file},
                          {tool("rondo"), "dump", file},
                          {tool("rondo"), "accesses", file},
                          {tool("rondo"), "diff", file, file},
                          {tool("rondo"), "doctor"}}) {
    const Outcome outcome = here(words);
    INFO(words[1] << ": " << outcome.err);
    CHECK(outcome.status == 0);
  }
}

SCENARIO("the player's verdict is JUnit XML where that is asked for", "[ci]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  const Recording& capture = captured({program("compute")}, {.checkpoints = "readback"});
  REQUIRE(capture.run.status == 0);
  const Outcome good = player({"--verify", "--format", "junit", capture.path});
  INFO(good.both());
  CHECK(good.status == 0);
  CHECK(parsed(good.out) ==
        "player 2 0 0 0\n" + capture.path + " | replay |\n" + capture.path + " | memory ranges |\n");
  const Outcome bad = player({"--verify", "--format=junit", "--damage", "drop:vkCmdDispatch#3", capture.path});
  const std::string verdict = parsed(bad.out);
  INFO(verdict);
  CHECK(bad.status == kDifferent);
  CHECK(has(verdict, "player 2 1 0 0\n"));
  CHECK(has(verdict, "| memory ranges | failure: "));
  CHECK(has(verdict, "the first difference of the replay: record "));
  const Outcome none = player({"--format=junit", "/nonexistent/<&\">.rondo"});
  const std::string error = parsed(none.out);
  INFO(error);
  CHECK(none.status == 3);
  CHECK(has(error, "player 1 0 1 0\n/nonexistent/<&\">.rondo | replay | error: /nonexistent/<&\">.rondo: "));
  CHECK(player({"--format=junit", "--list-devices"}).status == 2);
}

SCENARIO("the verdicts of diff, compare-runs and capture are JUnit XML where that is asked for", "[ci]") {
  const Recording &compute = captured({program("compute")}), &timeline = captured({program("timeline")});
  const OwnDirectory directory;
  CHECK(has(parsed(rondo({"diff", "--format", "junit", compute.path, compute.path}).out), "rondo diff 1 0 0 0\n"));
  const Outcome differ = rondo({"diff", "--format", "junit", compute.path, timeline.path});
  CHECK(differ.status == kDifferent);
  CHECK(has(parsed(differ.out), "| the same calls | failure: the first difference is call "));

  const Outcome none = rondo({"diff", "--format", "junit", "/nonexistent.rondo", compute.path});
  CHECK(none.status == 3);
  CHECK(has(parsed(none.out),
            "rondo diff 1 0 1 0\n/nonexistent.rondo and " + compute.path + " | the same calls | error: "));

  const std::string report = directory.file("r.json");
  REQUIRE(player({"--loop", "8", "--report", report, compute.path}).status == 0);
  const Outcome same =
      rondo({"compare-runs", "--format", "junit", "--metric", "seconds", "--threshold", "100000%", report, report});
  CHECK(same.status == 0);
  CHECK(has(parsed(same.out), "rondo compare-runs 1 0 0 0\n" + report + " and " + report + " | replay (seconds) |\n"));

  const Outcome unread = rondo({"compare-runs", "--format", "junit", report, compute.path});
  CHECK(unread.status == 3);
  CHECK(has(parsed(unread.out),
            "rondo compare-runs 1 0 1 0\n" + report + " and " + compute.path + " | the comparison | error: "));
  const Outcome nothing = rondo({"compare-runs", "--format", "junit", "--metric", "label_seconds", report, report});
  CHECK(nothing.status == 2);
  CHECK(has(parsed(nothing.out), "| the comparison | error: "));

  const auto captures = [&](int status, const Words& words) {
    Words all{"capture", "--output", directory.file("%e.rondo"), "--junit", directory.file("v.xml")};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = rondo(all);
    INFO(outcome.both());
    CHECK(outcome.status == status);
    return parsed(read_file(directory.file("v.xml")));
  };
  CHECK(has(captures(0, {"--replay", "--", program("compute")}), "rondo capture 1 0 0 0\n"));
  CHECK(has(captures(125, {"--replay", "--", "true"}), "| capture | error: there is no capture to replay"));
  CHECK(has(captures(127, {"--verify", "--", "/nonexistent"}), "| capture | error: there is no capture to replay"));
  CHECK(rondo({"capture", "--junit", directory.file("v.xml"), "--", "true"}).status == 125);
}
