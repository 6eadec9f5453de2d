// SPDX-License-Identifier: Apache-2.0
#include "format/walk.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "format/counts.h"

namespace rondo {
namespace {

template <class T>
std::uint64_t checksum_before(const T& value, std::size_t bytes) {
  return checksum_of(std::as_bytes(std::span(&value, 1)).first(bytes));
}

tl::unexpected<Error> refuse(const File& file, const std::string& why) {
  return fail(Status::unreadable, file.path() + ": " + why);
}

std::string version(std::uint16_t major, std::uint16_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

bool known(std::uint16_t type) { return type <= static_cast<std::uint16_t>(ChunkType::references); }

Result<void> check_type(const File& file, const ChunkInfo& chunk) {
  if (known(chunk.header.type) || (chunk.header.flags & kChunkSkippable) != 0) return {};
  return refuse(file, "the chunk at offset " + std::to_string(chunk.offset) + " is of type " +
                          std::to_string(chunk.header.type) +
                          ", which this Rondo does not know: use the newer Rondo that made the file");
}

// The index and what it lists, all of which must lie gaplessly before it. An
// empty string, or what is wrong with it.
Result<std::string> read_index(const File& file, CaptureLayout& layout) {
  ChunkInfo index{{}, layout.footer.index_offset};
  if (read_chunk_header(file, index.offset, layout.file_bytes, index.header) != HeaderState::good ||
      type_of(index.header) != ChunkType::index || chunk_end(index) != layout.file_bytes - sizeof(Footer))
    return "the index at offset " + std::to_string(index.offset) + " is damaged";
  // No more entries than chunk headers fit into the file.
  const std::uint64_t most = sizeof(std::uint64_t) + layout.file_bytes / sizeof(ChunkHeader) * sizeof(IndexEntry);
  if (index.header.raw_bytes > most) return std::string("the index claims more chunks than the file can hold");
  auto payload = load_payload(file, index, static_cast<std::size_t>(most));
  if (!payload) return "the index at offset " + std::to_string(index.offset) + " is damaged";
  std::uint64_t count = 0;
  if (payload->size() < sizeof count) return std::string("the index is too short");
  std::memcpy(&count, payload->bytes().data(), sizeof count);
  if (count != (payload->size() - sizeof count) / sizeof(IndexEntry) ||
      (payload->size() - sizeof count) % sizeof(IndexEntry) != 0)
    return std::string("the index does not hold the entries that it announces");
  std::uint64_t expected = layout.header.header_bytes;
  layout.chunks.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    IndexEntry entry;
    std::memcpy(&entry, payload->bytes().data() + sizeof count + i * sizeof entry, sizeof entry);
    ChunkInfo chunk{{}, entry.offset};
    if (entry.offset != expected ||
        read_chunk_header(file, entry.offset, index.offset, chunk.header) != HeaderState::good)
      return "the chunk at offset " + std::to_string(expected) + " is damaged";
    const ChunkHeader& h = chunk.header;
    if (h.type != entry.type || h.thread != entry.thread || h.stored_bytes != entry.stored_bytes ||
        h.raw_bytes != entry.raw_bytes || h.first_sequence != entry.first_sequence ||
        h.last_sequence != entry.last_sequence || entry.reserved != 0 || type_of(h) == ChunkType::segment)
      return "the chunk at offset " + std::to_string(expected) + " is not what the index says";
    RONDO_TRY(check_type(file, chunk));
    layout.chunks.push_back(chunk);
    expected = chunk_end(chunk);
  }
  if (expected != index.offset) return "chunks are missing from the index at offset " + std::to_string(expected);
  layout.data_end = index.offset;
  return std::string();
}

// A writer writes a chunk's payload, and zeros after it, before the chunk's header; it allocates a segment before it
// writes the header. So neither a killed program nor a full disk leaves a file that ends within a chunk.
void note_cut_short(CaptureLayout& layout, const std::string& what) {
  layout.cut_reason = what + " (was the file copied in part? copy it again)";
  layout.cut_short = true;
}

void note_too_short(CaptureLayout& layout, const ChunkInfo& chunk) {
  note_cut_short(layout, "the file ends within the chunk at offset " + std::to_string(chunk.offset) + " and lacks " +
                             plural(chunk_end(chunk) - layout.file_bytes, "byte") + " of it");
}

// Chunk after chunk from the header on, as far as they go.
Result<void> walk_chunks(const File& file, CaptureLayout& layout) {
  std::uint64_t offset = layout.header.header_bytes;
  for (;;) {
    layout.data_end = offset;
    ChunkInfo chunk{{}, offset};
    const std::string here = " at offset " + std::to_string(offset);
    switch (read_chunk_header(file, offset, layout.file_bytes, chunk.header)) {
      case HeaderState::good:
        break;
      case HeaderState::zeros:
        layout.cut_reason = "it was not closed: the program died or still runs";
        return {};
      case HeaderState::cut:
        note_cut_short(layout, offset == layout.file_bytes ? "the file ends" + here + ", without index and footer"
                                                           : "the file ends within the chunk header" + here);
        // A program that is killed as it begins leaves the file's header alone.
        if (offset == layout.file_bytes && layout.chunks.empty()) layout.cut_short = false;
        return {};
      case HeaderState::too_short:
        note_too_short(layout, chunk);
        return {};
      case HeaderState::damaged:
        layout.cut_reason = "the chunk header" + here + " is damaged";
        layout.damaged = true;
        return {};
    }
    if (type_of(chunk.header) == ChunkType::index) {
      layout.cut_reason = "the footer is missing or damaged";
      return {};
    }
    if (type_of(chunk.header) == ChunkType::segment) {
      layout.cut_reason = "it was not closed: the program died or still runs";
      return {};
    }
    RONDO_TRY(check_type(file, chunk));
    layout.chunks.push_back(chunk);
    offset = chunk_end(chunk);
  }
}

bool lies_in_spool(const ChunkHeader& header) {
  switch (type_of(header)) {
    case ChunkType::segment:
    case ChunkType::session:
    case ChunkType::dictionary:
    case ChunkType::blobs:
      return true;
    default:
      return false;
  }
}

// What the spool holds between two offsets: at multiples of the segment size.
void scan_spool(const File& file, CaptureLayout& layout, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t step = layout.header.segment_bytes;
  const auto up = [step](std::uint64_t v) { return v > UINT64_MAX - step ? UINT64_MAX : (v + step - 1) / step * step; };
  for (std::uint64_t offset = up(from); offset < to;) {
    const auto data = file.next_data(offset);
    if (!data) return;
    if (*data != offset) {
      offset = up(*data);
      if (offset >= to) return;
    }
    ChunkInfo chunk{{}, offset};
    offset += step;
    const HeaderState state = read_chunk_header(file, chunk.offset, to, chunk.header);
    const bool ends_with_file = state == HeaderState::too_short && to == layout.file_bytes;
    if ((state != HeaderState::good && !ends_with_file) || !lies_in_spool(chunk.header)) continue;
    if (ends_with_file) return note_too_short(layout, chunk);
    layout.spool.push_back(chunk);
    offset = up(chunk_end(chunk));
  }
}

// Whether the file has nothing but zeros from `offset` on.
bool ends_in_zeros(const File& file, std::uint64_t offset, std::uint64_t file_bytes) {
  std::vector<std::byte> buffer(256 * 1024);
  while (offset < file_bytes) {
    const auto data = file.next_data(offset);
    if (!data || *data >= file_bytes) return true;
    offset = *data;
    const std::span<std::byte> step =
        std::span(buffer).first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), file_bytes - offset)));
    if (!file.read(offset, step)) return false;
    if (std::any_of(step.begin(), step.end(), [](std::byte b) { return b != std::byte{0}; })) return false;
    offset += step.size();
  }
  return true;
}

