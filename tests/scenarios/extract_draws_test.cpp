// SPDX-License-Identifier: Apache-2.0
// rondo extract --at draw:S:N: what a draw leaves, held against the checkpoint of a cut that ends with that draw.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "extracts.h"
#include "fixture.h"
#include "json.h"

using namespace scenario;

namespace {

// The digests of all images in the one checkpoint that a cut of draws has.
ContentDigests checkpoint_of(const std::string& cut) {
  ContentDigests all;
  for (const std::string& line :
       lines(rondo({"dump", "--format=jsonl", "--grep", "rondoCheckpointSubresources", cut}).out)) {
    const Json row = Json::parse(line);
    for (std::size_t i = 0; i < row.size("/parameters/pDigests"); ++i) {
      const std::string at = std::to_string(i), part = "/parameters/pParts/" + at,
                        digest = "/parameters/pDigests/" + at, bit = row.at(part + "/aspect/0");
      all[json_text(row.at("/parameters/pImages/" + at)) + " " + row.at(part + "/mipLevel") + " " +
          row.at(part + "/arrayLayer") + " " + aspect_of(bit)] =
          hex64(row.at(digest + "/high")) + hex64(row.at(digest + "/low"));
    }
  }
  return all;
}

std::string draw_at(int submit, int draw) { return "draw:" + std::to_string(submit) + ":" + std::to_string(draw); }

}  // namespace

SCENARIO("what each draw leaves is extracted as a cut that ends with it has it", "[extract-draws]") {
  struct Program {
    std::string name;
    int draws;          // of its submit 0
    std::size_t least;  // different pictures that they leave; some of them are dispatches, or draw the same again
  };
  const Program programs[] = {{"secondary", 4, 3},   {"rendering", 6, 2}, {"passes", 3, 2},
                              {"conditional", 6, 2}, {"core", 3, 2},      {"feedback", 3, 1}};
  for (const auto& [name, draws, least] : programs) {
    const Recording& capture = captured({program(name)}, {.checkpoints = "submit"});
    REQUIRE(capture.run.status == 0);
    std::set<ContentDigests> different;
    for (int draw = 0; draw < draws; ++draw) {
      INFO(name << " draw " << draw);
      const TemporaryDirectory directory;
      const std::string cut = directory.file("cut.rondo"), out = directory.file("out");
      REQUIRE(rondo({"trim", "--draws", "0:0:" + std::to_string(draw + 1), capture.path, "-o", cut}).status == 0);
      const Outcome outcome = extract({"--images", "--validate", "--at", draw_at(0, draw), capture.path, "-o", out});
      INFO(outcome.both());
      REQUIRE(outcome.status == 0);
      CHECK(files_in(directory.path()) == Words{"cut.rondo", "out"});
      const ContentDigests expected = checkpoint_of(cut), has = extracted(out);
      for (const auto& [part, digest] : expected) {
        INFO(part);
        REQUIRE(has.count(part) != 0);
        CHECK(has.at(part) == digest);
      }
      if (!expected.empty()) different.insert(expected);
    }
    INFO(name);
    CHECK(different.size() >= least);
  }
}

SCENARIO("what the last draw leaves is what its submit leaves, where nothing follows it", "[extract-draws]") {
  const Recording& capture = captured({program("secondary")}, {.checkpoints = "submit"});
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string last = directory.file("last"), submit = directory.file("submit"), first = directory.file("first");
  REQUIRE(extract({"--images", "--at", "draw:0:3", capture.path, "-o", last}).status == 0);
  REQUIRE(extract({"--images", "--at", "submit:0", capture.path, "-o", submit}).status == 0);
  REQUIRE(extract({"--images", "--at", "draw:0:0", capture.path, "-o", first}).status == 0);
  CHECK(extracted(last) == extracted(submit));
  CHECK(extracted(first) != extracted(submit));
  const Json index = Json::parse(read_file(last + "/images.json"));
  CHECK(index.at("/place") == "\"just after draw 3 of submit 0\"");
  CHECK(index.at("/capture") == "\"" + capture.path + "\"");
  CHECK(index.at("/record") == Json::parse(read_file(submit + "/images.json")).at("/record"));
}

