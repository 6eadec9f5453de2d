// SPDX-License-Identifier: Apache-2.0
#include "analyzers/text/names.h"

#include <bit>

#include "analyzers/text/text.h"
#include "format/vulkan.h"

namespace rondo::analyzers {

FlagNames flag_names(EnumId bits, std::uint64_t value) {
  FlagNames result;
  result.unknown = value;
  if (bits == EnumId::none) return result;
  for (const codec::Enumerant& e : codec::enumerants(bits)) {
    const auto bit = static_cast<std::uint64_t>(e.value);
    // Aliases come later and find their bit taken; combinations are no bits.
    if (!std::has_single_bit(bit) || (result.unknown & bit) == 0) continue;
    result.names.emplace_back(e.name);
    result.unknown &= ~bit;
  }
  return result;
}

std::string flags_text(EnumId bits, std::uint64_t value) {
  const FlagNames flags = flag_names(bits, value);
  std::string out;
  for (const std::string_view name : flags.names) append(out, "{}{}", out.empty() ? "" : " | ", name);
  if (flags.unknown != 0) append(out, "{}0x{:x}", out.empty() ? "" : " | ", flags.unknown);
  return out.empty() ? "0" : out;
}

std::string enumerant_text(EnumId id, std::int64_t value) {
  const std::string_view name = codec::enumerant_name(id, value);
  return name.empty() ? std::to_string(value) : std::string(name);
}

std::string result_text(const codec::CommandInfo& command, const Record& record) {
  if (command.returns == codec::Returns::nothing) return {};
  if (!record.has_return) return (record.flags & kRecordTwoPart) != 0 ? "(the process died in the call)" : "";
  switch (command.returns) {
    case codec::Returns::result:
      return enumerant_text(EnumId::VkResult, record.return_value);
    case codec::Returns::bool32:
      return record.return_value != 0 ? "VK_TRUE" : "VK_FALSE";
    case codec::Returns::address:
    case codec::Returns::function:
      return text("0x{:x}", static_cast<std::uint64_t>(record.return_value));
    default:
      return std::to_string(static_cast<std::uint64_t>(record.return_value));
  }
}

std::string version_text(std::uint32_t version) {
  return text("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
}

const char* class_text(codec::CommandClass kind) {
  switch (kind) {
    case codec::CommandClass::regular:
      return "regular";
    case codec::CommandClass::irregular:
      return "irregular";
    default:
      return "unsupported";
  }
}

}  // namespace rondo::analyzers
