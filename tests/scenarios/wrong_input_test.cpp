// SPDX-License-Identifier: Apache-2.0
// Whatever a tool is given that it cannot use, it says so in one line and
// leaves with the status that docs/architecture.md gives it.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "fixture.h"

using namespace scenario;

namespace {

void refuses(const std::string& tool, const Outcome& outcome, int status, const std::string& names) {
  INFO(tool << ": status " << outcome.status << "\n" << outcome.both());
  CHECK(outcome.status == status);
  CHECK(is_one_line(outcome, tool));
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find(names) != std::string::npos);
}

void nobody_reads(const std::string& path) {
  refuses("player", player({path}), kUnreadable, path);
  refuses("rondo", rondo({"info", path}), kUnreadable, path);
  refuses("rondo", rondo({"dump", path}), kUnreadable, path);
}

const Recording& small() {
  static const Recording& capture = captured({program("vulkan14")}, {.checkpoints = "readback"});
  REQUIRE(capture.run.status == 0);
  return capture;
}

// Where a file is cut: all of the head and tail, and places spread between.
std::set<std::size_t> cuts(std::size_t bytes, std::size_t spread) {
  std::set<std::size_t> out;
  for (std::size_t i = 0; i <= std::min<std::size_t>(bytes, 80); i += 4) out.insert(i);
  for (std::size_t i = 1; i <= std::min<std::size_t>(bytes, 60); i += 3) out.insert(bytes - i);
  for (std::size_t i = 0; i < spread; ++i) out.insert(bytes * i / spread);
  return out;
}

void survives_cuts(const std::set<std::size_t>& places) {
  const std::string whole = read_file(small().path);
  const TemporaryDirectory directory;
  const std::string path = directory.file("cut.rondo");
  for (const std::size_t length : places) {
    CAPTURE(length);
    write_file(path, whole.substr(0, length));
    refuses("player", player({path}), kUnreadable, path);
    const Outcome salvaged = player({"--salvage", path});
    INFO(salvaged.both());
    CHECK(salvaged.signal == 0);
    CHECK((salvaged.status == 0 || salvaged.status == kUnreadable));
    const Outcome info = rondo({"info", path});
    INFO(info.both());
    CHECK((info.status == kUnreadable || (info.status == 0 && info.out.find("cut") != std::string::npos)));
    const Outcome dump = rondo({"dump", path});
    CHECK(dump.signal == 0);
    CHECK((dump.status == 0 || dump.status == kUnreadable));
  }
}

}  // namespace

SCENARIO("a name that looks like a list stays on the line of its error", "[wrong-input]") {
  const std::string path = "no such\n  player: done";
  refuses("player", player({path}), kUnreadable, "no such\\x0a  player: done");
  refuses("rondo", rondo({"info", path}), kUnreadable, "no such\\x0a  player: done");
  refuses("rondo", rondo({"trim", "--submits", "0:1", path, "-o", path}), kUnreadable, "\\x0a");
}

SCENARIO("a file that is no capture is refused by name", "[wrong-input]") {
  const TemporaryDirectory directory;
  SECTION("missing") { nobody_reads(directory.file("missing.rondo")); }
  SECTION("a directory") { nobody_reads(directory.path()); }
  SECTION("empty") {
    write_file(directory.file("empty.rondo"), "");
    nobody_reads(directory.file("empty.rondo"));
  }
  SECTION("text") {
    write_file(directory.file("text.rondo"), "This is not a capture.\nNor is this.\n");
    nobody_reads(directory.file("text.rondo"));
  }
  SECTION("a line of text with a control character in its name") {
    write_file(directory.file("odd\nname.rondo"), "text");
    const Outcome outcome = player({directory.file("odd\nname.rondo")});
    CHECK(outcome.status == kUnreadable);
    CHECK(is_one_line(outcome, "player"));
  }
  SECTION("a named pipe") {
    REQUIRE(::mkfifo(directory.file("pipe").c_str(), 0600) == 0);
    nobody_reads(directory.file("pipe"));
  }
  SECTION("zeros") {
    write_file(directory.file("zeros.rondo"), std::string(100000, '\0'));
    nobody_reads(directory.file("zeros.rondo"));
  }
}

SCENARIO("a capture of a newer version is refused as that", "[wrong-input]") {
  std::string bytes = read_file(small().path);
  bytes[8] = 99;  // FileHeader::version_major
  const TemporaryDirectory directory;
  const std::string path = directory.file("newer.rondo");
  write_file(path, bytes);
  nobody_reads(path);
  CHECK(player({path}).err.find("99") != std::string::npos);
}

SCENARIO("a capture cut at any byte is refused, and salvaging it never crashes", "[wrong-input]") {
  survives_cuts(cuts(read_file(small().path).size(), 40));
}

SCENARIO("a capture cut at every seventh byte never crashes a tool", "[.][long]") {
  const std::size_t bytes = read_file(small().path).size();
  std::set<std::size_t> places;
  for (std::size_t i = 0; i < bytes; i += 7) places.insert(i);
  survives_cuts(places);
}

