// SPDX-License-Identifier: Apache-2.0
#include "model/shaders/static_use.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "model/shaders/operations.h"
#include "model/shaders/spirv.h"

namespace rondo::shaders {

namespace {

using Operands = std::span<const std::uint32_t>;

struct Touch {
  bool reads = false, writes = false;
};

struct Function {
  std::map<std::uint32_t, Touch> variables;
  std::set<std::uint32_t> calls;
  bool reads_addresses = false, writes_addresses = false, traces = false, calls_table = false;
};

struct Variable {
  std::uint32_t storage = 0;
  std::uint32_t type = 0;  // of its pointer
  std::uint32_t set = 0, binding = 0;
  bool has_set = false, has_binding = false, not_written = false, not_read = false;
};

// What an instruction does with the operands that may be pointers, or stand for an image. Places count from
// behind type and result.
struct Rule {
  enum Does : std::uint8_t { nothing, passes, loads, reads, writes, both, all } does = all;
  std::uint8_t place = 0;
};

Rule rule_of(std::uint32_t operation) {
  switch (operation) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
    case SpvOpCopyObject:
    case SpvOpSampledImage:
    case SpvOpImage:
    case SpvOpImageTexelPointer:
      return {Rule::passes};
    case SpvOpLoad:
      return {Rule::loads};
    case SpvOpStore:
      return {Rule::writes};
    case SpvOpImageWrite:
      return {Rule::writes};
    case SpvOpAtomicLoad:
      return {Rule::reads};
    case SpvOpAtomicStore:
      return {Rule::writes};
    case SpvOpUndef:
    case SpvOpFunction:
    case SpvOpFunctionEnd:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpModuleProcessed:
    case SpvOpSizeOf:
      return {Rule::nothing};
    case SpvOpSelect:
    case SpvOpReturnValue:
      return {Rule::all};
    default:
      break;
  }
  if ((operation >= SpvOpImageSampleImplicitLod && operation <= SpvOpImageRead) ||
      (operation >= SpvOpImageSparseSampleImplicitLod && operation <= SpvOpImageSparseDrefGather) ||
      operation == SpvOpImageSparseRead)
    return {Rule::reads};
  if (operation >= SpvOpAtomicExchange && operation <= SpvOpAtomicXor) return {Rule::both};
  return {makes_values_only(operation) ? Rule::nothing : Rule::all};
}

class UseReader {
 public:
  explicit UseReader(std::span<const std::byte> code);
  std::vector<StaticUse> by_entry() const;
  std::vector<BindingUse> by_any() const;

 private:
  void declare(std::uint32_t operation, Operands operands);
  void declare_entry(Operands operands);
  void decorate(Operands operands);
  void decorate_member(Operands operands);
  void decorate_group(Operands operands);
  void take(std::uint32_t operation, Operands operands);
  void touch(std::uint32_t id, bool reads, bool writes);
  bool is_opaque(std::uint32_t variable) const;
  bool all_members(std::uint32_t variable, std::uint32_t decoration) const;
  std::uint32_t root_of(std::uint32_t id) const {
    const auto found = roots_.find(id);
    return found != roots_.end() ? found->second : 0;
  }
  StaticUse use_of(const StaticUse& entry, std::uint32_t function) const;
  std::vector<BindingUse> bindings_of(const std::map<std::uint32_t, Touch>& touched) const;

