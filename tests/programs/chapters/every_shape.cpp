// SPDX-License-Identifier: Apache-2.0
// Chapters "Resource Creation" and "Clear Commands": images of every shape, lines,
// squares, cubes and volumes, of many layers and levels, cleared by many ranges
// at once, with views of every type, and read part by part.
#include "chapter.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkImageUsageFlags kBoth = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

struct Form {
  VkImageType type;
  VkExtent3D extent;
  std::uint32_t levels, layers;
  VkImageCreateFlags flags;
  std::vector<VkImageViewType> views;
};

const Form kForms[] = {
    {VK_IMAGE_TYPE_1D, {37, 1, 1}, 6, 1, 0, {VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY}},
    {VK_IMAGE_TYPE_1D, {5, 1, 1}, 1, 9, 0, {VK_IMAGE_VIEW_TYPE_1D_ARRAY}},
    {VK_IMAGE_TYPE_2D, {3, 17, 1}, 5, 1, 0, {VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY}},
    {VK_IMAGE_TYPE_2D,
     {8, 8, 1},
     4,
     13,
     VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
     {VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_VIEW_TYPE_CUBE, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY}},
    {VK_IMAGE_TYPE_3D, {9, 5, 7}, 4, 1, VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT, {VK_IMAGE_VIEW_TYPE_3D}},
    {VK_IMAGE_TYPE_3D, {1, 1, 31}, 5, 1, 0, {VK_IMAGE_VIEW_TYPE_3D}},
};

std::uint32_t size(std::uint32_t whole, std::uint32_t level) { return whole >> level == 0 ? 1 : whole >> level; }

// Every other level and layer in one command, the rest in another, the last ones by what remains.
void clear_parts(Session& s, VkImage image, const Form& form) {
  std::vector<VkImageSubresourceRange> even, odd;
  for (std::uint32_t level = 0; level + 1 < form.levels; ++level)
    for (std::uint32_t layer = 0; layer < form.layers; ++layer)
      ((level + layer) % 2 == 0 ? even : odd).push_back({VK_IMAGE_ASPECT_COLOR_BIT, level, 1, layer, 1});
  odd.push_back({VK_IMAGE_ASPECT_COLOR_BIT, form.levels - 1, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS});
  const VkClearColorValue values[2] = {{.uint32 = {1, 2, 3, 4}}, {.uint32 = {5, 6, 7, 8}}};
  if (!even.empty())
    vkCmdClearColorImage(s.cmd, image, VK_IMAGE_LAYOUT_GENERAL, &values[0], static_cast<std::uint32_t>(even.size()),
                         even.data());
  vkCmdClearColorImage(s.cmd, image, VK_IMAGE_LAYOUT_GENERAL, &values[1], static_cast<std::uint32_t>(odd.size()),
                       odd.data());
  barrier(s.cmd);
}

void write_one(Session& s, VkImage image, const Form& form, const MappedBuffer& words) {
  const std::uint32_t level = form.levels / 2, layer = form.layers / 2;
  const VkBufferImageCopy one{.bufferOffset = 64,
                              .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1},
                              .imageOffset = {static_cast<std::int32_t>(size(form.extent.width, level) - 1),
                                              static_cast<std::int32_t>(size(form.extent.height, level) - 1),
                                              static_cast<std::int32_t>(size(form.extent.depth, level) - 1)},
                              .imageExtent = {1, 1, 1}};
  vkCmdCopyBufferToImage(s.cmd, words.buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &one);
  barrier(s.cmd);
}

void read(Session& s, VkImage image, const Form& form, const MappedBuffer& out) {
  std::vector<VkBufferImageCopy> regions;
  VkDeviceSize at = 0;
  for (std::uint32_t level = 0; level < form.levels; ++level) {
    const VkExtent3D extent{size(form.extent.width, level), size(form.extent.height, level),
                            size(form.extent.depth, level)};
    regions.push_back({.bufferOffset = at,
                       .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, form.layers},
                       .imageExtent = extent});
    at += VkDeviceSize{4} * extent.width * extent.height * extent.depth * form.layers;
  }
  if (at > out.bytes) die("too large a shape", static_cast<long>(at));
  vkCmdCopyImageToBuffer(s.cmd, image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, static_cast<std::uint32_t>(regions.size()),
                         regions.data());
}

}  // namespace

int main() {
  Needs needs;
  NEED_CORE(needs, imageCubeArray);
  Session s = open("every_shape", needs);
  const MappedBuffer words = buffer(s, 256, kCopies), out = buffer(s, 8192, kCopies);
  fill(words, 4);
  for (const Form& form : kForms) {
    VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UINT, form.extent, kBoth | VK_IMAGE_USAGE_SAMPLED_BIT);
    info.imageType = form.type;
    info.mipLevels = form.levels;
    info.arrayLayers = form.layers;
    info.flags = form.flags;
    const VkImage image = keep(s, vkDestroyImage, create_unbound_image(s, info));
    keep(s, vkFreeMemory, bind_to_memory_of_its_own(s, image));
    for (const VkImageViewType view : form.views) {
      const std::uint32_t layers = view == VK_IMAGE_VIEW_TYPE_CUBE         ? 6
                                   : view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY ? 12
                                                                           : form.layers;
      create_view(s, image, view, info.format,
                  {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, form.layers - layers, layers});
    }
    change_layout(s.cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    clear_parts(s, image, form);
    write_one(s, image, form, words);
    read(s, image, form, out);
    run(s);
    EXPECT(s, out.words[0] == (form.levels == 1 ? 0x08070605 : 0x04030201) || out.words[0] == words.words[16]);
    add(s, out);
  }
  return finish(s);
}
