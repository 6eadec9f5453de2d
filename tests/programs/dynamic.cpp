// SPDX-License-Identifier: Apache-2.0
// The dynamic states of Vulkan 1.0 and of the first and second
// VK_EXT_extended_dynamic_state.
#include "dynamic.h"

using namespace program;

namespace {

using Buffer = VkCommandBuffer;
using Of = const Session&;
using On = const Stage&;
constexpr VkStencilFaceFlags kFaces = VK_STENCIL_FACE_FRONT_AND_BACK;

// A state that became core: the first picture by its name there, the second by its extension's.
#define SET(name, ...) (second ? load<PFN_##name##EXT>(s, #name "EXT") : name)(b, __VA_ARGS__)

void stencil(Drawing& d) { d.depth.stencilTestEnable = VK_TRUE; }
void depth(Drawing& d) { d.depth.depthTestEnable = d.depth.depthWriteEnable = VK_TRUE; }
void restart(Drawing& d) { d.assembly.primitiveRestartEnable = VK_TRUE; }
void lines(Drawing& d) { d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP; }
void biased(Drawing& d) {
  depth(d);
  d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  d.raster.depthBiasEnable = VK_TRUE;
}
void biased_without(Drawing& d) {
  biased(d);
  d.raster.depthBiasConstantFactor = 1e7f;
}
void constant_blend(Drawing& d) {
  d.attachments[0] = {VK_TRUE,
                      VK_BLEND_FACTOR_CONSTANT_COLOR,
                      VK_BLEND_FACTOR_ZERO,
                      VK_BLEND_OP_ADD,
                      VK_BLEND_FACTOR_CONSTANT_ALPHA,
                      VK_BLEND_FACTOR_ZERO,
                      VK_BLEND_OP_ADD,
                      0xf};
}
void incrementing(Drawing& d) {
  stencil(d);
  d.depth.front.passOp = d.depth.back.passOp = VK_STENCIL_OP_INCREMENT_AND_CLAMP;
}
void culling(Drawing& d) { d.raster.cullMode = VK_CULL_MODE_BACK_BIT; }
void logic(Drawing& d) { d.blend.logicOpEnable = VK_TRUE; }

const std::vector<Case> kCases = {
    {"viewport",
     {VK_DYNAMIC_STATE_VIEWPORT},
     nullptr,
     [](Of, On, Buffer b, bool second) {
       const VkViewport v{second ? 4.0f : 0.0f, 16, 16, -12, 0, 1};
       vkCmdSetViewport(b, 0, 1, &v);
     }},
    {"scissor",
     {VK_DYNAMIC_STATE_SCISSOR},
     nullptr,
     [](Of, On, Buffer b, bool second) {
       const VkRect2D r{{0, 0}, {second ? 8u : 16u, 16}};
       vkCmdSetScissor(b, 0, 1, &r);
     }},
    {"line width",
     {VK_DYNAMIC_STATE_LINE_WIDTH},
     lines,
     [](Of, On, Buffer b, bool second) { vkCmdSetLineWidth(b, second ? 3.0f : 1.0f); }},
    {"depth bias",
     {VK_DYNAMIC_STATE_DEPTH_BIAS},
     biased,
     [](Of, On, Buffer b, bool second) { vkCmdSetDepthBias(b, second ? 1e7f : 0.0f, 0, 0); }},
    {"blend constants",
     {VK_DYNAMIC_STATE_BLEND_CONSTANTS},
     constant_blend,
     [](Of, On, Buffer b, bool second) {
       const float constants[4] = {1, second ? 1.0f : 0.5f, 0.5f, 1};
       vkCmdSetBlendConstants(b, constants);
     }},
    {"stencil compare mask",
     {VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK, VK_DYNAMIC_STATE_STENCIL_REFERENCE},
     stencil,
     [](Of, On, Buffer b, bool second) {
       vkCmdSetStencilReference(b, kFaces, 3);
       vkCmdSetStencilCompareMask(b, kFaces, second ? 1 : 3);
     }},
    {"stencil write mask",
     {VK_DYNAMIC_STATE_STENCIL_WRITE_MASK},
     incrementing,
     [](Of, On, Buffer b, bool second) { vkCmdSetStencilWriteMask(b, kFaces, second ? 0 : 0xff); }},
    {"stencil reference",
     {VK_DYNAMIC_STATE_STENCIL_REFERENCE},
     stencil,
     [](Of, On, Buffer b, bool second) { vkCmdSetStencilReference(b, kFaces, second ? 1 : 2); }},

    {"cull mode",
     {VK_DYNAMIC_STATE_CULL_MODE},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       SET(vkCmdSetCullMode, second ? VK_CULL_MODE_FRONT_BIT : VK_CULL_MODE_BACK_BIT);
     }},
    {"front face",
     {VK_DYNAMIC_STATE_FRONT_FACE},
     culling,
     [](Of s, On, Buffer b, bool second) {
       SET(vkCmdSetFrontFace, second ? VK_FRONT_FACE_CLOCKWISE : VK_FRONT_FACE_COUNTER_CLOCKWISE);
     }},
    {"primitive topology",
     {VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       const VkPrimitiveTopology topology =
           second ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
       SET(vkCmdSetPrimitiveTopology, topology);
     }},
    {"viewport with count",
     {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       const VkViewport v{0, 0, second ? 8.0f : 16.0f, 16, 0, 1};
       SET(vkCmdSetViewportWithCount, 1, &v);
     }},
    {"scissor with count",
     {VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       const VkRect2D r{{second ? 8 : 4, 4}, {8, 8}};
       SET(vkCmdSetScissorWithCount, 1, &r);
     }},
    {"vertex binding stride",
     {VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE},
     restart,
     [](Of s, On g, Buffer b, bool second) {
       LOAD(s, vkCmdBindVertexBuffers2EXT);
       const VkDeviceSize zero = 0, stride = second ? 16 : 8;
       vkCmdBindVertexBuffers2EXT(b, 0, 1, &g.vertices.buffer, &zero, nullptr, &stride);
     },
     0.25f,
     0.5f,
     true},
    {"depth test enable",
     {VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE},
     depth,
     [](Of s, On, Buffer b, bool second) { SET(vkCmdSetDepthTestEnable, second); },
     0.75f},
    {"depth write enable",
     {VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE},
     depth,
     [](Of s, On, Buffer b, bool second) { SET(vkCmdSetDepthWriteEnable, second); }},
    {"depth compare op",
     {VK_DYNAMIC_STATE_DEPTH_COMPARE_OP},
     depth,
     [](Of s, On, Buffer b, bool second) {
       SET(vkCmdSetDepthCompareOp, second ? VK_COMPARE_OP_GREATER : VK_COMPARE_OP_LESS);
     }},
    {"stencil test enable",
     {VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE, VK_DYNAMIC_STATE_STENCIL_REFERENCE},
     stencil,
     [](Of s, On, Buffer b, bool second) {
       vkCmdSetStencilReference(b, kFaces, 2);
       SET(vkCmdSetStencilTestEnable, second);
     }},
    {"stencil op",
     {VK_DYNAMIC_STATE_STENCIL_OP},
     stencil,
     [](Of s, On, Buffer b, bool second) {
       SET(vkCmdSetStencilOp, kFaces, VK_STENCIL_OP_KEEP, second ? VK_STENCIL_OP_ZERO : VK_STENCIL_OP_KEEP,
           VK_STENCIL_OP_KEEP, VK_COMPARE_OP_EQUAL);
     }},

