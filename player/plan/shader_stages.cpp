// SPDX-License-Identifier: Apache-2.0
#include "player/plan/shader_stages.h"

#include <map>
#include <unordered_map>
#include <utility>

#include "format/codec/schema.h"
#include "format/codec/shapes.h"
#include "format/flags2.h"
#include "format/native_view.h"
#include "generated/args.h"
#include "model/shaders/names.h"
#include "model/shaders/sites.h"
#include "player/plan/op_view.h"
#include "player/plan/replace_code.h"

namespace rondo::player {

namespace {

using Bindings = std::shared_ptr<const std::vector<StageBinding>>;
using Layout = std::shared_ptr<const StageLayout>;

class Finder {
 public:
  explicit Finder(const Plan& plan) : plan_(plan) {}

  ShaderStages run() {
    for (const Op& op : plan_.ops) {
      const CommandId canonical = codec::info(op.command).canonical;
      if (canonical == CommandId::vkCreateDescriptorSetLayout) {
        view_.load(plan_, op);
        take_set_layout(op);
      } else if (canonical == CommandId::vkCreatePipelineLayout) {
        view_.load(plan_, op);
        take_pipeline_layout(op);
      } else if (shaders::makes_shaders(canonical)) {
        view_.load(plan_, op);
        take_shaders(op, canonical);
      }
    }
    return std::move(found_);
  }

 private:
  ObjectId only_created(const Op& op) const {
    return op.created != 0 ? plan_.created[op.first_created].id : ObjectId::null;
  }

  void take_set_layout(const Op& op) {
    const VkDescriptorSetLayoutCreateInfo* info = view_.as<args_vkCreateDescriptorSetLayout>().pCreateInfo;
    if (info == nullptr) return;
    auto bindings = std::make_shared<std::vector<StageBinding>>();
    for (std::uint32_t i = 0; info->pBindings != nullptr && i < info->bindingCount; ++i) {
      const VkDescriptorSetLayoutBinding& b = info->pBindings[i];
      bindings->push_back({b.binding, b.descriptorType, b.descriptorCount, b.stageFlags});
    }
    if (const ObjectId id = only_created(op); id != ObjectId::null) sets_[id] = std::move(bindings);
  }

  // What pipeline layouts and shader objects say in the same words.
  template <class Info>
  Layout layout_of(const Info& info) {
    auto layout = std::make_shared<StageLayout>();
    for (std::uint32_t i = 0; info.pSetLayouts != nullptr && i < info.setLayoutCount; ++i) {
      const auto set = sets_.find(view_.id(&info.pSetLayouts[i]));
      layout->sets.push_back(set != sets_.end() ? set->second : nullptr);
    }
    for (std::uint32_t i = 0; info.pPushConstantRanges != nullptr && i < info.pushConstantRangeCount; ++i)
      layout->ranges.push_back(info.pPushConstantRanges[i]);
    return layout;
  }

  void take_pipeline_layout(const Op& op) {
    const VkPipelineLayoutCreateInfo* info = view_.as<args_vkCreatePipelineLayout>().pCreateInfo;
    if (const ObjectId id = only_created(op); id != ObjectId::null && info != nullptr) layouts_[id] = layout_of(*info);
  }

  Layout find_layout(const VkPipelineLayout* member) const {
    const auto found = layouts_.find(view_.id(member));
    return found != layouts_.end() ? found->second : nullptr;
  }

  // Of the `index`th that the call makes.
  Layout layout_at(CommandId canonical, std::uint32_t index) {
    switch (canonical) {
      case CommandId::vkCreateGraphicsPipelines:
        return find_layout(&view_.as<args_vkCreateGraphicsPipelines>().pCreateInfos[index].layout);
      case CommandId::vkCreateComputePipelines:
        return find_layout(&view_.as<args_vkCreateComputePipelines>().pCreateInfos[index].layout);
      case CommandId::vkCreateRayTracingPipelinesKHR:
        return find_layout(&view_.as<args_vkCreateRayTracingPipelinesKHR>().pCreateInfos[index].layout);
#ifdef VK_EXT_shader_object
      case CommandId::vkCreateShadersEXT:
        return layout_of(view_.as<args_vkCreateShadersEXT>().pCreateInfos[index]);
#endif
      default:
        return nullptr;
    }
  }

