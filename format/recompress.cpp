// SPDX-License-Identifier: Apache-2.0
#include "format/recompress.h"

#include <algorithm>
#include <utility>

#include "format/closing_advice.h"
#include "format/data_region.h"
#include "format/needed_files.h"
#include "format/new_file.h"
#include "format/walk.h"

namespace rondo {

Result<Recompressed> recompress(const std::string& from, const std::string& to, Compression codec,
                                std::size_t memory_budget) {
  auto source = File::open(from, false);
  if (!source) return tl::unexpected<Error>(std::move(source).error());
  auto layout = read_layout(*source);
  if (!layout) return tl::unexpected<Error>(std::move(layout).error());
  if (!layout->complete) {
    const auto reader = Reader::open(from, {.memory_budget = memory_budget, .salvage = true});
    if (!reader) return tl::unexpected<Error>(reader.error());
    return fail(Status::unreadable,
                from + ": is not complete (" + (*reader)->cut_reason() + ")" + closing_advice(**reader));
  }
  if (std::any_of(layout->chunks.begin(), layout->chunks.end(),
                  [](const ChunkInfo& chunk) { return type_of(chunk.header) == ChunkType::files; })) {
    const auto reader = Reader::open(from, {.memory_budget = memory_budget});
    if (!reader) return tl::unexpected<Error>(reader.error());
    const NamedOutput output{NamedOutput::Kind::file, to, from};
    RONDO_TRY(spare_needed_files(**reader, std::span(&output, 1)));
  }
  auto target = NewFile::create(to, from);
  if (!target) return tl::unexpected<Error>(std::move(target).error());

  // Minor versions may have a longer header than this one's.
  std::vector<std::byte> header(layout->header.header_bytes);
  if (!source->read(0, header)) return fail(Status::unreadable, from + ": cannot be read");
  if (const int error = target->file().write(0, header); error != 0) return target->failure(error);
  DataRegion region(
      target->file(), codec, header.size(), {}, [](std::uint64_t end, std::uint64_t) { return end; }, codec);
  region.allow_planes();
  const std::size_t budget = memory_budget != 0 ? memory_budget : machine_memory() / 2;
  for (const ChunkInfo& chunk : layout->chunks) {
    if (type_of(chunk.header) == ChunkType::padding) continue;
    auto payload = load_payload(*source, chunk, budget);
    if (!payload) return tl::unexpected<Error>(std::move(payload).error());
    const std::span<const std::byte> bytes = std::as_const(*payload).bytes();
    if (const int error = region.append(chunk.header, std::span(&bytes, 1)); error != 0) return target->failure(error);
  }
  if (const int error = region.close(layout->footer); error != 0) return target->failure(error);
  RONDO_TRY(target->keep());
  return Recompressed{layout->file_bytes, region.end()};
}

}  // namespace rondo
