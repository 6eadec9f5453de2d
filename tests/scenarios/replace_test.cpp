// SPDX-License-Identifier: Apache-2.0
// Other shaders in the place of captured ones: what is computed changes where it should and nowhere else, and
// what asks for something else is refused before anything is played.
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "fixture.h"
#include "json.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

std::string shader(const std::string& name) { return std::string(RONDO_TEST_SHADERS) + "/" + name + ".spv"; }

const Recording& recorded(const Words& words, const std::string& driver = lavapipe) {
  const Recording& capture = captured(words, {.checkpoints = "submit", .driver = driver});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

Outcome replay(const Recording& capture, const std::string& replacement, const Words& more = {},
               const std::string& driver = lavapipe) {
  Words words{"--verify", "--replace", replacement};
  words.insert(words.end(), more.begin(), more.end());
  words.push_back(capture.path);
  return player(words, driver);
}

// The only shader of a capture, as a file.
std::string extracted(const Recording& capture, const TemporaryDirectory& directory) {
  const Outcome outcome = rondo({"extract", "--shaders", capture.path, "-o", directory.file("shaders")});
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  REQUIRE(lines(outcome.out).size() == 1);
  return directory.file("shaders") + "/" + outcome.out.substr(0, outcome.out.find(' '));
}

std::string digest_of_file(const std::string& path) { return std::filesystem::path(path).stem().string(); }

// "1 of 3 … differ", and where.
void differs(const Outcome& outcome, int equal, int all, const std::string& where) {
  INFO(outcome.both());
  CHECK(outcome.status == kDifferent);
  const Compared parts = compared(outcome, "parts of buffers and images");
  CHECK(parts.equal == equal);
  CHECK(parts.all == all);
  CHECK(outcome.err.find(where) != std::string::npos);
}

void parts_are_equal(const Outcome& outcome) {
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  const Compared parts = compared(outcome, "parts of buffers and images");
  CHECK(parts.equal > 0);
  CHECK(parts.equal == parts.all);
}

}  // namespace

SCENARIO("a shader in its own place changes nothing, however it is named", "[replace]") {
  for (const std::string& driver : {lavapipe, fake}) {
    INFO(driver);
    const Recording& capture = recorded(without_checks({program("compute")}), driver);
    const TemporaryDirectory directory;
    const std::string own = extracted(capture, directory);
    for (const std::string& selector :
         {std::string("VkShaderModule#0"), std::string("VkPipeline#0.compute"), digest_of_file(own),
          digest_of_file(own).substr(0, 5), std::string("all@main")}) {
      INFO(selector);
      const Outcome outcome = replay(capture, selector + "=" + own, {}, driver);
      parts_are_equal(outcome);
      CHECK(outcome.out.find(own + " in the place of " + digest_of_file(own) + ": Vk") != std::string::npos);
    }
  }
}

SCENARIO("a changed computation is found where it is written", "[replace]") {
  const Recording& capture = recorded({program("compute")});
  for (const char* selector : {"VkShaderModule#0", "VkPipeline#0.compute", "all@main"}) {
    INFO(selector);
    differs(replay(capture, std::string(selector) + "=" + shader("fourfold")), 64, 128, "VkBuffer#1 bytes");
  }
  GIVEN("the same computation in other words") { parts_are_equal(replay(capture, "all@main=" + shader("work"))); }
  GIVEN("the fake driver, which digests the code") {
    const Recording& seen = recorded(without_checks({program("compute")}), fake);
    const Outcome outcome = replay(seen, "all@main=" + shader("fourfold"), {}, fake);
    INFO(outcome.both());
    CHECK(outcome.status == kDifferent);
  }
}