  std::size_t add_code(const Op& op, std::span<const std::byte> code, const std::string& name) {
    const auto [at, fresh] = by_digest_.try_emplace({digest_of(code), op.device}, found_.codes.size());
    if (fresh) found_.codes.push_back({code, name, op.sequence, op.device, {}});
    return at->second;
  }

  void take_shaders(const Op& op, CommandId canonical) {
    std::map<std::uint32_t, std::vector<std::pair<std::size_t, ShaderStage>>> made;  // by what the call makes
    shaders::for_each_site(canonical, &view_.as<std::byte>(), [&](const shaders::Site& site) {
      if (site.binary || site.identifier) return;
      const std::string name = site_name(plan_, op, view_, canonical, site);
      std::optional<std::size_t> code;
      if (site.code != nullptr) {
        code = add_code(op, in_plan(op, *site.code, *site.bytes), name);
      } else if (const Reader::Bytes* other = replacement_of(op, site.module); other != nullptr) {
        code = add_code(op, **other, name);
      } else if (site.module != nullptr) {
        const auto module = modules_.find(view_.id(site.module));
        if (module != modules_.end()) code = module->second;
      }
      if (!code) return;
      if (site.kind == shaders::Site::Kind::module) {
        if (const ObjectId id = only_created(op); id != ObjectId::null) modules_[id] = *code;
        return;
      }
      ShaderStage stage{name,
                        op.sequence,
                        site.entry,
                        site.stage,
                        shaders::specialized_values(site.constants),
                        layout_at(canonical, site.index)};
      found_.codes[*code].stages.push_back(stage);
      made[site.index].emplace_back(*code, std::move(stage));
    });
    if (canonical == CommandId::vkCreateGraphicsPipelines)
      take_libraries<args_vkCreateGraphicsPipelines>(op, canonical, made);
    if (canonical == CommandId::vkCreateRayTracingPipelinesKHR) {
      take_libraries<args_vkCreateRayTracingPipelinesKHR>(op, canonical, made);
      check_groups(op);
    }
  }

  // Short code lies in the block; the view, which goes away, has a copy of it.
  std::span<const std::byte> in_plan(const Op& op, const void* code, std::size_t bytes) const {
    const auto* base = &view_.as<std::byte>();
    const auto* at = static_cast<const std::byte*>(code);
    return {at >= base && at < base + op.block_bytes ? plan_.arena.at(op.block) + (at - base) : at, bytes};
  }

  // The player makes a module of this code for the stage; null: it takes the module that the program named.
  const Reader::Bytes* replacement_of(const Op& op, const VkShaderModule* member) const {
    if (member == nullptr) return nullptr;
    const auto offset = static_cast<std::uint32_t>(reinterpret_cast<const std::byte*>(member) - &view_.as<std::byte>());
    for (const StageCode& code : plan_.stage_codes)
      if (code.block == op.block && code.module == offset) return &code.code;
    return nullptr;
  }

  static const VkPipelineLibraryCreateInfoKHR* libraries_of(const VkGraphicsPipelineCreateInfo& info) {
    return find_chained<VkPipelineLibraryCreateInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
  }
  static const VkPipelineLibraryCreateInfoKHR* libraries_of(const VkRayTracingPipelineCreateInfoKHR& info) {
    return info.pLibraryInfo;
  }

