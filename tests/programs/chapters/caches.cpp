// SPDX-License-Identifier: Apache-2.0
// Chapter "Pipelines": caches filled, read whole and in part, given to another
// cache, to another device, merged, with garbage and nothing as their beginnings;
// pipelines derived, compiled by the dozen, asked for only where no compiling is.
#include "count.comp.h"
#include "words.h"

using namespace program;

namespace {

VkPipelineCache create_cache(const Context& c, const std::vector<char>& data, VkPipelineCacheCreateFlags flags = 0) {
  const VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, nullptr, flags, data.size(),
                                       data.data()};
  VkPipelineCache cache;
  CHECK(vkCreatePipelineCache(c.device, &info, nullptr, &cache));
  return cache;
}

std::vector<char> data_of(const Context& c, VkPipelineCache cache) {
  std::size_t size = 0;
  CHECK(vkGetPipelineCacheData(c.device, cache, &size, nullptr));
  std::vector<char> data(size);
  CHECK(vkGetPipelineCacheData(c.device, cache, &size, data.data()));
  data.resize(size);
  return data;
}

// A dozen in one call, of which the later ones derive from the first.
void build(Session& s, VkPipelineLayout layout, VkShaderModule module, VkPipelineCache cache,
           VkPipeline (&pipelines)[12]) {
  VkComputePipelineCreateInfo infos[12];
  VkPipelineCreationFeedback feedback[12][2] = {};
  VkPipelineCreationFeedbackCreateInfo feedbacks[12];
  for (std::int32_t i = 0; i < 12; ++i) {
    feedbacks[i] = {VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, nullptr, &feedback[i][0], 1,
                    &feedback[i][1]};
    infos[i] = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                .pNext = &feedbacks[i],
                .flags = i == 0       ? VkFlags{VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT}
                         : i % 2 == 1 ? VkFlags{VK_PIPELINE_CREATE_DERIVATIVE_BIT}
                                      : 0u,
                .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, VK_SHADER_STAGE_COMPUTE_BIT,
                          module, "main", nullptr},
                .layout = layout,
                .basePipelineIndex = i % 2 == 1 ? 0 : -1};
  }
  CHECK(vkCreateComputePipelines(s.device, cache, 12, infos, nullptr, pipelines));
  for (VkPipeline pipeline : pipelines) keep(s, vkDestroyPipeline, pipeline);
}

// The one in the middle may be compiled, those beside it only if it costs nothing.
void only_if_cached(Session& s, VkPipelineLayout layout, VkShaderModule module, VkPipelineCache cache) {
  VkComputePipelineCreateInfo infos[3];
  for (int i = 0; i < 3; ++i)
    infos[i] = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                .flags = i == 1 ? 0u : VkFlags{VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT},
                .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, VK_SHADER_STAGE_COMPUTE_BIT,
                          module, "main", nullptr},
                .layout = layout};
  VkPipeline pipelines[3] = {};
  const VkResult result = vkCreateComputePipelines(s.device, cache, 3, infos, nullptr, pipelines);
  EXPECT(s, result == VK_SUCCESS || result == VK_PIPELINE_COMPILE_REQUIRED);
  EXPECT(s, pipelines[1] != VK_NULL_HANDLE);
  for (VkPipeline pipeline : pipelines) vkDestroyPipeline(s.device, pipeline, nullptr);
}

}  // namespace

int main() {
  Needs needs;
  NEED(needs, Vulkan13Features, pipelineCreationCacheControl);
  Session s = open("caches", needs);
  const MappedBuffer parameters = buffer(s, 256, kStorage), out = buffer(s, 256, kStorage);
  const VkShaderModule module = shader(s, count_comp_spv);
  Kernel k = create_kernel(s, module, {parameters, out});
  const VkPipelineCache first = keep(s, vkDestroyPipelineCache, create_cache(s, {}));
  VkPipeline pipelines[12];
  build(s, k.layout, module, first, pipelines);
  const std::vector<char> data = data_of(s, first);
  VkPipelineCacheHeaderVersionOne header{};
  EXPECT(s, data.size() >= sizeof header);
  std::memcpy(&header, data.data(), data.size() < sizeof header ? data.size() : sizeof header);
  EXPECT(s, header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE && header.headerSize == 32);

  std::vector<char> cut = data, wrong = data;
  if (cut.size() > 33) cut.resize(33);
  wrong[9] ^= 0x55;  // another vendor's
  const VkPipelineCache more[4] = {create_cache(s, data), create_cache(s, wrong),
                                   create_cache(s, std::vector<char>(data.begin(), data.begin() + 32)),
                                   create_cache(s, data, VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT)};
  build(s, k.layout, module, more[1], pipelines);
  only_if_cached(s, k.layout, module, more[0]);
  CHECK(vkMergePipelineCaches(s.device, first, 3, more));
  const Context other = create_device(s.instance, {});
  vkDestroyPipelineCache(other.device, create_cache(other, data_of(s, first)), nullptr);
  vkDestroyDevice(other.device, nullptr);
  for (VkPipelineCache cache : more) vkDestroyPipelineCache(s.device, cache, nullptr);

  for (std::uint32_t i = 0; i < 12; ++i) {
    k.pipeline = pipelines[i];
    bind(s.cmd, k);
    push(s.cmd, k, i, i + 1, 99);
    vkCmdDispatch(s.cmd, 1, 1, 1);
  }
  run(s);
  for (std::uint32_t i = 0; i < 12; ++i) EXPECT(s, out.words[i] == 4 * (i + 1));
  add(s, out);
  return finish(s);
}
