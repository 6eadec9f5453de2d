// SPDX-License-Identifier: Apache-2.0
// Mesh draws that the device makes of what it finds in memory: with task shaders and without, so
// many a sequence as lies there or as many as a count says, of pipelines or shaders from a set.
#include <array>

#include "generated.frag.h"
#include "generated.h"
#include "generated.mesh.h"
#include "generated.task.h"
#include "shader_objects.h"
#include "shape.mesh.h"

#ifdef VK_EXT_device_generated_commands

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent, kCell = kTexels / 16;
constexpr VkShaderStageFlags kMeshes = VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT,
                             kTasks = kMeshes | VK_SHADER_STAGE_TASK_BIT_EXT;
constexpr std::uint32_t kPictures = 6;

// What the shaders are told: cells of the canvas, which has four by four.
struct Cells {
  std::uint32_t column = 0, row = 0, rows = 1, columns_a_draw = 1;
  float color[4] = {1, 1, 1, 1};
};
constexpr VkPushConstantRange kPushed{kTasks, 0, sizeof(Cells)};
constexpr VkPushConstantRange kShapePushed{kMeshes, 0, sizeof(Shape)};
constexpr float kColors[2][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}};

struct Scene {
  Generated g;
  Image canvas;
  MappedBuffer out;
  std::uint32_t pictures = 0;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline plain = VK_NULL_HANDLE, turned = VK_NULL_HANDLE;
};

VkPipeline create_bindable(Session& s, VkPipelineLayout layout, VkBool32 turned) {
  const VkPipelineCreateFlags2CreateInfoKHR wide{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR, nullptr,
                                                 VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT};
  const VkSpecializationMapEntry entry{0, 0, 4};
  const VkSpecializationInfo constants{1, &entry, 4, &turned};
  Drawing d;
  d.layout = layout;
  d.stages = {stage(VK_SHADER_STAGE_TASK_BIT_EXT, shader(s, generated_task_spv)),
              stage(VK_SHADER_STAGE_MESH_BIT_EXT, shader(s, generated_mesh_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, generated_frag_spv), &constants)};
  d.rendering.pNext = &wide;
  return build(s, d);
}

Scene create_scene(Session& s) {
  Scene scene;
  scene.g = load_generated(s);
  scene.canvas = create_canvas(s, kExtent);
  scene.out = create_readback(s, kPictures * kTexels * 4);
  scene.layout = create_layout(s, {}, {kPushed});
  scene.plain = create_bindable(s, scene.layout, VK_FALSE);
  scene.turned = create_bindable(s, scene.layout, VK_TRUE);
  return scene;
}

Cells cells(std::uint32_t column, std::uint32_t row, std::uint32_t rows, std::uint32_t columns_a_draw,
            std::uint32_t color) {
  Cells one{column, row, rows, columns_a_draw};
  std::memcpy(one.color, kColors[color], sizeof one.color);
  return one;
}

void begin_picture(Session& s, const Scene& scene, VkPipeline pipeline) {
  begin_rendering(s.cmd, scene.canvas);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  set_area(s.cmd, kExtent);
}

void finish_picture(Session& s, Scene& scene) {
  vkCmdEndRendering(s.cmd);
  copy_out(s.cmd, scene.canvas, VK_IMAGE_LAYOUT_GENERAL, scene.out, scene.pictures++ * kTexels * 4);
  run(s);
}

// Of the last picture: whether so many texels have this colour.
bool has(const Scene& scene, std::uint32_t color, std::size_t texels) {
  return count(scene.out.words + (scene.pictures - 1) * kTexels, kTexels, color) == texels;
}

// What a sequence of each picture has: which pipeline or shaders, what they are told, and draws.
struct ByPipeline {
  std::uint32_t pipeline;
  Cells cells;
  VkDrawMeshTasksIndirectCommandEXT draw;
};
struct ByShaders {
  std::uint32_t shaders[3];
  Cells cells;
  VkDrawMeshTasksIndirectCommandEXT draw;
};
struct Told {
  Cells cells;
  VkDrawMeshTasksIndirectCommandEXT draw;
};
struct Counted {
  Cells cells;
  VkDrawIndirectCountIndirectCommandEXT draws;
};
struct CountedShapes {
  Shape shape;
  std::uint32_t nothing;
  VkDrawIndirectCountIndirectCommandEXT draws;
};

template <class Sequence, std::size_t N>
VkGeneratedCommandsInfoEXT generation(Session& s, const void* next, VkShaderStageFlags stages,
                                      VkIndirectExecutionSetEXT set, VkIndirectCommandsLayoutEXT layout,
                                      const Sequence (&sequences)[N], std::uint32_t draws = 0) {
  const Wide data = wide_of(s, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR, sequences);
  return {.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT,
          .pNext = next,
          .shaderStages = stages,
          .indirectExecutionSet = set,
          .indirectCommandsLayout = layout,
          .indirectAddress = data.address,
          .indirectAddressSize = data.bytes,
          .maxSequenceCount = N,
          .maxDrawCount = draws};
}