  // A pipeline that is put together from parts runs the shaders of its parts with its own layout.
  template <class Args>
  void take_libraries(const Op& op, CommandId canonical,
                      std::map<std::uint32_t, std::vector<std::pair<std::size_t, ShaderStage>>>& made) {
    const auto& a = view_.as<Args>();
    for (std::uint32_t i = 0; a.pCreateInfos != nullptr && i < a.createInfoCount; ++i) {
      const VkPipelineLibraryCreateInfoKHR* parts = libraries_of(a.pCreateInfos[i]);
      const ObjectId id = made_by_site(plan_, op, view_, i, canonical);
      const Layout layout = layout_at(canonical, i);
      for (std::uint32_t p = 0; parts != nullptr && parts->pLibraries != nullptr && p < parts->libraryCount; ++p) {
        const auto part = libraries_.find(view_.id(&parts->pLibraries[p]));
        if (part == libraries_.end()) continue;
        for (auto [code, stage] : part->second) {
          if (++from_libraries_ > kMostFromLibraries) return too_many(op);
          if (layout != nullptr && layout != stage.layout) {
            stage.name += " in " + (id != ObjectId::null ? plan_.name(id)
                                                         : "a pipeline of record " + std::to_string(op.sequence));
            stage.sequence = op.sequence;
            stage.layout = layout;
            found_.codes[code].stages.push_back(stage);
          }
          made[i].emplace_back(code, std::move(stage));
        }
      }
      if (id != ObjectId::null && (pipeline_flags(a.pCreateInfos[i]) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0)
        libraries_[id] = std::move(made[i]);
    }
  }

  // Each level of libraries may double them.
  static constexpr std::size_t kMostFromLibraries = std::size_t{1} << 20;
  void too_many(const Op& op) {
    found_.wrong.push_back({op.sequence, std::string(codec::info(op.command).name) + " (record " +
                                             std::to_string(op.sequence) +
                                             ") puts more shaders of libraries together than any program does"});
  }

  void check_groups(const Op& op) {
    const auto& a = view_.as<args_vkCreateRayTracingPipelinesKHR>();
    for (std::uint32_t i = 0; a.pCreateInfos != nullptr && i < a.createInfoCount; ++i) {
      const VkRayTracingPipelineCreateInfoKHR& info = a.pCreateInfos[i];
      const ObjectId id = made_by_site(plan_, op, view_, i, CommandId::vkCreateRayTracingPipelinesKHR);
      const auto check = [&](std::uint32_t group, const char* member, std::uint32_t stage, VkShaderStageFlags allowed) {
        if (stage == VK_SHADER_UNUSED_KHR || stage >= info.stageCount || (info.pStages[stage].stage & allowed) != 0)
          return;
        found_.wrong.push_back({op.sequence, (id != ObjectId::null ? plan_.name(id) : "a pipeline") + ": " + member +
                                                 " of group " + std::to_string(group) + " is a shader of the " +
                                                 shaders::stage_name(info.pStages[stage].stage) + " stage"});
      };
      for (std::uint32_t g = 0; info.pGroups != nullptr && info.pStages != nullptr && g < info.groupCount; ++g) {
        const VkRayTracingShaderGroupCreateInfoKHR& group = info.pGroups[g];
        if (group.type == VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR) {
          check(g, "generalShader", group.generalShader,
                VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR);
          continue;
        }
        check(g, "closestHitShader", group.closestHitShader, VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR);
        check(g, "anyHitShader", group.anyHitShader, VK_SHADER_STAGE_ANY_HIT_BIT_KHR);
        if (group.type == VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR)
          check(g, "intersectionShader", group.intersectionShader, VK_SHADER_STAGE_INTERSECTION_BIT_KHR);
      }
    }
  }

  const Plan& plan_;
  OpView view_;
  ShaderStages found_;
  std::map<std::pair<Digest, std::uint32_t>, std::size_t> by_digest_;  // index into found_.codes
  std::unordered_map<ObjectId, Bindings> sets_;
  std::unordered_map<ObjectId, Layout> layouts_;
  std::unordered_map<ObjectId, std::size_t> modules_;  // index into found_.codes
  std::unordered_map<ObjectId, std::vector<std::pair<std::size_t, ShaderStage>>> libraries_;
  std::size_t from_libraries_ = 0;  // stages that were copied from there
};

}  // namespace

ShaderStages find_shader_stages(const Plan& plan) { return Finder(plan).run(); }

}  // namespace rondo::player
