// SPDX-License-Identifier: Apache-2.0
// A capture with its chunks compressed otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "format/container.h"
#include "format/result.h"

namespace rondo {

struct Recompressed {
  std::uint64_t before = 0, after = 0;  // bytes of the files
};

// Writes what the complete capture `from` holds to `to`, each chunk by this codec (as it is where that makes it no
// smaller). Both may be one: `to` is there whole, or stays as it was. Numbers, digests and the capture's id are the
// same. `memory_budget` bounds one chunk; 0: half of the machine's memory. Fails (unreadable) where the capture is cut
// or damaged, naming the remedy; (failed) where `to` cannot be written.
Result<Recompressed> recompress(const std::string& from, const std::string& to, Compression codec,
                                std::size_t memory_budget = 0);

}  // namespace rondo
