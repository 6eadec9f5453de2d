// SPDX-License-Identifier: Apache-2.0
// Creates and destroys objects of one kind after another thousands of times,
// many alive at once and destroyed in another order: drivers hand out values
// again, and some let two live objects share one. Uses one of each in submits.
#include "objects.h"
#include "shift.h"

using namespace program;

namespace {

constexpr std::uint32_t kRounds = 60;
constexpr std::uint32_t kAlive = 8;

VkSampler create_sampler(const Context& c, float bias) {
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.mipLodBias = bias;
  VkSampler sampler;
  CHECK(vkCreateSampler(c.device, &info, nullptr, &sampler));
  return sampler;
}

VkDescriptorSetLayout create_layout(const Context& c) {
  VkDescriptorSetLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  VkDescriptorSetLayout layout;
  CHECK(vkCreateDescriptorSetLayout(c.device, &info, nullptr, &layout));
  return layout;
}

VkPipelineLayout create_pipeline_layout(const Context& c, VkDescriptorSetLayout set) {
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 1;
  info.pSetLayouts = &set;
  VkPipelineLayout layout;
  CHECK(vkCreatePipelineLayout(c.device, &info, nullptr, &layout));
  return layout;
}

}  // namespace

int main() {
  Context c = create_context("handles");
  Commands commands = create_commands(c);
  Shift shift = create_shift(c);
  std::uint32_t times = 0;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    VkSampler samplers[kAlive];
    VkDescriptorSetLayout sets[kAlive];
    VkPipelineLayout layouts[kAlive];
    VkFence fences[kAlive];
    VkSemaphore semaphores[kAlive];
    VkEvent events[kAlive];
    for (std::uint32_t i = 0; i < kAlive; ++i) {
      samplers[i] = create_sampler(c, 0);  // all alike: a driver may give them one value
      sets[i] = create_layout(c);
      layouts[i] = create_pipeline_layout(c, sets[i]);
      fences[i] = create_fence(c);
      semaphores[i] = create_semaphore(c);
      events[i] = create_event(c);
    }
    const std::uint32_t used = round % kAlive;
    begin(commands);
    vkCmdSetEvent(commands.buffer, events[used], VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    record_shift(shift, commands.buffer);
    CHECK(vkEndCommandBuffer(commands.buffer));
    submit(c.queues[0], commands.buffer, fences[used]);
    CHECK(vkWaitForFences(c.device, 1, &fences[used], VK_TRUE, UINT64_MAX));
    if (vkGetEventStatus(c.device, events[used]) != VK_EVENT_SET) die("an event was not set in round", round);
    expect_shifted(shift, ++times);
    for (std::uint32_t i = 0; i < kAlive; ++i) {
      const std::uint32_t gone = (i * 3 + round) % kAlive;
      vkDestroyEvent(c.device, events[gone], nullptr);
      vkDestroySemaphore(c.device, semaphores[gone], nullptr);
      vkDestroyFence(c.device, fences[gone], nullptr);
      vkDestroyPipelineLayout(c.device, layouts[gone], nullptr);
      vkDestroyDescriptorSetLayout(c.device, sets[gone], nullptr);
      vkDestroySampler(c.device, samplers[gone], nullptr);
    }
  }
  std::printf("handles: %u submits, checksum %016llx\n", times,
              static_cast<unsigned long long>(checksum(shift.words.words, kShiftWords)));
  destroy(c, shift);
  destroy(c, commands);
  destroy(c);
  return 0;
}
