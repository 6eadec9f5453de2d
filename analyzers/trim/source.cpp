// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/source.h"

#include <algorithm>
#include <span>

#include "format/needed_files.h"
#include "format/new_file.h"

namespace rondo::trim {

namespace {

constexpr std::size_t kReaderBudget = std::size_t{128} << 20;  // of decompressed data

}  // namespace

Result<std::unique_ptr<Reader>> open_reader(const Options& options) {
  auto reader = Reader::open(options.file, {.files = options.files});
  if (!reader) return reader;
  RONDO_TRY((*reader)->check_files());
  std::uint64_t largest = 0;
  if (!(*reader)->files().empty())
    for (const BlobInfo& blob : (*reader)->blobs()) largest = std::max(largest, blob.bytes);
  for (const ChunkInfo& chunk : (*reader)->chunks()) largest = std::max(largest, chunk.header.raw_bytes);
  return Reader::open(options.file,
                      {.memory_budget = std::max<std::size_t>(kReaderBudget, 4 * static_cast<std::size_t>(largest)),
                       .files = options.files});
}

std::uint64_t bytes_of_records(const Options& options, std::uint64_t first, std::uint64_t last) {
  const auto reader = open_reader(options);
  std::uint64_t bytes = 0;
  if (reader)
    for (const ChunkInfo& chunk : (*reader)->chunks())
      if (chunk.header.first_sequence >= first && chunk.header.last_sequence < last && chunk.header.first_sequence != 0)
        bytes += chunk.header.stored_bytes;
  return bytes;
}

Result<void> check_output(const Options& options) {
  const auto readable = Reader::open(options.file, {.files = options.files});
  if (!readable) return tl::unexpected<Error>(readable.error());
  const NamedOutput output{NamedOutput::Kind::file, options.output, options.file};
  RONDO_TRY(spare_needed_files(**readable, std::span(&output, 1)));
  if (const auto possible = NewFile::create(options.output, options.file); !possible)
    return tl::unexpected<Error>(possible.error());
  return {};
}

}  // namespace rondo::trim
