// SPDX-License-Identifier: Apache-2.0
// Cuts as files: what they keep of names and numbers, how they compare with where they are from, cuts of cuts, and what
// cannot be cut.
#include <sys/mount.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "json.h"
#include "replays.h"
#include "skip.h"
#include "trims.h"

using namespace scenario;

namespace {

const Recording& captured_before(const Words& words, const std::string& driver = lavapipe) {
  const Recording& capture = captured(words, {.checkpoints = "submit", .driver = driver});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

int rows(const Cut& cut, const std::string& command, const std::string& part = "") {
  int n = 0;
  for (const DumpRow& row : dump_rows(cut.path))
    n += row.command == command && row.text.find(part) != std::string::npos ? 1 : 0;
  return n;
}

// No replay sees it: it is there, and not where it is left out.
void is_kept(const Recording& capture, const Words& span, const std::string& what, const std::string& command,
             const std::string& part, int times, int left = 0) {
  const Cut whole = cut(capture, span);
  cut_verifies(whole);
  Words less = span;
  less.insert(less.end(), {"--leave-out", what});
  const Cut without = cut(capture, less);
  INFO(what << "\n" << whole.run.both() << without.run.both());
  REQUIRE(without.run.status == 0);
  CHECK(rows(whole, command, part) == times);
  CHECK(rows(without, command, part) == left);
}

Words kept_images(const std::string& kind) { return {program("kept_images"), "--kind", kind}; }

int submits_of(const std::string& path) {
  return std::stoi(Json::parse(rondo({"info", "--json", path}).out).at("/submits"));
}

std::string span_of(int first, int last) { return std::to_string(first) + ":" + std::to_string(last); }

}  // namespace

SCENARIO("a program with an image of each kind replays bit for bit", "[trim]") {
  replays_bit_for_bit({program("kept_images")}, {.submits = 2});
}

SCENARIO("what is mapped where a cut begins is mapped in it", "[trim]") {
  is_kept(captured_before({program("compute")}), {"--submits", "1:2"}, "maps", "vkMapMemory", "", 2);
}

// A shadow leaves the program memory that the host cannot see: it is read by way of a buffer of that device.
SCENARIO("a cut may end a device whose memory it puts back", "[trim]") {
  const Recording& capture =
      captured({program("memory_types"), "2"}, {.checkpoints = "submit", .memory = "shadow", .driver = fake});
  cut_verifies(cut(capture, {"--submits", "4:35"}, fake), fake);
}

// Their numbers are those that they had, whatever is left out in front of them.
SCENARIO("objects have the same numbers in a cut", "[trim]") {
  const Recording& capture = captured_before({program("states"), "--state", "freed"});
  const Cut whole = cut(capture, {"--scope", "middle"});
  cut_verifies(whole);
  for (const char* span : {"0:1", "1:2", "2:4"}) {
    const Cut part = cut(capture, {"--submits", span});
    cut_verifies(part);
    const int n = submits_of(part.path);
    const Outcome same = rondo({"diff", capture.path + "@submits=" + span, part.path + "@submits=" + span_of(0, n)});
    INFO(span << "\n" << same.both());
    CHECK(same.status == 0);
  }
  const Cut without = cut(capture, {"--submits", "2:4", "--leave-out", "numbers"});
  REQUIRE(without.run.status == 0);
  const Outcome other = rondo({"diff", capture.path + "@submits=2:4", without.path + "@submits=0:2"});
  INFO(other.both());
  CHECK(other.status == 5);
}

SCENARIO("a cut of all of a cut is as large, and a half of it verifies", "[trim]") {
  const Recording& capture = captured_before({program("chapters/linear_images")});
  const int n = submits_of(capture.path);
  REQUIRE(n >= 4);
  const Cut part = cut(capture, {"--submits", span_of(1, n)});
  cut_verifies(part);
  const Recording first{part.path, {}, {}};
  const Cut again = cut(first, {"--submits", span_of(0, n - 1)});
  cut_verifies(again);
  const auto bytes = [](const Cut& one) { return static_cast<double>(std::filesystem::file_size(one.path)); };
  INFO(bytes(part) << ", again " << bytes(again));
  CHECK(bytes(again) < 1.01 * bytes(part));
  CHECK(bytes(again) > 0.99 * bytes(part));
  CHECK(needless_objects(again).empty());
  const Cut half = cut(first, {"--submits", span_of((n - 1) / 2, n - 1)});
  cut_verifies(half);
  const Outcome same = rondo({"diff", capture.path + "@submits=" + span_of(1 + (n - 1) / 2, n),
                              half.path + "@submits=" + span_of(0, n - 1 - (n - 1) / 2)});
  INFO(same.both());
  CHECK(same.status == 0);
  // It says where it is from, and from where that is.
  const Outcome info = rondo({"info", half.path});
  INFO(info.both());
  CHECK(info.out.find("part of ") != std::string::npos);
}

SCENARIO("a cut makes again what is larger than the calls that make it", "[trim]") {
  const Recording& capture = captured({program("noise")}, {.checkpoints = "readback"});
  const auto size = [](const std::string& path) { return std::filesystem::file_size(path); };
  for (const auto& [first, last] : {std::pair(3, 5), {4, 6}, {1, 2}}) {
    const Cut part = cut(capture, {"--submits", span_of(first, last)});
    INFO(part.run.both());
    CHECK(part.run.out.find("submitting call") != std::string::npos);
    cut_verifies(part);
    CHECK(size(part.path) < 32 << 10);  // there are 256 KiB of bits
    CHECK(needless_objects(part).empty());
    CHECK(submits_of(part.path) == last - first);
    const Outcome same = rondo({"diff", capture.path + "@submits=" + span_of(first, last),
                                part.path + "@submits=" + span_of(0, last - first)});
    INFO(same.both());
    CHECK(same.status == 0);
    const Outcome source = player({"--verify", "--submits", span_of(first, last), capture.path});
    CHECK(compared(player({"--verify", part.path}), "[a-z -]+").equal == compared(source, "[a-z -]+").equal);
    // Its whole has it, too, and its last submit without it needs no more than to put it back.
    const Cut again = cut({part.path, {}, {}}, {"--submits", span_of(0, last - first)});
    INFO(again.run.both());
    cut_verifies(again);
    CHECK(std::abs(static_cast<double>(size(again.path)) / static_cast<double>(size(part.path)) - 1) < 0.01);
    CHECK(rondo({"diff", part.path + "@submits=" + span_of(0, last - first),
                 again.path + "@submits=" + span_of(0, last - first)})
              .status == 0);
    if (last - first < 2) continue;
    const Cut half = cut({part.path, {}, {}}, {"--submits", "1:2"});
    INFO(half.run.both());
    cut_verifies(half);
    CHECK(submits_of(half.path) == 1);
  }
  // What the last submit needs is small: nothing is made again for it.
  const Cut small = cut(captured({program("noise")}, {.checkpoints = "none"}), {"--submits", "5:6"});
  INFO(small.run.both());
  CHECK(small.run.status == 0);
  CHECK(small.run.out.find("submitting call") == std::string::npos);
}

// Frames that are made again are none of the cut's, whoever counts.
SCENARIO("frames that a cut makes again are not counted, printed or shown", "[trim]") {
  const Words words{program("headless"), "--query", "1"};
  if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = captured(words, {.checkpoints = "present", .driver = lavapipe25});
  REQUIRE(capture.run.status == 0);
  const Cut part = cut(capture, {"--frames", "5:8"}, lavapipe25);
  cut_verifies(part, lavapipe25);
  REQUIRE(part.run.out.find("submitting call") != std::string::npos);
  CHECK(Json::parse(rondo({"info", "--json", part.path}).out).at("/frames") == "3");
  // The second of the cut's frames is the seventh of the capture's, and there is no fourth.
  const auto presents = [](const Words& words) { return count(rondo(words).out, " vkQueuePresentKHR("); };
  CHECK(presents({"dump", "--frames", "1:2", part.path}) == 1);
  CHECK(presents({"dump", "--frames", "3:4", part.path}) == 0);
  CHECK(rondo({"diff", capture.path + "@frames=6:7", part.path + "@frames=1:2"}).status == 0);
  for (const auto& [span, status] : {std::pair("0:1", 0), {"2:3", 0}, {"3:4", 2}}) {
    const Outcome accesses = rondo({"accesses", "--frames", span, part.path});
    INFO(span << accesses.both());
    CHECK(accesses.status == status);
  }
  const TemporaryDirectory whole, shown;
  REQUIRE(player({"--frames", "5:8", "--screenshot", whole.path(), capture.path}, lavapipe25).status == 0);
  REQUIRE(player({"--screenshot", shown.path(), part.path}, lavapipe25).status == 0);
  CHECK(files_in(shown.path()).size() == files_in(whole.path()).size());
  for (const std::string& name : files_in(shown.path())) {
    const auto bytes = [](const std::string& path) {
      std::ifstream file(path, std::ios::binary);
      return std::string{std::istreambuf_iterator<char>(file), {}};
    };
    std::string of_whole = name;
    of_whole.replace(name.find("frame-") + 6, 6,
                     "00000" + std::to_string(std::stoi(name.substr(name.find("frame-") + 6, 6)) + 5));
    INFO(name << " is " << of_whole);
    const bool same = bytes(shown.file(name)) == bytes(whole.file(of_whole));
    CHECK(same);
  }
}

// Nothing can give a query a value: what it found is found again.
SCENARIO("a cut that copies results of queries from before it copies the same ones", "[trim]") {
  const Recording& capture = captured_before({program("query_copies")});
  for (const char* span : {"1:3", "1:2", "2:3"}) {
    const Cut part = cut(capture, {"--submits", span});
    cut_verifies(part);
    CHECK(part.run.out.find("submitting call") != std::string::npos);
    CHECK(needless_objects(part).empty());
  }
  // Without that they are other values.
  const Cut without = cut(capture, {"--submits", "2:3", "--leave-out", "queries"});
  REQUIRE(without.run.status == 0);
  const Outcome outcome = player({"--verify", "--timeout", "10", without.path});
  INFO(outcome.both());
  CHECK(outcome.status != 0);
}

SCENARIO("a cut of what waits for something to come is refused, and says what", "[trim]") {
  const Recording& events = captured_before({program("states"), "--state", "waiting"});
  const Recording& timelines = captured_before({program("chapters/timelines")});
  const auto refused = [](const Cut& part, const std::string& what) {
    INFO(part.run.both());
    CHECK(part.run.status == kFailed);
    CHECK(is_one_line(part.run, "rondo"));
    CHECK(part.run.err.find("it cannot be cut there: record ") != std::string::npos);
    CHECK(part.run.err.find("waits for " + what) != std::string::npos);
    CHECK(files_in(part.directory->path()).empty());
  };
  refused(cut(events, {"--scope", "middle"}), "VkEvent#0");
  refused(cut(timelines, {"--submits", "1:11"}), "VkSemaphore#0");
}

SCENARIO("a cut that waits for a present from before it finds that done", "[trim]") {
  const Recording& capture = captured_before({program("presents")}, fake);
  for (const char* span : {"11:12", "14:15"}) {
    const Cut part = cut(capture, {"--frames", span}, fake);
    INFO(span << "\n" << part.run.both());
    REQUIRE(part.run.status == 0);
    CHECK(rows(part, "vkWaitForPresentKHR") > 0);
    for (const Words& more : {Words{"--verify"}, Words{"--verify", "--loop", "3"}}) {
      Words words = more;
      words.push_back(part.path);
      const Outcome outcome = player(words, fake);
      INFO(outcome.both());
      CHECK(outcome.status == 0);
    }
  }
}

SCENARIO("a cut that executes commands which were preprocessed before it preprocesses them", "[trim]") {
  const Words words{program("generated_meshes")};
  if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  const Cut part = cut(captured_before(words, lavapipe25), {"--submits", "1:7"}, lavapipe25);
  cut_verifies(part, lavapipe25);
  CHECK(part.run.out.find("submitting call") != std::string::npos);
}

SCENARIO("a part that is not there is told from what there is, and nothing is written", "[trim][wrong-input]") {
  const Recording& capture = captured_before({program("states"), "--state", "contents"});
  const auto says = [&](const Words& span, const std::string& sentence) {
    const Cut part = cut(capture, span);
    INFO(part.run.both());
    CHECK(part.run.status == kUsage);
    CHECK(is_one_line(part.run, "rondo"));
    CHECK(part.run.err.find(sentence) != std::string::npos);
    CHECK(files_in(part.directory->path()).empty());
  };
  says({"--scope", "midle"}, "there is no scope \"midle\"; the nearest names are \"middle\"");
  says({"--scope", "middle#1"}, "was entered 1 time: there is no #1");
  says({"--frames", "0:1"}, "there is no frame 0: it has 0 frames");
  says({"--submits", "2:9"}, "there are no submits 2:9: it has 3 submits, 0:3");
  says({"--submits", "2:2"}, "it ends before it begins");
  says({"--submits", "2:x"}, "is not A:B");
  says({"--scope", "middle", "--submits", "0:1"}, "exclude each other");
  says({}, "nothing in it asks for a cut");
}

SCENARIO("a cut does not replace what it is from, unless asked to", "[trim][wrong-input]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  std::filesystem::copy_file(captured_before({program("compute")}).path, path);
  const std::string before = read_file(path);
  std::filesystem::create_symlink(path, directory.file("link"));
  for (const std::string& same : {path, directory.file("link"), directory.path() + "/./x.rondo"}) {
    const Outcome refused = rondo({"trim", "--submits", "1:2", path, "-o", same});
    INFO(refused.both());
    CHECK(refused.status == kUsage);
    CHECK(is_one_line(refused, "rondo"));
    CHECK(refused.err.find("give --in-place instead of -o to replace it") != std::string::npos);
    CHECK(read_file(path) == before);
  }
  CHECK(rondo({"trim", "--submits", "1:2", path, "--in-place"}).status == 0);
  CHECK(submits_of(path) == 1);
  CHECK(player({"--verify", path}).status == 0);
}

SCENARIO("a capture that was cut off is cut when it is finished", "[trim][wrong-input]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo"), part = directory.file("part.rondo");
  const std::string whole = read_file(captured_before({program("compute")}).path);
  write_file(path, whole.substr(0, whole.size() * 9 / 10));
  const Outcome refused = rondo({"trim", "--submits", "1:2", path, "-o", part});
  INFO(refused.both());
  CHECK(refused.status == kUnreadable);
  CHECK(is_one_line(refused, "rondo"));
  CHECK(files_in(directory.path()).size() == 1);
}

