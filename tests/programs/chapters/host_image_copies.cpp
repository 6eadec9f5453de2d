// SPDX-License-Identifier: Apache-2.0
// Images that the host copies to and from (VK_EXT_host_image_copy): rows and slices of
// the program's own length, levels, layers, volumes, blocks, aspects and planes, another
// image, mapped linear ones, the driver's own layout; before, between and behind submits.
#include <algorithm>
#include <numeric>

#include "chapter.h"

#ifdef VK_EXT_host_image_copy

using namespace program;

namespace {

constexpr VkImageUsageFlags kHost = VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;

struct Functions {
  PFN_vkCopyMemoryToImageEXT to_image = nullptr;
  PFN_vkCopyImageToMemoryEXT to_memory = nullptr;
  PFN_vkCopyImageToImageEXT to_another = nullptr;
  PFN_vkTransitionImageLayoutEXT transition = nullptr;
  PFN_vkGetImageSubresourceLayout2EXT layout = nullptr;
};

struct Scene {
  Functions f;
  Pictures pictures;
  std::uint32_t seed = 1;
};

// A part of an image, and how its texels lie in memory.
struct Part {
  VkImageSubresourceLayers layers{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  VkExtent3D extent{};
  VkOffset3D offset{};
  std::uint32_t row_length = 0, height = 0;
};

std::vector<std::uint8_t> noise(Scene& scene, std::size_t bytes) {
  std::vector<std::uint8_t> all(bytes);
  for (std::uint8_t& one : all) {
    scene.seed = scene.seed * 1664525 + 1013904223;
    one = static_cast<std::uint8_t>(scene.seed >> 24);
  }
  return all;
}

void move(Session& s, const Scene& scene, const Image& image, VkImageLayout from, VkImageLayout to,
          VkImageSubresourceRange range) {
  const VkHostImageLayoutTransitionInfoEXT info{
      VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO_EXT, nullptr, image.image, from, to, range};
  CHECK(scene.f.transition(s.device, 1, &info));
}
void move(Session& s, const Scene& scene, const Image& image, VkImageLayout from, VkImageLayout to) {
  move(s, scene, image, from, to, image.range);
}

Image create(Session& s, const Scene& scene, VkImageCreateInfo info,
             VkImageAspectFlags aspects = VK_IMAGE_ASPECT_COLOR_BIT) {
  info.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const VkImageUsageFlags all = info.usage;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;  // … for no view of it
  Image i;
  i.info = info;
  i.info.usage = all | kHost;
  i.range = {aspects, 0, info.mipLevels, 0, info.arrayLayers};
  i.image = create_unbound_image(s, i.info);
  i.memory = keep(s, vkFreeMemory, bind_to_memory_of_its_own(s, i.image));
  keep(s, vkDestroyImage, i.image);
  move(s, scene, i, VK_IMAGE_LAYOUT_UNDEFINED, kGeneral);
  return i;
}

void write(Session& s, const Scene& scene, const Image& image, const Part& part, const void* data,
           VkHostImageCopyFlagsEXT flags = 0) {
  const VkMemoryToImageCopyEXT region{VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT,
                                      nullptr,
                                      data,
                                      part.row_length,
                                      part.height,
                                      part.layers,
                                      part.offset,
                                      part.extent};
  const VkCopyMemoryToImageInfoEXT info{
      VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT, nullptr, flags, image.image, kGeneral, 1, &region};
  CHECK(scene.f.to_image(s.device, &info));
}

void read(Session& s, const Scene& scene, const Image& image, const Part& part, void* data,
          VkHostImageCopyFlagsEXT flags = 0) {
  const VkImageToMemoryCopyEXT region{VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY_EXT,
                                      nullptr,
                                      data,
                                      part.row_length,
                                      part.height,
                                      part.layers,
                                      part.offset,
                                      part.extent};
  const VkCopyImageToMemoryInfoEXT info{
      VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO_EXT, nullptr, flags, image.image, kGeneral, 1, &region};
  CHECK(scene.f.to_memory(s.device, &info));
}

bool can_copy(const Session& s, VkFormat format, VkImageTiling tiling = VK_IMAGE_TILING_OPTIMAL) {
  VkFormatProperties3 features{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
  VkFormatProperties2 all{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &features};
  vkGetPhysicalDeviceFormatProperties2(s.physical, format, &all);
  const VkFormatFeatureFlags2 has =
      tiling == VK_IMAGE_TILING_LINEAR ? features.linearTilingFeatures : features.optimalTilingFeatures;
  constexpr VkFormatFeatureFlags2 wanted = VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT |
                                           VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
  if ((has & wanted) == wanted) return true;
  std::printf("%s: no host copies of format %d\n", s.name, static_cast<int>(format));
  return false;
}

VkDeviceSize own_bytes(const Session& s, const Scene& scene, const Image& image, const VkImageSubresource& part) {
  VkSubresourceHostMemcpySizeEXT size{VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE_EXT};
  VkSubresourceLayout2EXT layout{VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_EXT, &size};
  const VkImageSubresource2EXT asked{VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_EXT, nullptr, part};
  scene.f.layout(s.device, image.image, &asked, &layout);
  return size.size;
}

void add_bytes(Session& s, const void* data, std::size_t bytes) {
  s.sum = s.sum * 31 + checksum(static_cast<const std::uint32_t*>(data), bytes / 4);
}

// Rows of 24 texels and slices of 20 rows, of which 16 by 16 are the image's: two layers of a level.
void strides(Session& s, Scene& scene) {
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, 32, 0);
  info.mipLevels = 3;
  info.arrayLayers = 4;
  const Image image = create(s, scene, info);
  Part part{{VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 2}, {16, 16, 1}};
  part.row_length = 24;
  part.height = 20;
  // Nothing behind the last row's texels is read: it is not there.
  const std::vector<std::uint8_t> data = noise(scene, ((20 + 15) * 24 + 16) * 4);
  write(s, scene, image, part, data.data());

  std::vector<std::uint32_t> tight(2 * 16 * 16);
  Part packed = part;
  packed.row_length = packed.height = 0;
  read(s, scene, image, packed, tight.data());
  bool same = true;
  for (std::size_t layer = 0; layer < 2; ++layer)
    for (std::size_t y = 0; y < 16; ++y)
      same = same && std::memcmp(&tight[(layer * 16 + y) * 16], &data[(layer * 20 + y) * 24 * 4], 64) == 0;
  EXPECT(s, same);
  add_bytes(s, tight.data(), tight.size() * 4);

  // Of the program's memory only what the texels take is written.
  std::vector<std::uint32_t> wide(36 * 24, 0x5a5a5a5a);
  read(s, scene, image, part, wide.data());
  EXPECT(s, wide[16] == 0x5a5a5a5a && wide[16 * 24] == 0x5a5a5a5a);
  EXPECT(s, std::memcmp(&wide[20 * 24], &tight[256], 64) == 0);

  // A corner of another level, small enough to stand in the record itself.
  Part corner{{VK_IMAGE_ASPECT_COLOR_BIT, 2, 3, 1}, {3, 2, 1}, {5, 6, 0}};
  const std::vector<std::uint8_t> few = noise(scene, 24);
  write(s, scene, image, corner, few.data());
  std::uint32_t back[6] = {};
  read(s, scene, image, corner, back);
  EXPECT(s, std::memcmp(back, few.data(), sizeof back) == 0);

  // The device sees what the host wrote, and the host what the device did.
  const std::uint32_t* seen = take(s, scene.pictures, image, 4, VK_IMAGE_ASPECT_COLOR_BIT, 1, 2);
  run(s);
  EXPECT(s, std::memcmp(seen, &tight[256], 1024) == 0);
  const VkClearColorValue half{{0.5f, 0.25f, 1.0f, 0.0f}};
  const VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 2, 1};
  vkCmdClearColorImage(s.cmd, image.image, kGeneral, &half, 1, &whole);
  run(s);
  std::vector<std::uint32_t> cleared(32 * 32);
  read(s, scene, image, {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 2, 1}, {32, 32, 1}}, cleared.data());
  EXPECT(s, cleared[0] == cleared[1023] && (cleared[0] & 0xff0000) == 0xff0000);
  add_bytes(s, cleared.data(), 4096);

