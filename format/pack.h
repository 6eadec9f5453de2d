// SPDX-License-Identifier: Apache-2.0
// A capture that needs no files, of one that does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "format/external_files.h"
#include "format/result.h"

namespace rondo {

struct Packed {
  std::uint64_t before = 0, after = 0;  // bytes of the files
  std::uint64_t files = 0;              // whose bytes were taken in
  std::uint64_t blobs = 0;              // … into how many blobs
};

// Writes what the complete capture `from` holds to `to`, with the blobs that lie in files as blobs of its own,
// compressed by zstd. Both may be one: `to` is there whole, or stays as it was. Numbers, digests and the capture's id
// are the same. `memory_budget` bounds a chunk or a blob; 0: half of the machine's memory. Fails as Reader::blob does,
// (unreadable) where the capture is cut or damaged, (usage) where `to` is one of those files, (failed) where it cannot
// be written.
Result<Packed> pack(const std::string& from, const std::string& to, const FileAccess& access,
                    std::size_t memory_budget = 0);

}  // namespace rondo