SCENARIO("a cut that does not fit leaves nothing", "[trim]") {
  const TemporaryDirectory directory;
  if (::mount("tmpfs", directory.path().c_str(), "tmpfs", 0, "size=64k") != 0)
    SKIP_SCENARIO("mounting a small tmpfs is not permitted here");
  const Recording& capture = captured_before(kept_images("large"));
  const Outcome full =
      rondo({"trim", "--submits", "1:2", "--codec", "none", capture.path, "-o", directory.file("x.rondo")});
  const std::vector<std::string> left = files_in(directory.path());
  ::umount(directory.path().c_str());
  INFO(full.both());
  CHECK(full.status == kFailed);
  CHECK(is_one_line(full, "rondo"));
  CHECK(full.err.find("No space left") != std::string::npos);
  CHECK(left.empty());
  const Outcome device = rondo({"trim", "--submits", "1:2", capture.path, "-o", "/dev/full"});
  INFO(device.both());
  CHECK(device.status != 0);
  CHECK(is_one_line(device, "rondo"));
  CHECK(std::filesystem::is_character_file("/dev/full"));
}

SCENARIO("frames that a capture was asked for are cut out of it, by the launcher and by hand", "[trim]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo"), part = directory.file("part.rondo");
  const Words words{program("headless")};
  Command command = capture_command(words, path, {.checkpoints = "present", .driver = fake, .with_launcher = false});
  command.environment["RONDO_FRAMES"] = "2:4";
  CHECK(run(command).status == 0);
  Command trim;
  use_driver_for_player(trim.environment, fake, "");
  trim.arguments = {build_root() + "/analyzers/rondo", "trim", path, "-o", part};
  const Outcome asked = run(trim);
  INFO(asked.both());
  CHECK(asked.status == 0);
  const Json info = Json::parse(rondo({"info", "--json", part}).out);
  CHECK(info.at("/frames") == "2");
  CHECK(info.at("/session/cut_request/frames").empty());
  CHECK(info.at("/session/cut/frame") == "2");
  CHECK(player({"--verify", part}, fake).status == 0);

  command = capture_command(words, directory.file("y.rondo"), {.checkpoints = "present", .driver = fake});
  command.environment["RONDO_FRAMES"] = "2:4";
  const Outcome launched = run(command);
  INFO(launched.both());
  CHECK(launched.status == 0);
  CHECK(launched.err.find("(cut to frames 2:4)") != std::string::npos);
  const Outcome same = rondo({"diff", directory.file("y.rondo"), part});
  INFO(same.both());
  CHECK(player({"--verify", directory.file("y.rondo")}, fake).status == 0);
  CHECK(files_in(directory.path()).size() == 3);
}

