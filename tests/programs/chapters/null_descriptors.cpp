// SPDX-License-Identifier: Apache-2.0
// Chapters "Resource Descriptors" and "Shaders": descriptors of nothing, and
// accesses beyond the ends of buffers, texel buffers and images, all of which
// read zeros and write nothing.
#include "beyond.comp.h"
#include "image.h"
#include "words.h"

using namespace program;

namespace {

VkBufferView create_texels(Session& s, VkBuffer buffer) {
  const VkBufferViewCreateInfo info{
      VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, nullptr, 0, buffer, VK_FORMAT_R32_UINT, 0, 64};
  VkBufferView view;
  CHECK(vkCreateBufferView(s.device, &info, nullptr, &view));
  return keep(s, vkDestroyBufferView, view);
}

VkImageView create_square(Session& s) {
  const VkImage image =
      keep(s, vkDestroyImage,
           create_unbound_image(
               s, image_info(VK_FORMAT_R32_UINT, 4, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)));
  keep(s, vkFreeMemory, bind_to_memory_of_its_own(s, image));
  change_layout(s.cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  const VkClearColorValue value{.uint32 = {77, 0, 0, 0}};
  vkCmdClearColorImage(s.cmd, image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &kColor);
  barrier(s.cmd);
  return keep(s, vkDestroyImageView, create_view(s, image, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_UINT, kColor));
}

constexpr VkDescriptorType kTypes[4] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};

void write(Session& s, VkDescriptorSet set, VkBuffer buffer, VkBufferView texels, VkImageView image) {
  const VkDescriptorBufferInfo words{buffer, 0, buffer == VK_NULL_HANDLE ? VK_WHOLE_SIZE : 64};
  const VkDescriptorImageInfo square{VK_NULL_HANDLE, image, VK_IMAGE_LAYOUT_GENERAL};
  VkWriteDescriptorSet writes[4];
  for (std::uint32_t i = 0; i < 4; ++i)
    writes[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set, i, 0, 1, kTypes[i], &square, &words, &texels};
  vkUpdateDescriptorSets(s.device, 4, writes, 0, nullptr);
}

}  // namespace

int main() {
  Needs needs;
  needs.one_of = {{"VK_KHR_robustness2", VK_EXT_ROBUSTNESS_2_EXTENSION_NAME}};
  NEED_CORE(needs, robustBufferAccess);
  NEED(needs, Robustness2FeaturesEXT, robustBufferAccess2);
  NEED(needs, Robustness2FeaturesEXT, robustImageAccess2);
  NEED(needs, Robustness2FeaturesEXT, nullDescriptor);
  Session s = open("null_descriptors", needs);
  const MappedBuffer some =
      buffer(s, 256, kStorage | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
  fill(some, 5);
  const MappedBuffer out = buffer(s, 256, kStorage);
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (std::uint32_t i = 0; i < 4; ++i) bindings.push_back({i, kTypes[i], 1, kCompute, nullptr});
  bindings.push_back({4, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kCompute, nullptr});
  const VkDescriptorSetLayout set_layout = create_set_layout(s, bindings);
  const VkPipelineLayout layout = create_layout(s, {set_layout}, {{kCompute, 0, 8}});
  const VkDescriptorPool pool = create_pool(s, 2, {{kTypes[0], 1}, {kTypes[1], 2}, {kTypes[2], 1}, {kTypes[3], 1}});
  const VkDescriptorSet sets[2] = {allocate_set(s, pool, set_layout), allocate_set(s, pool, set_layout)};
  write(s, sets[0], some.buffer, create_texels(s, some.buffer), create_square(s));
  write(s, sets[1], VK_NULL_HANDLE, VK_NULL_HANDLE, VK_NULL_HANDLE);
  for (const VkDescriptorSet set : sets) write_buffer(s, set, 4, out);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, create_compute(s, layout, shader(s, beyond_comp_spv)));
  std::uint32_t to = 0;
  for (const auto& [set, at] : {std::pair{sets[0], 3u}, {sets[0], 16u}, {sets[1], 3u}}) {
    const std::uint32_t push[2] = {at, to};
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(s.cmd, layout, kCompute, 0, 8, push);
    vkCmdDispatch(s.cmd, 1, 1, 1);
    barrier(s.cmd);
    to += 8;
  }
  run(s);
  const std::uint32_t* w = out.words;
  EXPECT(s, w[0] == mix(5, 3) && w[1] == mix(5, 3) && w[2] == mix(5, 3) && w[3] == 77 && w[4] == 0xabc);
  for (std::uint32_t i = 8; i < 13; ++i) EXPECT(s, w[i] == 0 && w[i + 8] == 0);
  EXPECT(s, w[5] == 16 && w[21] == 0);  // lengths
  EXPECT(s, some.words[16] == mix(5, 16));
  add(s, out);
  add(s, some);
  return finish(s);
}
