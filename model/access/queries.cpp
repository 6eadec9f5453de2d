// SPDX-License-Identifier: Apache-2.0
// Queries: pools are touched like memory, by query.
#include <algorithm>

#include "generated/args.h"
#include "model/access/tracker.h"

namespace rondo::access {

namespace {

constexpr VkAccessFlags2 kMemoryWrite = VK_ACCESS_2_MEMORY_WRITE_BIT, kMemoryRead = VK_ACCESS_2_MEMORY_READ_BIT;

Touch of_queries(ObjectId pool, std::uint32_t first, std::uint32_t count, VkPipelineStageFlags2 stages,
                 VkAccessFlags2 access, bool overwrites = false) {
  Touch touch;
  touch.object = pool;
  touch.offset = first;
  touch.size = count;
  touch.stages = stages;
  touch.access = access;
  touch.overwrites = overwrites;
  return touch;
}

void reset(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdResetQueryPool>();
  t.touch(
      c, of_queries(c.id(&a.queryPool), a.firstQuery, a.queryCount, VK_PIPELINE_STAGE_2_CLEAR_BIT, kMemoryWrite, true));
}

// With several views a query uses as many in a row (specification, "Multiview").
template <class Args>
void one(Tracker& t, const Call& c) {
  const auto& a = c.as<Args>();
  t.touch(c, of_queries(c.id(&a.queryPool), a.query, std::max(1u, t.recording(c).views_drawn),
                        VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, kMemoryWrite));
}

void copy_results(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdCopyQueryPoolResults>();
  t.touch(c, of_queries(c.id(&a.queryPool), a.firstQuery, a.queryCount, VK_PIPELINE_STAGE_2_COPY_BIT, kMemoryRead));
  // How long a result is, the pool's kind says; between two of them and where none is ready nothing is written.
  t.touch_buffer(c, c.id(&a.dstBuffer), a.dstOffset, VK_WHOLE_SIZE, VK_PIPELINE_STAGE_2_COPY_BIT,
                 VK_ACCESS_2_TRANSFER_WRITE_BIT);
}

void write_properties(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdWriteAccelerationStructuresPropertiesKHR>();
  constexpr VkPipelineStageFlags2 stages =
      VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  for (std::uint32_t i = 0; i < a.accelerationStructureCount; ++i)
    t.touch_structure(c, c.id(&a.pAccelerationStructures[i]), stages, VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR);
  t.touch(c, of_queries(c.id(&a.queryPool), a.firstQuery, a.accelerationStructureCount, stages, kMemoryWrite));
}

void reset_by_host(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkResetQueryPool>();
  const Touch touch = of_queries(c.id(&a.queryPool), a.firstQuery, a.queryCount, VK_PIPELINE_STAGE_2_HOST_BIT,
                                 VK_ACCESS_2_HOST_WRITE_BIT, true);
  t.emit_now(c, {touch});
}

void read_by_host(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkGetQueryPoolResults>();
  const Touch touch = of_queries(c.id(&a.queryPool), a.firstQuery, a.queryCount, VK_PIPELINE_STAGE_2_HOST_BIT,
                                 VK_ACCESS_2_HOST_READ_BIT);
  t.emit_now(c, {touch});
}

}  // namespace

void add_queries(Handlers& handlers) {
  const auto add = [&](CommandId id, Handler handler) { handlers[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCmdResetQueryPool, reset);
  add(CommandId::vkCmdBeginQueryIndexedEXT, one<args_vkCmdBeginQueryIndexedEXT>);
  add(CommandId::vkCmdEndQueryIndexedEXT, one<args_vkCmdEndQueryIndexedEXT>);
  add(CommandId::vkCmdWriteTimestamp2, one<args_vkCmdWriteTimestamp2>);
  add(CommandId::vkCmdCopyQueryPoolResults, copy_results);
  add(CommandId::vkCmdWriteAccelerationStructuresPropertiesKHR, write_properties);
  add(CommandId::vkResetQueryPool, reset_by_host);
  add(CommandId::vkGetQueryPoolResults, read_by_host);
}

}  // namespace rondo::access
