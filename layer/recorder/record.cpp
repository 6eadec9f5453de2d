// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/record.h"

#include <mutex>
#include <new>
#include <set>
#include <string>

#include "format/varint.h"
#include "generated/args.h"
#include "layer/recorder/log.h"

namespace rondo::layer {

namespace {

// Return value and times.
struct Head {
  std::byte bytes[3 * kMaxVarint];
  std::size_t size = 0;
  std::uint16_t flags = 0;

  void add(std::uint64_t value) { size += put_varint(bytes + size, value); }
};

Head make_head(const ThreadState& state, const Outcome& outcome) {
  Head head;
  if (outcome.returns) {
    head.flags |= kRecordReturns;
    head.add(zigzag(outcome.value));
  }
  if (outcome.times != nullptr) {
    // One clock and one thread: starts never lie before the last end.
    head.flags |= kRecordTimes;
    head.add(outcome.times->start_ns - state.stream.last_time_ns());
    head.add(outcome.times->end_ns - outcome.times->start_ns);
  }
  return head;
}

// Head and tail of a body are small or already encoded.
void write(ThreadState& state, CommandId command, unsigned flags, std::uint64_t sequence, const Outcome& outcome,
           const Head& head, std::span<const std::byte> tail) {
  std::byte* body =
      state.stream.begin(static_cast<std::uint16_t>(command), static_cast<std::uint16_t>(flags | head.flags), sequence,
                         head.size + tail.size());
  std::memcpy(body, head.bytes, head.size);
  if (!tail.empty()) std::memcpy(body + head.size, tail.data(), tail.size());
  if (outcome.times != nullptr) state.stream.set_last_time_ns(outcome.times->end_ns);
  state.stream.commit();
}

// A query that cannot be recorded: no replay needs it, so the capture only
// says that it is missing, once for each command and reason.
void leave_out(const std::string& why) {
  static std::mutex lock;
  static auto* const told = new std::set<std::string>;  // outlives every destructor
  {
    const std::lock_guard guard(lock);
    if (!told->insert(why).second) return;
  }
  const std::string text = why + ": such queries are left out";
  write_note(text.c_str(), false);
  log(LogLevel::info, text);
}

}  // namespace

bool encode_payload(ThreadState& state, codec::Buffer& out, CommandId command, const void* args,
                    bool outputs_valid) noexcept {
  try {
    out.clear();
    const codec::EncodeResult result = codec::encode(out, state, command, args, outputs_valid);
    if (result.error.empty()) return true;
    if (codec::info(command).query)
      leave_out(result.error);
    else
      stop_recording(result.error);
  } catch (...) {
    stop_recording("out of memory while encoding a call");
  }
  return false;
}

void write_call(ThreadState& state, CommandId command, std::uint16_t flags, std::uint64_t sequence,
                const Outcome& outcome, std::span<const std::byte> payload) {
  write(state, command, unsigned{kRecordCall} | flags, sequence, outcome, make_head(state, outcome), payload);
}

void write_result(ThreadState& state, CommandId command, std::uint64_t sequence, const Outcome& outcome) {
  std::byte distance[kMaxVarint];
  const std::size_t size = put_varint(distance, state.stream.last_sequence() - sequence);
  write(state, command, kRecordResult, 0, outcome, make_head(state, outcome), {distance, size});
}

void write_note(const char* text, bool stopped) {
  ThreadState* const state = thread_state();
  if (state == nullptr) return;
  args_rondoNote args{};
  args.stopped = stopped ? 1 : 0;
  args.text = text;
  // In a buffer of its own: the note may come in the middle of an encoding.
  codec::Buffer buffer;
  if (!codec::encode(buffer, *state, CommandId::rondoNote, &args, true).error.empty()) return;
  write_call(*state, CommandId::rondoNote, 0, g_hot.writer->take_sequence(), {}, buffer.bytes());
}

}  // namespace rondo::layer
