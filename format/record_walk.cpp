// SPDX-License-Identifier: Apache-2.0
#include "format/record_walk.h"

#include <cstring>

#include "format/varint.h"

namespace rondo {
namespace {

bool well_formed(const RecordHeader& h) {
  if ((h.flags & ~kRecordFlagsMask) != 0) return false;
  switch (h.flags & kRecordKindMask) {
    case kRecordCall:
      return h.sequence_delta != 0 && h.command != 0;
    case kRecordResult:
      return h.sequence_delta == 0;
    case kRecordBlob:
      return h.sequence_delta == 0 && h.command == 0 && h.bytes >= sizeof(RecordHeader) + 16;
    default:
      return h.sequence_delta != 0 && h.command == 0 && h.bytes == sizeof(RecordHeader) && h.flags == kRecordVoid;
  }
}

}  // namespace

bool RecordWalk::next() {
  if (damaged_ || end_ == bytes_.size()) return false;
  damaged_ = true;
  if (bytes_.size() - end_ < sizeof header_) return false;
  std::memcpy(&header_, bytes_.data() + end_, sizeof header_);
  if (header_.bytes < sizeof header_ || header_.bytes > bytes_.size() - end_) return false;
  if (!well_formed(header_) || header_.sequence_delta > UINT64_MAX - last_sequence_) return false;
  last_sequence_ += header_.sequence_delta;
  start_ = end_;
  end_ += header_.bytes;
  damaged_ = false;
  return true;
}

bool parse_body(const RecordHeader& header, std::span<const std::byte> body, std::uint64_t& last_time_ns,
                RecordBody& out) {
  out = {};
  const std::byte* p = body.data();
  const std::byte* const end = p + body.size();
  std::uint64_t value = 0;
  if ((header.flags & kRecordReturns) != 0) {
    p = get_varint(p, end, value);
    if (p == nullptr) return false;
    out.has_return = true;
    out.return_value = unzigzag(value);
  }
  if ((header.flags & kRecordTimes) != 0) {
    std::uint64_t duration = 0;
    p = get_varint(p, end, value);
    if (p == nullptr) return false;
    p = get_varint(p, end, duration);
    // Modulo 2^64: a call's second part may start before a nested call ended.
    if (p == nullptr || duration > UINT64_MAX - (last_time_ns + value)) return false;
    out.has_times = true;
    out.start_ns = last_time_ns + value;
    out.end_ns = out.start_ns + duration;
    last_time_ns = out.end_ns;
  }
  out.payload = {p, static_cast<std::size_t>(end - p)};
  return true;
}

}  // namespace rondo
