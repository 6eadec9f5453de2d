// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/memory_packing.h"

#include <algorithm>
#include <bit>
#include <map>

#include "analyzers/analysis/memory_timeline.h"

namespace rondo::analyzers {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 42;  // of one resource: more than any device has

StayReason reason_of(const MemoryResource& one, const MemoryUse& use, const MemoryFacts& facts) {
  if (one.is_of_swapchain || one.is_external) return StayReason::external;
  if (one.is_sparse) return StayReason::sparse;
  if (one.allocation == kNoIndex || one.is_disjoint || one.bytes == 0 || one.bytes > kMostBytes)
    return StayReason::unknown;
  const Allocation& memory = facts.allocations()[one.allocation];
  if (memory.is_imported || memory.is_exported) return StayReason::external;
  if (one.has_address || memory.has_captured_address) return StayReason::address;
  if (use.may_be_reached) return StayReason::reached;
  if (one.needs_dedicated) return StayReason::dedicated;
  if (one.shares) return StayReason::shared;
  if (!use.live.empty() && (memory.is_mapped || memory.mapped_to > use.live.front().from)) return StayReason::mapped;
  if (use.live.empty()) return StayReason::unused;
  return StayReason::moves;
}

// Where the program did not ask: what its place is a multiple of.
std::uint64_t alignment_of(const MemoryResource& one, std::uint64_t offset) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 16;
  if (one.alignment != 0) return std::min<std::uint64_t>(one.alignment, std::uint64_t{1} << 30);
  return offset == 0 ? kMost : std::min(offset & ~(offset - 1), kMost);
}

}  // namespace

const char* word_of(StayReason reason) {
  constexpr const char* kWords[] = {"moves",   "unused",  "external",  "sparse", "mapped",
                                    "address", "reached", "dedicated", "shared", "unknown"};
  return kWords[static_cast<std::size_t>(reason)];
}

const char* sentence_of(StayReason reason) {
  constexpr const char* kSentences[] = {
      "it moves",
      "it is never live, so it needs no bytes",
      "others see its memory: it is imported, exported, or of a swapchain",
      "its pages are bound one by one",
      "the host has its memory mapped while it is live",
      "the program has its address",
      "addresses or descriptors in memory may lead to it",
      "the driver requires an allocation for it alone",
      "other resources lie on its bytes at the same time",
      "the capture does not say where it lies, or how large it is",
  };
  return kSentences[static_cast<std::size_t>(reason)];
}

MemoryPacking pack_memory(const MemoryUses& uses, bool overlap) {
  const MemoryFacts& facts = uses.facts();
  MemoryPacking out;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> moving;  // by device and type
  std::vector<std::uint64_t> offset_now(facts.resources().size());
  for (const BoundBytes& one : facts.bound()) offset_now[one.resource] = one.begin;
  for (const Allocation& one : facts.allocations()) moving[{one.device, one.type}];
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < facts.resources().size(); ++i) {
    const MemoryResource& one = facts.resources()[i];
    out.stays.push_back(reason_of(one, uses.uses()[i], facts));
    // More than any device has is no program's.
    if (out.stays.back() == StayReason::moves && (sum += one.bytes) > kMostBytes << 16)
      out.stays.back() = StayReason::unknown;
    if (out.stays.back() != StayReason::moves) continue;
    const Allocation& memory = facts.allocations()[one.allocation];
    moving[{memory.device, memory.type}].push_back(i);
  }
  // The most bytes that are bound at one time, by device and type.
  const auto peaks = [&](const auto& counts) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::int64_t, std::int64_t>> all;
    for (const BoundChange& one : bound_changes(facts, counts)) {
      const Allocation& memory = facts.allocations()[one.allocation];
      auto& [now, most] = all[{memory.device, memory.type}];
      now += one.bytes;
      most = std::max(most, now);
    }
    return all;
  };
  auto now = peaks([](std::uint32_t) { return true; });
  auto fixed = peaks([&](std::uint32_t resource) {
    return out.stays[resource] != StayReason::moves && out.stays[resource] != StayReason::unused;
  });
  for (const auto& [key, resources] : moving) {
    MemoryBlock block;
    block.device = key.first;
    block.type = key.second;
    block.now = static_cast<std::uint64_t>(now[key].second);
    block.fixed = static_cast<std::uint64_t>(fixed[key].second);
    std::vector<graph::PackItem> items;
    for (const std::uint32_t number : resources) {
      const MemoryResource& one = facts.resources()[number];
      const MemoryUse& use = uses.uses()[number];
      graph::PackItem item{one.bytes, alignment_of(one, offset_now[number]), one.is_optimal, use.live};
      if (overlap) uses.spread_over_queues(item.live);
      items.push_back(std::move(item));
      block.moving += one.bytes;
      block.assumed += use.assumed != 0 ? 1 : 0;
    }
    block.packing = graph::pack(items, facts.devices()[key.first].granularity);
    for (std::size_t i = 0; i < resources.size(); ++i) block.places.push_back({resources[i], block.packing.offsets[i]});
    out.now += block.now;
    out.packed += std::min(block.packed(), block.now);
    out.lower_bound += std::min(block.lower_bound(), block.now);
    out.blocks.push_back(std::move(block));
  }
  return out;
}

}  // namespace rondo::analyzers
