// SPDX-License-Identifier: Apache-2.0
// Commands that a device makes of what it finds in memory, on a driver that has them:
// device addresses, push constants and indices of pipelines lie there.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

void replays(const char* name, int submits) {
  const Words words{program(name)};
  if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  replays_bit_for_bit(words, {.submits = submits,
                              .driver = lavapipe25,
                              .not_validated_because = "the validation layer here does not know them"});
}

}  // namespace

SCENARIO("dispatches that a device makes replay bit for bit", "[generated-commands]") {
  replays("generated_dispatches", 4);
}

SCENARIO("draws that a device makes, of addresses that lie in memory, replay bit for bit",
         "[generated-commands]") {
  replays("generated_draws", 7);
}

SCENARIO("flags that a chained structure says instead of the member replay bit for bit",
         "[generated-commands]") {
  replays("maintenance5", 3);
}
