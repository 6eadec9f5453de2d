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
  // How long a result is, the pool's kind says; between two of them and where none is ready nothing is written.
  e.touch_buffer(c.id(&a.dstBuffer), a.dstOffset, VK_WHOLE_SIZE, VK_PIPELINE_STAGE_2_COPY_BIT,
                 VK_ACCESS_2_TRANSFER_WRITE_BIT);
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
