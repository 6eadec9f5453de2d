// SPDX-License-Identifier: Apache-2.0
// Shaders without pipelines: linked and not, of every stage, in primaries and
// secondaries, in turns with a pipeline; binaries of them, which a driver may
// refuse, and a call that makes some of what it is asked for.
#include "shader_objects.h"

#include "constants.comp.h"
#include "flat.frag.h"
#include "patch.tesc.h"
#include "patch.tese.h"
#include "shape.mesh.h"
#include "vertices.vert.h"

#ifdef VK_EXT_shader_object

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;

// Of which shaders are made; a null one unbinds.
struct Functions {
  PFN_vkCreateShadersEXT create = nullptr;
  PFN_vkDestroyShaderEXT destroy = nullptr;
  PFN_vkGetShaderBinaryDataEXT binary = nullptr;
  PFN_vkCmdBindShadersEXT bind = nullptr;
};

struct Scene {
  Functions f;
  Image canvas;
  MappedBuffer out, vertices;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::uint32_t pictures = 0;
};

constexpr VkPushConstantRange kMeshRange{VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof(Shape)};

// They live as long as the session.
std::vector<VkShaderEXT> create_shaders(Session& s, const Scene& scene,
                                        const std::vector<VkShaderCreateInfoEXT>& infos) {
  std::vector<VkShaderEXT> made(infos.size());
  CHECK(scene.f.create(s.device, static_cast<std::uint32_t>(infos.size()), infos.data(), nullptr, made.data()));
  for (const VkShaderEXT one : made) keep(s, scene.f.destroy, one);
  return made;
}

// Every graphics stage; what is not given is none.
void bind_stages(const Scene& scene, VkCommandBuffer cmd, VkShaderEXT vertex, VkShaderEXT fragment,
                 VkShaderEXT control = VK_NULL_HANDLE, VkShaderEXT evaluation = VK_NULL_HANDLE,
                 VkShaderEXT mesh = VK_NULL_HANDLE) {
  constexpr VkShaderStageFlagBits stages[6] = {VK_SHADER_STAGE_VERTEX_BIT,
                                               VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                               VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
                                               VK_SHADER_STAGE_FRAGMENT_BIT,
                                               VK_SHADER_STAGE_GEOMETRY_BIT,
                                               VK_SHADER_STAGE_MESH_BIT_EXT};
  const VkShaderEXT shaders[6] = {vertex, control, evaluation, fragment, VK_NULL_HANDLE, mesh};
  scene.f.bind(cmd, 6, stages, shaders);
  constexpr VkShaderStageFlagBits task = VK_SHADER_STAGE_TASK_BIT_EXT;
  scene.f.bind(cmd, 1, &task, nullptr);  // no array: none
}

// The canvas' picture of what `record` draws.
template <class Record>
void picture(Session& s, Scene& scene, const Record& record) {
  begin_rendering(s.cmd, scene.canvas);
  set_states(s, s.cmd, kExtent);
  record();
  vkCmdEndRendering(s.cmd);
  copy_out(s.cmd, scene.canvas, VK_IMAGE_LAYOUT_GENERAL, scene.out, scene.pictures++ * kTexels * 4);
  barrier(s.cmd);
}

// Of the picture: texels of that colour.
std::size_t texels(const Scene& scene, std::uint32_t picture, std::uint32_t color) {
  return count(scene.out.words + picture * kTexels, kTexels, color);
}

