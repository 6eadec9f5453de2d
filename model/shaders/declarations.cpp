// SPDX-License-Identifier: Apache-2.0
// The types and constants of a module: what is whole and can be taken for what it says is
// written anew for SPIRV-Cross; what is not is left out, with all that is made of it.
#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "format/digest.h"
#include "model/shaders/operations.h"
#include "model/shaders/parser.h"
#include "model/shaders/spirv.h"

namespace rondo::shaders {

namespace {

constexpr std::uint64_t kMostLeaves = 1 << 16;  // of one type, written out
constexpr std::uint32_t kMostDepth = 64;
constexpr std::size_t kLongText = 200;

bool is_scalar(const Type& type) {
  return type.operation == SpvOpTypeInt || type.operation == SpvOpTypeFloat || type.operation == SpvOpTypeBool;
}
bool is_pointer(const Type& type) { return type.operation == SpvOpTypePointer; }

}  // namespace

void Parser::emit_header() { module_.declarations = {SpvMagicNumber, module_.version, 0, bound_, 0}; }

void Parser::emit(std::uint32_t operation, Operands operands) {
  std::vector<std::uint32_t>* part = &body_;
  if (operation == SpvOpCapability || operation == SpvOpMemoryModel) part = &preamble_;
  if (operation == SpvOpDecorate || operation == SpvOpMemberDecorate) part = &annotations_;
  part->push_back(operation | static_cast<std::uint32_t>(operands.size() + 1) << 16);
  std::copy(operands.begin(), operands.end(), std::back_inserter(*part));
}

// Variables are not written: which there are, and what they are of, is known, and SPIRV-Cross ends a
// process where one has decorations that its type cannot have. A reader that looks behind the last
// instruction finds some that do nothing.
void Parser::finish_declarations() {
  std::vector<std::uint32_t>& out = module_.declarations;
  out.insert(out.end(), preamble_.begin(), preamble_.end());
  for (const Entry& entry : module_.entries) {
    std::vector<std::uint32_t> words{entry.model, entry.function};
    const std::size_t name = words.size();
    words.resize(name + entry.name.size() / sizeof(std::uint32_t) + 1);
    std::memcpy(&words[name], entry.name.data(), entry.name.size());
    out.push_back(SpvOpEntryPoint | static_cast<std::uint32_t>(words.size() + 1) << 16);
    out.insert(out.end(), words.begin(), words.end());
  }
  out.insert(out.end(), annotations_.begin(), annotations_.end());
  out.insert(out.end(), body_.begin(), body_.end());
  constexpr std::uint32_t kNothing = SpvOpNop | 1 << 16;
  out.insert(out.end(), 16, kNothing);
}

const Type* Parser::type_of(std::uint32_t id) const {
  const auto found = module_.types.find(id);
  return found != module_.types.end() ? &found->second : nullptr;
}

Result<void> Parser::take(std::uint32_t operation, Operands operands) {
  if (function_ != 0) {
    take_in_function(operation, operands);
    if (operation == SpvOpFunctionEnd) function_ = 0;
    return {};
  }
  switch (operation) {
    case SpvOpCapability:
      module_.capabilities.push_back(operands[0]);
      emit(operation, operands.first(1));
      return {};
    case SpvOpExtension: {
      std::size_t words = 0;
      if (auto name = string_in(operands, words)) module_.extensions.push_back(std::move(*name));
      return {};
    }
    case SpvOpMemoryModel:
      emit(operation, operands.first(2));
      return {};
    case SpvOpEntryPoint:
      return take_entry_point(operands);
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
      for (Entry& entry : module_.entries)
        if (entry.function == operands[0]) entry.modes.emplace_back(operands.begin() + 1, operands.end());
      return {};
    case SpvOpName:
    case SpvOpMemberName:
      return take_name(operation, operands);
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
      return take_decoration(operation, operands);
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
      return take_group(operation, operands);
    case SpvOpVariable:
    case kOpUntypedVariable:
      take_variable(operands);
      return {};
    case SpvOpFunction:
      function_ = operands[1];
      functions_.insert(function_);
      return {};
    default:
      break;
  }
  // Of the numbers between them one is no operation: it has no result, and perhaps no operands.
  constexpr std::uint32_t kNoOperation = SpvOpConstantNull + 1;
  static_assert(kNoOperation + 1 == SpvOpSpecConstantTrue);
  if (operation >= SpvOpConstantTrue && operation <= SpvOpSpecConstantOp && operation != kNoOperation)
    take_constant(operation, operands);
  if ((operation >= SpvOpTypeVoid && operation <= SpvOpTypeForwardPointer) ||
      operation == SpvOpTypeAccelerationStructureKHR)
    take_type(operation, operands);
  return {};
}

Result<void> Parser::take_entry_point(Operands operands) {
  std::size_t words = 0;
  const auto name = string_in(operands.subspan(2), words);
  if (!name) return damaged("has a name that does not end");
  Entry entry;
  entry.model = operands[0];
  entry.function = operands[1];
  entry.name = *name;
  entry.interface.assign(operands.begin() + 2 + static_cast<std::ptrdiff_t>(words), operands.end());
  constexpr std::size_t kMostEntries = 256;
  if (module_.entries.size() == kMostEntries) return damaged("is one entry point too many");
  for (const Entry& other : module_.entries)
    if (other.name == entry.name && other.model == entry.model) return damaged("makes an entry point again");
  module_.entries.push_back(std::move(entry));
  return {};
}

Result<void> Parser::take_name(std::uint32_t operation, Operands operands) {
  const bool member = operation == SpvOpMemberName;
  std::size_t words = 0;
  const auto name = string_in(operands.subspan(member ? 2 : 1), words);
  if (!name) return damaged("has a name that does not end");
  if (operands[0] >= bound_) return damaged("names an id beyond the bound");
  if (!member) module_.names[operands[0]] = *name;
  return {};
}

// The older way: what decorates a group decorates those that are named here.
Result<void> Parser::take_group(std::uint32_t operation, Operands operands) {
  const auto group = groups_.find(operands[0]);
  if (group == groups_.end()) return damaged("names a group of decorations that is not there");
  const bool members = operation == SpvOpGroupMemberDecorate;
  const std::size_t words = members ? 2 : 1;
  constexpr std::size_t kMost = std::size_t{1} << 16;
  for (std::size_t at = 1; at + words <= operands.size(); at += words)
    for (const std::vector<std::uint32_t>& decoration : group->second) {
      if (++from_groups_ > kMost) return damaged("makes more decorations of groups than any program has");
      std::vector<std::uint32_t> one(operands.begin() + static_cast<std::ptrdiff_t>(at),
                                     operands.begin() + static_cast<std::ptrdiff_t>(at + words));
      one.insert(one.end(), decoration.begin(), decoration.end());
      RONDO_TRY(take_decoration(members ? SpvOpMemberDecorate : SpvOpDecorate, one));
    }
  return {};
}

void Parser::keep_decoration(std::uint32_t id, std::uint32_t decoration, Operands values) {
  switch (decoration) {
    case SpvDecorationDescriptorSet:
      module_.decorated[id].set = values[0];
      return;
    case SpvDecorationBinding:
      module_.decorated[id].binding = values[0];
      return;
    case SpvDecorationLocation:
      module_.decorated[id].location = values[0];
      return;
    case SpvDecorationPatch:
      module_.decorated[id].patch = true;
      return;
    case SpvDecorationArrayStride:
      module_.decorated[id].array_stride = values[0];
      return;
    case SpvDecorationBlock:
      module_.decorated[id].block = true;
      return;
    case SpvDecorationBufferBlock:
      module_.decorated[id].buffer_block = true;
      return;
    default:
      return;
  }
}

void Parser::keep_member_decoration(std::uint32_t id, std::uint32_t member, std::uint32_t decoration, Operands values) {
  if (decoration == SpvDecorationOffset) module_.decorated_members[{id, member}].offset = values[0];
  if (decoration == SpvDecorationLocation) module_.decorated_members[{id, member}].location = values[0];
  if (decoration == SpvDecorationMatrixStride) module_.decorated_members[{id, member}].matrix_stride = values[0];
  if (decoration == SpvDecorationRowMajor) module_.decorated_members[{id, member}].row_major = true;
}

Result<void> Parser::take_decoration(std::uint32_t operation, Operands operands) {
  if (operands[0] >= bound_) return damaged("decorates an id beyond the bound");
  const bool member = operation == SpvOpMemberDecorate;
  if (const auto group = groups_.find(operands[0]); group != groups_.end() && !member) {
    group->second.emplace_back(operands.begin() + 1, operands.end());
    return {};
  }
  const std::uint32_t decoration = operands[member ? 2 : 1];
  const Operands values = operands.subspan(member ? 3 : 2);
  if (member) {
    const auto structure = members_.find(operands[0]);
    if (structure == members_.end() || operands[1] >= structure->second)
      return damaged("decorates a member that is not there");
  }
  switch (decoration) {
    case SpvDecorationSpecId:
      if (!member && !values.empty()) spec_ids_[operands[0]] = values[0];
      return {};
    case SpvDecorationBuiltIn:
      if (!member && !values.empty() && values[0] == SpvBuiltInWorkgroupSize) {
        module_.work_group_size = operands[0];
        return {};
      }
      [[fallthrough]];
    case SpvDecorationArrayStride:
    case SpvDecorationMatrixStride:
    case SpvDecorationLocation:
    case SpvDecorationComponent:
    case SpvDecorationIndex:
    case SpvDecorationBinding:
    case SpvDecorationDescriptorSet:
    case SpvDecorationOffset:
    case SpvDecorationInputAttachmentIndex:
      if (values.empty()) return damaged("is too short");
      break;
    case SpvDecorationBlock:
    case SpvDecorationBufferBlock:
    case SpvDecorationRowMajor:
    case SpvDecorationColMajor:
    case SpvDecorationPatch:
    case SpvDecorationNonWritable:
    case SpvDecorationNonReadable:
      break;
    default:
      return {};  // nothing that is compared
  }
  if (member)
    keep_member_decoration(operands[0], operands[1], decoration, values);
  else
    keep_decoration(operands[0], decoration, values);
  emit(operation, operands);
  return {};
}

void Parser::take_type(std::uint32_t operation, Operands operands) {
  if (operation == SpvOpTypeForwardPointer) {
    if (operands[1] == SpvStorageClassPhysicalStorageBuffer) forward_.insert(operands[0]);
    return;
  }
  Type type;
  type.operation = operation;
  if (!complete_type(operation, operands, type)) return;
  if (type.leaves > kMostLeaves || type.depth > kMostDepth) return;
  // What a buffer's address points to is not followed: it may point back.
  if (operation == SpvOpTypePointer && type.storage == SpvStorageClassPhysicalStorageBuffer) {
    const std::uint32_t as_integer[] = {operands[0], 64, 0};
    emit(SpvOpTypeInt, as_integer);
  } else {
    emit(operation, operands);
  }
  module_.types[operands[0]] = std::move(type);
}

// False: it is made of what is not there, or says what no such type can.
bool Parser::complete_type(std::uint32_t operation, Operands operands, Type& type) const {
  const auto part = [&](std::size_t place) { return type_of(operands[place]); };
  switch (operation) {
    case SpvOpTypeVoid:
    case SpvOpTypeBool:
    case SpvOpTypeSampler:
    case SpvOpTypeAccelerationStructureKHR:
      type.width = operation == SpvOpTypeBool ? 32 : 0;
      return operands.size() == 1;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
      type.width = operands[1];
      type.is_signed = operation == SpvOpTypeInt && operands[2] != 0;
      return operands.size() == (operation == SpvOpTypeInt ? 3 : 2) && type.width >= 8 && type.width <= 64 &&
             std::has_single_bit(type.width);
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
      type.element = operands[1];
      type.count = operands[2];
      if (part(1) == nullptr || operands.size() != 3 || type.count < 2 || type.count > 4) return false;
      return operation == SpvOpTypeVector ? is_scalar(*part(1)) : part(1)->operation == SpvOpTypeVector;
    case SpvOpTypeImage:
      type.element = operands[1];
      // SPIRV-Cross gives these back as enumerators: of another number nobody may look at one.
      if (operands[2] > SpvDimSubpassData || operands[7] > SpvImageFormatR64i) return false;
      type.dimension = operands[2];
      type.sampled = operands[6];
      return operands.size() <= 9 && part(1) != nullptr && (is_scalar(*part(1)) || part(1)->operation == SpvOpTypeVoid);
    case SpvOpTypeSampledImage:
      type.element = operands[1];
      return operands.size() == 2 && part(1) != nullptr && part(1)->operation == SpvOpTypeImage;
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
      return complete_array(operands, type);
    case SpvOpTypeStruct:
      type.leaves = 0;
      for (const std::uint32_t id : operands.subspan(1)) {
        const Type* member = type_of(id);
        if (member == nullptr || member->operation == SpvOpTypeVoid) return false;
        type.leaves = std::min(kMostLeaves + 1, type.leaves + member->leaves);
        type.depth = std::max(type.depth, member->depth + 1);
        type.members.push_back(id);
      }
      return true;
    case SpvOpTypePointer:
      type.storage = operands[1];
      type.element = operands[2];
      if (operands.size() != 3) return false;
      if (type.storage == SpvStorageClassPhysicalStorageBuffer) return true;
      if (forward_.count(operands[0]) != 0 || part(2) == nullptr || is_pointer(*part(2))) return false;
      type.leaves = part(2)->leaves;
      type.depth = part(2)->depth;
      return true;
    default:
      return false;
  }
}

bool Parser::complete_array(Operands operands, Type& type) const {
  const Type* element = type_of(operands[1]);
  type.element = operands[1];
  if (element == nullptr || element->operation == SpvOpTypeVoid) return false;
  if (is_pointer(*element) && element->storage != SpvStorageClassPhysicalStorageBuffer) return false;
  type.leaves = element->leaves;
  type.depth = element->depth + 1;
  if (type.operation == SpvOpTypeRuntimeArray) return operands.size() == 2;
  const auto length = module_.constants.find(operands[2]);
  if (operands.size() != 3 || length == module_.constants.end() || !length->second.parts.empty()) return false;
  const Type* of = type_of(length->second.type);
  if (of == nullptr || of->operation != SpvOpTypeInt) return false;
  type.length = length->second.text;
  type.length_id = operands[2];
  if (type.length.find_first_not_of("0123456789") == std::string::npos) type.count = length->second.value;
  return true;
}

std::string Parser::literal_text(const Constant& constant) const {
  const Type* type = type_of(constant.type);
  if (type == nullptr) return "?";
  char text[40];
  if (type->operation == SpvOpTypeBool) return constant.value != 0 ? "true" : "false";
  if (type->operation == SpvOpTypeFloat && type->width == 32) {
    std::snprintf(text, sizeof text, "%.9g",
                  static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(constant.value))));
    return text;
  }
  if (type->operation == SpvOpTypeFloat && type->width == 64) {
    std::snprintf(text, sizeof text, "%.17g", std::bit_cast<double>(constant.value));
    return text;
  }
  if (type->operation == SpvOpTypeFloat) {
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(constant.value));
    return text;
  }
  if (type->is_signed)
    return std::to_string(type->width == 64 ? static_cast<std::int64_t>(constant.value)
                                            : static_cast<std::int32_t>(static_cast<std::uint32_t>(constant.value)));
  return std::to_string(constant.value);
}

