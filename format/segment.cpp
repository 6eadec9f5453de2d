// SPDX-License-Identifier: Apache-2.0
#include "format/segment.h"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>

#include "format/chunk_io.h"
#include "format/data_region.h"

namespace rondo {

std::uint64_t Segment::committed() const {
  return std::atomic_ref<std::uint64_t>(header()->raw_bytes).load(std::memory_order_acquire);
}

void Segment::open(std::uint32_t thread, std::uint32_t ordinal, std::uint64_t base_sequence,
                   std::uint64_t base_time_ns) {
  ChunkHeader h = chunk_header(ChunkType::segment);
  h.thread = thread;
  h.ordinal = ordinal;
  h.stored_bytes = bytes - sizeof h;
  h.base_sequence = base_sequence;
  h.base_time_ns = base_time_ns;
  h.header_checksum = header_checksum_of(h);
  // The magic comes last: a process that dies in here leaves no half header.
  h.magic = 0;
  *header() = h;
  std::atomic_ref<std::uint32_t>(header()->magic).store(kChunkMagic, std::memory_order_release);
  counted_bytes = 0;
  counted_sequence = base_sequence;
  counted = 0;
  counted_open = 0;
}

void Segment::retire() const { std::atomic_ref<std::uint32_t>(header()->magic).store(0, std::memory_order_release); }

int map_segment(const File& file, std::uint64_t offset, std::size_t bytes, Segment& out) {
  if (const int error = file.allocate(offset, bytes)) return error;
  void* map = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), static_cast<off_t>(offset));
  if (map == MAP_FAILED) return errno;
  ::madvise(map, bytes, MADV_DONTFORK);
  ::madvise(map, bytes, MADV_DONTDUMP);
  // Faults every page in here, not in the program's calls, and fails where
  // touching one would be SIGBUS. Kernels before 5.14 do not know it.
  if (::madvise(map, bytes, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
    const int error = errno == EFAULT ? ENOSPC : errno;
    ::munmap(map, bytes);
    return error;
  }
  out = Segment{};
  out.map = static_cast<std::byte*>(map);
  out.bytes = bytes;
  out.offset = offset;
  return 0;
}

void unmap_segment(Segment& segment) {
  ::munmap(segment.map, segment.bytes);
  segment.map = nullptr;
}

int detach_segment(Segment& segment) {
  // In one step: there is no moment without memory at these addresses.
  void* map = ::mmap(segment.map, segment.bytes, PROT_READ | PROT_WRITE,
                     MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return map == MAP_FAILED ? errno : 0;
}

}  // namespace rondo
