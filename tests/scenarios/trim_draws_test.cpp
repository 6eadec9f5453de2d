// SPDX-License-Identifier: Apache-2.0
// rondo trim --draws: what the attachments hold behind draws that are cut out of a submit, held against cuts
// that begin with its first draw, and against the checkpoints of the submit itself.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

std::string unquoted(const std::string& text) {
  return text.size() < 2 || text.front() != '"' ? text : text.substr(1, text.size() - 2);
}

// Of images, behind the submit of this number: digests by image and part.
using Digests = std::map<std::string, std::string>;
Digests images_of(const std::string& path, int submit) {
  Digests all;
  int submits = 0;
  for (const std::string& line : lines(rondo({"dump", "--format=jsonl", path}).out)) {
    if (line.find("\"rondoCut\"") != std::string::npos) submits = 0;  // those before it put signals back
    if (line.find("\"vkQueueSubmit") == std::string::npos && line.find("\"rondoCheckpointSub") == std::string::npos)
      continue;
    const Json row = Json::parse(line);
    if (unquoted(row.at("/command")).rfind("vkQueueSubmit", 0) == 0)
      submits += std::stoi(row.at("/parameters/submitCount"));
    for (std::size_t i = 0; submits == submit + 1 && i < row.size("/parameters/pDigests"); ++i) {
      const std::string at = std::to_string(i), part = "/parameters/pParts/" + at,
                        digest = "/parameters/pDigests/" + at;
      all[row.at("/parameters/pImages/" + at) + row.at(part + "/mipLevel") + row.at(part + "/arrayLayer") +
          row.at(part + "/aspect/0")] = row.at(digest + "/high") + row.at(digest + "/low");
    }
  }
  return all;
}

std::string range(int submit, int first, int last) {
  return std::to_string(submit) + ":" + std::to_string(first) + ":" + std::to_string(last);
}

// How many draws it says that there are.
int draws_in(const std::string& path, int submit) {
  const TemporaryDirectory directory;
  const Outcome outcome = rondo({"trim", "--draws", range(submit, 0, 1000000), path, "-o", directory.file("x.rondo")});
  INFO(outcome.both());
  CHECK(outcome.status == kUsage);
  CHECK(is_one_line(outcome, "rondo"));
  CHECK(std::filesystem::is_empty(directory.path()));
  const std::string says = " has ";
  const std::size_t at = outcome.err.find("submit " + std::to_string(submit) + says);
  return at == std::string::npos ? 0 : std::atoi(outcome.err.c_str() + outcome.err.find(says, at) + says.size());
}

Outcome cut(const std::string& path, const std::string& draws, const std::string& to) {
  return rondo({"trim", "--validate", "--draws", draws, path, "-o", to});
}

void stands_alone(const std::string& path) {
  const Outcome verified = player({"--verify", path});
  INFO(verified.both());
  CHECK(verified.status == 0);
  const Outcome looped = player({"--verify", "--loop", "3", path});
  INFO(looped.both());
  CHECK(looped.status == 0);
  const Outcome validated = player({"--validate", path});
  INFO(validated.both());
  CHECK(validated.status == 0);
}

struct Program {
  std::string name;
  int draws;             // of its submit 0
  bool ends_so = false;  // no command behind the last draw changes what it drew to
};

const Program kPrograms[] = {
    {"secondary", 4, true},  // in secondaries, one of which is executed by two primaries
    {"rendering", 6},        // dynamic rendering that is suspended and resumed
    {"passes", 3},           // subpasses, and images without a framebuffer of their own
    {"conditional", 6},     {"core", 3}, {"feedback", 3},
};

}  // namespace

SCENARIO("each draw of a submit can be cut out, and draws what it drew", "[trim-draws]") {
  for (const Program& one : kPrograms) {
    INFO(one.name);
    const Recording& capture = captured({program(one.name)}, {.checkpoints = "submit"});
    REQUIRE(capture.run.status == 0);
    REQUIRE(draws_in(capture.path, 0) == one.draws);
    const TemporaryDirectory directory;
    const std::string alone = directory.file("alone.rondo"), with_all = directory.file("all.rondo");
    for (int draw = 0; draw < one.draws; ++draw) {
      INFO("draw " << draw);
      const Outcome first = cut(capture.path, range(0, draw, draw + 1), alone);
      INFO(first.both());
      REQUIRE(first.status == 0);
      const Outcome second = cut(capture.path, range(0, 0, draw + 1), with_all);
      INFO(second.both());
      REQUIRE(second.status == 0);
      CHECK(draws_in(alone, 0) == 1);
      CHECK(draws_in(with_all, 0) == draw + 1);
      stands_alone(alone);
      stands_alone(with_all);
      CHECK(images_of(alone, 0) == images_of(with_all, 0));
    }
    if (!one.ends_so) continue;
    const Digests native = images_of(capture.path, 0), played = images_of(with_all, 0);
    CHECK_FALSE(played.empty());
    for (const auto& [part, digest] : played) {
      INFO(part);
      CHECK((native.count(part) != 0 && native.at(part) == digest));
    }
  }
}

