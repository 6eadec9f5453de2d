// SPDX-License-Identifier: Apache-2.0
// Queries (specification, "Queries"): reset, counted, written and read, by the device and by the host.
#include <algorithm>

#include "model/effects/shared.h"

namespace rondo::model {

namespace {

using Kind = QueryUse::Kind;

template <class Id>
void use(EffectsOf<Id>& e, Kind kind, Id pool, std::uint32_t first, std::uint32_t count, VkPipelineStageFlags2 stages) {
  e.query({static_cast<typename QueryUseOf<Id>::Kind>(kind), pool, first, count, stages});
}

template <class Args, class Id>
void reset(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& a = c.template as<Args>();
  use(e, Kind::reset, c.id(&a.queryPool), a.firstQuery, a.queryCount,
      c.command.records_into_command_buffer ? VK_PIPELINE_STAGE_2_CLEAR_BIT : VK_PIPELINE_STAGE_2_HOST_BIT);
}

// With several views a query uses as many in a row (specification, "Multiview").
template <class Args, Kind kind, class Id>
void one(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& a = c.template as<Args>();
  use(e, kind, c.id(&a.queryPool), a.query, std::max(1u, e.recording(c).views_drawn),
      VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
}

template <class Id>
void copy_results(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& a = c.template as<args_vkCmdCopyQueryPoolResults>();
  use(e, Kind::read, c.id(&a.queryPool), a.firstQuery, a.queryCount, VK_PIPELINE_STAGE_2_COPY_BIT);
  if (a.queryCount == 0) return;
  // How long a result is, the pool says. Between two of them and where none is ready nothing is written.
  const QueryPool* const pool = e.views.query_pools.find(c.id(&a.queryPool));
  std::uint64_t bytes = pool != nullptr ? numbers_of(*pool) : 0;
  if (bytes != 0 && (a.flags & (VK_QUERY_RESULT_WITH_AVAILABILITY_BIT | VK_QUERY_RESULT_WITH_STATUS_BIT_KHR)) != 0)
    bytes += 1;
  bytes *= (a.flags & VK_QUERY_RESULT_64_BIT) != 0 ? 8 : 4;
  std::uint64_t rest = 0;
  if (bytes == 0 || __builtin_mul_overflow(std::uint64_t{a.queryCount} - 1, a.stride, &rest) ||
      __builtin_add_overflow(bytes, rest, &bytes))
    bytes = VK_WHOLE_SIZE;
  e.touch_buffer(c.id(&a.dstBuffer), a.dstOffset, bytes, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT);
}

template <class Id>
void create_pool(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const VkQueryPoolCreateInfo& info = *c.template as<args_vkCreateQueryPool>().pCreateInfo;
  if (const Id made = c.made(); made != Id{})
    e.views.query_pools.make(made) = {info.queryType, info.pipelineStatistics};
}

// Sizes of acceleration structures.
template <class Id>
void write_properties(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& a = c.template as<args_vkCmdWriteAccelerationStructuresPropertiesKHR>();
  constexpr VkPipelineStageFlags2 stages =
      VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  for (std::uint32_t i = 0; i < a.accelerationStructureCount; ++i)
    e.touch_structure(c.id(&a.pAccelerationStructures[i]), stages, VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR);
  use(e, Kind::write, c.id(&a.queryPool), a.firstQuery, a.accelerationStructureCount, stages);
}

template <class Id>
void read_by_host(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& a = c.template as<args_vkGetQueryPoolResults>();
  use(e, Kind::read, c.id(&a.queryPool), a.firstQuery, a.queryCount, VK_PIPELINE_STAGE_2_HOST_BIT);
}

}  // namespace

template <class Id>
void add_queries(SharedHandlers<Id>& handlers) {
  add(handlers, CommandId::vkCreateQueryPool, create_pool<Id>, kObjects);
  add(handlers, CommandId::vkCmdResetQueryPool, reset<args_vkCmdResetQueryPool, Id>, kQueries);
  add(handlers, CommandId::vkCmdBeginQueryIndexedEXT, one<args_vkCmdBeginQueryIndexedEXT, Kind::begin, Id>, kQueries);
  add(handlers, CommandId::vkCmdEndQueryIndexedEXT, one<args_vkCmdEndQueryIndexedEXT, Kind::end, Id>, kQueries);
  add(handlers, CommandId::vkCmdWriteTimestamp2, one<args_vkCmdWriteTimestamp2, Kind::write, Id>, kQueries);
  add(handlers, CommandId::vkCmdCopyQueryPoolResults, copy_results<Id>, kQueries | kTouches);
  add(handlers, CommandId::vkCmdWriteAccelerationStructuresPropertiesKHR, write_properties<Id>, kQueries | kTouches);
  add(handlers, CommandId::vkResetQueryPool, reset<args_vkResetQueryPool, Id>, kQueries);
  add(handlers, CommandId::vkGetQueryPoolResults, read_by_host<Id>, kQueries);
}

template void add_queries(SharedHandlers<ObjectId>&);
template void add_queries(SharedHandlers<std::uint64_t>&);

}  // namespace rondo::model
