// SPDX-License-Identifier: Apache-2.0
// The generated tables as the lookups see them. Private to format/codec.
#pragma once

#include <type_traits>

#include "format/codec/schema.h"

namespace rondo::codec::tables {

template <class Id>
constexpr std::uint16_t index(Id id) {
  return static_cast<std::uint16_t>(id);
}

struct NamedId {
  std::string_view name;
  std::uint16_t id;
};
struct StructureType {
  std::uint32_t stype;
  std::uint16_t id;
};
struct EnumInfo {
  const char* name;
  std::span<const Enumerant> values;  // ascending
};

extern const CommandInfo commands[kCommandIds];
extern const StructInfo structures[kStructIds];
extern const HandleInfo handles[kHandleTypes];
extern const EnumInfo enums[kEnumIds];
extern const std::span<const NamedId> command_names;          // by name
extern const std::span<const NamedId> structure_names;        // by name; aliases too
extern const std::span<const StructureType> structure_types;  // ascending
extern const std::span<const ExtensionInfo> extensions;       // by name
extern const std::span<const HiddenFeature> hidden_features;

}  // namespace rondo::codec::tables
