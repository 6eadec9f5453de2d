// SPDX-License-Identifier: Apache-2.0
#include "format/pack.h"

#include <cstring>
#include <utility>

#include "format/chunk_io.h"
#include "format/closing_advice.h"
#include "format/data_region.h"
#include "format/needed_files.h"
#include "format/new_file.h"
#include "format/reader.h"
#include "format/walk.h"

namespace rondo {

Result<Packed> pack(const std::string& from, const std::string& to, const FileAccess& access,
                    std::size_t memory_budget) {
  const std::size_t budget = memory_budget != 0 ? memory_budget : machine_memory() / 2;
  auto reader = Reader::open(from, {.memory_budget = budget, .files = access});
  if (!reader) return tl::unexpected<Error>(std::move(reader).error());
  if (!(*reader)->complete())
    return fail(Status::unreadable,
                from + ": is not complete (" + (*reader)->cut_reason() + ")" + closing_advice(**reader));
  auto source = File::open(from, false);
  if (!source) return tl::unexpected<Error>(std::move(source).error());
  const NamedOutput output{NamedOutput::Kind::file, to, from};
  RONDO_TRY(spare_needed_files(**reader, std::span(&output, 1)));
  RONDO_TRY((*reader)->check_files());
  Packed packed;
  const std::vector<ExternalFile> files = (*reader)->files();
  bool outside = false;
  for (const ExternalFile& file : files) {
    outside = outside || !file.embedded();
    packed.files += !file.embedded() && file.blobs != 0 ? 1 : 0;
  }
  auto target = NewFile::create(to, from);
  if (!target) return tl::unexpected<Error>(std::move(target).error());

  // Minor versions may have a longer header than this one's.
  std::vector<std::byte> header((*reader)->header().header_bytes);
  if (!source->read(0, header)) return fail(Status::unreadable, from + ": cannot be read");
  if (const int error = target->file().write(0, header); error != 0) return target->failure(error);
  DataRegion region(target->file(), Compression::zstd, header.size(), {},
                    [](std::uint64_t end, std::uint64_t) { return end; });
  for (const ChunkInfo& chunk : (*reader)->chunks()) {
    const ChunkType type = type_of(chunk.header);
    if (type == ChunkType::padding || (outside && type == ChunkType::files)) continue;
    auto payload = load_payload(*source, chunk, budget);
    if (!payload) return tl::unexpected<Error>(std::move(payload).error());
    const std::span<const std::byte> bytes = std::as_const(*payload).bytes();
    int error = 0;
    if (outside && type == ChunkType::references) {
      if (bytes.size() < sizeof(ReferenceHead))
        return fail(Status::unreadable, at_offset(*source, chunk.offset) + ": is too short");
      ReferenceHead head;
      std::memcpy(&head, bytes.data(), sizeof head);
      const auto blob = (*reader)->blob({head.digest_low, head.digest_high});
      if (!blob) return tl::unexpected<Error>(blob.error());
      const std::uint32_t counts[2] = {1, 0};
      const BlobEntry entry{head.digest_low, head.digest_high, (*blob)->size()};
      const std::span<const std::byte> pieces[] = {std::as_bytes(std::span(counts)),
                                                   std::as_bytes(std::span(&entry, 1)), **blob};
      error = region.append(chunk_header(ChunkType::blobs), pieces);
      packed.blobs += 1;
    } else {
      error = region.append(chunk.header, std::span(&bytes, 1));
    }
    if (error != 0) return target->failure(error);
  }
  if (const int error = region.close(*(*reader)->footer()); error != 0) return target->failure(error);
  RONDO_TRY(target->keep());
  packed.before = (*reader)->file_bytes();
  packed.after = region.end();
  return packed;
}

}  // namespace rondo
