// SPDX-License-Identifier: Apache-2.0
// How a proof has captures played. Whoever asks for a proof gives it: analyzers/commands starts the player, tests
// pretend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzers/measure/run_results.h"
#include "format/result.h"

namespace rondo::prove {

// Where a replay found something else first.
struct Difference {
  std::string object;                   // "VkBuffer#7", "VkImage#2 mip 0 layer 1 pixel (3, 4)"
  std::optional<std::uint64_t> byte;    // the first one that differs: in the buffer or memory
  std::optional<std::uint64_t> submit;  // the last one before the comparison; nothing: there was none
};
// Of a sentence of the player's report (/verification/first_difference): "record 80 (frame 0, after submit 3, record
// 60): VkBuffer#7 bytes 0 to 64: bytes 4 to 8: captured 00000000, replayed 01000000; …". What it does not say so is
// left out; then `object` may be empty.
Difference parse_difference(const std::string& sentence);

// What a replay that compares said.
struct Played {
  enum class End {
    same,       // all that was compared is as captured, in each loop
    different,  // some is not
    nothing,    // nothing could be compared: `error` says why
    failed,     // it did not come to its end: `error` says why
  } end = End::failed;
  std::string error = {};    // of the player, one line
  bool is_unstable = false;  // a second replay left other bytes than the first: the device differs from itself
  Difference first = {};     // of End::different
  std::string devices = {};  // that it was played on, with commas between them
};

class Plays {
 public:
  virtual ~Plays() = default;
  // Plays the capture, or an edited one, `loops` times, and compares each time. Fails where no player can be started,
  // or the user has interrupted it.
  virtual Result<Played> compare(const std::string& capture, bool is_edited, std::uint64_t loops) = 0;
  // The times of a run that compares nothing. Nothing: it failed.
  virtual Result<std::optional<analyzers::RunResults>> time(const std::string& capture, bool is_edited) = 0;
  // A path for an edited capture. What is there goes with this object.
  virtual Result<std::string> path() = 0;
};

}  // namespace rondo::prove
