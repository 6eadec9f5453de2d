// SPDX-License-Identifier: Apache-2.0
// Draws that the device makes of what it finds in memory: with vertex and index buffers at the
// addresses that lie there, pipelines or shaders from a set, counts; preprocessed in a command
// buffer of its own and not.
#include "generated.frag.h"
#include "generated.h"
#include "shader_objects.h"
#include "shape.mesh.h"
#include "vertices.vert.h"

#ifdef VK_EXT_device_generated_commands

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent, kQuads = 4;
constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
constexpr VkShaderStageFlags kMeshStages = VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT;
constexpr VkPushConstantRange kPushed{kStages, 0, sizeof(Shape)};
constexpr VkPushConstantRange kMeshPushed{kMeshStages, 0, sizeof(Shape)};
constexpr std::uint32_t kColorAt = 16, kColorBytes = 16;  // in Shape

constexpr float kColors[kQuads][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}, {1, 1, 1, 1}};
constexpr std::uint32_t kTexelsOf[kQuads] = {kRed, kGreen, kBlue, kWhite};
// … as the other pipeline makes them.
constexpr std::uint32_t kTurned[kQuads] = {kBlue, kRed, kGreen, kWhite};

struct Scene {
  Generated g;
  Image canvas;
  MappedBuffer out;
  std::uint32_t pictures = 0;
  Wide vertices;        // four a quadrant of the canvas
  Wide indices, words;  // of two triangles; 16 bits and 32 bits wide
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline plain = VK_NULL_HANDLE, turned = VK_NULL_HANDLE;
};

VkPipeline create_bindable(Session& s, Drawing& d, VkBool32 turned) {
  const VkPipelineCreateFlags2CreateInfoKHR wide{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR, nullptr,
                                                 VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT};
  const VkSpecializationMapEntry entry{0, 0, 4};
  const VkSpecializationInfo constants{1, &entry, 4, &turned};
  d.stages.back() = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, generated_frag_spv), &constants);
  d.rendering.pNext = &wide;
  const VkPipeline pipeline = build(s, d);
  d.rendering.pNext = nullptr;
  return pipeline;
}

Scene create_scene(Session& s) {
  Scene scene;
  scene.g = load_generated(s);
  scene.canvas = create_canvas(s, kExtent);
  scene.out = create_readback(s, 8 * kTexels * 4);
  float corners[kQuads][4][2];
  for (std::uint32_t quad = 0; quad < kQuads; ++quad)
    for (std::uint32_t i = 0; i < 4; ++i) {
      corners[quad][i][0] = static_cast<float>(quad % 2 + i % 2) - 1;
      corners[quad][i][1] = static_cast<float>(quad / 2 + i / 2) - 1;
    }
  scene.vertices = wide_of(s, VK_BUFFER_USAGE_2_VERTEX_BUFFER_BIT_KHR, corners);
  // The first corner of each triangle, whose colour it has, is an even one.
  constexpr std::uint16_t halves[6] = {0, 1, 2, 2, 1, 3};
  constexpr std::uint32_t words[6] = {0, 1, 2, 2, 1, 3};
  scene.indices = wide_of(s, VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT_KHR, halves);
  scene.words = wide_of(s, VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT_KHR, words);
  scene.layout = create_layout(s, {}, {kPushed});

  Drawing d;
  d.layout = scene.layout;
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, vertices_vert_spv)), {}};
  d.dynamic.push_back(VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE);
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  const VkVertexInputBindingDescription binding{0, 8, VK_VERTEX_INPUT_RATE_VERTEX};
  const VkVertexInputAttributeDescription attribute{0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
  d.input.vertexBindingDescriptionCount = d.input.vertexAttributeDescriptionCount = 1;
  d.input.pVertexBindingDescriptions = &binding;
  d.input.pVertexAttributeDescriptions = &attribute;
  scene.plain = create_bindable(s, d, VK_FALSE);
  scene.turned = create_bindable(s, d, VK_TRUE);
  return scene;
}

// What is drawn with, as far as no token brings it.
void set_up(VkCommandBuffer cmd, const Scene& scene, VkPipeline pipeline) {
  vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  set_area(cmd, kExtent);
  const VkDeviceSize zero = 0, stride = 8;
  vkCmdBindVertexBuffers2(cmd, 0, 1, &scene.vertices.buffer, &zero, nullptr, &stride);
  const Shape shape;
  vkCmdPushConstants(cmd, scene.layout, kStages, 0, sizeof shape, &shape);
}