SCENARIO("one stage is replaced where others share its module", "[replace]") {
  const Recording& capture = recorded({program("shared_shader")});
  const std::string special = shader("special");
  differs(replay(capture, "VkPipeline#0.compute=" + special), 1, 2, "VkBuffer#0 bytes 0 to 64: bytes 8 to");
  differs(replay(capture, "VkPipeline#1.compute=" + special), 1, 2, "as 32-bit numbers 5 and 1005");
  differs(replay(capture, "VkShaderModule#0=" + special), 0, 2, "VkBuffer#");
  differs(replay(capture, "VkPipeline#0.compute=" + special, {"--replace", "VkPipeline#1.compute=" + special}), 0, 2,
          "VkBuffer#");
  // Modules of its own end with the call: the validation layer and the fake driver see them come and go.
  const TemporaryDirectory directory;
  parts_are_equal(replay(capture, "VkPipeline#1.compute=" + extracted(capture, directory),
                         {"--validate", "--loop", "3", "--fresh"}));
  const Recording& seen = recorded(without_checks({program("shared_shader")}), fake);
  // It counts what came before in the same command buffer.
  differs(replay(seen, "VkPipeline#0.compute=" + special, {}, fake), 0, 2, "VkBuffer#0 bytes");
  differs(replay(seen, "VkPipeline#1.compute=" + special, {}, fake), 1, 2, "VkBuffer#1 bytes");
}

SCENARIO("code in pipelines, without a module, is replaced", "[replace]") {
  const Words words{program("shared_shader"), "--inlined"};
  if (const std::string why = cannot_run(words, lavapipe); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = recorded(words);
  const std::string special = shader("special");
  differs(replay(capture, "VkPipeline#2.compute=" + special), 2, 3, "VkBuffer#2 bytes");
  differs(replay(capture, "VkShaderModule#0=" + special), 1, 3, "VkBuffer#");
  differs(replay(capture, "all@main=" + special), 0, 3, "VkBuffer#");
}

SCENARIO("stages of graphics pipelines are replaced, in libraries too", "[replace]") {
  for (const char* name : {"rendering", "libraries"}) {
    INFO(name);
    const Recording& capture = recorded({program(name)});
    const Json info = Json::parse(rondo({"info", "--shaders", "--json", capture.path}).out);
    std::string fragment;
    for (std::size_t i = 0; i < info.size("/shader_rows"); ++i)
      for (std::size_t u = 0; u < info.size("/shader_rows/" + std::to_string(i) + "/uses"); ++u) {
        const std::string use = info.at("/shader_rows/" + std::to_string(i) + "/uses/" + std::to_string(u) + "/object");
        if (fragment.empty() && use.find(".fragment") != std::string::npos) fragment = use.substr(1, use.size() - 2);
      }
    INFO(fragment);
    REQUIRE(!fragment.empty());
    const Outcome grey = replay(capture, fragment + "=" + shader("grey"));
    INFO(grey.both());
    CHECK(grey.status == kDifferent);
    const Outcome validated = player({"--validate", "--replace", fragment + "=" + shader("grey"), capture.path});
    INFO(validated.both());
    CHECK(validated.status == 0);
  }
}

SCENARIO("shaders without pipelines are replaced", "[replace]") {
  const Words words{program("shader_objects")};
  if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = recorded(words, lavapipe25);
  const TemporaryDirectory directory;
  REQUIRE(rondo({"extract", "--shaders", capture.path, "-o", directory.file("s")}).status == 0);
  const Json info = Json::parse(rondo({"info", "--shaders", "--json", capture.path}).out);
  std::string object, own;
  for (std::size_t i = 0; i < info.size("/shader_rows"); ++i) {
    const std::string row = "/shader_rows/" + std::to_string(i);
    if (info.at(row + "/entry_points/0/model") != "\"compute\"") continue;
    for (std::size_t u = 0; u < info.size(row + "/uses"); ++u) {
      const std::string use = info.at(row + "/uses/" + std::to_string(u) + "/object");
      if (object.empty() && use.rfind("\"VkShaderEXT#", 0) == 0) object = use.substr(1, use.size() - 2);
    }
    const std::string digest = info.at(row + "/digest");
    own = directory.file("s") + "/" + digest.substr(1, digest.size() - 2) + ".spv";
  }
  INFO(object);
  REQUIRE(!object.empty());
  parts_are_equal(replay(capture, object + "=" + own, {}, lavapipe25));
  const Outcome changed = replay(capture, object + "=" + shader("special"), {}, lavapipe25);
  INFO(changed.both());
  CHECK(changed.status == kDifferent);
}

SCENARIO("a loop plays the other shader in each iteration", "[replace]") {
  const Recording& capture = recorded({program("states"), "--state", "contents"});
  const TemporaryDirectory directory;
  const Words loop{"--scope", "middle", "--loop", "3"};
  parts_are_equal(replay(capture, "all@main=" + extracted(capture, directory), loop));
  const Outcome changed = replay(capture, "VkPipeline#0.compute=" + shader("fourfold"), loop);
  INFO(changed.both());
  CHECK(changed.status == kDifferent);
}

SCENARIO("what cannot stand in a shader's place is refused with both sides, and nothing is played", "[replace]") {
  const Recording& capture = recorded({program("compute")});
  const TemporaryDirectory directory;
  const auto refuses = [&](const std::string& replacement, const std::string& says) {
    const std::string report = directory.file("report.json");
    const Outcome outcome = player({"--replace", replacement, "--report", report, capture.path});
    INFO(outcome.both());
    CHECK(outcome.status == kUsage);
    CHECK(outcome.out == "");
    CHECK(outcome.err.find(says) != std::string::npos);
    CHECK(Json::parse(read_file(report)).at("/played/calls") == "0");
    CHECK(Json::parse(read_file(report)).size("/replaced") == 0);
  };
  refuses("all@main=" + shader("half-size"), "\n  local size: captured 64 x 1 x 1; new 32 x 1 x 1\n");
  refuses("all@main=" + shader("other-binding"),
          "\n  set 0 binding 2: captured none; new storage buffer, read only {0: uint[stride 4]}\n");
  refuses("VkShaderModule#0=" + shader("doubles"), "did not enable shaderFloat64");
  refuses("VkShaderModule#0=" + shader("stage"),
          "entry point main (compute): captured main (compute); new main (vertex)");
  refuses("VkShaderModule#7=" + shader("work"), "VkShaderModule#7 means no shader");
  refuses("VkShaderModule#0=" + capture.path, "is not SPIR-V: it begins with");
  refuses("VkShaderModule#0=" + directory.file("none"), directory.file("none"));
}

// A store of an id that nothing defines: nobody but the validator minds it before a driver does.
std::string with_a_wrong_store(const std::string& shader, const TemporaryDirectory& directory) {
  std::string code = read_file(shader);
  std::vector<std::uint32_t> words(code.size() / 4);
  std::memcpy(words.data(), code.data(), words.size() * 4);
  constexpr std::uint32_t kBound = 3, kHeader = 5, kOpStore = 62;
  for (std::size_t at = kHeader; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffff) == kOpStore) words[at + 2] = words[kBound];
  ++words[kBound];
  std::memcpy(code.data(), words.data(), words.size() * 4);
  const std::string path = directory.file("wrong.spv");
  std::ofstream(path, std::ios::binary) << code;
  return path;
}

