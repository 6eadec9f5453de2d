// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/counters.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "tests/icd/chain.h"
#include "tests/icd/install.h"
#include "tests/icd/lists.h"
#include "tests/icd/physical_device.h"
#include "tests/icd/state.h"

namespace fake {

namespace {

// One pass counts with one block: a pool with counters of both needs two.
enum Block : unsigned { kFirstBlock = 1, kSecondBlock = 2 };

struct Known {
  const char *name, *category, *description;
  VkPerformanceCounterUnitKHR unit;
  VkPerformanceCounterScopeKHR scope;
  VkPerformanceCounterStorageKHR storage;
  unsigned blocks;
};
constexpr auto kCommand = VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR;
constexpr Known kKnown[] = {
    {"Workgroups", "Compute", "workgroups that were dispatched", VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, kCommand,
     VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR, kFirstBlock},
    {"Vertices", "Geometry", "vertices that were drawn", VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, kCommand,
     VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR, kFirstBlock},
    {"Bytes written", "Memory", "four a vertex, and half a byte a workgroup", VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR,
     kCommand, VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR, kSecondBlock},
    {"Busy", "Compute", "12.5 % for each workgroup", VK_PERFORMANCE_COUNTER_UNIT_PERCENTAGE_KHR, kCommand,
     VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR, kSecondBlock},
    {"Stalls", "Compute", "-1 a command", VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR, kCommand,
     VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR, kFirstBlock},
    {"Stalls", "Memory", "-2 a command", VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR, kCommand,
     VK_PERFORMANCE_COUNTER_STORAGE_INT64_KHR, kSecondBlock},
    {"Tiles", "Passes", "of a render pass", VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR,
     VK_PERFORMANCE_COUNTER_SCOPE_RENDER_PASS_KHR, VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR, kFirstBlock},
    {"Flushes", "Buffers", "of a command buffer", VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR,
     VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR, VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR, kFirstBlock},
    {"Everything", "Both", "of both blocks", VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, kCommand,
     VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR, kFirstBlock | kSecondBlock},
};

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

std::uint64_t result_of(const Known& known, const Execution::Counter& counter) {
  const std::string_view name = known.name;
  if (name == "Workgroups") return bits_of(counter.groups);
  if (name == "Vertices") return bits_of(static_cast<std::uint32_t>(counter.vertices));
  if (name == "Bytes written")
    return bits_of(4 * static_cast<double>(counter.vertices) + 0.5 * static_cast<double>(counter.groups));
  if (name == "Busy") return bits_of(12.5f * static_cast<float>(counter.groups));
  const auto draws = static_cast<std::int64_t>(counter.draws);
  if (known.storage == VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR) return bits_of(static_cast<std::int32_t>(-draws));
  return bits_of(-2 * draws);
}

// Also the family that only copies, where no query can be begun: drivers list the same for all.
bool counts(std::uint32_t family) { return settings().counters && family < queue_families().size(); }

template <std::size_t N>
void put(char (&to)[N], std::string_view text) {
  std::memset(to, 0, N);
  text.copy(to, N - 1);
}

VkResult enumerate_counters(Call&, args_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR& a) {
  const auto total = counts(a.queueFamilyIndex) ? static_cast<std::uint32_t>(std::size(kKnown)) : std::uint32_t{0};
  if (a.pCounters == nullptr && a.pCounterDescriptions == nullptr) {
    *a.pCounterCount = total;
    return VK_SUCCESS;
  }
  *a.pCounterCount = std::min(*a.pCounterCount, total);
  for (std::uint32_t i = 0; i < *a.pCounterCount; ++i) {
    if (a.pCounters != nullptr) {
      VkPerformanceCounterKHR& counter = a.pCounters[i];
      counter.unit = kKnown[i].unit;
      counter.scope = kKnown[i].scope;
      counter.storage = kKnown[i].storage;
      std::memset(counter.uuid, 0, sizeof counter.uuid);
      counter.uuid[0] = static_cast<std::uint8_t>(i + 1);
    }
    if (a.pCounterDescriptions != nullptr) {
      VkPerformanceCounterDescriptionKHR& text = a.pCounterDescriptions[i];
      text.flags = 0;
      put(text.name, kKnown[i].name);
      put(text.category, kKnown[i].category);
      put(text.description, kKnown[i].description);
    }
  }
  return *a.pCounterCount < total ? VK_INCOMPLETE : VK_SUCCESS;
}

bool names_counters(const VkQueryPoolPerformanceCreateInfoKHR& info) {
  if (!counts(info.queueFamilyIndex) || info.counterIndexCount == 0) return false;
  return std::all_of(info.pCounterIndices, info.pCounterIndices + info.counterIndexCount,
                     [](std::uint32_t index) { return index < std::size(kKnown); });
}

void check_passes(Call&, const args_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR& a) {
  if (!names_counters(*a.pPerformanceQueryCreateInfo)) violation("names counters that the family does not have");
}

void count_passes(Call&, args_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR& a) {
  const VkQueryPoolPerformanceCreateInfoKHR& info = *a.pPerformanceQueryCreateInfo;
  unsigned blocks = 0;
  for (std::uint32_t i = 0; i < info.counterIndexCount; ++i) blocks |= kKnown[info.pCounterIndices[i]].blocks;
  *a.pNumPasses = static_cast<std::uint32_t>(__builtin_popcount(blocks));
}

void check_counter_pool(Call& call, const args_vkCreateQueryPool& a) {
  if (a.pCreateInfo->queryType != VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR) return;
  const auto* info = chained<VkQueryPoolPerformanceCreateInfoKHR>(*a.pCreateInfo);
  if (info == nullptr) return violation("the chain has no VkQueryPoolPerformanceCreateInfoKHR");
  if (!call.device->counts) return violation("performanceCounterQueryPools is not enabled");
  if (!names_counters(*info)) violation("names counters that the family does not have");
}

VkResult acquire_lock(Call& call, args_vkAcquireProfilingLockKHR&) {
  call.device->holds_profiling_lock = true;
  return VK_SUCCESS;
}

void check_release_lock(Call& call, const args_vkReleaseProfilingLockKHR&) {
  if (!call.device->holds_profiling_lock) violation("the profiling lock is not held");
}

void release_lock(Call& call, args_vkReleaseProfilingLockKHR&) { call.device->holds_profiling_lock = false; }

void check_begin_counting(Call& call, const args_vkCmdBeginQuery& a) {
  const auto pool = get<QueryPool>(a.queryPool);
  if (pool->query_type != VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR) return;
  const CommandBuffer& buffer = *call.command_buffer;
  const auto commands = std::static_pointer_cast<CommandPool>(find(CommandPool::kType, buffer.pool));
  if (!buffer.locked) return violation("the profiling lock was not held when the command buffer began");
  if (commands->family != pool->family) return violation("the query pool is of another queue family");
  if (buffer.in_render_pass && counts_scope(*pool, VK_PERFORMANCE_COUNTER_SCOPE_RENDER_PASS_KHR))
    return violation("a counter of render passes begins in one");
  if (!buffer.steps.empty() && counts_scope(*pool, VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR))
    return violation("a counter of command buffers is not begun by the first command");
  if (buffer.reset_pools.contains(number(a.queryPool)))
    return violation("the query is reset in the same command buffer");
  for (const std::uint64_t other : buffer.counter_pools)
    if (other != number(a.queryPool) && !call.device->counts_in_several_pools)
      return violation("performanceCounterMultipleQueryPools is not enabled");
}

void check_counter_reset(Call& call, const args_vkCmdResetQueryPool& a) {
  if (call.command_buffer->counter_pools.contains(number(a.queryPool)))
    violation("a performance query is reset in the command buffer that begins it");
}

void check_counter_copy(Call&, const args_vkCmdCopyQueryPoolResults& a) {
  if (get<QueryPool>(a.queryPool)->query_type == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR)
    violation("performance queries are copied, and allowCommandBufferQueryCopies is false");
}

void check_counter_results(Call&, const args_vkGetQueryPoolResults& a) {
  constexpr VkQueryResultFlags kForbidden =
      VK_QUERY_RESULT_WITH_AVAILABILITY_BIT | VK_QUERY_RESULT_PARTIAL_BIT | VK_QUERY_RESULT_64_BIT;
  if (get<QueryPool>(a.queryPool)->query_type == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR && (a.flags & kForbidden) != 0)
    violation("asks for performance queries with flags that they do not take");
}

}  // namespace

bool counts_scope(const QueryPool& pool, VkPerformanceCounterScopeKHR scope) {
  return std::any_of(pool.counters.begin(), pool.counters.end(),
                     [&](std::uint32_t index) { return kKnown[index].scope == scope; });
}

std::vector<std::uint64_t> counter_results(const QueryPool& pool, const Execution::Counter& counter) {
  std::vector<std::uint64_t> results;
  for (const std::uint32_t index : pool.counters) results.push_back(result_of(kKnown[index], counter));
  return results;
}

void install_counters(Table& table) {
  table.behave<enumerate_counters>(CommandId::vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR);
  table.check<check_passes>(CommandId::vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR);
  table.behave<count_passes>(CommandId::vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR);
  table.behave<acquire_lock>(CommandId::vkAcquireProfilingLockKHR);
  table.check<check_release_lock>(CommandId::vkReleaseProfilingLockKHR);
  table.behave<release_lock>(CommandId::vkReleaseProfilingLockKHR);
  table.check<check_counter_pool>(CommandId::vkCreateQueryPool);
  table.check<check_begin_counting>(CommandId::vkCmdBeginQuery);
  table.check<check_counter_reset>(CommandId::vkCmdResetQueryPool);
  table.check<check_counter_copy>(CommandId::vkCmdCopyQueryPoolResults);
  table.check<check_counter_results>(CommandId::vkGetQueryPoolResults);
}

}  // namespace fake
