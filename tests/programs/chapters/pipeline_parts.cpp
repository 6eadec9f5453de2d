// SPDX-License-Identifier: Apache-2.0
// Pipelines that are made in parts: four libraries linked with and without optimization,
// layouts of independent sets, several derivatives by index and by handle in one call,
// modules within stages, feedback on the creation, caches that are merged and read, and
// pipelines that are left out when they would have to be compiled.
#include "chapter.h"
#include "painted.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent;
constexpr VkPipelineCreateFlags kLibrary =
    VK_PIPELINE_CREATE_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT;

// One of the four parts; what it does not need is garbage.
VkPipeline part(Session& s, const Drawing& d, VkGraphicsPipelineLibraryFlagsEXT which) {
  const auto has = [&](VkGraphicsPipelineLibraryFlagsEXT flag) { return (which & flag) != 0; };
  const bool vertices = has(VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT),
             before = has(VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT),
             fragments = has(VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT),
             output = has(VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT);
  VkPipelineRenderingCreateInfo rendering = d.rendering;
  if (!output) rendering.colorAttachmentCount = 0;
  const VkGraphicsPipelineLibraryCreateInfoEXT what{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
                                                    &rendering, which};
  VkPipelineColorBlendStateCreateInfo blend = d.blend;
  blend.attachmentCount = 1;
  blend.pAttachments = d.attachments.data();
  const VkDynamicState states[2] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  const VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0, 2,
                                                 states};
  const VkGraphicsPipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                          .pNext = &what,
                                          .flags = kLibrary,
                                          .stageCount = before || fragments ? 1u : 0u,
                                          .pStages = before      ? &d.stages[0]
                                                     : fragments ? &d.stages[1]
                                                                 : nullptr,
                                          .pVertexInputState = vertices ? &d.input : nullptr,
                                          .pInputAssemblyState = vertices ? &d.assembly : nullptr,
                                          .pViewportState = before ? &d.viewport : nullptr,
                                          .pRasterizationState = before ? &d.raster : nullptr,
                                          .pMultisampleState = fragments || output ? &d.multisample : nullptr,
                                          .pDepthStencilState = fragments ? &d.depth : nullptr,
                                          .pColorBlendState = output ? &blend : nullptr,
                                          .pDynamicState = before ? &dynamic : nullptr,
                                          .layout = before || fragments ? d.layout : VK_NULL_HANDLE};
  VkPipeline pipeline;
  CHECK(vkCreateGraphicsPipelines(s.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  return keep(s, vkDestroyPipeline, pipeline);
}

VkPipeline link(Session& s, VkPipelineLayout layout, const VkPipeline (&parts)[4], VkPipelineCreateFlags flags) {
  VkPipelineCreationFeedback whole{}, stages[2]{};
  const VkPipelineCreationFeedbackCreateInfo feedback{VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, nullptr,
                                                      &whole, 0, stages};
  const VkPipelineLibraryCreateInfoKHR libraries{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, &feedback, 4,
                                                 parts};
  const VkGraphicsPipelineCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pNext = &libraries, .flags = flags, .layout = layout};
  VkPipeline pipeline;
  CHECK(vkCreateGraphicsPipelines(s.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  return keep(s, vkDestroyPipeline, pipeline);
}

VkPipelineCache create_cache(Session& s, const std::vector<std::uint8_t>& data = {}) {
  const VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, nullptr, 0, data.size(),
                                       data.data()};
  VkPipelineCache cache;
  CHECK(vkCreatePipelineCache(s.device, &info, nullptr, &cache));
  return keep(s, vkDestroyPipelineCache, cache);
}

}  // namespace

