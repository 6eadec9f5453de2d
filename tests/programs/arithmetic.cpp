// SPDX-License-Identifier: Apache-2.0
// What shaders can do by extension: small and large integers and floats in
// memory, atomics on them, subgroups, the memory model, and fragments that end
// early or write the stencil.
#include "arithmetic.comp.h"
#include "demote.frag.h"
#include "picture.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16;

// Columns 2 and 3 of four are drawn; the stencil says which they are.
void fragments(Session& s, const MappedBuffer& out) {
  const Image canvas = create_canvas(s, kExtent);
  constexpr VkImageUsageFlags usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const Image stencil = create_image(s, image_info(VK_FORMAT_S8_UINT, kExtent, usage), VK_IMAGE_VIEW_TYPE_2D,
                                     VK_IMAGE_ASPECT_STENCIL_BIT);
  transition(s.cmd, stencil, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  Drawing d = shapes(s);
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, demote_frag_spv));
  d.rendering.stencilAttachmentFormat = VK_FORMAT_S8_UINT;
  d.depth.stencilTestEnable = VK_TRUE;
  d.depth.front = {VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_ALWAYS, 0xff, 0xff, 1};
  d.depth.back = d.depth.front;
  const VkPipeline pipeline = build(s, d);
  const VkRenderingAttachmentInfo color = attachment(canvas.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  const VkRenderingAttachmentInfo behind =
      attachment(stencil.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea = {{0, 0}, {kExtent, kExtent}},
                             .layerCount = 1,
                             .colorAttachmentCount = 1,
                             .pColorAttachments = &color,
                             .pStencilAttachment = &behind};
  vkCmdBeginRendering(s.cmd, &info);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  draw(s.cmd, d.layout, {-1, -1, 1, 1, {1, 0, 0, 1}});
  vkCmdEndRendering(s.cmd);
  barrier(s.cmd);
  copy_out(s.cmd, canvas, VK_IMAGE_LAYOUT_GENERAL, out);
  copy_out(s.cmd, stencil, VK_IMAGE_LAYOUT_GENERAL, out, kExtent * kExtent * 4, VK_IMAGE_ASPECT_STENCIL_BIT);
}

}  // namespace

int main() {
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT floats2{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
      .shaderBufferFloat32AtomicMinMax = VK_TRUE};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT floats{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
      .pNext = &floats2,
      .shaderBufferFloat32Atomics = VK_TRUE,
      .shaderBufferFloat32AtomicAdd = VK_TRUE};
  VkPhysicalDeviceShaderClockFeaturesKHR clock{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, &floats,
                                               VK_TRUE, VK_TRUE};
  VkPhysicalDeviceVulkan13Features v13{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                       .pNext = &clock,
                                       .shaderDemoteToHelperInvocation = VK_TRUE,
                                       .shaderTerminateInvocation = VK_TRUE,
                                       .subgroupSizeControl = VK_TRUE,
                                       .shaderZeroInitializeWorkgroupMemory = VK_TRUE,
                                       .dynamicRendering = VK_TRUE,
                                       .shaderIntegerDotProduct = VK_TRUE};
  VkPhysicalDeviceVulkan12Features v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                       .pNext = &v13,
                                       .storageBuffer8BitAccess = VK_TRUE,
                                       .shaderBufferInt64Atomics = VK_TRUE,
                                       .shaderFloat16 = VK_TRUE,
                                       .shaderInt8 = VK_TRUE,
                                       .scalarBlockLayout = VK_TRUE,
                                       .uniformBufferStandardLayout = VK_TRUE,
                                       .shaderSubgroupExtendedTypes = VK_TRUE,
                                       .vulkanMemoryModel = VK_TRUE,
                                       .vulkanMemoryModelDeviceScope = VK_TRUE};
  VkPhysicalDeviceVulkan11Features v11{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                       .pNext = &v12,
                                       .storageBuffer16BitAccess = VK_TRUE,
                                       .variablePointersStorageBuffer = VK_TRUE,
                                       .variablePointers = VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v11};
  core.features.shaderInt64 = core.features.shaderInt16 = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  wanted.extensions = {"VK_KHR_8bit_storage",
                       "VK_KHR_16bit_storage",
                       "VK_KHR_shader_atomic_int64",
                       "VK_KHR_shader_float16_int8",
                       "VK_KHR_shader_float_controls",
                       "VK_KHR_shader_clock",
                       "VK_KHR_shader_integer_dot_product",
                       "VK_KHR_shader_subgroup_extended_types",
                       "VK_KHR_shader_terminate_invocation",
                       "VK_KHR_spirv_1_4",
                       "VK_KHR_storage_buffer_storage_class",
                       "VK_KHR_uniform_buffer_standard_layout",
                       "VK_KHR_variable_pointers",
                       "VK_KHR_vulkan_memory_model",
                       "VK_KHR_zero_initialize_workgroup_memory",
                       "VK_KHR_relaxed_block_layout",
                       "VK_EXT_scalar_block_layout",
                       "VK_EXT_shader_atomic_float",
                       "VK_EXT_shader_atomic_float2",
                       "VK_EXT_shader_demote_to_helper_invocation",
                       "VK_EXT_shader_stencil_export",
                       "VK_EXT_shader_subgroup_ballot",
                       "VK_EXT_shader_subgroup_vote",
                       "VK_EXT_subgroup_size_control",
                       "VK_GOOGLE_decorate_string",
                       "VK_GOOGLE_hlsl_functionality1"};
  Session s = open("arithmetic", wanted);
  const MappedBuffer small = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const MappedBuffer words = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const MappedBuffer wide = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const MappedBuffer out = create_readback(s, kExtent * kExtent * 5);
  const Kernel k = create_kernel(s, shader(s, arithmetic_comp_spv), {small, words, wide});
  bind(s.cmd, k);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  fragments(s, out);
  run(s);

  const std::uint8_t packed[24] = {0, 3, 6, 9, 12,   15,   18, 21, 0,    0,    0x34, 0x12,
                                   7, 0, 1, 0, 0x34, 0x12, 7,  0,  0x00, 0x38, 0x00, 0x3c};
  EXPECT(s, std::memcmp(small.words, packed, sizeof packed) == 0);
  const std::uint32_t expected[6] = {5, 1, 8, 8, 1, 0};
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT(s, words.words[i] == expected[i]);
  EXPECT(s, wide.words[1] == 8 && wide.words[2] == 0x40800000 && wide.words[3] == 0x40e00000);
  EXPECT(s, count(out.words, kExtent * kExtent, kRed) == 128 && out.words[2] == kRed && out.words[1] == kBlack);
  EXPECT(s, count(out.words + kExtent * kExtent, kExtent * kExtent / 4, 0x14130000) == 64);
  for (const MappedBuffer& b : {small, words, wide, out}) add(s, b);
  return finish(s);
}
