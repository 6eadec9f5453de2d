// SPDX-License-Identifier: Apache-2.0
// Specialization constants of graphics stages: of every type and width, data that
// begins within and overlaps, entries that no shader has, the same number for another
// thing in each stage, sizes of arrays and expressions; several pipelines of one call.
#include "chapter.h"
#include "typed.frag.h"
#include "typed.vert.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent;

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED_CORE(needs, shaderFloat64);
  NEED_CORE(needs, shaderInt64);
  NEED_CORE(needs, shaderInt16);
  NEED(needs, Vulkan12Features, shaderInt8);
  Session s = open("typed_constants", needs);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{4} * kTexels * 4);
  // One block of data that both stages read, each in its own way.
  std::uint8_t data[64] = {};
  const float wide = 0.5f;
  const double deep = 0.75;
  const std::int64_t long_one = 0x123456789;
  const std::uint32_t truth = 1, number = 5;
  const std::int32_t shift = -1;
  const std::uint16_t half_word = 0x40;
  std::memcpy(data + 4, &wide, 4);
  std::memcpy(data + 8, &deep, 8);
  std::memcpy(data + 16, &long_one, 8);
  std::memcpy(data + 24, &truth, 4);
  std::memcpy(data + 28, &number, 4);
  std::memcpy(data + 33, &shift, 4);  // not aligned
  std::memcpy(data + 38, &half_word, 2);
  data[41] = 0xfc;
  const VkSpecializationMapEntry vertex[5] = {{5, 4, 4}, {6, 8, 8}, {90, 16, 8}, {3, 24, 4}, {1234, 0, 4}};
  const VkSpecializationMapEntry fragment[5] = {{9, 60, 4}, {3, 28, 4}, {4, 33, 4}, {7, 38, 2}, {8, 41, 1}};
  const VkSpecializationInfo of_vertices{5, vertex, sizeof data, data}, of_fragments{5, fragment, sizeof data, data},
      some{2, fragment + 1, 37, data}, none{0, reinterpret_cast<const VkSpecializationMapEntry*>(0x8), 0, nullptr};
  Drawing d = shapes(s);
  const VkShaderModule modules[2] = {shader(s, typed_vert_spv), shader(s, typed_frag_spv)};
  const VkSpecializationInfo* infos[3][2] = {{&of_vertices, &of_fragments}, {nullptr, &some}, {&of_vertices, &none}};
  for (const auto& info : infos) {
    d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, modules[0], info[0]),
                stage(VK_SHADER_STAGE_FRAGMENT_BIT, modules[1], info[1])};
    const VkPipeline pipeline = build(s, d);
    begin_rendering(s.cmd, canvas);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(s.cmd, 4, 1, 0, 0);
    vkCmdEndRendering(s.cmd);
    take(s, p, canvas);
  }
  run(s);
  const std::uint32_t* words = p.out.words;
  EXPECT(s, count(words, kTexels, kBlack) == kTexels - 16 && count(words + kTexels, kTexels, kBlack) == 0);
  EXPECT(s, words[2 * kExtent + 2] != words[2 * kTexels + 2 * kExtent + 2]);
  add(s, p.out);
  return finish(s);
}
