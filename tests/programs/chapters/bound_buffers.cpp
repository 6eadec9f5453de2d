// SPDX-License-Identifier: Apache-2.0
// Buffers of vertices and indices as they are bound: in parts, with sizes and strides of
// the command, none at all, read beyond their end where robust access says what is there,
// kept over pipelines, rebound between draws, one buffer for everything.
#include "bound.vert.h"
#include "chapter.h"
#include "varying.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent;

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_ROBUSTNESS_2_EXTENSION_NAME});
  NEED(needs, Robustness2FeaturesEXT, nullDescriptor);
  NEED(needs, Robustness2FeaturesEXT, robustBufferAccess2);
  NEED_CORE(needs, robustBufferAccess);
  Session s = open("bound_buffers", needs);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{6} * kTexels * 4);
  struct {
    float corners[8][2];
    float tints[8][4];
    std::uint32_t order[16];
  } all[1] = {};
  for (int i = 0; i < 8; ++i) {
    all->corners[i][0] = (i & 1) != 0 ? 0.75f : -0.75f;
    all->corners[i][1] = (i >> 1 & 1) != 0 ? 0.5f : -0.875f;
    for (int k = 0; k < 4; ++k) all->tints[i][k] = static_cast<float>((i * 5 + k * 3) % 8) / 8;
    all->order[i] = static_cast<std::uint32_t>(i);
    all->order[8 + i] = static_cast<std::uint32_t>(7 - i);
  }
  const MappedBuffer words = buffer_of(s, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT, all);
  const VkDeviceSize tints_at = sizeof all->corners, order_at = sizeof all->corners + sizeof all->tints;
  Drawing d = shapes(s);
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, bound_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, varying_frag_spv))};
  const VkVertexInputBindingDescription bindings[3] = {
      {0, 8, VK_VERTEX_INPUT_RATE_VERTEX}, {2, 16, VK_VERTEX_INPUT_RATE_VERTEX}, {3, 4, VK_VERTEX_INPUT_RATE_INSTANCE}};
  const VkVertexInputAttributeDescription attributes[3] = {
      {0, 0, VK_FORMAT_R32G32_SFLOAT, 0}, {1, 2, VK_FORMAT_R32G32B32A32_SFLOAT, 0}, {2, 3, VK_FORMAT_R32_SFLOAT, 0}};
  d.input.vertexBindingDescriptionCount = d.input.vertexAttributeDescriptionCount = 3;
  d.input.pVertexBindingDescriptions = bindings;
  d.input.pVertexAttributeDescriptions = attributes;
  const VkPipeline fixed = build(s, d);
  d.dynamic.push_back(VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE);
  const VkPipeline strides = build(s, d);
  std::vector<const std::uint32_t*> seen;
  const auto picture = [&](VkPipeline pipeline, auto&& draws) {
    begin_rendering(s.cmd, canvas);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draws();
    vkCmdEndRendering(s.cmd);
    seen.push_back(take(s, p, canvas));
  };
  const VkBuffer from[4] = {words.buffer, VK_NULL_HANDLE, words.buffer, VK_NULL_HANDLE};
  const VkDeviceSize offsets[4] = {0, 0, tints_at, 0};
  picture(fixed, [&] {
    vkCmdBindVertexBuffers(s.cmd, 0, 4, from, offsets);
    vkCmdBindIndexBuffer(s.cmd, words.buffer, order_at, VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexed(s.cmd, 4, 1, 0, 0, 0);
  });
  picture(fixed, [&] {  // bound still, but for one
    const VkDeviceSize later = tints_at + 32;
    vkCmdBindVertexBuffers(s.cmd, 2, 1, &words.buffer, &later);
    vkCmdDrawIndexed(s.cmd, 4, 1, 12, 0, 0);
  });
  picture(fixed, [&] {  // the colours end behind the second vertex: the others have none
    const VkDeviceSize sizes[4] = {sizeof all->corners, 0, 32, 0};
    vkCmdBindVertexBuffers2(s.cmd, 0, 4, from, offsets, sizes, nullptr);
    vkCmdDraw(s.cmd, 4, 1, 0, 0);
  });
  picture(strides, [&] {
    const VkDeviceSize sizes[4] = {words.bytes, 0, 96, 0}, every[4] = {24, 0, 32, 0};  // the fourth lies in the colours
    vkCmdBindVertexBuffers2(s.cmd, 0, 4, from, offsets, sizes, every);
    vkCmdDraw(s.cmd, 4, 1, 0, 0);
  });
  picture(strides, [&] {
    const VkDeviceSize instances = tints_at + 4;
    const VkDeviceSize sizes[2] = {96, 16}, every[2] = {0, 8}, at[2] = {tints_at, instances};
    const VkBuffer two[2] = {words.buffer, words.buffer};
    vkCmdBindVertexBuffers2(s.cmd, 2, 2, two, at, sizes, every);
    vkCmdDraw(s.cmd, 4, 2, 0, 0);
  });
  run(s);
  for (const std::uint32_t* one : seen) EXPECT(s, count(one, kTexels, kBlack) < kTexels);
  EXPECT(s, std::memcmp(seen[0], seen[1], kTexels * 4) != 0 && std::memcmp(seen[0], seen[3], kTexels * 4) != 0);
  add(s, p.out);
  return finish(s);
}
