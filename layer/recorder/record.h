// SPDX-License-Identifier: Apache-2.0
// Records into the calling thread's stream. A record's body is, as its flags
// say: the return value, the times, the payload (format/container.h).
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "format/codec/encoder.h"
#include "format/container.h"
#include "generated/ids.h"
#include "layer/recorder/recorder.h"
#include "layer/recorder/thread_state.h"

namespace rondo::layer {

struct Times {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

// What is known of a call once the driver has returned.
struct Outcome {
  bool returns = false;
  std::int64_t value = 0;
  const Times* times = nullptr;
};

// Encodes the payload of `command` into `out`. False: the call cannot be
// recorded. It is left out where it is a query; else recording has been stopped.
bool encode_payload(ThreadState& state, codec::Buffer& out, CommandId command, const void* args,
                    bool outputs_valid) noexcept;
inline bool encode_payload(ThreadState& state, CommandId command, const void* args, bool outputs_valid) noexcept {
  return encode_payload(state, state.buffer, command, args, outputs_valid);
}

// Numbered records. `sequence` has been taken by the caller, right before.
void write_call(ThreadState& state, CommandId command, std::uint16_t flags, std::uint64_t sequence,
                const Outcome& outcome, std::span<const std::byte> payload);
// The second part of the call that took `sequence` on this thread.
void write_result(ThreadState& state, CommandId command, std::uint64_t sequence, const Outcome& outcome);

// Takes the next number and writes the record, payload from state.buffer.
// Returns the number. Does not look who made the call.
inline std::uint64_t commit(ThreadState& state, CommandId command, std::uint16_t flags, const Outcome& outcome = {}) {
  const std::uint64_t sequence = g_hot.writer->take_sequence();
  write_call(state, command, flags, sequence, outcome, state.buffer.bytes());
  return sequence;
}

// The same, and who made the call in front of it.
inline std::uint64_t commit_call(ThreadState& state, CommandId command, std::uint16_t flags,
                                 const Outcome& outcome = {}) {
  note_caller(state);
  return commit(state, command, flags, outcome);
}

void write_note(const char* text, bool stopped);

}  // namespace rondo::layer
