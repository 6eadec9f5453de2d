// SPDX-License-Identifier: Apache-2.0
// Ray tracing, on a driver that has it: device addresses lie in instances of
// acceleration structures, in shader binding tables and in indirect parameters.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "json.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

SCENARIO("addresses in top-level instances replay bit for bit", "[rays]") {
  const Words words{program("rays")};
  if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  replays_bit_for_bit({program("rays")}, {.submits = 12, .driver = lavapipe25});
}

SCENARIO("addresses in shader binding tables and in indirect parameters replay bit for bit", "[rays]") {
  const Words words{program("ray_pipelines")};
  if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  replays_bit_for_bit({program("ray_pipelines")}, {.submits = 4, .driver = lavapipe25});
}

SCENARIO("handles of many shader groups at once have to be the captured ones", "[rays]") {
  const Words words{program("ray_pipelines")};
  if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = captured(words, {.driver = lavapipe25});
  REQUIRE(capture.run.status == 0);
  for (const char* call : {"0", "1"}) {  // of 24 groups and of 4
    const Outcome outcome = player(
        {"--damage", std::string("corrupt:vkGetRayTracingShaderGroupHandlesKHR#") + call + ":pData", capture.path},
        lavapipe25);
    INFO(outcome.both());
    CHECK(outcome.status == 4);
    CHECK(outcome.err.find("a shader group has another handle here than in the capture") != std::string::npos);
  }
}

SCENARIO("addresses of acceleration structures are the same however host writes are found", "[rays]") {
  const Words words{program("rays")};
  if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  for (const char* way : {"shadow", "scan", "guard"}) {
    const Recording& capture = captured(words, {.memory = way, .driver = lavapipe25});
    INFO(way << "\n" << capture.run.both());
    REQUIRE(capture.run.status == 0);
    const Outcome outcome = player({capture.path}, lavapipe25);
    INFO(outcome.both());
    CHECK(outcome.status == 0);  // each address is asked for again
  }
}

SCENARIO("a device without ray tracing is refused, with what it lacks", "[rays]") {
  const Words words{program("rays")};
  if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = captured(words, {.driver = lavapipe25});
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({capture.path}, lavapipe);
  INFO(outcome.both());
  CHECK(outcome.status == 4);
  CHECK(outcome.err.find("VK_KHR_acceleration_structure") != std::string::npos);
}