// The spool of a file that was not closed, from the end of the data region on.
void read_spool(const File& file, CaptureLayout& layout) {
  scan_spool(file, layout, layout.data_end, layout.file_bytes);
  // A recorder's first chunk is the dictionary of the spool. What the recorder frees keeps its first page.
  if (!layout.damaged && !layout.cut_short && layout.spool.empty() && layout.file_bytes > layout.data_end &&
      ends_in_zeros(file, layout.data_end, layout.file_bytes))
    note_cut_short(layout, "the file ends at offset " + std::to_string(layout.file_bytes) +
                               ", before what its program wrote last");
}

}  // namespace

Result<FileHeader> read_file_header(const File& file) {
  FileHeader h{};
  const std::uint64_t bytes = file.bytes();
  if (bytes == 0) return refuse(file, "is empty, not a capture");
  std::array<std::byte, sizeof h> raw{};
  const auto have = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, sizeof h));
  if (!file.read(0, std::span(raw).first(have))) return refuse(file, "cannot be read");
  std::memcpy(&h, raw.data(), sizeof h);
  if (std::memcmp(h.magic, kFileMagic, std::min(have, sizeof kFileMagic)) != 0)
    return refuse(file, "is not a Rondo capture (it begins otherwise)");
  if (have < sizeof h)
    return refuse(file, "is cut off within its header, after " + plural(bytes, "byte") + ": nothing can be read");
  if (h.version_major > kVersionMajor)
    return refuse(file, "was made by a newer Rondo (format " + version(h.version_major, h.version_minor) +
                            "; this one reads up to " + std::to_string(kVersionMajor) + ".x): update Rondo");
  if (h.checksum != checksum_before(h, offsetof(FileHeader, checksum)))
    return refuse(file, "its header is damaged (the checksum does not match)");
  const bool sane = h.version_major == kVersionMajor && h.header_bytes >= sizeof h && h.header_bytes <= 65536 &&
                    h.segment_bytes >= 4096 && h.segment_bytes <= (std::uint64_t{1} << 32) &&
                    h.segment_bytes % 4096 == 0 && (h.version_minor > kVersionMinor || h.reserved == 0);
  if (!sane) return refuse(file, "its header holds values that cannot be");
  return h;
}

