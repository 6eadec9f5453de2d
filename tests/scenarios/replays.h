// SPDX-License-Identifier: Apache-2.0
// What holds for every program that ends as it should: one call a scenario.
#pragma once

#include "fixture.h"

namespace scenario {

struct Expectations {
  int submits = -1;                      // batches, as the program makes them; -1: not counted
  int status = 0;                        // the program's own
  bool prints_the_same = true;           // with and without a recorder
  std::string driver = lavapipe;         // or fake
  std::string settings = {};             // of the fake driver, while the program runs
  std::string replay_settings = {};      // and while the player does
  std::string checkpoints = "readback";  // or present: of swapchain images
  // Why the program cannot have any; empty: it has some.
  std::string no_checkpoints = {};
  // Memory ranges without a checkpoint (at most), and why: work that is pending
  // when a wait succeeds, or a thread that writes meanwhile.
  int not_compared = 0;
  double least_compared = 0;  // the share that is compared at least, where that is all that can be said
  std::string not_compared_because = {};
  // Why the program frees no memory at all, so that nothing is compared; empty: it frees some.
  std::string frees_nothing_because = {};
  std::string allocates_nothing_because = {};  // likewise
  std::string memory_differs_because = {};     // why what it leaves cannot be the same bytes; empty: it is
  double least_parts = 0;                      // the share of what its submits write that is compared at least
  // Why its submits write nothing that can be read; empty: they do.
  std::string no_contents_because = {};
  // Why the validation layer here cannot judge the replay; empty: it can.
  std::string not_validated_because = {};
  // Why its work cannot be looped, in the player's words; empty: it can.
  std::string not_looped_because = {};
  // What the validation layer says, for the program itself does so; empty: nothing.
  std::string draws_message = {};
};

// Only the last of what follows: every allocation that the program frees has the
// same contents in a replay, as the oracle sees it.
void leaves_the_same_memory(const Words& words, const Expectations& expected = {});

// Inside a SCENARIO: captures with checkpoints, then info, dump,
// --verify, --verify --loop 3 and --validate, another with checkpoints of submits, a capture and two replays in
// one player under the oracle: each a section of its own.
void replays_bit_for_bit(const Words& words, const Expectations& expected = {});

}  // namespace scenario
