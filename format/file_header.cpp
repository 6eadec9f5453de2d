// SPDX-License-Identifier: Apache-2.0
#include "format/file_header.h"

#include <sys/random.h>
#include <time.h>

#include <cstddef>
#include <cstring>
#include <span>

#include "format/digest.h"

namespace rondo {

FileHeader new_file_header(std::size_t segment_bytes) {
  FileHeader h{};
  std::memcpy(h.magic, kFileMagic, sizeof h.magic);
  h.version_major = kVersionMajor;
  h.version_minor = kVersionMinor;
  h.header_bytes = sizeof h;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  h.created_unix_ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  if (::getrandom(h.capture_id, sizeof h.capture_id, GRND_NONBLOCK) != sizeof h.capture_id)
    std::memcpy(h.capture_id, &h.created_unix_ns, sizeof h.created_unix_ns);
  h.segment_bytes = segment_bytes;
  h.checksum = checksum_of(std::as_bytes(std::span(&h, 1)).first(offsetof(FileHeader, checksum)));
  return h;
}

}  // namespace rondo
