// SPDX-License-Identifier: Apache-2.0
// Chapter "Shaders", robustness that is a pipeline's or a stage's own: of buffers
// as old and new, of images, beside pipelines that have none and stay within.
#include "edge.comp.h"
#include "words.h"

using namespace program;

int main() {
  Needs needs({VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME});
  NEED(needs, PipelineRobustnessFeaturesEXT, pipelineRobustness);
  Session s = open("robust_pipelines", needs);
  const MappedBuffer in = buffer(s, 256, kStorage), out = buffer(s, 256, kStorage);
  fill(in, 6);
  const VkShaderModule module = shader(s, edge_comp_spv);
  Kernel k = create_kernel(s, module, {in, out});
  const VkDescriptorBufferInfo sixteen{in.buffer, 0, 64};
  const VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, k.set,    0,      0, 1,
                                   VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,      nullptr, &sixteen, nullptr};
  vkUpdateDescriptorSets(s.device, 1, &write, 0, nullptr);
  constexpr auto none = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT,
                 robust = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_EXT;
  for (std::uint32_t n = 0; n < 3; ++n) {
    const VkPipelineRobustnessCreateInfoEXT own{VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
                                                nullptr,
                                                n == 0 ? none : robust,
                                                VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DEVICE_DEFAULT_EXT,
                                                none,
                                                VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_DEVICE_DEFAULT_EXT};
    const VkComputePipelineCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .pNext = n == 2 ? nullptr : &own,
        .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, n == 2 ? &own : nullptr, 0,
                  VK_SHADER_STAGE_COMPUTE_BIT, module, "main", nullptr},
        .layout = k.layout};
    CHECK(vkCreateComputePipelines(s.device, VK_NULL_HANDLE, 1, &info, nullptr, &k.pipeline));
    keep(s, vkDestroyPipeline, k.pipeline);
    bind(s.cmd, k);
    push(s.cmd, k, n == 0 ? 3 : 1000000, n * 4);  // far beyond, where that does no harm
    vkCmdDispatch(s.cmd, 1, 1, 1);
    barrier(s.cmd);
  }
  run(s);
  EXPECT(s, out.words[0] == mix(6, 3) && out.words[1] == 16 && out.words[5] == 16);
  EXPECT(s, out.words[4] == 0 && out.words[8] == 0);
  add(s, out);
  return finish(s);
}
