// SPDX-License-Identifier: Apache-2.0
// Finds the bytes of blobs in files: a checksum of each block of the files, on multiples of its size, is held against
// one that is rolled over the blob. What is found is compared, and made longer to both sides as far as the bytes are
// the same. Any run of the file's bytes that has one whole block of it is found so, wherever it lies in the blob;
// blocks that are one byte repeated are passed over. Files are read by pread: one that is cut off meanwhile is an end,
// and no signal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/external_files.h"

namespace rondo {

class FileMatcher {
 public:
  static constexpr std::size_t kBlock = 4096;
  // Of a larger file every second block is in the table, then every fourth, eighth: a run of it is found that is
  // a block longer than what lies between two.
  static constexpr std::uint64_t kEveryBlock = std::uint64_t{1} << 30;
  static constexpr std::uint64_t kMostSteps = 8;
  static constexpr std::size_t kMostBlocks = std::size_t{1} << 21;  // of all files; 32 to 64 bytes a block

  // Reads the whole file. Its number (from 0, in the order of the calls); nothing where it cannot be read, changes
  // meanwhile, or there is no room left in the table.
  std::optional<std::uint32_t> add(OpenedFile file);
  std::size_t files() const { return files_.size(); }
  const OpenedFile& file(std::uint32_t number) const { return files_[number].file; }
  const FileIdentity& identity(std::uint32_t number) const { return files_[number].identity; }

  // The blob in pieces, one behind the other: those in a file (of at least a block), and between them those in none.
  // Empty: nothing of it is in a file. A file that is another one than when it was added counts no more.
  std::vector<FilePiece> find(std::span<const std::byte> blob);
  // Closes all files, but none that somebody else has opened under a number of theirs.
  void close();
  bool still(std::uint32_t number);  // it is what it was when it was added

 private:
  struct Indexed {
    OpenedFile file;
    FileIdentity identity;
    bool gone = false;
  };
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t file = kInNoFile;  // the slot is free
    std::uint32_t block = 0;
  };

  void insert(std::uint64_t hash, std::uint32_t file, std::uint32_t block);
  void grow();
  std::size_t first_slot(std::uint64_t hash) const;
  std::size_t filter_bit(std::uint64_t hash) const;
  // The longest run around blob[at] that is in a file: not in front of `begin`. bytes is 0 where there is none.
  struct Run {
    std::size_t begin = 0;
    FilePiece piece{};
  };
  Run run_at(std::span<const std::byte> blob, std::size_t at, std::size_t begin, std::uint64_t hash);

  std::vector<Indexed> files_;
  std::vector<Slot> slots_;            // a power of two, at most half of them in use
  std::vector<std::uint64_t> filter_;  // 16 bits a block that there is room for
  int filter_shift_ = 0;
  std::size_t used_ = 0;
  std::vector<std::byte> buffer_;  // of a file, to be compared
};

}  // namespace rondo
