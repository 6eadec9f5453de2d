// SPDX-License-Identifier: Apache-2.0
// Subgroups of fragments: ballots, votes, sums and broadcasts, of sizes that are asked for,
// with helpers that do not count, in rectangles whose edges cut quads.
#include "ballots.frag.h"
#include "chapter.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent;

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED(needs, Vulkan13Features, subgroupSizeControl);
  NEED_CORE(needs, fragmentStoresAndAtomics);
  Session s = open("fragment_subgroups", needs);
  const auto subgroups =
      properties<VkPhysicalDeviceSubgroupProperties>(s, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  constexpr VkSubgroupFeatureFlags wanted = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
                                            VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
  if ((subgroups.supportedOperations & wanted) != wanted ||
      (subgroups.supportedStages & VK_SHADER_STAGE_FRAGMENT_BIT) == 0)
    leave("subgroups of fragments");
  const auto sizes = properties<VkPhysicalDeviceSubgroupSizeControlProperties>(
      s, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{3} * kTexels * 4);
  const MappedBuffer results = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkDescriptorSetLayout layout =
      create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}});
  const VkDescriptorSet set = create_set(s, layout, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER});
  write_buffer(s, set, 0, results);
  Drawing d = shapes(s, {layout});
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, ballots_frag_spv));
  const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, sizes.maxSubgroupSize};
  const bool asks = (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_FRAGMENT_BIT) != 0;
  for (int i = 0; i < 3; ++i) {
    d.stages[1].pNext = i == 1 && asks ? &size : nullptr;
    d.stages[1].flags =
        i == 2 ? VkPipelineShaderStageCreateFlags{VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT} : 0;
    const VkPipeline pipeline = build(s, d);
    begin_rendering(s.cmd, canvas);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d.layout, 0, 1, &set, 0, nullptr);
    draw(s.cmd, d.layout, {-1, -0.75f, 0.75f, 0.5f});
    vkCmdEndRendering(s.cmd);
    take(s, p, canvas);
  }
  run(s);
  EXPECT(s, results.words[0] == 0 && results.words[1] == 3 * 35 && results.words[2] > 0);
  EXPECT(s, count(p.out.words, kTexels, kBlack) == kTexels - 35);
  add(s, p.out);
  add(s, results);
  return finish(s);
}