VkIndirectExecutionSetEXT create_execution_set(Session& s, const Scene& scene, VkIndirectExecutionSetInfoTypeEXT type,
                                               VkIndirectExecutionSetInfoEXT of) {
  const VkIndirectExecutionSetCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT, nullptr,
                                                 type, of};
  VkIndirectExecutionSetEXT set;
  CHECK(scene.g.create_set(s.device, &info, nullptr, &set));
  return keep(s, scene.g.destroy_set, set);
}

// In turns by two pipelines, preprocessed.
void draw_by_pipelines(Session& s, Scene& scene) {
  const VkIndirectCommandsExecutionSetTokenEXT chosen{VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT, kTasks};
  const VkIndirectCommandsPushConstantTokenEXT all{kPushed};
  Tokens tokens;
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT, 4, {.pExecutionSet = &chosen});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, sizeof(Cells), {.pPushConstant = &all});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_EXT, 12);
  const VkIndirectExecutionSetPipelineInfoEXT of{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT, nullptr,
                                                 scene.plain, 2};
  const VkIndirectExecutionSetEXT set =
      create_execution_set(s, scene, VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT, {.pPipelineInfo = &of});
  const VkWriteIndirectExecutionSetPipelineEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT,
                                                     nullptr, 1, scene.turned};
  scene.g.update_pipelines(s.device, set, 1, &write);

  const ByPipeline sequences[4] = {{0, cells(0, 0, 1, 0, 0), {1, 1, 1}},
                                   {1, cells(1, 0, 2, 0, 0), {1, 1, 1}},
                                   {0, cells(2, 0, 3, 0, 1), {1, 1, 1}},
                                   {1, cells(0, 3, 1, 0, 1), {4, 1, 1}}};
  VkGeneratedCommandsInfoEXT info =
      generation(s, nullptr, kTasks, set,
                 create_commands_layout(s, scene.g, tokens, kTasks, scene.layout,
                                        VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT),
                 sequences);
  give_room(s, scene.g, info);
  // What is preprocessed stands before the pass, and reads the state of a command buffer within it.
  Commands before = create_commands(s);
  begin(before);
  begin_picture(s, scene, scene.plain);
  scene.g.preprocess(before.buffer, &info, s.cmd);
  generated_barrier(before.buffer);
  CHECK(vkEndCommandBuffer(before.buffer));
  submit(s.queues[0], before);
  scene.g.execute(s.cmd, VK_TRUE, &info);
  finish_picture(s, scene);
  wait(s, before);
  destroy(s, before);
  EXPECT(s, has(scene, kRed, 5 * kCell) && has(scene, kBlue, 2 * kCell) && has(scene, kGreen, 3 * kCell) &&
                has(scene, kBlack, 6 * kCell));
}

// As many draws as each sequence says, whose parameters lie elsewhere; as many sequences as a
// count says that a command writes.
void draw_counted(Session& s, Scene& scene) {
  const VkIndirectCommandsPushConstantTokenEXT all{kPushed};
  Tokens tokens;
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, sizeof(Cells), {.pPushConstant = &all});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_COUNT_EXT, 16);
  const VkDrawMeshTasksIndirectCommandEXT draws[4] = {{1, 1, 1}, {1, 1, 1}, {2, 1, 1}, {1, 1, 1}};
  const Wide drawn = wide_of(s, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR, draws);
  const Counted sequences[3] = {{cells(0, 0, 2, 1, 0), {drawn.address, 12, 2}},
                                {cells(0, 2, 2, 2, 1), {drawn.address + 24, 12, 2}},
                                {cells(3, 3, 1, 1, 0), {drawn.address, 12, 1}}};
  const Wide number =
      create_wide(s, 4, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR | VK_BUFFER_USAGE_2_TRANSFER_DST_BIT_KHR);
  const VkGeneratedCommandsPipelineInfoEXT of{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT, nullptr,
                                              scene.plain};
  VkGeneratedCommandsInfoEXT info = generation(
      s, &of, kTasks, VK_NULL_HANDLE, create_commands_layout(s, scene.g, tokens, kTasks, scene.layout), sequences, 2);
  info.sequenceCountAddress = number.address;
  give_room(s, scene.g, info);
  for (const std::uint32_t there : {2u, 3u}) {
    vkCmdUpdateBuffer(s.cmd, number.buffer, 0, 4, &there);
    generated_barrier(s.cmd);
    begin_picture(s, scene, scene.plain);
    scene.g.execute(s.cmd, VK_FALSE, &info);
    finish_picture(s, scene);
    EXPECT(s, has(scene, kRed, (there + 2) * kCell) && has(scene, kGreen, 6 * kCell) &&
                  has(scene, kBlack, (8 - there) * kCell));
  }
}

