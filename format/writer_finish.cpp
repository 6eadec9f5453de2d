// SPDX-License-Identifier: Apache-2.0
// How a recording begins and ends.
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "format/chunk_io.h"
#include "format/file_header.h"
#include "format/file_limit.h"
#include "format/record_walk.h"
#include "format/writer_impl.h"

namespace rondo {
namespace {

constexpr std::uint64_t kFarBase = 256u << 20;
constexpr std::uint64_t kNearBase = 16u << 20;
constexpr std::uint64_t kSmallLimit = 4 * kNearBase;  // of the size of files: below it everything is smaller
// How long finish() waits for threads that have taken a number and not yet
// committed its record: they are between two lines of the recorder.
constexpr unsigned kSettleMilliseconds = 200;
constexpr std::size_t kThreadStack = 1u << 20;

// Whether a file may be long and short of blocks: on FAT and others, what lies before the
// spool would be written as zeros. Tried out on the empty file.
bool has_holes(const File& file) {
  constexpr std::uint64_t gap = 4u << 20;
  const std::byte byte{1};
  struct stat found {};
  const bool tried = file.write(gap, std::span(&byte, 1)) == 0 && ::fstat(file.descriptor(), &found) == 0;
  return file.truncate(0) == 0 && tried && static_cast<std::uint64_t>(found.st_blocks) * 512 < gap;
}

// Where files may be small only, several segments have room in one.
WriterOptions fitted(WriterOptions options) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t most = most_file_bytes();
  if (most < kNearBase)
    options.segment_bytes =
        std::min<std::size_t>(options.segment_bytes, std::max(most / 64 / page, std::uint64_t{1}) * page);
  return options;
}

SpoolMap new_spool(const WriterOptions& options, const File& file) {
  const std::uint64_t most = most_file_bytes();
  const bool far = most >= 2 * kFarBase && has_holes(file);
  const std::uint64_t base = options.spool_base != 0 ? options.spool_base
                             : far                   ? kFarBase
                             : most < kSmallLimit    ? most / 8 * 3
                                                     : kNearBase;
  const std::uint64_t segments = (base + options.segment_bytes - 1) / options.segment_bytes;
  return {options.segment_bytes, segments * options.segment_bytes, far && most == RLIM_INFINITY, most};
}

}  // namespace

std::uint64_t most_file_bytes() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : kSmallLimit;
}

int check_spool_end(std::uint64_t end) {
  const std::uint64_t most = most_file_bytes();
  return end > most - most / 8 ? EFBIG : 0;
}

std::string too_small_a_file_limit() {
  const std::uint64_t most = most_file_bytes();
  if (most >= kSmallestFileLimit) return {};
  return "files may not grow beyond " + std::to_string(most) + " bytes here, and a capture needs " +
         std::to_string(kSmallestFileLimit) + ": raise the limit (ulimit -f)";
}

CaptureWriter::Impl::Impl(CaptureWriter& owner_, const WriterOptions& options_, File file_)
    : owner(owner_),
      options(fitted(options_)),
      file(std::move(file_)),
      spool(new_spool(options, file)),
      region(file, options.compression, sizeof(FileHeader), {},
             [this](std::uint64_t end, std::uint64_t bytes) {
               const std::lock_guard lock(mutex);
               return spool.place_data(end, bytes);
             }),
      assembler(region, options.dictionary, structures),
      references(options.files, options.file_check, options.places) {}

CaptureWriter::Impl::~Impl() {
  if (thread_runs) {  // never finished: the file stays as one whose program died
    {
      const std::lock_guard lock(mutex);
      closed = stopping = true;
    }
    work.notify_all();
    ::pthread_join(thread, nullptr);
  }
  for (Segment* segment : segments) {
    unmap_segment(*segment);
    delete segment;
  }
  for (Stream* s = streams.load(); s != nullptr;) {
    Stream* next = s->next;
    std::free(s->nowhere);
    delete s;
    s = next;
  }
}

Result<void> CaptureWriter::Impl::start() {
  file_header = new_file_header(options.segment_bytes);
  int error = file.write(0, std::as_bytes(std::span(&file_header, 1)));
  if (error == 0) error = write_spool_dictionary();
  if (error == 0) {
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGBUS);  // CaptureWriter::replace_lost()
    sigdelset(&all, SIGSYS);  // of a program that forbids itself system calls, and has its handler answer them
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, kThreadStack);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    error = ::pthread_create(&thread, &attributes, run, this);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::pthread_attr_destroy(&attributes);
    thread_runs = error == 0;
  }
  if (error != 0) return fail(Status::failed, "cannot record to " + options.path + ": " + errno_text(error));
  return {};
}

// Of the numbers up to `last`.
CaptureWriter::Impl::Settled CaptureWriter::Impl::settled(std::uint64_t last) {
  const std::lock_guard lock(mutex);
  std::uint64_t count = written;
  std::int64_t open = written_open;
  for (Segment* segment : segments) {
    if (!segment->in_use) continue;
    RecordWalk walk(segment->content().subspan(segment->counted_bytes), segment->counted_sequence);
    while (walk.next()) {
      segment->counted_sequence = walk.last_sequence();
      if (walk.numbered() && walk.last_sequence() <= last) ++segment->counted;
      if (walk.last_sequence() <= last) segment->counted_open += opened_by(walk.header());
      segment->counted_bytes += walk.header().bytes;
    }
    count += segment->counted;
    open += segment->counted_open;
  }
  return {count >= last, open <= 0};
}

