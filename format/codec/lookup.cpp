// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "format/codec/extensions.h"
#include "format/codec/tables.h"

namespace rondo::codec {
namespace {

template <class Id>
Id by_name(std::span<const tables::NamedId> names, std::string_view name) {
  const auto found = std::lower_bound(names.begin(), names.end(), name,
                                      [](const tables::NamedId& e, std::string_view n) { return e.name < n; });
  return found != names.end() && found->name == name ? static_cast<Id>(found->id) : Id::none;
}

}  // namespace

std::span<const CommandInfo> commands() { return tables::commands; }
std::span<const StructInfo> structures() { return tables::structures; }
std::span<const ExtensionInfo> extensions() { return tables::extensions; }
std::span<const HiddenFeature> hidden_features() { return tables::hidden_features; }

const ExtensionInfo* extension_by_name(std::string_view name) {
  const auto found =
      std::lower_bound(tables::extensions.begin(), tables::extensions.end(), name,
                       [](const ExtensionInfo& e, std::string_view n) { return std::string_view(e.name) < n; });
  return found != tables::extensions.end() && found->name == name ? &*found : nullptr;
}

CommandId command_by_name(std::string_view name) { return by_name<CommandId>(tables::command_names, name); }
StructId structure_by_name(std::string_view name) { return by_name<StructId>(tables::structure_names, name); }

StructId structure_by_stype(std::uint32_t stype) {
  const auto& types = tables::structure_types;
  const auto found = std::lower_bound(types.begin(), types.end(), stype,
                                      [](const tables::StructureType& e, std::uint32_t s) { return e.stype < s; });
  return found != types.end() && found->stype == stype ? static_cast<StructId>(found->id) : StructId::none;
}

const HandleInfo& info(HandleType type) { return tables::handles[static_cast<std::size_t>(type)]; }

HandleType handle_by_object_type(std::uint32_t object_type) {
  if (object_type == 0) return HandleType::none;
  for (std::size_t i = 1; i < kHandleTypes; ++i)
    if (tables::handles[i].object_type == object_type) return static_cast<HandleType>(i);
  return HandleType::none;
}

std::string_view enum_name(EnumId id) { return tables::enums[static_cast<std::size_t>(id)].name; }

std::span<const Enumerant> enumerants(EnumId id) { return tables::enums[static_cast<std::size_t>(id)].values; }

std::string_view enumerant_name(EnumId id, std::int64_t value) {
  const auto values = enumerants(id);
  const auto found = std::lower_bound(values.begin(), values.end(), value,
                                      [](const Enumerant& e, std::int64_t v) { return e.value < v; });
  return found != values.end() && found->value == value ? std::string_view(found->name) : std::string_view();
}

}  // namespace rondo::codec
