// SPDX-License-Identifier: Apache-2.0
// Which queries of a pool commands and the host may name, and where results go.
#include "tests/icd/install.h"
#include "tests/icd/ranges.h"

namespace fake {
namespace {

void check_create(Call& call, const args_vkCreateQueryPool& a) {
  const VkQueryPoolCreateInfo& info = *a.pCreateInfo;
  if (info.queryCount == 0) return violation("queryCount is 0");
  if (info.queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS && call.device->features.pipelineStatisticsQuery == VK_FALSE)
    return harmless("pipelineStatisticsQuery is not enabled");
  if (info.queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS && info.pipelineStatistics == 0)
    violation("pipelineStatistics is 0");
  if (info.queryType == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT &&
      !call.device->enabled(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME))
    violation("VK_EXT_transform_feedback is not enabled");
}

bool has(const QueryPool& pool, std::uint32_t first, std::uint32_t count) {
  if (first < pool.count && count <= pool.count - first) return true;
  violation("names queries that the pool does not have");
  return false;
}

void check_begin_query(const CommandBuffer& buffer, const Device& device, VkQueryPool handle, std::uint32_t query,
                       VkQueryControlFlags flags) {
  const auto pool = get<QueryPool>(handle);
  if (!has(*pool, query, 1)) return;
  if (pool->query_type == VK_QUERY_TYPE_TIMESTAMP) return violation("begins a timestamp");
  for (const auto& [place, precise] : buffer.active_queries)
    if (const auto other = std::static_pointer_cast<QueryPool>(find(QueryPool::kType, place.first));
        other != nullptr && other->query_type == pool->query_type &&
        (place == std::pair{number(handle), query} || pool->query_type != VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT))
      return harmless("a query of this type is active already");
  if ((flags & VK_QUERY_CONTROL_PRECISE_BIT) != 0 &&
      (device.features.occlusionQueryPrecise == VK_FALSE || pool->query_type != VK_QUERY_TYPE_OCCLUSION))
    violation("asks for precision that is not enabled, or of another query than an occlusion query");
}

void check_end_query(const CommandBuffer& buffer, VkQueryPool pool, std::uint32_t query) {
  if (has(*get<QueryPool>(pool), query, 1) && buffer.active_queries.count({number(pool), query}) == 0)
    violation("ends a query that is not active");
}

void check_timestamp(VkQueryPool handle, std::uint32_t query) {
  const auto pool = get<QueryPool>(handle);
  if (has(*pool, query, 1) && pool->query_type != VK_QUERY_TYPE_TIMESTAMP) violation("the pool is not for timestamps");
}

void check_begin(Call& c, const args_vkCmdBeginQuery& a) {
  check_begin_query(*c.command_buffer, *c.device, a.queryPool, a.query, a.flags);
}
void check_begin_indexed(Call& c, const args_vkCmdBeginQueryIndexedEXT& a) {
  check_begin_query(*c.command_buffer, *c.device, a.queryPool, a.query, a.flags);
  if (a.index >= 4) violation("index is beyond maxTransformFeedbackStreams");
}
void check_end(Call& c, const args_vkCmdEndQuery& a) { check_end_query(*c.command_buffer, a.queryPool, a.query); }
void check_end_indexed(Call& c, const args_vkCmdEndQueryIndexedEXT& a) {
  check_end_query(*c.command_buffer, a.queryPool, a.query);
}
void check_timestamp1(Call&, const args_vkCmdWriteTimestamp& a) { check_timestamp(a.queryPool, a.query); }
void check_timestamp2(Call&, const args_vkCmdWriteTimestamp2& a) { check_timestamp(a.queryPool, a.query); }

void check_reset(Call& c, const args_vkCmdResetQueryPool& a) {
  if (!has(*get<QueryPool>(a.queryPool), a.firstQuery, a.queryCount)) return;
  for (const auto& [place, flags] : c.command_buffer->active_queries)
    if (place.first == number(a.queryPool) && place.second >= a.firstQuery &&
        place.second - a.firstQuery < a.queryCount)
      return violation("resets a query that is active");
}
void check_host_reset(Call&, const args_vkResetQueryPool& a) {
  has(*get<QueryPool>(a.queryPool), a.firstQuery, a.queryCount);
}

// Bytes that one query's results take.
VkDeviceSize bytes_of(const QueryPool& pool, VkQueryResultFlags flags) {
  return VkDeviceSize{pool.value_bytes(flags)} *
         (pool.values() + VkDeviceSize{(flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0});
}

// What the host's question and the command have in common.
bool check_results(const QueryPool& pool, std::uint32_t first, std::uint32_t count, VkDeviceSize stride,
                   VkQueryResultFlags flags) {
  if (count == 0) {
    violation("queryCount is 0");
    return false;
  }
  if (!has(pool, first, count)) return false;
  if (pool.query_type == VK_QUERY_TYPE_TIMESTAMP && (flags & VK_QUERY_RESULT_PARTIAL_BIT) != 0) {
    violation("asks for a part of a timestamp");
    return false;
  }
  if (count > 1 && stride < bytes_of(pool, flags)) {
    violation("stride is less than a query's results");
    return false;
  }
  return count == 1 || is_multiple(stride, pool.value_bytes(flags), "stride");
}

void check_get(Call&, const args_vkGetQueryPoolResults& a) {
  const auto pool = get<QueryPool>(a.queryPool);
  if (!check_results(*pool, a.firstQuery, a.queryCount, a.stride, a.flags)) return;
  if (a.dataSize == 0) return violation("dataSize is 0");
  VkDeviceSize bytes = 0;
  if (__builtin_mul_overflow(VkDeviceSize{a.queryCount - 1}, a.stride, &bytes) ||
      __builtin_add_overflow(bytes, bytes_of(*pool, a.flags), &bytes) || bytes > a.dataSize)
    return violation("dataSize is too small for the results");
  is_multiple(reinterpret_cast<std::uintptr_t>(a.pData), pool->value_bytes(a.flags), "pData");
}

void check_copy(Call&, const args_vkCmdCopyQueryPoolResults& a) {
  const auto pool = get<QueryPool>(a.queryPool);
  const auto buffer = get<Buffer>(a.dstBuffer);
  if (!check_results(*pool, a.firstQuery, a.queryCount, a.stride, a.flags) ||
      !is_usable(*buffer, VK_BUFFER_USAGE_TRANSFER_DST_BIT, "dstBuffer") ||
      !is_multiple(a.dstOffset, pool->value_bytes(a.flags), "dstOffset"))
    return;
  is_within(*buffer, a.dstOffset, a.queryCount, a.stride, bytes_of(*pool, a.flags), "what is written");
}

}  // namespace

void install_query_checks(Table& table) {
  table.check<check_create>(CommandId::vkCreateQueryPool);
  table.check<check_begin>(CommandId::vkCmdBeginQuery);
  table.check<check_begin_indexed>(CommandId::vkCmdBeginQueryIndexedEXT);
  table.check<check_end>(CommandId::vkCmdEndQuery);
  table.check<check_end_indexed>(CommandId::vkCmdEndQueryIndexedEXT);
  table.check<check_timestamp1>(CommandId::vkCmdWriteTimestamp);
  table.check<check_timestamp2>(CommandId::vkCmdWriteTimestamp2);
  table.check<check_reset>(CommandId::vkCmdResetQueryPool);
  table.check<check_host_reset>(CommandId::vkResetQueryPool);
  table.check<check_get>(CommandId::vkGetQueryPoolResults);
  table.check<check_copy>(CommandId::vkCmdCopyQueryPoolResults);
}

}  // namespace fake
