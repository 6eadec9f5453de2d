// SPDX-License-Identifier: Apache-2.0
// Transform feedback: of primitives that are rasterized as well, into some of the
// buffers and with holes between; paused and resumed with counters of some of them only;
// overflowing; by indexed draws; drawn from by the count; out of two streams of a
// geometry shader, each with its own query.
#include "captured.vert.h"
#include "chapter.h"
#include "drawn_again.vert.h"
#include "points_in.vert.h"
#include "streams.geom.h"
#include "third.frag.h"
#include "varying.frag.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 16, kTexels = kExtent * kExtent;
constexpr VkDeviceSize kBytes = 24 * 20;

struct Calls {
  PFN_vkCmdBindTransformFeedbackBuffersEXT bind;
  PFN_vkCmdBeginTransformFeedbackEXT begin;
  PFN_vkCmdEndTransformFeedbackEXT end;
  PFN_vkCmdDrawIndirectByteCountEXT draw;
  PFN_vkCmdBeginQueryIndexedEXT begin_query;
  PFN_vkCmdEndQueryIndexedEXT end_query;
};

}  // namespace

int main() {
  Needs needs = drawing_needs({VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME});
  NEED(needs, TransformFeedbackFeaturesEXT, transformFeedback);
  NEED(needs, TransformFeedbackFeaturesEXT, geometryStreams);
  NEED_CORE(needs, geometryShader);
  NEED_CORE(needs, shaderTessellationAndGeometryPointSize);
  NEED_CORE(needs, largePoints);
  Session s = open("feedback_buffers", needs);
  const Calls call{load<PFN_vkCmdBindTransformFeedbackBuffersEXT>(s, "vkCmdBindTransformFeedbackBuffersEXT"),
                   load<PFN_vkCmdBeginTransformFeedbackEXT>(s, "vkCmdBeginTransformFeedbackEXT"),
                   load<PFN_vkCmdEndTransformFeedbackEXT>(s, "vkCmdEndTransformFeedbackEXT"),
                   load<PFN_vkCmdDrawIndirectByteCountEXT>(s, "vkCmdDrawIndirectByteCountEXT"),
                   load<PFN_vkCmdBeginQueryIndexedEXT>(s, "vkCmdBeginQueryIndexedEXT"),
                   load<PFN_vkCmdEndQueryIndexedEXT>(s, "vkCmdEndQueryIndexedEXT")};
  constexpr VkBufferUsageFlags usage =
      VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;
  const MappedBuffer places = buffer(s, kBytes, usage), numbers = buffer(s, kBytes, usage);
  const MappedBuffer streams[2] = {buffer(s, 128, usage), buffer(s, 256, usage)};
  const MappedBuffer counters =
      buffer(s, 64, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  const VkQueryPool written = create_queries(s, VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 4);
  const std::uint16_t order[6] = {8, 3, 11, 2, 5, 13};
  const MappedBuffer indices = buffer_of(s, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, order);
  const Image canvas = create_canvas(s, kExtent);
  Pictures p = create_pictures(s, std::size_t{3} * kTexels * 4);

  Drawing d = shapes(s);
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, captured_vert_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, third_frag_spv))};
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  const VkPipeline captures = build(s, d);
  Drawing again = d;
  const VkVertexInputBindingDescription binding{0, 24, VK_VERTEX_INPUT_RATE_VERTEX};
  const VkVertexInputAttributeDescription attributes[2] = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 4},
                                                           {1, 0, VK_FORMAT_R32_SFLOAT, 16}};
  again.input.vertexBindingDescriptionCount = 1;
  again.input.pVertexBindingDescriptions = &binding;
  again.input.vertexAttributeDescriptionCount = 2;
  again.input.pVertexAttributeDescriptions = attributes;
  again.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  again.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, drawn_again_vert_spv)),
                  stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, varying_frag_spv))};
  const VkPipeline redraws = build(s, again);
  d.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, shader(s, points_in_vert_spv)),
              stage(VK_SHADER_STAGE_GEOMETRY_BIT, shader(s, streams_geom_spv)),
              stage(VK_SHADER_STAGE_FRAGMENT_BIT, shader(s, varying_frag_spv))};
  d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  const VkPipeline splits = build(s, d);

  vkCmdResetQueryPool(s.cmd, written, 0, 4);
  const VkDeviceSize zero = 0, counts_at[3] = {0, 4, 8};
  const VkBuffer counts[3] = {counters.buffer, VK_NULL_HANDLE, counters.buffer};
  const auto pass = [&](VkPipeline pipeline, auto&& draws) {
    begin_rendering(s.cmd, canvas);
    set_area(s.cmd, kExtent);
    vkCmdBindPipeline(s.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    draws();
    vkCmdEndRendering(s.cmd);
    take(s, p, canvas);
  };
  pass(captures, [&] {
    const VkBuffer into[3] = {places.buffer, streams[0].buffer, numbers.buffer};
    const VkDeviceSize at[3] = {24, 0, 16}, sizes[3] = {kBytes - 24, VK_WHOLE_SIZE, kBytes - 16};
    call.bind(s.cmd, 0, 3, into, at, sizes);
    call.begin(s.cmd, 0, 0, nullptr, nullptr);
    vkCmdDraw(s.cmd, 6, 1, 1, 3);
    call.end(s.cmd, 0, 3, counts, counts_at);  // paused: of two of them the count is kept
    vkCmdDraw(s.cmd, 3, 1, 12, 0);             // not captured
    call.begin(s.cmd, 0, 3, counts, counts_at);
    call.begin_query(s.cmd, written, 0, 0, 0);
    vkCmdBindIndexBuffer(s.cmd, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(s.cmd, 6, 2, 0, 1, 1);
    vkCmdDraw(s.cmd, 6, 1, 0, 9);  // of these the last triangle has no room
    call.end_query(s.cmd, written, 0, 0);
    call.end(s.cmd, 0, 1, counts, counts_at);
  });
  pass(redraws, [&] {
    vkCmdBindVertexBuffers(s.cmd, 0, 1, &places.buffer, &zero);
    // A counter counts from where its buffer was bound: 24 bytes behind the beginning.
    call.draw(s.cmd, 2, 0, counters.buffer, 0, 0, 24);
  });
  pass(splits, [&] {
    const VkBuffer into[2] = {streams[0].buffer, streams[1].buffer};
    const VkDeviceSize at[2] = {0, 0};
    call.bind(s.cmd, 0, 2, into, at, nullptr);
    call.begin(s.cmd, 0, 0, nullptr, nullptr);
    call.begin_query(s.cmd, written, 1, 0, 0);
    call.begin_query(s.cmd, written, 2, 0, 1);
    vkCmdDraw(s.cmd, 5, 1, 3, 0);
    call.end_query(s.cmd, written, 2, 1);
    call.end_query(s.cmd, written, 1, 0);
    call.end(s.cmd, 0, 0, nullptr, nullptr);
  });
  run(s);
  std::uint64_t results[3][2];
  CHECK(vkGetQueryPoolResults(s.device, written, 0, 3, sizeof results, results, 16,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
  for (const auto& result : results)
    std::printf("%d of %d\n", static_cast<int>(result[0]), static_cast<int>(result[1]));
  EXPECT(s, results[1][0] == 5 && results[2][0] == 10);
  EXPECT(s, numbers.words[4] == 1 && numbers.words[5] == 3 && numbers.words[7] == 77);
  for (const MappedBuffer& b : {places, numbers, streams[0], streams[1], counters, p.out}) add(s, b);
  return finish(s);
}
