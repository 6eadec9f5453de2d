// SPDX-License-Identifier: Apache-2.0
#include "model/shaders/needs.h"

#include <algorithm>
#include <set>

#include "model/shaders/sizes.h"
#include "model/shaders/spirv.h"

namespace rondo::shaders {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

class Reader {
 public:
  Reader(const Module& module, const Entry& entry, const SpecializedValues& specialized)
      : module_(module),
        entry_(entry),
        constants_(module, specialized),
        sizes_(module, [this](const Type& array) { return length(array); }) {}

  Needs run() {
    const std::set<std::uint32_t> interface(entry_.interface.begin(), entry_.interface.end());
    for (const Variable& variable : module_.variables) {
      const bool input = variable.storage == SpvStorageClassInput;
      if ((input || variable.storage == SpvStorageClassOutput) && interface.count(variable.id) != 0)
        take_locations(variable, input ? needs_.input_locations : needs_.output_locations);
      if (entry_.used.count(variable.id) == 0) continue;
      switch (variable.storage) {
        case SpvStorageClassUniformConstant:
        case SpvStorageClassUniform:
        case SpvStorageClassStorageBuffer:
          take_descriptor(variable);
          break;
        case SpvStorageClassPushConstant:
          take_push_constants(variable);
          break;
        case SpvStorageClassWorkgroup:
          take_shared(variable);
          break;
        case SpvStorageClassTaskPayloadWorkgroupEXT:
          needs_.payload_bytes = std::min(kMostBytes, needs_.payload_bytes + sizes_.packed(variable.type));
          break;
        case SpvStorageClassPrivate:
          take_private(variable.type);
          break;
        default:
          break;
      }
    }
    for (const std::uint32_t local : entry_.locals) take_private(local);
    for (const Variable& variable : module_.unknown)
      if (entry_.used.count(variable.id) != 0) add_descriptor(variable.id, {}, 0);
    std::stable_sort(needs_.descriptors.begin(), needs_.descriptors.end(), [](const auto& a, const auto& b) {
      return std::pair(a.set, a.binding) < std::pair(b.set, b.binding);
    });
    needs_.shared_bytes += blocks_;
    needs_.local_size = local_size();
    take_outputs();
    return std::move(needs_);
  }

 private:
  std::uint64_t length(const Type& array) {
    const auto count = constants_.value(array.length_id);
    if (count && *count == 0) needs_.has_empty_array = true;
    return count.value_or(0);
  }
  const Type& type(std::uint32_t id) const { return module_.types.at(id); }
  bool has(std::uint32_t id, bool Decorated::*decoration) const {
    const auto found = module_.decorated.find(id);
    return found != module_.decorated.end() && found->second.*decoration;
  }

  void add_descriptor(std::uint32_t variable, std::vector<VkDescriptorType> types, std::uint64_t count) {
    const auto found = module_.decorated.find(variable);
    if (found == module_.decorated.end() || !found->second.binding) return;  // of no descriptor
    needs_.descriptors.push_back({found->second.set.value_or(0), *found->second.binding, std::move(types), count});
  }

  void take_descriptor(const Variable& variable) {
    constexpr std::uint64_t kMost = UINT32_MAX;
    std::uint64_t count = 1;
    std::uint32_t id = variable.type;
    for (; type(id).operation == SpvOpTypeArray || type(id).operation == SpvOpTypeRuntimeArray; id = type(id).element)
      count = type(id).operation == SpvOpTypeArray ? std::min(kMost, length(type(id))) * count : 0;
    add_descriptor(variable.id, types_of(variable.storage, id), std::min(kMost, count));
  }

  // The specification: Shader Resource and Descriptor Type Correspondence.
  std::vector<VkDescriptorType> types_of(std::uint32_t storage, std::uint32_t id) const {
    switch (type(id).operation) {
      case SpvOpTypeStruct:
        if (storage == SpvStorageClassStorageBuffer || has(id, &Decorated::buffer_block))
          return {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC};
        return {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
                VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK};
      case SpvOpTypeSampler:
        return {VK_DESCRIPTOR_TYPE_SAMPLER, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};
      case SpvOpTypeSampledImage:
        return type(type(id).element).dimension == SpvDimBuffer
                   ? std::vector{VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER}
                   : std::vector{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};
      case SpvOpTypeImage:
        return types_of_image(type(id));
      case SpvOpTypeAccelerationStructureKHR:
        return {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV};
      default:
        return {};
    }
  }
  static std::vector<VkDescriptorType> types_of_image(const Type& image) {
    constexpr std::uint32_t kWithoutSampler = 2;
    const bool storage = image.sampled == kWithoutSampler;
    if (image.dimension == SpvDimSubpassData) return {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT};
    if (image.dimension == SpvDimBuffer)
      return {storage ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER};
    if (storage) return {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};
    return {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
            VK_DESCRIPTOR_TYPE_SAMPLE_WEIGHT_IMAGE_QCOM, VK_DESCRIPTOR_TYPE_BLOCK_MATCH_IMAGE_QCOM};
  }

