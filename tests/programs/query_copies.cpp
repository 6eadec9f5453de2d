// SPDX-License-Identifier: Apache-2.0
// What occlusion queries found is copied in later submits than they were asked in.
//   query_copies [--reset 1]    and they are reset behind that
#include "picture.h"

using namespace program;

int main(int argc, char** argv) {
  VkPhysicalDeviceDynamicRenderingFeatures rendering{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
                                                     nullptr, VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &rendering};
  core.features.occlusionQueryPrecise = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  Session s = open("query_copies", wanted);
  constexpr std::uint32_t extent = 16, count = 2;
  const VkQueryPoolCreateInfo info{
      VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_OCCLUSION, count, 0};
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(s.device, &info, nullptr, &pool));
  keep(s, vkDestroyQueryPool, pool);
  const Image canvas = create_canvas(s, extent);
  const MappedBuffer out = create_readback(s, 64);
  Drawing d = shapes(s);
  const VkPipeline pipeline = build(s, d);

  vkCmdResetQueryPool(s.cmd, pool, 0, count);
  begin_rendering(s.cmd, canvas);
  set_area(s.cmd, extent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  for (std::uint32_t i = 0; i < count; ++i) {
    vkCmdBeginQuery(s.cmd, pool, i, VK_QUERY_CONTROL_PRECISE_BIT);
    draw(s.cmd, d.layout, i == 0 ? Shape{-1, -1, 0, 1} : Shape{-1, -1, -0.5f, 0});
    vkCmdEndQuery(s.cmd, pool, i);
  }
  vkCmdEndRendering(s.cmd);
  run(s);
  for (std::uint32_t i = 0; i < count; ++i) {
    vkCmdCopyQueryPoolResults(s.cmd, pool, i, 1, out.buffer, 8 * i, 8,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (option(argc, argv, "--reset", 0) != 0) vkCmdResetQueryPool(s.cmd, pool, i, 1);
    run(s);
    EXPECT(s, out.words[2 * i] != 0);
  }
  add(s, out);
  return finish(s);
}
