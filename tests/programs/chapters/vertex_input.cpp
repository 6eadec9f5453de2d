// SPDX-License-Identifier: Apache-2.0
// Vertex input: bindings and locations with holes, strides that overlap and that
// are zero, offsets into the middle of buffers, packed and 16-bit formats, rates by
// the instance with divisors of two and of none, first vertices and instances.
#include "chapter.h"
#include "formats.vert.h"
#include "varying.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;

struct Source {
  MappedBuffer vertices, places, numbers;
};

// Corners and tints overlap: a stride of 12 and an offset into the next one's bytes.
Source create_sources(Session& s) {
  Source from;
  std::int16_t corners[4 + 8 * 4] = {};
  for (int i = 0; i < 8; ++i) {
    corners[4 + i * 4 + 0] = static_cast<std::int16_t>((i & 1) != 0 ? 0x7fff : -0x7fff);
    corners[4 + i * 4 + 1] = static_cast<std::int16_t>((i >> 1 & 1) != 0 ? 0x7fff : -0x7fff);
    corners[4 + i * 4 + 2] = static_cast<std::int16_t>(0x1234 * i);
    corners[4 + i * 4 + 3] = static_cast<std::int16_t>(0x0421 * i);
  }
  from.vertices = buffer_of(s, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, corners);
  // -0.5, 0.5, 0.25, -0.25 as halves, in pairs
  const std::uint16_t places[10] = {0xffff, 0xffff, 0xb800, 0xb800, 0x3800, 0xb800, 0x3400, 0x3800, 0xb400, 0x3800};
  from.places = buffer_of(s, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, places);
  const std::uint8_t numbers[16] = {1, 2, 3, 0, 5, 6, 7, 0, 0x10, 0xf0, 4, 2, 2, 4, 6, 1};
  from.numbers = buffer_of(s, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, numbers);
  return from;
}

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME});
  NEED(needs, VertexAttributeDivisorFeaturesEXT, vertexAttributeInstanceRateDivisor);
  NEED(needs, VertexAttributeDivisorFeaturesEXT, vertexAttributeInstanceRateZeroDivisor);
  Session s = open("vertex_input", needs);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{4} * kTexels * 4);
  const Source from = create_sources(s);

  Drawing d = shapes(s);
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, formats_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, varying_frag_spv))};
  const VkVertexInputBindingDescription bindings[4] = {{1, 8, VK_VERTEX_INPUT_RATE_VERTEX},
                                                       {3, 4, VK_VERTEX_INPUT_RATE_INSTANCE},
                                                       {4, 4, VK_VERTEX_INPUT_RATE_INSTANCE},
                                                       {6, 0, VK_VERTEX_INPUT_RATE_INSTANCE}};
  const VkVertexInputBindingDivisorDescriptionEXT divisors[2] = {{4, 2}, {6, 0}};
  const VkPipelineVertexInputDivisorStateCreateInfoEXT divided{
      VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT, nullptr, 2, divisors};
  VkVertexInputAttributeDescription attributes[5] = {{0, 1, VK_FORMAT_R16G16_SNORM, 0},
                                                     {1, 1, VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4},
                                                     {3, 3, VK_FORMAT_R16G16_SFLOAT, 0},
                                                     {7, 4, VK_FORMAT_R8G8B8A8_UINT, 0},
                                                     {8, 6, VK_FORMAT_R8G8_SINT, 0}};
  d.input.pNext = &divided;
  d.input.vertexBindingDescriptionCount = 4;
  d.input.pVertexBindingDescriptions = bindings;
  d.input.vertexAttributeDescriptionCount = 5;
  d.input.pVertexAttributeDescriptions = attributes;
  const VkPipeline packed = build(s, d);
  attributes[1].format = VK_FORMAT_B8G8R8A8_UNORM;
  attributes[3].format = VK_FORMAT_R8_UINT;  // the others are 0, 0 and 1
  attributes[3].offset = 1;
  const VkPipeline small = build(s, d);

  const VkBuffer buffers[4] = {from.places.buffer, from.numbers.buffer, from.vertices.buffer, from.numbers.buffer};
  const VkDeviceSize offsets[4] = {4, 0, 0, 9};
  const VkDeviceSize vertices_at = 8;
  for (int i = 0; i < 4; ++i) {
    begin_rendering(s.cmd, canvas);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, i < 3 ? packed : small);
    vkCmdBindVertexBuffers(s.cmd, 1, 1, &from.vertices.buffer, &vertices_at);
    vkCmdBindVertexBuffers(s.cmd, 3, 2, buffers, offsets);          // 3 and 4
    vkCmdBindVertexBuffers(s.cmd, 5, 2, buffers + 2, offsets + 2);  // 5, which nothing reads, and 6
    if (i == 0) vkCmdDraw(s.cmd, 4, 4, 0, 0);
    if (i == 1) vkCmdDraw(s.cmd, 4, 2, 4, 0);
    // A divisor of one only may begin behind the first instance.
    if (i == 2) vkCmdDraw(s.cmd, 3, 3, 1, 0);
    if (i == 3) vkCmdDraw(s.cmd, 4, 4, 0, 0);
    vkCmdEndRendering(s.cmd);
    take(s, p, canvas);
  }
  run(s);
  const std::uint32_t* words = p.out.words;
  for (int i = 0; i < 4; ++i) {
    EXPECT(s, count(words + i * kTexels, kTexels, kBlack) < kTexels);
    for (int k = 0; k < i; ++k) EXPECT(s, std::memcmp(words + i * kTexels, words + k * kTexels, kTexels * 4) != 0);
  }
  add(s, p.out);
  return finish(s);
}
