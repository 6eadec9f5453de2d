// SPDX-License-Identifier: Apache-2.0
// Which places of the file the spool uses. The data region grows from the
// header upward; the spool's slots begin at multiples of the segment size
// above a base that moves up before the data region gets there. Slots that
// are still in use below the base become obstacles, which the data region
// jumps over. Not synchronised: the writer's mutex guards it.
#pragma once

#include <cstdint>
#include <map>

namespace rondo {

class SpoolMap {
 public:
  // `base` is a multiple of `segment_bytes`. `roomy`: a large slot may lie far behind the
  // others, so that the data region has room for it before; else the file stays short. `most`: bytes that the
  // file may have.
  SpoolMap(std::uint64_t segment_bytes, std::uint64_t base, bool roomy = true, std::uint64_t most = UINT64_MAX)
      : segment_bytes_(segment_bytes), base_(base), top_(base), roomy_(roomy), most_(most) {}

  std::uint64_t round_up(std::uint64_t bytes) const {
    return (bytes + segment_bytes_ - 1) / segment_bytes_ * segment_bytes_;
  }
  // A place for `bytes`, a multiple of the segment size.
  std::uint64_t take(std::uint64_t bytes);
  void give_back(std::uint64_t offset);
  // Marks a place as used that was found in a file.
  void occupy(std::uint64_t offset, std::uint64_t bytes) { used_[offset] = bytes; }
  bool occupied(std::uint64_t offset) const { return used_.count(offset) != 0; }
  bool below_base(std::uint64_t offset) const { return offset < base_; }

  // Where `bytes` of data, now wanted at `data_end`, find room; behind them
  // there is still room for one chunk header. New slots stay away from it.
  std::uint64_t place_data(std::uint64_t data_end, std::uint64_t bytes);

 private:
  void raise(std::uint64_t base);

  std::uint64_t segment_bytes_;
  std::uint64_t base_;
  std::uint64_t top_;  // no slot lies at or above it
  bool roomy_;
  std::uint64_t most_;
  std::map<std::uint64_t, std::uint64_t> used_;  // offset → bytes
  std::map<std::uint64_t, std::uint64_t> free_;  // between base and top, not touching each other
};

}  // namespace rondo
