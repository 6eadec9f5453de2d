// SPDX-License-Identifier: Apache-2.0
#include "player/run/substitutes.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace rondo::player {

namespace {

constexpr std::size_t kKeyBytes = sizeof(std::uint64_t);

std::uint64_t key_at(const std::byte* bytes) {
  std::uint64_t key;
  std::memcpy(&key, bytes, sizeof key);
  return key;
}

// Fibonacci hashing: the upper bits of the product depend on all bits.
std::size_t spread(std::uint64_t key) { return static_cast<std::size_t>(key * 0x9e37'79b9'7f4a'7c15u >> 48); }

bool equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

// A place at a multiple of the alignment whose 8 bytes differ.
std::size_t first_difference(std::span<const std::byte> a, std::span<const std::byte> b) {
  const auto differs = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
  const std::size_t aligned = differs / Substitutes::kAlignment * Substitutes::kAlignment;
  const std::size_t last = (a.size() - kKeyBytes) / Substitutes::kAlignment * Substitutes::kAlignment;
  return std::min(aligned, last);
}

}  // namespace

void Substitutes::Index::add(std::uint64_t key, std::size_t pair) {
  pairs.emplace(key, pair);
  perhaps.set(spread(key));
}

void Substitutes::Index::remove(std::uint64_t key, std::size_t pair) {
  const auto [first, last] = pairs.equal_range(key);
  const auto found = std::find_if(first, last, [&](const auto& one) { return one.second == pair; });
  if (found != last) pairs.erase(found);
}

bool Substitutes::changes(std::span<const std::byte> captured, std::span<const std::byte> here) const {
  const Digest digest = digest_of(captured);
  const auto known = of_captured_.find(digest);
  if (known != of_captured_.end()) return !equal(pairs_[known->second].here, here);
  return !equal(captured, here) && same_.contains(digest);
}

void Substitutes::learn(std::span<const std::byte> captured, std::span<const std::byte> here) {
  const Digest digest = digest_of(captured);
  const auto known = of_captured_.find(digest);
  if (known == of_captured_.end() && equal(captured, here)) {
    same_.insert(digest);
    return;
  }
  std::size_t at = pairs_.size();
  if (known != of_captured_.end()) {
    at = known->second;
    Pair& pair = pairs_[at];
    if (equal(pair.here, here)) return;
    captured_.remove(key_at(pair.captured.data() + pair.key), at);
    here_.remove(key_at(pair.here.data() + pair.key), at);
  } else {
    pairs_.emplace_back();
    of_captured_.emplace(digest, at);
    same_.erase(digest);
  }
  Pair& pair = pairs_[at];
  pair.captured.assign(captured.begin(), captured.end());
  pair.here.assign(here.begin(), here.end());
  pair.key = first_difference(captured, here);
  captured_.add(key_at(pair.captured.data() + pair.key), at);
  here_.add(key_at(pair.here.data() + pair.key), at);
  longest_ = std::max(longest_, captured.size());
}

std::span<const std::byte> Substitutes::here_of(std::span<const std::byte> captured) const {
  const auto known = of_captured_.find(digest_of(captured));
  if (known == of_captured_.end()) return {};
  return pairs_[known->second].here;
}

std::vector<Substitutes::Place> Substitutes::places_of(std::span<const std::byte> captured) const {
  std::vector<Place> all;
  const auto known = of_captured_.find(digest_of(captured));
  if (known == of_captured_.end()) return all;
  for (const auto& [memory, offsets] : pairs_[known->second].places)
    for (const std::uint64_t offset : offsets) all.push_back({memory, offset});
  return all;
}

void Substitutes::forget_places(std::uint32_t memory) {
  const auto placed = placed_.find(memory);
  if (placed == placed_.end()) return;
  for (const auto& [offset, pair] : placed->second) pairs_[pair].places.erase(memory);
  placed_.erase(placed);
}

template <class Preferred, class Replaced>
void Substitutes::replace(std::span<std::byte> bytes, const Index& index, std::vector<std::byte> Pair::*from,
                          std::vector<std::byte> Pair::*to, const Preferred& is_preferred,
                          const Replaced& replaced) const {
  std::size_t done = 0;  // what was replaced is not looked at again
  for (std::size_t at = 0; at + kKeyBytes <= bytes.size(); at += kAlignment) {
    const std::uint64_t key = key_at(bytes.data() + at);
    if (!index.perhaps.test(spread(key))) [[likely]]
      continue;
    const auto [first, last] = index.pairs.equal_range(key);
    std::optional<std::size_t> found;
    for (auto one = first; one != last; ++one) {
      const Pair& pair = pairs_[one->second];
      const std::vector<std::byte>& wanted = pair.*from;
      if (at < done + pair.key || bytes.size() - (at - pair.key) < wanted.size()) continue;
      if (std::memcmp(bytes.data() + at - pair.key, wanted.data(), wanted.size()) != 0) continue;
      const bool preferred = is_preferred(at - pair.key, one->second);
      if (preferred || !found || *found < one->second) found = one->second;
      if (preferred) break;
    }
    if (!found) continue;
    const Pair& pair = pairs_[*found];
    const std::size_t begin = at - pair.key;
    std::memcpy(bytes.data() + begin, (pair.*to).data(), (pair.*to).size());
    replaced(begin, *found);
    done = begin + (pair.*to).size();
    at = (done + kAlignment - 1) / kAlignment * kAlignment - kAlignment;
  }
}

void Substitutes::put_here(std::span<std::byte> bytes) const {
  if (empty()) return;
  replace(
      bytes, captured_, &Pair::captured, &Pair::here, [](auto, auto) { return false; }, [](auto, auto) {});
}

void Substitutes::put_here(std::span<std::byte> bytes, Place place) {
  if (empty()) return;
  AtOffset& placed = placed_[place.memory];
  const auto remember = [&](std::size_t begin, std::size_t pair) {
    const std::uint64_t offset = place.offset + begin;
    const auto [at, is_new] = placed.try_emplace(offset, pair);
    if (!is_new) {
      if (at->second == pair) return;
      pairs_[at->second].places[place.memory].erase(offset);
      at->second = pair;
    }
    pairs_[pair].places[place.memory].insert(offset);
  };
  replace(
      bytes, captured_, &Pair::captured, &Pair::here, [](auto, auto) { return false; }, remember);
}

void Substitutes::put_captured(std::span<std::byte> bytes) const {
  if (empty()) return;
  replace(
      bytes, here_, &Pair::here, &Pair::captured, [](auto, auto) { return false; }, [](auto, auto) {});
}

void Substitutes::put_captured(std::span<std::byte> bytes, Place place) const {
  if (empty()) return;
  const auto placed = placed_.find(place.memory);
  if (placed == placed_.end()) return put_captured(bytes);
  const auto was_put = [&](std::size_t begin, std::size_t pair) {
    const auto at = placed->second.find(place.offset + begin);
    return at != placed->second.end() && at->second == pair;
  };
  replace(bytes, here_, &Pair::here, &Pair::captured, was_put, [](auto, auto) {});
}

}  // namespace rondo::player
