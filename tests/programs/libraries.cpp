// SPDX-License-Identifier: Apache-2.0
// Pipelines out of parts: the four libraries of a graphics pipeline, linked and
// linked with optimization; derivatives; a cache that is used, merged and made
// again from its own data; creation feedback; and compiles that must come from
// the cache or not at all.
#include "constants.comp.h"
#include "picture.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16;
constexpr VkPipelineCreateFlags kPart = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;

VkPipeline make(Session& s, const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache = VK_NULL_HANDLE) {
  VkPipeline pipeline;
  CHECK(vkCreateGraphicsPipelines(s.device, cache, 1, &info, nullptr, &pipeline));
  return keep(s, vkDestroyPipeline, pipeline);
}

// One part; what it does not contain is left out.
VkPipeline make_part(Session& s, Drawing& d, VkGraphicsPipelineLibraryFlagsEXT which) {
  d.blend.attachmentCount = 1;
  d.blend.pAttachments = d.attachments.data();
  const bool output = which == VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
  d.rendering.colorAttachmentCount = output ? 1 : 0;
  d.rendering.pColorAttachmentFormats = d.formats.data();
  const VkGraphicsPipelineLibraryCreateInfoEXT library{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
                                                       &d.rendering, which};
  const VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0, 2,
                                                 d.dynamic.data()};
  const bool before = which == VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
  const bool fragment = which == VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
  VkGraphicsPipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                    .pNext = &library,
                                    .flags = kPart | VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT};
  if (which == VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT) {
    info.pVertexInputState = &d.input;
    info.pInputAssemblyState = &d.assembly;
  }
  if (before || fragment) {
    info.stageCount = 1;
    info.pStages = &d.stages[before ? 0 : 1];
    info.layout = d.layout;
  }
  if (before) {
    info.pViewportState = &d.viewport;
    info.pRasterizationState = &d.raster;
    info.pDynamicState = &dynamic;
  }
  if (fragment || output) info.pMultisampleState = &d.multisample;
  if (fragment) info.pDepthStencilState = &d.depth;
  if (output) info.pColorBlendState = &d.blend;
  return make(s, info);
}

VkPipeline link(Session& s, const VkPipeline (&parts)[4], VkPipelineLayout layout, VkPipelineCreateFlags flags,
                const void* next = nullptr) {
  const VkPipelineLibraryCreateInfoKHR libraries{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, next, 4, parts};
  return make(s, {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                  .pNext = &libraries,
                  .flags = flags,
                  .layout = layout});
}

VkPipelineCache create_cache(Session& s, const std::vector<char>& data) {
  const VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, nullptr, 0, data.size(),
                                       data.data()};
  VkPipelineCache cache;
  CHECK(vkCreatePipelineCache(s.device, &info, nullptr, &cache));
  return keep(s, vkDestroyPipelineCache, cache);
}

// A compute pipeline that derives from `base`, or that others may derive from.
VkPipeline derive(Session& s, const Kernel& k, VkShaderModule module, VkPipelineCache cache, VkPipeline base) {
  VkPipelineCreationFeedback whole{}, stage_feedback{};
  const VkPipelineCreationFeedbackCreateInfo feedback{VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, nullptr,
                                                      &whole, 1, &stage_feedback};
  const VkComputePipelineCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .pNext = &feedback,
      .flags = base == VK_NULL_HANDLE ? VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT : VK_PIPELINE_CREATE_DERIVATIVE_BIT,
      .stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, module),
      .layout = k.layout,
      .basePipelineHandle = base,
      .basePipelineIndex = -1};
  VkPipeline pipeline;
  CHECK(vkCreateComputePipelines(s.device, cache, 1, &info, nullptr, &pipeline));
  return keep(s, vkDestroyPipeline, pipeline);
}

// Two at once, the first of which may not be compiled: what there is of them.
void only_from_the_cache(Session& s, const Kernel& k, VkShaderModule module) {
  VkComputePipelineCreateInfo infos[2];
  for (VkComputePipelineCreateInfo& info : infos)
    info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, module),
            .layout = k.layout};
  infos[0].flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  VkPipeline pipelines[2] = {};
  const VkResult result = vkCreateComputePipelines(s.device, VK_NULL_HANDLE, 2, infos, nullptr, pipelines);
  EXPECT(s, result == VK_SUCCESS || result == VK_PIPELINE_COMPILE_REQUIRED);
  EXPECT(s, (result == VK_SUCCESS) == (pipelines[0] != VK_NULL_HANDLE));
  EXPECT(s, pipelines[1] != VK_NULL_HANDLE);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[1]);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  for (const VkPipeline pipeline : pipelines)
    if (pipeline != VK_NULL_HANDLE) keep(s, vkDestroyPipeline, pipeline);
}

}  // namespace

int main() {
  VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT library{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT, nullptr, VK_TRUE};
  VkPhysicalDeviceVulkan13Features v13{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                       .pNext = &library,
                                       .pipelineCreationCacheControl = VK_TRUE,
                                       .dynamicRendering = VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v13};
  core.features.shaderFloat64 = core.features.shaderInt64 = core.features.shaderInt16 = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  wanted.extensions = {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
                       VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME,
                       VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME};
  Session s = open("libraries", wanted);
  Drawing d = shapes(s);
  const VkPipeline parts[4] = {make_part(s, d, VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT),
                               make_part(s, d, VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT),
                               make_part(s, d, VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT),
                               make_part(s, d, VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT)};
  const VkPipeline linked[2] = {link(s, parts, d.layout, 0),
                                link(s, parts, d.layout, VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT)};
  const Image canvas = create_canvas(s, kExtent);
  const MappedBuffer picture = create_readback(s, kExtent * kExtent * 4);
  begin_rendering(s.cmd, canvas);
  set_area(s.cmd, kExtent);
  for (int i = 0; i < 2; ++i) {
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, linked[i]);
    draw(s.cmd, d.layout, i == 0 ? Shape{-1, -1, 0, 1, {1, 0, 0, 1}} : Shape{0, -1, 1, 1, {0, 1, 0, 1}});
  }
  vkCmdEndRendering(s.cmd);
  copy_out(s.cmd, canvas, VK_IMAGE_LAYOUT_GENERAL, picture);

  const MappedBuffer sums = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkShaderModule module = shader(s, constants_comp_spv);
  const Kernel k = create_kernel(s, module, {sums});
  const VkPipelineCache cache = create_cache(s, {});
  const VkPipeline base = derive(s, k, module, cache, VK_NULL_HANDLE);
  std::size_t size = 0;
  CHECK(vkGetPipelineCacheData(s.device, cache, &size, nullptr));
  std::vector<char> data(size);
  CHECK(vkGetPipelineCacheData(s.device, cache, &size, data.data()));
  data.resize(size);
  const VkPipelineCache again = create_cache(s, data);
  CHECK(vkMergePipelineCaches(s.device, again, 1, &cache));
  const VkPipeline derived = derive(s, k, module, again, base);
  bind(s.cmd, k);
  for (const VkPipeline pipeline : {base, derived}) {
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdDispatch(s.cmd, 1, 1, 1);
  }
  only_from_the_cache(s, k, module);
  run(s);

  EXPECT(s, count(picture.words, kExtent * kExtent, kRed) == 128);
  EXPECT(s, count(picture.words, kExtent * kExtent, kGreen) == 128);
  EXPECT(s, sums.words[0] == 3);
  add(s, picture);
  add(s, sums);
  return finish(s);
}
