// SPDX-License-Identifier: Apache-2.0
// Which pieces of a file are mapped, for a signal handler to ask: without locks or
// allocations. One thread at a time adds or removes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rondo {

class MappedPieces {
 public:
  struct Piece {
    std::uintptr_t start = 0;  // 0: none
    std::size_t bytes = 0;
  };

  // Beyond so many, one is not known.
  void add(const void* start, std::size_t bytes) noexcept {
    for (Slot& slot : slots_)
      if (slot.start.load(std::memory_order_relaxed) == 0) {
        slot.bytes.store(bytes, std::memory_order_relaxed);
        slot.start.store(reinterpret_cast<std::uintptr_t>(start), std::memory_order_release);
        return;
      }
  }

  void remove(const void* start) noexcept {
    for (Slot& slot : slots_)
      if (slot.start.load(std::memory_order_relaxed) == reinterpret_cast<std::uintptr_t>(start)) {
        slot.start.store(0, std::memory_order_release);
        return;
      }
  }

  // Any thread. The piece that `address` lies in.
  Piece find(std::uintptr_t address) const noexcept {
    for (const Slot& slot : slots_) {
      const std::uintptr_t start = slot.start.load(std::memory_order_acquire);
      const std::size_t bytes = slot.bytes.load(std::memory_order_relaxed);
      if (start != 0 && address >= start && address - start < bytes) return {start, bytes};
    }
    return {};
  }

 private:
  struct Slot {
    std::atomic<std::uintptr_t> start{0};
    std::atomic<std::size_t> bytes{0};
  };
  std::array<Slot, 512> slots_;  // a backlog is 256 segments, a thread has one
};

}  // namespace rondo
