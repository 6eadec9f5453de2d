// SPDX-License-Identifier: Apache-2.0
// Small sets of numbers, each kept once: equal sets have the same number. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "format/check.h"

namespace rondo::graph {

class OpSets {
 public:
  using Set = std::uint32_t;
  static constexpr Set kEmpty = 0;
  // A set of more is cut to so many. Whoever asks takes what is missing for something that is not in the set.
  static constexpr std::size_t kMost = 64;

  OpSets() { clear(); }
  // No set that was given before is valid any more.
  void clear() {
    sets_.assign(1, {});
    at_.clear();
    both_.clear();
    common_.clear();
  }

  // Every set of one is its member, marked: none is kept.
  static Set of(std::uint32_t one) {
    RONDO_CHECK(one < kOne);
    return kOne | one;
  }
  Set both(Set a, Set b) {
    if (a == b || b == kEmpty) return a;
    if (a == kEmpty) return b;
    const auto [found, fresh] = both_.try_emplace(key(a, b));
    if (!fresh) return found->second;
    std::vector<std::uint32_t> all;
    const Members one = members(a), other = members(b);
    std::set_union(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(all));
    return found->second = number_of(std::move(all));
  }
  Set common(Set a, Set b) {
    if (a == b) return a;
    if (a == kEmpty || b == kEmpty) return kEmpty;
    if (is_one(a)) return is_in(a, b) ? a : kEmpty;
    if (is_one(b)) return is_in(b, a) ? b : kEmpty;
    const auto [found, fresh] = common_.try_emplace(key(a, b));
    if (!fresh) return found->second;
    std::vector<std::uint32_t> all;
    std::set_intersection(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(), std::back_inserter(all));
    return found->second = number_of(std::move(all));
  }
  bool is_in(Set a, Set b) const {
    if (a == kEmpty || a == b) return true;
    if (is_one(b)) return false;
    if (is_one(a)) return std::binary_search(sets_[b].begin(), sets_[b].end(), a & ~kOne);
    return std::includes(sets_[b].begin(), sets_[b].end(), sets_[a].begin(), sets_[a].end());
  }

  // Of one set, ascending. Valid until the next set is made.
  class Members {
   public:
    const std::uint32_t* begin() const { return all_.empty() ? &one_ : all_.data(); }
    const std::uint32_t* end() const { return begin() + count_; }

   private:
    friend class OpSets;
    std::span<const std::uint32_t> all_;
    std::uint32_t one_ = 0;
    std::size_t count_ = 0;
  };
  Members members(Set a) const {
    Members members;
    if (is_one(a)) {
      members.one_ = a & ~kOne;
      members.count_ = 1;
    } else {
      members.all_ = sets_[a];
      members.count_ = sets_[a].size();
    }
    return members;
  }

 private:
  static std::uint64_t key(Set a, Set b) { return a < b ? std::uint64_t{a} << 32 | b : std::uint64_t{b} << 32 | a; }
  Set number_of(std::vector<std::uint32_t> members) {
    if (members.size() > kMost) members.resize(kMost);
    if (members.empty()) return kEmpty;
    if (members.size() == 1) return of(members.front());
    const auto [found, fresh] = at_.try_emplace(members, static_cast<Set>(sets_.size()));
    if (fresh) sets_.push_back(std::move(members));
    return found->second;
  }

  static constexpr Set kOne = 1u << 31;
  static bool is_one(Set a) { return (a & kOne) != 0; }
  std::vector<std::vector<std::uint32_t>> sets_;
  std::map<std::vector<std::uint32_t>, Set> at_;
  std::unordered_map<std::uint64_t, Set> both_, common_;
};

}  // namespace rondo::graph
