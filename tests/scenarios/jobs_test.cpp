// SPDX-License-Identifier: Apache-2.0
// Pipelines made by several threads, and what drivers made of them kept in a file.
#include <catch2/catch.hpp>
#include <fstream>

#include "fixture.h"
#include "json.h"
#include "replays.h"

using namespace scenario;

namespace {

const Recording& good(const Words& words, const CaptureOptions& options) {
  const Recording& capture = captured(words, options);
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

}  // namespace

SCENARIO("pipelines that several threads make replay as those of one", "[jobs]") {
  const std::string name =
      GENERATE("constants", "dynamic", "dynamic3", "feedback", "libraries", "arithmetic", "meshes");
  const std::string driver = GENERATE(lavapipe, fake);
  const Words words = driver == fake ? without_checks({program(name)}) : Words{program(name)};
  if (!cannot_run(words, driver).empty()) return;
  const Recording& capture = good(words, {.checkpoints = "submit", .driver = driver});
  INFO(name << " on " << driver);
  const Outcome one = player({"--jobs", "1", "--verify", capture.path}, driver);
  const Outcome eight = player({"--jobs", "8", "--verify", capture.path}, driver);
  INFO(one.both() << eight.both());
  CHECK(one.status == 0);
  CHECK(eight.status == 0);
  const Compared a = compared(one, "parts of buffers and images"), b = compared(eight, "parts of buffers and images");
  CHECK(a.equal > 0);
  CHECK(a.equal == b.equal);
  CHECK(a.all == b.all);
}

SCENARIO("a renderer's pipelines made by several threads replay bit for bit", "[jobs]") {
  const Recording& capture = good(glmark2("jellyfish", 10), {.checkpoints = "present"});
  const Outcome outcome = player({"--jobs", "8", "--validate", "--verify", capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "images").equal >= 10);
}

SCENARIO("a pipeline that cannot be made is named, whoever makes it, and leaves nothing", "[jobs]") {
  const Recording& capture = good(without_checks({program("constants")}), {.driver = fake});
  const std::string jobs = GENERATE("1", "8");
  for (const std::string nth : {"1", "2"}) {
    const Outcome outcome = player({"--jobs", jobs, capture.path}, fake,
                                   "fail=vkCreateComputePipelines:" + nth + ":VK_ERROR_OUT_OF_DEVICE_MEMORY");
    INFO(outcome.both());
    CHECK(outcome.status == kFailed);
    CHECK(is_one_line(outcome, "player"));
    CHECK(outcome.err.find("vkCreateComputePipelines returned VK_ERROR_OUT_OF_DEVICE_MEMORY") != std::string::npos);
  }
}

SCENARIO("what a driver makes of pipelines is kept from replay to replay", "[jobs]") {
  const Recording& capture = good({program("constants")}, {.checkpoints = "submit"});
  const TemporaryDirectory directory;
  const std::string file = directory.file("pipelines");
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = player({"--pipeline-cache", file, "--verify", "--validate", capture.path});
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    const std::string data = read_file(file);
    CHECK(data.starts_with("RONDOPC1"));
    CHECK(data.size() >= 48);
  }
  // Another device's stands beside it.
  const Recording& other = good(without_checks({program("constants")}), {.driver = fake});
  const std::string before = read_file(file);
  CHECK(player({"--pipeline-cache", file, other.path}, fake).status == 0);
  CHECK(read_file(file).starts_with(before));
}

SCENARIO("a file that is no pipeline cache stays as it is", "[jobs]") {
  const Recording& capture = good({program("constants")}, {.checkpoints = "submit"});
  const TemporaryDirectory directory;
  const auto refuses = [&](const std::string& file, const std::string& sentence) {
    const Outcome outcome = player({"--pipeline-cache", file, capture.path});
    INFO(outcome.both());
    CHECK(outcome.status == kUsage);
    CHECK(outcome.err.find(sentence) != std::string::npos);
  };
  const auto written = [&](const char* name, const std::string& bytes) {
    std::ofstream(directory.file(name), std::ios::binary) << bytes;
    return directory.file(name);
  };
  const std::string notes = written("notes", "not yours");
  refuses(notes, "its first bytes are others");
  CHECK(read_file(notes) == "not yours");
  refuses(written("cut", "RONDOPC1xx"), "it ends in the middle");
  refuses(written("long", "RONDOPC1" + std::string(8, '\x7f')), "wrong length at offset 8");
  refuses(capture.path, "would overwrite the capture");
  CHECK(player({"--pipeline-cache", written("new", ""), capture.path}).status == 0);
  refuses("/nowhere/pipelines", "cannot write there");
  refuses(directory.file(""), "not a regular file");
}
