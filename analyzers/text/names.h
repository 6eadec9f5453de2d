// SPDX-License-Identifier: Apache-2.0
// Numbers of the registry by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/codec/schema.h"
#include "format/reader.h"

namespace rondo::analyzers {

struct FlagNames {
  std::vector<std::string_view> names;  // of the bits that are set
  std::uint64_t unknown = 0;            // bits without a name
};
FlagNames flag_names(EnumId bits, std::uint64_t value);
std::string flags_text(EnumId bits, std::uint64_t value);  // "A | B | 0x100", "0"

// "VK_SUCCESS", or the number where it has no name.
std::string enumerant_text(EnumId id, std::int64_t value);

// What a call returned: "VK_SUCCESS", "VK_TRUE", "12", "0x7f00" (addresses),
// "(the process died in the call)"; empty where it returns nothing.
std::string result_text(const codec::CommandInfo& command, const Record& record);

std::string version_text(std::uint32_t version);  // of VK_MAKE_API_VERSION: "1.3.230"

const char* class_text(codec::CommandClass kind);  // "regular", …

}  // namespace rondo::analyzers
