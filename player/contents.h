// SPDX-License-Identifier: Apache-2.0
// What a run's allocations hold at one moment, byte by byte, and how it is put
// back: whatever wrote it, through a binding, a device address or the host.
// Kept whole once; behind narrow() only the blocks that an iteration changed.
// Call with all queues idle. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "format/digest.h"
#include "player/run.h"

namespace rondo::player {

class Contents {
 public:
  // `budget`: bytes of host memory that may be used.
  Contents(Run& run, std::size_t budget) : run_(run), budget_(budget) {}
  ~Contents();
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

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
    std::uint32_t device = kNone;
    std::string name;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceSize bytes = 0;
    bool coherent = true;
    std::byte* mapped = nullptr;   // else …
    VkBuffer whole = VK_NULL_HANDLE;  // … a buffer over all of it
    Digest digest;
    std::vector<std::byte> data;  // of the blocks, one behind the other
    std::vector<Block> blocks;
  };
  Result<void> add(std::uint32_t device, const std::string& name, VkDeviceMemory memory, VkDeviceSize bytes,
                   std::uint32_t type, std::byte* mapped, ObjectId dedicated);
  Result<void> cover(Kept& kept, std::uint32_t type);
  // `visit(offset, bytes of the device)`, in pieces in order.
  template <class Visit>
  Result<void> read(const Kept& kept, Visit&& visit);
  Result<void> write(const Kept& kept);
  Result<Digest> digest(const Kept& kept);
  Result<void> copy(const Kept& kept, VkDeviceSize offset, VkDeviceSize bytes, bool to_device);
  Result<void> make_staging(std::uint32_t device);
  Result<void> sync(const Kept& kept, VkDeviceSize offset, VkDeviceSize bytes, bool flush);

  struct Staging {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    std::byte* mapped = nullptr;
    bool coherent = true;
  };
  Run& run_;
  const std::size_t budget_;
  std::vector<Kept> kept_;
  std::vector<Staging> staging_;  // by device
};

}  // namespace rondo::player
