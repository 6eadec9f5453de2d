// SPDX-License-Identifier: Apache-2.0
// Pipelines and their caches, and shaders without pipelines. What a cache held is the driver's own and not
// played back, so nothing here may depend on its luck.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "format/codec/schema.h"
#include "format/flags2.h"
#include "generated/args.h"
#include "player/run/jobs.h"
#include "player/run/pipeline_caches.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

// Whether this op publishes the handle at `offset`.
bool is_published(const Run& run, const Op& op, std::uint32_t offset) {
  const Patch* created = run.plan().created.data() + op.first_created;
  for (std::uint32_t i = 0; i < op.created; ++i)
    if (created[i].offset == offset) return true;
  return false;
}

// The capture may have got only some of them, and a cache-only compile may
// have got none: what it did not get is not kept.
template <class Handle, class Destroy>
Result<void> finish(Run& run, const Op& op, std::byte* args, std::int64_t result, Handle* made, std::uint32_t count,
                    Destroy Dispatch::*destroy) {
  DeviceState& device = run.device(op);
  bool missing = false;
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool published = is_published(run, op, offset_in(args, &made[i]));
    missing |= published && made[i] == VK_NULL_HANDLE;
    if (published || made[i] == VK_NULL_HANDLE) continue;
    (device.dispatch.*destroy)(device.handle, made[i], nullptr);
    made[i] = VK_NULL_HANDLE;
  }
  if (result < 0 && (op.checked || missing)) {
    for (std::uint32_t i = 0; i < count; ++i)  // none of them is published any more
      if (made[i] != VK_NULL_HANDLE) (device.dispatch.*destroy)(device.handle, made[i], nullptr);
    return tl::unexpected<Error>(run.failure(op, result));
  }
  return {};
}

template <class Info>
void compile_for_certain(const Info* infos, std::uint32_t count) {
  constexpr VkPipelineCreateFlags luck =
      VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT | VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
  for (std::uint32_t i = 0; i < count; ++i) {
    const_cast<Info&>(infos[i]).flags &= ~luck;
    if (const auto* wide = flags2_in<PipelineFlags2>(infos[i].pNext, kPipelineFlags2); wide != nullptr)
      const_cast<PipelineFlags2*>(wide)->flags &= ~VkFlags64{luck};
  }
}

// What a pipeline blends by is ignored where all of it is dynamic, and then not in
// the capture. There has to be something all the same: validation layers read it.
// False if there is more to blend than any device has attachments.
bool complete_blending(const VkGraphicsPipelineCreateInfo* infos, std::uint32_t count) {
  static constexpr std::array<VkPipelineColorBlendAttachmentState, 64> nothing{};
  for (std::uint32_t i = 0; i < count; ++i) {
    auto* const blend = const_cast<VkPipelineColorBlendStateCreateInfo*>(infos[i].pColorBlendState);
    if (blend == nullptr || blend->attachmentCount == 0 || blend->pAttachments != nullptr) continue;
    if (blend->attachmentCount > nothing.size()) return false;
    blend->pAttachments = nothing.data();
  }
  return true;
}
bool complete_blending(const VkComputePipelineCreateInfo*, std::uint32_t) { return true; }
bool complete_blending(const VkRayTracingPipelineCreateInfoKHR*, std::uint32_t) { return true; }

#ifdef VK_EXT_shader_object
// As the layer did: none behind the first binary, which is the driver's own.
Result<void> create_shaders(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkCreateShadersEXT>(args);
  if (a.pCreateInfos == nullptr || a.pShaders == nullptr)
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "its parameters are missing"));
  std::fill_n(a.pShaders, a.createInfoCount, VkShaderEXT{VK_NULL_HANDLE});
  const auto* end = std::find_if(a.pCreateInfos, a.pCreateInfos + a.createInfoCount,
                                 [](const auto& info) { return info.codeType == VK_SHADER_CODE_TYPE_BINARY_EXT; });
  a.createInfoCount = static_cast<std::uint32_t>(end - a.pCreateInfos);
  if (a.createInfoCount == 0) return {};
  const std::int64_t result = run.call(op, args);
  return finish(run, op, args, result, a.pShaders, a.createInfoCount, &Dispatch::vkDestroyShaderEXT);
}
#endif

// Modules that stand in stages of one call alone: replaced shaders.
class StageModules {
 public:
  explicit StageModules(DeviceState& device) : device_(device) {}
  StageModules(const StageModules&) = delete;
  StageModules& operator=(const StageModules&) = delete;
  ~StageModules() {
    for (VkShaderModule module : modules_) device_.dispatch.vkDestroyShaderModule(device_.handle, module, nullptr);
  }
  Result<void> make(Run& run, const Op& op, std::byte* args) {
    for (const StageCode& stage : run.plan().stage_codes) {
      if (stage.block != op.block) continue;
      VkShaderModuleCreateInfo info{};
      info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
      info.codeSize = stage.code->size();
      info.pCode = reinterpret_cast<const std::uint32_t*>(stage.code->data());
      VkShaderModule module = VK_NULL_HANDLE;
      const VkResult result = device_.dispatch.vkCreateShaderModule(device_.handle, &info, nullptr, &module);
      if (result < 0)
        return tl::unexpected<Error>(run.failure(op, result, "vkCreateShaderModule of a replaced shader"));
      modules_.push_back(module);
      std::memcpy(args + stage.module, &module, sizeof module);
    }
    return {};
  }

