// SPDX-License-Identifier: Apache-2.0
// What a plan asks of a device that is not the captured one.
#include "player/devices/preflight.h"
#include "tests/unit/player_descriptors.h"

namespace rondo::player {
namespace {

using test::kDevice;
using test::of_type;
using test::ok;

LiveDevice device_with(std::uint32_t version) {
  LiveDevice device;
  device.properties.apiVersion = version;
  device.properties.limits.minUniformBufferOffsetAlignment = 64;
  device.properties.limits.minStorageBufferOffsetAlignment = 64;
  device.properties.limits.maxBoundDescriptorSets = 8;
  device.properties.limits.maxPushConstantsSize = 128;
  return device;
}

VkQueueFamilyProperties family(VkQueueFlags flags) { return {flags, 1, 64, {1, 1, 1}}; }

class Preflight : public test::Descriptors {
 protected:
  std::vector<std::string> limits() {
    std::vector<std::string> shortfalls;
    check_limits(*plan(), 0, device_with(VK_API_VERSION_1_3), false, shortfalls);
    return shortfalls;
  }
  void barrier(CommandId name) {
    auto memory = of_type<VkMemoryBarrier2>(VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
    memory.srcStageMask = memory.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    auto info = of_type<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &memory;
    capture.call(name, args_vkCmdPipelineBarrier2{recording(), &info});
  }
  std::vector<std::string> version() {
    const auto built = plan();
    EXPECT_EQ(built->ops.back().device, 0u);
    std::vector<std::string> shortfalls;
    check_version(built->devices[0], device_with(VK_API_VERSION_1_2), shortfalls);
    return shortfalls;
  }
};

TEST_F(Preflight, ACommandOfAnExtensionNeedsNoVersion) {
  barrier(CommandId::vkCmdPipelineBarrier2KHR);
  EXPECT_EQ(version(), std::vector<std::string>{});
}
TEST_F(Preflight, ACommandOfTheCoreNeedsItsVersion) {
  barrier(CommandId::vkCmdPipelineBarrier2);
  EXPECT_EQ(version(), std::vector<std::string>{"Vulkan 1.3.0 (it has 1.2.0)"});
}

TEST_F(Preflight, OffsetsOfDescriptorsAreMultiplesOfTheAlignment) {
  constexpr auto kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write_set(set(set_pool(kType), set_layout(kType)), kType, buffer(256), 16, 128);
  EXPECT_EQ(limits(), std::vector<std::string>{});
}
TEST_F(Preflight, TheOffsetOfADescriptorThatIsNoMultipleIsNamed) {
  constexpr auto kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  const VkDescriptorSet made = set(set_pool(kType), set_layout(kType));
  const VkBuffer what = buffer(256);
  for (const VkDeviceSize offset : {128u, 48u, 32u, 192u}) write_set(made, kType, what, 16, offset);
  const std::vector<std::string> found = limits();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].find("minStorageBufferOffsetAlignment that divides 48 (it has 64; record "), 0u) << found[0];
}
TEST_F(Preflight, DynamicOffsetsAreMultiplesToo) {
  constexpr auto kType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
  const VkDescriptorSetLayout of = set_layout(kType);
  const VkDescriptorSet made = set(set_pool(kType), of);
  write_set(made, kType, buffer(256), 64);
  bind_set(recording(), layout(of), made, VK_PIPELINE_BIND_POINT_COMPUTE, {96});
  const std::vector<std::string> found = limits();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].find("minUniformBufferOffsetAlignment that divides 96"), 0u) << found[0];
}
TEST_F(Preflight, TheOffsetsOfTemplatesAreMultiplesToo) {
  constexpr auto kType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  const VkDescriptorSetLayout of = set_layout(kType);
  const VkDescriptorSet made = set(set_pool(kType), of);
  const VkDescriptorUpdateTemplateEntry entry{0, 0, 1, kType, 0, sizeof(VkDescriptorBufferInfo)};
  auto info = of_type<VkDescriptorUpdateTemplateCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO);
  info.descriptorUpdateEntryCount = 1;
  info.pDescriptorUpdateEntries = &entry;
  info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
  info.descriptorSetLayout = of;
  const auto with = create<VkDescriptorUpdateTemplate, args_vkCreateDescriptorUpdateTemplate>(
      CommandId::vkCreateDescriptorUpdateTemplate, info);
  using Entry = codec::EncodeContext::TemplateEntry;
  capture.template_entries =
      std::make_shared<const std::vector<Entry>>(1, Entry{kType, 1, 0, sizeof(VkDescriptorBufferInfo)});
  const VkDescriptorBufferInfo what{buffer(256), 80, 16};
  capture.call(CommandId::vkUpdateDescriptorSetWithTemplate,
               args_vkUpdateDescriptorSetWithTemplate{kDevice, made, with, &what});
  const std::vector<std::string> found = limits();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].find("minUniformBufferOffsetAlignment that divides 80"), 0u) << found[0];
}

