// SPDX-License-Identifier: Apache-2.0
#include "player/plan/replace_code.h"

#include <algorithm>
#include <cstring>

#include "format/codec/schema.h"
#include "generated/args.h"
#include "player/plan/op_view.h"

namespace rondo::player {

namespace {

template <class Args, class Handle>
ObjectId made_at(const Plan& plan, const Op& op, const OpView& view, Handle* Args::*member, std::uint32_t index) {
  const auto* base = &view.as<std::byte>();
  const Handle* handles = view.as<Args>().*member;
  if (handles == nullptr) return ObjectId::null;
  const auto offset = static_cast<std::uint32_t>(reinterpret_cast<const std::byte*>(handles + index) - base);
  for (std::uint32_t i = 0; i < op.created; ++i)
    if (plan.created[op.first_created + i].offset == offset) return plan.created[op.first_created + i].id;
  return ObjectId::null;
}

}  // namespace

ObjectId made_by_site(const Plan& plan, const Op& op, const OpView& view, std::uint32_t index, CommandId canonical) {
  switch (canonical) {
    case CommandId::vkCreateShaderModule:
      return made_at(plan, op, view, &args_vkCreateShaderModule::pShaderModule, 0);
    case CommandId::vkCreateGraphicsPipelines:
      return made_at(plan, op, view, &args_vkCreateGraphicsPipelines::pPipelines, index);
    case CommandId::vkCreateComputePipelines:
      return made_at(plan, op, view, &args_vkCreateComputePipelines::pPipelines, index);
    case CommandId::vkCreateRayTracingPipelinesKHR:
      return made_at(plan, op, view, &args_vkCreateRayTracingPipelinesKHR::pPipelines, index);
#ifdef VK_EXT_shader_object
    case CommandId::vkCreateShadersEXT:
      return made_at(plan, op, view, &args_vkCreateShadersEXT::pShaders, index);
#endif
    default:
      return ObjectId::null;
  }
}

std::string site_name(const Plan& plan, const Op& op, const OpView& view, CommandId canonical,
                      const shaders::Site& site) {
  const ObjectId id = made_by_site(plan, op, view, site.index, canonical);
  const std::string name = id != ObjectId::null
                               ? plan.name(id)
                               : std::string(codec::info(op.command).name) + " (record " + std::to_string(op.sequence) +
                                     "), number " + std::to_string(site.index);
  return name + (site.kind == shaders::Site::Kind::stage ? site.suffix() : "");
}

std::vector<CodeSite> find_code_sites(const Plan& plan) {
  std::vector<CodeSite> sites;
  OpView view;
  for (std::uint32_t i = 0; i < plan.ops.size(); ++i) {
    const Op& op = plan.ops[i];
    const CommandId canonical = codec::info(op.command).canonical;
    if (!shaders::makes_shaders(canonical)) continue;
    view.load(plan, op);
    const auto* base = &view.as<std::byte>();
    const auto offset = [&](const void* member) {
      return static_cast<std::uint32_t>(static_cast<const std::byte*>(member) - base);
    };
    shaders::for_each_site(canonical, base, [&](const shaders::Site& found) {
      CodeSite site;
      site.kind = found.kind;
      site.made = made_by_site(plan, op, view, found.index, canonical);
      site.name = site_name(plan, op, view, canonical, found);
      site.op = i;
      site.entry = found.entry;
      site.stage = found.stage;
      site.identifier = found.identifier;
      site.binary = found.binary;
      if (const VkSpecializationInfo* info = found.constants; info != nullptr)
        for (std::uint32_t c = 0; c < info->mapEntryCount; ++c)
          site.constants.emplace_back(info->pMapEntries[c].constantID, info->pMapEntries[c].size);
      if (found.kind == shaders::Site::Kind::module) site.module = site.made;
      if (found.module != nullptr) {
        site.module = view.id(found.module);
        site.module_member = offset(found.module);
      }
      if (found.code != nullptr) {
        site.code_member = offset(found.code);
        site.bytes_member = offset(found.bytes);
        // Short code lies in the block; the view, which goes away, has a copy of it.
        const auto* at = static_cast<const std::byte*>(*found.code);
        const bool inside = at >= base && at < base + op.block_bytes;
        site.code = {inside ? plan.arena.at(op.block) + (at - base) : at, *found.bytes};
        site.digest = digest_of(site.code);
      }
      sites.push_back(std::move(site));
    });
  }
  return sites;
}

void replace_code(Plan& plan, const CodeSite& site, const Reader::Bytes& code) {
  Op& op = plan.ops[site.op];
  plan.blobs.push_back(code);
  std::byte* block = plan.arena.at(op.block);
  const std::byte* data = code->data();
  const std::size_t bytes = code->size();
  std::memcpy(block + site.code_member, &data, sizeof data);
  std::memcpy(block + site.bytes_member, &bytes, sizeof bytes);
  // It is no offset into the block any more.
  const auto first = plan.pointers.begin() + op.first_pointer;
  const auto rest = std::remove(first, first + op.pointers, site.code_member);
  op.pointers = static_cast<std::uint32_t>(rest - first);
}

void replace_stage(Plan& plan, const CodeSite& site, const Reader::Bytes& code) {
  plan.stage_codes.push_back({plan.ops[site.op].block, site.module_member, code});
}

}  // namespace rondo::player