// Without task shaders. Each second draw is one of something.
void draw_counted_shapes(Session& s, Scene& scene) {
  const VkPipelineLayout layout = create_layout(s, {}, {kShapePushed});
  Drawing d;
  d.layout = layout;
  d.stages = {stage(VK_SHADER_STAGE_MESH_BIT_EXT, shader(s, shape_mesh_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, shape_frag_spv))};
  const VkPipeline pipeline = build(s, d);
  const VkIndirectCommandsPushConstantTokenEXT all{kShapePushed};
  Tokens tokens;
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, 40, {.pPushConstant = &all});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_COUNT_EXT, 16);
  const VkDrawMeshTasksIndirectCommandEXT draws[2] = {{0, 1, 1}, {1, 1, 1}};
  const Wide drawn = wide_of(s, VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT_KHR, draws);
  const CountedShapes sequences[3] = {{{-1, -1, 0, 1, {1, 0, 0, 1}}, 0, {drawn.address, 12, 2}},
                                      {{0, -1, 1, 0, {0, 1, 0, 1}}, 0, {drawn.address, 12, 1}},
                                      {{0, 0, 1, 1, {0, 0, 1, 1}}, 0, {drawn.address + 12, 12, 1}}};
  const VkGeneratedCommandsPipelineInfoEXT of{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT, nullptr,
                                              pipeline};
  VkGeneratedCommandsInfoEXT info = generation(
      s, &of, kMeshes, VK_NULL_HANDLE, create_commands_layout(s, scene.g, tokens, kMeshes, layout), sequences, 2);
  give_room(s, scene.g, info);
  begin_picture(s, scene, pipeline);
  scene.g.execute(s.cmd, VK_FALSE, &info);
  finish_picture(s, scene);
  EXPECT(s, has(scene, kRed, kTexels / 2) && has(scene, kGreen, 0) && has(scene, kBlue, kTexels / 4));
}

using Shaders = std::array<VkShaderEXT, 4>;  // task, mesh and two fragment shaders

Shaders create_shaders(Session& s) {
  LOAD(s, vkCreateShadersEXT);
  LOAD(s, vkDestroyShaderEXT);
  const VkBool32 yes = VK_TRUE;
  const VkSpecializationMapEntry entry{0, 0, 4};
  const VkSpecializationInfo constants{1, &entry, 4, &yes};
  constexpr VkShaderCreateFlagsEXT bindable = VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT;
  VkShaderCreateInfoEXT infos[4] = {
      shader_info(VK_SHADER_STAGE_TASK_BIT_EXT, VK_SHADER_STAGE_MESH_BIT_EXT, generated_task_spv, &kPushed, bindable),
      shader_info(VK_SHADER_STAGE_MESH_BIT_EXT, VK_SHADER_STAGE_FRAGMENT_BIT, generated_mesh_spv, &kPushed, bindable),
      shader_info(VK_SHADER_STAGE_FRAGMENT_BIT, 0, generated_frag_spv, &kPushed, bindable),
      shader_info(VK_SHADER_STAGE_FRAGMENT_BIT, 0, generated_frag_spv, &kPushed, bindable)};
  infos[3].pSpecializationInfo = &constants;
  Shaders shaders;
  CHECK(vkCreateShadersEXT(s.device, 4, infos, nullptr, shaders.data()));
  for (const VkShaderEXT one : shaders) keep(s, vkDestroyShaderEXT, one);
  return shaders;
}

void begin_picture(Session& s, const Scene& scene, const Shaders& shaders) {
  LOAD(s, vkCmdBindShadersEXT);
  begin_rendering(s.cmd, scene.canvas);
  set_states(s, s.cmd, kExtent);
  constexpr VkShaderStageFlagBits stages[4] = {VK_SHADER_STAGE_TASK_BIT_EXT, VK_SHADER_STAGE_MESH_BIT_EXT,
                                               VK_SHADER_STAGE_FRAGMENT_BIT, VK_SHADER_STAGE_VERTEX_BIT};
  const VkShaderEXT bound[4] = {shaders[0], shaders[1], shaders[2], VK_NULL_HANDLE};
  vkCmdBindShadersEXT(s.cmd, 4, stages, bound);
}

