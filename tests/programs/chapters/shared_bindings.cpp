// SPDX-License-Identifier: Apache-2.0
// Chapter "Resource Descriptors", shaders' interfaces: two variables over one
// binding, arrays as long as a constant says, sets with numbers left out, bindings
// in no order with large numbers, layouts that have more than a shader uses, and
// an entry point that is not called main.
#include "interface.comp.h"
#include "words.h"

using namespace program;

int main() {
  Needs needs;
  NEED_CORE(needs, shaderStorageBufferArrayDynamicIndexing);
  Session s = open("shared_bindings", needs);
  constexpr VkDescriptorType words = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, uniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  const MappedBuffer in = buffer(s, 4096, kStorage | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT),
                     out = buffer(s, 512, kStorage);
  fill(in, 7);
  const VkDescriptorSetLayout sets[4] = {
      create_set_layout(s, {{40, words, 5, kCompute, nullptr}, {3, words, 1, kCompute, nullptr}}),
      create_set_layout(s, {}), create_set_layout(s, {{9, uniform, 3, VK_SHADER_STAGE_ALL, nullptr}}),
      create_set_layout(s,
                        {{1000, words, 1, kCompute, nullptr}, {0, uniform, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}})};
  const VkPipelineLayout layout = create_layout(s, {sets[0], sets[1], sets[2], sets[3]});
  const VkDescriptorPool pool = create_pool(s, 4, {{words, 3}, {uniform, 2}});
  VkDescriptorSet bound[4];
  const VkDescriptorSetAllocateInfo allocation{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 4, sets};
  CHECK(vkAllocateDescriptorSets(s.device, &allocation, bound));
  VkDescriptorBufferInfo infos[5];
  for (std::uint32_t i = 0; i < 5; ++i) infos[i] = {in.buffer, i * 256, 256};
  const VkWriteDescriptorSet write{
      VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, bound[0], 40, 0, 5, words, nullptr, infos, nullptr};
  vkUpdateDescriptorSets(s.device, 1, &write, 0, nullptr);
  write_buffer(s, bound[0], 3, in);
  write_buffer(s, bound[3], 1000, out);
  // Of set 2 and the other binding of set 3 the shader uses nothing: never written.

  const VkShaderModule module = shader(s, interface_comp_spv);
  for (std::uint32_t n = 0; n < 3; ++n) {
    // Two numbers, the second of which lies within the first one's bytes; one that the shader has not.
    const std::uint32_t data[2] = {n * 2 + 1, n};
    const VkSpecializationMapEntry entries[3] = {{7, 0, 4}, {12, 4, 4}, {99, 2, 4}};
    const VkSpecializationInfo constants{n == 0 ? 0u : 3u, entries, sizeof data, data};
    const VkPipeline pipeline = create_compute(s, layout, module, n == 0 ? nullptr : &constants);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, bound, 0, nullptr);
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 1, 3, bound + 1, 0, nullptr);
    vkCmdDispatch(s.cmd, 1, 1, 1);
    barrier(s.cmd);
  }
  run(s);
  for (std::uint32_t n = 0; n < 3; ++n) {
    std::uint32_t expected = 0;
    for (std::uint32_t i = 0; i < n * 2 + 1; ++i) expected += in.words[i * 64];
    EXPECT(s, out.words[n * 4] == expected);
    float as_float;
    std::memcpy(&as_float, &in.words[1], 4);
    EXPECT(s, std::memcmp(&out.words[n * 4 + 1], &as_float, 4) == 0);
  }
  add(s, out);
  return finish(s);
}
