// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/keep.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "generated/args.h"

namespace rondo::trim {

using player::kNone;
using player::Op;
using player::Patch;

namespace {

// The infos of a call that makes one object of each: where they lie in its block.
struct Infos {
  const void* first = nullptr;
  std::size_t size = 0;           // of one
  const void* handles = nullptr;  // the array of what is made
};

std::optional<Infos> infos_of(CommandId canonical, const player::OpView& view) {
  switch (canonical) {
    case CommandId::vkCreateGraphicsPipelines: {
      const auto& a = view.as<args_vkCreateGraphicsPipelines>();
      return Infos{a.pCreateInfos, sizeof *a.pCreateInfos, a.pPipelines};
    }
    case CommandId::vkCreateComputePipelines: {
      const auto& a = view.as<args_vkCreateComputePipelines>();
      return Infos{a.pCreateInfos, sizeof *a.pCreateInfos, a.pPipelines};
    }
    case CommandId::vkCreateRayTracingPipelinesKHR: {
      const auto& a = view.as<args_vkCreateRayTracingPipelinesKHR>();
      return Infos{a.pCreateInfos, sizeof *a.pCreateInfos, a.pPipelines};
    }
#ifdef VK_EXT_shader_object
    case CommandId::vkCreateShadersEXT: {
      const auto& a = view.as<args_vkCreateShadersEXT>();
      return Infos{a.pCreateInfos, sizeof *a.pCreateInfos, a.pShaders};
    }
#endif
    case CommandId::vkAllocateDescriptorSets: {
      const auto& a = view.as<args_vkAllocateDescriptorSets>();
      return Infos{a.pAllocateInfo->pSetLayouts, sizeof(VkDescriptorSetLayout), a.pDescriptorSets};
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

bool does_without(CommandId canonical, HandleType type) {
  switch (canonical) {
    case CommandId::vkCreateGraphicsPipelines:
    case CommandId::vkCreateComputePipelines:
    case CommandId::vkCreateRayTracingPipelinesKHR:
      return type == HandleType::VkPipelineCache;
    case CommandId::vkCreateSwapchainKHR:
      return type == HandleType::VkSwapchainKHR;
    default:
      return false;
  }
}

Keep::Keep(const player::Plan& plan, std::uint32_t end, Also also)
    : plan_(plan),
      objects_(plan.objects.objects()),
      also_(std::move(also)),
      made_(objects_.size(), kNone),
      kept_(objects_.size(), false) {
  for (std::uint32_t i = 0; i < end; ++i) {
    const Op& op = plan.ops[i];
    for (std::uint32_t c = 0; c < op.created; ++c)
      if (std::uint32_t& made = made_[index_of(plan.created[op.first_created + c].id)]; made == kNone) made = i;
  }
}

void Keep::add(ObjectId id) {
  if (id == ObjectId::null || index_of(id) >= kept_.size() || kept_[index_of(id)]) return;
  kept_[index_of(id)] = true;
  open_.push_back(id);
  if (adding_) return;
  adding_ = true;
  while (!open_.empty()) {
    const ObjectId next = open_.back();
    open_.pop_back();
    add_uses(next);
  }
  adding_ = false;
}

void Keep::add_named_by(std::uint32_t index) {
  const Op& op = plan_.ops[index];
  for (std::uint32_t p = 0; p < op.patches; ++p) add(plan_.patches[op.first_patch + p].id);
}

void Keep::add_uses(ObjectId id) {
  const Object& object = objects_[id];
  add(object.parent);
  also_(id, [this](ObjectId other) { add(other); });
  if (object.type == HandleType::VkSwapchainKHR)
    if (const std::uint32_t place = plan_.place_of(id); place < plan_.swapchains.size()) {
      for (const ObjectId image : plan_.swapchains[place].images) add(image);
      add(plan_.swapchains[place].surface);
    }
  if (const std::uint32_t place = plan_.place_of(id);
      place < plan_.resources.size() && plan_.resources[place].id == id && plan_.resources[place].memory != kNone)
    add(plan_.memories[plan_.resources[place].memory].id);
  const std::uint32_t made = made_by(id);
  if (made == kNone) return;
  const Op& op = plan_.ops[made];
  if (op.created > 1) return add_part_uses(id, op);
  const CommandId canonical = codec::info(op.command).canonical;
  for (std::uint32_t p = 0; p < op.patches; ++p) {
    const ObjectId used = plan_.patches[op.first_patch + p].id;
    if (!does_without(canonical, objects_[used].type)) add(used);
  }
}

// Handles stand in the order of the parameters, those of what an info points to in front of the last of its own: so
// those up to there, behind the info before, are the info's.
void Keep::add_part_uses(ObjectId id, const Op& op) {
  const CommandId canonical = codec::info(op.command).canonical;
  view_.load(plan_, op);
  const std::optional<Infos> infos = infos_of(canonical, view_);
  const auto* const base = &view_.as<std::byte>();
  const auto offset = [&](const void* at) {
    return static_cast<std::size_t>(static_cast<const std::byte*>(at) - base);
  };
  const auto created = plan_.created.begin() + op.first_created;
  const auto one = std::find_if(created, created + op.created, [&](const Patch& patch) { return patch.id == id; });
  const auto patches = plan_.patches.begin() + op.first_patch;
  std::size_t first = 0, last = op.patches;
  if (infos && infos->first != nullptr && infos->handles != nullptr && one != created + op.created) {
    const std::size_t index = (one->offset - offset(infos->handles)) / sizeof(std::uint64_t);
    const auto end_of = [&](std::size_t info) {  // behind the last handle of the info itself
      const std::size_t from = offset(infos->first) + info * infos->size;
      std::size_t end = 0;
      for (std::uint32_t p = 0; p < op.patches; ++p)
        if (patches[p].offset >= from && patches[p].offset < from + infos->size) end = p + 1;
      return end;
    };
    // What stands in front of the first info is everybody's.
    for (const Patch& patch : std::span(plan_.patches).subspan(op.first_patch, op.patches))
      if (patch.offset < offset(infos->first) && !does_without(canonical, objects_[patch.id].type)) add(patch.id);
    first = index == 0 ? 0 : end_of(index - 1);
    last = end_of(index);
  }
  for (std::size_t p = first; p < last; ++p) {
    const ObjectId used = patches[static_cast<std::ptrdiff_t>(p)].id;
    if (!does_without(canonical, objects_[used].type)) add(used);
  }
}

}  // namespace rondo::trim
