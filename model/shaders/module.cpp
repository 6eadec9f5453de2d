// SPDX-License-Identifier: Apache-2.0
#include "model/shaders/module.h"

#include <algorithm>
#include <cstring>

#include "format/digest.h"
#include "model/shaders/operations.h"
#include "model/shaders/parser.h"
#include "model/shaders/spirv.h"

namespace rondo::shaders {

namespace {

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

tl::unexpected<Error> no(std::string sentence) { return fail(Status::unreadable, std::move(sentence)); }

}  // namespace

// --- Words of functions ---

// What of an instruction in a function may name a variable: literals, which may have the value of any id, do not.
// Of an instruction that is not known here all operands may.
std::span<const std::uint32_t> Parser::named(std::uint32_t operation, std::span<const std::uint32_t> operands) {
  const auto part = [&](std::size_t first, std::size_t count) {
    first = std::min(first, operands.size());
    return operands.subspan(first, std::min(count, operands.size() - first));
  };
  constexpr std::size_t all = ~std::size_t{};
  switch (operation) {
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpFunction:
    case SpvOpLabel:
    case SpvOpUndef:
      return {};
    case SpvOpImageTexelPointer:
    case SpvOpLoad:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case SpvOpArrayLength:
    case SpvOpCopyObject:
    case SpvOpCooperativeMatrixLoadNV:
      return part(2, 1);
    case SpvOpAtomicStore:
    case SpvOpAtomicFlagClear:
    case SpvOpReturnValue:
    case SpvOpCooperativeMatrixStoreNV:
      return part(0, 1);
    case SpvOpStore:
    case SpvOpCopyMemory:
      return part(0, 2);
    case SpvOpVariable:
      return part(3, 1);
    case SpvOpFunctionCall:
    case SpvOpSelect:
      return part(3, all);
    case SpvOpExtInst:
      return part(4, all);
    default:
      if (makes_values_only(operation) || (operation >= SpvOpGroupAll && operation <= SpvOpGroupSMax)) return {};
      if (operation >= SpvOpImageSampleImplicitLod && operation <= SpvOpImage) return part(2, 2);
      if (operation >= SpvOpImageSparseSampleImplicitLod && operation <= SpvOpImageSparseRead) return part(2, 2);
      if (operation >= SpvOpAtomicLoad && operation <= SpvOpAtomicFlagTestAndSet) return part(2, 1);
      return operands;
  }
}

void Parser::mention(std::uint32_t id, std::uint32_t member) {
  if (globals_.count(id) != 0) mentions_[function_].insert({id, member});
}

void Parser::take_in_function(std::uint32_t operation, std::span<const std::uint32_t> operands) {
  if (operation == SpvOpFunctionCall && operands.size() >= 3) calls_[function_].insert(operands[2]);
  if (operation == SpvOpVariable && operands.size() >= 3)
    if (const Type* pointer = type_of(operands[0]); pointer != nullptr && pointer->operation == SpvOpTypePointer)
      locals_[function_].push_back(pointer->element);
  // A member of a structure, by a number that the module says.
  if ((operation == SpvOpAccessChain || operation == SpvOpInBoundsAccessChain) && operands.size() >= 4)
    if (const auto index = module_.constants.find(operands[3]);
        index != module_.constants.end() && !index->second.spec_id)
      return mention(operands[2], static_cast<std::uint32_t>(index->second.value));
  for (const std::uint32_t id : named(operation, operands)) mention(id, kWhole);
}

// The variables that the functions below an entry point name.
void Parser::find_uses(Entry& entry) const {
  std::set<std::uint32_t> seen{entry.function};
  for (std::vector<std::uint32_t> open{entry.function}; !open.empty();) {
    const std::uint32_t function = open.back();
    open.pop_back();
    if (const auto found = mentions_.find(function); found != mentions_.end())
      entry.used_members.insert(found->second.begin(), found->second.end());
    if (const auto found = locals_.find(function); found != locals_.end())
      entry.locals.insert(entry.locals.end(), found->second.begin(), found->second.end());
    if (const auto found = calls_.find(function); found != calls_.end())
      for (const std::uint32_t called : found->second)
        if (seen.insert(called).second) open.push_back(called);
  }
  for (const auto& use : entry.used_members) entry.used.insert(use.first);
}

// --- Header and instructions ---

Result<void> Parser::read_words(std::span<const std::byte> bytes) {
  constexpr std::uint32_t kSwapped = 0x03022307;
  constexpr std::size_t kHeader = 5;
  if (bytes.empty()) return no("is empty");
  if (bytes.size() < sizeof(std::uint32_t))
    return no("is not SPIR-V: it has only " + std::to_string(bytes.size()) + " bytes");
  std::uint32_t magic;
  std::memcpy(&magic, bytes.data(), sizeof magic);
  if (magic == kSwapped) return no("is SPIR-V of the other byte order, which no Vulkan driver takes");
  if (magic != SpvMagicNumber)
    return no("is not SPIR-V: it begins with " + hex(magic) + " and not with " + hex(SpvMagicNumber));
  if (bytes.size() % sizeof(std::uint32_t) != 0)
    return no("is cut, or no SPIR-V: its " + std::to_string(bytes.size()) + " bytes are no whole number of words");
  words_.resize(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words_.data(), bytes.data(), bytes.size());
  if (words_.size() < kHeader)
    return no("is cut: its header has " + std::to_string(kHeader) + " words, and it has " +
              std::to_string(words_.size()));
  module_.version = words_[1];
  bound_ = words_[3];
  // The most that the specification lets a module have.
  constexpr std::uint32_t kMostIds = 0x3fffff;
  if (bound_ == 0 || bound_ > kMostIds)
    return no("has a bound of ids of " + std::to_string(bound_) + ", and there are " + std::to_string(kMostIds) +
              " at most");
  if (words_[4] != 0) return no("has " + hex(words_[4]) + " where its header has 0");
  return {};
}

template <class Visit>
Result<void> Parser::each(const Visit& visit) {
  for (std::size_t at = 5; at < words_.size();) {
    const std::size_t count = words_[at] >> 16;
    const std::uint32_t operation = words_[at] & 0xffff;
    if (count == 0 || count > words_.size() - at)
      return no("is cut or damaged: the instruction at word " + std::to_string(at) + " says it has " +
                std::to_string(count) + " words, and " + std::to_string(words_.size() - at) + " are left");
    at_ = at;
    RONDO_TRY(visit(operation, std::span<const std::uint32_t>(words_).subspan(at + 1, count - 1)));
    at += count;
  }
  return {};
}

tl::unexpected<Error> Parser::damaged(const std::string& sentence) const {
  return no("is damaged: the instruction at word " + std::to_string(at_) + " (operation " +
            std::to_string(words_[at_] & 0xffff) + ") " + sentence);
}

bool Parser::fits(std::uint32_t operation, std::size_t count) {
  switch (operation) {
    case SpvOpCapability:
    case SpvOpTypeVoid:
    case SpvOpTypeBool:
    case SpvOpTypeSampler:
    case SpvOpTypeStruct:
    case SpvOpTypeAccelerationStructureKHR:
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
      return count >= 1;
    case SpvOpName:
    case SpvOpMemoryModel:
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
    case SpvOpDecorate:
    case SpvOpTypeFloat:
    case SpvOpTypeSampledImage:
    case SpvOpTypeRuntimeArray:
    case SpvOpTypeForwardPointer:
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
      return count >= 2;
    case SpvOpMemberName:
    case SpvOpEntryPoint:
    case SpvOpMemberDecorate:
    case SpvOpTypeInt:
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeArray:
    case SpvOpTypePointer:
    case SpvOpConstant:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantOp:
    case SpvOpVariable:
    case kOpUntypedVariable:
      return count >= 3;
    case SpvOpFunction:
      return count >= 4;
    case SpvOpTypeImage:
      return count >= 8;
    default:
      return true;
  }
}

// Of a result: an id of its own. What is defined twice is damaged.
Result<void> Parser::check_result(std::uint32_t operation, std::span<const std::uint32_t> operands) {
  bool has_result = false, has_type = false;
  SpvHasResultAndType(static_cast<SpvOp>(operation), &has_result, &has_type);
  if (!has_result) return {};
  const std::size_t place = has_type ? 1 : 0;
  if (operands.size() <= place) return damaged("is too short");
  const std::uint32_t id = operands[place];
  if (id == 0 || id >= bound_)
    return damaged("makes the id " + std::to_string(id) + ", and the bound is " + std::to_string(bound_));
  if (!results_.insert(id).second) return damaged("makes the id " + std::to_string(id) + " again");
  return {};
}

// A string of whole words; nothing: it does not end.
std::optional<std::string> Parser::string_in(std::span<const std::uint32_t> operands, std::size_t& words) {
  const char* first = reinterpret_cast<const char*>(operands.data());
  const std::size_t most = operands.size() * sizeof(std::uint32_t);
  const std::size_t length = strnlen(first, most);
  if (length == most) return std::nullopt;
  words = length / sizeof(std::uint32_t) + 1;
  return std::string(first, length);
}

Result<Module> Parser::run(std::span<const std::byte> bytes) {
  RONDO_TRY(read_words(bytes));
  // Names and decorations stand in front of what they are of.
  RONDO_TRY(each([&](std::uint32_t operation, std::span<const std::uint32_t> operands) -> Result<void> {
    if (!fits(operation, operands.size())) return damaged("is too short");
    if (operation == SpvOpTypeStruct && operands[0] < bound_)
      members_[operands[0]] = static_cast<std::uint32_t>(operands.size() - 1);
    if (operation == SpvOpDecorationGroup) groups_[operands[0]];
    return check_result(operation, operands);
  }));
  emit_header();
  RONDO_TRY(each(
      [&](std::uint32_t operation, std::span<const std::uint32_t> operands) { return take(operation, operands); }));
  if (function_ != 0) return no("is cut: its last function does not end");
  if (module_.entries.empty()) return no("has no entry point");
  for (Entry& entry : module_.entries) {
    if (functions_.count(entry.function) == 0)
      return no("is damaged: its entry point " + entry.name + " is a function that it does not have");
    find_uses(entry);
  }
  finish_declarations();
  return std::move(module_);
}

Result<Module> parse_module(std::span<const std::byte> bytes) { return Parser().run(bytes); }

}  // namespace rondo::shaders
