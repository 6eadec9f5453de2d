// SPDX-License-Identifier: Apache-2.0
// The writer's one background thread: spool to data region.
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <new>

#include "format/chunk_io.h"
#include "format/dictionary.h"
#include "format/file_limit.h"
#include "format/writer_impl.h"

namespace rondo {
namespace {

constexpr std::size_t kPoolSegments = 32;
constexpr std::size_t kBusyJobs = 2;     // waiting: compress records fast
constexpr std::size_t kBehindShare = 4;  // of the largest backlog waits: compress blobs fast, too
constexpr std::size_t kFarBehindJobs = 16;
constexpr std::size_t kPinnedSegments = 8;
constexpr std::chrono::milliseconds kGlances{20};  // between two that find nothing to do

}  // namespace

void* CaptureWriter::Impl::run(void* impl) {
  ::pthread_setname_np(::pthread_self(), "rondo-writer");
  static_cast<Impl*>(impl)->file.keep_private();
  static_cast<Impl*>(impl)->loop();
  return nullptr;
}

void CaptureWriter::Impl::loop() {
  files_usable = true;
  loop_until_stopped();
  files_usable = false;
  if (options.places != nullptr) options.places->close();  // their descriptors are this thread's
}

void CaptureWriter::Impl::loop_until_stopped() {
  std::unique_lock lock(mutex);
  for (;;) {
    const auto is_work = [this] { return stopping || wants_spare() || (!queue.empty() && !append_failed); };
    if (options.places == nullptr) {
      work.wait(lock, is_work);
    } else if (!work.wait_for(lock, kGlances, is_work)) {
      lock.unlock();
      glance();
      lock.lock();
      continue;
    }
    if (wants_spare()) {
      make_spare(lock);
      continue;
    }
    if (queue.empty() || append_failed) return;  // stopping
    const Job job = std::move(queue.front());
    queue.pop_front();
    region.set_load(load_behind(job));
    lock.unlock();
    do_job(job);
    if (options.places != nullptr) glance();
    lock.lock();
  }
}

void CaptureWriter::Impl::glance() {
  if (owner.failed()) return;
  try {
    options.places->glance();
  } catch (const std::bad_alloc&) {  // what is not seen is embedded
  }
}

DataRegion::Load CaptureWriter::Impl::load_behind(const Job& job) const {
  if (stopping) return DataRegion::Load::light;
  if (backlog - job.bytes >= options.backlog_bytes / kBehindShare) return DataRegion::Load::behind;
  return queue.size() < kBusyJobs ? DataRegion::Load::light : DataRegion::Load::busy;
}

// Far behind, freeing segments helps as much as making them.
bool CaptureWriter::Impl::wants_spare() const {
  return pool.size() < spares && queue.size() < kFarBehindJobs && !stopping && writable();
}

void CaptureWriter::Impl::make_spare(std::unique_lock<std::mutex>& lock) {
  int error = ENOMEM;
  Segment* segment = nullptr;
  try {
    segment = new_segment(lock, options.segment_bytes, error);
  } catch (const std::bad_alloc&) {  // a thread that needs one will find out
  }
  if (segment != nullptr)
    pool.push_back(segment);
  else
    spares = 0;
}

// Afterwards the job is done, or back at the head of the queue.
void CaptureWriter::Impl::do_job(const Job& job) {
  int error = 0;
  // What closing takes is left: the blobs of records that are there, names, the index.
  const std::uint64_t most = most_file_bytes();
  region.keep_below(most - most / 16);
  try {
    error = job.segment != nullptr ? do_segment(*job.segment)
            : !job.session.empty() ? assembler.add_chunk(job.chunk, std::as_bytes(std::span(job.session)))
                                   : do_chunk(job);
    if (error == 0) {
      release_pinned();
      keep_spool_tidy();
    }
  } catch (const std::bad_alloc&) {
    error = ENOMEM;
  }
  if (error != 0) fail_with(error, "writing a chunk");
  const std::lock_guard lock(mutex);
  if (error != 0) {
    append_failed = true;
    append_error = error;
    queue.push_front(job);
    return;
  }
  backlog -= job.bytes;
  room.notify_all();
}

int CaptureWriter::Impl::do_segment(Segment& segment) {
  std::uint64_t cut_now = 0;
  {
    const std::lock_guard lock(mutex);
    cut_now = cut;
  }
  bool blobs_pending = false;
  ChunkHeader header{};
  std::memcpy(&header, segment.map, offsetof(ChunkHeader, raw_bytes));
  header.base_sequence = segment.header()->base_sequence;
  header.base_time_ns = segment.header()->base_time_ns;
  if (const int error = assembler.add_segment({&header, segment.content(), cut_now, false}, blobs_pending))
    return error;
  {
    const std::lock_guard lock(mutex);
    segment.in_use = false;
    written = assembler.numbered();
    written_open = assembler.open_calls();
  }
  if (blobs_pending)
    pinned.push_back({&segment, assembler.flushes()});
  else
    recycle(segment);
  return pinned.size() > kPinnedSegments ? assembler.flush_blobs() : 0;
}

int CaptureWriter::Impl::do_chunk(const Job& job) {
  const std::uint64_t slot_bytes = spool.round_up(sizeof job.chunk + job.bytes);
  void* map = ::mmap(nullptr, static_cast<std::size_t>(slot_bytes), PROT_READ, MAP_SHARED, file.descriptor(),
                     static_cast<off_t>(job.chunk_offset));
  if (map == MAP_FAILED) return errno;
  {
    const std::lock_guard lock(mutex);
    pieces.add(map, static_cast<std::size_t>(slot_bytes));
  }
  ::madvise(map, static_cast<std::size_t>(slot_bytes), MADV_SEQUENTIAL);
  const auto* payload = static_cast<const std::byte*>(map) + sizeof job.chunk;
  const std::span<const std::byte> bytes{payload, static_cast<std::size_t>(job.bytes)};
  int error = 0;
  if (type_of(job.chunk) != ChunkType::blobs || !append_from_files(bytes, error))
    error = assembler.add_chunk(job.chunk, bytes);
  std::vector<std::byte> payload_copy;
  {
    const std::lock_guard lock(mutex);
    pieces.remove(map);
    // No thread takes slots any more, so this one's room can be the data's.
    if (error == EFBIG && closed) payload_copy.assign(bytes.begin(), bytes.end());
  }
  ::munmap(map, static_cast<std::size_t>(slot_bytes));
  if (!payload_copy.empty()) return append_over_slot(job, slot_bytes, payload_copy);
  if (error != 0) return error;
  free_slot(job.chunk_offset, slot_bytes);
  return 0;
}

// Where files may not be long enough for a blob twice: the data may lie over the slot that it is taken from.
// A process that dies here loses the blob, and what comes after it.
int CaptureWriter::Impl::append_over_slot(const Job& job, std::uint64_t slot_bytes,
                                          std::span<const std::byte> payload) {
  const ChunkHeader nothing{};
  if (const int error = file.write(job.chunk_offset, std::as_bytes(std::span(&nothing, 1)))) return error;
  {
    const std::lock_guard lock(mutex);
    spool.give_back(job.chunk_offset);
  }
  const int error = assembler.add_chunk(job.chunk, payload);
  if (error == 0) return 0;
  // It stays in its slot, for who finishes the capture where there is room.
  int put_back = 0;
  ChunkHeader header = job.chunk;
  write_chunk(job.chunk_offset, header, std::span(&payload, 1), put_back);
  const std::lock_guard lock(mutex);
  spool.occupy(job.chunk_offset, slot_bytes);
  return error;
}

// True: it was appended, as a reference, or `error` says why not.
bool CaptureWriter::Impl::append_from_files(std::span<const std::byte> payload, int& error) {
  if (!files_usable) return false;
  bool done = false;
  try {
    done = references.add(
        payload, [this](const ChunkHeader& header, DataRegion::Pieces pieces) { return region.append(header, pieces); },
        error);
  } catch (const std::bad_alloc&) {  // it is a blob like others then
    return false;
  }
  if (references.found().empty() || owner.failed()) return done;
  // Also where the capture is being closed already, when nothing can be queued any more.
  const std::string session = references.found_session();
  ChunkHeader header = chunk_header(ChunkType::session);
  {
    const std::lock_guard lock(mutex);
    header.ordinal = next_session++;
  }
  error = assembler.add_chunk(header, std::as_bytes(std::span(session)));
  fail_because(references.found() + " was recognised in what the program gave to Vulkan (RONDO_FILES=fail)");
  return done || error != 0;
}

void CaptureWriter::Impl::release_pinned() {
  const std::uint64_t flushes = assembler.flushes();
  const auto flushed = [&](const Pinned& p) { return p.flushes < flushes; };
  for (const Pinned& p : pinned)
    if (flushed(p)) recycle(*p.segment);
  pinned.erase(std::remove_if(pinned.begin(), pinned.end(), flushed), pinned.end());
}

// All that the segment held is in chunks.
void CaptureWriter::Impl::recycle(Segment& segment) {
  segment.retire();
  std::unique_lock lock(mutex);
  if (!segment.in_stream && segment.bytes == options.segment_bytes && pool.size() < kPoolSegments && !closed &&
      !spool.below_base(segment.offset)) {
    pool.push_back(&segment);
    return;
  }
  if (!segment.in_stream) segments.erase(std::find(segments.begin(), segments.end(), &segment));
  pieces.remove(segment.map);
  lock.unlock();
  if (segment.in_stream) {
    if (const int error = detach_segment(segment)) detach_error = error;
  } else {
    unmap_segment(segment);
  }
  free_slot(segment.offset, segment.bytes);
  if (!segment.in_stream) delete &segment;
}

// What lies in a slot is in chunks now. Only its header goes: the blocks serve
// the next one, and closing the file gives all of them back at once. On a full
// disk they are given back at once, to make room for the end of the capture, but for
// the first page: by that a reader knows that the file has its end (read_layout).
void CaptureWriter::Impl::free_slot(std::uint64_t offset, std::uint64_t bytes) {
  const ChunkHeader nothing{};
  file.write(offset, std::as_bytes(std::span(&nothing, 1)));
  constexpr std::uint64_t kPage = 4096;
  if (broken.load() && bytes > kPage) file.clear(offset + kPage, bytes - kPage);
  const std::lock_guard lock(mutex);
  spool.give_back(offset);
}

// All names that this recorder may write, uncompressed, for readers of a cut file.
int CaptureWriter::Impl::write_spool_dictionary() {
  std::vector<const DictionaryEntry*> rows;
  for (const DictionaryEntry& row : options.dictionary) rows.push_back(&row);
  const std::vector<std::byte> payload = dictionary_payload(rows);
  const std::span<const std::byte> piece = payload;
  ChunkHeader header = chunk_header(ChunkType::dictionary);
  const std::uint64_t bytes = spool.round_up(sizeof header + payload.size());
  std::uint64_t offset = 0;
  {
    const std::lock_guard lock(mutex);
    offset = spool.take(bytes);
  }
  int error = 0;
  write_chunk(offset, header, std::span(&piece, 1), error);
  if (error != 0) return error;
  if (dictionary_bytes != 0) free_slot(dictionary_offset, dictionary_bytes);
  dictionary_offset = offset;
  dictionary_bytes = bytes;
  return 0;
}

// Gets what can move out of the data region's way.
void CaptureWriter::Impl::keep_spool_tidy() {
  std::vector<Segment*> low;
  bool move_dictionary = false;
  {
    const std::lock_guard lock(mutex);
    move_dictionary = dictionary_bytes != 0 && spool.below_base(dictionary_offset) && !closed;
    const auto is_low = [this](const Segment* s) { return spool.below_base(s->offset); };
    std::copy_if(pool.begin(), pool.end(), std::back_inserter(low), is_low);
    pool.erase(std::remove_if(pool.begin(), pool.end(), is_low), pool.end());
  }
  for (Segment* segment : low) recycle(*segment);
  if (move_dictionary) static_cast<void>(write_spool_dictionary());  // else it stays an obstacle
}

}  // namespace rondo
