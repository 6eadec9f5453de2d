// SPDX-License-Identifier: Apache-2.0
// How little memory the buffers and images of a capture need, if those that are never live at the same time share
// bytes: for each memory type one block, with a place for each resource that can move. No device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzers/analysis/graph/pack.h"
#include "analyzers/analysis/memory_uses.h"

namespace rondo::analyzers {

// Why a resource stays where it is.
enum class StayReason : std::uint8_t {
  moves,      // it does not
  unused,     // it is never live: it needs no bytes at all
  external,   // others see its memory: imported, exported, or of a swapchain
  sparse,     // its pages are bound one by one
  mapped,     // the host has its memory mapped while it is live
  address,    // the program has its address
  reached,    // addresses or descriptors in memory may lead to it, and nobody follows these
  dedicated,  // the driver requires an allocation for it alone
  shared,     // other resources lie on its bytes at the same time
  unknown,    // the capture does not say where it lies, or how large it is
};
const char* word_of(StayReason reason);
const char* sentence_of(StayReason reason);

struct PackedResource {
  std::uint32_t resource = 0;
  std::uint64_t offset = 0;
};

// Of one memory type.
struct MemoryBlock {
  std::uint32_t device = 0, type = 0;
  std::uint64_t now = 0;     // the most bytes that are bound at one time
  std::uint64_t fixed = 0;   // likewise, of what stays
  std::uint64_t moving = 0;  // the bytes of all that moves, each once
  graph::Packing packing;
  std::vector<PackedResource> places;
  std::uint64_t packed() const { return fixed + packing.bytes; }
  std::uint64_t lower_bound() const { return fixed + packing.lower_bound; }
  std::uint64_t assumed = 0;  // resources with versions that are taken to replace all of what was there
};

struct MemoryPacking {
  std::vector<MemoryBlock> blocks;                     // by device and type
  std::vector<StayReason> stays;                       // by resource
  std::uint64_t now = 0, packed = 0, lower_bound = 0;  // of all blocks; `packed` is at most `now`
};

// `overlap`: work of different queues is taken to run at the same time, unless the host waited for the device between.
MemoryPacking pack_memory(const MemoryUses& uses, bool overlap = false);

}  // namespace rondo::analyzers
