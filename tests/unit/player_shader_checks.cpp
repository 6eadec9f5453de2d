// SPDX-License-Identifier: Apache-2.0
// Shaders that a driver is not given: what a foreign capture is refused for, and a trusted one is played
// with.
#include "format/printable.h"
#include "tests/unit/player_checked_shaders.h"

namespace rondo::player {
namespace {

TEST_F(CheckedShaders, FitTheirLayout) {
  const VkPipelineLayout good = good_layout();
  for (const char* shader : {"work", "fourfold", "less", "unused-more", "special-size"}) compute(good, shader);
  accepts();
  EXPECT_EQ(check(Trust::foreign)->checked, 5u);
}
TEST_F(CheckedShaders, AreValid) {
  Code code = shader_code("work");
  test::set_word(code, 3, 0xffffffff);
  module(code);
  refuses("VkShaderModule#0 is not valid SPIR-V: Invalid SPIR-V.  The id bound is larger than the max id bound");
}
TEST_F(CheckedShaders, AreValidInAPipelineItself) {
  Code code = shader_code("work");
  test::set_word(code, 3, 2);
  const auto own = module_info(code);
  auto info = stage(VK_SHADER_STAGE_COMPUTE_BIT, VK_NULL_HANDLE);
  info.pNext = &own;
  compute(good_layout(), info);
  refuses("VkPipeline#0.compute is not valid SPIR-V");
}
TEST_F(CheckedShaders, HaveTheEntryPointThatIsNamed) {
  compute(good_layout(), "work", "other");
  refuses("VkPipeline#0.compute names the entry point other of the compute stage, which its module lacks");
}
TEST_F(CheckedShaders, HaveAnEntryPointOfTheirStage) {
  compute(good_layout(), "grey");
  refuses("VkPipeline#0.compute names the entry point main of the compute stage");
}
TEST_F(CheckedShaders, UseSetsThatTheLayoutHas) {
  compute(good_layout(), "other-set");
  refuses("VkPipeline#0.compute uses set 1 binding 0, and its pipeline layout has no set 1");
}
TEST_F(CheckedShaders, UseBindingsThatTheLayoutHas) {
  compute(good_layout(), "other-binding");
  refuses("uses set 0 binding 2, which its pipeline layout lacks");
}
TEST_F(CheckedShaders, UseNoBindingOfNoDescriptors) {
  compute(layout({set_layout({binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0), two_buffers()[1]})}), "work");
  refuses("uses set 0 binding 0, which its pipeline layout lacks");
}
TEST_F(CheckedShaders, UseDescriptorsAsTheLayoutHasThem) {
  compute(layout({set_layout({binding(0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER), two_buffers()[1]})}), "work");
  refuses("uses set 0 binding 0 as STORAGE_BUFFER, and its pipeline layout has UNIFORM_BUFFER there");
}
TEST_F(CheckedShaders, UseDynamicBuffersToo) {
  compute(layout({set_layout({binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC), two_buffers()[1]})}), "work");
  accepts();
}
TEST_F(CheckedShaders, UseNoMoreDescriptorsThanTheLayoutHas) {
  compute(good_layout(), "array");
  refuses("uses 2 descriptors of set 0 binding 0, and its pipeline layout has 1");
}
TEST_F(CheckedShaders, UseBindingsOfTheirStage) {
  compute(layout({set_layout(
              {binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT), two_buffers()[1]})}),
          "work");
  refuses("uses set 0 binding 0, which its pipeline layout has not for the compute stage");
}
TEST_F(CheckedShaders, UsePushConstantsThatTheLayoutHas) {
  compute(layout({set_layout(two_buffers())}, {}), "work");
  refuses("uses bytes 0 to 8 of push constants, and its pipeline layout has none for the compute stage");
}
TEST_F(CheckedShaders, UsePushConstantsOfTheirStage) {
  compute(layout({set_layout(two_buffers())}, {{VK_SHADER_STAGE_VERTEX_BIT, 0, 8}}), "work");
  refuses("has none for the compute stage");
}
TEST_F(CheckedShaders, UseNoMorePushConstantsThanTheLayoutHas) {
  compute(good_layout(), "longer-push");
  refuses("uses bytes 0 to 12 of push constants, and its pipeline layout has bytes 0 to 8");
}
TEST_F(CheckedShaders, AreSeenThroughGroupsOfDecorations) {
  compute(layout({set_layout({})}), "grouped");
  refuses("uses set 1 binding 2, and its pipeline layout has no set 1");
}
TEST_F(CheckedShaders, HaveArraysWithElements) {
  const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
  const std::uint32_t values[] = {1, 0xffffffff};
  const VkSpecializationInfo constants{2, entries, sizeof values, values};
  auto info = stage(VK_SHADER_STAGE_COMPUTE_BIT, module(shader_code("shared")));
  info.pSpecializationInfo = &constants;
  compute(layout({set_layout({binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)})}, {{VK_SHADER_STAGE_COMPUTE_BIT, 0, 64}}),
          info);
  refuses("has an array of no elements with its specialization constants");
}
TEST_F(CheckedShaders, HaveASizeOfTheirWorkgroups) {
  const VkSpecializationMapEntry entry{6, 0, 4};
  const std::uint32_t value = 0;
  const VkSpecializationInfo constants{1, &entry, sizeof value, &value};
  auto info = stage(VK_SHADER_STAGE_COMPUTE_BIT, module(shader_code("special-size")));
  info.pSpecializationInfo = &constants;
  compute(good_layout(), info);
  refuses("has a local size of 0");
}
TEST_F(CheckedShaders, HaveNotTooMuchOfTheirOwn) {
  compute(good_layout(), "huge-variable");
  refuses("bytes for each invocation: more than any device");
}
// An unknown capability is not wrong, and its module is held against the layout all the same.
TEST_F(CheckedShaders, ThatAreNewerAreNotJudged) {
  const VkPipelineLayout good = good_layout();
  compute(good, stage(VK_SHADER_STAGE_COMPUTE_BIT, module(test::declaring(shader_code("work"), 60000))));
  const auto before = check(Trust::foreign);
  ASSERT_TRUE(before) << before.error().message;
  EXPECT_EQ(before->newer, std::vector<std::string>{"VkShaderModule#0: capability 60000"});
}
TEST_F(CheckedShaders, ThatAreNewerFitTheirLayout) {
  compute(good_layout(), stage(VK_SHADER_STAGE_COMPUTE_BIT, module(test::declaring(shader_code("other-set"), 60000))));
  refuses("uses set 1 binding 0");
}
TEST_F(CheckedShaders, DeclareWhatTheProgramEnabled) {
  module(shader_code("doubles"));
  refuses("VkShaderModule#0 declares the capability Float64, and the program did not enable shaderFloat64");
}
TEST_F(CheckedShaders, MayDeclareWhatDriversBear) {
  constexpr std::uint32_t kClipDistance = 32;
  module(test::declaring(shader_code("work"), kClipDistance));
  module(test::with_extension(shader_code("work"), "SPV_KHR_ray_query"));
  accepts();
  const auto report = check(Trust::foreign);
  EXPECT_EQ(report->not_enabled,
            (std::vector<std::string>{
                "VkShaderModule#0 declares the capability ClipDistance, and the program did not enable "
                "shaderClipDistance",
                "VkShaderModule#1 declares SPV_KHR_ray_query, and the program did not enable VK_KHR_ray_query"}));
  EXPECT_EQ(report->lines().at(0), report->not_enabled[0] + " (drivers bear that)");
}

