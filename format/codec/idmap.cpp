// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "format/codec/decoder.h"

namespace rondo::codec {
namespace {

template <class T>
void put(std::vector<T>& table, std::uint16_t index, T value) {
  if (table.size() <= index) table.resize(index + std::size_t{1});
  table[index] = std::move(value);
}

}  // namespace

IdMap IdMap::match(std::span<const DictionaryRow> rows) {
  IdMap map;
  // Id 0 means "none" in records and ends pNext chains: no row may claim it.
  for (const DictionaryRow& row : rows) {
    if (row.id == 0) {
      map.refused_.push_back(row.name + ": has the id 0");
      continue;
    }
    if (row.kind == DictionaryKind::command) {
      put(map.names_, row.id, row.name);
      const CommandId id = command_by_name(row.name);
      if (id == CommandId::none || info(id).args == StructId::none) {
        map.refused_.push_back(row.name + ": unknown to this build");
      } else if (info(info(id).args).encoding_hash != row.encoding_hash) {
        map.refused_.push_back(row.name + ": recorded with another encoding than this build's");
      } else {
        put(map.commands_, row.id, id);
      }
    } else if (row.kind == DictionaryKind::structure) {
      const StructId id = structure_by_name(row.name);
      if (id == StructId::none || info(id).size == 0) {
        map.refused_.push_back(row.name + ": unknown to this build");
      } else if (info(id).encoding_hash != row.encoding_hash) {
        map.refused_.push_back(row.name + ": recorded with another encoding than this build's");
      } else {
        put(map.structures_, row.id, id);
      }
    }
  }
  return map;
}

CommandId IdMap::command(std::uint16_t file_id) const {
  return file_id < commands_.size() ? commands_[file_id] : CommandId::none;
}

StructId IdMap::structure(std::uint16_t file_id) const {
  return file_id < structures_.size() ? structures_[file_id] : StructId::none;
}

const std::string& IdMap::name(std::uint16_t file_command_id) const {
  static const std::string unknown = "an unnamed command";
  return file_command_id < names_.size() && !names_[file_command_id].empty() ? names_[file_command_id] : unknown;
}

}  // namespace rondo::codec
