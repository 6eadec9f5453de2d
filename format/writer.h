// SPDX-License-Identifier: Apache-2.0
// Writes a capture while the program runs. Records go straight into segments
// of a spool inside the file itself (shared mappings: what is committed is in
// the file even if the process is killed the next instant). A background
// thread turns full segments into compressed chunks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/blob_places.h"
#include "format/container.h"
#include "format/digest.h"
#include "format/result.h"

namespace rondo {

class CaptureWriter;

struct DictionaryEntry {
  DictionaryKind kind;
  std::uint16_t id;
  std::uint64_t encoding_hash;
  std::string_view name;  // static storage
};

// One thread's open segment. Single writer: only the thread that opened it
// calls anything here. Never throws; after a write failure it goes on
// accepting records into memory that nobody reads.
class ThreadStream {
 public:
  // Starts a record and returns where its `body_bytes` go (what follows the
  // RecordHeader). `sequence` is 0 for unnumbered records. Numbers ascend.
  // Moves to a new segment when this one is full.
  std::byte* begin(std::uint16_t command, std::uint16_t flags, std::uint64_t sequence, std::size_t body_bytes) {
    const std::size_t total = sizeof(RecordHeader) + body_bytes;
    if (total > static_cast<std::size_t>(end_ - cursor_) || !fits(sequence)) next_segment(total, sequence);
    RecordHeader header;
    header.bytes = static_cast<std::uint32_t>(total);
    header.command = command;
    header.flags = flags;
    header.sequence_delta = 0;
    if (sequence != 0) {
      header.sequence_delta = static_cast<std::uint32_t>(sequence - last_sequence_);
      last_sequence_ = sequence;
    }
    std::memcpy(cursor_, &header, sizeof header);
    std::byte* body = cursor_ + sizeof header;
    cursor_ += total;
    return body;
  }
  // Publishes the record: from here on it survives the process.
  void commit() {
    std::atomic_ref<std::uint64_t>(*committed_)
        .store(static_cast<std::uint64_t>(cursor_ - base_), std::memory_order_release);
  }
  std::uint64_t last_sequence() const { return last_sequence_; }
  std::uint64_t last_time_ns() const { return last_time_ns_; }
  void set_last_time_ns(std::uint64_t t) { last_time_ns_ = t; }
  // Time deltas and "last number" distances of the next record are relative
  // to last_time_ns()/last_sequence(), which carry over into the new segment
  // (ChunkHeader::base_time_ns, base_sequence), so nothing else is needed; but
  // set_last_time_ns() only after begin(), which may have to store the old one.

 private:
  friend class CaptureWriter;
  bool fits(std::uint64_t sequence) const { return sequence == 0 || sequence - last_sequence_ <= UINT32_MAX; }
  void next_segment(std::size_t record_bytes, std::uint64_t sequence);

  std::byte* cursor_ = nullptr;
  std::byte* end_ = nullptr;
  std::byte* base_ = nullptr;           // first record of the segment
  std::uint64_t* committed_ = nullptr;  // ChunkHeader::raw_bytes of the segment
  std::uint64_t last_sequence_ = 0;
  std::uint64_t last_time_ns_ = 0;
  CaptureWriter* writer_ = nullptr;
  std::uint32_t thread_ = 0;
  void* segment_ = nullptr;  // the writer's own
};

struct WriterOptions {
  std::string path;  // created 0600; must not exist
  Compression compression = Compression::lz4;
  std::vector<DictionaryEntry> dictionary;  // everything the recorder may write
  std::size_t segment_bytes = 256 * 1024;
  std::size_t backlog_bytes = 64u << 20;  // uncompressed bytes in flight before writers wait
  // Where the spool begins: the data below grows without going around it for as long as
  // it is half of that at most. 0: far above what may be in flight, where holes cost
  // nothing and files may be that large.
  std::uint64_t spool_base = 0;
  // Blobs above 64 KiB are looked for in `places` by the background thread, and what is found is as `files` says; those
  // of a recorder that dies are embedded by whoever finishes its capture.
  FilePolicy files = FilePolicy::embed;
  FileCheck file_check = FileCheck::identity;
  std::shared_ptr<BlobPlaces> places = nullptr;
};

class CaptureWriter {
 public:
  static Result<std::unique_ptr<CaptureWriter>> create(const WriterOptions& options);
  ~CaptureWriter();

  // Any thread.
  ThreadStream* open_stream();
  void close_stream(ThreadStream* stream);  // by the thread that opened it, or after it ended
  // The next number of the one total order; the first is 1.
  std::uint64_t take_sequence() { return sequence_.fetch_add(1, std::memory_order_relaxed) + 1; }
  // Makes `bytes` part of the capture under `digest` before it returns, once:
  // later calls with the same digest do nothing. Small ones ride in `stream`.
  void add_blob(ThreadStream& stream, const Digest& digest, std::span<const std::byte> bytes);
  // Appends a session object (one JSON object, UTF-8). Durable on return.
  void add_session(std::string_view json);
  // The same by the background thread, soon: for a thread that has none of the process's
  // descriptors. Waits for nothing.
  void add_session_later(std::string json);
  // A structure id was written in a pNext chain: keep it in the dictionary.
  void note_structure(std::uint16_t id);

  // The first failure of the file (disk full, …), empty while all is well. It
  // is kept; recording goes on into nowhere and finish() reports it.
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  std::string failure() const;

  struct Summary {
    std::uint64_t records = 0;
    std::uint64_t file_bytes = 0;
  };
  // Takes every stream's committed records (their threads may still run; what
  // they write afterwards is dropped), compresses the rest, writes dictionary,
  // index and footer, frees the spool, closes the file. `calls_ms`: how long it waits
  // for the second parts of calls that threads are in, until hurry().
  Result<Summary> finish(Ending ending, unsigned calls_ms = 0);
  // Any thread, at any time: who waits in finish() for calls waits no longer.
  void hurry();
  // In a forked child: forget the file without touching it.
  void abandon();
  // For a handler of SIGBUS: true if the fault was in a mapping of the file, which
  // somebody has truncated, or which has no room. Private memory lies there from now
  // on, and the recording has failed.
  bool replace_lost(std::uintptr_t address) noexcept;

 private:
  CaptureWriter();
  friend class ThreadStream;
  struct Impl;
  std::unique_ptr<Impl> impl_;
  alignas(64) std::atomic<std::uint64_t> sequence_{0};
  alignas(64) std::atomic<bool> failed_{false};
};

}  // namespace rondo
