// SPDX-License-Identifier: Apache-2.0
// The inside of CaptureWriter. Three kinds of threads meet here: the
// program's (each in its own stream), the background thread, and the one that
// calls finish(). Members are grouped by what guards them.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "format/assembler.h"
#include "format/file_references.h"
#include "format/mapped_pieces.h"
#include "format/segment.h"
#include "format/spool_map.h"
#include "format/writer.h"

namespace rondo {

struct CaptureWriter::Impl {
  // A stream and what the writer knows of it. Never freed before the writer:
  // a forked child may have to reach every one of them.
  struct Stream {
    ThreadStream front;
    Stream* next = nullptr;        // in `streams`
    std::uint32_t thread = 0;      // given with the first segment
    bool numbered = false;         // `thread` is valid
    std::uint32_t ordinal = 0;     // of the next segment
    Segment* segment = nullptr;    // guarded by `mutex`
    bool closed = false;           // guarded by `mutex`: may be opened again
    std::byte* nowhere = nullptr;  // private memory when there is no file to write to; owner only
    std::size_t nowhere_bytes = 0;
  };
  // What the background thread has to do, oldest first.
  struct Job {
    Segment* segment = nullptr;      // a full segment, or
    std::uint64_t chunk_offset = 0;  // a spooled chunk
    ChunkHeader chunk{};
    std::uint64_t bytes = 0;     // counted in `backlog`
    std::string session{};       // or one that lies in no slot; then only `chunk` and `bytes` are set
    std::uint64_t sequence = 0;  // of a spooled chunk: records up to this number do not need it
  };
  struct Pinned {  // its blobs are not in a chunk yet
    Segment* segment;
    std::uint64_t flushes;
  };

  Impl(CaptureWriter& owner, const WriterOptions& options, File file);
  ~Impl();

  // Program threads.
  void next_segment(Stream& stream, std::size_t record_bytes, std::uint64_t sequence) noexcept;
  void add_blob(Stream& stream, const Digest& digest, std::span<const std::byte> bytes);
  // Puts an uncompressed chunk into the spool, durable, and queues it.
  void spool_chunk(ChunkHeader header, std::span<const std::span<const std::byte>> pieces);
  void queue_session(std::string json);
  Stream* open_stream();
  void close_stream(Stream& stream);
  void fail_with(int error, const char* doing);
  void fail_because(const std::string& why);
  template <class Text>
  void fail_as(const Text& text);  // what it says, made with the lock held

  // Start and end.
  Result<void> start();
  Result<Summary> finish(Ending ending, unsigned calls_ms);
  std::string failure_text() const;  // with `mutex`
  void abandon();

  CaptureWriter& owner;
  const WriterOptions options;
  File file;
  FileHeader file_header{};  // as it was written
  StructureSet structures;
  std::atomic<bool> abandoned{false};  // in a forked child
  // nothing can be added any more; until then what has failed is whole up to its end
  std::atomic<bool> broken{false};
  std::atomic<Stream*> streams{nullptr};  // all of them
  std::atomic<bool> hurried{false};

  std::mutex mutex;
  std::condition_variable work;  // for the background thread
  std::condition_variable room;  // for writers that wait for the backlog to shrink
  SpoolMap spool;
  std::deque<Job> queue;
  std::vector<Segment*> segments;  // all that are mapped
  std::vector<Segment*> pool;      // those nobody uses
  std::size_t spares = 0;          // how many the pool should hold, ready for the program's threads
  std::uint64_t backlog = 0;
  std::uint64_t cut = UINT64_MAX;  // finish() takes the numbers up to this one
  std::uint64_t written = 0;       // numbers that the background thread has put into chunks
  std::int64_t written_open = 0;   // calls among these that have no second part there
  std::uint32_t next_thread = 0;
  std::uint32_t next_session = 0;
  std::uint32_t allocating = 0;  // threads that are extending the file right now
  bool closed = false;           // streams write to nowhere
  bool stopping = false;
  bool finished = false;
  std::string failure;
  MappedPieces pieces;            // of the file; read without `mutex`
  std::atomic<bool> lost{false};  // some of them are not the file's any more

  std::mutex blob_mutex;
  std::condition_variable blob_added;
  std::unordered_map<Digest, bool> blobs;  // true: in the capture; false: being added

  // The background thread; after it has ended, the one in finish().
  DataRegion region;
  ChunkAssembler assembler;
  FileReferences references;
  bool files_usable = false;  // by the thread that runs
  std::vector<Pinned> pinned;
  std::uint64_t dictionary_offset = 0;  // of the full dictionary in the spool
  std::uint64_t dictionary_bytes = 0;
  bool append_failed = false;  // the rest stays in the spool
  int append_error = 0;        // … for this reason
  int detach_error = 0;        // a thread still writes into the file: it must not shrink
  pthread_t thread{};
  bool thread_runs = false;

 private:
  // Program threads.
  void to_nowhere(Stream& stream, std::size_t record_bytes) noexcept;
  Segment* obtain_segment(std::unique_lock<std::mutex>& lock, std::size_t bytes);
  Segment* new_segment(std::unique_lock<std::mutex>& lock, std::size_t bytes, int& error);
  void attach(Stream& stream, Segment& segment);
  void queue_segment(Segment& segment);
  void wait_for_room(std::unique_lock<std::mutex>& lock);
  bool writable() const { return !closed && !broken.load(); }
  bool try_add_blob(Stream& stream, const Digest& digest, std::span<const std::byte> bytes);
  std::uint64_t write_chunk(std::uint64_t offset, ChunkHeader& header,
                            std::span<const std::span<const std::byte>> pieces, int& error);

  // Background.
  static void* run(void* impl);
  void loop();
  void loop_until_stopped();
  void glance();  // at files, where places are looked for
  void do_job(const Job& job);
  int do_segment(Segment& segment);
  int do_chunk(const Job& job);
  int append_over_slot(const Job& job, std::uint64_t slot_bytes, std::span<const std::byte> payload);
  bool append_from_files(std::span<const std::byte> payload, int& error);
  void release_pinned();
  void recycle(Segment& segment);
  void free_slot(std::uint64_t offset, std::uint64_t bytes);
  int write_spool_dictionary();
  void keep_spool_tidy();
  bool wants_spare() const;
  DataRegion::Load load_behind(const Job& job) const;  // once it has been taken
  void make_spare(std::unique_lock<std::mutex>& lock);

  // Finishing.
  struct Settled {
    bool numbers;  // every one has been committed
    bool calls;    // none is without its second part
  };
  Settled settled(std::uint64_t last);
  void settle(std::uint64_t last, unsigned calls_ms);
  bool is_whole();
  int close_file(Ending ending);
};

}  // namespace rondo
