// SPDX-License-Identifier: Apache-2.0
// Chapter "Shaders", entry points: three in one module, each with a layout that has
// its own bindings and none of the others', pointers that are selected, constants
// of constants, products of packed bytes.
#include "entries.spvasm.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkDescriptorType kType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

void dispatch(Session& s, VkShaderModule module, const char* entry, std::uint32_t binding, const MappedBuffer& in,
              const MappedBuffer& out, std::uint32_t groups, const VkSpecializationInfo* constants = nullptr) {
  const VkDescriptorSetLayout set_layout =
      create_set_layout(s, {{0, kType, 1, kCompute, nullptr}, {binding, kType, 1, kCompute, nullptr}});
  const VkPipelineLayout layout = create_layout(s, {set_layout});
  const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                         .stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0,
                                                   VK_SHADER_STAGE_COMPUTE_BIT, module, entry, constants},
                                         .layout = layout};
  VkPipeline pipeline;
  CHECK(vkCreateComputePipelines(s.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  keep(s, vkDestroyPipeline, pipeline);
  const VkDescriptorSet set = create_set(s, set_layout, {kType, kType});
  write_buffer(s, set, 0, in);
  write_buffer(s, set, binding, out);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdDispatch(s.cmd, groups, 1, 1);
}

}  // namespace

int main() {
  Needs needs;
  NEED(needs, Vulkan11Features, variablePointersStorageBuffer);
  NEED(needs, Vulkan13Features, shaderIntegerDotProduct);
  Session s = open("many_entries", needs);
  const MappedBuffer in = buffer(s, 256, kStorage), selected = buffer(s, 256, kStorage),
                     multiplied = buffer(s, 256, kStorage), dotted = buffer(s, 256, kStorage);
  fill(in, 9);
  const VkShaderModule module = shader(s, entries_spv);
  const std::uint32_t five = 5;
  const VkSpecializationMapEntry entry{3, 0, 4};
  const VkSpecializationInfo constants{1, &entry, 4, &five};
  dispatch(s, module, "first", 1, in, selected, 2);
  dispatch(s, module, "a second one", 2, in, multiplied, 3, &constants);
  dispatch(s, module, "main", 7, in, dotted, 5);
  run(s);
  EXPECT(s, selected.words[0] == in.words[4] && selected.words[1] == in.words[1] && selected.words[6] == in.words[10]);
  EXPECT(s, multiplied.words[5] == in.words[5] * 25 && multiplied.words[6] == 0);
  std::uint32_t squares = 0;
  for (int byte = 0; byte < 4; ++byte) squares += (in.words[4] >> 8 * byte & 0xff) * (in.words[4] >> 8 * byte & 0xff);
  EXPECT(s, dotted.words[4] == squares);
  for (const MappedBuffer& b : {selected, multiplied, dotted}) add(s, b);
  return finish(s);
}
