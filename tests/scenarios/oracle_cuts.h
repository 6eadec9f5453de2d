// SPDX-License-Identifier: Apache-2.0
// What the oracle kept of a cut (`rondo trim`), and of the whole capture, played up to where the cut begins
// and to where it ends. A cut has no more than its part may read, and the rest of its memory is zeros: so
// bytes are compared, not digests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "oracle.h"

namespace scenario {

// An allocation that the player makes for a call, told by the capture alone.
struct MadeForCall {
  std::string object;      // "VkDeviceMemory#3", "VkSwapchainKHR#0, image 1"
  std::uint64_t size = 0;  // 0: the capture does not say
};

struct OracleReplay {
  std::vector<OracleAllocation> allocations;
  std::string contents;  // the directory that has them

  // In this order. All others are the player's own, for contents that are put back: behind so many of these.
  std::vector<MadeForCall> made;
  std::size_t made_before = 0;
};

struct CutMemory {
  int allocations = 0;                   // of the cut
  int equal = 0;                         // of these, in every byte
  std::uint64_t bytes_equal = 0;         // and not zero
  std::uint64_t bytes_left_out = 0;      // zero in the cut alone; in the whole the same at its begin and its end
  std::uint64_t bytes_different = 0;     // all others: these are wrong
  std::vector<std::string> differences;  // allocations with such bytes
  std::vector<std::string> problems;     // nothing to compare with, not freed, not read

  // Whatever is there is right, and something is.
  bool is_right() const { return differences.empty() && problems.empty() && bytes_equal != 0; }
  std::string text() const;
};

// Each allocation of the cut beside the whole's for the same object, at its end and, where it had one, at its
// begin. Allocations that the cut leaves out are no fault.
CutMemory compare_cut(const OracleReplay& begin, const OracleReplay& end, const OracleReplay& cut);

// Replays all three. `damage`: of the cut's replay, the player's --damage.
CutMemory memory_of_cut(const std::string& whole, const std::string& cut, const std::string& driver = lavapipe,
                        const std::string& damage = "");

}  // namespace scenario
