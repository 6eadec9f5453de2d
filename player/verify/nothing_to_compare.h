// SPDX-License-Identifier: Apache-2.0
// Why a capture has no checkpoint to verify with, in words: by what it was asked to keep.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::player {

// What the session of a capture says of itself.
struct CapturedWith {
  std::string checkpoints;  // as RONDO_CHECKPOINTS names them; empty: it does not say
  bool cut = false;         // by `rondo trim`, out of another one
};

CapturedWith captured_with(const std::vector<std::string>& sessions);

// Of a capture that asked for checkpoints and has none: the reason, and which checkpoints would find
// something.
std::string nothing_to_compare(const CapturedWith& with, std::uint64_t submits);

}  // namespace rondo::player
