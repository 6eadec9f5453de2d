// SPDX-License-Identifier: Apache-2.0
#include "format/reader.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "format/address_space.h"
#include "format/columns.h"
#include "format/dictionary.h"
#include "format/reader_impl.h"

namespace rondo {

namespace {

// Of all sessions together. A session is some kilobytes; a command line of the greatest length is twelve megabytes at
// most in JSON. Who reads a session makes a tree of it, which takes many times its bytes.
constexpr std::uint64_t kMostSessionBytes = std::uint64_t{16} << 20;

}  // namespace

Result<NumberCount> count_numbers(const File& file, const ChunkInfo& chunk, std::size_t budget) {
  const auto payload = load_records(file, chunk, budget);
  if (!payload) return tl::unexpected<Error>(payload.error());
  NumberCount count;
  RecordWalk walk(payload->bytes(), chunk.header.base_sequence);
  while (walk.next()) {
    if (!walk.numbered()) continue;
    ++count.numbered;
    count.calls += walk.kind() == kRecordCall ? 1 : 0;
    count.last_sequence = walk.last_sequence();
  }
  return count;
}

std::vector<std::vector<std::size_t>> chunks_by_thread(const std::vector<ChunkInfo>& chunks) {
  struct Thread {
    std::vector<std::size_t> records, segments;
    std::int64_t last_ordinal = -1;
  };
  std::map<std::uint32_t, Thread> threads;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const ChunkHeader& h = chunks[i].header;
    if (type_of(h) == ChunkType::records) {
      Thread& t = threads[h.thread];
      t.records.push_back(i);
      t.last_ordinal = std::max<std::int64_t>(t.last_ordinal, h.ordinal);
    } else if (type_of(h) == ChunkType::segment && h.raw_bytes != 0) {
      threads[h.thread].segments.push_back(i);
    }
  }
  std::vector<std::vector<std::size_t>> result;
  for (auto& [thread, t] : threads) {
    // The recorder died between writing a chunk and freeing its segment.
    t.segments.erase(
        std::remove_if(t.segments.begin(), t.segments.end(),
                       [&, last = t.last_ordinal](std::size_t i) { return chunks[i].header.ordinal <= last; }),
        t.segments.end());
    std::stable_sort(t.segments.begin(), t.segments.end(),
                     [&](std::size_t a, std::size_t b) { return chunks[a].header.ordinal < chunks[b].header.ordinal; });
    t.records.insert(t.records.end(), t.segments.begin(), t.segments.end());
    if (!t.records.empty()) result.push_back(std::move(t.records));
  }
  return result;
}

Result<std::unique_ptr<Reader>> Reader::open(const std::string& path, const ReaderOptions& options) {
  auto file = File::open(path, false);
  if (!file) return tl::unexpected<Error>(std::move(file).error());
  auto layout = read_layout(*file);
  if (!layout) return tl::unexpected<Error>(std::move(layout).error());
  if (!layout->complete && file->locked_by_other()) {
    layout->cut_reason = "it is still being recorded: wait until its program ends";
    layout->cut_short = false;  // it grew while it was read
  }
  auto reader = std::make_unique<FileReader>(std::move(*file), std::move(*layout), options);
  RONDO_TRY(reader->prepare());
  return std::unique_ptr<Reader>(std::move(reader));
}

std::size_t machine_memory() {
  const std::size_t limit = address_space_limit().value_or(SIZE_MAX);
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return std::min(std::size_t{4} << 30, limit);
  return std::min(static_cast<std::size_t>(pages) * static_cast<std::size_t>(page), limit);
}

FileReader::FileReader(File file, CaptureLayout layout, const ReaderOptions& options)
    : file_(std::move(file)),
      layout_(std::move(layout)),
      options_(options),
      memory_{options.memory_budget != 0 ? options.memory_budget : machine_memory() / 2, 0, 0},
      blobs_(file_, chunks_, memory_, options_.files) {}

Result<void> FileReader::prepare() {
  chunks_ = layout_.chunks;
  chunks_.insert(chunks_.end(), layout_.spool.begin(), layout_.spool.end());
  RONDO_TRY(read_dictionary_and_sessions());
  for (const std::vector<std::size_t>& indexes : chunks_by_thread(chunks_)) {
    std::vector<const ChunkInfo*>& thread = threads_.emplace_back();
    for (const std::size_t i : indexes) thread.push_back(&chunks_[i]);
  }
  return rewind();
}

