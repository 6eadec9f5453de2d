// SPDX-License-Identifier: Apache-2.0
// How a command touches the memory of an object, in Vulkan's own words (specification, "Synchronization and
// Cache Control", access types and pipeline stages).
#pragma once

#include <compare>
#include <cstdint>

#include "format/objects.h"
#include "format/vulkan.h"

namespace rondo::model {

// Accesses that write and that Debian 12's headers lack: those of VIDEO_DECODE, VIDEO_ENCODE, OPTICAL_FLOW, MICROMAP,
// DATA_GRAPH, SHADER_TILE_ATTACHMENT and MEMORY_DECOMPRESSION.
inline constexpr VkAccessFlags2 kNewerWrites =
    VkAccessFlags2{1} << 36 | VkAccessFlags2{1} << 38 | VkAccessFlags2{1} << 43 | VkAccessFlags2{1} << 45 |
    VkAccessFlags2{1} << 48 | VkAccessFlags2{1} << 52 | VkAccessFlags2{1} << 56;
// All accesses that write. A test holds them against the registry.
inline constexpr VkAccessFlags2 kWrites =
    VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT |
    VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_HOST_WRITE_BIT |
    VK_ACCESS_2_MEMORY_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT |
    VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT | VK_ACCESS_2_ACCELERATION_STRUCTURE_WRITE_BIT_KHR |
    VK_ACCESS_2_COMMAND_PREPROCESS_WRITE_BIT_NV | kNewerWrites;

// The texels that a command touches of each subresource. Width 0: it is not known which ones.
struct TexelBox {
  std::uint16_t x = 0, y = 0, z = 0, width = 0, height = 0, depth = 0;
  // Surely both have no texel of a subresource in common.
  bool misses(const TexelBox& other) const {
    if (width == 0 || other.width == 0) return false;
    return x + width <= other.x || other.x + other.width <= x || y + height <= other.y || other.y + other.height <= y ||
           z + depth <= other.z || other.z + other.depth <= z;
  }
  friend auto operator<=>(const TexelBox&, const TexelBox&) = default;
};

template <class Id>
struct TouchOf {
  Id object = {};                      // a buffer, image, query pool, acceleration structure or memory
  std::uint64_t offset = 0, size = 0;  // bytes of a buffer or memory, within it; of a query pool queries; 0 of others
  // Of an image: what there is of it, nothing remaining. All slices of a mip are one layer. Of several planes COLOR is
  // all of them, as Vulkan has it.
  VkImageSubresourceRange part{};
  VkPipelineStageFlags2 stages = 0;
  VkAccessFlags2 access = 0;
  // Surely all of that is replaced, and nothing of what was there is seen. Else it may be touched, or a part of it.
  bool overwrites = false;
  // … by nothing: it is undefined from then on, which drivers may do by leaving it as it was.
  bool forgets = false;

  // The capture does not say where the range ends, as with a bound vertex buffer. If the range is touched, its first
  // byte is.
  bool is_open = false;
  // It is loaded where a later subpass begins. The touch is told where the pass begins.
  bool is_loaded_later = false;
  TexelBox box = {};  // of an image, by a copy or a resolve: it touches no other texels

  bool reads() const { return (access & ~kWrites) != 0; }
  bool writes() const { return (access & kWrites) != 0; }
};
using Touch = TouchOf<ObjectId>;

// Why nobody can say from the calls what else a command touches.
enum Unknown : std::uint8_t {
  kAddresses = 1,    // its shaders follow pointers that they find somewhere
  kDescriptors = 2,  // its descriptors lie in buffers
  kStructures = 4,   // acceleration structures refer to others by address
  kGenerated = 8,    // a device makes its commands
  kShaders = 16,     // its shaders are not in the capture: an identifier, or the driver's own code
  kBindless = 64,    // its descriptors are chosen from very many (kManyDescriptors)
  kMemory = 32,      // an address that is in no buffer whose address the program asked for
};
inline constexpr std::uint8_t kUnknowns[] = {kAddresses, kDescriptors, kStructures, kGenerated,
                                             kShaders,   kMemory,      kBindless};
const char* text_of(Unknown why);

// What is touched besides: anything reachable (Model::reachable), where `unknown` is not 0.
struct Reach {
  std::uint8_t unknown = 0;
  bool reads = false, writes = false;
  VkPipelineStageFlags2 stages = 0;

  void add(std::uint8_t why, bool read, bool write, VkPipelineStageFlags2 at) {
    unknown = static_cast<std::uint8_t>(unknown | why);
    reads = reads || read;
    writes = writes || write;
    stages |= at;
  }
  void add(const Reach& other) { add(other.unknown, other.reads, other.writes, other.stages); }
};

}  // namespace rondo::model
