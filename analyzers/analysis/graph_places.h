// SPDX-License-Identifier: Apache-2.0
// Words for what the work graph is about: ranges of its spaces, as resources.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzers/analysis/graph_walk.h"
#include "analyzers/text/json.h"

namespace rondo::analyzers {

// A range of a space, as the program knows it. As long as the resources are alive.
struct GraphPlace {
  // A buffer, image, memory or query pool. Null: anything reachable.
  ObjectId object = ObjectId::null;
  bool is_image = false;
  std::vector<VkImageSubresourceRange> parts;  // of an image with a space of its own; empty: any part
  std::uint64_t begin = 0, end = 0;            // else bytes of the object, or queries; 0: any
  // Bytes of a memory where several resources lie, or none: these resources.
  std::vector<ObjectId> on;
};

// "COLOR mips 0:1 layers 0:1".
std::string part_text(const VkImageSubresourceRange& part);

GraphPlace place_of(const GraphWalk& walk, std::uint32_t space, std::uint64_t begin, std::uint64_t end);
// What a need is about.
GraphPlace place_of(const GraphWalk& walk, const graph::ItemNeed& need);
// "VkBuffer#7 0:64", "VkImage#3 COLOR mips 0:1 layers 0:1", "VkDeviceMemory#2 0:64 (VkBuffer#7, VkBuffer#9)".
std::string place_text(const GraphWalk& walk, const GraphPlace& place);
// As fields of the object that is open: object, and parts, or begin and end, and on.
void write_place(JsonWriter& json, const GraphWalk& walk, const GraphPlace& place);

// "VkDeviceMemory#2 0:64": where the bytes of a space are.
std::string slice_text(const GraphWalk& walk, std::uint32_t space, std::uint64_t begin, std::uint64_t end);

}  // namespace rondo::analyzers
