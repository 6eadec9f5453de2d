// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/tables.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <utility>

namespace fake::tables {

extern const Entry entries[];
extern const std::size_t entry_count;
extern const std::uint8_t facts_of_rows[];
extern const std::uint32_t row_offsets[];
extern const Extends all_extends[];
extern const std::size_t extends_count;
extern const FormatInfo formats[];
extern const std::size_t format_count;

const Entry* find_entry(std::string_view name) {
  const Entry* end = entries + entry_count;
  const Entry* found =
      std::lower_bound(entries, end, name, [](const Entry& e, std::string_view n) { return e.name < n; });
  return found != end && found->name == name ? found : nullptr;
}

// Tables are never destroyed: threads of a program that exits may still look.
const Entry* find_entry(CommandId id) {
  static const auto by_id = [] {
    std::array<const Entry*, rondo::kCommandIds> all{};
    for (std::size_t i = 0; i < entry_count; ++i) all[static_cast<std::size_t>(entries[i].id)] = &entries[i];
    return all;
  }();
  return by_id[static_cast<std::size_t>(id)];
}

std::uint8_t row_facts(StructId structure, std::size_t row) {
  return facts_of_rows[row_offsets[static_cast<std::size_t>(structure)] + row];
}

bool extends(StructId link, StructId parent) {
  using Pairs = std::set<std::pair<StructId, StructId>>;
  static const Pairs& all = *new Pairs([] {
    Pairs pairs;
    for (std::size_t i = 0; i < extends_count; ++i) pairs.emplace(all_extends[i].link, all_extends[i].parent);
    return pairs;
  }());
  return all.count({link, parent}) != 0;
}

const FormatInfo* find_format(VkFormat format) {
  using Formats = std::unordered_map<std::uint32_t, const FormatInfo*>;
  static const Formats& by_format = *new Formats([] {
    Formats all;
    for (std::size_t i = 0; i < format_count; ++i) all.emplace(formats[i].format, &formats[i]);
    return all;
  }());
  const auto found = by_format.find(static_cast<std::uint32_t>(format));
  return found == by_format.end() ? nullptr : found->second;
}

std::span<const FormatInfo> all_formats() { return {formats, format_count}; }

}  // namespace fake::tables