 private:
  DeviceState& device_;
  std::vector<VkShaderModule> modules_;
};

template <class Args>
Result<void> before_create(Run& run, const Op& op, std::byte* args) {
  auto& a = as<Args>(args);
  if (a.pCreateInfos == nullptr || a.pPipelines == nullptr)
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "its parameters are missing"));
  if (!complete_blending(a.pCreateInfos, a.createInfoCount))
    return tl::unexpected<Error>(run.refuse(op, Status::unreadable, "it blends too many attachments"));
  compile_for_certain(a.pCreateInfos, a.createInfoCount);
  for (std::uint32_t i = 0; i < a.createInfoCount; ++i) a.pPipelines[i] = VK_NULL_HANDLE;
  if (run.options().caches == nullptr) return {};
  auto cache = run.options().caches->of(run.device(op), run.targets()[op.device].properties);
  if (!cache) return tl::unexpected<Error>(run.refuse(op, cache.error().status, cache.error().message));
  a.pipelineCache = *cache;
  return {};
}

template <class Args>
Result<void> behind_create(Run& run, const Op& op, std::byte* args, std::int64_t result) {
  auto& a = as<Args>(args);
  return finish(run, op, args, result, a.pPipelines, a.createInfoCount, &Dispatch::vkDestroyPipeline);
}

template <class Args>
Result<void> create(Run& run, const Op& op, std::byte* args) {
  RONDO_TRY(before_create<Args>(run, op, args));
  StageModules modules(run.device(op));
  RONDO_TRY(modules.make(run, op, args));
  return behind_create<Args>(run, op, args, run.call(op, args));
}

Result<void> behind_module(Run& run, const Op& op, std::byte*, std::int64_t result) {
  if (op.checked && result < 0) return tl::unexpected<Error>(run.failure(op, result));
  return {};
}

// At once, as the layer did: a deferred operation has nothing to do.
Result<void> create_ray_tracing(Run& run, const Op& op, std::byte* args) {
  as<args_vkCreateRayTracingPipelinesKHR>(args).deferredOperation = VK_NULL_HANDLE;
  return create<args_vkCreateRayTracingPipelinesKHR>(run, op, args);
}

Result<void> group_handles(Run& run, const Op& op, std::byte* args) {
  auto& a = as<args_vkGetRayTracingShaderGroupHandlesKHR>(args);
  const auto* const captured = static_cast<const std::byte*>(a.pData);  // perhaps the plan's
  std::vector<std::byte>& here = run.output_buffer();
  constexpr std::size_t most = 64;  // of one handle; the plan knows that there are so many groups
  here.resize(std::max({here.size(), a.dataSize, a.groupCount * most}));
  a.pData = here.data();
  RONDO_TRY(run.call_checked(op, args));
  if (captured == nullptr || std::equal(captured, captured + a.dataSize, here.begin())) return {};
  return tl::unexpected<Error>(run.refuse(op, Status::device,
                                          "a shader group has another handle here than in the capture: what "
                                          "the program stored of it would lead elsewhere"));
}

Result<void> create_cache(Run& run, const Op& op, std::byte* args) {
  auto& info = *const_cast<VkPipelineCacheCreateInfo*>(as<args_vkCreatePipelineCache>(args).pCreateInfo);
  info.initialDataSize = 0;
  info.pInitialData = nullptr;
  info.flags &= ~VkPipelineCacheCreateFlags{VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT};  // see Jobs
  return run.call_checked(op, args);
}

}  // namespace

const SlowCall* slow_call(CommandId canonical) {
  static constexpr SlowCall graphics{before_create<args_vkCreateGraphicsPipelines>,
                                     behind_create<args_vkCreateGraphicsPipelines>};
  static constexpr SlowCall compute{before_create<args_vkCreateComputePipelines>,
                                    behind_create<args_vkCreateComputePipelines>};
  static constexpr SlowCall module{nullptr, behind_module};
  switch (canonical) {
    case CommandId::vkCreateGraphicsPipelines:
      return &graphics;
    case CommandId::vkCreateComputePipelines:
      return &compute;
    case CommandId::vkCreateShaderModule:
      return &module;
    default:
      return nullptr;
  }
}

void add_pipeline_executors(std::vector<Executor>& table) {
  table[static_cast<std::size_t>(CommandId::vkCreateGraphicsPipelines)] = create<args_vkCreateGraphicsPipelines>;
  table[static_cast<std::size_t>(CommandId::vkCreateComputePipelines)] = create<args_vkCreateComputePipelines>;
  table[static_cast<std::size_t>(CommandId::vkCreateRayTracingPipelinesKHR)] = create_ray_tracing;
  table[static_cast<std::size_t>(CommandId::vkGetRayTracingShaderGroupHandlesKHR)] = group_handles;
  table[static_cast<std::size_t>(CommandId::vkCreatePipelineCache)] = create_cache;
#ifdef VK_EXT_shader_object
  table[static_cast<std::size_t>(CommandId::vkCreateShadersEXT)] = create_shaders;
#endif
}

}  // namespace rondo::player
