// SPDX-License-Identifier: Apache-2.0
// rondo extract --sheet: small pictures of many images in one, each under the number of its object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "player/verify/pictures.h"

namespace rondo::analyzers {

class ContactSheet {
 public:
  static constexpr std::uint32_t kColumns = 8;
  static constexpr std::size_t kMost = 512;    // cells; what is added after these is left out
  static constexpr std::uint32_t kSide = 160;  // of a cell's picture, in pixels
  static constexpr std::uint32_t kLabel = 16;  // the height of the number above it
  static constexpr std::uint32_t kGap = 8;     // around each cell

  // Both count from 0.
  struct Cell {
    std::uint32_t row = 0, column = 0;
  };
  // Of object VkImage#`number`. Nothing: the sheet is full.
  std::optional<Cell> add(const player::Picture& picture, std::uint32_t number);
  std::size_t cells() const { return cells_.size(); }
  std::size_t left_out() const { return left_out_; }

  // At least one cell has been added.
  player::Picture picture() const;

 private:
  struct Thumbnail {
    player::Picture picture;
    std::uint32_t number;
  };
  std::vector<Thumbnail> cells_;
  std::size_t left_out_ = 0;
};

}  // namespace rondo::analyzers
