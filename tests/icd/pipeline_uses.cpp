// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/pipeline_uses.h"

#include <algorithm>
#include <set>

#include "generated/args.h"
#include "tests/icd/arguments.h"
#include "tests/icd/chain.h"
#include "tests/icd/objects.h"

namespace fake {
namespace {

// The words that matter here (the SPIR-V specification, 3.49).
enum Op : std::uint32_t {
  kTypeArray = 28,
  kTypeRuntimeArray = 29,
  kTypeStruct = 30,
  kTypePointer = 32,
  kVariable = 59,
  kDecorate = 71,
  kMemberDecorate = 72
};
enum Decoration : std::uint32_t { kNonWritable = 24, kBinding = 33, kDescriptorSet = 34 };

struct Declarations {
  std::map<std::uint32_t, std::uint32_t> sets, bindings;  // by variable
  std::set<std::uint32_t> read_only;                      // variables
  std::map<std::uint32_t, std::uint32_t> members;         // of structures: how many
  std::map<std::uint32_t, std::set<std::uint32_t>> read_only_members;
  std::map<std::uint32_t, std::uint32_t> pointees, elements;  // of pointer and array types
  std::map<std::uint32_t, std::uint32_t> variables;           // to their types

  bool may_write(std::uint32_t variable) const {
    if (read_only.count(variable) != 0) return false;
    const auto pointee = pointees.find(variables.at(variable));
    if (pointee == pointees.end()) return true;
    std::uint32_t type = pointee->second;
    for (auto e = elements.find(type); e != elements.end(); e = elements.find(type)) type = e->second;
    const auto structure = members.find(type);
    const auto constant = read_only_members.find(type);
    return structure == members.end() || constant == read_only_members.end() ||
           constant->second.size() < structure->second;
  }
};

void read(std::span<const std::uint32_t> instruction, Declarations& out) {
  const auto word = [&](std::size_t i) { return i < instruction.size() ? instruction[i] : 0; };
  switch (instruction[0] & 0xffff) {
    case kDecorate:
      if (word(2) == kDescriptorSet) out.sets[word(1)] = word(3);
      if (word(2) == kBinding) out.bindings[word(1)] = word(3);
      if (word(2) == kNonWritable) out.read_only.insert(word(1));
      break;
    case kMemberDecorate:
      if (word(3) == kNonWritable) out.read_only_members[word(1)].insert(word(2));
      break;
    case kTypeStruct:
      out.members[word(1)] = static_cast<std::uint32_t>(instruction.size()) - 2;
      break;
    case kTypeArray:
    case kTypeRuntimeArray:
      out.elements[word(1)] = word(2);
      break;
    case kTypePointer:
      out.pointees[word(1)] = word(3);
      break;
    case kVariable:
      out.variables[word(2)] = word(1);
      break;
    default:
      break;
  }
}

void merge(const PipelineUses& from, PipelineUses& to) {
  for (const auto& [place, written] : from.resources) to.resources[place] |= written;
  for (const auto& [place, stages] : from.stages) to.stages[place] |= stages;
  to.vertex_bindings.insert(to.vertex_bindings.end(), from.vertex_bindings.begin(), from.vertex_bindings.end());
  to.vertex_attributes.insert(to.vertex_attributes.end(), from.vertex_attributes.begin(), from.vertex_attributes.end());
}

template <class Create>
void merge_libraries(const Create& create, PipelineUses& to) {
  if (const auto* libraries = chained<VkPipelineLibraryCreateInfoKHR>(create))
    for (std::uint32_t i = 0; i < libraries->libraryCount; ++i)
      if (const auto library = get<Pipeline>(libraries->pLibraries[i]); library != nullptr && library->uses != nullptr)
        merge(*library->uses, to);
}

}  // namespace

void add_declarations(std::span<const std::uint32_t> code, PipelineUses& uses) {
  constexpr std::uint32_t kMagic = 0x07230203;
  constexpr std::size_t kHeader = 5;
  if (code.size() < kHeader || code[0] != kMagic) return;
  Declarations found;
  for (std::size_t at = kHeader; at < code.size();) {
    const std::size_t words = code[at] >> 16;
    if (words == 0 || words > code.size() - at) break;
    read(code.subspan(at, words), found);
    at += words;
  }
  for (const auto& [variable, binding] : found.bindings) {
    const auto set = found.sets.find(variable);
    if (set == found.sets.end() || found.variables.count(variable) == 0) continue;
    uses.resources[{set->second, binding}] |= found.may_write(variable);
  }
}

void note_pipeline(const Arguments& arguments, std::size_t index, Pipeline& pipeline) {
  auto uses = std::make_shared<PipelineUses>();
  for (const Pipeline::Stage& stage : pipeline.stages) {
    PipelineUses declared;
    add_declarations(stage.code, declared);
    for (const auto& [place, written] : declared.resources) declared.stages[place] = stage.stage;
    merge(declared, *uses);
  }
  if (arguments.command() == CommandId::vkCreateGraphicsPipelines) {
    const auto& create = arguments.as<rondo::args_vkCreateGraphicsPipelines>().pCreateInfos[index];
    if (const auto* input = create.pVertexInputState) {
      uses->vertex_bindings.assign(input->pVertexBindingDescriptions,
                                   input->pVertexBindingDescriptions + input->vertexBindingDescriptionCount);
      uses->vertex_attributes.assign(input->pVertexAttributeDescriptions,
                                     input->pVertexAttributeDescriptions + input->vertexAttributeDescriptionCount);
    }
    merge_libraries(create, *uses);
  }
  pipeline.uses = std::move(uses);
}

}  // namespace fake
