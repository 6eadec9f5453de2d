// SPDX-License-Identifier: Apache-2.0
// Shaders of captures that somebody changed: no driver gets those that are wrong, and only their own user's
// captures are played with them.
#include <catch2/catch.hpp>
#include <cstring>

#include "fixture.h"
#include "json.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

struct Shader {
  std::string digest;
  std::vector<std::uint32_t> words;
};

// The only one of the capture.
Shader shader_of(const Recording& capture, const TemporaryDirectory& directory) {
  const Outcome outcome = rondo({"extract", "--shaders", capture.path, "-o", directory.file("shaders")});
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  REQUIRE(lines(outcome.out).size() == 1);
  Shader shader;
  shader.digest = outcome.out.substr(0, outcome.out.find('.'));
  const std::string bytes = read_file(directory.file("shaders") + "/" + shader.digest + ".spv");
  shader.words.resize(bytes.size() / 4);
  std::memcpy(shader.words.data(), bytes.data(), shader.words.size() * 4);
  return shader;
}

// A capture with this word changed.
std::string changed(const Recording& capture, const Shader& shader, std::size_t word, std::uint32_t value,
                    const TemporaryDirectory& directory) {
  const std::string path = directory.file("changed-" + std::to_string(word) + ".rondo");
  Command command;
  command.arguments = {build_root() + "/tests/scenarios/change-shader",
                       capture.path,
                       path,
                       shader.digest,
                       std::to_string(word),
                       std::to_string(value)};
  const Outcome outcome = run(command);
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  return path;
}

// Where the last word of `OpDecorate … DescriptorSet …` is.
std::size_t set_word(const Shader& shader) {
  constexpr std::uint32_t kDecorate = 4 << 16 | 71, kDescriptorSet = 34;
  for (std::size_t at = 5; at < shader.words.size() && shader.words[at] >> 16 != 0; at += shader.words[at] >> 16)
    if (shader.words[at] == kDecorate && shader.words[at + 2] == kDescriptorSet) return at + 3;
  FAIL("the shader has no descriptors");
  return 0;
}

void is_refused(const Outcome& outcome, const std::string& name, const std::string& says) {
  INFO(outcome.both());
  CHECK(outcome.status == kUnreadable);
  CHECK(is_one_line(outcome, name));
  CHECK(outcome.err.find(says) != std::string::npos);
  CHECK(outcome.err.find("--trust") != std::string::npos);
}

// By all that give shaders to a driver.
void is_refused_by_all(const std::string& path, const std::string& says, const TemporaryDirectory& directory) {
  for (const std::string& driver : {lavapipe, lavapipe25, swiftshader}) {
    if (!no_driver(driver).empty()) continue;
    INFO(driver);
    is_refused(player({path}, driver), "player", says);
    is_refused(player({"--verify", path}, driver), "player", says);
    is_refused(player({"--loop", "2", path}, driver), "player", says);
  }
  is_refused(rondo({"trim", "--submits", "1:2", path, "-o", directory.file("cut.rondo")}), "rondo", says);
  is_refused(rondo({"extract", "--buffers", path, "-o", directory.file("buffers")}), "rondo", says);
  for (const std::string& name : files_in(directory.path())) CHECK(name != "cut.rondo");
}

}  // namespace

SCENARIO("a shader whose header is changed is given to no driver", "[hostile-shaders]") {
  const Recording& capture = captured({program("compute")}, {.checkpoints = "submit"});
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const Shader shader = shader_of(capture, directory);
  constexpr std::size_t kBound = 3;
  const std::string path = changed(capture, shader, kBound, 0xffffffff, directory);
  is_refused_by_all(path, "VkShaderModule#0 is not valid SPIR-V: Invalid SPIR-V.  The id bound is larger", directory);
}

SCENARIO("a shader that uses a set which its layout lacks is given to no driver", "[hostile-shaders]") {
  const Recording& capture = captured({program("compute")}, {.checkpoints = "submit"});
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const Shader shader = shader_of(capture, directory);
  const std::string path = changed(capture, shader, set_word(shader), 1, directory);
  is_refused_by_all(path, "VkPipeline#0.compute uses set 1 binding 1, and its pipeline layout has no set 1", directory);
}

SCENARIO("a copy with sound shaders is played, and one that is trusted is played whatever its shaders are",
         "[hostile-shaders]") {
  const Recording& capture = captured(without_checks({program("compute")}), {.checkpoints = "submit", .driver = fake});
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const Shader shader = shader_of(capture, directory);
  const std::string same = changed(capture, shader, 3, shader.words[3], directory);
  const Outcome copy = player({same, "--report", directory.file("copy.json")}, fake);
  INFO(copy.both());
  CHECK(copy.status == 0);
  CHECK(copy.out.find("--trust") == std::string::npos);
  const Json report = Json::parse(read_file(directory.file("copy.json")));
  CHECK(report.at("/shaders/checked") == "1");
  // The fake driver compiles nothing, and does not look at the bound of ids.
  const std::string other = changed(capture, shader, 3, 2, directory);
  CHECK(player({other}, fake).status == kUnreadable);
  const Outcome trusted = player({"--trust", other}, fake);
  INFO(trusted.both());
  CHECK(trusted.status == 0);
  CHECK(trusted.out.find("VkShaderModule#0 is not valid SPIR-V") != std::string::npos);
  CHECK(trusted.out.find("(played: the capture is trusted)") != std::string::npos);
  CHECK(player({"--trust", "--quiet", other}, fake).out.empty());
}
