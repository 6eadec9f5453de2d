// SPDX-License-Identifier: Apache-2.0
// How a program waited: asleep in one call, or by asking again and again. Who polls
// takes a processor from everybody else, a driver's threads among them; a replay that
// is to need as long as the program polls, too.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "format/codec/schema.h"
#include "format/reader.h"

namespace rondo::player {

class Polls {
 public:
  // What lies further apart was slept through.
  static constexpr std::uint64_t kMostNs = 50'000;

  // To be given every record of the program in order. Of a call that found ready what the
  // same call on its thread, with nothing between, had twice found not to be: nanoseconds
  // from the end of the first of these to the start of the second, if not more than
  // kMostNs. 0: of any other.
  std::uint16_t take(const Record& record, const codec::CommandInfo& command);

 private:
  struct Poll {
    std::uint16_t command = 0;
    std::vector<std::byte> payload;
    std::uint64_t end_ns = 0;
    std::uint64_t apart_ns = 0;  // 0: asked once
  };
  std::unordered_map<std::uint32_t, Poll> last_;  // by thread, of those whose last record is one
};

}  // namespace rondo::player
