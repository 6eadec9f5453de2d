// SPDX-License-Identifier: Apache-2.0
// A buffer with memory of its own that the host sees: by way of it bytes get to and from what the host does
// not see.
#pragma once

#include <cstddef>

#include "format/result.h"
#include "model/gpu/access.h"

namespace rondo::gpu {

// Nothing is made before the first grow(). One thread at a time. The device may not be at work on the buffer
// when it grows or ends: a OneShot that is declared behind it ends first, and waits.
class Staging {
 public:
  // `usage`: of the buffer. `preferred`: what its memory is beyond host-visible where there is such a type;
  // VK_MEMORY_PROPERTY_HOST_CACHED_BIT for what the host reads, which is slow otherwise. `purpose` ends the
  // sentences of errors, "a readback", and is not copied.
  Staging(const Access& access, VkBufferUsageFlags usage, VkMemoryPropertyFlags preferred, const char* purpose)
      : access_(access), usage_(usage), preferred_(preferred), purpose_(purpose) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() { release(); }

  // Room for so many bytes, not 0. Where there is less, another buffer takes this one's place, with none of its
  // contents; on an error there is no buffer. Status::device: no memory type is host-visible; Status::failed
  // names the driver's call.
  Result<void> grow(VkDeviceSize bytes);

  // All of it. Nothing to do where the memory is coherent.
  Result<void> flush() const;       // behind the host's writes, before the submit whose commands read them
  Result<void> invalidate() const;  // behind the wait for commands that wrote, before the host reads

  VkBuffer buffer() const { return buffer_; }    // null: there is none
  std::byte* mapped() const { return mapped_; }  // its first byte; null likewise

 private:
  Result<void> make(VkDeviceSize bytes);
  void release();
  Result<void> sync(PFN_vkFlushMappedMemoryRanges call, const char* name) const;
  tl::unexpected<Error> failed(const char* command, VkResult result) const;

  const Access access_;
  const VkBufferUsageFlags usage_;
  const VkMemoryPropertyFlags preferred_;
  const char* const purpose_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkDeviceSize capacity_ = 0;  // bytes; 0: there is no buffer
  bool coherent_ = true;
  std::byte* mapped_ = nullptr;
};

}  // namespace rondo::gpu
