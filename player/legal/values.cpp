// SPDX-License-Identifier: Apache-2.0
// Enumerants, flags and booleans. A driver may use an enumerant as an index and
// compare a boolean with VK_TRUE, so what it is given is of the registry.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string_view>
#include <unordered_set>

#include "format/flags2.h"
#include "format/leaves.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

using codec::Element;

// By EnumId: small values as bits, the others in a set; all bits of all values.
struct Known {
  bool any = false;
  std::uint64_t low = 0, bits = 0;
  std::uint32_t first = UINT32_MAX;  // the smallest
  std::unordered_set<std::uint32_t> high;
  bool has(std::uint32_t value) const { return value < 64 ? (low >> value & 1) != 0 : high.count(value) != 0; }
};

const Known& known(EnumId id) {
  static const std::vector<Known> all = [] {
    std::vector<Known> made(kEnumIds);
    for (std::size_t i = 1; i < kEnumIds; ++i)
      for (const codec::Enumerant& e : codec::enumerants(static_cast<EnumId>(i))) {
        Known& one = made[i];
        const auto value = static_cast<std::uint32_t>(e.value);
        one.any = true;
        one.bits |= static_cast<std::uint64_t>(e.value);
        one.first = std::min(one.first, value);
        if (value < 64)
          one.low |= std::uint64_t{1} << value;
        else
          one.high.insert(value);
      }
    return made;
  }();
  return all[static_cast<std::size_t>(id)];
}

bool is_looked_at(const codec::Field& f) {
  return f.element == Element::bool32 || f.element == Element::enumerant ||
         (f.element == Element::flags && known(static_cast<EnumId>(f.type)).any);
}

// By StructId: whether such a value that the caller chooses is in it, or behind it.
std::vector<bool> find_structures_with_values() {
  const auto all = codec::structures();
  std::vector<bool> has(all.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (const codec::StructInfo& s : all) {
      const auto id = static_cast<std::size_t>(s.id);
      if (has[id]) continue;
      for (const codec::Field& f : s.fields) {
        if ((f.flags & codec::kOutput) != 0) continue;
        const bool inside = f.element == Element::structure || f.element == Element::union_type;
        if (!is_looked_at(f) && !(inside && has[f.type])) continue;
        has[id] = changed = true;
        break;
      }
    }
  }
  return has;
}

// Whether the structure at `base` makes use of a member. Pointers in it are offsets, 0 where null.
using Uses = bool (*)(const std::byte* base);

std::uint32_t word(const std::byte* base, std::size_t member) { return codec::load<std::uint32_t>(base + member); }

bool never(const std::byte*) { return false; }
bool compares(const std::byte* base) { return word(base, offsetof(VkSamplerCreateInfo, compareEnable)) != VK_FALSE; }
bool has_border(const std::byte* base) {
  for (const std::size_t mode :
       {offsetof(VkSamplerCreateInfo, addressModeU), offsetof(VkSamplerCreateInfo, addressModeV),
        offsetof(VkSamplerCreateInfo, addressModeW)})
    if (word(base, mode) == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER) return true;
  return false;
}
bool tests_depth(const std::byte* base) {
  return word(base, offsetof(VkPipelineDepthStencilStateCreateInfo, depthTestEnable)) != VK_FALSE;
}
bool has_logic_op(const std::byte* base) {
  return word(base, offsetof(VkPipelineColorBlendStateCreateInfo, logicOpEnable)) != VK_FALSE;
}
bool blends(const std::byte* base) {
  return word(base, offsetof(VkPipelineColorBlendAttachmentState, blendEnable)) != VK_FALSE;
}
bool has_descriptors(const std::byte* base) {
  return word(base, offsetof(VkDescriptorSetLayoutBinding, descriptorCount)) != 0;
}
bool counts_statistics(const std::byte* base) {
  return word(base, offsetof(VkQueryPoolCreateInfo, queryType)) == VK_QUERY_TYPE_PIPELINE_STATISTICS;
}
bool resolves_depth(const std::byte* base) {
  return codec::load<std::uint64_t>(
             base + offsetof(VkSubpassDescriptionDepthStencilResolve, pDepthStencilResolveAttachment)) != 0;
}
bool has_view(const std::byte* base) {
  return codec::load<std::uint64_t>(base + offsetof(VkRenderingAttachmentInfo, imageView)) != 0;
}
bool resolves(const std::byte* base) {
  return has_view(base) && word(base, offsetof(VkRenderingAttachmentInfo, resolveMode)) != VK_RESOLVE_MODE_NONE;
}

