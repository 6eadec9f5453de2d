// SPDX-License-Identifier: Apache-2.0
// A set of page numbers, one bit each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::memory {

class PageSet {
 public:
  // Throws std::bad_alloc; nothing else here does.
  explicit PageSet(std::size_t pages) : words_((pages + 63) / 64) {}

  bool has(std::size_t page) const { return (words_[page / 64] >> (page % 64) & 1) != 0; }
  void add(std::size_t begin, std::size_t end) {
    for_words(begin, end, [](std::uint64_t& word, std::uint64_t mask) { word |= mask; });
  }
  void remove(std::size_t begin, std::size_t end) {
    for_words(begin, end, [](std::uint64_t& word, std::uint64_t mask) { word &= ~mask; });
  }
  bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
  }
  // The first member at `from` or after it, or `limit`.
  std::size_t next(std::size_t from, std::size_t limit) const {
    while (from < limit) {
      const std::uint64_t word = words_[from / 64] >> (from % 64);
      if (word != 0) return std::min(limit, from + static_cast<std::size_t>(std::countr_zero(word)));
      from = (from / 64 + 1) * 64;
    }
    return limit;
  }

 private:
  template <class Change>
  void for_words(std::size_t begin, std::size_t end, Change change) {
    while (begin < end) {
      const std::size_t stop = std::min(end, (begin / 64 + 1) * 64);
      const std::uint64_t ones = stop - begin == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (stop - begin)) - 1;
      change(words_[begin / 64], ones << (begin % 64));
      begin = stop;
    }
  }
  std::vector<std::uint64_t> words_;
};

}  // namespace rondo::memory
