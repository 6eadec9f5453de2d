// SPDX-License-Identifier: Apache-2.0
// Chapter "Resource Creation", buffer views: one view of each format that the
// device reads from texel buffers, at an offset and of a range of its own.
#include "texels_read.comp.h"
#include "words.h"

using namespace program;

namespace {

enum class Kind : std::uint32_t { floats, ints, uints };

struct Format {
  VkFormat format;
  std::uint32_t bytes;  // of a texel
  Kind kind;
};

constexpr Kind F = Kind::floats, I = Kind::ints, U = Kind::uints;
constexpr Format kFormats[] = {
    {VK_FORMAT_R8_UNORM, 1, F},
    {VK_FORMAT_R8_SNORM, 1, F},
    {VK_FORMAT_R8_UINT, 1, U},
    {VK_FORMAT_R8_SINT, 1, I},
    {VK_FORMAT_R8G8_UNORM, 2, F},
    {VK_FORMAT_R8G8_SNORM, 2, F},
    {VK_FORMAT_R8G8_UINT, 2, U},
    {VK_FORMAT_R8G8_SINT, 2, I},
    {VK_FORMAT_R8G8B8A8_UNORM, 4, F},
    {VK_FORMAT_R8G8B8A8_SNORM, 4, F},
    {VK_FORMAT_R8G8B8A8_UINT, 4, U},
    {VK_FORMAT_R8G8B8A8_SINT, 4, I},
    {VK_FORMAT_B8G8R8A8_UNORM, 4, F},
    {VK_FORMAT_A8B8G8R8_UNORM_PACK32, 4, F},
    {VK_FORMAT_A8B8G8R8_SNORM_PACK32, 4, F},
    {VK_FORMAT_A8B8G8R8_UINT_PACK32, 4, U},
    {VK_FORMAT_A8B8G8R8_SINT_PACK32, 4, I},
    {VK_FORMAT_A2R10G10B10_UNORM_PACK32, 4, F},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, F},
    {VK_FORMAT_A2B10G10R10_UINT_PACK32, 4, U},
    {VK_FORMAT_R16_UNORM, 2, F},
    {VK_FORMAT_R16_SNORM, 2, F},
    {VK_FORMAT_R16_UINT, 2, U},
    {VK_FORMAT_R16_SINT, 2, I},
    {VK_FORMAT_R16_SFLOAT, 2, F},
    {VK_FORMAT_R16G16_UNORM, 4, F},
    {VK_FORMAT_R16G16_SNORM, 4, F},
    {VK_FORMAT_R16G16_UINT, 4, U},
    {VK_FORMAT_R16G16_SINT, 4, I},
    {VK_FORMAT_R16G16_SFLOAT, 4, F},
    {VK_FORMAT_R16G16B16A16_UNORM, 8, F},
    {VK_FORMAT_R16G16B16A16_SNORM, 8, F},
    {VK_FORMAT_R16G16B16A16_UINT, 8, U},
    {VK_FORMAT_R16G16B16A16_SINT, 8, I},
    {VK_FORMAT_R16G16B16A16_SFLOAT, 8, F},
    {VK_FORMAT_R32_UINT, 4, U},
    {VK_FORMAT_R32_SINT, 4, I},
    {VK_FORMAT_R32_SFLOAT, 4, F},
    {VK_FORMAT_R32G32_UINT, 8, U},
    {VK_FORMAT_R32G32_SINT, 8, I},
    {VK_FORMAT_R32G32_SFLOAT, 8, F},
    {VK_FORMAT_R32G32B32_UINT, 12, U},
    {VK_FORMAT_R32G32B32_SINT, 12, I},
    {VK_FORMAT_R32G32B32_SFLOAT, 12, F},
    {VK_FORMAT_R32G32B32A32_UINT, 16, U},
    {VK_FORMAT_R32G32B32A32_SINT, 16, I},
    {VK_FORMAT_R32G32B32A32_SFLOAT, 16, F},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4, F},
    {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 4, F},
};
constexpr std::uint32_t kTexels = 16;

VkBufferView create_view(Session& s, VkBuffer buffer, VkFormat format, VkDeviceSize at, VkDeviceSize range) {
  const VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, nullptr, 0, buffer, format, at, range};
  VkBufferView view;
  CHECK(vkCreateBufferView(s.device, &info, nullptr, &view));
  return keep(s, vkDestroyBufferView, view);
}

bool readable(const Session& s, VkFormat format) {
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(s.physical, format, &properties);
  return (properties.bufferFeatures & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT) != 0;
}

}  // namespace

int main() {
  Needs needs;
  Session s = open("texel_formats", needs);
  constexpr auto type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
  constexpr auto stage = VK_SHADER_STAGE_COMPUTE_BIT;
  const MappedBuffer in = buffer(s, 4096, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
  fill(in, 1);
  for (std::uint32_t i = 0; i < 1024; ++i) in.words[i] &= 0x3f7f3f7f;  // no NaN in any float format
  const MappedBuffer out = buffer(s, std::size(kFormats) * kTexels * 16, kStorage);
  const VkDescriptorSetLayout set_layout =
      create_set_layout(s, {{0, type, 1, stage, nullptr},
                            {1, type, 1, stage, nullptr},
                            {2, type, 1, stage, nullptr},
                            {3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stage, nullptr}});
  const VkPipelineLayout layout = create_layout(s, {set_layout}, {{stage, 0, 8}});
  const VkPipeline pipeline = create_compute(s, layout, shader(s, texels_read_comp_spv));
  const VkDescriptorPool pool =
      create_pool(s, std::size(kFormats), {{type, 3}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}});
  const VkBufferView views[3] = {create_view(s, in.buffer, VK_FORMAT_R32_SFLOAT, 0, VK_WHOLE_SIZE),
                                 create_view(s, in.buffer, VK_FORMAT_R32_SINT, 0, VK_WHOLE_SIZE),
                                 create_view(s, in.buffer, VK_FORMAT_R32_UINT, 0, VK_WHOLE_SIZE)};
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  VkDeviceSize step = 256;  // a multiple of any device's alignment
  std::uint32_t read = 0;
  for (std::uint32_t n = 0; n < std::size(kFormats); ++n) {
    const Format& f = kFormats[n];
    if (!readable(s, f.format)) continue;
    const auto kind = static_cast<std::uint32_t>(f.kind);
    const VkDescriptorSet set = allocate_set(s, pool, set_layout);
    for (std::uint32_t binding = 0; binding < 3; ++binding) {
      VkBufferView view = views[binding];
      if (binding == kind) view = create_view(s, in.buffer, f.format, step * (n % 13), kTexels * f.bytes);
      const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = set,
                                       .dstBinding = binding,
                                       .descriptorCount = 1,
                                       .descriptorType = type,
                                       .pTexelBufferView = &view};
      vkUpdateDescriptorSets(s.device, 1, &write, 0, nullptr);
    }
    write_buffer(s, set, 3, out);
    const std::uint32_t push[2] = {kind, n * kTexels};
    vkCmdBindDescriptorSets(s.cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(s.cmd, layout, stage, 0, sizeof push, push);
    vkCmdDispatch(s.cmd, 1, 1, 1);
    ++read;
  }
  run(s);
  const auto* bytes = reinterpret_cast<const unsigned char*>(in.words);
  EXPECT(s, read > 20);
  EXPECT(s, out.words[2 * kTexels * 4] == bytes[256 * 2]);  // R8_UINT
  std::printf("%u formats\n", read);
  add(s, out);
  return finish(s);
}