class ShadersWithDoubles : public CheckedShaders {
 protected:
  static VkPhysicalDeviceFeatures2 features() {
    auto all = of_type<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    all.features.shaderFloat64 = VK_TRUE;
    return all;
  }
  explicit ShadersWithDoubles(const VkPhysicalDeviceFeatures2& enabled = features())
      : CheckedShaders(VK_API_VERSION_1_1, {}, &enabled) {}
};
TEST_F(ShadersWithDoubles, DeclareThem) {
  module(shader_code("doubles"));
  accepts();
  EXPECT_TRUE(check(Trust::foreign)->not_enabled.empty());
}

TEST_F(CheckedShaders, OfPipelinesThatTheCapturedDriverDidNotMake) {
  const VkPipelineLayout good = good_layout();
  const VkShaderModule with[] = {module(shader_code("work")), module(shader_code("other-set"))};
  VkComputePipelineCreateInfo infos[2];
  for (int i = 0; i < 2; ++i) {
    infos[i] = of_type<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    infos[i].stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, with[i]);
    infos[i].layout = good;
  }
  VkPipeline made[] = {fresh<VkPipeline>(), VK_NULL_HANDLE};
  capture.call(CommandId::vkCreateComputePipelines,
               args_vkCreateComputePipelines{kDevice, VK_NULL_HANDLE, 2, infos, nullptr, made},
               {.result = VK_PIPELINE_COMPILE_REQUIRED});
  refuses("number 1.compute uses set 1 binding 0");
}
TEST_F(CheckedShaders, TheFirstRecordIsNamed) {
  const VkPipelineLayout good = good_layout();
  compute(good, "other-set");
  compute(good, "other-binding");
  const auto foreign = check(Trust::foreign, 4);
  ASSERT_FALSE(foreign);
  EXPECT_NE(foreign.error().message.find("VkPipeline#0.compute uses set 1"), std::string::npos)
      << foreign.error().message;
  EXPECT_EQ(check(Trust::trusted, 1)->wrong.size(), 2u);
}
TEST_F(CheckedShaders, TellWhatADeviceHasToHave) {
  compute(layout({set_layout({binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)})}, {{VK_SHADER_STAGE_COMPUTE_BIT, 0, 64}}),
          "shared");
  compute(good_layout(), "work");
  accepts();
  const auto report = check(Trust::foreign);
  ASSERT_TRUE(report);
  const WorkgroupNeeds& most = report->workgroups.at(0);
  EXPECT_EQ(most.value("maxComputeWorkGroupSize[0]"), 64u);
  EXPECT_EQ(most.value("maxComputeWorkGroupSize[1]"), 2u);
  EXPECT_EQ(most.value("maxComputeWorkGroupInvocations"), 64u);
  EXPECT_EQ(most.value("maxComputeSharedMemorySize"), (3 * 1 + 1) * 4 + 4 * 16u);
}