void finish_picture(Session& s, Scene& scene) {
  vkCmdEndRendering(s.cmd);
  copy_out(s.cmd, scene.canvas, VK_IMAGE_LAYOUT_GENERAL, scene.out, scene.pictures++ * kTexels * 4);
  run(s);
}

// Of the last picture: how many texels have this colour.
std::size_t texels(const Scene& scene, std::uint32_t color) {
  return count(scene.out.words + (scene.pictures - 1) * kTexels, kTexels, color);
}

VkGeneratedCommandsInfoEXT generation(const void* next, VkShaderStageFlags stages, VkIndirectExecutionSetEXT set,
                                      VkIndirectCommandsLayoutEXT layout, const Wide& data, std::uint32_t sequences,
                                      std::uint32_t draws = 0) {
  return {.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT,
          .pNext = next,
          .shaderStages = stages,
          .indirectExecutionSet = set,
          .indirectCommandsLayout = layout,
          .indirectAddress = data.address,
          .indirectAddressSize = data.bytes,
          .maxSequenceCount = sequences,
          .maxDrawCount = draws};
}

// A sequence a quadrant: where its vertices and indices lie, its colour, and what to draw.
struct Indexed {
  VkBindVertexBufferIndirectCommandEXT vertices;
  VkBindIndexBufferIndirectCommandEXT indices;
  float color[4];
  VkDrawIndexedIndirectCommand draw;
  std::uint32_t nothing;
};

// Widths of indices by the numbers of the other API whose layouts devices read as well.
constexpr VkIndexType kDxgiWords = static_cast<VkIndexType>(42), kDxgiHalves = static_cast<VkIndexType>(57);

void draw_at_addresses(Session& s, Scene& scene, VkIndirectCommandsInputModeFlagBitsEXT by) {
  const VkIndirectCommandsVertexBufferTokenEXT binding{0};
  const VkIndirectCommandsIndexBufferTokenEXT mode{by};
  const VkIndirectCommandsPushConstantTokenEXT color{{kStages, kColorAt, kColorBytes}};
  Tokens tokens;
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_EXT, 16, {.pVertexBuffer = &binding});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_EXT, 16, {.pIndexBuffer = &mode});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, 16, {.pPushConstant = &color});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_EXT, 24);
  static_assert(sizeof(Indexed) == 72);

  Indexed sequences[kQuads];
  for (std::uint32_t i = 0; i < kQuads; ++i) {
    Indexed& one = sequences[i];
    const bool wide = i % 2 != 0;
    const VkIndexType type = by == VK_INDIRECT_COMMANDS_INPUT_MODE_DXGI_INDEX_BUFFER_EXT
                                 ? (wide ? kDxgiWords : kDxgiHalves)
                                 : (wide ? VK_INDEX_TYPE_UINT32 : VK_INDEX_TYPE_UINT16);
    one = {.vertices = {scene.vertices.address + i * 32, 32, 8},
           .indices = {wide ? scene.words.address : scene.indices.address, wide ? 24u : 12u, type},
           .draw = {6, 1, 0, 0, 0}};
    std::memcpy(one.color, kColors[i], sizeof one.color);
  }
  const Wide data = wide_of(s, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR, sequences);
  const VkGeneratedCommandsPipelineInfoEXT of{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT, nullptr,
                                              scene.plain};
  VkGeneratedCommandsInfoEXT info =
      generation(&of, kStages, VK_NULL_HANDLE,
                 create_commands_layout(s, scene.g, tokens, kStages, scene.layout,
                                        VK_INDIRECT_COMMANDS_LAYOUT_USAGE_UNORDERED_SEQUENCES_BIT_EXT),
                 data, kQuads);
  give_room(s, scene.g, info);
  begin_rendering(s.cmd, scene.canvas);
  set_up(s.cmd, scene, scene.plain);
  scene.g.execute(s.cmd, VK_FALSE, &info);
  finish_picture(s, scene);
  for (const std::uint32_t color_there : kTexelsOf) EXPECT(s, texels(scene, color_there) == kTexels / kQuads);
}