  // Overwritten at once, twice; the last stays.
  for (const std::size_t bytes : {4096u, 4096u}) {
    const std::vector<std::uint8_t> last = noise(scene, bytes);
    write(s, scene, image, {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {32, 32, 1}}, last.data());
  }
  take(s, scene.pictures, image);
  run(s);
}

void volumes(Session& s, Scene& scene) {
  VkImageCreateInfo info = image_info(VK_FORMAT_R16G16B16A16_SFLOAT, VkExtent3D{8, 6, 5}, 0);
  info.imageType = VK_IMAGE_TYPE_3D;
  if (!can_copy(s, info.format)) return;
  const Image image = create(s, scene, info);
  std::vector<std::uint8_t> data = noise(scene, 8 * 8 * 6 * 5);
  for (std::size_t i = 1; i < data.size(); i += 2) data[i] &= 0x3f;  // numbers
  write(s, scene, image, {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {8, 6, 5}}, data.data());
  Part part{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {3, 4, 2}, {2, 1, 3}};
  part.row_length = 5;
  part.height = 6;
  std::vector<std::uint64_t> some(5 * 6 * 2);
  read(s, scene, image, part, some.data());
  EXPECT(s, std::memcmp(&some[6 * 5], &data[((4 * 6 + 1) * 8 + 2) * 8], 24) == 0);
  add_bytes(s, some.data(), 16);
  take(s, scene.pictures, image, 8);
  run(s);
}

