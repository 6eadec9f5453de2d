// SPDX-License-Identifier: Apache-2.0
// Chapter "Resource Descriptors", immutable samplers: in arrays of combined images,
// beside others that are not, in a binding of samplers alone that nobody ever
// writes, copied with their sets and written by templates.
#include "chapter.h"
#include "fixed.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkDescriptorType kBoth = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kSampler = VK_DESCRIPTOR_TYPE_SAMPLER,
                           kImage = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, kWords = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

VkSampler sampler(Session& s, VkFilter filter, VkSamplerAddressMode mode) {
  return create_sampler(s, {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                            .magFilter = filter,
                            .minFilter = filter,
                            .addressModeU = mode,
                            .addressModeV = mode,
                            .addressModeW = mode,
                            .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE});
}

Image create_columns(Session& s, const MappedBuffer& words) {
  const Image i = create_general(
      s, image_info(VK_FORMAT_R8G8B8A8_UNORM, {4, 1, 1}, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT));
  const VkBufferImageCopy all{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {4, 1, 1}};
  vkCmdCopyBufferToImage(s.cmd, words.buffer, i.image, VK_IMAGE_LAYOUT_GENERAL, 1, &all);
  barrier(s.cmd);
  return i;
}

}  // namespace

int main() {
  Needs needs;
  Session s = open("fixed_samplers", needs);
  const std::uint32_t columns[4] = {0xff0000ff, 0xff00ff00, 0xffff0000, 0xff808080};
  const MappedBuffer words = buffer_of(s, kCopies, columns), out = buffer(s, 256, kStorage);
  const Image image = create_columns(s, words);
  const VkSampler nearest = sampler(s, VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
                  linear = sampler(s, VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT),
                  border = sampler(s, VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER);
  const VkSampler fixed[3] = {nearest, border, linear}, alone[2] = {border, nearest};
  const VkDescriptorSetLayout set_layout = create_set_layout(s, {{0, kBoth, 3, kCompute, fixed},
                                                                 {1, kSampler, 2, kCompute, alone},
                                                                 {2, kImage, 1, kCompute, nullptr},
                                                                 {3, kBoth, 1, kCompute, nullptr},
                                                                 {4, kWords, 1, kCompute, nullptr}});
  const VkDescriptorPool pool = create_pool(s, 2, {{kBoth, 4}, {kSampler, 2}, {kImage, 1}, {kWords, 1}});
  const VkDescriptorSet sets[2] = {allocate_set(s, pool, set_layout), allocate_set(s, pool, set_layout)};
  const VkDescriptorImageInfo infos[4] = {{VK_NULL_HANDLE, image.view, VK_IMAGE_LAYOUT_GENERAL},
                                          {VK_NULL_HANDLE, image.view, VK_IMAGE_LAYOUT_GENERAL},
                                          {VK_NULL_HANDLE, image.view, VK_IMAGE_LAYOUT_GENERAL},
                                          {border, image.view, VK_IMAGE_LAYOUT_GENERAL}};
  const VkDescriptorUpdateTemplateEntry entries[3] = {
      {0, 0, 3, kBoth, 0, sizeof infos[0]}, {2, 0, 1, kImage, 0, 0}, {3, 0, 1, kBoth, 3 * sizeof infos[0], 0}};
  const VkDescriptorUpdateTemplateCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
                                                  nullptr,
                                                  0,
                                                  3,
                                                  entries,
                                                  VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
                                                  set_layout,
                                                  VK_PIPELINE_BIND_POINT_COMPUTE,
                                                  VK_NULL_HANDLE,
                                                  0};
  VkDescriptorUpdateTemplate by;
  CHECK(vkCreateDescriptorUpdateTemplate(s.device, &info, nullptr, &by));
  keep(s, vkDestroyDescriptorUpdateTemplate, by);
  vkUpdateDescriptorSetWithTemplate(s.device, sets[0], by, infos);
  const VkCopyDescriptorSet copies[3] = {
      {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, sets[0], 0, 0, sets[1], 0, 0, 3},
      {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, sets[0], 2, 0, sets[1], 2, 0, 1},
      {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, sets[0], 3, 0, sets[1], 3, 0, 1}};
  vkUpdateDescriptorSets(s.device, 0, nullptr, 3, copies);
  for (const VkDescriptorSet set : sets) write_buffer(s, set, 4, out);
  const VkPipelineLayout layout = create_layout(s, {set_layout}, {{kCompute, 0, 4}});
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, create_compute(s, layout, shader(s, fixed_comp_spv)));
  for (std::uint32_t i = 0; i < 2; ++i) {
    const std::uint32_t at = i * 8;
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &sets[i], 0, nullptr);
    vkCmdPushConstants(s.cmd, layout, kCompute, 0, 4, &at);
    vkCmdDispatch(s.cmd, 1, 1, 1);
  }
  run(s);
  for (std::uint32_t at : {0u, 8u}) {
    EXPECT(s, out.words[at] == 0xff808080 && out.words[at + 1] == 0xffffffff && out.words[at + 2] != 0xff808080);
    EXPECT(s, out.words[at + 3] == 0xffffffff && out.words[at + 4] == 0xff808080 && out.words[at + 5] == 0xffffffff);
  }
  add(s, out);
  return finish(s);
}
