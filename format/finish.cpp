// SPDX-License-Identifier: Apache-2.0
// Closes the capture of a process that died. May itself be interrupted: at
// every moment the file is one that a reader and another attempt understand.
#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "format/assembler.h"
#include "format/dictionary.h"
#include "format/reader_impl.h"
#include "format/spool_map.h"
#include "format/walk.h"

namespace rondo {
namespace {

class Finisher {
 public:
  Finisher(const File& file, CaptureLayout& layout)
      : file_(file),
        layout_(layout),
        spool_(layout.header.segment_bytes,
               UINT64_MAX / 4 / layout.header.segment_bytes * layout.header.segment_bytes) {
    for (const ChunkInfo& chunk : layout_.spool) spool_.occupy(chunk.offset, slot_bytes(chunk));
  }

  Result<void> run(int exit_signal) {
    RONDO_TRY(read_dictionary());
    std::vector<IndexEntry> index;
    for (const ChunkInfo& chunk : layout_.chunks) index.push_back(index_entry(chunk.header, chunk.offset));
    DataRegion region(file_, codec(), layout_.data_end, std::move(index),
                      [this](std::uint64_t end, std::uint64_t bytes) { return spool_.place_data(end, bytes); });
    std::vector<DictionaryEntry> entries;
    for (const DictionaryRow& row : rows_) entries.push_back({row.kind, row.id, row.encoding_hash, row.name});
    StructureSet structures;
    // Which ones the records use is the codec's knowledge: keep them all.
    structures.add_all();
    ChunkAssembler assembler(region, entries, structures);
    for (const DictionaryRow& row : written_rows_) assembler.mark_written(row.kind, row.id);

    RONDO_TRY(move_chunks(assembler));
    RONDO_TRY(move_segments(assembler));
    RONDO_TRY(done(assembler.flush_blobs()));
    RONDO_TRY(done(assembler.write_dictionary()));
    for (const ChunkInfo& chunk : layout_.spool) release(chunk);
    RONDO_TRY(done(assembler.close(Ending::finished, exit_signal)));
    return done(region.clear_paddings());
  }

 private:
  std::uint64_t slot_bytes(const ChunkInfo& chunk) const {
    const std::uint64_t step = layout_.header.segment_bytes;
    return (sizeof(ChunkHeader) + chunk.header.stored_bytes + step - 1) / step * step;
  }

  Result<void> done(int error) const {
    if (error == 0) return {};
    return fail(Status::failed, file_.path() + ": cannot be finished: " + errno_text(error) +
                                    "; nothing of it is lost: make room and try again");
  }

  // The one that the recorder used.
  Compression codec() const {
    for (const ChunkInfo& chunk : layout_.chunks)
      if (type_of(chunk.header) == ChunkType::records && chunk.header.codec != 0)
        return static_cast<Compression>(chunk.header.codec);
    return Compression::lz4;
  }

  Result<void> read_dictionary() {
    for (const auto* chunks : {&layout_.chunks, &layout_.spool}) {
      for (const ChunkInfo& chunk : *chunks) {
        if (type_of(chunk.header) != ChunkType::dictionary) continue;
        auto payload = load_payload(file_, chunk, budget());
        if (!payload) return tl::unexpected<Error>(std::move(payload).error());
        RONDO_TRY(parse_dictionary(file_, chunk, std::as_const(*payload).bytes(), rows_));
      }
      if (chunks == &layout_.chunks) written_rows_ = rows_;
    }
    return {};
  }

  // Sessions and large blobs, in the order of their numbers and places.
  Result<void> move_chunks(ChunkAssembler& assembler) {
    std::set<std::uint32_t> sessions;
    for (const ChunkInfo& chunk : layout_.chunks)
      if (type_of(chunk.header) == ChunkType::session) sessions.insert(chunk.header.ordinal);
    std::vector<const ChunkInfo*> wanted;
    for (const ChunkInfo& chunk : layout_.spool) {
      const ChunkType type = type_of(chunk.header);
      if (type == ChunkType::blobs || (type == ChunkType::session && sessions.insert(chunk.header.ordinal).second))
        wanted.push_back(&chunk);
    }
    std::stable_sort(wanted.begin(), wanted.end(),
                     [](const ChunkInfo* a, const ChunkInfo* b) { return a->header.ordinal < b->header.ordinal; });
    for (const ChunkInfo* chunk : wanted) {
      auto payload = load_payload(file_, *chunk, budget());
      if (!payload) return tl::unexpected<Error>(std::move(payload).error());
      RONDO_TRY(done(assembler.add_chunk(chunk->header, std::as_const(*payload).bytes())));
      release(*chunk);
    }
    return {};
  }

