// SPDX-License-Identifier: Apache-2.0
#include "format/spool_map.h"

#include <algorithm>
#include <iterator>

#include "format/container.h"

namespace rondo {

void SpoolMap::raise(std::uint64_t base) {
  base_ = base;
  top_ = std::max(top_, base_);
  while (!free_.empty() && free_.begin()->first < base_) free_.erase(free_.begin());
}

std::uint64_t SpoolMap::take(std::uint64_t bytes) {
  // The data region comes to base_ / 2, and then goes on to where all of this has room.
  if (roomy_ && bytes > base_ / 4) raise(std::max(base_ * 2, round_up(4 * bytes)));
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const auto [offset, room] = *it;
    if (offset < base_ || room < bytes) continue;
    free_.erase(it);
    if (room > bytes) free_[offset + bytes] = room - bytes;
    used_[offset] = bytes;
    return offset;
  }
  const std::uint64_t offset = top_;
  top_ += bytes;
  used_[offset] = bytes;
  return offset;
}

void SpoolMap::give_back(std::uint64_t offset) {
  const auto used = used_.find(offset);
  if (used == used_.end()) return;
  std::uint64_t bytes = used->second;
  used_.erase(used);
  if (offset < base_) return;  // the data region's now
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && next->first == offset + bytes) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  free_[offset] = bytes;
}

std::uint64_t SpoolMap::place_data(std::uint64_t data_end, std::uint64_t bytes) {
  bytes += sizeof(ChunkHeader);  // of a padding that may have to follow
  std::uint64_t place = data_end;
  for (const auto& [offset, size] : used_) {
    if (offset + size <= place) continue;
    if (place + bytes <= offset) break;
    place = offset + size;
  }
  const std::uint64_t end = place + bytes;
  // Early enough that the slots of today have drained when the data gets there. Where files may not be long,
  // that would leave no room for slots above: then only when the data is there.
  const std::uint64_t early = std::max(base_ * 2, round_up(2 * end));
  if (end > base_ / 2 && early <= most_ / 2)
    raise(early);
  else if (end > base_)
    raise(round_up(end));
  return place;
}

}  // namespace rondo
