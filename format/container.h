// SPDX-License-Identifier: Apache-2.0
// The bytes of a .rondo file: docs/format.md has the same as tables. All
// integers are little-endian. A reserved field is zero, and readers check it.
#pragma once

#include <cstdint>

namespace rondo {

inline constexpr std::uint8_t kFileMagic[8] = {'R', 'O', 'N', 'D', 'O', '\r', '\n', 0x1a};
inline constexpr std::uint16_t kVersionMajor = 1;  // a reader refuses a newer one
inline constexpr std::uint16_t kVersionMinor = 0;  // a reader accepts any

// At offset 0. Written once, never changed.
struct FileHeader {
  std::uint8_t magic[8];
  std::uint16_t version_major;
  std::uint16_t version_minor;
  std::uint32_t header_bytes;     // sizeof(FileHeader): the first chunk follows
  std::uint64_t created_unix_ns;  // start of the recording, CLOCK_REALTIME
  std::uint8_t capture_id[16];    // random: tells captures apart
  std::uint64_t segment_bytes;    // spool segments begin at multiples of this
  std::uint64_t reserved;
  std::uint64_t checksum;  // XXH3-64 of the bytes before
};
static_assert(sizeof(FileHeader) == 64);

enum class ChunkType : std::uint16_t {
  padding = 0,     // nothing: skip `stored_bytes`
  session = 1,     // one JSON object; several are merged in order
  dictionary = 2,  // names and encoding hashes of command and structure ids
  records = 3,     // records of one thread, sequence ascending, in columns (columns.h)
  blobs = 4,       // a blob directory, then the blobs' bytes
  index = 5,       // the chunk table of a closed capture
  segment = 6,     // an open records chunk of the in-file spool (cut captures only). The spool
                   // may also hold uncompressed session, dictionary and blobs chunks
  files = 7,       // files outside the capture that hold bytes of its blobs
  references = 8,  // one blob that lies in files, as a whole or in part
};

inline constexpr std::uint16_t kChunkSkippable = 1;  // flag bit 0: an unknown type may be skipped

// lz4 is one LZ4 frame, zstd one zstd frame with a window of at most 8 MiB. planes is zstd of a blobs chunk of one
// blob whose bytes lie in four planes, deltas the same with differences (planes.h): what most texels and vertices
// compress better as.
enum class Compression : std::uint8_t { none = 0, lz4 = 1, zstd = 2, planes = 3, deltas = 4 };

inline constexpr std::uint32_t kChunkMagic = 0x4b484352;  // "RCHK"

// Before every chunk's payload. Chunks follow each other without padding,
// except that a segment begins at a multiple of FileHeader::segment_bytes.
struct ChunkHeader {
  std::uint32_t magic;
  std::uint16_t type;  // ChunkType
  std::uint16_t flags;
  std::uint8_t codec;  // Compression
  std::uint8_t reserved[3];
  std::uint32_t thread;   // writer thread, from 0 in order of first record; 0 if none
  std::uint32_t ordinal;  // records, segment: place in the thread's stream; session: place
                          // among the sessions; from 0, with holes. 0 in other chunks
  std::uint32_t reserved2;
  std::uint64_t stored_bytes;    // payload bytes in the file, behind this header
  std::uint64_t raw_bytes;       // payload bytes after decompression; in a segment: bytes
                                 // committed so far (grows while the program runs)
  std::uint64_t base_sequence;   // records: the number before the first record's delta
  std::uint64_t base_time_ns;    // records: the time before the first time delta
  std::uint64_t first_sequence;  // records: 0 when the chunk numbers nothing, and in a segment
  std::uint64_t last_sequence;
  std::uint64_t payload_checksum;  // XXH3-64 of the stored bytes; 0 in a segment
  std::uint64_t header_checksum;   // XXH3-64 of the bytes before; in a segment: of the same
                                   // with `raw_bytes` as zero, since that one is open
};
static_assert(sizeof(ChunkHeader) == 88);

// A record inside a records chunk (or segment): this header, then, as `flags`
// say and in this order, the return value, the times, and the payload.
struct RecordHeader {
  std::uint32_t bytes;           // the whole record with this header
  std::uint16_t command;         // id in the file's dictionary; 0 for a void or blob record
  std::uint16_t flags;           // RecordFlags
  std::uint32_t sequence_delta;  // from the number before it in this chunk; 0 if unnumbered
};
static_assert(sizeof(RecordHeader) == 12);

enum RecordFlags : std::uint16_t {
  // Kind, bits 0-1.
  kRecordCall = 0,    // numbered: a call or event, payload by the command's table
  kRecordResult = 1,  // unnumbered: second part of an earlier call of this thread;
                      // payload: varint (last number of this chunk so far - the call's)
  kRecordBlob = 2,    // unnumbered, spool only: 16 digest bytes, then the blob's bytes
  kRecordVoid = 3,    // numbered: a number taken and not used; no payload
  kRecordKindMask = 3,
  // Facts.
  kRecordTwoPart = 1 << 2,  // a kRecordResult follows in this thread's stream
  kRecordReturns = 1 << 3,  // zigzag varint: the return value (VkResult, VkBool32, …)
  kRecordTimes = 1 << 4,    // two varints: start since the last time in this chunk (modulo
  // 2^64: it may lie before), and duration; ns, CLOCK_MONOTONIC. The last time is then the end.
  kRecordByLayer = 1 << 5,    // asked by the layer itself, not by the program: never replayed
  kRecordAmbiguous = 1 << 6,  // host writes found by a means that cannot tell host from device
  kRecordFlagsMask = 0x7f,
};

// A blobs chunk's payload: u32 count, u32 zero, count × BlobEntry, the bytes.
struct BlobEntry {
  std::uint64_t digest_low;  // XXH3-128 of the bytes
  std::uint64_t digest_high;
  std::uint64_t bytes;
};
static_assert(sizeof(BlobEntry) == 24);

// A files chunk's payload: u32 count, u32 zero, count × (FileEntry, its path, blocks × 16 digest bytes).
struct FileEntry {
  std::uint32_t number;      // its place among all of the capture's, from 0, without holes
  std::uint32_t path_bytes;  // absolute, not terminated
  std::uint64_t bytes;       // its length
  std::uint64_t device;      // st_dev and st_ino; both 0: unknown
  std::uint64_t inode;
  std::int64_t mtime_ns;  // since 1970
  std::uint32_t check;    // FileCheck
  // blobs of kFileBlock bytes (the last: what is left) that hold all of it; 0: it is not embedded
  std::uint32_t blocks;
};
static_assert(sizeof(FileEntry) == 48);
inline constexpr std::uint64_t kFileBlock = 1u << 20;

// By what a file is known again.
enum class FileCheck : std::uint32_t {
  identity = 0,  // length, device, inode and time of modification
  digest = 1,    // length, and a digest of every range that is used
};

// A references chunk's payload: this, pieces × ReferencePiece, the bytes of those that lie in no file.
struct ReferenceHead {
  std::uint64_t digest_low;  // of the blob
  std::uint64_t digest_high;
  std::uint64_t bytes;   // its length: the sum of the pieces'
  std::uint32_t pieces;  // in the blob's order
  std::uint32_t reserved;
};
static_assert(sizeof(ReferenceHead) == 32);
struct ReferencePiece {
  std::uint32_t file;  // FileEntry::number; kInNoFile: it follows the pieces
  std::uint32_t reserved;
  std::uint64_t offset;      // in the file; 0 in none
  std::uint64_t bytes;       // never 0
  std::uint64_t digest_low;  // XXH3-128 of the piece where its file's check is `digest`; else 0
  std::uint64_t digest_high;
};
static_assert(sizeof(ReferencePiece) == 40);
inline constexpr std::uint32_t kInNoFile = 0xffffffff;

// A dictionary chunk's payload: u32 count, u32 zero, count × (u16 kind, u16 id,
// u32 name bytes, u64 encoding hash, name).
enum class DictionaryKind : std::uint16_t { command = 1, structure = 2 };

// An index chunk's payload: u64 count, count × IndexEntry (every chunk but the
// index itself, in file order).
struct IndexEntry {
  std::uint64_t offset;  // of the ChunkHeader
  std::uint64_t stored_bytes;
  std::uint64_t raw_bytes;
  std::uint64_t first_sequence;
  std::uint64_t last_sequence;
  std::uint16_t type;
  std::uint16_t reserved;
  std::uint32_t thread;
};
static_assert(sizeof(IndexEntry) == 48);

inline constexpr std::uint8_t kFooterMagic[8] = {'R', 'O', 'N', 'D', 'O', 'E', 'N', 'D'};

enum class Ending : std::uint32_t {
  exited = 0,    // the recorder closed it
  finished = 1,  // the process died; `rondo finish` or the launcher closed it
  stopped = 2,   // the recorder stopped on an error of its own (a rondoNote says which)
};

// The last bytes of a closed capture.
struct Footer {
  std::uint8_t magic[8];
  std::uint64_t index_offset;   // of the index's ChunkHeader
  std::uint64_t last_sequence;  // 0: no record
  std::uint64_t gaps;           // numbers missing: not 0 only when the process died, the file
                                // could not be written, or a thread died inside a call
  std::uint32_t ending;         // Ending
  std::int32_t exit_signal;     // finished: the signal that ended the process; 0 unknown
  std::uint64_t checksum;       // XXH3-64 of the bytes before
};
static_assert(sizeof(Footer) == 48);

}  // namespace rondo
