// SPDX-License-Identifier: Apache-2.0
// Fragment shaders that store: atomics on images, texel buffers and storage buffers, loads
// from images of another format, stores into layers, before and behind a discard; a pass
// without any attachment at all.
#include "chapter.h"
#include "stores.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED_CORE(needs, fragmentStoresAndAtomics);
  Session s = open("fragment_storage", needs);
  if (!can_be(s, VK_FORMAT_R16G16_SFLOAT, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT)) leave("storage of RG16F");
  const Image canvas = create_canvas(s, kExtent);
  constexpr VkImageUsageFlags usage =
      VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const Image counts = create_general(s, image_info(VK_FORMAT_R32_UINT, kExtent, usage)),
              source = create_general(s, image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, usage));
  VkImageCreateInfo info = image_info(VK_FORMAT_R16G16_SFLOAT, kExtent, usage);
  info.arrayLayers = 2;
  const Image halves = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
  clear(s.cmd, counts, {});
  clear(s.cmd, halves, {.float32 = {-1, -2, 0, 0}});
  const MappedBuffer texels = buffer(s, kTexels * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  for (std::uint32_t i = 0; i < kTexels; ++i) texels.words[i] = mix(i, 31);
  const VkBufferImageCopy all{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                              .imageExtent = {kExtent, kExtent, 1}};
  vkCmdCopyBufferToImage(s.cmd, texels.buffer, source.image, kGeneral, 1, &all);
  barrier(s.cmd);
  const MappedBuffer cells = buffer(s, 256, VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT),
                     total = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkBufferViewCreateInfo texel_info{
      VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, nullptr, 0, cells.buffer, VK_FORMAT_R32_UINT, 0, 128};
  VkBufferView texel_view;
  CHECK(vkCreateBufferView(s.device, &texel_info, nullptr, &texel_view));
  keep(s, vkDestroyBufferView, texel_view);

  constexpr VkDescriptorType image = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, texel = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
                             words = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  constexpr VkShaderStageFlags fragment = VK_SHADER_STAGE_FRAGMENT_BIT;
  const VkDescriptorSetLayout layout = create_set_layout(s, {{0, image, 1, fragment, nullptr},
                                                             {1, image, 1, fragment, nullptr},
                                                             {2, image, 1, fragment, nullptr},
                                                             {3, texel, 1, fragment, nullptr},
                                                             {4, words, 1, fragment, nullptr}});
  const VkDescriptorSet set = allocate_set(s, create_pool(s, 1, {{image, 3}, {texel, 1}, {words, 1}}), layout);
  write_image(s, set, 0, counts.view, kGeneral, VK_NULL_HANDLE, image);
  write_image(s, set, 1, source.view, kGeneral, VK_NULL_HANDLE, image);
  write_image(s, set, 2, halves.view, kGeneral, VK_NULL_HANDLE, image);
  write_buffer(s, set, 4, total);
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = set,
                                   .dstBinding = 3,
                                   .descriptorCount = 1,
                                   .descriptorType = texel,
                                   .pTexelBufferView = &texel_view};
  vkUpdateDescriptorSets(s.device, 1, &write, 0, nullptr);
  Drawing d = shapes(s, {layout});
  d.stages[1] = stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, stores_frag_spv));
  const VkPipeline drawn = build(s, d);
  d.formats.clear();
  d.attachments.clear();
  const VkPipeline bare = build(s, d);

  const auto draws = [&](VkPipeline pipeline, const Shape& shape) {
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d.layout, 0, 1, &set, 0, nullptr);
    draw(s.cmd, d.layout, shape);
  };
  begin_rendering(s.cmd, canvas);
  draws(drawn, {-1, -1, 0.5f, 1, {0.5f, 0, 0, 1}, 0.25f});
  vkCmdEndRendering(s.cmd);
  barrier(s.cmd);
  const VkRenderingInfo nothing = rendering_info(kExtent, {});
  vkCmdBeginRendering(s.cmd, &nothing);
  draws(bare, {0, -0.5f, 1, 0.75f, {1, 0, 0, 1}, 0.75f});
  vkCmdEndRendering(s.cmd);
  barrier(s.cmd);
  Pictures p = create_pictures(s, std::size_t{4} * kTexels * 4);
  take(s, p, canvas);
  const std::uint32_t* counted = take(s, p, counts);
  for (std::uint32_t layer = 0; layer < 2; ++layer) take(s, p, halves, 4, VK_IMAGE_ASPECT_COLOR_BIT, 0, layer);
  run(s);
  EXPECT(s, total.words[0] == 48 * 2 + 20 * 4 && total.words[1] == 7 * 6);
  EXPECT(s, counted[1] == 2 && counted[3 * kExtent + 5] == 6 && counted[3 * kExtent + 7] == 4);
  EXPECT(s, cells.words[0] == 0xff && cells.words[7] == 0x7c);
  for (const MappedBuffer& b : {p.out, cells, total}) add(s, b);
  return finish(s);
}
