// SPDX-License-Identifier: Apache-2.0
// Chapter "Shaders", what newer extensions let them say: what to expect and to assume, rotations
// within subgroups, where invocations come together again, exact floats, derivatives without
// fragments, composites of one constituent, and notes on what comes only later.
#include "newest.spvasm.h"
#include "words.h"

#ifdef VK_KHR_shader_relaxed_extended_instruction

#include <cmath>

using namespace program;

namespace program {
FEATURES_OF(ShaderExpectAssumeFeaturesKHR, SHADER_EXPECT_ASSUME_FEATURES_KHR);
FEATURES_OF(ShaderFloatControls2FeaturesKHR, SHADER_FLOAT_CONTROLS_2_FEATURES_KHR);
FEATURES_OF(ShaderMaximalReconvergenceFeaturesKHR, SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR);
FEATURES_OF(ShaderRelaxedExtendedInstructionFeaturesKHR, SHADER_RELAXED_EXTENDED_INSTRUCTION_FEATURES_KHR);
FEATURES_OF(ShaderSubgroupRotateFeaturesKHR, SHADER_SUBGROUP_ROTATE_FEATURES_KHR);
FEATURES_OF(ComputeShaderDerivativesFeaturesKHR, COMPUTE_SHADER_DERIVATIVES_FEATURES_KHR);
FEATURES_OF(ShaderReplicatedCompositesFeaturesEXT, SHADER_REPLICATED_COMPOSITES_FEATURES_EXT);
}  // namespace program

namespace {

constexpr std::uint32_t kGroup = 64;  // invocations of each entry point

struct Scene {
  VkShaderModule module = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::uint32_t subgroup = 0;
};

constexpr VkDescriptorType kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

Needs needs_of_all() {
  Needs needs({VK_KHR_SHADER_EXPECT_ASSUME_EXTENSION_NAME, VK_KHR_SHADER_FLOAT_CONTROLS_2_EXTENSION_NAME,
               VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME,
               VK_KHR_SHADER_RELAXED_EXTENDED_INSTRUCTION_EXTENSION_NAME, VK_KHR_SHADER_SUBGROUP_ROTATE_EXTENSION_NAME,
               VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME, VK_EXT_SHADER_REPLICATED_COMPOSITES_EXTENSION_NAME});
  NEED(needs, ShaderExpectAssumeFeaturesKHR, shaderExpectAssume);
  NEED(needs, ShaderFloatControls2FeaturesKHR, shaderFloatControls2);
  NEED(needs, ShaderMaximalReconvergenceFeaturesKHR, shaderMaximalReconvergence);
  NEED(needs, ShaderRelaxedExtendedInstructionFeaturesKHR, shaderRelaxedExtendedInstruction);
  NEED(needs, ShaderSubgroupRotateFeaturesKHR, shaderSubgroupRotate);
  NEED(needs, ShaderSubgroupRotateFeaturesKHR, shaderSubgroupRotateClustered);
  NEED(needs, ComputeShaderDerivativesFeaturesKHR, computeDerivativeGroupQuads);
  NEED(needs, ComputeShaderDerivativesFeaturesKHR, computeDerivativeGroupLinear);
  NEED(needs, ShaderReplicatedCompositesFeaturesEXT, shaderReplicatedComposites);
  return needs;
}

// One workgroup of an entry point; what it leaves is there behind run().
MappedBuffer dispatch(Session& s, const Scene& scene, const char* entry, const MappedBuffer& in) {
  const std::uint32_t nine = 9;
  const VkSpecializationMapEntry factor{0, 0, 4};
  const VkSpecializationInfo constants{1, &factor, 4, &nine};
  const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                         .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0,
                                                   VK_SHADER_STAGE_COMPUTE_BIT, scene.module, entry, &constants},
                                         .layout = scene.layout};
  VkPipeline pipeline;
  CHECK(vkCreateComputePipelines(s.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  keep(s, vkDestroyPipeline, pipeline);
  const VkDescriptorSet set = create_set(s, scene.set_layout, {kType, kType});
  MappedBuffer out = buffer(s, 3 * kGroup * 4, kStorage);
  write_buffer(s, set, 0, in);
  write_buffer(s, set, 1, out);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, scene.layout, 0, 1, &set, 0, nullptr);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  return out;
}

