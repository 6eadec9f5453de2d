// SPDX-License-Identifier: Apache-2.0
// What scripts/rondogen/fake_driver.py emits from the registry for the fake
// driver, beyond the codec's own tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "format/vulkan.h"
#include "generated/ids.h"

namespace fake::tables {

using rondo::CommandId;
using rondo::StructId;

// What brings a command: a version or an extension, and with an extension
// perhaps another one that it needs for this.
struct Origin {
  const char* feature;
  const char* needs;
};
enum class Place : std::uint8_t { anywhere, inside, outside };  // of a render pass
struct Entry {
  std::string_view name;
  CommandId id;
  PFN_vkVoidFunction function;
  std::span<const Origin> origins;
  // Of vkCmd*: queues that can do it (0: not said), whether primaries only, where.
  VkQueueFlags queues;
  bool primary_only;
  Place place;
};
const Entry* find_entry(std::string_view name);  // null: no such command
const Entry* find_entry(CommandId id);

// Beside each row of the codec's table of a structure, in its order.
enum RowFacts : std::uint8_t {
  kMayBeNull = 1,          // the handle, or the pointer
  kElementsMayBeNull = 2,  // what the pointer points to
  kNotSaid = 4,            // the registry leaves the validity to the specification's text
};
std::uint8_t row_facts(StructId structure, std::size_t row);

struct Extends {
  StructId link, parent;
};
bool extends(StructId link, StructId parent);  // may stand in the chain of

struct FormatPlane {
  std::uint8_t width_divisor, height_divisor;
  std::uint32_t format;
};
struct FormatInfo {
  std::uint32_t format;
  std::uint8_t block_bytes, block_width, block_height;
  std::uint8_t components, depth_bits;  // depth_bits: 0 without depth
  bool stencil;
  const char* numeric;                  // of the first component
  std::span<const FormatPlane> planes;  // empty: one plane
};
const FormatInfo* find_format(VkFormat format);  // null: unknown
std::span<const FormatInfo> all_formats();

}  // namespace fake::tables