// Of shaders without pipelines, two of the last stage to choose from.
void draw_by_shaders(Session& s, Scene& scene, const Shaders& shaders) {
  LOAD(s, vkUpdateIndirectExecutionSetShaderEXT);
  const VkIndirectExecutionSetShaderLayoutInfoEXT none[3] = {
      {VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_LAYOUT_INFO_EXT},
      {VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_LAYOUT_INFO_EXT},
      {VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_LAYOUT_INFO_EXT}};
  const VkIndirectExecutionSetShaderInfoEXT of{
      VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_INFO_EXT, nullptr, 3, shaders.data(), none, 4, 1, &kPushed};
  const VkIndirectExecutionSetEXT set =
      create_execution_set(s, scene, VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT, {.pShaderInfo = &of});
  const VkWriteIndirectExecutionSetShaderEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_SHADER_EXT, nullptr,
                                                   3, shaders[3]};
  vkUpdateIndirectExecutionSetShaderEXT(s.device, set, 1, &write);

  const VkIndirectCommandsExecutionSetTokenEXT chosen{VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT, kTasks};
  const VkIndirectCommandsPushConstantTokenEXT all{kPushed};
  Tokens tokens;
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT, 12, {.pExecutionSet = &chosen});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, sizeof(Cells), {.pPushConstant = &all});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_EXT, 12);
  // A shader a stage, in the order of the stages' bits: the fragment shader's is the lowest.
  const ByShaders sequences[2] = {{{2, 0, 1}, cells(0, 0, 4, 0, 1), {1, 1, 1}},
                                  {{3, 0, 1}, cells(1, 0, 4, 0, 0), {2, 1, 1}}};
  VkGeneratedCommandsInfoEXT info =
      generation(s, nullptr, kTasks, set, create_commands_layout(s, scene.g, tokens, kTasks, scene.layout), sequences);
  give_room(s, scene.g, info);
  begin_picture(s, scene, shaders);
  scene.g.execute(s.cmd, VK_FALSE, &info);
  finish_picture(s, scene);
  EXPECT(s, has(scene, kGreen, 4 * kCell) && has(scene, kBlue, 8 * kCell) && has(scene, kBlack, 4 * kCell));
}

// Of the shaders that are bound.
void draw_as_bound(Session& s, Scene& scene, const Shaders& shaders) {
  const VkIndirectCommandsPushConstantTokenEXT all{kPushed};
  Tokens tokens;
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, sizeof(Cells), {.pPushConstant = &all});
  tokens.add(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_EXT, 12);
  const Told sequences[2] = {{cells(0, 0, 1, 0, 1), {3, 1, 1}}, {cells(0, 1, 1, 0, 0), {4, 1, 1}}};
  const VkGeneratedCommandsShaderInfoEXT of{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_SHADER_INFO_EXT, nullptr, 3,
                                            shaders.data()};
  VkGeneratedCommandsInfoEXT info = generation(
      s, &of, kTasks, VK_NULL_HANDLE, create_commands_layout(s, scene.g, tokens, kTasks, scene.layout), sequences);
  give_room(s, scene.g, info);
  begin_picture(s, scene, shaders);
  scene.g.execute(s.cmd, VK_FALSE, &info);
  finish_picture(s, scene);
  EXPECT(s, has(scene, kGreen, 3 * kCell) && has(scene, kRed, 4 * kCell));
}

}  // namespace

int main() {
  VkPhysicalDeviceMaintenance5FeaturesKHR maintenance{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
                                                      nullptr, VK_TRUE};
  VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT generated{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT, &maintenance, VK_TRUE, VK_FALSE};
  VkPhysicalDeviceShaderObjectFeaturesEXT objects{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
                                                  &generated, VK_TRUE};
  VkPhysicalDeviceMeshShaderFeaturesEXT meshes{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
                                               .pNext = &objects,
                                               .taskShader = VK_TRUE,
                                               .meshShader = VK_TRUE};
  VkPhysicalDeviceVulkan11Features v11{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                       .pNext = &meshes,
                                       .shaderDrawParameters = VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &v11, .bufferDeviceAddress = VK_TRUE};
  VkPhysicalDeviceVulkan13Features v13{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &v12, .dynamicRendering = VK_TRUE};
  const VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v13, {}};
  Wanted wanted;
  wanted.features = &features;
  wanted.extensions = {"VK_EXT_device_generated_commands", "VK_KHR_maintenance5", "VK_EXT_shader_object",
                       "VK_EXT_mesh_shader"};
  Session s = open("generated_meshes", wanted);
  Scene scene = create_scene(s);
  draw_by_pipelines(s, scene);
  draw_counted(s, scene);
  draw_counted_shapes(s, scene);
  const Shaders shaders = create_shaders(s);
  draw_by_shaders(s, scene, shaders);
  draw_as_bound(s, scene, shaders);
  add(s, scene.out);
  return finish(s);
}

#else

int main() {
  return program::cannot_run("the headers that it was built with do not have VK_EXT_device_generated_commands");
}

#endif
