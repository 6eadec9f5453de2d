// SPDX-License-Identifier: Apache-2.0
// Reads a capture: complete, finished, or cut (no index and footer, an open
// spool). Nothing of the file is trusted: every length, count and offset is
// checked before it is used, and memory stays within a budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/container.h"
#include "format/digest.h"
#include "format/external_files.h"
#include "format/result.h"

namespace rondo {

// One record of the one total order, its second part joined to it.
struct Record {
  std::uint64_t sequence = 0;
  std::uint64_t file_offset = 0;  // of the chunk that holds it, for messages
  std::uint32_t thread = 0;
  std::uint16_t command = 0;  // file id: see Dictionary
  std::uint16_t flags = 0;    // RecordFlags
  bool has_return = false;    // false on a two-part call whose process died inside it
  bool has_times = false;
  std::int64_t return_value = 0;  // VkResult, VkBool32, device address, …
  std::uint64_t start_ns = 0;     // CLOCK_MONOTONIC
  std::uint64_t end_ns = 0;
  std::span<const std::byte> payload;  // valid until the next call of next()
};

// File ids to names, as the writer had them.
struct DictionaryRow {
  DictionaryKind kind;
  std::uint16_t id;
  std::uint64_t encoding_hash;
  std::string name;
};

struct BlobInfo {
  Digest digest;
  std::uint64_t bytes = 0;
};

std::size_t machine_memory();  // bytes; 4 GiB where that cannot be told

struct ReaderOptions {
  std::size_t memory_budget = 0;  // bytes of decompressed data held at once; 0: half of the machine's
  bool salvage = false;           // accept a cut or damaged file: records up to the first gap or damage
  FileAccess files = {};          // which files outside the capture may be opened for blobs that lie in them
};

struct ChunkInfo {
  ChunkHeader header;
  std::uint64_t offset;
};

class Reader {
 public:
  // Fails with Status::unreadable naming the file, the offset and the remedy.
  // Without `salvage` a cut file still opens (for `info` and `dump`), with
  // complete() false; only records before the first gap are delivered.
  static Result<std::unique_ptr<Reader>> open(const std::string& path, const ReaderOptions& options = {});
  virtual ~Reader() = default;

  virtual const std::string& path() const = 0;
  virtual std::uint64_t file_bytes() const = 0;
  virtual const FileHeader& header() const = 0;
  virtual bool complete() const = 0;  // has index and footer
  // Not complete only because its end is missing: `rondo finish` closes it.
  virtual bool can_be_finished() const = 0;
  virtual std::optional<Footer> footer() const = 0;
  virtual const std::string& cut_reason() const = 0;  // why it is not complete, or what salvage dropped
  virtual bool names_lost() const = 0;                // a part of the dictionary was dropped: it is damaged
  virtual const std::vector<ChunkInfo>& chunks() const = 0;
  virtual const std::vector<DictionaryRow>& dictionary() const = 0;
  virtual const std::vector<std::string>& sessions() const = 0;  // JSON texts
  virtual std::vector<BlobInfo> blobs() const = 0;
  virtual std::uint64_t gaps() const = 0;  // numbers missing between 1 and the last

  // Records in sequence order. nullopt at the end. Every chunk's checksum is
  // verified before its records are delivered; a corrupt one is an error
  // (with salvage: the end).
  virtual Result<std::optional<Record>> next() = 0;
  virtual Result<void> rewind() = 0;

  // A blob's bytes, checked against its digest: an error (unreadable) names
  // the digest and chunk offset. Cached within the budget; the shared pointer
  // keeps it alive. One that lies in a file that may not be opened, is not there or has
  // other bytes now is an error of Status::external_file with the remedy.
  using Bytes = std::shared_ptr<const std::vector<std::byte>>;
  virtual Result<Bytes> blob(const Digest& digest) = 0;

  // The files outside it, by their numbers, and how much of it lies in each.
  virtual std::vector<ExternalFile> files() const = 0;
  virtual const FileAccess& file_access() const = 0;  // as it was opened with
  // Opens all of them that are not embedded and holds them against what the capture says: those by their digests,
  // and those that were remapped, by reading what is used of them. The first that is wrong is the error
  // (external_file).
  virtual Result<void> check_files() = 0;

  // Reads every chunk of the data region whole (a spool may change under us): what is wrong with those that
  // are damaged, a sentence each that names file and offset.
  virtual std::vector<std::string> damaged_chunks() const = 0;
};

// Closes a cut capture in place: compresses the spool, writes dictionary,
// index and footer, drops what lies behind. `exit_signal` as in Footer. A file
// that is complete already is left as it is (returns false). Numbers missing
// are counted in Footer::gaps. Refused while another process holds the file
// open for recording (the recorder holds an flock on it).
Result<bool> finish_capture(const std::string& path, int exit_signal);

}  // namespace rondo
