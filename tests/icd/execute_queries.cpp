// SPDX-License-Identifier: Apache-2.0
// Query pools: commands that fill them, and the host's questions.
#include <algorithm>
#include <cstring>

#include "tests/icd/access.h"
#include "tests/icd/chain.h"
#include "tests/icd/counters.h"
#include "tests/icd/execute.h"
#include "tests/icd/queries.h"
#include "tests/icd/queue.h"

using namespace rondo;  // args_vk…

namespace fake {

namespace {

using Query = QueryPool::Query;

bool has(const QueryPool& pool, std::uint32_t first, std::uint32_t count) {
  if (first + std::uint64_t{count} <= pool.count) return true;
  violation("names queries that the pool does not have");
  return false;
}

void make_available(QueryPool& pool, std::uint32_t index, std::vector<std::uint64_t> results) {
  {
    const std::lock_guard lock(pool.mutex);
    pool.queries[index].state = Query::State::available;
    pool.queries[index].results = std::move(results);
  }
  const Monitor::Lock lock = Monitor::get().enter();
  Monitor::get().changed();
}

// Of Settings::timed_work: what was counted can be told from the commands. Vertices make triangles, a
// workgroup has 64 invocations, and each vertex shades ten fragments.
std::vector<std::uint64_t> statistics_of(const QueryPool& pool, const Execution::Counter& counter) {
  const std::uint64_t triangles = counter.vertices / 3;
  const std::uint64_t all[] = {counter.vertices,    triangles,      counter.vertices,      0, 0,
                               triangles,           triangles,      10 * counter.vertices, 0, 0,
                               64 * counter.groups, counter.meshes, counter.meshes};
  std::vector<std::uint64_t> results;
  for (std::size_t bit = 0; bit < std::size(all); ++bit)
    if ((pool.statistics >> bit & 1) != 0) results.push_back(all[bit]);
  return results;
}

// What was counted follows from what was drawn: nothing from nothing.
std::vector<std::uint64_t> results_of(const QueryPool& pool, std::uint32_t index, const Execution::Counter& counter) {
  if (pool.query_type == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR) return counter_results(pool, counter);
  if (pool.query_type == VK_QUERY_TYPE_PIPELINE_STATISTICS && settings().timed_work)
    return statistics_of(pool, counter);
  std::vector<std::uint64_t> results(std::max(pool.values(), 1u), 0);
  for (std::size_t i = 0; i < results.size() && counter.draws != 0; ++i) {
    Hash value(counter.digest);
    value.value(i + 1);
    value.value(index);
    constexpr std::uint64_t kMost = 0xffff;
    results[i] = counter.draws + (value.digest() & kMost);
  }
  return results;
}

void begin_query(Execution& execution, VkQueryPool handle, std::uint32_t index) {
  const auto pool = get<QueryPool>(handle);
  if (pool == nullptr || !has(*pool, index, execution.views())) return;
  {
    const std::lock_guard lock(pool->mutex);
    // With multiview, as many consecutive queries as views ("vkCmdBeginQuery").
    for (std::uint32_t i = index; i < index + execution.views(); ++i) {
      if (pool->queries[i].state != Query::State::reset) harmless("begins a query that was not reset");
      pool->queries[i].state = Query::State::active;
    }
  }
  execution.queries[{pool, index}] = {};
}

void end_query(Execution& execution, VkQueryPool handle, std::uint32_t index) {
  const auto pool = get<QueryPool>(handle);
  if (pool == nullptr || !has(*pool, index, execution.views())) return;
  const auto active = execution.queries.find({pool, index});
  if (active == execution.queries.end()) {
    violation("ends a query that is not active");
    return;
  }
  for (std::uint32_t i = index; i < index + execution.views(); ++i)
    make_available(*pool, i, results_of(*pool, i, active->second));
  execution.queries.erase(active);
}

void write_timestamp(Execution& execution, VkQueryPool handle, std::uint32_t index) {
  const auto pool = get<QueryPool>(handle);
  if (pool == nullptr || !has(*pool, index, 1)) return;
  // No clock: a replay gets the same. Each is a microsecond later than the pool's last.
  constexpr std::uint64_t kMicrosecond = 1000;
  std::uint64_t now = 0;
  {
    const std::lock_guard lock(pool->mutex);
    if (pool->queries[index].state != Query::State::reset) harmless("writes a timestamp to a query that was not reset");
    now = settings().timed_work || settings().device_clock ? execution.queue().worked_ns : pool->time += kMicrosecond;
  }
  make_available(*pool, index, {now});
}

void reset_by_queue(Execution&, const args_vkCmdResetQueryPool& a) {
  if (const auto pool = get<QueryPool>(a.queryPool)) reset_queries(*pool, a.firstQuery, a.queryCount);
}

void copy_results(Execution&, const args_vkCmdCopyQueryPoolResults& a) {
  const auto pool = get<QueryPool>(a.queryPool);
  const auto buffer = get<Buffer>(a.dstBuffer);
  if (pool == nullptr || buffer == nullptr || a.queryCount == 0 || !has(*pool, a.firstQuery, a.queryCount)) return;
  const VkDeviceSize value = pool->value_bytes(a.flags);
  const VkDeviceSize one =
      value * (pool->values() + VkDeviceSize{(a.flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0});
  const auto to = bytes_of(*buffer, a.dstOffset, (a.queryCount - 1) * a.stride + one);
  if (!to.empty()) write_results(*pool, a.firstQuery, a.queryCount, to, a.stride, a.flags);
}

void begin1(Execution& e, const args_vkCmdBeginQuery& a) { begin_query(e, a.queryPool, a.query); }
void begin_indexed(Execution& e, const args_vkCmdBeginQueryIndexedEXT& a) { begin_query(e, a.queryPool, a.query); }
void end1(Execution& e, const args_vkCmdEndQuery& a) { end_query(e, a.queryPool, a.query); }
void end_indexed(Execution& e, const args_vkCmdEndQueryIndexedEXT& a) { end_query(e, a.queryPool, a.query); }
void timestamp1(Execution& e, const args_vkCmdWriteTimestamp& a) { write_timestamp(e, a.queryPool, a.query); }
void timestamp2(Execution& e, const args_vkCmdWriteTimestamp2& a) { write_timestamp(e, a.queryPool, a.query); }

VkResult create_pool(Call& call, args_vkCreateQueryPool& a) {
  constexpr std::uint32_t kMost = 1u << 20;
  if (a.pCreateInfo->queryCount > kMost) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  const auto pool = std::make_shared<QueryPool>();
  pool->query_type = a.pCreateInfo->queryType;
  pool->count = a.pCreateInfo->queryCount;
  pool->statistics = a.pCreateInfo->pipelineStatistics;
  if (const auto* info = chained<VkQueryPoolPerformanceCreateInfoKHR>(*a.pCreateInfo)) {
    pool->family = info->queueFamilyIndex;
    pool->counters.assign(info->pCounterIndices, info->pCounterIndices + info->counterIndexCount);
  }
  pool->queries.resize(pool->count);
#ifdef VK_KHR_maintenance9
  if ((a.pCreateInfo->flags & VK_QUERY_POOL_CREATE_RESET_BIT_KHR) != 0)
    for (QueryPool::Query& query : pool->queries) query.state = QueryPool::Query::State::reset;
#endif
  *a.pQueryPool = as_handle<VkQueryPool>(publish(pool, call.device));
  return VK_SUCCESS;
}

VkResult get_results(Call& call, args_vkGetQueryPoolResults& a) {
  const auto pool = get<QueryPool>(a.queryPool);
  if (!has(*pool, a.firstQuery, a.queryCount)) return VK_ERROR_VALIDATION_FAILED_EXT;
  const auto available = [&] { return call.device->lost || are_available(*pool, a.firstQuery, a.queryCount); };
  Monitor& monitor = Monitor::get();
  {
    Monitor::Lock lock = monitor.enter();
    monitor.wait(lock, (a.flags & VK_QUERY_RESULT_WAIT_BIT) != 0 ? UINT64_MAX : 0, available);
  }
  if (call.device->lost) return VK_ERROR_DEVICE_LOST;
  const bool all = write_results(*pool, a.firstQuery, a.queryCount, {static_cast<std::byte*>(a.pData), a.dataSize},
                                 a.stride, a.flags);
  return all ? VK_SUCCESS : VK_NOT_READY;
}

void reset_on_host(Call&, args_vkResetQueryPool& a) {
  if (const auto pool = get<QueryPool>(a.queryPool)) reset_queries(*pool, a.firstQuery, a.queryCount);
}

}  // namespace

std::uint32_t QueryPool::value_bytes(VkQueryResultFlags flags) const {
  const bool is_long = (flags & VK_QUERY_RESULT_64_BIT) != 0 || query_type == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR;
  return is_long ? 8 : 4;
}

std::uint32_t QueryPool::values() const {
  switch (query_type) {
    case VK_QUERY_TYPE_PIPELINE_STATISTICS:
      return static_cast<std::uint32_t>(__builtin_popcount(statistics));
    case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
      return 2;  // written and needed
    case VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR:
      return static_cast<std::uint32_t>(counters.size());
    default:
      return 1;
  }
}

bool write_results(QueryPool& pool, std::uint32_t first, std::uint32_t count, std::span<std::byte> to,
                   VkDeviceSize stride, VkQueryResultFlags flags) {
  const std::size_t size = pool.value_bytes(flags);
  bool all = true;
  const std::lock_guard lock(pool.mutex);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Query& query = pool.queries[first + i];
    const bool available = query.state == Query::State::available;
    all = all && available;
    std::size_t at = i * static_cast<std::size_t>(stride);
    const auto put = [&](std::uint64_t value) {
      if (at + size <= to.size()) std::memcpy(to.data() + at, &value, size);
      at += size;
    };
    for (std::uint32_t v = 0; v < pool.values(); ++v) {
      // A result that is not there counts nothing yet, if anything is to be written at all.
      if (available)
        put(v < query.results.size() ? query.results[v] : 0);
      else if ((flags & VK_QUERY_RESULT_PARTIAL_BIT) != 0)
        put(0);
      else
        at += size;
    }
    if ((flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0) put(available);
  }
  return all;
}

bool are_available(QueryPool& pool, std::uint32_t first, std::uint32_t count) {
  const std::lock_guard lock(pool.mutex);
  return std::all_of(pool.queries.begin() + first, pool.queries.begin() + first + count,
                     [](const Query& query) { return query.state == Query::State::available; });
}

void reset_queries(QueryPool& pool, std::uint32_t first, std::uint32_t count) {
  if (!has(pool, first, count)) return;
  const std::lock_guard lock(pool.mutex);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (pool.queries[first + i].state == Query::State::active) violation("resets a query that is active");
    pool.queries[first + i] = {Query::State::reset, {}};
  }
}

void install_queries(Table& table) {
  execute<begin1>(table, CommandId::vkCmdBeginQuery);
  execute<begin_indexed>(table, CommandId::vkCmdBeginQueryIndexedEXT);
  execute<end1>(table, CommandId::vkCmdEndQuery);
  execute<end_indexed>(table, CommandId::vkCmdEndQueryIndexedEXT);
  execute<timestamp1>(table, CommandId::vkCmdWriteTimestamp);
  execute<timestamp2>(table, CommandId::vkCmdWriteTimestamp2);
  execute<reset_by_queue>(table, CommandId::vkCmdResetQueryPool);
  execute<copy_results>(table, CommandId::vkCmdCopyQueryPoolResults);
  table.behave<create_pool>(CommandId::vkCreateQueryPool);
  table.behave<get_results>(CommandId::vkGetQueryPoolResults);
  table.behave<reset_on_host>(CommandId::vkResetQueryPool);
}

}  // namespace fake
