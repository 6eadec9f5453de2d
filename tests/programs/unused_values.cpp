// SPDX-License-Identifier: Apache-2.0
// Values that another member makes unused, and that a program never set: what lies in them is not looked at.
#include <cstdint>

#include "kernel.h"

using namespace program;

namespace {

constexpr std::uint32_t kGarbage = 0xcdcdcdcd;

template <class Enumeration>
void leave_garbage(Enumeration& in) {
  static_assert(sizeof(Enumeration) == sizeof kGarbage);
  std::memcpy(&in, &kGarbage, sizeof kGarbage);
}

// Where a template pushes says its bind point; one of a set has none.
void template_of_a_set(Session& s) {
  const VkDescriptorSetLayout layout =
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}});
  const VkDescriptorUpdateTemplateEntry entry{0, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 0};
  VkDescriptorUpdateTemplateCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
                                            .descriptorUpdateEntryCount = 1,
                                            .pDescriptorUpdateEntries = &entry,
                                            .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
                                            .descriptorSetLayout = layout,
                                            .set = kGarbage};
  leave_garbage(info.pipelineBindPoint);
  VkDescriptorUpdateTemplate made;
  CHECK(vkCreateDescriptorUpdateTemplate(s.device, &info, nullptr, &made));
  vkDestroyDescriptorUpdateTemplate(s.device, made, nullptr);
}

// Without comparison. Of the color of a border that it does not have, some drivers die.
void sampler(Session& s) {
  VkSamplerCreateInfo info{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .maxLod = 1};
  leave_garbage(info.compareOp);
  VkSampler made;
  CHECK(vkCreateSampler(s.device, &info, nullptr, &made));
  vkDestroySampler(s.device, made, nullptr);
}

void queries(Session& s) {
  const VkQueryPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                   .queryType = VK_QUERY_TYPE_OCCLUSION,
                                   .queryCount = 1,
                                   .pipelineStatistics = kGarbage};
  VkQueryPool made;
  CHECK(vkCreateQueryPool(s.device, &info, nullptr, &made));
  vkDestroyQueryPool(s.device, made, nullptr);
}

// Outside of a pass, and without a query that goes on.
void secondary(Session& s) {
  const VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, s.commands.pool,
                                             VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
  VkCommandBuffer commands;
  CHECK(vkAllocateCommandBuffers(s.device, &allocate, &commands));
  VkCommandBufferInheritanceInfo inherited{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                           .subpass = kGarbage,
                                           .queryFlags = kGarbage & ~VkQueryControlFlags{VK_QUERY_CONTROL_PRECISE_BIT}};
  std::memset(&inherited.renderPass, 0xcd, sizeof inherited.renderPass);
  std::memset(&inherited.framebuffer, 0xcd, sizeof inherited.framebuffer);
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, &inherited};
  CHECK(vkBeginCommandBuffer(commands, &begin));
  CHECK(vkEndCommandBuffer(commands));
  vkCmdExecuteCommands(s.cmd, 1, &commands);
}

}  // namespace

int main() {
  Session s = open("unused_values");
  template_of_a_set(s);
  sampler(s);
  queries(s);
  secondary(s);
  const MappedBuffer out = buffer(s, 64, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  vkCmdFillBuffer(s.cmd, out.buffer, 0, VK_WHOLE_SIZE, 7);
  run(s);
  add(s, out);
  EXPECT(s, out.words[15] == 7);
  return finish(s);
}