  // The members that are named: programs share blocks between stages whose layouts have a part of them each.
  void take_push_constants(const Variable& variable) {
    const Type& block = type(variable.type);
    if (block.operation != SpvOpTypeStruct) return;
    const bool whole = entry_.used_members.count({variable.id, kWhole}) != 0;
    for (std::uint32_t m = 0; m < block.members.size(); ++m) {
      if (!whole && entry_.used_members.count({variable.id, m}) == 0) continue;
      const auto decorated = module_.decorated_members.find({variable.type, m});
      const std::uint64_t begin = decorated != module_.decorated_members.end() ? decorated->second.offset : 0;
      const std::uint64_t end = begin + sizes_.member(variable.type, m);
      needs_.push_begin = needs_.push_end == 0 ? begin : std::min(needs_.push_begin, begin);
      needs_.push_end = std::max(needs_.push_end, end);
    }
  }

  // An input or output has one for each vertex of a primitive in these stages.
  bool has_one_a_vertex(const Variable& variable) const {
    const bool input = variable.storage == SpvStorageClassInput;
    if (has(variable.id, &Decorated::patch)) return false;
    switch (entry_.model) {
      case SpvExecutionModelTessellationControl:
        return true;
      case SpvExecutionModelTessellationEvaluation:
      case SpvExecutionModelGeometry:
        return input;
      case SpvExecutionModelMeshNV:
        return !input;
      default:
        return entry_.model == SpvExecutionModelMeshEXT && !input;
    }
  }

  void take_locations(const Variable& variable, std::uint64_t& end) {
    std::uint32_t id = variable.type;
    if (has_one_a_vertex(variable) && type(id).operation == SpvOpTypeArray) id = type(id).element;
    const auto decorated = module_.decorated.find(variable.id);
    if (decorated != module_.decorated.end() && decorated->second.location)
      end = std::max(end, *decorated->second.location + sizes_.locations(id));
    for (std::uint32_t m = 0; m < type(id).members.size(); ++m)
      if (const auto member = module_.decorated_members.find({id, m});
          member != module_.decorated_members.end() && member->second.location)
        end = std::max(end, *member->second.location + sizes_.locations(type(id).members[m]));
  }

  void take_outputs() {
    for (const std::vector<std::uint32_t>& mode : entry_.modes) {
      if (entry_.model != SpvExecutionModelMeshEXT || mode.size() != 2) continue;
      if (mode[0] == SpvExecutionModeOutputVertices) needs_.output_vertices = mode[1];
      if (mode[0] == SpvExecutionModeOutputPrimitivesEXT) needs_.output_primitives = mode[1];
    }
  }

  void take_private(std::uint32_t id) {
    if (module_.types.count(id) != 0)
      needs_.private_bytes = std::min(kMostBytes, needs_.private_bytes + sizes_.packed(id));
  }

  // Blocks share their bytes (VK_KHR_workgroup_memory_explicit_layout).
  void take_shared(const Variable& variable) {
    if (type(variable.type).operation == SpvOpTypeStruct && has(variable.type, &Decorated::block))
      blocks_ = std::max(blocks_, sizes_.laid_out(variable.type));
    else
      needs_.shared_bytes = std::min(kMostBytes, needs_.shared_bytes + sizes_.packed(variable.type));
  }

  std::optional<std::array<std::uint64_t, 3>> local_size() {
    std::optional<std::array<std::uint64_t, 3>> size;
    const auto by_ids = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
      const auto a = constants_.value(x), b = constants_.value(y), c = constants_.value(z);
      if (a && b && c) size = {*a, *b, *c};
    };
    for (const std::vector<std::uint32_t>& mode : entry_.modes) {
      if (mode.size() != 4) continue;
      if (mode[0] == SpvExecutionModeLocalSize) size = {mode[1], mode[2], mode[3]};
      if (mode[0] == SpvExecutionModeLocalSizeId) by_ids(mode[1], mode[2], mode[3]);
    }
    const auto built_in = module_.constants.find(module_.work_group_size);
    if (size && built_in != module_.constants.end() && built_in->second.parts.size() == 3)
      by_ids(built_in->second.parts[0], built_in->second.parts[1], built_in->second.parts[2]);
    return size;
  }

  const Module& module_;
  const Entry& entry_;
  Needs needs_;
  Constants constants_;
  Sizes sizes_;
  std::uint64_t blocks_ = 0;  // the largest block of shared memory
};

}  // namespace

Needs needs_of(const Module& module, const Entry& entry, const SpecializedValues& specialized) {
  return Reader(module, entry, specialized).run();
}

}  // namespace rondo::shaders
