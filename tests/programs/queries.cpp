// SPDX-License-Identifier: Apache-2.0
// Queries of every kind that lavapipe has, reset by the host and by commands,
// read with and without availability, waiting and partial, and copied to a
// buffer. Times are never the same twice: they are read, but nothing of them is
// printed or left in memory.
#include "picture.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16;
constexpr VkQueryResultFlags kWait = VK_QUERY_RESULT_WAIT_BIT, k64 = VK_QUERY_RESULT_64_BIT,
                             kAvailable = VK_QUERY_RESULT_WITH_AVAILABILITY_BIT, kPartial = VK_QUERY_RESULT_PARTIAL_BIT;

VkQueryPool create_queries(Session& s, VkQueryType type, std::uint32_t count,
                           VkQueryPipelineStatisticFlags statistics = 0) {
  const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, type, count, statistics};
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(s.device, &info, nullptr, &pool));
  return keep(s, vkDestroyQueryPool, pool);
}

}  // namespace

int main() {
  VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT generated{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT, nullptr, VK_TRUE};
  VkPhysicalDeviceHostQueryResetFeatures host{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES, &generated,
                                              VK_TRUE};
  VkPhysicalDeviceDynamicRenderingFeatures rendering{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
                                                     &host, VK_TRUE};
  VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT, &rendering, VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &feedback};
  core.features.occlusionQueryPrecise = core.features.pipelineStatisticsQuery = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  wanted.extensions = {VK_EXT_HOST_QUERY_RESET_EXTENSION_NAME, VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME,
                       VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME, VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME};
  Session s = open("queries", wanted);
  LOAD(s, vkResetQueryPoolEXT);
  LOAD(s, vkGetCalibratedTimestampsEXT);
  LOAD(s, vkGetPhysicalDeviceCalibrateableTimeDomainsEXT);
  LOAD(s, vkCmdBeginQueryIndexedEXT);
  LOAD(s, vkCmdEndQueryIndexedEXT);

  constexpr VkQueryPipelineStatisticFlags kCounted = VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
                                                     VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT;
  const VkQueryPool occlusion = create_queries(s, VK_QUERY_TYPE_OCCLUSION, 4);
  const VkQueryPool statistics = create_queries(s, VK_QUERY_TYPE_PIPELINE_STATISTICS, 1, kCounted);
  const VkQueryPool times = create_queries(s, VK_QUERY_TYPE_TIMESTAMP, 2);
  const VkQueryPool primitives = create_queries(s, VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT, 1);
  const Image canvas = create_canvas(s, kExtent);
  const MappedBuffer out = create_readback(s, 256);
  Drawing d = shapes(s);
  const VkPipeline pipeline = build(s, d);

  vkResetQueryPoolEXT(s.device, occlusion, 0, 4);
  vkCmdResetQueryPool(s.cmd, statistics, 0, 1);
  vkCmdResetQueryPool(s.cmd, times, 0, 2);
  vkCmdResetQueryPool(s.cmd, primitives, 0, 1);
  vkCmdWriteTimestamp(s.cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, times, 0);
  begin_rendering(s.cmd, canvas);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdBeginQuery(s.cmd, statistics, 0, 0);
  vkCmdBeginQueryIndexedEXT(s.cmd, primitives, 0, 0, 0);
  vkCmdBeginQuery(s.cmd, occlusion, 0, VK_QUERY_CONTROL_PRECISE_BIT);
  draw(s.cmd, d.layout, {-1, -1, 0, 1});
  vkCmdEndQuery(s.cmd, occlusion, 0);
  vkCmdBeginQuery(s.cmd, occlusion, 1, VK_QUERY_CONTROL_PRECISE_BIT);
  draw(s.cmd, d.layout, {-1, -1, -0.5f, 0});
  vkCmdEndQuery(s.cmd, occlusion, 1);
  vkCmdEndQueryIndexedEXT(s.cmd, primitives, 0, 0);
  vkCmdEndQuery(s.cmd, statistics, 0);
  vkCmdEndRendering(s.cmd);
  vkCmdWriteTimestamp(s.cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, times, 1);
  vkCmdCopyQueryPoolResults(s.cmd, occlusion, 0, 2, out.buffer, 0, 16, k64 | kWait | kAvailable);
  vkCmdCopyQueryPoolResults(s.cmd, primitives, 0, 1, out.buffer, 64, 4, kWait);

  // Nothing was submitted yet: not ready, and only the availability is written.
  std::uint64_t pair[4] = {~0ull, ~0ull, ~0ull, ~0ull};
  EXPECT(s, vkGetQueryPoolResults(s.device, occlusion, 0, 1, 8, pair, 8, k64) == VK_NOT_READY);
  EXPECT(s, vkGetQueryPoolResults(s.device, occlusion, 0, 2, sizeof pair, pair, 16, k64 | kAvailable) == VK_NOT_READY);
  EXPECT(s, pair[1] == 0 && pair[3] == 0);
  run(s);

  CHECK(vkGetQueryPoolResults(s.device, occlusion, 0, 2, sizeof pair, pair, 16, k64 | kAvailable));
  EXPECT(s, pair[0] == 128 && pair[1] != 0 && pair[2] == 32 && pair[3] != 0);
  std::uint32_t few[4] = {};  // two results and the holes between them
  CHECK(vkGetQueryPoolResults(s.device, occlusion, 0, 2, sizeof few, few, 8, kWait));
  EXPECT(s, few[0] == 128 && few[2] == 32);
  // The last two were never begun: partial results are all there is of them.
  vkGetQueryPoolResults(s.device, occlusion, 2, 2, sizeof few, few, 8, kPartial | kAvailable);
  EXPECT(s, few[1] == 0 && few[3] == 0);
  CHECK(vkGetQueryPoolResults(s.device, statistics, 0, 1, 16, pair, 16, k64 | kWait));
  EXPECT(s, pair[0] == 8);
  EXPECT(s, pair[1] >= 160);
  CHECK(vkGetQueryPoolResults(s.device, times, 0, 2, 16, pair, 8, k64));
  EXPECT(s, pair[0] <= pair[1]);
  EXPECT(s, out.words[0] == 128 && out.words[2] == 1 && out.words[4] == 32 && out.words[6] == 1);
  EXPECT(s, out.words[16] == 4);

  std::uint32_t domains = 0;
  CHECK(vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(s.physical, &domains, nullptr));
  EXPECT(s, domains > 0);
  const VkCalibratedTimestampInfoEXT domain{VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, nullptr,
                                            VK_TIME_DOMAIN_DEVICE_EXT};
  std::uint64_t now = 0, deviation = 0;
  CHECK(vkGetCalibratedTimestampsEXT(s.device, 1, &domain, &now, &deviation));
  EXPECT(s, now >= pair[1]);

  // Reset by the host and used again.
  vkResetQueryPool(s.device, occlusion, 0, 2);
  EXPECT(s, vkGetQueryPoolResults(s.device, occlusion, 0, 1, 4, few, 4, 0) == VK_NOT_READY);
  begin_rendering(s.cmd, canvas);
  set_area(s.cmd, kExtent);
  vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdBeginQuery(s.cmd, occlusion, 0, VK_QUERY_CONTROL_PRECISE_BIT);
  draw(s.cmd, d.layout, {-1, -1, 1, 1});
  vkCmdEndQuery(s.cmd, occlusion, 0);
  vkCmdEndRendering(s.cmd);
  vkCmdCopyQueryPoolResults(s.cmd, occlusion, 0, 1, out.buffer, 128, 8, kWait | kAvailable);
  run(s);
  EXPECT(s, out.words[32] == 256 && out.words[33] == 1);
  add(s, out);
  return finish(s);
}
