// SPDX-License-Identifier: Apache-2.0
// The bytes of live allocations, whatever lies there and whether the host can see them: through a mapping, or
// copied by way of a buffer over all of the allocation. Call with all queues idle. One thread; ends before the
// devices do.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/gpu/staging.h"
#include "player/run/run.h"

namespace rondo::player {

class MemoryBytes {
 public:
  // `purpose` begins the sentence of an error: "the span cannot be looped".
  MemoryBytes(Run& run, std::string purpose) : run_(run), purpose_(std::move(purpose)) {}
  ~MemoryBytes();
  MemoryBytes(const MemoryBytes&) = delete;
  MemoryBytes& operator=(const MemoryBytes&) = delete;

  struct Allocation {
    std::uint32_t device = kNone;  // index into Plan::devices
    std::string name;              // for messages
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceSize bytes = 0;
    bool coherent = true;
    std::byte* mapped = nullptr;      // else …
    VkBuffer whole = VK_NULL_HANDLE;  // … a buffer over all of it, ours
  };
  // `mapped`: where it is mapped already. What is host-visible and not mapped is mapped, to its end. An error where
  // neither can be: it is `dedicated` to one image or buffer.
  Result<Allocation> open(std::uint32_t device, std::string name, VkDeviceMemory memory, VkDeviceSize bytes,
                          std::uint32_t type, std::byte* mapped, bool dedicated);
  // A captured allocation that is there.
  Result<Allocation> open(std::uint32_t place);

  // In pieces, in order; each is there until `visit` returns.
  using Visit = std::function<void(VkDeviceSize offset, std::span<const std::byte> bytes)>;
  Result<void> read(const Allocation& from, VkDeviceSize offset, VkDeviceSize bytes, const Visit& visit);
  Result<void> write(const Allocation& to, VkDeviceSize offset, std::span<const std::byte> bytes);

 private:
  Result<void> cover(Allocation& allocation, std::uint32_t type);
  Result<void> copy(const Allocation& allocation, VkDeviceSize offset, VkDeviceSize bytes, bool to_device);
  Result<void> sync(const Allocation& allocation, VkDeviceSize offset, VkDeviceSize bytes, bool flush);
  tl::unexpected<Error> failed(const std::string& sentence) const;

  Run& run_;
  const std::string purpose_;
  std::vector<std::pair<std::uint32_t, VkBuffer>> covers_;  // with their devices
  std::map<std::uint32_t, gpu::Staging> staging_;           // by device
};

}  // namespace rondo::player