VkIndirectExecutionSetEXT create_pipelines_set(Session& s, const Scene& scene) {
  const VkIndirectExecutionSetPipelineInfoEXT of{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT, nullptr,
                                                 scene.plain, 2};
  const VkIndirectExecutionSetCreateInfoEXT info{.sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT,
                                                 .type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT,
                                                 .info = {.pPipelineInfo = &of}};
  VkIndirectExecutionSetEXT set;
  CHECK(scene.g.create_set(s.device, &info, nullptr, &set));
  const VkWriteIndirectExecutionSetPipelineEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT,
                                                     nullptr, 1, scene.turned};
  scene.g.update_pipelines(s.device, set, 1, &write);
  return keep(s, scene.g.destroy_set, set);
}

// Preprocessed in one command buffer with the state of another, in turns by two pipelines;
// indices as they are bound.
void draw_preprocessed(Session& s, Scene& scene) {
  const VkIndirectCommandsExecutionSetTokenEXT chosen{VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT, kStages};
  const VkIndirectCommandsPushConstantTokenEXT color{{kStages, kColorAt, kColorBytes}};
  Tokens tokens;
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT, 4, {.pExecutionSet = &chosen});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, 16, {.pPushConstant = &color});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_EXT, 20);
  struct Sequence {
    std::uint32_t pipeline;
    float color[4];
    VkDrawIndexedIndirectCommand draw;
  } sequences[kQuads];
  for (std::uint32_t i = 0; i < kQuads; ++i) {
    sequences[i] = {.pipeline = i % 2, .draw = {6, 1, 0, static_cast<std::int32_t>(4 * i), 0}};
    std::memcpy(sequences[i].color, kColors[i], sizeof sequences[i].color);
  }
  const Wide data = wide_of(s, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR, sequences);
  VkGeneratedCommandsInfoEXT info =
      generation(nullptr, kStages, create_pipelines_set(s, scene),
                 create_commands_layout(s, scene.g, tokens, kStages, scene.layout,
                                        VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT),
                 data, kQuads);
  give_room(s, scene.g, info);
  Commands before = create_commands(s);
  begin(before);
  begin_rendering(s.cmd, scene.canvas);
  set_up(s.cmd, scene, scene.plain);
  LOAD(s, vkCmdBindIndexBuffer2KHR);
  vkCmdBindIndexBuffer2KHR(s.cmd, scene.words.buffer, 0, 24, VK_INDEX_TYPE_UINT32);
  scene.g.preprocess(before.buffer, &info, s.cmd);
  generated_barrier(before.buffer);
  CHECK(vkEndCommandBuffer(before.buffer));
  submit(s.queues[0], before);
  scene.g.execute(s.cmd, VK_TRUE, &info);
  finish_picture(s, scene);
  wait(s, before);
  destroy(s, before);
  for (std::uint32_t i = 0; i < kQuads; ++i)
    EXPECT(s, texels(scene, i % 2 != 0 ? kTurned[i] : kTexelsOf[i]) >= kTexels / kQuads);
}

// Several draws a sequence, which lie where its address leads.
void draw_counted(Session& s, Scene& scene, bool indexed) {
  const VkIndirectCommandsPushConstantTokenEXT color{{kStages, kColorAt, kColorBytes}};
  Tokens tokens;
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, 16, {.pPushConstant = &color});
  tokens.add(
      indexed ? VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_COUNT_EXT : VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_COUNT_EXT,
      16);
  const VkDrawIndirectCommand draws[kQuads] = {{3, 1, 0, 0}, {3, 1, 4, 0}, {3, 1, 8, 0}, {3, 1, 12, 0}};
  const VkDrawIndexedIndirectCommand indexed_draws[kQuads] = {
      {6, 1, 0, 0, 0}, {6, 1, 0, 4, 0}, {6, 1, 0, 8, 0}, {6, 1, 0, 12, 0}};
  const std::uint32_t stride = indexed ? sizeof indexed_draws[0] : sizeof draws[0];
  const Wide all = indexed ? wide_of(s, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR, indexed_draws)
                           : wide_of(s, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR, draws);
  struct Sequence {
    float color[4];
    VkDrawIndirectCountIndirectCommandEXT draws;
  } sequences[2];
  for (std::uint32_t i = 0; i < 2; ++i) {
    sequences[i].draws = {all.address + 2 * i * stride, stride, 2};
    std::memcpy(sequences[i].color, kColors[i], sizeof sequences[i].color);
  }
  const Wide data = wide_of(s, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR, sequences);
  const VkGeneratedCommandsPipelineInfoEXT of{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT, nullptr,
                                              scene.plain};
  VkGeneratedCommandsInfoEXT info = generation(
      &of, kStages, VK_NULL_HANDLE, create_commands_layout(s, scene.g, tokens, kStages, scene.layout), data, 2, 2);
  give_room(s, scene.g, info);
  begin_rendering(s.cmd, scene.canvas);
  set_up(s.cmd, scene, scene.plain);
  if (indexed) vkCmdBindIndexBuffer(s.cmd, scene.indices.buffer, 0, VK_INDEX_TYPE_UINT16);
  scene.g.execute(s.cmd, VK_FALSE, &info);
  finish_picture(s, scene);
  // Two quadrants each, or the halves of them above their diagonals.
  EXPECT(s, texels(scene, kRed) == texels(scene, kGreen));
  EXPECT(s, indexed ? texels(scene, kRed) == kTexels / 2 : texels(scene, kRed) > kTexels / 8);
}