  struct Type {
    std::uint32_t operation = 0, storage = 0, element = 0, members = 0;
  };
  std::vector<std::uint32_t> words_;
  std::vector<std::pair<StaticUse, std::uint32_t>> entries_;  // and their functions
  std::unordered_map<std::uint32_t, Type> types_;
  std::unordered_map<std::uint32_t, Variable> variables_;
  std::unordered_set<std::uint32_t> comments_;  // sets of instructions that do nothing
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint32_t>> members_;  // decorated: (type, decoration)
  std::map<std::uint32_t, Function> functions_;
  Function* function_ = nullptr;
  std::vector<std::pair<Function*, std::uint32_t>> late_;   // used before they are made
  std::unordered_map<std::uint32_t, std::uint32_t> roots_;  // variable that a pointer or image comes from
  std::unordered_set<std::uint32_t> addresses_;             // pointers to buffers
};

std::string string_in(Operands operands) {
  const char* first = reinterpret_cast<const char*>(operands.data());
  return std::string(first, strnlen(first, operands.size_bytes()));
}

void UseReader::declare_entry(Operands operands) {
  if (operands.size() < 3) return;
  StaticUse entry;
  entry.model = operands[0];
  entry.entry = string_in(operands.subspan(2));
  entries_.emplace_back(std::move(entry), operands[1]);
}

void UseReader::decorate(Operands operands) {
  if (operands.size() < 2) return;
  Variable& variable = variables_[operands[0]];
  if (operands[1] == SpvDecorationNonWritable) variable.not_written = true;
  if (operands[1] == SpvDecorationNonReadable) variable.not_read = true;
  if (operands.size() < 3) return;
  if (operands[1] == SpvDecorationDescriptorSet) variable.set = operands[2], variable.has_set = true;
  if (operands[1] == SpvDecorationBinding) variable.binding = operands[2], variable.has_binding = true;
}

// The older way: decorations of a group, which stand in front of this.
void UseReader::decorate_group(Operands operands) {
  if (operands.empty()) return;
  const Variable group = variables_[operands[0]];
  for (const std::uint32_t target : operands.subspan(1)) {
    Variable& variable = variables_[target];
    variable.not_written |= group.not_written;
    variable.not_read |= group.not_read;
    if (group.has_set) variable.set = group.set, variable.has_set = true;
    if (group.has_binding) variable.binding = group.binding, variable.has_binding = true;
  }
}

void UseReader::decorate_member(Operands operands) {
  if (operands.size() >= 3 && (operands[2] == SpvDecorationNonWritable || operands[2] == SpvDecorationNonReadable))
    members_[{operands[0], operands[2]}].insert(operands[1]);
}

void UseReader::declare(std::uint32_t operation, Operands operands) {
  switch (operation) {
    case SpvOpEntryPoint:
      return declare_entry(operands);
    case SpvOpDecorate:
      return decorate(operands);
    case SpvOpGroupDecorate:
      return decorate_group(operands);
    case SpvOpMemberDecorate:
      return decorate_member(operands);
    case SpvOpExtInstImport:
      if (operands.size() >= 2) {
        const std::string name = string_in(operands.subspan(1));
        if (name.starts_with("NonSemantic.") || name.starts_with("OpenCL.DebugInfo.")) comments_.insert(operands[0]);
      }
      return;
    case SpvOpTypePointer:
      if (operands.size() >= 3) types_[operands[0]] = {operation, operands[1], operands[2], 0};
      return;
    case kOpTypeUntypedPointer:
      if (operands.size() >= 2) types_[operands[0]] = {SpvOpTypePointer, operands[1], 0, 0};
      return;
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
      if (operands.size() >= 2) types_[operands[0]] = {operation, 0, operands[1], 0};
      return;
    case SpvOpTypeStruct:
      if (!operands.empty()) types_[operands[0]] = {operation, 0, 0, static_cast<std::uint32_t>(operands.size() - 1)};
      return;
    case SpvOpVariable:
    case kOpUntypedVariable:
      if (operands.size() >= 3) {
        Variable& variable = variables_[operands[1]];
        variable.type = operands[0];
        variable.storage = operands[2];
        // Others are nobody's but the shader's.
        if (variable.storage == SpvStorageClassUniformConstant || variable.storage == SpvStorageClassUniform ||
            variable.storage == SpvStorageClassStorageBuffer)
          roots_[operands[1]] = operands[1];
      }
      return;
    default:
      return;
  }
}

// An image, a sampler or a structure for rays is no memory yet when it is loaded.
bool UseReader::is_opaque(std::uint32_t variable) const {
  const auto found = variables_.find(variable);
  return found != variables_.end() && found->second.storage == SpvStorageClassUniformConstant;
}

bool UseReader::all_members(std::uint32_t variable, std::uint32_t decoration) const {
  const auto pointer = types_.find(variables_.at(variable).type);
  if (pointer == types_.end()) return false;
  auto type = types_.find(pointer->second.element);
  for (int depth = 0; depth < 8 && type != types_.end() && type->second.operation != SpvOpTypeStruct; ++depth)
    type = types_.find(type->second.element);
  if (type == types_.end() || type->second.operation != SpvOpTypeStruct || type->second.members == 0) return false;
  const auto found = members_.find({type->first, decoration});
  return found != members_.end() && found->second.size() >= type->second.members;
}

void UseReader::touch(std::uint32_t id, bool reads, bool writes) {
  if (addresses_.count(id) != 0) {
    function_->reads_addresses = function_->reads_addresses || reads;
    function_->writes_addresses = function_->writes_addresses || writes;
  }
  if (const std::uint32_t root = root_of(id); root != 0) {
    Touch& touch = function_->variables[root];
    touch.reads = touch.reads || reads;
    touch.writes = touch.writes || writes;
  }
}

void UseReader::take(std::uint32_t operation, Operands operands) {
  if (operation == SpvOpFunction) {
    if (operands.size() >= 2) function_ = &functions_[operands[1]];
    return;
  }
  if (function_ == nullptr) return declare(operation, operands);
  bool has_result = false, has_type = false;
  SpvHasResultAndType(static_cast<SpvOp>(operation), &has_result, &has_type);
  const std::size_t skip = (has_result ? 1u : 0u) + (has_type ? 1u : 0u);
  if (operands.size() < skip) return;
  const std::uint32_t result = has_result ? operands[skip - 1] : 0;
  if (has_type)
    if (const auto type = types_.find(operands[0]); type != types_.end() &&
                                                    type->second.operation == SpvOpTypePointer &&
                                                    type->second.storage == SpvStorageClassPhysicalStorageBuffer)
      addresses_.insert(result);
  const Operands rest = operands.subspan(skip);
  switch (operation) {
    case SpvOpExtInst:
      if (!rest.empty() && comments_.count(rest[0]) != 0) return;
      break;
    case SpvOpFunctionCall:
      if (!rest.empty()) function_->calls.insert(rest[0]);
      break;
    case SpvOpTraceRayKHR:
      function_->traces = function_->calls_table = true;
      if (!rest.empty()) touch(rest[0], true, false);
      return;
    case SpvOpExecuteCallableKHR:
      function_->calls_table = true;
      return;
    case SpvOpRayQueryInitializeKHR:
      function_->traces = true;
      if (rest.size() > 1) touch(rest[1], true, false);
      return;
    case SpvOpConvertUToAccelerationStructureKHR:
      function_->traces = true;
      return;
    case SpvOpStore:
      // A pointer that is kept in a variable may come out of it anywhere.
      if (rest.size() >= 2) touch(rest[1], true, true);
      break;
    case SpvOpVariable:
      if (rest.size() >= 2) touch(rest[1], true, true);  // likewise, its first value
      return;
    case SpvOpPhi:
      // What comes around a loop stands behind it.
      for (const std::uint32_t id : rest) late_.emplace_back(function_, id);
      return;
    case SpvOpArrayLength:
      if (!rest.empty()) touch(rest[0], false, false);
      return;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
      if (rest.size() < 2) return;
      touch(rest[0], false, true);
      touch(rest[1], true, false);
      return;
    default:
      break;
  }
  const Rule rule = rule_of(operation);
  if (rule.does == Rule::nothing || rest.empty()) return;
  const std::uint32_t first = rest[rule.place];
  const std::uint32_t root = root_of(first);
  switch (rule.does) {
    case Rule::passes:
      if (root != 0) {
        roots_[result] = root;
        touch(first, false, false);
      }
      return;
    case Rule::loads:
      if (root != 0 && is_opaque(root)) {
        roots_[result] = root;
        return touch(first, false, false);
      }
      return touch(first, true, false);
    case Rule::reads:
      return touch(first, true, false);
    case Rule::writes:
      return touch(first, false, true);
    case Rule::both:
      return touch(first, true, true);
    default:
      // Values that are stored, and literals, have no root but by chance; then it is more than it need be.
      for (const std::uint32_t id : rest) touch(id, true, true);
      return;
  }
}

void add(std::map<std::uint32_t, Touch>& to, const Function& function) {
  for (const auto& [variable, touch] : function.variables) {
    to[variable].reads |= touch.reads;
    to[variable].writes |= touch.writes;
  }
}

std::vector<BindingUse> UseReader::bindings_of(const std::map<std::uint32_t, Touch>& touched) const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Touch> bindings;  // variables may share one
  for (const auto& [id, touch] : touched) {
    const Variable& variable = variables_.at(id);
    if (!variable.has_binding) continue;
    Touch& to = bindings[{variable.set, variable.binding}];
    to.reads |= touch.reads && !variable.not_read && !all_members(id, SpvDecorationNonReadable);
    to.writes |= touch.writes && !variable.not_written && !all_members(id, SpvDecorationNonWritable);
  }
  std::vector<BindingUse> all;
  for (const auto& [place, touch] : bindings) all.push_back({place.first, place.second, touch.reads, touch.writes});
  return all;
}