Result<void> FileReader::read_dictionary_and_sessions() {
  std::map<std::uint32_t, std::string> sessions;  // by ordinal; one may lie in data and spool
  std::vector<ExternalFile> files;
  std::uint64_t session_bytes = 0;
  for (const ChunkInfo& chunk : chunks_) {
    const ChunkType type = type_of(chunk.header);
    if (type != ChunkType::dictionary && type != ChunkType::session && type != ChunkType::files) continue;
    if (type == ChunkType::session) session_bytes += std::min(chunk.header.raw_bytes, kMostSessionBytes + 1);
    // Rows of files take more than they do in the file.
    Result<Payload> payload = fail(Status::unreadable, "");
    if (session_bytes > kMostSessionBytes && type == ChunkType::session)
      payload =
          fail(Status::unreadable, at_offset(file_, chunk.offset) + ": the session has more than " +
                                       std::to_string(kMostSessionBytes >> 20) + " MiB here, which no recorder writes");
    else
      payload = load_payload(file_, chunk, memory_.left_for_records() / (type == ChunkType::files ? 8 : 1));
    Result<void> used;
    if (!payload) {
      used = tl::unexpected<Error>(std::move(payload).error());
    } else if (type == ChunkType::dictionary) {
      used = parse_dictionary(file_, chunk, std::as_const(*payload).bytes(), dictionary_);
    } else if (type == ChunkType::files) {
      used = parse_files(file_, chunk, std::as_const(*payload).bytes(), files);
    } else {
      const std::span<const std::byte> text = std::as_const(*payload).bytes();
      sessions.try_emplace(chunk.header.ordinal, reinterpret_cast<const char*>(text.data()), text.size());
    }
    if (used) continue;
    if (!options_.salvage) {
      used.error().message += "; `player --salvage` plays what can be read without it";
      return used;
    }
    names_lost_ = names_lost_ || type == ChunkType::dictionary;
    layout_.cut_reason += (layout_.cut_reason.empty() ? "" : "; ") + used.error().message;
  }
  for (auto& [ordinal, text] : sessions) sessions_.push_back(std::move(text));
  blobs_.set_files(std::move(files));
  return {};
}

std::uint64_t FileReader::gaps() const {
  if (layout_.complete) return layout_.footer.gaps;
  if (gaps_) return *gaps_;
  NumberCount all;
  for (const auto& thread : threads_) {
    for (const ChunkInfo* chunk : thread) {
      // What cannot be read is missing.
      const auto count = count_numbers(file_, *chunk, memory_.left_for_records());
      all.numbered += count ? count->numbered : 0;
      all.last_sequence = std::max({all.last_sequence, chunk->header.last_sequence, count ? count->last_sequence : 0});
    }
  }
  gaps_ = all.last_sequence - std::min(all.last_sequence, all.numbered);
  return *gaps_;
}

std::vector<std::string> FileReader::damaged_chunks() const {
  std::vector<std::string> damaged;
  if (layout_.damaged) damaged.push_back(path() + ": " + layout_.cut_reason);
  for (const ChunkInfo& chunk : layout_.chunks) {
    const Result<void> intact = check_stored_bytes(file_, chunk);
    if (!intact) damaged.push_back(intact.error().message);
  }
  return damaged;
}

Result<void> FileReader::rewind() {
  turns_.clear();
  cursors_.clear();
  delivered_ = nullptr;
  hidden_.reset();
  last_sequence_ = 0;
  ended_ = false;
  for (const auto& thread : threads_) {
    cursors_.push_back(std::make_unique<ThreadCursor>(file_, thread, memory_));
    queue_turn(*cursors_.back());
  }
  return {};
}

void FileReader::queue_turn(ThreadCursor& cursor) {
  auto sequence = cursor.peek();
  if (!sequence) {
    if (!hidden_) hidden_ = std::move(sequence).error();
  } else if (*sequence) {
    turns_.push_back({**sequence, &cursor});
    std::push_heap(turns_.begin(), turns_.end());
  }
}

void FileReader::end(const std::string& why) {
  ended_ = true;
  if (layout_.cut_reason.find(why) == std::string::npos)
    layout_.cut_reason += (layout_.cut_reason.empty() ? "" : "; ") + why;
}

// The next number is not there.
Result<std::optional<Record>> FileReader::stop() {
  if (hidden_ && !options_.salvage) return tl::unexpected<Error>(*hidden_);
  if (hidden_) {
    end(hidden_->message);
  } else if (!turns_.empty()) {
    end("number " + std::to_string(last_sequence_ + 1) + " is missing, what follows it is not used");
  }
  ended_ = true;
  return std::optional<Record>();
}

Result<std::optional<Record>> FileReader::next() {
  if (ended_) return std::optional<Record>();
  if (delivered_ != nullptr) queue_turn(*std::exchange(delivered_, nullptr));
  for (;;) {
    if (turns_.empty()) return stop();
    const Turn turn = turns_.front();
    if (turn.sequence <= last_sequence_) {
      hidden_ = Error{Status::unreadable, file_.path() + ": number " + std::to_string(turn.sequence) + " occurs twice"};
      return stop();
    }
    if (turn.sequence != last_sequence_ + 1) return stop();
    std::pop_heap(turns_.begin(), turns_.end());
    turns_.pop_back();
    auto record = turn.cursor->take();
    if (!record) {
      hidden_ = std::move(record).error();
      return stop();
    }
    last_sequence_ = turn.sequence;
    if (*record) {
      delivered_ = turn.cursor;
      return record;
    }
    queue_turn(*turn.cursor);
  }
}

}  // namespace rondo