void blocks(Session& s, Scene& scene) {
  const VkImageCreateInfo info = image_info(VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VkExtent3D{20, 12, 1}, 0);
  if (!can_copy(s, info.format)) return;
  const Image image = create(s, scene, info);
  Part part{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {20, 12, 1}};
  part.row_length = 32;  // eight blocks a row, of which five
  const std::vector<std::uint8_t> data = noise(scene, (2 * 8 + 5) * 8);
  write(s, scene, image, part, data.data());
  std::vector<std::uint64_t> tight(15);
  part.row_length = 0;
  read(s, scene, image, part, tight.data());
  EXPECT(s, std::memcmp(&tight[10], &data[2 * 64], 40) == 0);
  add_bytes(s, tight.data(), 120);
  Part inner{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {8, 4, 1}, {4, 8, 0}};
  std::uint64_t two[2] = {};
  read(s, scene, image, inner, two);
  EXPECT(s, two[0] == tight[11] && two[1] == tight[12]);
}

void aspect(Session& s, Scene& scene, VkFormat format, VkImageAspectFlags all, VkImageAspectFlags one,
            std::size_t texel) {
  if (!can_copy(s, format)) return;
  const Image image = create(s, scene, image_info(format, VkExtent3D{12, 10, 1}, 0), all);
  Part part{{one, 0, 0, 1}, {12, 10, 1}};
  std::vector<std::uint8_t> data = noise(scene, 120 * texel), back(120 * texel);
  if (texel == 4)  // numbers from 0 to 1
    for (std::size_t i = 0; i < 120; ++i) {
      const float depth = static_cast<float>(data[i * 4]) / 256.0f;
      std::memcpy(&data[i * 4], &depth, 4);
    }
  write(s, scene, image, part, data.data());
  read(s, scene, image, part, back.data());
  EXPECT(s, data == back);
  add_bytes(s, back.data(), back.size());
  take(s, scene.pictures, image, texel, one);
  run(s);
}

void planes(Session& s, Scene& scene) {
  constexpr VkFormat format = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM;
  if (!can_copy(s, format)) return;
  const Image image = create(s, scene, image_info(format, VkExtent3D{16, 8, 1}, 0));
  for (const auto& [plane, extent, texel] : {std::tuple(VK_IMAGE_ASPECT_PLANE_0_BIT, VkExtent3D{16, 8, 1}, 1u),
                                             std::tuple(VK_IMAGE_ASPECT_PLANE_1_BIT, VkExtent3D{8, 4, 1}, 2u)}) {
    const std::size_t bytes = std::size_t{extent.width} * extent.height * texel;
    const std::vector<std::uint8_t> data = noise(scene, bytes);
    std::vector<std::uint8_t> back(bytes);
    const VkImageAspectFlags one = static_cast<VkImageAspectFlags>(plane);
    write(s, scene, image, {{one, 0, 0, 1}, extent}, data.data());
    read(s, scene, image, {{one, 0, 0, 1}, extent}, back.data());
    EXPECT(s, data == back);
    add_bytes(s, back.data(), bytes);
  }
}