SCENARIO("dispatches can be cut out, and what they write to buffers is compared", "[trim-draws]") {
  const Recording& capture = captured({program("compute")}, {.checkpoints = "submit"});
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  const Outcome done = cut(capture.path, range(5, 0, 1), path);
  INFO(done.both());
  REQUIRE(done.status == 0);
  stands_alone(path);
  const Json info = Json::parse(rondo({"info", "--json", path}).out);
  CHECK(info.at("/submits") == "1");
}

SCENARIO("a draw of a frame that was captured can be cut out, with the image that was to be presented",
         "[trim-draws]") {
  const Recording& capture = captured(vkcube(5));
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  REQUIRE(draws_in(capture.path, 3) == 1);
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  const Outcome done = cut(capture.path, range(3, 0, 1), path);
  INFO(done.both());
  REQUIRE(done.status == 0);
  stands_alone(path);
  CHECK(images_of(path, 0).size() == 2);  // its depth, too
  // A cut can be cut.
  const std::string again = directory.file("y.rondo");
  const Outcome twice = cut(path, range(0, 0, 1), again);
  INFO(twice.both());
  REQUIRE(twice.status == 0);
  stands_alone(again);
  CHECK(images_of(path, 0) == images_of(again, 0));
}

// The captured program never ended there, so the contents are those of the driver that made the cut.
SCENARIO("a cut of draws keeps the contents that it compares, for other drivers", "[trim-draws]") {
  if (!no_driver(swiftshader).empty()) SKIP_SCENARIO(no_driver(swiftshader));
  const Recording& capture = captured(vkcube(5));
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo"), report = directory.file("report.json");
  const Outcome done = cut(capture.path, range(3, 0, 1), path);
  INFO(done.both());
  REQUIRE(done.status == 0);
  stands_alone(path);
  // Each part is found equal or different, and the first that differs is told by its pixels.
  const Outcome exact = player({"--verify", "--report", report, path}, swiftshader);
  INFO(exact.both());
  CHECK(exact.status == kDifferent);
  CHECK(exact.err.find("pixel (") != std::string::npos);
  CHECK(exact.err.find("RONDO_CHECKPOINTS") == std::string::npos);
  CHECK(Json::parse(read_file(report)).at("/verification/contents/compared") == "2");
  // Both are near enough to be compared by their values.
  const Outcome near = player({"--verify=psnr:30", path}, swiftshader);
  INFO(near.both());
  CHECK(near.status == 0);
  CHECK(near.out.find("2 of 2 parts of buffers and images compared and equal") != std::string::npos);
  CHECK(near.out.find("by PSNR") != std::string::npos);
}

SCENARIO("a cut of draws says where it has nothing to compare", "[trim-draws]") {
  const Recording& capture = captured({program("chapters/linked_lists")}, {.checkpoints = "submit"});
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  const Outcome done = cut(capture.path, range(0, 1, 2), path);
  INFO(done.both());
  REQUIRE(done.status == 0);
  CHECK(done.out.find("player --verify has nothing to compare\n") != std::string::npos);
  CHECK(player({"--loop", "3", path}).status == 0);
}

SCENARIO("draws that cannot be cut out are refused by name, and nothing is written", "[trim-draws]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.rondo");
  const auto refused = [&](const Words& words, int status, const std::string& says) {
    Words all{"trim", "-o", path};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = rondo(all);
    INFO(outcome.both());
    CHECK(outcome.status == status);
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(outcome.err.find(says) != std::string::npos);
    CHECK(std::filesystem::is_empty(directory.path()));
  };
  const std::string secondary = captured({program("secondary")}, {.checkpoints = "submit"}).path;
  refused({"--draws", "0:2:5", secondary}, kUsage, "submit 0 has 4 draws, 0:4");
  refused({"--draws", "9:0:1", secondary}, kUsage, "there is no submit 9: it has ");
  for (const std::string wrong : {"0", "0:", "0:1:1", "0:2:1", "0:1:2:3", "a:0:1", "0:-1:1", ""})
    refused({"--draws", wrong, secondary}, kUsage, "is neither SUBMIT:DRAW nor SUBMIT:A:B with A < B");
  refused({"--draws", "0:0:1", "--submits", "0:1", secondary}, kUsage, "exclude each other");
  {
    const TemporaryDirectory other;
    const std::string one = other.file("one.rondo"), range = other.file("range.rondo");
    CHECK(rondo({"trim", "--draws", "0:1", secondary, "-o", one}).status == 0);
    CHECK(rondo({"trim", "--draws", "0:1:2", secondary, "-o", range}).status == 0);
    CHECK(rondo({"diff", one, range}).status == 0);
  }
  const std::string samples = captured({program("multisample")}, {.checkpoints = "submit"}).path;
  refused({"--draws", "0:2:3", samples}, kFailed,
          "submit 0 cannot be cut there: the first draw's pass: a pass with "
          "VkMultisampledRenderToSingleSampledInfoEXT cannot be split: "
          "use --submits");
  const std::string groups = captured({program("groups")}, {.checkpoints = "submit"}).path;
  refused({"--draws", "0:1:2", groups}, kFailed, "it is for several devices of a group");
}