std::string Parser::text_of(std::uint32_t id) const {
  const auto found = module_.constants.find(id);
  return found != module_.constants.end() ? found->second.text : "?";
}

// SPIRV-Cross gets integers only, which arrays are as long as; of others what it would do with them is not asked.
void Parser::take_constant(std::uint32_t operation, Operands operands) {
  const Type* type = type_of(operands[0]);
  if (type == nullptr) return;
  Constant constant;
  constant.type = operands[0];
  const std::uint32_t id = operands[1];
  if (const auto spec = spec_ids_.find(id); spec != spec_ids_.end()) constant.spec_id = spec->second;
  switch (operation) {
    case SpvOpConstant:
    case SpvOpSpecConstant:
      if (!is_scalar(*type) || type->operation == SpvOpTypeBool || operands.size() != (type->width > 32 ? 4u : 3u))
        return;
      constant.value = operands[2];
      if (type->width > 32) constant.value |= std::uint64_t{operands[3]} << 32;
      break;
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
      if (type->operation != SpvOpTypeBool) return;
      constant.value = operation == SpvOpConstantTrue || operation == SpvOpSpecConstantTrue ? 1 : 0;
      break;
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
      if (operands.size() <= 6) constant.parts.assign(operands.begin() + 2, operands.end());
      break;
    case SpvOpSpecConstantOp:
      constant.operation = operands[2];
      constant.operands.assign(operands.begin() + 3, operands.end());
      break;
    default:
      return;
  }
  constant.text = literal_text(constant);
  if (operation == SpvOpSpecConstantOp) {
    constant.text = "operation " + std::to_string(operands[2]) + " of (";
    for (std::size_t i = 3; i < operands.size(); ++i)
      constant.text += (i == 3 ? "" : ", ") +
                       (module_.constants.count(operands[i]) != 0 ? text_of(operands[i]) : std::to_string(operands[i]));
    constant.text += ")";
    // It may be made of itself many times over.
    if (constant.text.size() > kLongText)
      constant.text = "expression " + to_string(digest_of(std::as_bytes(std::span(constant.text))));
  } else if (constant.spec_id) {
    constant.text = "constant " + std::to_string(*constant.spec_id) + " (" + constant.text + ")";
  }
  if (type->operation == SpvOpTypeInt && constant.parts.empty()) {
    std::vector<std::uint32_t> words{operands[0], id, static_cast<std::uint32_t>(constant.value)};
    if (type->width > 32) words.push_back(static_cast<std::uint32_t>(constant.value >> 32));
    emit(SpvOpConstant, words);
  }
  module_.constants[id] = std::move(constant);
}

