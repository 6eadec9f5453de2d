// SPDX-License-Identifier: Apache-2.0
// Append-only bytes in large pieces that never move, so that blocks may be
// pointed to while more are added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rondo::player {

class Arena {
 public:
  // Room for `bytes`, aligned to 16. The number returned names the place.
  std::uint64_t allocate(std::size_t bytes) {
    bytes = (bytes + 15) & ~std::size_t{15};
    if (pieces_.empty() || bytes > pieces_.back().capacity - pieces_.back().used) grow(bytes);
    Piece& piece = pieces_.back();
    const std::uint64_t at = (pieces_.size() - 1) << kOffsetBits | piece.used;
    piece.used += bytes;
    total_ += bytes;
    return at;
  }
  std::byte* at(std::uint64_t place) {
    return pieces_[place >> kOffsetBits].bytes.get() + (place & ((std::uint64_t{1} << kOffsetBits) - 1));
  }
  const std::byte* at(std::uint64_t place) const { return const_cast<Arena*>(this)->at(place); }
  std::size_t bytes() const { return total_; }

 private:
  static constexpr unsigned kOffsetBits = 40;
  static constexpr std::size_t kPiece = std::size_t{1} << 20;
  struct Piece {
    std::unique_ptr<std::byte[]> bytes;  // new[] aligns to 16
    std::size_t capacity = 0, used = 0;
  };
  void grow(std::size_t bytes) {
    const std::size_t capacity = bytes > kPiece ? bytes : kPiece;
    pieces_.push_back(Piece{std::unique_ptr<std::byte[]>(new std::byte[capacity]), capacity, 0});
  }
  std::vector<Piece> pieces_;
  std::size_t total_ = 0;
};

}  // namespace rondo::player
