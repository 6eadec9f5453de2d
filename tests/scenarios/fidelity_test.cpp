// SPDX-License-Identifier: Apache-2.0
// What docs/fidelity.md promises of replays on devices that answer otherwise.
#include <algorithm>
#include <catch2/catch.hpp>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

// Of a capture on the fake driver, whose calls may fail on demand.
Outcome replay_where(const std::string& settings, const std::string& name) {
  const Recording& capture = captured(without_checks({program(name)}), {.checkpoints = "readback", .driver = fake});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return player({capture.path}, fake, settings);
}

Outcome damaged(const std::string& damage, const std::string& name) {
  const Recording& capture = captured(without_checks({program(name)}), {.checkpoints = "readback", .driver = fake});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return player({"--verify", "--damage", damage, capture.path}, fake);
}

bool has(const Outcome& outcome, const std::string& text) { return outcome.err.find(text) != std::string::npos; }

}  // namespace

SCENARIO("a call that succeeded and fails in a replay is named with both results", "[fidelity]") {
  const Outcome first = replay_where("fail=vkCreateSampler:1:VK_ERROR_OUT_OF_HOST_MEMORY", "samplers");
  INFO(first.both());
  CHECK(first.status == 1);
  CHECK(has(first, ": record "));
  CHECK(has(first,
            "vkCreateSampler returned VK_ERROR_OUT_OF_HOST_MEMORY, in the capture VK_SUCCESS; nothing had been "
            "submitted"));
  const Outcome later = replay_where("fail=vkQueueSubmit:2:VK_ERROR_DEVICE_LOST", "command_buffers");
  INFO(later.both());
  CHECK(later.status == 1);
  CHECK(has(later, "vkQueueSubmit returned VK_ERROR_DEVICE_LOST, in the capture VK_SUCCESS; the last submit was 0"));
}

SCENARIO("a driver that crashes is one line, with the record, and no signal", "[fidelity]") {
  const std::string signal = GENERATE("SIGSEGV", "SIGABRT");
  const Outcome outcome = replay_where("fail=vkQueueSubmit:2:" + signal, "command_buffers");
  INFO(outcome.both());
  CHECK(outcome.status == 1);
  const std::size_t said = outcome.err.find(": the driver crashed in record ");
  REQUIRE(said != std::string::npos);
  CHECK(outcome.err.find("(" + signal + " in libfake_icd.so); a debugger shows where\n", said) != std::string::npos);
  CHECK(outcome.err.starts_with("player: "));
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}

SCENARIO("a call of the player's own that fails is named with its record", "[fidelity]") {
  const Outcome zeroing = replay_where("fail=vkCreateCommandPool:1:VK_ERROR_OUT_OF_HOST_MEMORY", "triangle");
  INFO(zeroing.both());
  CHECK(zeroing.status == 1);
  CHECK(has(zeroing, ": record "));
  CHECK(has(zeroing, "vkAllocateMemory: zeroing VkDeviceMemory#0: vkCreateCommandPool"));
}

SCENARIO("what the capture saw reached is waited for on a device that takes longer", "[fidelity]") {
  if (!no_readback(fake).empty()) SKIP_SCENARIO(no_readback(fake));
  const std::string name = GENERATE("timeline", "events", "queries", "fences");
  const std::string settings = GENERATE("delay-us=3000", "lazy=1");
  const Recording& capture = captured(without_checks({program(name)}), {.checkpoints = "readback", .driver = fake});
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({"--verify", capture.path}, fake, settings);
  INFO(name << " with " << settings << '\n' << outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "[a-z -]+").equal > 0);
}

SCENARIO("slow work is waited for beside work that a later record lets go on", "[fidelity]") {
  const Recording& capture = captured({program("timeline"), "--held", "1"}, {.checkpoints = "none", .driver = fake});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({capture.path}, fake, "delay-us=1200000");
  INFO(outcome.both());
  CHECK(outcome.status == 0);
}

SCENARIO("a query that is never ready ends the replay when all work is finished", "[fidelity]") {
  const Outcome outcome = damaged("drop:vkCmdWriteTimestamp#0", "queries");
  INFO(outcome.both());
  CHECK(outcome.status == 1);
  CHECK(has(outcome, "vkGetQueryPoolResults"));
}

SCENARIO("a resource at an offset that is not aligned is placed where it may be", "[fidelity]") {
  if (!no_readback(fake).empty()) SKIP_SCENARIO(no_readback(fake));
  const Outcome outcome = damaged("corrupt:vkBindImageMemory#0:memoryOffset=1", "triangle");
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "[a-z -]+").equal > 0);
}