bool pushes_descriptors(const std::byte* base) {
  return word(base, offsetof(VkDescriptorUpdateTemplateCreateInfo, templateType)) ==
         VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR;
}
bool inherits_queries(const std::byte* base) {
  return word(base, offsetof(VkCommandBufferInheritanceInfo, occlusionQueryEnable)) != VK_FALSE;
}
// Questions of sizes have no target.
bool builds(const std::byte* base) {
  return codec::load<std::uint64_t>(
             base + offsetof(VkAccelerationStructureBuildGeometryInfoKHR, dstAccelerationStructure)) != 0;
}
bool has_locations(const std::byte* base) {
  return word(base, offsetof(VkSampleLocationsInfoEXT, sampleLocationsCount)) != 0;
}
// What gives a resource to another family ignores what comes after it there, and what takes it what came before.
template <class Barrier>
bool stays_in_its_family(const std::byte* base) {
  return word(base, offsetof(Barrier, srcQueueFamilyIndex)) == word(base, offsetof(Barrier, dstQueueFamilyIndex));
}

// Wider flags in the chain take the place of a structure's own.
bool has_wider_flags(const std::byte* all, const std::byte* base) {
  for (std::uint64_t next = codec::load<std::uint64_t>(base + offsetof(VkBaseInStructure, pNext)); next != 0;
       next = codec::load<std::uint64_t>(all + next + offsetof(VkBaseInStructure, pNext)))
    if (const auto type = static_cast<VkStructureType>(word(all + next, 0));
        type == kBufferUsage2 || type == kPipelineFlags2)
      return true;
  return false;
}

// Enumerants and flags that nothing uses while other members are as they are:
// programs leave them as they found them. scripts/ignored.py says of which members of the registry that holds.
struct Unused {
  StructId structure;
  std::string_view member;  // begins so
  Uses unless;              // null: unless has_wider_flags()
};
constexpr Unused kUnused[] = {
    {StructId::VkDescriptorUpdateTemplateCreateInfo, "pipelineBindPoint", pushes_descriptors},
    {StructId::VkBufferCreateInfo, "usage", nullptr},
    {StructId::VkGraphicsPipelineCreateInfo, "flags", nullptr},
    {StructId::VkComputePipelineCreateInfo, "flags", nullptr},
    {StructId::VkRayTracingPipelineCreateInfoKHR, "flags", nullptr},
    {StructId::VkDescriptorBufferBindingInfoEXT, "usage", nullptr},
    {StructId::VkBufferMemoryBarrier, "srcAccessMask", stays_in_its_family<VkBufferMemoryBarrier>},
    {StructId::VkBufferMemoryBarrier, "dstAccessMask", stays_in_its_family<VkBufferMemoryBarrier>},
    {StructId::VkImageMemoryBarrier, "srcAccessMask", stays_in_its_family<VkImageMemoryBarrier>},
    {StructId::VkImageMemoryBarrier, "dstAccessMask", stays_in_its_family<VkImageMemoryBarrier>},
    {StructId::VkBufferMemoryBarrier2, "srcAccessMask", stays_in_its_family<VkBufferMemoryBarrier2>},
    {StructId::VkBufferMemoryBarrier2, "dstAccessMask", stays_in_its_family<VkBufferMemoryBarrier2>},
    {StructId::VkImageMemoryBarrier2, "srcAccessMask", stays_in_its_family<VkImageMemoryBarrier2>},
    {StructId::VkImageMemoryBarrier2, "dstAccessMask", stays_in_its_family<VkImageMemoryBarrier2>},
    {StructId::VkCommandBufferInheritanceInfo, "queryFlags", inherits_queries},
    {StructId::VkAccelerationStructureBuildGeometryInfoKHR, "mode", builds},
    {StructId::VkSampleLocationsInfoEXT, "sampleLocationsPerPixel", has_locations},
    {StructId::VkSamplerCreateInfo, "compareOp", compares},
    {StructId::VkSamplerCreateInfo, "borderColor", has_border},
    {StructId::VkPipelineDepthStencilStateCreateInfo, "depthCompareOp", tests_depth},
    {StructId::VkPipelineColorBlendStateCreateInfo, "logicOp", has_logic_op},
    {StructId::VkPipelineColorBlendAttachmentState, "srcColorBlend", blends},
    {StructId::VkPipelineColorBlendAttachmentState, "dstColorBlend", blends},
    {StructId::VkPipelineColorBlendAttachmentState, "colorBlendOp", blends},
    {StructId::VkPipelineColorBlendAttachmentState, "srcAlphaBlend", blends},
    {StructId::VkPipelineColorBlendAttachmentState, "dstAlphaBlend", blends},
    {StructId::VkPipelineColorBlendAttachmentState, "alphaBlendOp", blends},
    {StructId::VkDescriptorSetLayoutBinding, "stageFlags", has_descriptors},
    {StructId::VkQueryPoolCreateInfo, "pipelineStatistics", counts_statistics},
    {StructId::VkSubpassDescriptionDepthStencilResolve, "depthResolveMode", resolves_depth},
    {StructId::VkSubpassDescriptionDepthStencilResolve, "stencilResolveMode", resolves_depth},
    {StructId::VkRenderingAttachmentInfo, "resolveImageLayout", resolves},
    {StructId::VkRenderingAttachmentInfo, "", has_view},
    // Whether they are used is said one structure further out.
    {StructId::VkStencilOpState, "", never},
    {StructId::VkDescriptorImageInfo, "imageLayout", never},
    {StructId::VkAttachmentReference2, "aspectMask", never},
    {StructId::VkPipelineFragmentShadingRateStateCreateInfoKHR, "combinerOps", never},
    {StructId::VkAttachmentSampleCountInfoAMD, "", never},
};

