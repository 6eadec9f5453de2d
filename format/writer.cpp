// SPDX-License-Identifier: Apache-2.0
// The program's side of the writer: streams, blobs, sessions.
#include "format/writer.h"

#include <sys/mman.h>
#include <unistd.h>

#include "format/file_limit.h"
#define XXH_STATIC_LINKING_ONLY  // the streaming state, to be held by value
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <utility>

#include "format/chunk_io.h"
#include "format/writer_impl.h"

namespace rondo {
namespace {

// Larger blobs get a spooled chunk of their own: one copy, no page faults.
constexpr std::size_t kBlobInStream = 64 * 1024;
// Making a segment takes longer than filling a page of it: the background
// thread keeps some ready, one while nobody has filled any.
constexpr std::size_t kSpares = 3;

// The program's errno is not ours to change.
class KeepErrno {
 public:
  KeepErrno() = default;
  ~KeepErrno() { errno = saved_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int saved_ = errno;
};

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

void ThreadStream::next_segment(std::size_t record_bytes, std::uint64_t sequence) {
  writer_->impl_->next_segment(*static_cast<CaptureWriter::Impl::Stream*>(segment_), record_bytes, sequence);
}

void CaptureWriter::Impl::next_segment(Stream& stream, std::size_t record_bytes, std::uint64_t sequence) noexcept {
  const KeepErrno keep;
  // The difference must fit 32 bits; the segment's base takes the rest.
  if (sequence != 0 && !stream.front.fits(sequence)) stream.front.last_sequence_ = sequence - 1;
  if (abandoned.load(std::memory_order_relaxed)) return to_nowhere(stream, record_bytes);
  try {
    std::unique_lock lock(mutex);
    if (stream.segment != nullptr && !closed) {
      queue_segment(*stream.segment);
      stream.segment = nullptr;
      spares = kSpares;
    }
    wait_for_room(lock);
    if (writable())
      if (Segment* segment = obtain_segment(lock, sizeof(ChunkHeader) + record_bytes)) return attach(stream, *segment);
  } catch (const std::bad_alloc&) {
    fail_with(ENOMEM, "making room for records");
  }
  to_nowhere(stream, record_bytes);
}

void CaptureWriter::Impl::queue_segment(Segment& segment) {
  const std::uint64_t bytes = segment.committed();
  queue.push_back({&segment, 0, {}, bytes});
  backlog += bytes;
  work.notify_one();
}

void CaptureWriter::Impl::wait_for_room(std::unique_lock<std::mutex>& lock) {
  room.wait(lock, [this] { return backlog <= options.backlog_bytes || !writable(); });
}

Segment* CaptureWriter::Impl::obtain_segment(std::unique_lock<std::mutex>& lock, std::size_t bytes) {
  bytes = static_cast<std::size_t>(spool.round_up(bytes));
  if (bytes == options.segment_bytes && !pool.empty()) {
    Segment* segment = pool.back();
    pool.pop_back();
    return segment;
  }
  int error = 0;
  Segment* segment = new_segment(lock, bytes, error);
  if (segment == nullptr) {
    lock.unlock();
    fail_with(error, "extending it");
    lock.lock();
  } else if (closed) {
    pool.push_back(segment);  // finish() cleans up
    return nullptr;
  }
  return segment;
}

// Called and returns with the lock held, but gives it up for the system calls.
Segment* CaptureWriter::Impl::new_segment(std::unique_lock<std::mutex>& lock, std::size_t bytes, int& error) {
  auto made = std::make_unique<Segment>();
  if (segments.size() == segments.capacity()) segments.reserve(2 * segments.size() + 8);
  if (pool.size() == pool.capacity()) pool.reserve(2 * pool.size() + 8);
  const std::uint64_t offset = spool.take(bytes);
  ++allocating;
  lock.unlock();
  error = check_spool_end(offset + bytes);
  if (error == 0) error = map_segment(file, offset, bytes, *made);
  lock.lock();
  --allocating;
  room.notify_all();
  if (error != 0) {
    spool.give_back(offset);
    return nullptr;
  }
  pieces.add(made->map, made->bytes);
  segments.push_back(made.release());
  return segments.back();
}

void CaptureWriter::Impl::attach(Stream& stream, Segment& segment) {
  if (!stream.numbered) {
    stream.thread = next_thread++;
    stream.numbered = true;
  }
  ThreadStream& front = stream.front;
  segment.open(stream.thread, stream.ordinal++, front.last_sequence_, front.last_time_ns_);
  segment.in_use = true;
  stream.segment = &segment;
  front.base_ = front.cursor_ = segment.records();
  front.end_ = segment.map + segment.bytes;
  front.committed_ = &segment.header()->raw_bytes;
  spares = std::max<std::size_t>(spares, 1);
  if (wants_spare()) work.notify_one();
}

void CaptureWriter::Impl::to_nowhere(Stream& stream, std::size_t record_bytes) noexcept {
  const std::size_t wanted = sizeof(std::uint64_t) + record_bytes;
  if (stream.nowhere == nullptr || wanted > stream.nowhere_bytes) {
    std::free(stream.nowhere);
    stream.nowhere_bytes = (wanted / options.segment_bytes + 1) * options.segment_bytes;
    stream.nowhere = static_cast<std::byte*>(std::malloc(stream.nowhere_bytes));
    // A process may have as many mappings as it may, and memory all the same.
    if (stream.nowhere == nullptr) {
      stream.nowhere_bytes = wanted;
      stream.nowhere = static_cast<std::byte*>(std::malloc(wanted));
    }
    if (stream.nowhere == nullptr) std::abort();  // nor could the program go on
  }
  ThreadStream& front = stream.front;
  front.committed_ = reinterpret_cast<std::uint64_t*>(stream.nowhere);
  front.base_ = front.cursor_ = stream.nowhere + sizeof(std::uint64_t);
  front.end_ = stream.nowhere + stream.nowhere_bytes;
}

CaptureWriter::Impl::Stream* CaptureWriter::Impl::open_stream() {
  if (!abandoned.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(mutex);
    for (Stream* s = streams.load(); s != nullptr; s = s->next) {
      if (!s->closed) continue;
      s->closed = false;
      return s;
    }
  }
  auto* stream = new Stream;
  stream->front.writer_ = &owner;
  stream->front.segment_ = stream;
  stream->next = streams.load();
  while (!streams.compare_exchange_weak(stream->next, stream)) {
  }
  return stream;
}

void CaptureWriter::Impl::close_stream(Stream& stream) {
  if (abandoned.load(std::memory_order_relaxed)) return;
  const KeepErrno keep;
  const std::lock_guard lock(mutex);
  std::free(stream.nowhere);
  stream.nowhere = nullptr;
  if (stream.segment != nullptr && !closed) queue_segment(*stream.segment);
  stream.segment = nullptr;
  stream.numbered = false;
  stream.ordinal = 0;
  stream.front = ThreadStream();
  stream.front.writer_ = &owner;
  stream.front.segment_ = &stream;
  stream.closed = true;
}

// A record that refers to a blob which is not there must not be there, nor what comes after it.
void CaptureWriter::Impl::add_blob(Stream& stream, const Digest& digest, std::span<const std::byte> bytes) {
  if (abandoned.load(std::memory_order_relaxed) || try_add_blob(stream, digest, bytes)) return;
  const std::lock_guard lock(mutex);
  if (stream.segment != nullptr && !closed) queue_segment(*std::exchange(stream.segment, nullptr));
  to_nowhere(stream, 0);
}

// False: it may not be there.
bool CaptureWriter::Impl::try_add_blob(Stream& stream, const Digest& digest, std::span<const std::byte> bytes) {
  if (broken.load()) return false;
  bool* done = nullptr;
  {
    std::unique_lock lock(blob_mutex);
    const auto [it, fresh] = blobs.try_emplace(digest, false);
    done = &it->second;  // stays where it is
    if (!fresh) {
      // The other thread's copy must be durable before ours may be referred to.
      blob_added.wait(lock, [&] { return *done; });
      return !broken.load();
    }
  }
  struct Added {  // whatever happens: others wait for it
    Impl& writer;
    bool& done;
    bool whole = false;
    ~Added() {
      if (!whole) writer.fail_with(ENOMEM, "adding a blob");
      const std::lock_guard lock(writer.blob_mutex);
      done = true;
      writer.blob_added.notify_all();
    }
  } added{*this, *done};
  if (bytes.size() <= kBlobInStream) {
    std::byte* body = stream.front.begin(0, kRecordBlob, 0, sizeof digest + bytes.size());
    std::memcpy(body, &digest, sizeof digest);
    if (!bytes.empty()) std::memcpy(body + sizeof digest, bytes.data(), bytes.size());
    stream.front.commit();
  } else {
    const std::uint32_t head[2] = {1, 0};
    const BlobEntry entry{digest.low, digest.high, bytes.size()};
    const std::span<const std::byte> pieces[] = {bytes_of(head), bytes_of(entry), bytes};
    spool_chunk(chunk_header(ChunkType::blobs), pieces);
  }
  added.whole = true;
  return !broken.load();
}

// Payload first: a header in the file means that the chunk is whole.
std::uint64_t CaptureWriter::Impl::write_chunk(std::uint64_t offset, ChunkHeader& header,
                                               std::span<const std::span<const std::byte>> pieces, int& error) {
  XXH3_state_t hash;
  XXH3_64bits_reset(&hash);
  std::uint64_t at = offset + sizeof header;
  error = 0;
  for (const std::span<const std::byte> piece : pieces) {
    XXH3_64bits_update(&hash, piece.data(), piece.size());
    if (error == 0) error = file.write(at, piece);
    at += piece.size();
  }
  header.stored_bytes = header.raw_bytes = at - offset - sizeof header;
  header.payload_checksum = XXH3_64bits_digest(&hash);
  header.header_checksum = header_checksum_of(header);
  if (error == 0) error = file.write(offset, bytes_of(header));
  return header.stored_bytes;
}

void CaptureWriter::Impl::spool_chunk(ChunkHeader header, std::span<const std::span<const std::byte>> pieces) {
  const KeepErrno keep;
  const std::uint64_t sequence = owner.sequence_.load();
  std::uint64_t bytes = 0;
  for (const auto& piece : pieces) bytes += piece.size();
  std::unique_lock lock(mutex);
  wait_for_room(lock);
  if (!writable()) return;
  if (type_of(header) == ChunkType::session) header.ordinal = next_session++;
  const std::uint64_t slot_bytes = spool.round_up(sizeof header + bytes);
  const std::uint64_t offset = spool.take(slot_bytes);
  ++allocating;
  lock.unlock();
  int error = check_spool_end(offset + slot_bytes);
  if (error == 0) {
    write_chunk(offset, header, pieces, error);
    if (error != 0) file.clear(offset, slot_bytes);
  }
  if (error != 0) {
    fail_with(error, "writing a chunk");
  }
  lock.lock();
  --allocating;
  room.notify_all();
  if (error != 0) return spool.give_back(offset);
  queue.push_back({nullptr, offset, header, bytes, {}, sequence});
  backlog += bytes;
  work.notify_one();
}

void CaptureWriter::Impl::queue_session(std::string json) {
  const std::lock_guard lock(mutex);
  if (!writable()) return;
  Job job{nullptr, 0, chunk_header(ChunkType::session), json.size(), std::move(json)};
  job.chunk.ordinal = next_session;
  queue.push_back(std::move(job));
  ++next_session;
  backlog += queue.back().bytes;
  work.notify_one();
}

template <class Text>
void CaptureWriter::Impl::fail_as(const Text& text) {
  const std::lock_guard lock(mutex);
  if (!owner.failed_.load()) {
    try {
      failure = options.path + ": " + text();
    } catch (const std::bad_alloc&) {  // then it has no words
    }
    owner.failed_.store(true, std::memory_order_release);
  }
  room.notify_all();
}

void CaptureWriter::Impl::fail_with(int error, const char* doing) {
  broken.store(true);
  fail_as([&] { return errno_text(error) + " while " + doing; });
}

void CaptureWriter::Impl::fail_because(const std::string& why) {
  fail_as([&] { return why; });
}

Result<std::unique_ptr<CaptureWriter>> CaptureWriter::create(const WriterOptions& options) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (options.segment_bytes < page || options.segment_bytes % page != 0)
    return fail(Status::usage, "segment_bytes must be a multiple of the page size");
  if (const std::string limit = too_small_a_file_limit(); !limit.empty()) return fail(Status::usage, limit);
  auto file = File::create(options.path);
  if (!file) return tl::unexpected<Error>(std::move(file).error());
  std::unique_ptr<CaptureWriter> writer(new CaptureWriter());
  writer->impl_ = std::make_unique<Impl>(*writer, options, std::move(*file));
  if (auto started = writer->impl_->start(); !started) {
    ::unlink(options.path.c_str());
    return tl::unexpected<Error>(std::move(started).error());
  }
  return writer;
}

CaptureWriter::CaptureWriter() = default;

CaptureWriter::~CaptureWriter() {
  // In a forked child the parent's threads may have held any of its locks.
  if (impl_ != nullptr && impl_->abandoned.load()) static_cast<void>(impl_.release());
}

ThreadStream* CaptureWriter::open_stream() { return &impl_->open_stream()->front; }
void CaptureWriter::close_stream(ThreadStream* stream) {
  impl_->close_stream(*static_cast<Impl::Stream*>(stream->segment_));
}

void CaptureWriter::add_blob(ThreadStream& stream, const Digest& digest, std::span<const std::byte> bytes) {
  impl_->add_blob(*static_cast<Impl::Stream*>(stream.segment_), digest, bytes);
}

void CaptureWriter::add_session(std::string_view json) {
  if (impl_->abandoned.load() || failed() || json.empty()) return;
  const std::span<const std::byte> piece = std::as_bytes(std::span(json));
  impl_->spool_chunk(chunk_header(ChunkType::session), std::span(&piece, 1));
}

void CaptureWriter::add_session_later(std::string json) {
  if (!impl_->abandoned.load() && !failed() && !json.empty()) impl_->queue_session(std::move(json));
}

void CaptureWriter::note_structure(std::uint16_t id) { impl_->structures.add(id); }

std::string CaptureWriter::failure() const {
  if (impl_->abandoned.load()) return "this process was forked from the recorded one";
  const std::lock_guard lock(impl_->mutex);
  return impl_->failure_text();
}

bool CaptureWriter::replace_lost(std::uintptr_t address) noexcept {
  // A forked child has none of them.
  if (impl_->abandoned.load()) return false;
  const MappedPieces::Piece piece = impl_->pieces.find(address);
  if (piece.start == 0) return false;
  if (::mmap(reinterpret_cast<void*>(piece.start), piece.bytes, PROT_READ | PROT_WRITE,
             MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
    return false;
  impl_->lost.store(true);
  impl_->broken.store(true);
  failed_.store(true, std::memory_order_release);
  return true;
}

Result<CaptureWriter::Summary> CaptureWriter::finish(Ending ending, unsigned calls_ms) {
  return impl_->finish(ending, calls_ms);
}
void CaptureWriter::hurry() { impl_->hurried.store(true); }
void CaptureWriter::abandon() { impl_->abandon(); }

}  // namespace rondo
