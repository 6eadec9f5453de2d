// SPDX-License-Identifier: Apache-2.0
// What of a plan --clamp-shaders changes, and what it counts.
#include "model/shaders/clamp.h"
#include "player/plan/clamp_shaders.h"
#include "tests/unit/player_shaders_of_pipelines.h"

namespace rondo::player {
namespace {

using test::Code;
using test::digest_text;
using test::kDevice;
using test::of_type;
using test::ok;
using test::shader_code;
using test::shader_path;
using test::Texts;

std::string clamped_text(const std::string& shader) {
  const shaders::Clamped clamped = shaders::clamp(shader_code(shader), {.api_version = VK_API_VERSION_1_0});
  EXPECT_EQ(clamped.obstacle, "");
  EXPECT_NE(clamped.code, shader_code(shader));
  return to_string(digest_of(clamped.code));
}

class ClampedShaders : public test::ShadersOfPipelines {
 protected:
  ClampReport clamp(std::uint32_t threads = 2) {
    if (!plan_) make_plan();
    return clamp_shaders(*plan_, threads);
  }
};

TEST_F(ClampedShaders, AreModulesAndCodeOfPipelines) {
  const ClampReport report = clamp();
  EXPECT_EQ(report.clamped, 2u);  // two modules are the same
  EXPECT_TRUE(report.unchanged.empty());
  EXPECT_EQ(report.text(), "--clamp-shaders: clamped 2 of 2 different shaders");
  EXPECT_EQ(modules(), (Texts{clamped_text("work"), clamped_text("work")}));
  EXPECT_EQ(inlined(), clamped_text("fourfold"));
}

TEST_F(ClampedShaders, AreThoseThatStandInTheirPlaces) {
  ASSERT_TRUE(replace({"VkPipeline#0.compute=" + shader_path("less"), "VkPipeline#2.compute=" + shader_path("work")}));
  EXPECT_EQ(clamp(1).clamped, 2u);
  EXPECT_EQ(modules(), (Texts{clamped_text("work"), clamped_text("work")}));
  EXPECT_EQ(inlined(), clamped_text("work"));
  ASSERT_EQ(plan_->stage_codes.size(), 1u);
  EXPECT_EQ(to_string(digest_of(*plan_->stage_codes[0].code)), clamped_text("less"));
}

TEST_F(ClampedShaders, AreThoseOfPipelinesThatTheCapturedDriverDidNotMake) {
  const Code own = shader_code("less");
  auto code = of_type<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  code.codeSize = own.size();
  code.pCode = reinterpret_cast<const std::uint32_t*>(own.data());
  VkComputePipelineCreateInfo infos[2];
  for (VkComputePipelineCreateInfo& info : infos) {
    info = of_type<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.stage = of_type<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    info.stage.module = module_;
    info.layout = layout_;
  }
  infos[1].stage.module = VK_NULL_HANDLE;
  infos[1].stage.pNext = &code;
  VkPipeline made[] = {fresh<VkPipeline>(), VK_NULL_HANDLE};
  capture.call(CommandId::vkCreateComputePipelines,
               args_vkCreateComputePipelines{kDevice, VK_NULL_HANDLE, 2, infos, nullptr, made},
               {.result = VK_PIPELINE_COMPILE_REQUIRED});
  EXPECT_EQ(clamp().clamped, 3u);
  OpView view;
  std::string last;
  for (const Op& op : plan_->ops) {
    if (op.command != CommandId::vkCreateComputePipelines) continue;
    view.load(*plan_, op);
    const auto& a = view.as<args_vkCreateComputePipelines>();
    if (a.createInfoCount != 2) continue;
    const auto* info = static_cast<const VkShaderModuleCreateInfo*>(a.pCreateInfos[1].stage.pNext);
    last = to_string(digest_of({reinterpret_cast<const std::byte*>(info->pCode), info->codeSize}));
  }
  EXPECT_EQ(last, clamped_text("less"));
}

TEST_F(ClampedShaders, AreCountedWhereTheyCannotBeClamped) {
  create_module("addressed-reads");
  create_module("addressed-writes");
  Code wrong = shader_code("work");
  test::set_word(wrong, 3, 2);  // the bound of its ids
  auto code = of_type<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  code.codeSize = wrong.size();
  code.pCode = reinterpret_cast<const std::uint32_t*>(wrong.data());
  create_pipeline(VK_NULL_HANDLE, nullptr, &code);
  const std::uint8_t bytes[16] = {};
  auto identifier = of_type<VkPipelineShaderStageModuleIdentifierCreateInfoEXT>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT);
  identifier.identifierSize = sizeof bytes;
  identifier.pIdentifier = bytes;
  create_pipeline(VK_NULL_HANDLE, nullptr, &identifier);
  const ClampReport report = clamp();
  EXPECT_EQ(report.clamped, 2u);
  EXPECT_EQ(report.count_unchanged(), 4u);
  EXPECT_EQ(report.numbers(), "2 of 6");
  for (const char* part : {"2 (SPIRV-Tools: Addressing model must be Logical", "1 (it is not valid SPIR-V)",
                           "1 (a module identifier stands for its code"})
    EXPECT_NE(report.text().find(part), std::string::npos) << report.text();
  EXPECT_EQ(modules(), (Texts{clamped_text("work"), clamped_text("work"), digest_text("addressed-reads"),
                              digest_text("addressed-writes")}));
}

#ifdef VK_EXT_shader_object
TEST_F(ClampedShaders, AreShaderObjects) {
  const Code own = shader_code("less");
  auto info = of_type<VkShaderCreateInfoEXT>(VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT);
  info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
  info.codeSize = own.size();
  info.pCode = own.data();
  info.pName = "main";
  auto made = fresh<VkShaderEXT>();
  capture.call(CommandId::vkCreateShadersEXT, args_vkCreateShadersEXT{kDevice, 1, &info, nullptr, &made}, ok());
  EXPECT_EQ(clamp().clamped, 3u);
  OpView view;
  for (const Op& op : plan_->ops) {
    if (op.command != CommandId::vkCreateShadersEXT) continue;
    view.load(*plan_, op);
    const VkShaderCreateInfoEXT& now = view.as<args_vkCreateShadersEXT>().pCreateInfos[0];
    EXPECT_EQ(to_string(digest_of({static_cast<const std::byte*>(now.pCode), now.codeSize})), clamped_text("less"));
  }
}
#endif

}  // namespace
}  // namespace rondo::player
