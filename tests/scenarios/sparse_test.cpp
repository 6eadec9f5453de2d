// SPDX-License-Identifier: Apache-2.0
// Sparse resources, on the driver that has them.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

Words binds() { return {program("sparse_binds")}; }

const Recording& with_submits() {
  return captured({program("sparse_binds"), "--rounds", "4"}, {.checkpoints = "submit", .driver = lavapipe25});
}

}  // namespace

SCENARIO("pages of sparse resources replay bit for bit, bound again and again", "[sparse]") {
  if (const std::string why = cannot_run(binds(), lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  replays_bit_for_bit({program("sparse_binds")},
                      {.submits = 14,
                       .driver = lavapipe25,
                       .least_compared = 0.4,
                       .not_compared_because = "a driver need not bind imported memory sparsely",
                       .least_parts = 0.5});
}

SCENARIO("what an iteration bound to other pages is bound back", "[sparse]") {
  if (const std::string why = cannot_run(binds(), lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = with_submits();
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  // Of the buffer, by a binary semaphore and by a timeline; of tiles of an image.
  for (const char* span : {"2:4", "3:5", "2:6", "10:14"}) {
    INFO(span);
    const Outcome looped = player({"--submits", span, "--loop", "3", "--verify", capture.path}, lavapipe25);
    INFO(looped.both());
    CHECK(looped.status == 0);
    const Outcome without =
        player({"--submits", span, "--loop", "3", "--verify", "--leave-out", "sparse", capture.path}, lavapipe25);
    INFO("without: " << without.both());
    CHECK(without.status == kDifferent);
  }
}

SCENARIO("a device that binds no pages is refused, with what it lacks", "[sparse]") {
  if (const std::string why = cannot_run(binds(), lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = with_submits();
  const Outcome refused = player({"--verify", capture.path}, lavapipe);
  INFO(refused.both());
  CHECK(refused.status == kDevice);
  for (const char* lacks : {"sparseBinding", "sparseResidencyImage2D", "graphics+compute+sparse binding"})
    CHECK(refused.err.find(lacks) != std::string::npos);
}

SCENARIO("device addresses of sparse buffers are told of, and refused by name", "[sparse]") {
  const Words words = {program("sparse_binds"), "--address", "1"};
  if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = captured(words, {.checkpoints = "readback", .driver = lavapipe25});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  CHECK(capture.run.err.find("a sparse buffer may be asked for its device address") != std::string::npos);
  const Outcome refused = player({"--verify", capture.path}, lavapipe25);
  INFO(refused.both());
  CHECK(refused.status == kDevice);
  CHECK(refused.err.find("device address") != std::string::npos);
}

SCENARIO("a program that enables sparse binding and does without it plays on a device that has none", "[sparse]") {
  const Words words = {program("sparse"), "--enable", "1"};
  if (const std::string why = cannot_run(words, lavapipe25); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = captured(words, {.checkpoints = "readback", .driver = lavapipe25});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  for (const std::string& driver : {lavapipe25, lavapipe}) {
    const Outcome outcome = player({"--verify", capture.path}, driver);
    INFO(driver << ": " << outcome.both());
    CHECK(outcome.status == 0);
  }
}