TEST_F(CheckedShaders, AreNotPlayedOnADeviceWithLess) {
  compute(good_layout(), "work");
  const auto report = check(Trust::foreign);
  ASSERT_TRUE(report);
  std::vector<LiveDevice> devices(1);
  VkPhysicalDeviceLimits& limits = devices[0].properties.limits;
  limits.maxComputeWorkGroupSize[0] = limits.maxComputeWorkGroupInvocations = 64;
  limits.maxComputeWorkGroupSize[1] = limits.maxComputeWorkGroupSize[2] = 1;
  const Targets targets{&devices, {0}};
  EXPECT_TRUE(check_workgroups(*plan_, *report, Trust::foreign, targets));
  limits.maxComputeWorkGroupSize[0] = 63;
  const auto refused = check_workgroups(*plan_, *report, Trust::foreign, targets);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, Status::device);
  const std::string said = printable(refused.error());
  EXPECT_NE(said.find("1 thing is missing:\n   lacks: maxComputeWorkGroupSize[0] of 64 (it has 63; record "),
            std::string::npos)
      << said;
}

TEST_F(ShadersInParts, FitTheLayoutOfThePart) {
  part(layout({}, {}), "kinds");
  refuses("VkPipeline#0.fragment uses set");
}
TEST_F(ShadersInParts, HaveOutputsWhereDevicesHaveThem) {
  graphics(layout({}, {}), {stage(VK_SHADER_STAGE_VERTEX_BIT, module(shader_code("far-output")))}, {},
           VK_PIPELINE_CREATE_LIBRARY_BIT_KHR);
  refuses("VkPipeline#0.vertex has outputs up to location 100, and devices have 32 locations");
}
TEST_F(ShadersInParts, FitTheLayoutOfTheWhole) {
  std::vector<VkDescriptorSetLayoutBinding> first;
  const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                    VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                                    VK_DESCRIPTOR_TYPE_SAMPLER,
                                    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                                    VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                                    VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
                                    VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT};
  for (std::uint32_t b = 0; b < 7; ++b) first.push_back(binding(b, types[b], 3, VK_SHADER_STAGE_FRAGMENT_BIT));
  const VkDescriptorSetLayout sets[] = {
      set_layout(first), set_layout({binding(0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT)})};
  const VkPipelineLayout whole = layout({sets[0], sets[1]}, {});
  const VkPipeline fragment = part(whole, "kinds");
  graphics(whole, {}, {fragment}, 0);
  graphics(layout({sets[0]}, {}), {}, {fragment}, 0);
  refuses("VkPipeline#0.fragment in VkPipeline#2 uses set 1 binding 0, and its pipeline layout has no set 1");
}