// pipelines.cpp knows whether they are used.
bool is_settled_elsewhere(const Leaf& leaf) {
  return leaf.owner->id == StructId::VkPipelineRenderingCreateInfo &&
         (std::strcmp(leaf.field->name, "depthAttachmentFormat") == 0 ||
          std::strcmp(leaf.field->name, "stencilAttachmentFormat") == 0);
}

class Values {
 public:
  Values(codec::Lowered& lowered, const std::vector<const std::byte*>& blobs, const std::vector<bool>& has)
      : lowered_(lowered), blobs_(blobs), has_(has) {}

  bool enters(const codec::StructInfo& s) const { return has_[static_cast<std::size_t>(s.id)]; }
  void leaf(const Leaf& leaf) {
    const codec::Field& f = *leaf.field;
    if (!is_looked_at(f) || !wrong_.empty() || is_settled_elsewhere(leaf)) return;
    if (leaf.blob) {
      for (std::size_t i = 0; i < lowered_.blobs.size(); ++i)
        if (lowered_.blobs[i].offset == leaf.offset && blobs_[i] != nullptr)
          for (std::size_t n = 0; n < leaf.count; ++n) look(leaf, blobs_[i] + n * f.size, nullptr);
      return;
    }
    for (std::size_t n = 0; n < leaf.count; ++n) {
      std::byte* at = &lowered_.bytes[leaf.offset + n * f.size];
      look(leaf, at, at);
    }
  }
  Wrong& wrong() { return wrong_; }

 private:
  // `to`: where it can be set right; null: nowhere.
  void look(const Leaf& leaf, const std::byte* at, std::byte* to) {
    const codec::Field& f = *leaf.field;
    const auto id = static_cast<EnumId>(f.type);
    const std::uint64_t value = codec::load_unsigned(at, f.size);
    const auto small = static_cast<std::uint32_t>(value);
    const auto say = [&](const std::string& what) {
      wrong_ = std::string(f.name) + " of " + leaf.owner->name + " is " + what;
    };
    const auto set = [&](std::uint32_t to_be) { std::memcpy(to, &to_be, sizeof to_be); };
    if (f.element == Element::bool32) {
      if (value <= VK_TRUE) return;
      if (to == nullptr) return say(std::to_string(value) + ", which is neither true nor false");
      set(VK_TRUE);
    } else if (f.element == Element::enumerant) {
      if (known(id).has(small)) return;
      if (to != nullptr && is_unused(leaf)) return set(known(id).first);
      say(std::to_string(value) + ", which no " + std::string(codec::enum_name(id)) + " is");
    } else if (const std::uint64_t unknown = value & ~known(id).bits; unknown != 0) {
      if (to != nullptr && is_unused(leaf)) {
        const std::uint64_t rest = value & known(id).bits;
        std::memcpy(to, &rest, f.size);
        return;
      }
      char text[32];
      std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(unknown));
      wrong_ = std::string(f.name) + " of " + leaf.owner->name + " has bits (" + text + ") that no " +
               std::string(codec::enum_name(id)) + " has";
    }
  }

  bool is_unused(const Leaf& leaf) const {
    const std::string_view name = leaf.field->name;
    for (const Unused& unused : kUnused) {
      if (unused.structure != leaf.owner->id || !name.starts_with(unused.member)) continue;
      const std::byte* base = &lowered_.bytes[leaf.base];
      if (unused.unless != nullptr ? !unused.unless(base) : has_wider_flags(lowered_.bytes.data(), base)) return true;
    }
    return false;
  }

  codec::Lowered& lowered_;
  const std::vector<const std::byte*>& blobs_;
  const std::vector<bool>& has_;
  Wrong wrong_;
};

}  // namespace

bool is_enumerant(EnumId id, std::uint32_t value) { return known(id).has(value); }

Wrong settle_values(const codec::CommandInfo& command, codec::Lowered& lowered,
                    const std::vector<const std::byte*>& blobs) {
  static const std::vector<bool> has = find_structures_with_values();
  bool any = has[static_cast<std::size_t>(command.args)];
  for (const codec::StructRef& chained : lowered.chained) any = any || has[static_cast<std::size_t>(chained.id)];
  if (!any) return {};
  Values values(lowered, blobs, has);
  LeafWalk<Values>(lowered, values).run(command);
  return std::move(values.wrong());
}

}  // namespace rondo::player::validity
