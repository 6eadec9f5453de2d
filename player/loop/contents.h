// SPDX-License-Identifier: Apache-2.0
// What a run's allocations hold at one moment, byte by byte, and how it is put
// back: whatever wrote it, through a binding, a device address or the host.
// Kept whole once; behind narrow() only the blocks that an iteration changed.
// Call with all queues idle. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/digest.h"
#include "player/run/memory_bytes.h"

namespace rondo::player {

class Contents {
 public:
  // `budget`: bytes of host memory that may be used.
  Contents(Run& run, std::size_t budget)
      : run_(run),
        budget_(budget),
        bytes_(run, "the span cannot be looped (--fresh plays each iteration from nothing)") {}

  // Everything that is allocated now, the player's own swapchain images too.
  Result<void> keep();
  // Keeps what differs from then, drops the rest.
  Result<void> narrow();
  Result<void> restore();
  // Whether everything is as it was kept: names the first memory that is not. For the end of
  // a loop: an iteration may have changed what the first one did not.
  Result<void> check();

  std::uint64_t bytes_kept() const;

 private:
  struct Block {
    VkDeviceSize offset = 0, bytes = 0;
    std::size_t at = 0;  // in Kept::data
  };
  struct Kept {
    MemoryBytes::Allocation allocation;
    Digest digest;
    std::vector<std::byte> data;  // of the blocks, one behind the other
    std::vector<Block> blocks;
  };
  Result<void> read(const Kept& kept, const MemoryBytes::Visit& visit) {
    return bytes_.read(kept.allocation, 0, kept.allocation.bytes, visit);
  }
  Result<Digest> digest(const Kept& kept);

  Run& run_;
  const std::size_t budget_;
  MemoryBytes bytes_;
  std::vector<Kept> kept_;
};

}  // namespace rondo::player
