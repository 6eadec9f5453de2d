// SPDX-License-Identifier: Apache-2.0
// Chapter "Resource Descriptors", inline uniform blocks: written word by word and
// all at once, copied in parts between blocks at other offsets, two in a set beside
// a buffer, changed between submits and, where that may be, after they were bound.
#include "inlined.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkDescriptorType kBlock = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, kWords = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

void write(Session& s, VkDescriptorSet set, std::uint32_t binding, std::uint32_t at,
           const std::vector<std::uint32_t>& words) {
  const auto bytes = static_cast<std::uint32_t>(words.size() * 4);
  const VkWriteDescriptorSetInlineUniformBlock block{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
                                                     nullptr, bytes, words.data()};
  const VkWriteDescriptorSet write{
      VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, &block, set, binding, at, bytes, kBlock, nullptr, nullptr, nullptr};
  vkUpdateDescriptorSets(s.device, 1, &write, 0, nullptr);
}

VkCopyDescriptorSet copy(VkDescriptorSet from, std::uint32_t binding, std::uint32_t at, VkDescriptorSet to,
                         std::uint32_t to_binding, std::uint32_t to_at, std::uint32_t bytes) {
  return {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, from, binding, at, to, to_binding, to_at, bytes};
}

}  // namespace

int main() {
  Needs needs;
  NEED(needs, Vulkan13Features, inlineUniformBlock);
  Session s = open("inline_parts", needs);
  const VkDescriptorSetLayout set_layout = create_set_layout(
      s, {{0, kBlock, 64, kCompute, nullptr}, {1, kWords, 1, kCompute, nullptr}, {5, kBlock, 16, kCompute, nullptr}});
  const VkDescriptorPoolInlineUniformBlockCreateInfo blocks{
      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO, nullptr, 6};
  const VkDescriptorPool pool = create_pool(s, 3, {{kBlock, 80}, {kWords, 1}}, &blocks);
  const VkDescriptorSet sets[3] = {allocate_set(s, pool, set_layout), allocate_set(s, pool, set_layout),
                                   allocate_set(s, pool, set_layout)};
  const MappedBuffer out = buffer(s, 3 * 256, kStorage);
  for (std::uint32_t n = 0; n < 3; ++n) {
    const VkDescriptorBufferInfo part{out.buffer, n * 256, 256};
    const VkWriteDescriptorSet to{
        VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, sets[n], 1, 0, 1, kWords, nullptr, &part, nullptr};
    vkUpdateDescriptorSets(s.device, 1, &to, 0, nullptr);
  }
  write(s, sets[0], 0, 0, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  write(s, sets[0], 5, 0, {100, 101, 102, 103});
  for (std::uint32_t i = 0; i < 16; ++i) write(s, sets[1], 0, (15 - i) * 4, {200 + i});
  write(s, sets[1], 5, 8, {300, 301});
  write(s, sets[1], 5, 0, {302, 303});
  const VkCopyDescriptorSet copies[3] = {copy(sets[0], 0, 0, sets[2], 0, 0, 64),
                                         copy(sets[1], 0, 32, sets[2], 0, 12, 24),
                                         copy(sets[0], 0, 4, sets[2], 5, 0, 16)};
  vkUpdateDescriptorSets(s.device, 0, nullptr, 3, copies);
  const VkPipelineLayout layout = create_layout(s, {set_layout});
  const VkPipeline pipeline = create_compute(s, layout, shader(s, inlined_comp_spv));
  const auto dispatch = [&] {
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    for (const VkDescriptorSet set : sets) {
      vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(s.cmd, 1, 1, 1);
    }
    run(s);
    add(s, out);
  };
  dispatch();
  EXPECT(s, out.words[15] == 15 && out.words[19] == 103 && out.words[64] == 215 && out.words[64 + 16] == 302 &&
                out.words[64 + 19] == 301);
  EXPECT(s, out.words[128 + 2] == 2 && out.words[128 + 3] == 207 && out.words[128 + 8] == 202 &&
                out.words[128 + 9] == 9 && out.words[128 + 19] == 4);
  write(s, sets[0], 0, 60, {77});
  const VkCopyDescriptorSet again[1] = {copy(sets[0], 0, 60, sets[1], 5, 4, 4)};
  vkUpdateDescriptorSets(s.device, 0, nullptr, 1, again);
  dispatch();
  EXPECT(s, out.words[15] == 77 && out.words[64 + 17] == 77);
  return finish(s);
}
