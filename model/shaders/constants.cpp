// SPDX-License-Identifier: Apache-2.0
#include "model/shaders/constants.h"

#include <algorithm>
#include <cstring>

#include "model/shaders/spirv.h"

namespace rondo::shaders {

namespace {

constexpr std::uint32_t kMostConstantDepth = 64;  // of constants made of constants

std::uint64_t cut(std::uint64_t value, std::uint32_t width) {
  return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

// Division as by the specification, and where that says nothing no value.
std::optional<std::uint64_t> divide(std::uint32_t operation, std::uint64_t a, std::uint64_t b, std::int64_t sa,
                                    std::int64_t sb) {
  if (b == 0 || (sa == INT64_MIN && sb == -1)) return std::nullopt;
  switch (operation) {
    case SpvOpUDiv:
      return a / b;
    case SpvOpUMod:
      return a % b;
    case SpvOpSDiv:
      return static_cast<std::uint64_t>(sa / sb);
    case SpvOpSRem:
      return static_cast<std::uint64_t>(sa % sb);
    default: {  // SpvOpSMod: its sign is that of the divisor
      const std::int64_t rest = sa % sb;
      return static_cast<std::uint64_t>(rest != 0 && (rest < 0) != (sb < 0) ? rest + sb : rest);
    }
  }
}

std::optional<std::uint64_t> shift(std::uint32_t operation, std::uint64_t a, std::uint64_t by, std::int64_t sa) {
  if (by >= 64) return std::nullopt;
  if (operation == SpvOpShiftLeftLogical) return a << by;
  return operation == SpvOpShiftRightLogical ? a >> by : static_cast<std::uint64_t>(sa >> by);
}

std::optional<bool> compare(std::uint32_t operation, std::uint64_t a, std::uint64_t b, std::int64_t sa,
                            std::int64_t sb) {
  switch (operation) {
    case SpvOpIEqual:
    case SpvOpLogicalEqual:
      return a == b;
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual:
      return a != b;
    case SpvOpUGreaterThan:
      return a > b;
    case SpvOpUGreaterThanEqual:
      return a >= b;
    case SpvOpULessThan:
      return a < b;
    case SpvOpULessThanEqual:
      return a <= b;
    case SpvOpSGreaterThan:
      return sa > sb;
    case SpvOpSGreaterThanEqual:
      return sa >= sb;
    case SpvOpSLessThan:
      return sa < sb;
    case SpvOpSLessThanEqual:
      return sa <= sb;
    case SpvOpLogicalOr:
      return a != 0 || b != 0;
    case SpvOpLogicalAnd:
      return a != 0 && b != 0;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> combine(std::uint32_t operation, std::uint64_t a, std::uint64_t b, std::int64_t sa,
                                     std::int64_t sb) {
  switch (operation) {
    case SpvOpIAdd:
      return a + b;
    case SpvOpISub:
      return a - b;
    case SpvOpIMul:
      return a * b;
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpSRem:
    case SpvOpSMod:
      return divide(operation, a, b, sa, sb);
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
      return shift(operation, a, b, sa);
    case SpvOpBitwiseOr:
      return a | b;
    case SpvOpBitwiseXor:
      return a ^ b;
    case SpvOpBitwiseAnd:
      return a & b;
    default:
      if (const auto truth = compare(operation, a, b, sa, sb)) return *truth ? 1 : 0;
      return std::nullopt;
  }
}

}  // namespace

SpecializedValues specialized_values(const VkSpecializationInfo* info) {
  SpecializedValues values;
  for (std::uint32_t i = 0; info != nullptr && info->pMapEntries != nullptr && i < info->mapEntryCount; ++i) {
    const VkSpecializationMapEntry& entry = info->pMapEntries[i];
    std::uint64_t value = 0;
    if (info->pData == nullptr || entry.offset > info->dataSize || entry.size > info->dataSize - entry.offset) continue;
    std::memcpy(&value, static_cast<const std::byte*>(info->pData) + entry.offset, std::min(entry.size, sizeof value));
    values[entry.constantID] = value;
  }
  return values;
}

std::uint32_t Constants::width(std::uint32_t id) const {
  const auto constant = module_.constants.find(id);
  if (constant == module_.constants.end()) return 0;
  const auto type = module_.types.find(constant->second.type);
  return type != module_.types.end() ? type->second.width : 0;
}

std::int64_t Constants::as_signed(std::uint32_t id, std::uint64_t value) const {
  const std::uint32_t bits = width(id);
  if (bits == 0 || bits >= 64) return static_cast<std::int64_t>(value);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>((value ^ sign) - sign);
}

std::optional<std::uint64_t> Constants::value(std::uint32_t id) { return find(id, 0); }

std::optional<std::uint64_t> Constants::find(std::uint32_t id, std::uint32_t depth) {
  if (const auto found = known_.find(id); found != known_.end()) return found->second;
  const auto constant = module_.constants.find(id);
  if (constant == module_.constants.end() || depth > kMostConstantDepth) return std::nullopt;
  const auto type = module_.types.find(constant->second.type);
  if (type == module_.types.end() || !constant->second.parts.empty() ||
      (type->second.operation != SpvOpTypeInt && type->second.operation != SpvOpTypeBool))
    return std::nullopt;
  auto value = compute(constant->second, depth);
  if (value && type->second.operation == SpvOpTypeBool) value = *value != 0 ? 1 : 0;
  if (value) value = cut(*value, type->second.width);
  known_[id] = value;
  return value;
}

std::optional<std::uint64_t> Constants::compute(const Constant& constant, std::uint32_t depth) {
  if (constant.operation != 0) return apply(constant, depth);
  if (!constant.spec_id) return constant.value;
  const auto given = specialized_.find(*constant.spec_id);
  return given != specialized_.end() ? given->second : constant.value;
}

std::optional<std::uint64_t> Constants::apply(const Constant& constant, std::uint32_t depth) {
  const std::vector<std::uint32_t>& operands = constant.operands;
  if (operands.empty()) return std::nullopt;
  if (constant.operation == SpvOpCompositeExtract) {
    const auto whole = module_.constants.find(operands[0]);
    if (operands.size() != 2 || whole == module_.constants.end() || operands[1] >= whole->second.parts.size())
      return std::nullopt;
    return find(whole->second.parts[operands[1]], depth + 1);
  }
  const auto a = find(operands[0], depth + 1);
  if (!a) return std::nullopt;
  switch (constant.operation) {
    case SpvOpUConvert:
      return a;
    case SpvOpSConvert:
      return static_cast<std::uint64_t>(as_signed(operands[0], *a));
    case SpvOpSNegate:
      return std::uint64_t{0} - *a;
    case SpvOpNot:
      return ~*a;
    case SpvOpLogicalNot:
      return *a == 0 ? 1 : 0;
    case SpvOpSelect:
      return operands.size() == 3 ? find(operands[*a != 0 ? 1 : 2], depth + 1) : std::nullopt;
    default:
      break;
  }
  if (operands.size() != 2) return std::nullopt;
  const auto b = find(operands[1], depth + 1);
  if (!b) return std::nullopt;
  return combine(constant.operation, *a, *b, as_signed(operands[0], *a), as_signed(operands[1], *b));
}

}  // namespace rondo::shaders