void CaptureWriter::Impl::settle(std::uint64_t last, unsigned calls_ms) {
  for (unsigned waited = 0, pause = 1; !broken.load(); waited += pause) {
    const Settled now = settled(last);
    const bool waits_for_calls = !now.calls && waited < calls_ms && !hurried.load();
    if ((now.numbers || waited >= kSettleMilliseconds) && !waits_for_calls) return;
    if (waited >= kSettleMilliseconds) pause = 10;  // it takes long: nobody is in a hurry
    const timespec time{0, static_cast<long>(pause) * 1'000'000};
    ::nanosleep(&time, nullptr);
  }
}

Result<CaptureWriter::Summary> CaptureWriter::Impl::finish(Ending ending, unsigned calls_ms) {
  if (abandoned.load())
    return fail(Status::failed, options.path + ": a forked child cannot close its parent's capture");
  std::uint64_t last = 0;
  {
    // What the background thread took before this has no higher numbers.
    const std::lock_guard lock(mutex);
    if (finished) return fail(Status::failed, options.path + ": this capture is closed already");
    finished = true;
    cut = last = owner.sequence_.load();
  }
  settle(last, calls_ms);
  {
    std::unique_lock lock(mutex);
    closed = true;
    room.notify_all();
    room.wait(lock, [this] { return allocating == 0; });
    for (Stream* s = streams.load(); s != nullptr; s = s->next) {
      if (s->segment == nullptr) continue;
      s->segment->in_stream = true;
      queue_segment(*s->segment);
    }
    stopping = true;
  }
  work.notify_all();
  ::pthread_join(thread, nullptr);
  thread_runs = false;
  if (!is_whole()) {
    // What somebody made of the file stays: what is left is no capture.
    for (Segment* segment : segments) static_cast<void>(detach_segment(*segment));
    file.close();
    const std::lock_guard lock(mutex);
    return fail(Status::failed, failure_text());
  }
  const int error = close_file(owner.failed() ? Ending::stopped : ending);
  file.close();
  if (error != 0) fail_with(error, "closing it");
  if (error != 0)
    return fail(Status::failed, failure +
                                    "; what was recorded is there, but not closed: make room and run `rondo finish " +
                                    options.path + "`");
  if (owner.failed()) return fail(Status::failed, failure + "; the capture ends there");
  return Summary{assembler.calls(), region.end()};
}

std::string CaptureWriter::Impl::failure_text() const {
  if (!lost.load() || !failure.empty()) return failure;
  return options.path + ": truncated, or its disk full, while it was recorded";
}

// Whether the file still has its beginning, and all that is mapped of it, as far as it can be seen.
bool CaptureWriter::Impl::is_whole() {
  if (file.descriptor() < 0) return !lost;
  const std::lock_guard lock(mutex);
  FileHeader now{};
  std::uint64_t end = sizeof now;
  for (const Segment* segment : segments) end = std::max(end, segment->offset + segment->bytes);
  if (file.bytes() < end || !file.read(0, std::as_writable_bytes(std::span(&now, 1))) ||
      std::memcmp(&now, &file_header, sizeof now) != 0)
    lost = true;
  return !lost;
}

// Alone with the file, but for threads that still write into open segments.
int CaptureWriter::Impl::close_file(Ending ending) {
  std::vector<Segment*> unused;
  {
    const std::lock_guard lock(mutex);
    unused.swap(pool);
  }
  for (Segment* segment : unused) recycle(*segment);
  append_failed = false;  // that may have made room
  while (!append_failed && !queue.empty()) {
    const Job job = std::move(queue.front());
    queue.pop_front();
    do_job(job);
    if (!append_failed || append_error != EFBIG) continue;
    // A limit of a file's size stays what it is: the capture ends before what it has no room for. On a full
    // disk the rest stays in the spool: who makes room can finish the capture with it.
    queue.pop_front();
    append_failed = false;
    const std::lock_guard lock(mutex);
    cut = std::min(cut, job.segment != nullptr ? job.segment->header()->base_sequence : job.sequence);
  }
  region.keep_below(UINT64_MAX);
  int error = append_failed ? EIO : assembler.flush_blobs();
  if (error == 0) release_pinned();
  // Whatever happened, nobody writes into the file from here on.
  for (Segment* segment : segments)
    if (segment->in_use || segment->in_stream)
      if (const int detach = detach_segment(*segment)) detach_error = detach;
  if (error == 0) error = detach_error;
  if (error != 0) return error;
  free_slot(dictionary_offset, dictionary_bytes);
  error = assembler.close(ending, 0);
  return error != 0 ? error : region.clear_paddings();
}

void CaptureWriter::Impl::abandon() {
  abandoned.store(true);
  // The child has no mapping of the segments (MADV_DONTFORK), and must not have.
  for (Stream* s = streams.load(); s != nullptr; s = s->next)
    s->front.cursor_ = s->front.end_ = s->front.base_ = nullptr;
  file.close();
}

}  // namespace rondo