// Rays: the shaders of a group are of its stages.
class ShadersOfRays : public CheckedShaders {
 protected:
  ShadersOfRays()
      : CheckedShaders(VK_API_VERSION_1_2,
                       {VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME, VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME}) {}
};
TEST_F(ShadersOfRays, AreOfTheStagesOfTheirGroup) {
  const auto of = stage(VK_SHADER_STAGE_RAYGEN_BIT_KHR, module(shader_code("work")));
  auto group =
      of_type<VkRayTracingShaderGroupCreateInfoKHR>(VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR);
  group.type = VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR;
  group.generalShader = group.anyHitShader = group.intersectionShader = VK_SHADER_UNUSED_KHR;
  auto info = of_type<VkRayTracingPipelineCreateInfoKHR>(VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR);
  info.stageCount = info.groupCount = info.maxPipelineRayRecursionDepth = 1;
  info.pStages = &of;
  info.pGroups = &group;
  info.layout = good_layout();
  auto made = fresh<VkPipeline>();
  capture.call(CommandId::vkCreateRayTracingPipelinesKHR,
               args_vkCreateRayTracingPipelinesKHR{kDevice, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, nullptr, &made},
               ok());
  refuses("VkPipeline#0: closestHitShader of group 0 is a shader of the raygen stage");
}

#ifdef VK_EXT_shader_object
class CheckedShaderObjects : public CheckedShaders {
 protected:
  CheckedShaderObjects() : CheckedShaders(VK_API_VERSION_1_3, {VK_EXT_SHADER_OBJECT_EXTENSION_NAME}) {}
};
TEST_F(CheckedShaderObjects, FitTheLayoutsThatTheyAreMadeWith) {
  const Code code = shader_code("work");
  const VkDescriptorSetLayout sets[] = {set_layout({two_buffers()[1]})};
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 8};
  auto info = of_type<VkShaderCreateInfoEXT>(VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT);
  info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
  info.codeSize = code.size();
  info.pCode = code.data();
  info.pName = "main";
  info.setLayoutCount = 1;
  info.pSetLayouts = sets;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  auto made = fresh<VkShaderEXT>();
  capture.call(CommandId::vkCreateShadersEXT, args_vkCreateShadersEXT{kDevice, 1, &info, nullptr, &made}, ok());
  refuses("VkShaderEXT#0 uses set 0 binding 0, which its pipeline layout lacks");
}
#endif

}  // namespace
}  // namespace rondo::player