int main() {
  Needs needs =
      drawing_needs({VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME});
  NEED(needs, GraphicsPipelineLibraryFeaturesEXT, graphicsPipelineLibrary);
  NEED(needs, Vulkan13Features, pipelineCreationCacheControl);
  Session s = open("pipeline_parts", needs);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{6} * kTexels * 4);
  const float paints[4] = {0.25f, 0.5f, 0.75f, 1};
  const MappedBuffer paint = buffer_of(s, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, paints);
  const VkDescriptorSetLayout nothing = create_set_layout(s, {}),
                              painted = create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1,
                                                               VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}});
  const VkDescriptorSet set = create_set(s, painted, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER});
  write_buffer(s, set, 0, paint, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);

  // Vertices know no set, fragments the second only.
  constexpr VkPipelineLayoutCreateFlags independent = VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT;
  Drawing d = shapes(s);
  d.rendering.colorAttachmentCount = 1;
  d.rendering.pColorAttachmentFormats = d.formats.data();
  const VkPipelineLayout whole = create_layout(s, {nothing, painted}, {kShapeRange}, independent);
  Drawing of_vertices = d, of_fragments = d;
  of_vertices.layout = create_layout(s, {nothing, VK_NULL_HANDLE}, {kShapeRange}, independent);
  of_fragments.layout = create_layout(s, {VK_NULL_HANDLE, painted}, {kShapeRange}, independent);
  of_fragments.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, painted_frag_spv));
  const VkPipeline parts[4] = {part(s, d, VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT),
                               part(s, of_vertices, VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT),
                               part(s, of_fragments, VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT),
                               part(s, d, VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT)};
  std::vector<VkPipeline> all{link(s, whole, parts, 0),
                              link(s, whole, parts, VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT)};

  // A parent and two children of one call, of which one names it by its index; a module that
  // is no object of its own; a cache.
  const VkPipelineCache first = create_cache(s);
  d.flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
  d.blend.attachmentCount = 1;
  d.blend.pAttachments = d.attachments.data();
  const VkShaderModuleCreateInfo module{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, sizeof shape_frag_spv,
                                        shape_frag_spv};
  d.stages[1].pNext = &module;
  d.stages[1].module = VK_NULL_HANDLE;
  const VkDynamicState states[2] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  const VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, nullptr, 0, 2,
                                                 states};
  VkPipelineCreationFeedback times[3]{};
  const VkPipelineCreationFeedbackCreateInfo feedback{VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                                                      &d.rendering, &times[0], 2, &times[1]};
  VkGraphicsPipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                    .pNext = &feedback,
                                    .flags = d.flags,
                                    .stageCount = 2,
                                    .pStages = d.stages.data(),
                                    .pVertexInputState = &d.input,
                                    .pInputAssemblyState = &d.assembly,
                                    .pViewportState = &d.viewport,
                                    .pRasterizationState = &d.raster,
                                    .pMultisampleState = &d.multisample,
                                    .pColorBlendState = &d.blend,
                                    .pDynamicState = &dynamic,
                                    .layout = d.layout,
                                    .basePipelineIndex = -1};
  VkGraphicsPipelineCreateInfo infos[2] = {info, info};
  infos[1].flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
  infos[1].basePipelineIndex = 0;
  infos[1].pNext = &d.rendering;
  VkPipelineRasterizationStateCreateInfo culls = d.raster;
  culls.cullMode = VK_CULL_MODE_FRONT_AND_BACK;
  infos[1].pRasterizationState = &culls;
  VkPipeline made[2];
  CHECK(vkCreateGraphicsPipelines(s.device, first, 2, infos, nullptr, made));
  for (const VkPipeline one : made) all.push_back(keep(s, vkDestroyPipeline, one));
  infos[1].basePipelineHandle = made[0];
  infos[1].basePipelineIndex = -1;
  infos[1].pRasterizationState = &d.raster;
  std::size_t bytes = 0;
  CHECK(vkGetPipelineCacheData(s.device, first, &bytes, nullptr));
  std::vector<std::uint8_t> data(bytes);
  CHECK(vkGetPipelineCacheData(s.device, first, &bytes, data.data()));
  data.resize(bytes);
  const VkPipelineCache second = create_cache(s, data), third = create_cache(s);
  const VkPipelineCache merged[2] = {first, second};
  CHECK(vkMergePipelineCaches(s.device, third, 2, merged));
  CHECK(vkCreateGraphicsPipelines(s.device, third, 1, &infos[1], nullptr, made));
  all.push_back(keep(s, vkDestroyPipeline, made[0]));
  // Only what need not be compiled: what else there is depends on the driver's luck.
  infos[0].flags = infos[1].flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  infos[0].flags |= VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
  infos[0].pNext = &d.rendering;
  VkPipeline lucky[2] = {};
  const VkResult result = vkCreateGraphicsPipelines(s.device, VK_NULL_HANDLE, 2, infos, nullptr, lucky);
  EXPECT(s, result == VK_SUCCESS || result == VK_PIPELINE_COMPILE_REQUIRED);
  for (const VkPipeline one : lucky)
    if (one != VK_NULL_HANDLE) keep(s, vkDestroyPipeline, one);
  if (lucky[0] != VK_NULL_HANDLE) all[3] = lucky[0];

  std::vector<const std::uint32_t*> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    begin_rendering(s.cmd, canvas);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, all[i]);
    if (i < 2) vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, whole, 1, 1, &set, 0, nullptr);
    draw(s.cmd, i < 2 ? whole : d.layout, {-1, -1, 0, 1, {1, 0, 0, 1}});
    vkCmdEndRendering(s.cmd);
    seen.push_back(take(s, p, canvas));
  }
  run(s);
  EXPECT(s, std::memcmp(seen[0], seen[1], kTexels * 4) == 0 && seen[0][0] != kRed && seen[0][0] != kBlack);
  EXPECT(s, count(seen[2], kTexels, kRed) == 32 && count(seen[4], kTexels, kRed) == 32);
  add(s, p.out);
  return finish(s);
}