SCENARIO("rendering to no layers is rendering to one", "[fidelity]") {
  if (!no_readback(fake).empty()) SKIP_SCENARIO(no_readback(fake));
  const Outcome outcome = damaged("corrupt:vkCmdBeginRendering#0:layerCount=0", "dynamic");
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "[a-z -]+").equal > 0);
}

SCENARIO("a device of other queue families plays what they offer", "[fidelity]") {
  const Recording& capture = captured(without_checks({program("rewrite")}));  // of one family
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({capture.path}, fake);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
}

SCENARIO("all that a device lacks is listed", "[fidelity]") {
  const Recording& queues = captured(without_checks({program("queues")}), {.driver = fake});
  REQUIRE(queues.run.status == 0);
  const Outcome families = player({queues.path});
  INFO(families.both());
  CHECK(families.status == 4);
  CHECK(has(families, "a queue family of its own with 2 queues for compute (captured family 1)"));
  CHECK(has(families, "a queue family of its own with 2 queues for graphics+compute (captured family 0)"));
  const Recording& planes = captured(without_checks({program("planes")}), {.driver = fake});
  REQUIRE(planes.run.status == 0);
  const Outcome formats = player({planes.path});
  INFO(formats.both());
  CHECK(formats.status == 4);
  CHECK(has(formats, "VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM in the captured tiling, usage and flags"));
  CHECK(has(formats, "extension VK_KHR_sampler_ycbcr_conversion"));
  CHECK(has(formats, "feature VkPhysicalDeviceSamplerYcbcrConversionFeatures::samplerYcbcrConversion"));
}

SCENARIO("formats that a device does not read from buffers are listed", "[fidelity]") {
  if (!no_driver(swiftshader).empty()) SKIP_SCENARIO(no_driver(swiftshader));
  const Recording& texels = captured({program("chapters/texel_formats")});
  REQUIRE(texels.run.status == 0);
  const Outcome outcome = player({texels.path}, swiftshader);
  INFO(outcome.both());
  CHECK(outcome.status == 4);
  CHECK(has(outcome, "VK_FORMAT_R32G32B32_UINT for uniform texels of a buffer"));
}

SCENARIO("a device that differs from itself is told from a replay that differs from the capture", "[fidelity]") {
  const TemporaryDirectory directory;
  const auto verify = [&](const std::string& name, const Words& damage) {
    const Recording& capture = captured({program(name)}, {.checkpoints = "submit"});
    REQUIRE(capture.run.status == 0);
    Words words{"--verify", "--report", directory.file("report.json"), capture.path};
    words.insert(words.begin(), damage.begin(), damage.end());
    return player(words);
  };
  const auto reported = [&](const std::string& member) {
    return Json::parse(read_file(directory.file("report.json"))).at("/verification/again/" + member);
  };
  WHEN("a shader copies times of the device") {
    const Outcome outcome = verify("varying/stamps", {});
    INFO(outcome.both());
    CHECK(outcome.status == 5);
    CHECK(has(outcome, "; a second replay found "));
    CHECK(has(outcome,
              ": there the device's own results differ from run to run; all that is stable is equal to the "
              "capture"));
    CHECK(std::stoi(reported("unstable")) > 0);
    CHECK(std::stoi(reported("compared")) > std::stoi(reported("unstable")));
    CHECK(reported("stable_different") == "0");
    CHECK(reported("first_stable_difference") == "null");
  }
  WHEN("something else differs beside that") {
    const Outcome outcome = verify("varying/stamps", {"--damage", "drop:vkCmdFillBuffer#0"});
    INFO(outcome.both());
    CHECK(outcome.status == 5);
    CHECK(has(outcome, " otherwise than the first, the first at "));
    CHECK(has(outcome, "; 2 that are stable differ from the capture, the first at "));
    CHECK(reported("stable_different") == "2");
  }
  WHEN("each replay is the same") {
    const Outcome outcome = verify("compute", {"--damage", "drop:vkCmdDispatch#3"});
    INFO(outcome.both());
    CHECK(outcome.status == 5);
    CHECK(has(outcome, "; a second replay found all "));
    CHECK(has(outcome, " as the first did: the replay is stable there"));
    CHECK(reported("unstable") == "0");
    CHECK(std::stoi(reported("stable_different")) > 0);
  }
}
