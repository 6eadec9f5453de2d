// SPDX-License-Identifier: Apache-2.0
// A capture with shaders in each place that compute pipelines have them, and what a plan of it gives the
// driver.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "player/options.h"
#include "player/plan/op_view.h"
#include "player/plan/replace.h"
#include "tests/unit/player_scene.h"
#include "tests/unit/shaders_support.h"

namespace rondo::test {

using Texts = std::vector<std::string>;

inline std::string digest_text(const std::string& shader) { return to_string(digest_of(shader_code(shader))); }

// Module 0 with pipelines 0 and 1, of which the second sets constants; module 1 of the same code, of which
// nothing is made; pipeline 2 with code of its own.
class ShadersOfPipelines : public PlayerScene {
 protected:
  ShadersOfPipelines() {
    module_ = create_module("work");
    create_module("work");
    layout_ = create<VkPipelineLayout, args_vkCreatePipelineLayout>(
        CommandId::vkCreatePipelineLayout,
        of_type<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO));
    create_pipeline(module_, nullptr, nullptr);
    const VkSpecializationMapEntry entry{3, 0, 8};
    const std::uint64_t value = 5;
    const VkSpecializationInfo constants{1, &entry, sizeof value, &value};
    create_pipeline(module_, &constants, nullptr);
    const Code own = shader_code("fourfold");
    auto info = of_type<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    info.codeSize = own.size();
    info.pCode = reinterpret_cast<const std::uint32_t*>(own.data());
    create_pipeline(VK_NULL_HANDLE, nullptr, &info);
  }
  VkShaderModule create_module(const std::string& shader) {
    const Code code = shader_code(shader);
    auto info = of_type<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    info.codeSize = code.size();
    info.pCode = reinterpret_cast<const std::uint32_t*>(code.data());
    return create<VkShaderModule, args_vkCreateShaderModule>(CommandId::vkCreateShaderModule, info);
  }
  void create_pipeline(VkShaderModule module, const VkSpecializationInfo* constants, const void* next,
                       const char* entry = "main") {
    auto info = of_type<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.stage = of_type<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
    info.stage.pNext = next;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = entry;
    info.stage.pSpecializationInfo = constants;
    info.layout = layout_;
    auto made = fresh<VkPipeline>();
    capture.call(CommandId::vkCreateComputePipelines,
                 args_vkCreateComputePipelines{kDevice, VK_NULL_HANDLE, 1, &info, nullptr, &made}, ok());
  }
  void make_plan() {
    capture.finish();
    auto built = build();
    if (!built) throw std::runtime_error(built.error().message);  // fails the test
    plan_ = std::move(*built);
  }
  Result<std::vector<player::Replaced>> replace(const std::vector<std::string>& texts) {
    if (!plan_) make_plan();
    auto parsed = player::parse_replacements(texts);
    if (!parsed) return tl::unexpected<Error>(parsed.error());
    return player::replace_shaders(*plan_, *parsed);
  }
  void refuses(const std::vector<std::string>& texts, const std::vector<std::string>& says) {
    const auto replaced = replace(texts);
    ASSERT_FALSE(replaced);
    EXPECT_EQ(replaced.error().status, Status::usage);
    std::string said = replaced.error().message;
    for (const std::string& line : replaced.error().lines) said += "\n" + line;
    for (const std::string& part : says) EXPECT_NE(said.find(part), std::string::npos) << part << "\nin\n" << said;
    EXPECT_TRUE(plan_ == nullptr || plan_->stage_codes.empty());
  }
  // Digests of what the driver is given to make modules of, in the order of the calls.
  std::vector<std::string> modules() {
    std::vector<std::string> digests;
    player::OpView view;
    for (const player::Op& op : plan_->ops) {
      if (op.command != CommandId::vkCreateShaderModule) continue;
      view.load(*plan_, op);
      const VkShaderModuleCreateInfo& info = *view.as<args_vkCreateShaderModule>().pCreateInfo;
      digests.push_back(to_string(digest_of({reinterpret_cast<const std::byte*>(info.pCode), info.codeSize})));
    }
    return digests;
  }
  // … and the code of the third pipeline.
  std::string inlined() {
    player::OpView view;
    for (const player::Op& op : plan_->ops) {
      if (op.command != CommandId::vkCreateComputePipelines) continue;
      view.load(*plan_, op);
      const auto* info = static_cast<const VkShaderModuleCreateInfo*>(
          view.as<args_vkCreateComputePipelines>().pCreateInfos[0].stage.pNext);
      if (info != nullptr)
        return to_string(digest_of({reinterpret_cast<const std::byte*>(info->pCode), info->codeSize}));
    }
    return "none";
  }

  std::unique_ptr<player::Plan> plan_;
  VkShaderModule module_{};
  VkPipelineLayout layout_{};
};

}  // namespace rondo::test
