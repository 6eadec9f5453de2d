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

namespace rondo::graph {

class OpSets {
 public:
  using Set = std::uint32_t;
  static constexpr Set kEmpty = 0;
  // A set of more is cut to so many. Whoever asks takes what is missing for something that is not in the set.
  static constexpr std::size_t kMost = 64;

  OpSets() { sets_.emplace_back(); }

  Set of(std::uint32_t one) {
    if (one >= kMostSingles) return number_of({one});
    if (one >= singles_.size()) singles_.resize(one + 1, kEmpty);
    if (singles_[one] == kEmpty) singles_[one] = number_of({one});
    return singles_[one];
  }
  Set both(Set a, Set b) {
    if (a == b || b == kEmpty) return a;
    if (a == kEmpty) return b;
    const auto [found, fresh] = both_.try_emplace(key(a, b));
    if (!fresh) return found->second;
    std::vector<std::uint32_t> all;
    std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(), std::back_inserter(all));
    const Set made = number_of(std::move(all));
    return both_[key(a, b)] = made;
  }
  Set common(Set a, Set b) {
    if (a == b) return a;
    if (a == kEmpty || b == kEmpty) return kEmpty;
    if (sets_[a].size() == 1) return is_in(a, b) ? a : kEmpty;
    if (sets_[b].size() == 1) return is_in(b, a) ? b : kEmpty;
    const auto [found, fresh] = common_.try_emplace(key(a, b));
    if (!fresh) return found->second;
    std::vector<std::uint32_t> all;
    std::set_intersection(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(), std::back_inserter(all));
    const Set made = number_of(std::move(all));
    return common_[key(a, b)] = made;
  }
  bool is_in(Set a, Set b) const {
    if (a == kEmpty || a == b) return true;
    return std::includes(sets_[b].begin(), sets_[b].end(), sets_[a].begin(), sets_[a].end());
  }
  std::span<const std::uint32_t> members(Set a) const { return sets_[a]; }

 private:
  static std::uint64_t key(Set a, Set b) { return a < b ? std::uint64_t{a} << 32 | b : std::uint64_t{b} << 32 | a; }
  Set number_of(std::vector<std::uint32_t> members) {
    if (members.size() > kMost) members.resize(kMost);
    if (members.empty()) return kEmpty;
    const auto [found, fresh] = at_.try_emplace(members, static_cast<Set>(sets_.size()));
    if (fresh) sets_.push_back(std::move(members));
    return found->second;
  }

  static constexpr std::uint32_t kMostSingles = 1u << 24;
  std::vector<Set> singles_;  // sets of one, by their member
  std::vector<std::vector<std::uint32_t>> sets_;
  std::map<std::vector<std::uint32_t>, Set> at_;
  std::unordered_map<std::uint64_t, Set> both_, common_;
};

}  // namespace rondo::graph
