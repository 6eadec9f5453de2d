// SPDX-License-Identifier: Apache-2.0
// The calls of the host that have times, and the memory that is allocated after each call. No device. One thread.
#pragma once

#include <cstdint>
#include <functional>

#include "analyzers/read/walk.h"

namespace rondo::analyzers {

struct HostCall {
  std::uint64_t record = 0;
  std::uint32_t thread = 0;
  const codec::CommandInfo* command = nullptr;
  std::uint64_t start_ns = 0, end_ns = 0;  // CLOCK_MONOTONIC
  bool waits = false;                      // for the device: a wait, an acquire or a present
  bool submits = false;                    // it gives work to a queue, or presents
  ObjectId device = ObjectId::null;        // that it is of; null: of an instance, or of none
};

struct MemoryPoint {
  std::uint64_t record = 0, bytes = 0, allocations = 0;  // that are allocated after this record
  // When the call returned, CLOCK_MONOTONIC; of a call without times, when the last call before it with times did. 0:
  // no call before it has times.
  std::uint64_t ns = 0;
};

// Reads the capture from where it stands to its end, or to what cannot be read (Walk::intact() says what that is).
// `call`: is told of each call of the program that has times, in the order of records. `memory`: of each call that
// allocates or frees device memory.
void read_host_calls(Walk& walk, const std::function<void(const HostCall&)>& call,
                     const std::function<void(const MemoryPoint&)>& memory);

}  // namespace rondo::analyzers
