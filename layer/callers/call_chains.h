// SPDX-License-Identifier: Apache-2.0
// Who called: with RONDO_BACKTRACES, the call chain of each of the program's calls, each chain and each module once in
// the capture (rondoModule, rondoCallChain, rondoCaller).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "format/digest.h"
#include "layer/recorder/recorder.h"

namespace rondo::layer {

class ThreadState;

// What one thread knows of chains.
struct Callers {
  std::unordered_map<Digest, std::uint32_t> known;  // their numbers, by a digest of their return addresses
  // and unloads, when these were known: addresses may be others' since
  std::pair<std::uint64_t, std::uint64_t> loads;
  std::uint32_t last = 0;  // as its stream says; 0: none yet
};

// Looks who called, and records it where that is news for this thread.
void write_caller(ThreadState& state) noexcept;

// Around fork: a child of it can load libraries only if no thread looks at them meanwhile.
void lock_modules();
void unlock_modules();

// Where this thread is being unwound, that ends with the code in front of this place, and it does not return.
void end_unwinding(std::uintptr_t place) noexcept;

// In front of the record of a call, before it is numbered.
inline void note_caller(ThreadState& state) {
  if (g_hot.backtraces) [[unlikely]]
    write_caller(state);
}

}  // namespace rondo::layer
