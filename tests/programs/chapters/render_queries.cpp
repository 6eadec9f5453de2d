// SPDX-License-Identifier: Apache-2.0
// Queries around and within passes: every statistic, occlusion over several
// draws and over none, of scissors and samples; begun in one subpass only; primitives
// that are generated without being kept; results copied between passes with every
// width, with availability, at strides and without waiting, and over again.
#include "chapter.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16;
constexpr VkQueryResultFlags kWait = VK_QUERY_RESULT_WAIT_BIT, k64 = VK_QUERY_RESULT_64_BIT,
                             kAvailable = VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
constexpr VkQueryPipelineStatisticFlags kAll = 0x7ff;  // the eleven of Vulkan 1.0

}  // namespace

int main() {
  Needs needs =
      drawing_needs({VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME, VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME});
  NEED(needs, PrimitivesGeneratedQueryFeaturesEXT, primitivesGeneratedQuery);
  NEED(needs, PrimitivesGeneratedQueryFeaturesEXT, primitivesGeneratedQueryWithRasterizerDiscard);
  NEED(needs, Vulkan12Features, hostQueryReset);
  NEED_CORE(needs, occlusionQueryPrecise);
  NEED_CORE(needs, pipelineStatisticsQuery);
  NEED_CORE(needs, sampleRateShading);
  Session s = open("render_queries", needs);
  const Image canvas = create_canvas(s, kExtent);
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  info.samples = VK_SAMPLE_COUNT_4_BIT;
  const Image many = create_general(s, info);
  const MappedBuffer out = create_readback(s, 1024);
  const VkQueryPool occlusion = create_queries(s, VK_QUERY_TYPE_OCCLUSION, 6),
                    statistics = create_queries(s, VK_QUERY_TYPE_PIPELINE_STATISTICS, 2, kAll),
                    generated = create_queries(s, VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT, 2);
  vkResetQueryPool(s.device, occlusion, 0, 6);
  vkCmdResetQueryPool(s.cmd, statistics, 0, 2);
  vkCmdResetQueryPool(s.cmd, generated, 0, 2);

  Drawing d = shapes(s);
  const VkPipeline plain = build(s, d);
  d.raster.rasterizerDiscardEnable = VK_TRUE;
  const VkPipeline discards = build(s, d);
  d.raster.rasterizerDiscardEnable = VK_FALSE;
  d.multisample.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  const VkPipeline samples = build(s, d);
  const auto bind = [&](VkPipeline pipeline) { vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline); };

  // Begun before the pass, over it and what is behind it.
  vkCmdBeginQuery(s.cmd, statistics, 0, 0);
  begin_rendering(s.cmd, canvas);
  set_area(s.cmd, kExtent);
  bind(plain);
  vkCmdBeginQuery(s.cmd, occlusion, 0, VK_QUERY_CONTROL_PRECISE_BIT);
  draw(s.cmd, d.layout, {-1, -1, 0, 1});
  draw(s.cmd, d.layout, {-1, -1, 1, 0});
  vkCmdEndQuery(s.cmd, occlusion, 0);
  vkCmdBeginQuery(s.cmd, occlusion, 1, VK_QUERY_CONTROL_PRECISE_BIT);
  vkCmdEndQuery(s.cmd, occlusion, 1);  // of nothing
  vkCmdBeginQuery(s.cmd, occlusion, 2, 0);
  const VkRect2D corner{{14, 14}, {2, 2}};
  vkCmdSetScissor(s.cmd, 0, 1, &corner);
  draw(s.cmd, d.layout, {-1, -1, 1, 1});
  vkCmdEndQuery(s.cmd, occlusion, 2);
  vkCmdBeginQuery(s.cmd, generated, 0, 0);
  bind(discards);
  vkCmdDraw(s.cmd, 17, 3, 0, 0);
  vkCmdEndQuery(s.cmd, generated, 0);
  vkCmdEndRendering(s.cmd);
  vkCmdEndQuery(s.cmd, statistics, 0);
  barrier(s.cmd);
  begin_rendering(s.cmd, many);
  set_area(s.cmd, kExtent);
  bind(samples);
  vkCmdBeginQuery(s.cmd, occlusion, 3, VK_QUERY_CONTROL_PRECISE_BIT);
  draw(s.cmd, d.layout, {-1, -1, -0.0625f, 1});
  vkCmdEndQuery(s.cmd, occlusion, 3);
  vkCmdEndRendering(s.cmd);
  // Pairs of 64 bits at a stride, a single word, words with availability.
  vkCmdCopyQueryPoolResults(s.cmd, occlusion, 0, 4, out.buffer, 0, 32, k64 | kWait | kAvailable);
  vkCmdCopyQueryPoolResults(s.cmd, occlusion, 3, 1, out.buffer, 132, 4, kWait);
  vkCmdCopyQueryPoolResults(s.cmd, statistics, 0, 1, out.buffer, 256, 96, k64 | kWait | kAvailable);
  vkCmdCopyQueryPoolResults(s.cmd, generated, 0, 1, out.buffer, 512, 8, kWait | kAvailable);
  // Nothing is written but that these are not there yet.
  vkCmdCopyQueryPoolResults(s.cmd, occlusion, 4, 2, out.buffer, 768, 16, kAvailable);
  barrier(s.cmd);
  vkCmdResetQueryPool(s.cmd, occlusion, 0, 2);
  run(s);
  EXPECT(s, out.words[0] == 256 && out.words[8] == 0 && out.words[16] > 0 && out.words[2] == 1 && out.words[10] == 1);
  EXPECT(s, out.words[24] == out.words[33] && out.words[33] > 400);
  EXPECT(s, out.words[128] == 45 && out.words[129] == 1);
  EXPECT(s, out.words[193] == 0 && out.words[197] == 0);
  EXPECT(s, out.words[64] == 12 + 51);  // vertices
  add(s, out);

  // Over again, two of them at once, and results to the host with holes.
  begin_rendering(s.cmd, canvas, VK_ATTACHMENT_LOAD_OP_LOAD);
  set_area(s.cmd, kExtent);
  bind(plain);
  vkCmdBeginQuery(s.cmd, occlusion, 1, VK_QUERY_CONTROL_PRECISE_BIT);
  vkCmdBeginQuery(s.cmd, statistics, 1, 0);
  draw(s.cmd, d.layout, {-1, -1, -0.5f, -0.5f});
  vkCmdEndQuery(s.cmd, occlusion, 1);
  vkCmdEndQuery(s.cmd, statistics, 1);
  vkCmdEndRendering(s.cmd);
  run(s);
  std::uint64_t results[2][3] = {{7, 7, 7}, {7, 7, 7}};
  CHECK(vkGetQueryPoolResults(s.device, occlusion, 1, 1, 24, results, 24, k64 | kWait));
  EXPECT(s, results[0][0] == 16 && results[0][1] == 7);
  EXPECT(s, vkGetQueryPoolResults(s.device, occlusion, 0, 2, sizeof results, results, 24, k64 | kAvailable) ==
                VK_NOT_READY);
  EXPECT(s, results[0][1] == 0 && results[1][0] == 16 && results[1][1] != 0 && results[1][2] == 7);
  std::uint64_t counted[12] = {};
  CHECK(vkGetQueryPoolResults(s.device, statistics, 1, 1, sizeof counted, counted, sizeof counted,
                              k64 | kAvailable | kWait));
  EXPECT(s, counted[0] == 4 && counted[11] != 0);
  return finish(s);
}
