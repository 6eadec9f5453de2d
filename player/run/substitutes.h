// SPDX-License-Identifier: Apache-2.0
// Bytes that a driver makes up and a program stores where it likes: descriptors
// (Vulkan, VK_EXT_descriptor_buffer, vkGetDescriptorEXT). A driver may put pointers
// of its own process there, so they differ from the captured ones: what is written
// to memory gets those from here, what is compared gets the captured ones back.
// One thread. Of two that are the same here and were not in the capture, the one that
// was put to the place is put back, elsewhere the one learned last.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "format/digest.h"

namespace rondo::player {

class Substitutes {
 public:
  // Fewer bytes that differ could be anything.
  static constexpr std::size_t kLeast = 16;
  // They lie at multiples of this.
  static constexpr std::size_t kAlignment = 4;

  // Where bytes lie: a memory of Plan::memories, bytes from its begin.
  struct Place {
    std::uint32_t memory = 0;
    std::uint64_t offset = 0;
  };

  // Whether learn() would change what stands for bytes that may lie in memory already.
  bool changes(std::span<const std::byte> captured, std::span<const std::byte> here) const;
  // Both of one size, of kLeast at least where they differ.
  void learn(std::span<const std::byte> captured, std::span<const std::byte> here);

  // What is put for these bytes, empty if nothing is, and where put_here() did it.
  std::span<const std::byte> here_of(std::span<const std::byte> captured) const;
  std::vector<Place> places_of(std::span<const std::byte> captured) const;
  void forget_places(std::uint32_t memory);

  bool empty() const { return pairs_.empty(); }
  std::size_t longest() const { return longest_; }

  // `bytes` begin at a multiple of kAlignment of their memory; only what lies in
  // them whole is found.
  void put_here(std::span<std::byte> bytes) const;
  void put_here(std::span<std::byte> bytes, Place place);  // the same, and remembers what was put where
  void put_captured(std::span<std::byte> bytes) const;
  void put_captured(std::span<std::byte> bytes, Place place) const;

 private:
  struct Pair {
    std::vector<std::byte> captured, here;
    std::size_t key = 0;                                                // where 8 bytes of them lie that differ
    std::map<std::uint32_t, std::unordered_set<std::uint64_t>> places;  // offsets by memory
  };
  // Pairs by their 8 bytes at `key`, in the capture or here.
  struct Index {
    std::unordered_multimap<std::uint64_t, std::size_t> pairs;
    std::bitset<1 << 16> perhaps;  // by the low bits of a hash of the 8 bytes
    void add(std::uint64_t key, std::size_t pair);
    void remove(std::uint64_t key, std::size_t pair);
  };
  struct ByDigest {
    std::size_t operator()(const Digest& d) const { return static_cast<std::size_t>(d.low); }
  };
  using AtOffset = std::unordered_map<std::uint64_t, std::size_t>;  // the pair that was put there
  // Calls `replaced` with where a pair's bytes were, and with the pair.
  template <class Preferred, class Replaced>
  void replace(std::span<std::byte> bytes, const Index& index, std::vector<std::byte> Pair::*from,
               std::vector<std::byte> Pair::*to, const Preferred& is_preferred, const Replaced& replaced) const;

  std::vector<Pair> pairs_;
  std::unordered_map<Digest, std::size_t, ByDigest> of_captured_;  // index into pairs_
  std::unordered_set<Digest, ByDigest> same_;                      // captured ones that were the same here
  Index captured_, here_;
  std::unordered_map<std::uint32_t, AtOffset> placed_;  // by memory
  std::size_t longest_ = 0;
};

}  // namespace rondo::player