// Memory that a shader shares with others, and of a type that can lie there.
bool Parser::is_interface(std::uint32_t storage, std::uint32_t type) const {
  while (type_of(type)->operation == SpvOpTypeArray || type_of(type)->operation == SpvOpTypeRuntimeArray)
    type = type_of(type)->element;
  const std::uint32_t operation = type_of(type)->operation;
  switch (storage) {
    case SpvStorageClassUniformConstant:
      return operation == SpvOpTypeImage || operation == SpvOpTypeSampledImage || operation == SpvOpTypeSampler ||
             operation == SpvOpTypeAccelerationStructureKHR;
    case SpvStorageClassUniform:
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassPushConstant:
    case SpvStorageClassShaderRecordBufferKHR:
      return operation == SpvOpTypeStruct;
    case SpvStorageClassInput:
    case SpvStorageClassOutput:
    case SpvStorageClassRayPayloadKHR:
    case SpvStorageClassIncomingRayPayloadKHR:
    case SpvStorageClassHitAttributeKHR:
    case SpvStorageClassCallableDataKHR:
    case SpvStorageClassIncomingCallableDataKHR:
    case SpvStorageClassTaskPayloadWorkgroupEXT:
    case SpvStorageClassWorkgroup:
    case SpvStorageClassPrivate:
      return operation != SpvOpTypeVoid;
    default:
      return false;
  }
}

void Parser::take_variable(Operands operands) {
  RONDO_CHECK(operands.size() >= 3);  // as fits() says
  const Type* pointer = type_of(operands[0]);
  const bool known = pointer != nullptr && is_pointer(*pointer) && pointer->storage == operands[2] &&
                     is_interface(operands[2], pointer->element);
  if (!known && operands[2] != SpvStorageClassUniformConstant && operands[2] != SpvStorageClassUniform &&
      operands[2] != SpvStorageClassStorageBuffer)
    return;
  if (known)
    module_.variables.push_back({operands[1], pointer->element, operands[2]});
  else
    module_.unknown.push_back({operands[1], 0, operands[2]});
  globals_.insert(operands[1]);
}

}  // namespace rondo::shaders