TEST_F(Preflight, ASubgroupSizeThatIsRequiredIsOneThatTheDeviceHas) {
  auto required = of_type<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
  required.requiredSubgroupSize = 8;
  auto info = of_type<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, module({0x07230203, 0, 0, 8, 0}));
  info.stage.pNext = &required;
  info.layout = layout();
  auto made = fresh<VkPipeline>();
  capture.call(CommandId::vkCreateComputePipelines,
               args_vkCreateComputePipelines{kDevice, VK_NULL_HANDLE, 1, &info, nullptr, &made}, ok());
  const auto built = plan();
  const auto with_sizes = [&](std::uint32_t least, std::uint32_t most) {
    LiveDevice device = device_with(VK_API_VERSION_1_3);
    device.min_subgroup_size = least;
    device.max_subgroup_size = most;
    std::vector<std::string> found;
    check_limits(*built, 0, device, false, found);
    return found;
  };
  EXPECT_EQ(with_sizes(4, 32), std::vector<std::string>{});
  ASSERT_EQ(with_sizes(32, 64).size(), 1u);
  EXPECT_EQ(with_sizes(32, 64)[0].find("a requiredSubgroupSize of 8 (it has 32 to 64; record "), 0u);
}

#ifdef VK_EXT_shader_object
TEST_F(Preflight, ShadersHaveSetsAndConstantsAsLayoutsDo) {
  const std::vector<VkDescriptorSetLayout> sets(9, set_layout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER));
  const std::uint32_t code[5] = {0x07230203};
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 64, 192};
  auto info = of_type<VkShaderCreateInfoEXT>(VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT);
  info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
  info.codeSize = sizeof code;
  info.pCode = code;
  info.pName = "main";
  info.setLayoutCount = 9;
  info.pSetLayouts = sets.data();
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  auto made = fresh<VkShaderEXT>();
  capture.call(CommandId::vkCreateShadersEXT, args_vkCreateShadersEXT{kDevice, 1, &info, nullptr, &made}, ok());
  const std::vector<std::string> found = limits();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].find("maxBoundDescriptorSets of 9 (it has 8"), 0u) << found[0];
  EXPECT_EQ(found[1].find("maxPushConstantsSize of 256 (it has 128"), 0u) << found[1];
}
#endif

class Families : public ::testing::Test {
 protected:
  static constexpr VkQueueFlags kGraphics = VK_QUEUE_GRAPHICS_BIT, kCompute = VK_QUEUE_COMPUTE_BIT,
                                kTransfer = VK_QUEUE_TRANSFER_BIT;
  using Map = std::map<std::uint32_t, std::uint32_t>;

  Map map(const std::vector<VkQueueFlags>& captured, const std::vector<VkQueueFlags>& here) {
    Plan plan;
    plan.physical_devices.emplace_back();
    CapturedDevice device;
    device.physical = 0;
    for (const VkQueueFlags flags : captured) {
      device.queues.push_back({static_cast<std::uint32_t>(plan.physical_devices[0].families.size()), 1, 0});
      plan.physical_devices[0].families.push_back(family(flags));
    }
    LiveDevice target;
    for (const VkQueueFlags flags : here) target.families.push_back(family(flags));
    shortfalls.clear();
    return map_families(plan, device, target, shortfalls);
  }
  std::vector<std::string> shortfalls;
};

TEST_F(Families, KeepTheirNumbersWhereTheyCan) {
  EXPECT_EQ(map({kGraphics | kCompute, kTransfer}, {kGraphics | kCompute, kTransfer, kTransfer}),
            (Map{{0, 0}, {1, 1}}));
}
TEST_F(Families, TakeWhatOffersTheLeastBeyondNeed) {
  EXPECT_EQ(map({kGraphics, kCompute}, {kCompute, kGraphics | kCompute, kGraphics}), (Map{{0, 2}, {1, 1}}));
}
// The second could have the number it had, and nothing would be left for the third.
TEST_F(Families, MakeRoomForOneAnother) {
  EXPECT_EQ(map({kGraphics | kCompute, kTransfer, kCompute}, {kGraphics | kCompute, kCompute, kTransfer}),
            (Map{{0, 0}, {1, 2}, {2, 1}}));
  EXPECT_EQ(shortfalls, std::vector<std::string>{});
}
TEST_F(Families, AreNamedWhereThereAreTooFew) {
  map({kGraphics, kGraphics}, {kGraphics, kTransfer});
  ASSERT_EQ(shortfalls.size(), 1u);
  EXPECT_NE(shortfalls[0].find("(captured family 1)"), std::string::npos) << shortfalls[0];
}

}  // namespace
}  // namespace rondo::player