// The last of each, of what the cut uses.
SCENARIO("a cut knows names, private data and labels that were given before it", "[trim]") {
  const Recording& capture = captured_before({program("states"), "--state", "told"});
  const Words middle{"--scope", "middle"};
  is_kept(capture, middle, "names", "vkSetDebugUtilsObjectNameEXT", "\"the output\"", 1);
  is_kept(capture, middle, "names", "vkSetDebugUtilsObjectNameEXT", "", 1);
  is_kept(capture, middle, "private-data", "vkSetPrivateData", "data=2", 1);
  is_kept(capture, middle, "private-data", "vkSetPrivateData", "", 1);
  is_kept(capture, middle, "labels", "vkQueueBeginDebugUtilsLabelEXT", "\"around\"", 1);
}

SCENARIO("a cut that is cut to all that it has is the same again", "[trim]") {
  // Objects that its part would make next have numbers after those of objects that the cut does not have.
  const Recording& capture = captured({program("churn"), "--threads", "1", "--rounds", "6"});
  const std::string span = GENERATE("2:4", "3:5");
  const Cut once = cut(capture, {"--submits", span});
  const Cut again = cut({once.path, {}, {}}, {"--submits", span_of(0, submits_of(once.path))});
  INFO(once.run.both() << again.run.both());
  REQUIRE(again.run.status == 0);
  CHECK(rows(once, "rondoObjectNumbers", "") > 10);
  CHECK(rows(again, "rondoObjectNumbers", "") == rows(once, "rondoObjectNumbers", ""));
  const std::vector<DumpRow> before = dump_rows(once.path), after = dump_rows(again.path);
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    INFO(before[i].text << "\n" << after[i].text);
    CHECK(before[i].command == after[i].command);
    CHECK(before[i].objects == after[i].objects);
  }
}