float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void expect_rotated(Session& s, const std::uint32_t* out, std::uint32_t subgroup) {
  const std::uint32_t *third = out, *next = out + kGroup, *lanes = out + 2 * kGroup;
  for (std::uint32_t i = 0; i < kGroup; ++i) {
    EXPECT(s, third[i] < kGroup && lanes[third[i]] == (lanes[i] + 3) % subgroup);
    EXPECT(s, next[i] < kGroup && lanes[next[i]] == lanes[i] / 4 * 4 + (lanes[i] + 1) % 4);
  }
}

// Signs of zeros, and no numbers, are what they are if nothing may be left out.
void expect_exact(Session& s, const std::uint32_t* in, const std::uint32_t* out) {
  for (std::uint32_t i = 0; i < kGroup; ++i) {
    const float x = float_of(in[i]), sum = float_of(out[i]), product = float_of(out[kGroup + i]);
    EXPECT(s, std::isnan(x) ? std::isnan(sum) : sum == x);
    EXPECT(s, x != 0 || out[i] == 0);
    EXPECT(s, std::isfinite(x) ? product == 0 && std::signbit(product) == std::signbit(x) : std::isnan(product));
    EXPECT(s, out[2 * kGroup + i] == i * i + 1);
  }
}

// To the right and downwards within quads: of four in a row, or of two by two in rows of eight.
void expect_derived(Session& s, const std::uint32_t* in, const std::uint32_t* out, bool rows) {
  for (std::uint32_t i = 0; i < kGroup; ++i) {
    const std::uint32_t right = 1, below = rows ? 2 : 8;
    const std::uint32_t row = i & ~right, column = i & ~below;
    EXPECT(s, float_of(out[i]) == static_cast<float>(in[row | right]) - static_cast<float>(in[row]));
    EXPECT(s, float_of(out[kGroup + i]) == static_cast<float>(in[column | below]) - static_cast<float>(in[column]));
  }
}

}  // namespace

int main() {
  Needs needs = needs_of_all();
  Session s = open("newest_shaders", needs);
  Scene scene;
  scene.module = shader(s, newest_spv);
  scene.set_layout = create_set_layout(s, {{0, kType, 1, kCompute, nullptr}, {1, kType, 1, kCompute, nullptr}});
  scene.layout = create_layout(s, {scene.set_layout});
  scene.subgroup =
      properties<VkPhysicalDeviceSubgroupProperties>(s, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES)
          .subgroupSize;
  const MappedBuffer words = buffer(s, kGroup * 4, kStorage), floats = buffer(s, kGroup * 4, kStorage);
  fill(words, 4);
  for (std::uint32_t i = 0; i < kGroup; ++i) words.words[i] &= 0xffff;
  const float odd[8] = {0, -0.0f, 1.5f, -2.5f, INFINITY, -INFINITY, NAN, 1e30f};
  for (std::uint32_t i = 0; i < kGroup; ++i) std::memcpy(floats.words + i, &odd[i % 8], 4);

  const MappedBuffer expected = dispatch(s, scene, "expects", words), rotated = dispatch(s, scene, "rotates", words),
                     together = dispatch(s, scene, "reconverges", words),
                     exact = dispatch(s, scene, "calculates", floats), rows = dispatch(s, scene, "derives rows", words),
                     quads = dispatch(s, scene, "derives quads", words),
                     repeated = dispatch(s, scene, "repeats", words);
  run(s);
  for (std::uint32_t i = 0; i < kGroup; ++i) {
    const std::uint32_t word = words.words[i], half = scene.subgroup / 2;
    EXPECT(s, expected.words[i] == (word % 2 != 0 ? word * 3 : word + 5));
    EXPECT(s, together.words[i] == scene.subgroup + (i % 2 != 0 ? 1000 * half : 0));
    EXPECT(s, repeated.words[i] == (word + 5) * 9);
  }
  expect_rotated(s, rotated.words, scene.subgroup);
  expect_exact(s, floats.words, exact.words);
  expect_derived(s, words.words, rows.words, true);
  expect_derived(s, words.words, quads.words, false);
  for (const MappedBuffer& one : {expected, rotated, together, exact, rows, quads, repeated}) add(s, one);
  return finish(s);
}

#else

int main() {
  return program::cannot_run(
      "the headers that it was built with do not have VK_KHR_shader_relaxed_extended_instruction");
}

#endif
