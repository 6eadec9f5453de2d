// SPDX-License-Identifier: Apache-2.0
// What vertices hand to fragments: with perspective and without, flat, of centroids, by the
// component, in arrays of blocks; slopes beside discarded fragments, either face; into
// targets of sixteen bits, of whole numbers and of floats.
#include "chapter.h"
#include "interpolated.frag.h"
#include "interpolated.vert.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;
constexpr VkFormat kFormats[3] = {VK_FORMAT_R16G16B16A16_UNORM, VK_FORMAT_R8G8B8A8_UINT, VK_FORMAT_R32G32B32A32_SFLOAT};

}  // namespace

int main() {
  Needs needs = drawing_needs();
  NEED_CORE(needs, sampleRateShading);  // centroids within the shader
  Session s = open("interpolation", needs);
  Image canvas[3];
  for (int i = 0; i < 3; ++i) {
    if (!can_be(s, kFormats[i], VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT)) leave("a format to draw into");
    canvas[i] = create_general(s, image_info(kFormats[i], kExtent, kDrawnAndRead));
  }
  Pictures p = create_pictures(s, std::size_t{2} * kTexels * (8 + 4 + 16));
  Drawing d = shapes(s);
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, interpolated_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, interpolated_frag_spv))};
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  d.attachments.resize(3, {.colorWriteMask = 0xf});
  d.formats.assign(kFormats, kFormats + 3);
  for (const VkFrontFace front : {VK_FRONT_FACE_CLOCKWISE, VK_FRONT_FACE_COUNTER_CLOCKWISE}) {
    d.raster.frontFace = front;
    const VkPipeline pipeline = build(s, d);
    std::vector<VkRenderingAttachmentInfo> colors;
    for (const Image& i : canvas)
      colors.push_back(attachment(i.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR));
    const VkRenderingInfo info = rendering_info(kExtent, colors);
    vkCmdBeginRendering(s.cmd, &info);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(s.cmd, 3, 1, 0, 0);
    vkCmdEndRendering(s.cmd);
    take(s, p, canvas[0], 8);
    take(s, p, canvas[1], 4);
    take(s, p, canvas[2], 16);
  }
  run(s);
  const std::uint32_t* numbers = p.out.words + kTexels * 2;
  EXPECT(s, (numbers[4 * kExtent + 4] & 0xffff) == 0x1103 && numbers[4 * kExtent + 3] == 0);
  add(s, p.out);
  return finish(s);
}
