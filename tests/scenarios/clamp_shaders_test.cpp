// SPDX-License-Identifier: Apache-2.0
// --clamp-shaders: shaders that read and write outside their arrays are kept in them, what does not is the
// same as without, and everything that is made so says it.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>

#include "fixture.h"
#include "json.h"
#include "replays.h"
#include "skip.h"
#include "trims.h"

using namespace scenario;

namespace {

std::string shader(const std::string& name) { return std::string(RONDO_TEST_SHADERS) + "/" + name + ".spv"; }

const Recording& recorded(const Words& words, const std::string& driver = lavapipe) {
  const Recording& capture = captured(words, {.checkpoints = "submit", .driver = driver});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

// With this shader in the place of the one of `compute`.
Outcome with_shader(const std::string& name, const Words& more, const std::string& driver) {
  Words words{"--verify", "--replace", "all@main=" + shader(name), recorded({program("compute")}, driver).path};
  words.insert(words.end(), more.begin(), more.end());
  return player(words, driver);
}

// The word of the second buffer that the program `outside` leaves at this index.
std::uint32_t word_of_result(const std::string& capture, const Words& more, std::size_t index) {
  const TemporaryDirectory directory;
  Words words{"extract", "--buffers", capture, "VkBuffer#1", "-o", directory.file("buffers")};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = rondo(words);
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  const Json json = Json::parse(read_file(directory.file("buffers") + "/buffers.json"));
  CHECK(json.at("/clamped_shaders") == (more.empty() ? "0" : "1"));
  const std::string bytes = read_file(directory.file("buffers") + "/VkBuffer-1.bin");
  REQUIRE(bytes.size() >= 4 * (index + 1));
  std::uint32_t word;
  std::memcpy(&word, bytes.data() + 4 * index, sizeof word);
  return word;
}

}  // namespace

SCENARIO("a shader that writes far outside its memory is kept in it", "[clamp-shaders]") {
  for (const std::string& driver : {lavapipe, lavapipe25, swiftshader}) {
    if (!no_driver(driver).empty()) continue;
    INFO(driver);
    const Outcome wild = with_shader("far-outside", {}, driver);
    INFO("wild: " << wild.both());
    if (driver != swiftshader) CHECK(wild.status == kFailed);  // SwiftShader keeps it in bounds itself
    const Outcome kept = with_shader("far-outside", {"--clamp-shaders"}, driver);
    INFO("kept: " << kept.both());
    CHECK(kept.status == 0);
    CHECK(kept.out.find("--clamp-shaders: clamped 1 of 1 different shaders\n") != std::string::npos);
  }
}

SCENARIO("a shader that reads past its array gets the array's last element", "[clamp-shaders]") {
  for (const std::string& driver : {lavapipe, lavapipe25, swiftshader}) {
    if (!no_driver(driver).empty()) continue;
    INFO(driver);
    CHECK(with_shader("next-member", {}, driver).status == kDifferent);
    const Outcome kept = with_shader("next-member", {"--clamp-shaders"}, driver);
    INFO(kept.both());
    CHECK(kept.status == 0);
  }
  const Recording& capture = recorded({program("outside")});
  CHECK(player({"--verify", capture.path}).status == 0);
  const Outcome other = player({"--verify", "--clamp-shaders", capture.path});
  INFO(other.both());
  CHECK(other.status == kDifferent);
  CHECK(other.err.find("VkBuffer#1") != std::string::npos);
  CHECK(other.err.find("as 32-bit numbers 1016 and 1015") != std::string::npos);
  CHECK(other.err.find("its shaders were clamped (--clamp-shaders)") != std::string::npos);
  CHECK(word_of_result(capture.path, {}, 63) == 1063);
  CHECK(word_of_result(capture.path, {"--clamp-shaders"}, 63) == 1015);
}

SCENARIO("a shader that reads past its array replays bit for bit", "[clamp-shaders]") {
  replays_bit_for_bit({program("outside")}, {.submits = 1});
}

SCENARIO("shaders that stay in their arrays do the same when they are clamped", "[clamp-shaders]") {
  const std::pair<const char*, const std::string&> programs[] = {
      {"compute", lavapipe},          {"rendering", lavapipe},   {"libraries", lavapipe},
      {"shared_shader", lavapipe},    {"multisample", lavapipe}, {"geometry", lavapipe},
      {"shader_objects", lavapipe25}, {"rays", lavapipe25},      {"ray_pipelines", lavapipe25}};
  for (const auto& [name, driver] : programs) {
    const Words words{program(name)};
    if (!no_driver(driver).empty() || !cannot_run(words, driver).empty()) continue;
    INFO(name);
    const Outcome outcome = player({"--verify", "--clamp-shaders", recorded(words, driver).path}, driver);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("--clamp-shaders: clamped ") != std::string::npos);
    CHECK(outcome.out.find("--clamp-shaders: clamped 0 ") == std::string::npos);
  }
}