  Result<void> move_segments(ChunkAssembler& assembler) {
    std::vector<ChunkInfo> all = layout_.chunks;
    all.insert(all.end(), layout_.spool.begin(), layout_.spool.end());
    std::set<std::uint64_t> live;
    for (const std::vector<std::size_t>& thread : chunks_by_thread(all)) {
      for (const std::size_t i : thread) {
        const ChunkInfo& chunk = all[i];
        if (type_of(chunk.header) == ChunkType::segment) {
          live.insert(chunk.offset);
          RONDO_TRY(move_segment(assembler, chunk, false));
        } else {
          auto count = count_numbers(file_, chunk, budget());
          if (!count) return tl::unexpected<Error>(std::move(count).error());
          assembler.count_existing(count->numbered, count->last_sequence, count->calls);
        }
      }
    }
    // Their records are in chunks, their blobs perhaps not.
    for (const ChunkInfo& chunk : layout_.spool)
      if (type_of(chunk.header) == ChunkType::segment && live.count(chunk.offset) == 0)
        RONDO_TRY(move_segment(assembler, chunk, true));
    return {};
  }

  // A damaged record ends its segment: what comes before it is kept.
  Result<void> move_segment(ChunkAssembler& assembler, const ChunkInfo& chunk, bool records_known) {
    auto payload = load_payload(file_, chunk, budget());
    if (!payload) return tl::unexpected<Error>(std::move(payload).error());
    bool blobs_pending = false;
    RONDO_TRY(done(assembler.add_segment({&chunk.header, std::as_const(*payload).bytes(), UINT64_MAX, records_known},
                                         blobs_pending)));
    if (!blobs_pending) release(chunk);
    return {};
  }

  // Once: the data region may have taken its place since.
  void release(const ChunkInfo& chunk) {
    if (!spool_.occupied(chunk.offset)) return;
    const ChunkHeader nothing{};
    static_cast<void>(file_.write(chunk.offset, std::as_bytes(std::span(&nothing, 1))));
    spool_.give_back(chunk.offset);
  }

  // One chunk at a time. What lies in the spool is not compressed.
  std::size_t budget() const { return std::max<std::size_t>(std::size_t{1} << 30, layout_.file_bytes); }

  const File& file_;
  CaptureLayout& layout_;
  SpoolMap spool_;
  std::vector<DictionaryRow> rows_;
  std::vector<DictionaryRow> written_rows_;
};

}  // namespace

Result<bool> finish_capture(const std::string& path, int exit_signal) {
  {
    // A complete one may lie where nothing can be written.
    auto read_only = File::open(path, false);
    if (!read_only) return tl::unexpected<Error>(std::move(read_only).error());
    if (const auto layout = read_layout(*read_only); layout && layout->complete) return false;
  }
  auto file = File::open(path, true);
  if (!file) return fail(Status::failed, std::move(file).error().message);
  if (!file->lock_exclusive())
    return fail(Status::failed, path +
                                    ": is still being recorded, or finished (another process holds its "
                                    "lock): try again when that has ended");
  auto layout = read_layout(*file);
  if (!layout) return tl::unexpected<Error>(std::move(layout).error());
  if (layout->complete) return false;
  if (layout->damaged)
    return fail(Status::unreadable, path + ": is damaged, not just cut (" + layout->cut_reason +
                                        "), and is left as it is: `player --salvage` plays what can be read");
  if (layout->cut_short)
    return fail(Status::unreadable, path + ": is not whole, and is left as it is: " + layout->cut_reason +
                                        "; `player --salvage` plays what is there");
  RONDO_TRY(Finisher(*file, *layout).run(exit_signal));
  return true;
}

}  // namespace rondo