    {"rasterizer discard enable",
     {VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE},
     nullptr,
     [](Of s, On, Buffer b, bool second) { SET(vkCmdSetRasterizerDiscardEnable, second); }},
    {"depth bias enable",
     {VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE},
     biased_without,
     [](Of s, On, Buffer b, bool second) { SET(vkCmdSetDepthBiasEnable, second); }},
    {"primitive restart enable",
     {VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE},
     nullptr,
     [](Of s, On, Buffer b, bool second) { SET(vkCmdSetPrimitiveRestartEnable, second); },
     0.25f,
     0.5f,
     true},
    {"patch control points",
     {VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT},
     nullptr,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetPatchControlPointsEXT);
       vkCmdSetPatchControlPointsEXT(b, second ? 5 : 3);  // four vertices are no patch of five
     },
     0.25f,
     0.5f,
     false,
     true},
    {"logic op",
     {VK_DYNAMIC_STATE_LOGIC_OP_EXT},
     logic,
     [](Of s, On, Buffer b, bool second) {
       LOAD(s, vkCmdSetLogicOpEXT);
       vkCmdSetLogicOpEXT(b, second ? VK_LOGIC_OP_XOR : VK_LOGIC_OP_COPY_INVERTED);
     }},
};

}  // namespace

int main() {
  VkPhysicalDeviceExtendedDynamicState2FeaturesEXT second{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT, nullptr, VK_TRUE, VK_TRUE, VK_TRUE};
  VkPhysicalDeviceExtendedDynamicStateFeaturesEXT first{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT, &second, VK_TRUE};
  VkPhysicalDeviceVulkan13Features rendering{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &first, .dynamicRendering = VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &rendering};
  core.features.logicOp = core.features.wideLines = core.features.tessellationShader = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  wanted.extensions = {VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME, VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME};
  Session s = open("dynamic", wanted);
  draw_cases(s, kCases);
  return finish(s);
}
