// SPDX-License-Identifier: Apache-2.0
// Frames, submits and scopes of a capture, and the span of them that a command line asks for. They are found record by
// record and told in sequence numbers. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/codec/schema.h"
#include "format/result.h"

namespace rondo {

// What is asked for, zero-based and half-open: frames or submits [first, last), or a scope by name. Records are told by
// their sequence numbers, [first, last]; no command line asks for them.
struct SpanRequest {
  enum class Kind : std::uint8_t { whole, frames, submits, scope, records };
  Kind kind = Kind::whole;
  std::uint64_t first = 0, last = 0;
  std::string name;
  std::optional<std::uint64_t> occurrence;  // #K

  // "frames 120:125", as messages say it.
  std::string text() const;
};

// "A:B", or "A" for A:A+1. None: the text is neither. A may be B or more.
struct Bounds {
  std::uint64_t first = 0, last = 0;
};
std::optional<Bounds> parse_bounds(std::string_view text);

// "A:B" with A < B, or "A"; `option` is named in the error.
Result<SpanRequest> parse_range(const std::string& text, SpanRequest::Kind kind, const std::string& option);
// NAME, or NAME#K where digits follow the last '#'.
Result<SpanRequest> parse_scope(const std::string& text);

// Records [first, last] by sequence number.
struct RecordRange {
  std::uint64_t first = 0, last = 0;
};

// One time that a scope was entered and left.
struct ScopeOccurrence {
  enum class Kind : std::uint8_t { queue_label, command_label, host, phase };
  Kind kind{};
  RecordRange records;         // of a label in command buffers: of the submits that execute it
  std::uint64_t start_ns = 0;  // CLOCK_MONOTONIC; 0: not timed
  std::uint64_t end_ns = 0;
  bool ended = false;  // else it was still open at the end of the capture
};

struct Scope {
  std::string name;
  std::vector<ScopeOccurrence> occurrences;  // in the order of their begins
};

// The shortest occurrence that holds the record, of those that the program marked: "prefill#3"; empty: none does.
std::string innermost_scope(const std::vector<Scope>& scopes, std::uint64_t record);
// The same, without memory: null: none does.
const Scope* find_innermost_scope(const std::vector<Scope>& scopes, std::uint64_t record, std::size_t& occurrence);

struct Span {
  RecordRange records;
  std::vector<RecordRange> intervals;  // each frame, submit or occurrence of it
};

class SpanFinder {
 public:
  struct Call {
    const codec::CommandInfo& command;
    const void* args;  // args_<command>, its pointers set; handles have captured values
    std::uint64_t sequence = 0;
    std::uint32_t thread = 0;
    bool succeeded = true;  // VK_SUCCESS or another success code, or it returns nothing
    std::int64_t result = 0;
    std::uint64_t start_ns = 0, end_ns = 0;  // 0: not timed
  };
  // The calls of the program, and Rondo's marks of scopes, in sequence order.
  void take(const Call& call);
  // Whether it saw work done: a wait, or a poll that said so.
  static bool waited(const Call& call);
  // Whether nothing that comes later changes what is asked for. False: perhaps.
  bool is_whole(const SpanRequest& request) const;
  // Behind the last one: `init` and `deinit` are known then.
  void finish();

  // In the order of their first begins; behind finish(), `init` first and `deinit` last.
  const std::vector<Scope>& scopes() const { return scopes_; }
  std::uint64_t frames() const { return presents_.size(); }
  std::uint64_t submits() const { return submits_.size(); }
  std::uint64_t submits_in(const RecordRange& records) const;
  // Record of the first submit that the program made, wherever frames and submits count from (rondoPrelude): all before
  // it are of what a cut puts back. 0: there is none.
  std::uint64_t first_of_program() const {
    return prelude_ && first_of_program_ != 0 ? first_of_program_ : first_submit_;
  }
  // The capture has a rondoCut: until it came nothing is whole.
  void expect_cut() { cut_to_come_ = true; }
  // Behind finish(). Errors are Status::usage, and say what there is.
  Result<Span> find(const SpanRequest& request, const std::string& file) const;

 private:
  struct Label {
    std::string name;  // empty: an end
    bool begins = false;
  };
  struct Open {  // place of an occurrence that has begun
    std::size_t scope, occurrence;
  };
  bool saw_timeline_move(const Call& call);
  Open begin(const std::string& name, ScopeOccurrence::Kind kind, const Call& call);
  void end(std::vector<Open>& open, const Call& call);
  template <class Args>
  void submit(const Call& call);
  void cut(const Call& call);
  void execute(const void* command_buffer, std::vector<Open>& open, const Call& call);
  void add_phase(const char* name, const ScopeOccurrence& phase, bool in_front);
  Result<Span> find_scope(const SpanRequest& request, const std::string& file) const;
  std::string nearest(const std::string& name) const;
  std::uint64_t settled_at(std::uint64_t submit) const;

  std::vector<Scope> scopes_;
  std::unordered_map<std::string, std::size_t> scope_at_;
  std::unordered_map<std::uint64_t, std::uint64_t> seen_;             // values of timelines, by semaphore
  std::unordered_map<std::uint32_t, std::vector<Open>> host_;         // by thread
  std::unordered_map<std::uint64_t, std::vector<Open>> queues_;       // labels of the queue
  std::unordered_map<std::uint64_t, std::vector<Open>> in_commands_;  // by queue: of its command buffers
  std::unordered_map<std::uint64_t, std::vector<Label>> labels_;      // by command buffer
  std::vector<std::uint64_t> presents_, submits_;                     // their records; a submit is a batch
  std::vector<std::uint64_t> settled_;  // parallel: the last wait or checkpoint before the next submit or present
  struct Stray {
    std::string scope;  // what was begun last before it, anywhere; empty: nothing was
    std::uint64_t sequence = 0;
  };
  std::vector<Stray> strays_;  // ends without a begin
  std::string last_begun_;
  // A hostile file may execute labels in labels for ever: what is behind so many is not followed.
  static constexpr std::size_t kMostLabels = 1 << 16;       // of a command buffer
  static constexpr std::size_t kMostOccurrences = 1 << 22;  // of all scopes
  std::size_t occurrences_ = 0;
  bool too_many_ = false;
  std::uint64_t first_ = 0, last_ = 0;  // records
  std::uint64_t first_ns_ = 0, last_ns_ = 0;
  std::uint64_t first_submit_ = 0, first_submit_ns_ = 0;
  std::uint64_t first_of_program_ = 0;  // where frames and submits count from later than that
  bool prelude_ = false, cut_to_come_ = false;
  std::uint64_t last_wait_ = 0, last_wait_ns_ = 0;
  std::uint64_t last_checkpoint_ = 0;
};

}  // namespace rondo
