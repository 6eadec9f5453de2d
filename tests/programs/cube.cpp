// SPDX-License-Identifier: Apache-2.0
// A turning cube without a window: frame after frame into one image, each a submit that the host waits for.
//   cube [--frames N] [--size N] [--times 1]
// --times: prints how long the device worked on submits 5 to the last (from 0), and how long the host took for all.
#include <chrono>
#include <cmath>

#include "cube.frag.h"
#include "cube.vert.h"
#include "device_time.h"
#include "picture.h"

using namespace program;

namespace {

constexpr VkFormat kDepth = VK_FORMAT_D32_SFLOAT;

struct Matrix {
  float at[16];  // column after column
};

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (int column = 0; column < 4; ++column)
    for (int row = 0; row < 4; ++row)
      for (int i = 0; i < 4; ++i) c.at[column * 4 + row] += a.at[i * 4 + row] * b.at[column * 4 + i];
  return c;
}

// Turned about two axes, six units away, within depths from 1 to 11.
Matrix turned(std::uint32_t frame) {
  const float a = 0.04f * static_cast<float>(frame), b = 0.03f * static_cast<float>(frame);
  const Matrix about_y{{std::cos(a), 0, -std::sin(a), 0, 0, 1, 0, 0, std::sin(a), 0, std::cos(a), 0, 0, 0, 0, 1}};
  const Matrix about_x{{1, 0, 0, 0, 0, std::cos(b), std::sin(b), 0, 0, -std::sin(b), std::cos(b), 0, 0, 0, 0, 1}};
  const Matrix away{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 6, 1}};
  const Matrix seen{{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1.1f, 1, 0, 0, -1.1f, 0}};
  return product(seen, product(away, product(about_x, about_y)));
}

struct Scene {
  Image color, depth;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

Scene create_scene(Session& s, std::uint32_t size) {
  Scene scene;
  scene.color = create_canvas(s, size);
  scene.depth = create_image(s, image_info(kDepth, size, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT),
                             VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_ASPECT_DEPTH_BIT);
  transition(s.cmd, scene.depth, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  Drawing d;
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, cube_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, cube_frag_spv))};
  d.layout = scene.layout = create_layout(s, {}, {{VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(Matrix)}});
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  d.depth.depthTestEnable = d.depth.depthWriteEnable = VK_TRUE;
  d.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  d.rendering.depthAttachmentFormat = kDepth;
  scene.pipeline = build(s, d);
  return scene;
}

void draw_frame(Session& s, const Scene& scene, std::uint32_t frame) {
  VkRenderingAttachmentInfo color = attachment(scene.color.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  color.clearValue.color = {{0.1f, 0.1f, 0.1f, 1}};
  VkRenderingAttachmentInfo depth = attachment(scene.depth.view, VK_IMAGE_LAYOUT_GENERAL, VK_ATTACHMENT_LOAD_OP_CLEAR);
  depth.clearValue.depthStencil.depth = 1;
  const std::uint32_t size = scene.color.info.extent.width;
  const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                             .renderArea = {{0, 0}, {size, size}},
                             .layerCount = 1,
                             .colorAttachmentCount = 1,
                             .pColorAttachments = &color,
                             .pDepthAttachment = &depth};
  barrier(s.cmd);
  vkCmdBeginRendering(s.cmd, &info);
  set_area(s.cmd, size);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, scene.pipeline);
  const Matrix matrix = turned(frame);
  vkCmdPushConstants(s.cmd, scene.layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof matrix, &matrix);
  vkCmdDraw(s.cmd, 36, 1, 0, 0);
  vkCmdEndRendering(s.cmd);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t frames = option(argc, argv, "--frames", 60), size = option(argc, argv, "--size", 256);
  const bool times = option(argc, argv, "--times", 0) != 0;
  if (frames < 6 || frames > 100000 || size == 0 || size > 8192) die("--frames 6 to 100000, --size 1 to 8192", 0);
  VkPhysicalDeviceVulkan13Features features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  features.dynamicRendering = VK_TRUE;
  Session s = open("cube", {.features = &features});
  const Scene scene = create_scene(s, size);
  const MappedBuffer out = create_readback(s, VkDeviceSize{size} * size * 4);
  DeviceTime device(s, frames);
  const auto start = std::chrono::steady_clock::now();
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    device.begin(frame);
    draw_frame(s, scene, frame);
    device.end(frame);
    if (frame + 1 == frames) {
      barrier(s.cmd);
      copy_out(s.cmd, scene.color, VK_IMAGE_LAYOUT_GENERAL, out);
    }
    run(s);
  }
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  if (times)
    std::printf("cube: submits 5 to %u: device %.3f ms; all: host %.3f ms\n", frames, device.milliseconds(5, frames),
                spent.count());
  EXPECT(s, count(out.words, std::size_t{size} * size, out.words[0]) < std::size_t{size} * size);
  add(s, out);
  return finish(s);
}