void draw_vertices(const Session& s, const Scene& scene) {
  LOAD(s, vkCmdSetVertexInputEXT);
  const VkVertexInputBindingDescription2EXT binding{
      VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT, nullptr, 0, 8, VK_VERTEX_INPUT_RATE_VERTEX, 1};
  const VkVertexInputAttributeDescription2EXT attribute{
      VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT, nullptr, 0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
  vkCmdSetVertexInputEXT(s.cmd, 1, &binding, 1, &attribute);
  const VkDeviceSize zero = 0;
  const VkDeviceSize stride = 8, size = scene.vertices.bytes;
  vkCmdBindVertexBuffers2(s.cmd, 0, 1, &scene.vertices.buffer, &zero, &size, &stride);
  draw(s.cmd, scene.layout, {.color = {0, 0, 1, 1}});
}

void draw_pictures(Session& s, Scene& scene) {
  constexpr VkShaderStageFlags tessellation = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
  const auto linked = create_shaders(s, scene,
                                     {shader_info(VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT,
                                                  shape_vert_spv, &kShapeRange, VK_SHADER_CREATE_LINK_STAGE_BIT_EXT),
                                      shader_info(VK_SHADER_STAGE_FRAGMENT_BIT, 0, shape_frag_spv, &kShapeRange,
                                                  VK_SHADER_CREATE_LINK_STAGE_BIT_EXT)});
  const auto loose = create_shaders(
      s, scene,
      {shader_info(VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT, vertices_vert_spv, &kShapeRange),
       shader_info(VK_SHADER_STAGE_FRAGMENT_BIT, 0, flat_frag_spv, &kShapeRange),
       shader_info(VK_SHADER_STAGE_VERTEX_BIT, tessellation, shape_vert_spv, &kShapeRange),
       shader_info(VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
                   patch_tesc_spv, &kShapeRange),
       shader_info(VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, VK_SHADER_STAGE_FRAGMENT_BIT, patch_tese_spv,
                   &kShapeRange),
       shader_info(VK_SHADER_STAGE_FRAGMENT_BIT, 0, shape_frag_spv, &kShapeRange)});
  const auto mesh = create_shaders(s, scene,
                                   {shader_info(VK_SHADER_STAGE_MESH_BIT_EXT, VK_SHADER_STAGE_FRAGMENT_BIT,
                                                shape_mesh_spv, &kMeshRange, VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT),
                                    shader_info(VK_SHADER_STAGE_FRAGMENT_BIT, 0, shape_frag_spv, &kMeshRange)});

  picture(s, scene, [&] {
    bind_stages(scene, s.cmd, linked[0], linked[1]);
    draw(s.cmd, scene.layout, {-1, -1, 0, 1, {0, 1, 0, 1}});
  });
  picture(s, scene, [&] {
    bind_stages(scene, s.cmd, loose[0], loose[1]);
    draw_vertices(s, scene);
  });
  picture(s, scene, [&] {
    bind_stages(scene, s.cmd, loose[2], loose[5], loose[3], loose[4]);
    vkCmdSetPrimitiveTopology(s.cmd, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST);
    draw(s.cmd, scene.layout, {-1, -1, 1, 1, {1, 0, 0, 1}});
  });
  const VkPipelineLayout meshes = create_layout(s, {}, {kMeshRange});
  LOAD(s, vkCmdDrawMeshTasksEXT);
  picture(s, scene, [&] {
    bind_stages(scene, s.cmd, VK_NULL_HANDLE, mesh[1], VK_NULL_HANDLE, VK_NULL_HANDLE, mesh[0]);
    const Shape shape{-1, -1, 1, 0, {1, 1, 1, 1}};
    vkCmdPushConstants(s.cmd, meshes, kMeshRange.stageFlags, 0, sizeof shape, &shape);
    vkCmdDrawMeshTasksEXT(s.cmd, 1, 1, 1);
  });

  // A pipeline takes the place of the shaders, and they of it.
  Drawing d = shapes(s);
  const VkPipeline pipeline = build(s, d);
  picture(s, scene, [&] {
    bind_stages(scene, s.cmd, linked[0], linked[1]);
    draw(s.cmd, scene.layout, {-1, -1, 0, 0, {1, 0, 0, 1}});
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    set_area(s.cmd, kExtent);
    draw(s.cmd, d.layout, {0, -1, 1, 0, {0, 1, 0, 1}});
    set_states(s, s.cmd, kExtent);
    bind_stages(scene, s.cmd, loose[2], loose[5], loose[3], loose[4]);
    bind_stages(scene, s.cmd, linked[0], linked[1]);
    draw(s.cmd, scene.layout, {-1, 0, 1, 1, {0, 0, 1, 1}});
  });

  // Nothing is drawn where primitives are discarded, with no fragment shader at all.
  picture(s, scene, [&] {
    bind_stages(scene, s.cmd, loose[0], VK_NULL_HANDLE);
    vkCmdSetRasterizerDiscardEnable(s.cmd, VK_TRUE);
    draw_vertices(s, scene);
  });
  run(s);
  EXPECT(s, texels(scene, 0, kGreen) == kTexels / 2);
  EXPECT(s, texels(scene, 1, kBlue) + texels(scene, 1, kRed) == kTexels / 2);
  EXPECT(s, texels(scene, 2, kRed) > kTexels / 3);
  EXPECT(s, texels(scene, 3, kWhite) == kTexels / 2);
  EXPECT(s, texels(scene, 4, kRed) == kTexels / 4);
  EXPECT(s, texels(scene, 4, kGreen) == kTexels / 4);
  EXPECT(s, texels(scene, 4, kBlue) == kTexels / 2);
  EXPECT(s, texels(scene, 5, kBlack) == kTexels);
}

// In a secondary command buffer, by shaders that are gone when it has run.
void draw_in_secondary(Session& s, Scene& scene) {
  const VkShaderCreateInfoEXT infos[2] = {
      shader_info(VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT, shape_vert_spv, &kShapeRange),
      shader_info(VK_SHADER_STAGE_FRAGMENT_BIT, 0, shape_frag_spv, &kShapeRange)};
  VkShaderEXT shaders[2];
  CHECK(scene.f.create(s.device, 2, infos, nullptr, shaders));
  const VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, s.commands.pool,
                                             VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
  VkCommandBuffer cmd;
  CHECK(vkAllocateCommandBuffers(s.device, &allocate, &cmd));
  const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  const VkCommandBufferInheritanceRenderingInfo rendering{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
      .colorAttachmentCount = 1,
      .pColorAttachmentFormats = &format,
      .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
  const VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, &rendering};
  const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                      VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inheritance};
  CHECK(vkBeginCommandBuffer(cmd, &info));
  set_states(s, cmd, kExtent);
  bind_stages(scene, cmd, shaders[0], shaders[1]);
  draw(cmd, scene.layout, {-1, -1, 1, 1, {0, 1, 0, 1}});
  CHECK(vkEndCommandBuffer(cmd));
  const VkRenderingAttachmentInfo color =
      attachment(scene.canvas.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  const VkRenderingInfo pass{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT,
                             .renderArea = {{0, 0}, {kExtent, kExtent}},
                             .layerCount = 1,
                             .colorAttachmentCount = 1,
                             .pColorAttachments = &color};
  vkCmdBeginRendering(s.cmd, &pass);
  vkCmdExecuteCommands(s.cmd, 1, &cmd);
  vkCmdEndRendering(s.cmd);
  copy_out(s.cmd, scene.canvas, VK_IMAGE_LAYOUT_GENERAL, scene.out, scene.pictures++ * kTexels * 4);
  run(s);
  EXPECT(s, texels(scene, scene.pictures - 1, kGreen) == kTexels);
  for (const VkShaderEXT shader : shaders) scene.f.destroy(s.device, shader, nullptr);
  scene.f.destroy(s.device, VK_NULL_HANDLE, nullptr);
  vkFreeCommandBuffers(s.device, s.commands.pool, 1, &cmd);
}

std::vector<std::byte> binary_of(Session& s, const Scene& scene, VkShaderEXT shader) {
  std::size_t bytes = 0;
  CHECK(scene.f.binary(s.device, shader, &bytes, nullptr));
  std::vector<std::byte> binary(bytes);
  CHECK(scene.f.binary(s.device, shader, &bytes, binary.data()));
  binary.resize(bytes);
  bytes = binary.size() - 1;
  EXPECT(s, scene.f.binary(s.device, shader, &bytes, binary.data()) == VK_INCOMPLETE);
  bytes = binary.size();
  CHECK(scene.f.binary(s.device, shader, &bytes, binary.data()));
  return binary;
}

// A driver may refuse its binaries, and has to refuse what is none.
void draw_from_binary(Session& s, Scene& scene) {
  const auto made = create_shaders(
      s, scene,
      {shader_info(VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT, shape_vert_spv, &kShapeRange),
       shader_info(VK_SHADER_STAGE_FRAGMENT_BIT, 0, shape_frag_spv, &kShapeRange)});
  const std::vector<std::byte> binary = binary_of(s, scene, made[1]);
  VkShaderCreateInfoEXT infos[2] = {
      shader_info(VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT, shape_vert_spv, &kShapeRange),
      shader_info(VK_SHADER_STAGE_FRAGMENT_BIT, 0, shape_frag_spv, &kShapeRange)};
  infos[1].codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
  infos[1].codeSize = binary.size();
  infos[1].pCode = binary.data();
  VkShaderEXT shaders[2];
  const VkResult result = scene.f.create(s.device, 2, infos, nullptr, shaders);
  EXPECT(s, result == VK_SUCCESS || result == VK_INCOMPATIBLE_SHADER_BINARY_EXT);
  EXPECT(s, shaders[0] != VK_NULL_HANDLE);
  EXPECT(s, (shaders[1] != VK_NULL_HANDLE) == (result == VK_SUCCESS));
  const VkShaderEXT fragment = shaders[1] != VK_NULL_HANDLE ? shaders[1] : made[1];
  picture(s, scene, [&] {
    bind_stages(scene, s.cmd, shaders[0], fragment);
    draw(s.cmd, scene.layout, {-1, -1, 1, 0, {0, 0, 1, 1}});
  });
  run(s);
  EXPECT(s, texels(scene, scene.pictures - 1, kBlue) == kTexels / 2);
  for (const VkShaderEXT shader : shaders) scene.f.destroy(s.device, shader, nullptr);

  const std::vector<std::uint64_t> garbage(64, 0x5a5a5a5a5a5a5a5a);
  infos[1].codeSize = garbage.size() * sizeof garbage[0];
  infos[1].pCode = garbage.data();
  EXPECT(s, scene.f.create(s.device, 2, infos, nullptr, shaders) == VK_INCOMPATIBLE_SHADER_BINARY_EXT);
  EXPECT(s, shaders[0] != VK_NULL_HANDLE && shaders[1] == VK_NULL_HANDLE);
  scene.f.destroy(s.device, shaders[0], nullptr);
  EXPECT(s, scene.f.create(s.device, 1, infos + 1, nullptr, shaders) == VK_INCOMPATIBLE_SHADER_BINARY_EXT);
}

void bind_compute(const Scene& scene, VkCommandBuffer cmd, VkShaderEXT shader) {
  constexpr VkShaderStageFlagBits compute = VK_SHADER_STAGE_COMPUTE_BIT;
  scene.f.bind(cmd, 1, &compute, &shader);
}

// With descriptors and constants of its own; then in turns with a pipeline.
void compute(Session& s, Scene& scene) {
  const MappedBuffer words = buffer(s, 256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const Kernel kernel = create_kernel(s, shader(s, constants_comp_spv), {words});
  const std::uint32_t values[2] = {7, 3};
  const VkSpecializationMapEntry entries[2] = {{1, 0, 4}, {9, 4, 4}};
  const VkSpecializationInfo constants{2, entries, sizeof values, values};
  VkShaderCreateInfoEXT info =
      shader_info(VK_SHADER_STAGE_COMPUTE_BIT, 0, constants_comp_spv, nullptr, VK_SHADER_CREATE_DISPATCH_BASE_BIT_EXT);
  constexpr VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
  info.setLayoutCount = 1;
  info.pSetLayouts = &kernel.set_layout;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  info.pSpecializationInfo = &constants;
  const VkShaderEXT made = create_shaders(s, scene, {info})[0];
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout, 0, 1, &kernel.set, 0, nullptr);
  bind_compute(scene, s.cmd, made);
  vkCmdDispatch(s.cmd, 2, 1, 1);
  run(s);
  EXPECT(s, words.words[2] == 7 && words.words[7] == 3);
  add(s, words);
  bind(s.cmd, kernel);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  run(s);
  EXPECT(s, words.words[2] == 1 && words.words[7] == 99);
  add(s, words);
  bind(s.cmd, kernel);
  bind_compute(scene, s.cmd, VK_NULL_HANDLE);
  bind_compute(scene, s.cmd, made);
  vkCmdDispatchBase(s.cmd, 1, 0, 0, 1, 1, 1);
  run(s);
  EXPECT(s, words.words[0] == 4 && words.words[2] == 7);
  add(s, words);
}

// What a program ties to one of them by its number.
void tag(Session& s, const Scene& scene) {
  const VkPrivateDataSlotCreateInfo slot_info{VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
  VkPrivateDataSlot slot;
  CHECK(vkCreatePrivateDataSlot(s.device, &slot_info, nullptr, &slot));
  keep(s, vkDestroyPrivateDataSlot, slot);
  const auto made =
      create_shaders(s, scene, {shader_info(VK_SHADER_STAGE_FRAGMENT_BIT, 0, shape_frag_spv, &kShapeRange)});
  const auto number = reinterpret_cast<std::uint64_t>(made[0]);
  CHECK(vkSetPrivateData(s.device, VK_OBJECT_TYPE_SHADER_EXT, number, slot, 42));
  std::uint64_t found = 0;
  vkGetPrivateData(s.device, VK_OBJECT_TYPE_SHADER_EXT, number, slot, &found);
  EXPECT(s, found == 42);
}

}  // namespace

int main() {
  VkPhysicalDeviceShaderObjectFeaturesEXT objects{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT, nullptr,
                                                  VK_TRUE};
  VkPhysicalDeviceMeshShaderFeaturesEXT meshes{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT, .pNext = &objects, .meshShader = VK_TRUE};
  VkPhysicalDeviceVulkan13Features v13{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                       .pNext = &meshes,
                                       .privateData = VK_TRUE,
                                       .dynamicRendering = VK_TRUE};
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v13, {}};
  features.features.tessellationShader = features.features.shaderFloat64 = features.features.shaderInt64 =
      features.features.shaderInt16 = VK_TRUE;
  Wanted wanted;
  wanted.features = &features;
  wanted.extensions = {"VK_EXT_shader_object", "VK_EXT_mesh_shader"};
  Session s = open("shader_objects", wanted);
  Scene scene;
  scene.f = {load<PFN_vkCreateShadersEXT>(s, "vkCreateShadersEXT"),
             load<PFN_vkDestroyShaderEXT>(s, "vkDestroyShaderEXT"),
             load<PFN_vkGetShaderBinaryDataEXT>(s, "vkGetShaderBinaryDataEXT"),
             load<PFN_vkCmdBindShadersEXT>(s, "vkCmdBindShadersEXT")};
  scene.canvas = create_canvas(s, kExtent);
  scene.out = create_readback(s, 8 * kTexels * 4);
  const float corners[4][2] = {{0, -1}, {1, -1}, {0, 1}, {1, 1}};
  scene.vertices = buffer_of(s, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, corners);
  scene.layout = create_layout(s, {}, {kShapeRange});
  draw_pictures(s, scene);
  draw_in_secondary(s, scene);
  draw_from_binary(s, scene);
  add(s, scene.out);
  compute(s, scene);
  tag(s, scene);
  return finish(s);
}

#else

int main() { return program::cannot_run("the headers that it was built with do not have VK_EXT_shader_object"); }

#endif