SCENARIO("a shader that cannot be clamped is played, and counted with the reason", "[clamp-shaders]") {
  const Words words{program("addresses")};
  if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.json");
  const Outcome outcome =
      player({"--verify", "--clamp-shaders", "--report", report, recorded(words, lavapipe25).path}, lavapipe25);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("--clamp-shaders: clamped 0 of 1 different shaders; played unchanged: 1 (SPIRV-Tools: "
                         "Addressing model must be Logical") != std::string::npos);
  const Json json = Json::parse(read_file(report));
  CHECK(json.at("/clamped_shaders/clamped") == "0");
  CHECK(json.at("/clamped_shaders/unchanged/0/shaders") == "1");
  CHECK(json.at("/clamped_shaders/unchanged/0/why").find("Addressing model") != std::string::npos);
}

SCENARIO("a cut that was made with clamped shaders says so, and holds what they left", "[clamp-shaders]") {
  const Recording& capture = recorded({program("compute")});
  const Cut plain = cut(capture, {"--submits", "1:3"}), clamped = cut(capture, {"--submits", "1:3", "--clamp-shaders"});
  for (const Cut* one : {&plain, &clamped}) {
    INFO(one->run.both());
    REQUIRE(one->run.status == 0);
    cut_verifies(*one);
  }
  CHECK(clamped.run.out.find("--clamp-shaders: clamped 1 of 1 different shaders") != std::string::npos);
  const std::string says = "it was made by a replay with 1 shader clamped (--clamp-shaders)";
  CHECK(rondo({"info", clamped.path}).out.find(says) != std::string::npos);
  CHECK(rondo({"info", plain.path}).out.find(says) == std::string::npos);
  CHECK(Json::parse(rondo({"info", "--json", clamped.path}).out).at("/session/cut/clamped_shaders") == "1");
}

SCENARIO("times with clamped shaders are not compared with others", "[clamp-shaders]") {
  const Recording& capture = recorded({program("states"), "--state", "contents"});
  const TemporaryDirectory directory;
  const auto report = [&](const std::string& name, const Words& more) {
    Words words{"--loop", "4", "--report", directory.file(name), capture.path};
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(player(words).status == 0);
    return directory.file(name);
  };
  const auto benchmark = [&](const std::string& name, const Words& more) {
    Words words{"--benchmark",
                "--benchmark_format=json",
                "--benchmark_out=" + directory.file(name),
                "--benchmark_min_time=0.001",
                "--benchmark_repetitions=4",
                capture.path};
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(player(words).status == 0);
    return directory.file(name);
  };
  const auto compared = [](const std::string& before, const std::string& after) {
    return rondo({"compare-runs", before, after, "--threshold", "100000%"});
  };
  const auto are_refused = [&](const std::string& plain, const std::string& clamped) {
    for (const Outcome& outcome : {compared(plain, clamped), compared(clamped, plain)}) {
      INFO(outcome.both());
      CHECK(outcome.status == kUsage);
      CHECK(is_one_line(outcome, "rondo"));
      CHECK(outcome.err.find(clamped + ": its shaders were clamped (player --clamp-shaders), and those of " + plain) !=
            std::string::npos);
    }
    CHECK(compared(clamped, clamped).status == 0);
  };
  const std::string plain = report("plain.json", {}), clamped = report("clamped.json", {"--clamp-shaders"});
  CHECK(Json::parse(read_file(plain)).at("/clamped_shaders") == "null");
  CHECK(Json::parse(read_file(clamped)).at("/clamped_shaders/clamped") == "1");
  are_refused(plain, clamped);
  const std::string other = benchmark("b.json", {"--clamp-shaders"});
  CHECK(Json::parse(read_file(other)).at("/context/clamped_shaders") == "\"1 of 1\"");
  are_refused(benchmark("a.json", {}), other);
}

SCENARIO("a report of what ran out of time says that its shaders were clamped", "[clamp-shaders]") {
  const Recording& capture = captured(without_checks({program("compute")}), {.checkpoints = "submit", .driver = fake});
  REQUIRE(capture.run.status == 0);
  const TemporaryDirectory directory;
  const std::string report = directory.file("report.json");
  const Outcome outcome =
      player({"--timeout", "1", "--clamp-shaders", "--report", report, capture.path}, fake, "delay-us=60000000");
  INFO(outcome.both());
  CHECK(outcome.status == 7);
  CHECK(Json::parse(read_file(report)).at("/clamped_shaders/clamped") == "1");
}
