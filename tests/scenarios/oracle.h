// SPDX-License-Identifier: Apache-2.0
// What the test layer of tests/oracle said of two processes, and whether it is
// the same. The layer writes nothing but facts; every judgement is here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fixture.h"

namespace scenario {

struct OracleAllocation {
  std::uint64_t number = 0;  // in order of allocation, from 1
  std::uint64_t size = 0;
  std::uint32_t type = 0;
  bool bound = false;  // a buffer or image lived in it
  bool freed = false;
  std::string digest;       // of its contents when it was freed; empty: not read
  std::uint64_t bytes = 0;  // of contents, without the zeros at the end
  std::string file;         // the name of that with the contents, where they are kept
  std::string problem;      // why it was not zeroed or not read

  // Nothing ever lived there and nobody wrote to it (the capture layer's probe
  // of what a driver can import looks like this): says nothing about contents.
  bool untouched() const { return freed && !bound && bytes == 0 && !digest.empty(); }
};

// The process that reported first. Throws at a line that it does not know.
std::vector<OracleAllocation> parse_oracle_report(const std::string& text);

struct OracleResult {
  int equal = 0;                         // allocations that both freed, with the same contents
  std::vector<std::uint64_t> leaked;     // sizes of what the captured program never freed
  std::vector<std::string> differences;  // freed in the capture, and not like that in the replay
  std::vector<std::string> problems;     // too much or too little in the replay, or not read
  std::string text() const;
};

// Both lists, sorted, are the same once what the program leaked (the player
// frees it) and the images of virtual swapchains (the driver's own in the
// capture) are taken off the replay's: exactly as many as there are.
OracleResult compare_oracle(const std::vector<OracleAllocation>& captured,
                            const std::vector<OracleAllocation>& replayed, int virtual_images);

// A replay of `recording`, which was captured with CaptureOptions::oracle, and
// the comparison. `settings`: of the fake driver; `damage`: the player's --damage;
// `runs`: as often within one player, each of them to leave the same memory.
struct OracleRun {
  Outcome outcome;  // of the player
  OracleResult result;
};
OracleRun replay_under_oracle(const Recording& recording, const std::string& driver = lavapipe,
                              const std::string& settings = "", const std::string& damage = "", int runs = 1);

}  // namespace scenario
