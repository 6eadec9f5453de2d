// SPDX-License-Identifier: Apache-2.0
// Chapter "Resource Creation", views: an image in every format of a list, with and
// without one, usages of views that the image's own format lacks, texels of a
// block each, and a view of some layers and levels of an array.
#include "chapter.h"
#include "store.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkImageUsageFlags kBoth = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

struct Store {
  VkDescriptorSetLayout set_layout;
  VkPipelineLayout layout;
  VkPipeline pipeline;
};

Store create_store(Session& s) {
  Store t;
  t.set_layout = create_set_layout(s, {{0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, kCompute, nullptr}});
  t.layout = create_layout(s, {t.set_layout}, {{kCompute, 0, 8}});
  t.pipeline = create_compute(s, t.layout, shader(s, store_comp_spv));
  return t;
}

// Stores words into a view of R32_UINT, each different.
void store(Session& s, const Store& t, VkImageView view, VkExtent2D groups, std::uint32_t seed) {
  const VkDescriptorSet set = create_set(s, t.set_layout, {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE});
  write_image(s, set, 0, view, VK_IMAGE_LAYOUT_GENERAL, VK_NULL_HANDLE, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, t.pipeline);
  vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, t.layout, 0, 1, &set, 0, nullptr);
  const std::uint32_t push[2] = {seed, groups.width};
  vkCmdPushConstants(s.cmd, t.layout, kCompute, 0, 8, push);
  vkCmdDispatch(s.cmd, groups.width, groups.height, 1);
  barrier(s.cmd);
}

// SRGB, which cannot be stored to, by a view of words; then seen as both and copied.
void with_a_list(Session& s, const Store& t, Pictures& p) {
  const VkFormat formats[3] = {VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32_UINT};
  const VkImageFormatListCreateInfo list{VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO, nullptr, 3, formats};
  VkImageCreateInfo info =
      image_info(VK_FORMAT_R8G8B8A8_SRGB, 8, kBoth | VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT);
  info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
  info.pNext = &list;
  info.mipLevels = 2;
  info.arrayLayers = 3;
  const VkImageViewUsageCreateInfo sampled{VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO, nullptr,
                                           VK_IMAGE_USAGE_SAMPLED_BIT},
      stored{VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO, nullptr, VK_IMAGE_USAGE_STORAGE_BIT};
  Image i;
  i.info = info;
  i.range = kColor;
  i.image = keep(s, vkDestroyImage, create_unbound_image(s, info));
  i.memory = keep(s, vkFreeMemory, bind_to_memory_of_its_own(s, i.image));
  transition(s.cmd, i, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  create_view(s, i.image, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_R8G8B8A8_SRGB, kColor, &sampled);
  create_view(s, i.image, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, {VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 2, 1},
              &sampled);
  for (std::uint32_t layer = 0; layer < 3; ++layer)
    for (std::uint32_t level = 0; level < 2; ++level)
      store(s, t,
            create_view(s, i.image, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_UINT,
                        {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, layer, 1}, &stored),
            {8u >> level, 8u >> level}, layer * 2 + level + 1);
  const std::uint32_t* last = take(s, p, i, 4, VK_IMAGE_ASPECT_COLOR_BIT, 1, 2);
  const std::uint32_t* first = take(s, p, i);
  run(s);
  EXPECT(s, last[5] == 6u * 1000000 + 5 && first[63] == 1000063);
}

// A texel of words is a half of a block: stored so, copied as blocks.
void blocks(Session& s, Pictures& p) {
  VkImageCreateInfo info = image_info(VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {32, 16, 1}, kBoth | VK_IMAGE_USAGE_SAMPLED_BIT);
  info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT |
               VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT;
  VkImageFormatProperties there;
  if (vkGetPhysicalDeviceImageFormatProperties(s.physical, info.format, info.imageType, info.tiling, info.usage,
                                               info.flags, &there) != VK_SUCCESS)
    return;
  const MappedBuffer words = buffer(s, 256, kCopies);
  fill(words, 11);
  const Image i = create_general(s, info);
  const VkImageViewUsageCreateInfo sampled{VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO, nullptr,
                                           VK_IMAGE_USAGE_SAMPLED_BIT};
  create_view(s, i.image, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32G32_UINT, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
              &sampled);
  const VkBufferImageCopy all{
      .bufferOffset = 0, .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {32, 16, 1}};
  vkCmdCopyBufferToImage(s.cmd, words.buffer, i.image, VK_IMAGE_LAYOUT_GENERAL, 1, &all);
  barrier(s.cmd);
  VkBufferImageCopy back = all;
  back.bufferOffset = p.used;
  vkCmdCopyImageToBuffer(s.cmd, i.image, VK_IMAGE_LAYOUT_GENERAL, p.out.buffer, 1, &back);
  p.used += 256;
  run(s);
  EXPECT(s, std::memcmp(p.out.words + back.bufferOffset / 4, words.words, 256) == 0);
}

}  // namespace

int main() {
  Needs needs;
  WISH_CORE(needs, textureCompressionBC);
  Session s = open("mutable_formats", needs);
  Pictures p = create_pictures(s, 8192);
  const Store t = create_store(s);
  with_a_list(s, t, p);
  if (HAS_CORE(needs, textureCompressionBC)) blocks(s, p);
  add(s, p.out);
  return finish(s);
}
