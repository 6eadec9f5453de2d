// SPDX-License-Identifier: Apache-2.0
// Values that another member makes unused may be anything; where they are used, they are of the registry.
#include "tests/unit/player_descriptors.h"

namespace rondo::test {
namespace {

constexpr std::uint32_t kGarbage = 0xcdcdcdcd;

template <class Enumeration>
void leave_garbage(Enumeration& in) {
  std::memcpy(&in, &kGarbage, sizeof kGarbage);
}

class UnusedValues : public Descriptors {
 protected:
  void update_template(VkDescriptorUpdateTemplateType type) {
    const VkDescriptorUpdateTemplateEntry entry{0, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 0};
    auto info = of_type<VkDescriptorUpdateTemplateCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO);
    info.descriptorUpdateEntryCount = 1;
    info.pDescriptorUpdateEntries = &entry;
    info.templateType = type;
    info.descriptorSetLayout = set_layout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
    info.pipelineLayout = layout(info.descriptorSetLayout);
    leave_garbage(info.pipelineBindPoint);
    create<VkDescriptorUpdateTemplate, args_vkCreateDescriptorUpdateTemplate>(
        CommandId::vkCreateDescriptorUpdateTemplate, info);
  }
  void barrier(std::uint32_t from, std::uint32_t to) {
    auto one = of_type<VkBufferMemoryBarrier>(VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER);
    one.srcAccessMask = kGarbage;
    one.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    one.srcQueueFamilyIndex = from;
    one.dstQueueFamilyIndex = to;
    one.buffer = buffer(64);
    one.size = VK_WHOLE_SIZE;
    constexpr auto kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    capture.call(CommandId::vkCmdPipelineBarrier,
                 args_vkCmdPipelineBarrier{recording(), kAll, kAll, 0, 0, nullptr, 1, &one, 0, nullptr});
  }
  void begin_secondary(VkBool32 inherits) {
    const VkCommandBuffer made = commands(command_pool(), VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    auto inherited = of_type<VkCommandBufferInheritanceInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO);
    inherited.occlusionQueryEnable = inherits;
    inherited.queryFlags = kGarbage;
    auto info = of_type<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    info.pInheritanceInfo = &inherited;
    capture.secondaries = true;
    capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{made, &info}, ok());
  }
};

TEST_F(UnusedValues, TheBindPointOfASetsTemplateIsAny) {
  update_template(VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET);
  accepts();
}
TEST_F(UnusedValues, TheBindPointOfAPushsTemplateIsOne) {
  update_template(VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR);
  refuses(
      "pipelineBindPoint of VkDescriptorUpdateTemplateCreateInfo is 3452816845, which no VkPipelineBindPoint "
      "is");
}
TEST_F(UnusedValues, AccessesBeforeAnAcquireAreAny) {
  barrier(VK_QUEUE_FAMILY_EXTERNAL, 0);
  accepts();
}
TEST_F(UnusedValues, AccessesOfABarrierAreOnes) {
  barrier(VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED);
  refuses("srcAccessMask of VkBufferMemoryBarrier has bits");
}
TEST_F(UnusedValues, FlagsOfQueriesThatDoNotGoOnAreAny) {
  begin_secondary(VK_FALSE);
  accepts();
}
TEST_F(UnusedValues, FlagsOfQueriesThatGoOnAreOnes) {
  begin_secondary(VK_TRUE);
  refuses("queryFlags of VkCommandBufferInheritanceInfo has bits");
}
#ifdef VK_KHR_maintenance5
TEST_F(UnusedValues, UsageIsAnyBesideWiderFlags) {
  auto wide = of_type<VkBufferUsageFlags2CreateInfoKHR>(VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR);
  wide.usage = VK_BUFFER_USAGE_2_TRANSFER_DST_BIT_KHR;
  auto info = of_type<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.pNext = &wide;
  info.size = 64;
  info.usage = kGarbage;
  create<VkBuffer, args_vkCreateBuffer>(CommandId::vkCreateBuffer, info);
  accepts();
}
#endif
TEST_F(UnusedValues, UsageIsOneAlone) {
  auto info = of_type<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = 64;
  info.usage = kGarbage;
  create<VkBuffer, args_vkCreateBuffer>(CommandId::vkCreateBuffer, info);
  refuses("usage of VkBufferCreateInfo has bits");
}

}  // namespace
}  // namespace rondo::test
