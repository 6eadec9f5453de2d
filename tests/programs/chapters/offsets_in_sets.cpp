// SPDX-License-Identifier: Apache-2.0
// Chapter "Resource Descriptors", binding: dynamic offsets in three sets at
// once, of two kinds, sets bound again alone, below and above what stays bound,
// through a layout that is compatible up to there, and constants between.
#include "sums.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkDescriptorType kUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
constexpr VkDescriptorType kWords = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
constexpr VkShaderStageFlags kStage = VK_SHADER_STAGE_COMPUTE_BIT;
constexpr std::uint32_t kStep = 256;  // a multiple of every device's alignment

void write(Session& s, VkDescriptorSet set, std::uint32_t binding, VkDescriptorType type, VkBuffer buffer,
           VkDeviceSize at) {
  const VkDescriptorBufferInfo info{buffer, at, 64};
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = set,
                                   .dstBinding = binding,
                                   .descriptorCount = 1,
                                   .descriptorType = type,
                                   .pBufferInfo = &info};
  vkUpdateDescriptorSets(s.device, 1, &write, 0, nullptr);
}

}  // namespace

int main() {
  Needs needs;
  Session s = open("offsets_in_sets", needs);
  const MappedBuffer in = buffer(s, 16 * kStep, kStorage | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  fill(in, 3);
  const MappedBuffer out = buffer(s, 16 * kStep, kStorage);
  const VkDescriptorSetLayout layouts[3] = {
      create_set_layout(s, {{0, kUniform, 1, kStage, nullptr}}),
      create_set_layout(s, {{0, kWords, 1, kStage, nullptr}}),
      create_set_layout(s, {{1, kWords, 1, kStage, nullptr}, {0, kUniform, 1, kStage, nullptr}})};
  const VkPipelineLayout layout = create_layout(s, {layouts[0], layouts[1], layouts[2]}, {{kStage, 0, 8}});
  // The first two sets mean the same in this one.
  const VkPipelineLayout other = create_layout(s, {layouts[0], layouts[1], layouts[0]}, {{kStage, 0, 8}});
  const VkDescriptorPool pool = create_pool(s, 4, {{kUniform, 1}, {kWords, 1}});
  VkDescriptorSet sets[3];
  const VkDescriptorSetAllocateInfo allocation{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 3,
                                               layouts};
  CHECK(vkAllocateDescriptorSets(s.device, &allocation, sets));
  const VkDescriptorSet apart = allocate_set(s, pool, layouts[0]);
  write(s, sets[0], 0, kUniform, in.buffer, 0);
  write(s, sets[1], 0, kWords, in.buffer, kStep);
  write(s, sets[2], 0, kUniform, in.buffer, 2 * kStep);
  write(s, sets[2], 1, kWords, out.buffer, 0);
  write(s, apart, 0, kUniform, in.buffer, 9 * kStep);

  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, create_compute(s, layout, shader(s, sums_comp_spv)));
  const auto bind = [&](VkPipelineLayout by, std::uint32_t first, std::vector<VkDescriptorSet> some,
                        std::vector<std::uint32_t> offsets) {
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, by, first, static_cast<std::uint32_t>(some.size()),
                            some.data(), static_cast<std::uint32_t>(offsets.size()), offsets.data());
  };
  std::uint32_t expected[9][3] = {};  // each dispatch's places of a, b and c, in steps
  std::uint32_t n = 0;
  const auto dispatch = [&](std::uint32_t at_a, std::uint32_t at_b, std::uint32_t at_c) {
    const std::uint32_t push[2] = {n + 1, n * 1000};
    vkCmdPushConstants(s.cmd, layout, kStage, 0, 4, push);
    vkCmdPushConstants(s.cmd, layout, kStage, 4, 4, push + 1);
    vkCmdDispatch(s.cmd, 1, 1, 1);
    const std::uint32_t places[3] = {at_a, at_b, at_c};
    std::memcpy(expected[n++], places, sizeof places);
  };
  bind(layout, 0, {sets[0], sets[1], sets[2]}, {0, 0, 0, 0});
  dispatch(0, 1, 2);
  bind(layout, 2, {sets[2]}, {3 * kStep, 1 * kStep});  // the uniform buffer's is first: binding 0
  dispatch(0, 1, 5);
  bind(layout, 1, {sets[1], sets[2]}, {4 * kStep, 6 * kStep, 2 * kStep});
  dispatch(0, 5, 8);
  bind(other, 0, {apart, sets[1]}, {2 * kStep, 7 * kStep});  // set 2 has to be bound again
  bind(layout, 2, {sets[2]}, {0, 3 * kStep});
  dispatch(11, 8, 2);
  bind(layout, 0, {sets[0]}, {12 * kStep});  // what is above stays
  bind(layout, 2, {sets[2]}, {kStep, 4 * kStep});
  dispatch(12, 8, 3);
  run(s);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t w = 0; w < 16; ++w) {
      const auto at = [&](std::uint32_t k) { return in.words[expected[i][k] * kStep / 4 + w]; };
      EXPECT(s, out.words[i * kStep / 4 + w] == (at(0) + 3 * at(1) + 5 * at(2)) * (i + 1) + i * 1000);
    }
  add(s, out);
  return finish(s);
}
