// SPDX-License-Identifier: Apache-2.0
// What Vulkan 1.4 has in its core, by the core's names and without the extensions that
// it came from: programs that other scenarios run by those.
#include <catch2/catch.hpp>

#include "chapters.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {
const std::string kOlderLayer = "the validation layer here does not know Vulkan 1.4";
}  // namespace

CHAPTER("[vulkan14]", "images that the host copies to and from replay by the core of 1.4", .name = "host_image_copies",
        .not_validated_because = kOlderLayer, .not_compared_because = "memory of linear images cannot be imported here",
        .by_core_of_1_4 = true)

CHAPTER("[vulkan14]", "memory mapped by newer commands replays by the core of 1.4", .name = "mapped_again",
        .not_validated_because = kOlderLayer, .by_core_of_1_4 = true)

CHAPTER("[vulkan14]", "descriptors and constants of maintenance6 replay by the core of 1.4", .name = "second_forms",
        .not_validated_because = kOlderLayer, .by_core_of_1_4 = true)

CHAPTER("[vulkan14]", "attachments that are read while they are drawn to replay by the core of 1.4",
        .name = "local_reads", .not_validated_because = kOlderLayer, .by_core_of_1_4 = true)

CHAPTER("[vulkan14]", "states of newer versions replay by the core of 1.4", .name = "newer_states",
        .not_validated_because = kOlderLayer, .by_core_of_1_4 = true)

CHAPTER("[vulkan14]", "descriptors that are pushed replay by the core of 1.4", .name = "pushed_sets",
        .not_validated_because = kOlderLayer, .by_core_of_1_4 = true)

SCENARIO("flags wider than their members replay by the core of 1.4", "[vulkan14]") {
  const Words words = by_core_of_1_4({program("maintenance5")});
  if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  replays_bit_for_bit(words, {.submits = 4, .driver = lavapipe25, .not_validated_because = kOlderLayer});
}