// Shaders without pipelines, two of a stage to choose from.
void draw_with_shaders(Session& s, Scene& scene) {
  LOAD(s, vkCreateShadersEXT);
  LOAD(s, vkDestroyShaderEXT);
  LOAD(s, vkCmdBindShadersEXT);
  LOAD(s, vkUpdateIndirectExecutionSetShaderEXT);
  const VkBool32 yes = VK_TRUE;
  const VkSpecializationMapEntry entry{0, 0, 4};
  const VkSpecializationInfo constants{1, &entry, 4, &yes};
  VkShaderCreateInfoEXT infos[3] = {
      shader_info(VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT, vertices_vert_spv, &kPushed,
                  VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT),
      shader_info(VK_SHADER_STAGE_FRAGMENT_BIT, 0, generated_frag_spv, &kPushed,
                  VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT),
      shader_info(VK_SHADER_STAGE_FRAGMENT_BIT, 0, generated_frag_spv, &kPushed,
                  VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT)};
  infos[2].pSpecializationInfo = &constants;
  VkShaderEXT shaders[3];
  CHECK(vkCreateShadersEXT(s.device, 3, infos, nullptr, shaders));
  for (const VkShaderEXT one : shaders) keep(s, vkDestroyShaderEXT, one);

  const VkIndirectExecutionSetShaderLayoutInfoEXT none[2] = {
      {VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_LAYOUT_INFO_EXT},
      {VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_LAYOUT_INFO_EXT}};
  const VkIndirectExecutionSetShaderInfoEXT of{
      VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_INFO_EXT, nullptr, 2, shaders, none, 3, 1, &kPushed};
  const VkIndirectExecutionSetCreateInfoEXT create{.sType = VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT,
                                                   .type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT,
                                                   .info = {.pShaderInfo = &of}};
  VkIndirectExecutionSetEXT set;
  CHECK(scene.g.create_set(s.device, &create, nullptr, &set));
  keep(s, scene.g.destroy_set, set);
  const VkWriteIndirectExecutionSetShaderEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT, nullptr,
                                                   2, shaders[2]};
  vkUpdateIndirectExecutionSetShaderEXT(s.device, set, 1, &write);

  const VkIndirectCommandsExecutionSetTokenEXT chosen{VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT, kStages};
  const VkIndirectCommandsPushConstantTokenEXT color{{kStages, kColorAt, kColorBytes}};
  Tokens tokens;
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT, 8, {.pExecutionSet = &chosen});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, 16, {.pPushConstant = &color});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT, 16);
  struct Sequence {
    std::uint32_t shaders[2];
    float color[4];
    VkDrawIndirectCommand draw;
  } sequences[kQuads];
  for (std::uint32_t i = 0; i < kQuads; ++i) {
    sequences[i] = {.shaders = {0, 1 + i % 2}, .draw = {4, 1, 4 * i, 0}};
    std::memcpy(sequences[i].color, kColors[i], sizeof sequences[i].color);
  }
  const Wide data = wide_of(s, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR, sequences);
  VkGeneratedCommandsInfoEXT info = generation(
      nullptr, kStages, set, create_commands_layout(s, scene.g, tokens, kStages, scene.layout), data, kQuads);
  give_room(s, scene.g, info);
  begin_rendering(s.cmd, scene.canvas);
  const Shape shape;
  vkCmdPushConstants(s.cmd, scene.layout, kStages, 0, sizeof shape, &shape);
  set_states(s, s.cmd, kExtent);
  LOAD(s, vkCmdSetVertexInputEXT);
  const VkVertexInputBindingDescription2EXT binding{
      VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT, nullptr, 0, 8, VK_VERTEX_INPUT_RATE_VERTEX, 1};
  const VkVertexInputAttributeDescription2EXT attribute{
      VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT, nullptr, 0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
  vkCmdSetVertexInputEXT(s.cmd, 1, &binding, 1, &attribute);
  const VkDeviceSize zero = 0, stride = 8;
  vkCmdBindVertexBuffers2(s.cmd, 0, 1, &scene.vertices.buffer, &zero, nullptr, &stride);
  constexpr VkShaderStageFlagBits stages[2] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
  vkCmdBindShadersEXT(s.cmd, 2, stages, shaders);
  scene.g.execute(s.cmd, VK_FALSE, &info);
  finish_picture(s, scene);
  // A strip's triangles begin with an even corner and an odd one.
  EXPECT(s, texels(scene, kBlack) == 0);
  EXPECT(s, texels(scene, kWhite) == kTexels / kQuads);
}

