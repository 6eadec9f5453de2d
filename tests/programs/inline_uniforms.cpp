// SPDX-License-Identifier: Apache-2.0
// Inline uniform blocks: written whole, in part, copied, and by a template. For
// them counts and array elements are bytes.
#include <cstddef>

#include "blocks.comp.h"
#include "kernel.h"

using namespace program;

namespace {

constexpr VkDescriptorType kInline = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;

void write(Session& s, VkDescriptorSet set, std::uint32_t offset, const std::vector<std::uint32_t>& words) {
  const auto bytes = static_cast<std::uint32_t>(words.size() * 4);
  const VkWriteDescriptorSetInlineUniformBlock block{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
                                                     nullptr, bytes, words.data()};
  const VkWriteDescriptorSet info{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .pNext = &block,
                                  .dstSet = set,
                                  .dstBinding = 0,
                                  .dstArrayElement = offset,
                                  .descriptorCount = bytes,
                                  .descriptorType = kInline};
  vkUpdateDescriptorSets(s.device, 1, &info, 0, nullptr);
}

}  // namespace

int main() {
  VkPhysicalDeviceInlineUniformBlockFeatures blocks{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_FEATURES,
                                                    nullptr, VK_TRUE};
  Wanted wanted;
  wanted.features = &blocks;
  wanted.extensions = {VK_EXT_INLINE_UNIFORM_BLOCK_EXTENSION_NAME};
  Session s = open("inline_uniforms", wanted);
  const MappedBuffer out = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkDescriptorSetLayout set_layout =
      create_set_layout(s, {{0, kInline, 32, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
                            {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}});
  const VkPipelineLayout layout = create_layout(s, {set_layout}, {{VK_SHADER_STAGE_COMPUTE_BIT, 0, 4}});
  const VkPipeline pipeline = create_compute(s, layout, shader(s, blocks_comp_spv));
  const VkDescriptorPoolInlineUniformBlockCreateInfo bindings{
      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO, nullptr, 4};
  const VkDescriptorPool pool = create_pool(s, 4, {{kInline, 32}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}}, &bindings);
  VkDescriptorSet sets[4];
  for (VkDescriptorSet& set : sets) {
    set = allocate_set(s, pool, set_layout);
    write_buffer(s, set, 1, out);
  }

  write(s, sets[0], 0, {1, 0, 0, 2, 0, 3, 0, 0});
  write(s, sets[1], 0, {1, 0, 0, 2, 0, 3, 0, 0});
  write(s, sets[1], 20, {7});  // the second vector's y
  const VkCopyDescriptorSet copies[2] = {
      {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, sets[1], 0, 16, sets[2], 0, 16, 16},
      {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, sets[0], 0, 0, sets[2], 0, 0, 16}};
  vkUpdateDescriptorSets(s.device, 0, nullptr, 2, copies);
  struct Data {
    std::uint64_t unused = 0;
    std::uint32_t words[8] = {4, 0, 0, 5, 0, 6, 0, 0};
  } const data;
  const VkDescriptorUpdateTemplateEntry entry{0, 0, 32, kInline, offsetof(Data, words), 1u << 20};  // no stride
  const VkDescriptorUpdateTemplateCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
                                                  nullptr,
                                                  0,
                                                  1,
                                                  &entry,
                                                  VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
                                                  set_layout,
                                                  VK_PIPELINE_BIND_POINT_COMPUTE,
                                                  layout,
                                                  0};
  VkDescriptorUpdateTemplate made;
  CHECK(vkCreateDescriptorUpdateTemplate(s.device, &info, nullptr, &made));
  vkUpdateDescriptorSetWithTemplate(s.device, sets[3], made, &data);
  vkDestroyDescriptorUpdateTemplate(s.device, made, nullptr);

  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  for (std::uint32_t i = 0; i < 4; ++i) {
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &sets[i], 0, nullptr);
    vkCmdPushConstants(s.cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &i);
    vkCmdDispatch(s.cmd, 1, 1, 1);
  }
  run(s);
  const std::uint32_t expected[4] = {321, 721, 721, 654};
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT(s, out.words[i] == expected[i]);
  add(s, out);
  return finish(s);
}