Result<CaptureLayout> read_layout(const File& file) {
  CaptureLayout layout;
  auto header = read_file_header(file);
  if (!header) return tl::unexpected<Error>(std::move(header).error());
  layout.header = *header;
  layout.file_bytes = file.bytes();
  const std::uint64_t smallest = layout.header.header_bytes + sizeof(ChunkHeader) + sizeof(Footer);
  std::string index_problem;
  if (layout.file_bytes >= smallest &&
      file.read(layout.file_bytes - sizeof(Footer), std::as_writable_bytes(std::span(&layout.footer, 1))) &&
      std::memcmp(layout.footer.magic, kFooterMagic, sizeof kFooterMagic) == 0) {
    if (layout.footer.checksum != checksum_before(layout.footer, offsetof(Footer, checksum))) {
      index_problem = "the footer is damaged";
    } else {
      auto problem = read_index(file, layout);
      if (!problem) return tl::unexpected<Error>(std::move(problem).error());
      if (problem->empty()) {
        layout.complete = true;
        return layout;
      }
      index_problem = *problem;
    }
  }
  layout.footer = {};
  layout.chunks.clear();
  RONDO_TRY(walk_chunks(file, layout));
  if (!index_problem.empty()) {
    layout.cut_reason = index_problem;
    layout.damaged = true;
    layout.cut_short = false;
  }
  for (std::size_t i = 0; i < layout.chunks.size(); ++i)
    if (type_of(layout.chunks[i].header) == ChunkType::padding)
      scan_spool(file, layout, layout.chunks[i].offset + sizeof(ChunkHeader), chunk_end(layout.chunks[i]));
  read_spool(file, layout);
  return layout;
}

}  // namespace rondo