void draw_meshes(Session& s, Scene& scene) {
  const VkPipelineLayout layout = create_layout(s, {}, {kMeshPushed});
  Drawing d;
  d.layout = layout;
  d.stages = {stage(VK_SHADER_STAGE_MESH_BIT_EXT, shader(s, shape_mesh_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, shape_frag_spv))};
  const VkPipeline pipeline = build(s, d);
  const VkIndirectCommandsPushConstantTokenEXT all{{kMeshStages, 0, 36}};
  Tokens tokens;
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, 36, {.pPushConstant = &all});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_EXT, 12);
  struct Sequence {
    Shape shape;
    VkDrawMeshTasksIndirectCommandEXT draw;
  } sequences[2] = {{{-1, -1, 0, 1, {0, 1, 0, 1}, 0.5f}, {1, 1, 1}}, {{0, -1, 1, 1, {0, 0, 1, 1}, 0.5f}, {1, 1, 1}}};
  const Wide data = wide_of(s, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR, sequences);
  const VkGeneratedCommandsPipelineInfoEXT of{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT, nullptr,
                                              pipeline};
  VkGeneratedCommandsInfoEXT info = generation(
      &of, kMeshStages, VK_NULL_HANDLE, create_commands_layout(s, scene.g, tokens, kMeshStages, layout), data, 2);
  give_room(s, scene.g, info);
  begin_rendering(s.cmd, scene.canvas);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  set_area(s.cmd, kExtent);
  scene.g.execute(s.cmd, VK_FALSE, &info);
  finish_picture(s, scene);
  EXPECT(s, texels(scene, kGreen) == kTexels / 2);
  EXPECT(s, texels(scene, kBlue) == kTexels / 2);
}

}  // namespace

int main() {
  VkPhysicalDeviceMaintenance5FeaturesKHR maintenance{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
                                                      nullptr, VK_TRUE};
  VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT generated{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT, &maintenance, VK_TRUE, VK_FALSE};
  VkPhysicalDeviceShaderObjectFeaturesEXT objects{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
                                                  &generated, VK_TRUE};
  VkPhysicalDeviceMeshShaderFeaturesEXT meshes{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT, .pNext = &objects, .meshShader = VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &meshes, .bufferDeviceAddress = VK_TRUE};
  VkPhysicalDeviceVulkan13Features v13{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &v12, .dynamicRendering = VK_TRUE};
  const VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v13, {}};
  Wanted wanted;
  wanted.features = &features;
  wanted.extensions = {"VK_EXT_device_generated_commands", "VK_KHR_maintenance5", "VK_EXT_shader_object",
                       "VK_EXT_mesh_shader"};
  Session s = open("generated_draws", wanted);
  Scene scene = create_scene(s);
  draw_at_addresses(s, scene, VK_INDIRECT_COMMANDS_INPUT_MODE_VULKAN_INDEX_BUFFER_EXT);
  draw_at_addresses(s, scene, VK_INDIRECT_COMMANDS_INPUT_MODE_DXGI_INDEX_BUFFER_EXT);
  draw_preprocessed(s, scene);
  draw_counted(s, scene, false);
  draw_counted(s, scene, true);
  draw_with_shaders(s, scene);
  draw_meshes(s, scene);
  add(s, scene.out);
  return finish(s);
}

#else

int main() {
  return program::cannot_run("the headers that it was built with do not have VK_EXT_device_generated_commands");
}

#endif
