// SPDX-License-Identifier: Apache-2.0
// Where captured allocations and what was bound to them go on a device that
// asks for other types, sizes and alignments. Pure: no device is called here.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/result.h"
#include "format/vulkan.h"

namespace rondo::player {

// The rows of a linear image: bytes from one to the next, and of the first.
struct Rows {
  VkDeviceSize pitch = 0;  // 0: not a linear image, or unknown
  VkDeviceSize first = 0;
  friend bool operator==(const Rows&, const Rows&) = default;
};

// A stretch of a captured allocation and where it went.
struct Region {
  VkDeviceSize captured_begin = 0, captured_end = 0;
  VkDeviceSize begin = 0;
  Rows captured_rows, rows;  // where they differ; else zero
};

struct Placement {
  bool moved = false;  // else every offset is the captured one
  VkDeviceSize bytes = 0;
  std::uint32_t type = 0;
  std::vector<Region> regions;                              // ascending, without holes; only when moved
  std::unordered_map<std::uint32_t, VkDeviceSize> offsets;  // of resources; only when moved
};

// Placements by memory (index into Plan::memories), the same in every
// iteration: worked out once per device.
struct PlacementCache {
  std::vector<bool> ready;    // by device
  std::vector<Placement> of;  // by memory
};

// A part of a captured range and where it lies now.
struct Piece {
  VkDeviceSize from = 0;  // from the beginning of the captured range
  VkDeviceSize to = 0;    // in the replayed allocation
  VkDeviceSize bytes = 0;
};

// Appends the pieces of [offset, offset + bytes), ascending. Padding between
// the rows of an image that has less of it here is left out.
void pieces_of(const Placement& placement, VkDeviceSize offset, VkDeviceSize bytes, std::vector<Piece>& out);

// A resource bound to an allocation: as captured, and as the target asks.
struct Need {
  std::uint32_t resource = 0;  // index into Plan::resources
  std::string name;            // for messages
  bool linear = true;          // a buffer or linear image (bufferImageGranularity)
  VkDeviceSize captured_offset = 0;
  VkDeviceSize captured_bytes = 0;   // 0: unknown
  std::uint64_t born = 0, died = 0;  // sequence numbers; died 0: never
  VkDeviceSize bytes = 0, alignment = 1;
  Rows captured_rows, rows;
};

// Keeps the captured offsets where they fit the target's needs; otherwise lays
// resources out anew, those that share bytes in the same places relative to
// each other. Fails (device) naming the resources where that cannot be. The
// caller sets `type`.
Result<Placement> lay_out(VkDeviceSize captured_bytes, bool dedicated, std::vector<Need> needs,
                          VkDeviceSize granularity);

// The type among `type_bits` most like the captured one, host-visible if asked (else that
// matters only where the very same type is there); UINT32_MAX if there is none. `captured` is
// null when unknown.
std::uint32_t choose_memory_type(const VkPhysicalDeviceMemoryProperties& target, std::uint32_t type_bits,
                                 const VkMemoryPropertyFlags* captured, bool host_visible);

}  // namespace rondo::player