SCENARIO("shaders of the user's are checked as the capture's are, however they are named", "[replace]") {
  const Recording& capture = recorded({program("shared_shader")});
  const TemporaryDirectory directory;
  const std::string foreign = directory.file("foreign.rondo");
  std::filesystem::copy_file(capture.path, foreign);
  const std::string wrong = with_a_wrong_store(shader("special"), directory);
  for (const std::string selector : {"VkPipeline#0.compute", "VkPipeline#1.compute", "VkShaderModule#0"}) {
    const Outcome refused = player({"--replace", selector + "=" + wrong, foreign});
    INFO(refused.both());
    CHECK(refused.status == kUnreadable);
    CHECK(refused.err.find(wrong + ", in the place of " + selector + " is not valid SPIR-V") != std::string::npos);
  }
}

SCENARIO("the report says what was replaced", "[replace]") {
  const Recording& capture = recorded({program("compute")});
  const TemporaryDirectory directory;
  const std::string own = extracted(capture, directory), report = directory.file("report.json");
  parts_are_equal(replay(capture, "VkShaderModule#0=" + own, {"--report", report}));
  const Json json = Json::parse(read_file(report));
  CHECK(json.size("/replaced") == 1);
  CHECK(json.at("/replaced/0/selector") == "\"VkShaderModule#0\"");
  CHECK(json.at("/replaced/0/file") == "\"" + own + "\"");
  CHECK(json.at("/replaced/0/digest") == "\"" + digest_of_file(own) + "\"");
  CHECK(json.at("/replaced/0/new_digest") == "\"" + digest_of_file(own) + "\"");
  CHECK(json.at("/replaced/0/objects/1") == "\"VkPipeline#0.compute\"");
}

SCENARIO("a program whose pipelines share a module that is gone replays bit for bit", "[replace]") {
  replays_bit_for_bit({program("shared_shader")}, {.submits = 1});
}
