// SPDX-License-Identifier: Apache-2.0
#include "analyzers/text/contact_sheet.h"

#include <algorithm>
#include <array>
#include <string>

namespace rondo::analyzers {

namespace {

constexpr std::byte kBackground{0x30};

// Digits of 3 x 5 squares, rows from the top, the leftmost square in the highest of three bits.
constexpr std::uint32_t kDigitWidth = 3, kDigitHeight = 5, kSquare = 2;
constexpr std::array<std::array<unsigned, kDigitHeight>, 10> kDigits{{{0b111, 0b101, 0b101, 0b101, 0b111},
                                                                      {0b010, 0b110, 0b010, 0b010, 0b111},
                                                                      {0b111, 0b001, 0b111, 0b100, 0b111},
                                                                      {0b111, 0b001, 0b011, 0b001, 0b111},
                                                                      {0b101, 0b101, 0b111, 0b001, 0b001},
                                                                      {0b111, 0b100, 0b111, 0b001, 0b111},
                                                                      {0b111, 0b100, 0b111, 0b101, 0b111},
                                                                      {0b111, 0b001, 0b010, 0b010, 0b010},
                                                                      {0b111, 0b101, 0b111, 0b101, 0b111},
                                                                      {0b111, 0b101, 0b111, 0b001, 0b111}}};

player::Picture digit(unsigned value) {
  player::Picture out{kDigitWidth * kSquare, kDigitHeight * kSquare, {}};
  out.rgb.reserve(std::size_t{out.width} * out.height * 3);
  for (std::uint32_t y = 0; y < out.height; ++y)
    for (std::uint32_t x = 0; x < out.width; ++x) {
      const bool set = (kDigits[value][y / kSquare] >> (kDigitWidth - 1 - x / kSquare) & 1u) != 0;
      out.rgb.insert(out.rgb.end(), 3, set ? std::byte{0xff} : kBackground);
    }
  return out;
}

}  // namespace

std::optional<ContactSheet::Cell> ContactSheet::add(const player::Picture& picture, std::uint32_t number) {
  if (cells_.size() == kMost) {
    ++left_out_;
    return std::nullopt;
  }
  const auto index = static_cast<std::uint32_t>(cells_.size());
  cells_.push_back({player::scaled(picture, kSide), number});
  return Cell{index / kColumns, index % kColumns};
}

player::Picture ContactSheet::picture() const {
  constexpr std::uint32_t kWidth = kSide + kGap, kHeight = kSide + kLabel + kGap;
  const auto count = static_cast<std::uint32_t>(cells_.size());
  player::Picture out;
  out.width = std::min(count, kColumns) * kWidth + kGap;
  out.height = (count + kColumns - 1) / kColumns * kHeight + kGap;
  out.rgb.assign(std::size_t{out.width} * out.height * 3, kBackground);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t x = i % kColumns * kWidth + kGap, y = i / kColumns * kHeight + kGap;
    const std::string number = std::to_string(cells_[i].number);
    for (std::uint32_t d = 0; d < number.size(); ++d)
      player::paste(digit(static_cast<unsigned>(number[d] - '0')), out, x + d * (kDigitWidth + 1) * kSquare, y);
    const player::Picture& one = cells_[i].picture;
    player::paste(one, out, x + (kSide - one.width) / 2, y + kLabel + (kSide - one.height) / 2);
  }
  return out;
}

}  // namespace rondo::analyzers
