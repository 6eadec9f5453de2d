// SPDX-License-Identifier: Apache-2.0
#include "format/thread_cursor.h"

#include "format/columns.h"
#include "format/varint.h"

namespace rondo {
namespace {

// A thread records little between a call's two parts. Hostile files may claim
// otherwise: the search ends somewhere.
constexpr std::size_t kRecordsAhead = 65536;
constexpr std::size_t kChunksAhead = 3;

}  // namespace

ThreadCursor::~ThreadCursor() {
  for (const Loaded& l : loaded_) memory_.records -= l.payload.size();
}

bool ThreadCursor::load_next() {
  const ChunkInfo& chunk = *chunks_[next_chunk_];
  auto payload = load_records(file_, chunk, memory_.left_for_records());
  if (!payload) {
    error_ = std::move(payload).error();
    return false;
  }
  ++next_chunk_;
  memory_.records += payload->size();
  Loaded& l = loaded_.emplace_back(Loaded{&chunk, std::move(*payload), nullptr, chunk.header.base_time_ns});
  l.walk = std::make_unique<RecordWalk>(std::as_const(l.payload).bytes(), chunk.header.base_sequence);
  return true;
}

ThreadCursor::Scan ThreadCursor::damaged(const Loaded& in) {
  error_ = Error{Status::unreadable, at_offset(file_, in.chunk->offset) + ": the record at byte " +
                                         std::to_string(in.walk->offset()) + " of the chunk is damaged"};
  return Scan::failed;
}

bool ThreadCursor::accept(Loaded& in) {
  const RecordWalk& walk = *in.walk;
  if (walk.kind() == kRecordBlob) return type_of(in.chunk->header) == ChunkType::segment;
  RecordBody body;
  if (!parse_body(walk.header(), walk.body(), in.last_time_ns, body)) return false;
  if (walk.kind() == kRecordResult) {
    std::uint64_t back = 0;
    const std::byte* end = body.payload.data() + body.payload.size();
    if (get_varint(body.payload.data(), end, back) != end || back >= walk.last_sequence()) return false;
    body.payload = {};
    if (second_parts_.size() >= kRecordsAhead) second_parts_.clear();  // nobody has asked for these
    second_parts_.insert_or_assign(walk.last_sequence() - back, SecondPart{walk.header().flags, body});
    return true;
  }
  const std::uint64_t sequence = walk.last_sequence();
  if (sequence <= last_scanned_) return false;
  if (in.first_seen == 0) {
    in.first_seen = sequence;
    // The merge relies on what the header announced.
    if (type_of(in.chunk->header) == ChunkType::records && in.chunk->header.first_sequence != sequence) return false;
  }
  last_scanned_ = sequence;
  ahead_.push_back({&in, walk.header(), sequence, body});
  return true;
}

ThreadCursor::Scan ThreadCursor::scan() {
  if (error_) return Scan::failed;
  if (!loaded_.empty()) {
    Loaded& l = loaded_.back();
    if (l.walk->next()) return accept(l) ? Scan::found : damaged(l);
    if (l.walk->damaged()) return damaged(l);
    if (type_of(l.chunk->header) == ChunkType::records && l.first_seen == 0 && l.chunk->header.first_sequence != 0)
      return damaged(l);
  }
  release_done();
  if (next_chunk_ == chunks_.size()) return Scan::nothing;
  return load_next() ? Scan::found : Scan::failed;
}

// All loaded chunks have been scanned: drops those that no waiting record lies in.
void ThreadCursor::release_done() {
  while (!loaded_.empty() && (ahead_.empty() || ahead_.front().in != &loaded_.front())) {
    memory_.records -= loaded_.front().payload.size();
    loaded_.pop_front();
  }
}

Result<std::optional<std::uint64_t>> ThreadCursor::peek() {
  for (;;) {
    if (!ahead_.empty()) return std::optional(ahead_.front().sequence);
    if (loaded_.empty() && !error_ && next_chunk_ < chunks_.size() && chunks_[next_chunk_]->header.first_sequence != 0)
      return std::optional(chunks_[next_chunk_]->header.first_sequence);  // not loaded before its turn
    switch (scan()) {
      case Scan::found:
        break;
      case Scan::nothing:
        return std::optional<std::uint64_t>();
      case Scan::failed:
        return tl::unexpected<Error>(*error_);
    }
  }
}

void ThreadCursor::find_second_part(std::uint64_t sequence) {
  while (second_parts_.find(sequence) == second_parts_.end() && ahead_.size() < kRecordsAhead &&
         loaded_.size() <= kChunksAhead)
    if (scan() != Scan::found) return;
}

Result<std::optional<Record>> ThreadCursor::take() {
  while (ahead_.empty()) {
    switch (scan()) {
      case Scan::found:
        break;
      case Scan::nothing:
        return fail(Status::unreadable, file_.path() + ": a chunk holds fewer records than it announces");
      case Scan::failed:
        return tl::unexpected<Error>(*error_);
    }
  }
  const Numbered front = ahead_.front();
  if ((front.header.flags & kRecordKindMask) == kRecordVoid) {
    ahead_.pop_front();
    return std::optional<Record>();
  }
  Record r;
  r.sequence = front.sequence;
  r.file_offset = front.in->chunk->offset;
  r.thread = front.in->chunk->header.thread;
  r.command = front.header.command;
  r.flags = front.header.flags;
  r.has_return = front.body.has_return;
  r.has_times = front.body.has_times;
  r.return_value = front.body.return_value;
  r.start_ns = front.body.start_ns;
  r.end_ns = front.body.end_ns;
  r.payload = front.body.payload;
  if ((r.flags & kRecordTwoPart) != 0) {
    find_second_part(r.sequence);
    if (const auto it = second_parts_.find(r.sequence); it != second_parts_.end()) {
      const SecondPart& second = it->second;
      r.flags = static_cast<std::uint16_t>(r.flags | (second.flags & ~kRecordKindMask));
      if (second.body.has_return) {
        r.has_return = true;
        r.return_value = second.body.return_value;
      }
      if (second.body.has_times) {
        r.has_times = true;
        r.start_ns = second.body.start_ns;
        r.end_ns = second.body.end_ns;
      }
      second_parts_.erase(it);
    }
  }
  ahead_.pop_front();
  return std::optional(r);
}

}  // namespace rondo
