// SPDX-License-Identifier: Apache-2.0
// Captures with shaders, for the tests of what is checked before a driver sees them.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "player/legal/shader_checks.h"
#include "tests/unit/player_scene.h"
#include "tests/unit/shaders_support.h"

namespace rondo::player {

using test::Code;
using test::kDevice;
using test::of_type;
using test::ok;
using test::shader_code;

class CheckedShaders : public test::PlayerScene {
 protected:
  CheckedShaders() : CheckedShaders(VK_API_VERSION_1_0, {}) {}
  CheckedShaders(std::uint32_t version, const std::vector<const char*>& extensions, const void* device_chain = nullptr)
      : test::PlayerScene(version, device_chain, extensions) {}

  static VkDescriptorSetLayoutBinding binding(std::uint32_t number, VkDescriptorType type, std::uint32_t count = 1,
                                              VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT) {
    return {number, type, count, stages, nullptr};
  }
  // What "work" asks for.
  static std::vector<VkDescriptorSetLayoutBinding> two_buffers() {
    return {binding(0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER), binding(1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)};
  }
  VkDescriptorSetLayout set_layout(const std::vector<VkDescriptorSetLayoutBinding>& bindings) {
    auto info = of_type<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
    info.bindingCount = static_cast<std::uint32_t>(bindings.size());
    info.pBindings = bindings.data();
    return create<VkDescriptorSetLayout, args_vkCreateDescriptorSetLayout>(CommandId::vkCreateDescriptorSetLayout,
                                                                           info);
  }
  VkPipelineLayout layout(const std::vector<VkDescriptorSetLayout>& sets,
                          const std::vector<VkPushConstantRange>& ranges = {{VK_SHADER_STAGE_COMPUTE_BIT, 0, 8}}) {
    auto info = of_type<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    info.setLayoutCount = static_cast<std::uint32_t>(sets.size());
    info.pSetLayouts = sets.data();
    info.pushConstantRangeCount = static_cast<std::uint32_t>(ranges.size());
    info.pPushConstantRanges = ranges.data();
    return create<VkPipelineLayout, args_vkCreatePipelineLayout>(CommandId::vkCreatePipelineLayout, info);
  }
  VkPipelineLayout good_layout() { return layout({set_layout(two_buffers())}); }
  static VkShaderModuleCreateInfo module_info(const Code& code) {
    auto info = of_type<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    info.codeSize = code.size();
    info.pCode = reinterpret_cast<const std::uint32_t*>(code.data());
    return info;
  }
  VkShaderModule module(const Code& code) {
    const auto info = module_info(code);
    return create<VkShaderModule, args_vkCreateShaderModule>(CommandId::vkCreateShaderModule, info);
  }
  static VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits of, VkShaderModule module,
                                               const char* entry = "main") {
    auto info = of_type<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
    info.stage = of;
    info.module = module;
    info.pName = entry;
    return info;
  }
  void compute(VkPipelineLayout layout, const VkPipelineShaderStageCreateInfo& stage) {
    auto info = of_type<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.stage = stage;
    info.layout = layout;
    auto made = fresh<VkPipeline>();
    capture.call(CommandId::vkCreateComputePipelines,
                 args_vkCreateComputePipelines{kDevice, VK_NULL_HANDLE, 1, &info, nullptr, &made}, ok());
  }
  void compute(VkPipelineLayout layout, const std::string& shader, const char* entry = "main") {
    compute(layout, stage(VK_SHADER_STAGE_COMPUTE_BIT, module(shader_code(shader)), entry));
  }

  Result<ShaderReport> check(Trust trust, std::uint32_t threads = 2) {
    if (!plan_) {
      capture.finish();
      auto built = build();
      if (!built) throw std::runtime_error(built.error().message);  // fails the test
      plan_ = std::move(*built);
    }
    return check_shaders(*plan_, {trust, false, threads, {}});
  }
  void accepts() {
    const auto report = check(Trust::foreign);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_TRUE(report->wrong.empty());
  }
  // Of a foreign capture; and of a trusted one it is said.
  void refuses(const std::string& says) {
    const auto foreign = check(Trust::foreign);
    ASSERT_FALSE(foreign) << says;
    EXPECT_EQ(foreign.error().status, Status::unreadable);
    for (const std::string& part : {says, std::string("--trust"), file.path()})
      EXPECT_NE(foreign.error().message.find(part), std::string::npos) << foreign.error().message;
    const auto trusted = check(Trust::trusted);
    ASSERT_TRUE(trusted) << trusted.error().message;
    ASSERT_FALSE(trusted->wrong.empty());
    EXPECT_NE(trusted->lines().at(0).find(says), std::string::npos) << trusted->lines().at(0);
  }

  std::unique_ptr<Plan> plan_;
};

// Pipelines in parts.
class ShadersInParts : public CheckedShaders {
 protected:
  explicit ShadersInParts(const void* device_chain = nullptr)
      : CheckedShaders(VK_API_VERSION_1_2,
                       {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
                        VK_EXT_MESH_SHADER_EXTENSION_NAME},
                       device_chain) {}
  VkPipeline graphics(VkPipelineLayout layout, const std::vector<VkPipelineShaderStageCreateInfo>& stages,
                      const std::vector<VkPipeline>& parts, VkPipelineCreateFlags flags) {
    auto libraries = of_type<VkPipelineLibraryCreateInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    libraries.libraryCount = static_cast<std::uint32_t>(parts.size());
    libraries.pLibraries = parts.data();
    auto part =
        of_type<VkGraphicsPipelineLibraryCreateInfoEXT>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
    part.pNext = &libraries;
    part.flags = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
    auto info = of_type<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
    info.pNext = stages.empty() ? static_cast<const void*>(&libraries) : &part;
    info.flags = flags;
    info.stageCount = static_cast<std::uint32_t>(stages.size());
    info.pStages = stages.data();
    info.layout = layout;
    auto samples =
        of_type<VkPipelineMultisampleStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    info.pMultisampleState = &samples;
    auto made = fresh<VkPipeline>();
    capture.call(CommandId::vkCreateGraphicsPipelines,
                 args_vkCreateGraphicsPipelines{kDevice, VK_NULL_HANDLE, 1, &info, nullptr, &made}, ok());
    return made;
  }
  VkPipeline part(VkPipelineLayout layout, const std::string& shader) {
    return graphics(layout, {stage(VK_SHADER_STAGE_FRAGMENT_BIT, module(shader_code(shader)))}, {},
                    VK_PIPELINE_CREATE_LIBRARY_BIT_KHR);
  }
};

}  // namespace rondo::player
