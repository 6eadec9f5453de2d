// SPDX-License-Identifier: Apache-2.0
// Transform feedback: captured, paused into a counter buffer and resumed from
// it, counted by a query, and drawn from by the count of bytes.
#include "feedback.vert.h"
#include "picture.h"

using namespace program;

int main() {
  VkPhysicalDeviceTransformFeedbackFeaturesEXT feature{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT, nullptr, VK_TRUE, VK_FALSE};
  VkPhysicalDeviceDynamicRenderingFeatures rendering{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
                                                     &feature, VK_TRUE};
  Wanted wanted;
  wanted.features = &rendering;
  wanted.extensions = {VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME};
  Session s = open("feedback", wanted);
  LOAD(s, vkCmdBindTransformFeedbackBuffersEXT);
  LOAD(s, vkCmdBeginTransformFeedbackEXT);
  LOAD(s, vkCmdEndTransformFeedbackEXT);
  LOAD(s, vkCmdDrawIndirectByteCountEXT);
  constexpr VkBufferUsageFlags usage =
      VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  const MappedBuffer places = buffer(s, 256, usage);
  const MappedBuffer again = buffer(s, 256, usage);
  const MappedBuffer counters =
      buffer(s, 16, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  const VkQueryPoolCreateInfo pool{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,    nullptr, 0,
                                   VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 1,       0};
  VkQueryPool query;
  CHECK(vkCreateQueryPool(s.device, &pool, nullptr, &query));
  keep(s, vkDestroyQueryPool, query);
  const Image canvas = create_canvas(s, 4);
  Drawing d = shapes(s);
  d.stages[0] = stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, feedback_vert_spv));
  d.stages.pop_back();
  d.raster.rasterizerDiscardEnable = VK_TRUE;
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  const VkPipeline pipeline = build(s, d);
  const VkDeviceSize zero = 0, half = 128;

  vkCmdResetQueryPool(s.cmd, query, 0, 1);
  set_area(s.cmd, 4);
  const auto pass = [&](const MappedBuffer& into, bool resumes, auto&& draws) {
    begin_rendering(s.cmd, canvas);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindTransformFeedbackBuffersEXT(s.cmd, 0, 1, &into.buffer, &zero, &half);
    vkCmdBeginTransformFeedbackEXT(s.cmd, 0, resumes ? 1 : 0, &counters.buffer, resumes ? &zero : nullptr);
    draws();
    vkCmdEndTransformFeedbackEXT(s.cmd, 0, 1, &counters.buffer, &zero);
    vkCmdEndRendering(s.cmd);
    barrier(s.cmd);
  };
  pass(places, false, [&] { vkCmdDraw(s.cmd, 3, 1, 0, 0); });
  pass(places, true, [&] {
    vkCmdBeginQuery(s.cmd, query, 0, 0);
    vkCmdDraw(s.cmd, 2, 2, 5, 1);
    vkCmdEndQuery(s.cmd, query, 0);
  });
  // Seven vertices of eight bytes were written: as many are drawn.
  pass(again, false, [&] { vkCmdDrawIndirectByteCountEXT(s.cmd, 1, 0, counters.buffer, 0, 0, 8); });
  run(s);

  const float expected[7][2] = {{0, 0}, {1, 0}, {2, 0}, {5, 10}, {6, 10}, {5, 20}, {6, 20}};
  EXPECT(s, std::memcmp(places.words, expected, sizeof expected) == 0);
  float seventh[2];
  std::memcpy(seventh, again.words + 12, sizeof seventh);
  EXPECT(s, seventh[0] == 6 && again.words[14] == 0);
  std::uint64_t written[2] = {};
  CHECK(vkGetQueryPoolResults(s.device, query, 0, 1, sizeof written, written, sizeof written,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
  EXPECT(s, written[0] == 4 && written[1] == 4);
  add(s, places);
  add(s, again);
  return finish(s);
}
