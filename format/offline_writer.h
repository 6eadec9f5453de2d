// SPDX-License-Identifier: Apache-2.0
// Writes a capture from records that are there already, one after the other: no spool, no threads. The file is whole
// or not there (new_file.h). One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "format/check.h"
#include "format/columns.h"
#include "format/data_region.h"
#include "format/new_file.h"
#include "format/reader.h"

namespace rondo {

class OfflineWriter {
 public:
  // `like`: a file whose owner and permissions a new one gets (NewFile). `names`: the dictionary, to which add_name()
  // adds; records bring its ids. Errors (Status::failed) name the file.
  static Result<std::unique_ptr<OfflineWriter>> create(const std::string& path, const std::string& like,
                                                       Compression codec, std::vector<DictionaryRow> names);

  // A record with everything it has; its number becomes the next one, from 1 on. Threads may have any numbers, and
  // keep their order of appearance. A two-part call and its result become one.
  Result<void> add(const Record& record);
  // Once for each digest.
  Result<void> add_blob(const Digest& digest, std::span<const std::byte> bytes);
  bool has_blob(const Digest& digest) const { return blobs_.count(digest) != 0; }
  Result<void> add_session(std::string_view json);
  // The id of this name, as the file has it.
  std::uint16_t add_name(DictionaryKind kind, std::string_view name, std::uint64_t encoding_hash);

  std::uint64_t last_sequence() const { return last_sequence_; }
  // Closes the file: its process ended so. Its size in bytes.
  Result<std::uint64_t> close(Ending ending = Ending::exited, std::int32_t exit_signal = 0);
  const std::string& path() const { return target_.temporary_path(); }  // until keep()
  // Puts a closed file where it belongs; without it nothing is left of it.
  Result<void> keep() { return target_.keep(); }
  Result<std::uint64_t> finish();  // both

 private:
  friend struct test::Tamper;
  OfflineWriter(NewFile target, Compression codec, std::vector<DictionaryRow> names);
  struct Stream {
    RecordColumns columns;
    std::uint32_t ordinal = 0;
    std::size_t bytes = 0;
    ChunkHeader header{};  // of the chunk that is being gathered
    std::uint64_t last_sequence = 0, last_time = 0;
  };
  Stream& stream_of(std::uint32_t thread, std::uint32_t& index);
  Result<void> flush(Stream& stream);
  Result<void> flush_blobs();
  Result<void> write_dictionary();
  Result<void> appended(int error) const;

  NewFile target_;
  std::vector<DictionaryRow> names_;
  std::vector<bool> used_ = std::vector<bool>(65536);  // commands, by id
  DataRegion region_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::uint32_t> threads_;  // parallel: their numbers in the source
  std::vector<std::byte> body_;         // reused
  std::vector<BlobEntry> blob_entries_;
  std::vector<std::byte> blob_bytes_;
  std::unordered_set<Digest> blobs_;
  std::uint32_t sessions_ = 0;
  std::uint64_t last_sequence_ = 0;
};

}  // namespace rondo