SCENARIO("a capture with a flipped byte is refused or replays, and never crashes", "[wrong-input]") {
  const std::string whole = read_file(small().path);
  const TemporaryDirectory directory;
  const std::string path = directory.file("flipped.rondo");
  for (const std::size_t at : cuts(whole.size() - 1, 40)) {
    CAPTURE(at);
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x41);
    write_file(path, bytes);
    const Outcome outcome = player({path});
    INFO(outcome.both());
    CHECK(outcome.signal == 0);
    CHECK(!outcome.timed_out);
    CHECK((outcome.status == 0 || outcome.status == kUnreadable));
    if (outcome.status != 0) CHECK(is_one_line(outcome, "player"));
    CHECK(rondo({"info", path}).signal == 0);
    CHECK(rondo({"dump", path}).signal == 0);
  }
}

SCENARIO("a wrong command line is refused with status 2", "[wrong-input]") {
  const std::string path = small().path;
  refuses("player", player({}), kUsage, "--help");
  refuses("player", player({"--no-such-option", path}), kUsage, "--no-such-option");
  refuses("player", player({"--loop", "many", path}), kUsage, "many");
  refuses("player", player({"--loop", path}), kUsage, "--loop");
  refuses("player", player({"--timeout", "-1", path}), kUsage, "-1");
  // Nothing that is read or written otherwise is written over.
  const TemporaryDirectory directory;
  const std::string copy = directory.file("copy.rondo"), other = directory.file("other");
  write_file(copy, read_file(path));
  for (const Words& words : {Words{"--report", copy, copy}, Words{"--pipeline-cache", copy, copy},
                             Words{"--benchmark", "--benchmark_out=" + copy, copy},
                             Words{"--replace", "all@main=" + copy, "--report", copy, path}})
    refuses("player", player(words), kUsage, "would overwrite");
  CHECK(read_file(copy) == read_file(path));
  refuses("player", player({"--report", other, "--pipeline-cache", directory.path() + "/./other", path}), kUsage,
          "the same file");
  const Outcome alone = rondo({});
  CHECK(alone.status == kUsage);
  CHECK(alone.out.empty());
  CHECK(alone.err.find("\n  capture ") != std::string::npos);
  refuses("rondo", rondo({"no-such-subcommand"}), kUsage, "no-such-subcommand");
  refuses("rondo", rondo({"info", "--no-such-option", path}), kUsage, "--no-such-option");
  refuses("rondo", rondo({"dump", "--frames", "5:2", path}), kUsage, "5:2");
  refuses("rondo", rondo({"dump", "--format=xml", path}), kUsage, "xml");
}

SCENARIO("a device that is not there is refused with status 4", "[wrong-input]") {
  refuses("player", player({"--device", "no such GPU", small().path}), kDevice, "no such GPU");
  refuses("player", player({"--device", "99", small().path}), kDevice, "99");
  // lavapipe's name has "256 bits" in it.
  refuses("player", player({"--device", "256", small().path}), kDevice, "has index 256");
}

SCENARIO("a directory is no name for a capture", "[wrong-input]") {
  const TemporaryDirectory directory;
  // The launcher does not check a name with a percent sign: the layer replaces these, so the layer refuses it.
  const std::string place = directory.file("100%");
  std::filesystem::create_directory(place);
  for (const char* name : {".", "..", "./", "none/."})
    for (const bool with_launcher : {true, false}) {
      CAPTURE(name, with_launcher);
      CaptureOptions options;
      options.with_launcher = with_launcher;
      Command command = capture_command({program("compute")}, name, options);
      command.directory = place;
      const Outcome outcome = run(command);
      INFO(outcome.both());
      CHECK(outcome.status == (with_launcher ? 125 : 0));
      CHECK(outcome.err.find("names no file: add one, as %e-%p.rondo") != std::string::npos);
      CHECK(std::filesystem::is_empty(place));
      CHECK_FALSE(std::filesystem::exists(directory.file("none")));
    }
}

SCENARIO("rondo capture's own errors are those of env", "[wrong-input]") {
  const TemporaryDirectory directory;
  CHECK(rondo({"capture", "--no-such-option", "--", "true"}).status == 125);
  CHECK(rondo({"capture"}).status == 125);
  CHECK(rondo({"capture", "--output", directory.file("no/such/x.rondo"), "--", "true"}).status == 125);
  CHECK(rondo({"capture", "--", directory.path()}).status == 126);
  CHECK(rondo({"capture", "--", directory.file("no-such-program")}).status == 127);
  // Where the current directory is gone, a file in it cannot be meant.
  Command gone;
  gone.arguments = {"sh", "-c", "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" capture -- true",
                    build_root() + "/analyzers/rondo"};
  gone.directory = directory.path();
  const Outcome outcome = run(gone);
  INFO(outcome.both());
  CHECK(outcome.status == 125);
  CHECK(outcome.err.find("--output") != std::string::npos);
}