void copy(Session& s, const Scene& scene, const Image& from, const Image& to, const VkImageCopy2& region,
          VkHostImageCopyFlagsEXT flags) {
  const VkCopyImageToImageInfoEXT info{VK_STRUCTURE_TYPE_COPY_IMAGE_TO_IMAGE_INFO_EXT,
                                       nullptr,
                                       flags,
                                       from.image,
                                       kGeneral,
                                       to.image,
                                       kGeneral,
                                       1,
                                       &region};
  CHECK(scene.f.to_another(s.device, &info));
}

// From one image to another, and out of it in the driver's own layout into a third.
void other_images(Session& s, Scene& scene) {
  const VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, 16, 0);
  const Image first = create(s, scene, info), second = create(s, scene, info), third = create(s, scene, info);
  const Part whole{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {16, 16, 1}};
  const std::vector<std::uint8_t> data = noise(scene, 1024);
  write(s, scene, first, whole, data.data());
  const std::vector<std::uint8_t> nothing(1024);
  write(s, scene, second, whole, nothing.data());
  VkImageCopy2 region{
      VK_STRUCTURE_TYPE_IMAGE_COPY_2, nullptr, whole.layers, {4, 2, 0}, whole.layers, {1, 3, 0}, {10, 9, 1}};
  copy(s, scene, first, second, region, 0);
  std::vector<std::uint32_t> back(256);
  read(s, scene, second, whole, back.data());
  EXPECT(s, back[0] == 0 && std::memcmp(&back[3 * 16 + 1], &data[(2 * 16 + 4) * 4], 40) == 0);
  add_bytes(s, back.data(), 1024);
  region = {VK_STRUCTURE_TYPE_IMAGE_COPY_2, nullptr, whole.layers, {}, whole.layers, {}, {16, 16, 1}};
  copy(s, scene, first, third, region, VK_HOST_IMAGE_COPY_MEMCPY_EXT);
  read(s, scene, third, whole, back.data());
  EXPECT(s, std::memcmp(back.data(), data.data(), 1024) == 0);

  const VkDeviceSize bytes = own_bytes(s, scene, first, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0});
  EXPECT(s, bytes >= 1024);
  std::vector<std::uint8_t> own(bytes);
  read(s, scene, second, whole, own.data(), VK_HOST_IMAGE_COPY_MEMCPY_EXT);
  write(s, scene, third, whole, own.data(), VK_HOST_IMAGE_COPY_MEMCPY_EXT);
  std::vector<std::uint32_t> again(256);
  read(s, scene, second, whole, back.data());
  read(s, scene, third, whole, again.data());
  EXPECT(s, back == again);
  take(s, scene.pictures, third);
  run(s);
}

