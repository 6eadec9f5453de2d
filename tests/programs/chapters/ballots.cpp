// SPDX-License-Identifier: Apache-2.0
// Chapter "Shaders", group operations of subgroups: votes, ballots, sums and
// shuffles, as many kinds as the device has, in pipelines that ask for whole
// subgroups and for a size of them.
#include "ballots.comp.h"
#include "words.h"

using namespace program;

namespace {

// The shader has a bit for each kind that it may use.
std::uint32_t operations(VkSubgroupFeatureFlags there) {
  constexpr VkSubgroupFeatureFlagBits kinds[] = {VK_SUBGROUP_FEATURE_VOTE_BIT, VK_SUBGROUP_FEATURE_BALLOT_BIT,
                                                 VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, VK_SUBGROUP_FEATURE_SHUFFLE_BIT,
                                                 VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT};
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < std::size(kinds); ++i)
    if ((there & kinds[i]) != 0) bits |= 1u << i;
  return bits;
}

}  // namespace

int main() {
  Needs needs;
  NEED(needs, Vulkan13Features, subgroupSizeControl);
  NEED(needs, Vulkan13Features, computeFullSubgroups);
  Session s = open("ballots", needs);
  const auto sizes = properties<VkPhysicalDeviceSubgroupSizeControlProperties>(
      s, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
  const auto subgroups =
      properties<VkPhysicalDeviceSubgroupProperties>(s, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  // A module declares all of them, whatever its constants leave of it.
  if (operations(subgroups.supportedOperations) != 31) leave("a kind of subgroup operation");
  const VkShaderModule module = shader(s, ballots_comp_spv);
  const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, sizes.maxSubgroupSize};
  const bool sized = (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  for (std::uint32_t n = 0; n < 3; ++n) {
    const MappedBuffer out = buffer(s, 128 * 8 * 4, kStorage);
    const std::uint32_t bits = n == 0 ? 31 : n == 1 ? 10 : 21;
    const VkSpecializationMapEntry entry{0, 0, 4};
    const VkSpecializationInfo constants{1, &entry, 4, &bits};
    Kernel k = create_kernel(s, module, {out}, &constants);
    const VkPipelineShaderStageCreateFlags flags =
        n == 1 ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0;
    const VkComputePipelineCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, n == 2 && sized ? &size : nullptr, flags,
                  VK_SHADER_STAGE_COMPUTE_BIT, module, "main", &constants},
        .layout = k.layout};
    CHECK(vkCreateComputePipelines(s.device, VK_NULL_HANDLE, 1, &info, nullptr, &k.pipeline));
    keep(s, vkDestroyPipeline, k.pipeline);
    bind(s.cmd, k);
    vkCmdDispatch(s.cmd, 4, 1, 1);
    run(s);
    EXPECT(s, out.words[8] % 100 == 1);
    add(s, out);
  }
  return finish(s);
}