StaticUse UseReader::use_of(const StaticUse& entry, std::uint32_t function) const {
  StaticUse use = entry;
  std::map<std::uint32_t, Touch> touched;
  std::set<std::uint32_t> seen{function};
  for (std::vector<std::uint32_t> open{function}; !open.empty();) {
    const auto found = functions_.find(open.back());
    open.pop_back();
    if (found == functions_.end()) continue;
    const Function& one = found->second;
    add(touched, one);
    use.reads_addresses |= one.reads_addresses;
    use.writes_addresses |= one.writes_addresses;
    use.traces |= one.traces;
    use.calls_table |= one.calls_table;
    for (const std::uint32_t called : one.calls)
      if (seen.insert(called).second) open.push_back(called);
  }
  use.bindings = bindings_of(touched);
  return use;
}

UseReader::UseReader(std::span<const std::byte> code) {
  constexpr std::size_t kHeader = 5;
  words_.resize(code.size() / sizeof(std::uint32_t));
  if (words_.size() <= kHeader) return;
  std::memcpy(words_.data(), code.data(), words_.size() * sizeof(std::uint32_t));
  if (words_[0] != SpvMagicNumber) return;
  for (std::size_t at = kHeader; at < words_.size();) {
    const std::size_t count = words_[at] >> 16;
    if (count == 0 || count > words_.size() - at) break;
    take(words_[at] & 0xffff, Operands(words_).subspan(at + 1, count - 1));
    at += count;
  }
  for (const auto& [function, id] : late_) {
    function_ = function;
    touch(id, true, true);
  }
}

std::vector<StaticUse> UseReader::by_entry() const {
  // No program has so many entry points that use so much.
  constexpr std::size_t kMostUses = 1 << 20;
  std::vector<StaticUse> uses;
  std::size_t count = 0;
  for (const auto& [entry, function] : entries_) {
    uses.push_back(use_of(entry, function));
    count += 1 + uses.back().bindings.size() + functions_.size();
    if (count > kMostUses) return {};
  }
  return uses;
}

std::vector<BindingUse> UseReader::by_any() const {
  std::map<std::uint32_t, Touch> touched;
  for (const auto& one : functions_) add(touched, one.second);
  return bindings_of(touched);
}

}  // namespace

std::vector<StaticUse> static_uses(std::span<const std::byte> code) { return UseReader(code).by_entry(); }
std::vector<BindingUse> bindings_named(std::span<const std::byte> code) { return UseReader(code).by_any(); }

}  // namespace rondo::shaders