// One that is mapped, and written by pointer, by the device and by host copies in turn; and a
// mapped buffer that is copied to and from.
void mapped(Session& s, Scene& scene) {
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, 16, 0);
  info.tiling = VK_IMAGE_TILING_LINEAR;
  info.initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED;
  if (!can_copy(s, info.format, info.tiling)) return;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | kHost;
  Image image;
  image.info = info;
  image.range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  image.image = create_unbound_image(s, info);
  image.memory = keep(s, vkFreeMemory,
                      bind_to_memory_of_its_own(
                          s, image.image, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT));
  keep(s, vkDestroyImage, image.image);
  const VkImageSubresource all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  VkSubresourceLayout layout;
  vkGetImageSubresourceLayout(s.device, image.image, &all, &layout);
  void* pointer;
  CHECK(vkMapMemory(s.device, image.memory, 0, VK_WHOLE_SIZE, 0, &pointer));
  auto* texels = static_cast<std::uint8_t*>(pointer) + layout.offset;
  std::memset(texels, 0x11, 64);
  move(s, scene, image, VK_IMAGE_LAYOUT_PREINITIALIZED, kGeneral);
  const Part whole{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {16, 16, 1}};
  std::vector<std::uint32_t> back(256);
  read(s, scene, image, whole, back.data());
  EXPECT(s, back[0] == 0x11111111 && back[15] == 0x11111111);
  std::memset(texels, 0x22, 64);  // is written over before anybody sees it
  const std::vector<std::uint8_t> data = noise(scene, 16);
  write(s, scene, image, {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {4, 1, 1}}, data.data());
  EXPECT(s, std::memcmp(texels, data.data(), 16) == 0 && texels[16] == 0x22);
  texels[4] = 0x33;
  take(s, scene.pictures, image);
  run(s);
  read(s, scene, image, whole, back.data());
  EXPECT(s, (back[1] & 0xff) == 0x33 && back[4] == 0x22222222);
  add_bytes(s, back.data(), 64);

  const MappedBuffer memory = buffer(s, 2048, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const MappedBuffer out = create_readback(s, 2048);
  read(s, scene, image, whole, memory.words + 256);
  const VkBufferCopy copied{0, 0, 2048};
  vkCmdCopyBuffer(s.cmd, memory.buffer, out.buffer, 1, &copied);
  run(s);
  EXPECT(s, out.words[0] == 0 && out.words[260] == 0x22222222);
  memory.words[256] = 7;
  write(s, scene, image, whole, memory.words + 256);
  EXPECT(s, texels[0] == 7);
  vkUnmapMemory(s.device, image.memory);
}

template <class Properties>
void ask(Session& s, VkStructureType type) {
  Properties found{};
  found.sType = type;
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &found};
  vkGetPhysicalDeviceProperties2(s.physical, &all);
  std::vector<VkImageLayout> from(found.copySrcLayoutCount), to(found.copyDstLayoutCount);
  found.pCopySrcLayouts = from.data();
  found.pCopyDstLayouts = to.data();
  vkGetPhysicalDeviceProperties2(s.physical, &all);
  EXPECT(s, std::count(from.begin(), from.end(), kGeneral) == 1);
  EXPECT(s, std::count(to.begin(), to.end(), kGeneral) == 1);
}

}  // namespace

namespace program {
FEATURES_OF(HostImageCopyFeaturesEXT, HOST_IMAGE_COPY_FEATURES_EXT);
}  // namespace program

int main() {
  Needs needs({VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME});
  NEED(needs, HostImageCopyFeaturesEXT, hostImageCopy);
  Session s = open("host_image_copies", needs);
  Scene scene;
  scene.f = {load<PFN_vkCopyMemoryToImageEXT>(s, "vkCopyMemoryToImageEXT"),
             load<PFN_vkCopyImageToMemoryEXT>(s, "vkCopyImageToMemoryEXT"),
             load<PFN_vkCopyImageToImageEXT>(s, "vkCopyImageToImageEXT"),
             load<PFN_vkTransitionImageLayoutEXT>(s, "vkTransitionImageLayoutEXT"),
             load<PFN_vkGetImageSubresourceLayout2EXT>(s, "vkGetImageSubresourceLayout2EXT")};
  scene.pictures = create_pictures(s, 64 * 1024);
  ask<VkPhysicalDeviceHostImageCopyPropertiesEXT>(s, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES_EXT);
#ifdef VK_VERSION_1_4
  if (by_core_of_1_4())
    ask<VkPhysicalDeviceVulkan14Properties>(s, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_PROPERTIES);
#endif
  strides(s, scene);
  volumes(s, scene);
  blocks(s, scene);
  constexpr VkImageAspectFlags depth = VK_IMAGE_ASPECT_DEPTH_BIT, stencil = VK_IMAGE_ASPECT_STENCIL_BIT;
  aspect(s, scene, VK_FORMAT_D32_SFLOAT, depth, depth, 4);
  aspect(s, scene, VK_FORMAT_D16_UNORM, depth, depth, 2);
  aspect(s, scene, VK_FORMAT_S8_UINT, stencil, stencil, 1);
  planes(s, scene);
  other_images(s, scene);
  mapped(s, scene);
  add(s, scene.pictures.out);
  return finish(s);
}

#else

int main() { return program::cannot_run("the headers that it was built with do not have VK_EXT_host_image_copy"); }

#endif
