// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rondo::analyzers {

struct ReplayableOptions {
  bool just_recorded = false;                   // it may use the files that it names: its program did
  std::size_t memory = std::size_t{512} << 20;  // bytes; a capture that has or needs more is not looked at
  std::uint64_t until = UINT64_MAX;             // the last record that is looked at, by its sequence number
};

// Why no player replays a capture, on whatever device: a record, and what is wrong with it. Empty: nothing is
// known to be. That is so, too, where the capture is cut, lacks files or needs too much memory: others say
// that.
std::string why_not_replayable(const std::string& path, const ReplayableOptions& options = {});

}  // namespace rondo::analyzers