SCENARIO("what a dispatch leaves in buffers is extracted", "[extract-draws]") {
  const Recording& capture = captured({program("compute")}, {.checkpoints = "submit"});
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const auto buffers = [&](const std::string& at) {
    const std::string out = directory.file(at);
    const Outcome outcome = extract({"--buffers", "--at", at, capture.path, "-o", out});
    INFO(outcome.both());
    REQUIRE(outcome.status == 0);
    std::string all;
    for (const std::string& file : files_in(out))
      if (file.ends_with(".bin")) all += file + read_file(out + "/" + file);
    return all;
  };
  CHECK(buffers("draw:5:0") == buffers("submit:5"));
  CHECK(buffers("draw:5:0") != buffers("draw:4:0"));
}

SCENARIO("a draw of a frame leaves the image that was to be presented, and its depth", "[extract-draws]") {
  const Recording& capture = captured(vkcube(5));
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string draw = directory.file("draw"), submit = directory.file("submit");
  const Outcome outcome = extract({"--images", "--at", "draw:3:0", capture.path, "-o", draw});
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  REQUIRE(extract({"--images", "--at", "submit:3", capture.path, "-o", submit}).status == 0);
  CHECK(extracted(draw) == extracted(submit));
}

// A copy is foreign: the process that plays it may write only what the sandbox was told of.
SCENARIO("a draw of a foreign capture is extracted into a directory that is there or not", "[extract-draws]") {
  const Recording& capture = captured({program("secondary")}, {.checkpoints = "submit"});
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string copy = directory.file("copy.rondo");
  std::filesystem::copy_file(capture.path, copy);
  std::filesystem::create_directory(directory.file("there"));
  for (const std::string out : {"there", "not/yet/there", "ends/with/a/slash/"}) {
    INFO(out);
    const Outcome outcome = extract({"--images", "--at", "draw:0:1", copy, "-o", directory.file(out)});
    INFO(outcome.both());
    REQUIRE(outcome.status == 0);
    CHECK(files_in(directory.file(out)) == Words{"VkImage-0-mip0-layer0.png", "images.json"});
  }
  CHECK(files_in(directory.path()) == Words{"copy.rondo", "ends", "not", "there"});
}

SCENARIO("a draw that is not there is refused with how many there are, and nothing is written", "[extract-draws]") {
  const std::string path = captured({program("secondary")}, {.checkpoints = "submit"}).path;
  const TemporaryDirectory directory;
  const auto refused = [&](const Words& words, int status, const std::string& says) {
    Words all{"--images", "-o", directory.file("out")};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = extract(all);
    INFO(outcome.both());
    CHECK(outcome.status == status);
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(outcome.err.find(says) != std::string::npos);
    CHECK(outcome.err.find(".step") == std::string::npos);
    CHECK(std::filesystem::is_empty(directory.path()));
  };
  refused({"--at", "draw:0:4", path}, kUsage, "submit 0 has 4 draws, 0:4");
  refused({"--at", "draw:9:0", path}, kUsage, "there is no submit 9: it has ");
  refused({"--at", "draw:0:0", path, "VkImage#9"}, kUsage,
          "there is no image 'VkImage#9'; the images just after draw 0 of submit 0: VkImage#0");
  for (const std::string wrong :
       {"draw:0", "draw:", "draw:0:1:2", "draw:0:-1", "draw:a:0", "draw:0:18446744073709551615"})
    refused({"--at", wrong, path}, kUsage, "is neither frame:K nor submit:K nor draw:S:N");
  const Outcome nowhere = extract({"--images", "--at", "draw:0:0", path, "-o", "/proc/not/there"});
  CHECK(nowhere.status == kFailed);
  CHECK(nowhere.err == "rondo: /proc/not/there: cannot be written: No such file or directory\n");
  const std::string samples = captured({program("multisample")}, {.checkpoints = "submit"}).path;
  refused({"--at", "draw:0:2", samples}, kFailed, "cannot be split: use --at submit:0");
}
