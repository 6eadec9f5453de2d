// SPDX-License-Identifier: Apache-2.0
// Which kinds of query may be begun or stamped, where their results go, and
// barriers' subresources. Query indexes: plan_observe_limits.cpp.
#include <algorithm>

#include "generated/args.h"
#include "player/validity/validity.h"

namespace rondo::player::validity {

namespace {

bool is_timestamp(const QueryPool& pool) { return pool.type == VK_QUERY_TYPE_TIMESTAMP; }

Wrong create_pool(Validity& v, const Call& c) {
  const VkQueryPoolCreateInfo& info = *c.as<args_vkCreateQueryPool>().pCreateInfo;
  if (info.queryCount == 0) return "makes a pool without queries";
  if (const ObjectId id = c.created(); id != 0) v.query_pools.make(id) = {info.queryType, info.queryCount};
  return {};
}

Wrong begin_query(Validity& v, const Call& c, const VkQueryPool& handle, std::uint32_t query,
                  std::uint32_t index) {
  const ObjectId id = c.id(&handle);
  const QueryPool* pool = v.query_pools.find(id);
  if (pool != nullptr && is_timestamp(*pool)) return v.name(id) + " holds timestamps, which are not begun";
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  const CommandBuffer::ActiveQuery active{id, query, index};
  if (std::count(commands->queries.begin(), commands->queries.end(), active) != 0)
    return "query " + std::to_string(query) + " of " + v.name(id) + " is begun already";
  commands->queries.push_back(active);
  return {};
}

Wrong end_query(Validity& v, const Call& c, const VkQueryPool& handle, std::uint32_t query,
                std::uint32_t index) {
  const ObjectId id = c.id(&handle);
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (std::erase(commands->queries, CommandBuffer::ActiveQuery{id, query, index}) != 0) return {};
  return "query " + std::to_string(query) + " of " + v.name(id) + " was not begun";
}

Wrong begin_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBeginQuery>();
  return begin_query(v, c, a.queryPool, a.query, 0);
}
Wrong begin_indexed(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBeginQueryIndexedEXT>();
  return begin_query(v, c, a.queryPool, a.query, a.index);
}
Wrong end_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdEndQuery>();
  return end_query(v, c, a.queryPool, a.query, 0);
}
Wrong end_indexed(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdEndQueryIndexedEXT>();
  return end_query(v, c, a.queryPool, a.query, a.index);
}

Wrong check_stamp(Validity& v, ObjectId id) {
  const QueryPool* pool = v.query_pools.find(id);
  return pool != nullptr && !is_timestamp(*pool) ? v.name(id) + " does not hold timestamps" : Wrong();
}
Wrong stamp_1(Validity& v, const Call& c) {
  return check_stamp(v, c.id(&c.as<args_vkCmdWriteTimestamp>().queryPool));
}
Wrong stamp_2(Validity& v, const Call& c) {
  return check_stamp(v, c.id(&c.as<args_vkCmdWriteTimestamp2>().queryPool));
}

Wrong copy_results(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdCopyQueryPoolResults>();
  if (a.queryCount == 0) return {};
  if (a.stride > (VkDeviceSize{1} << 31)) return "stride is " + std::to_string(a.stride);
  const std::size_t word = (a.flags & VK_QUERY_RESULT_64_BIT) != 0 ? 8 : 4;
  return check_bytes(v, "dstBuffer", c.id(&a.dstBuffer), a.dstOffset,
                     (a.queryCount - std::uint64_t{1}) * a.stride + word);
}

template <class BufferBarrier, class ImageBarrier>
Wrong check_barriers(Validity& v, const Call& c, std::uint32_t buffers, const BufferBarrier* buffer,
                     std::uint32_t images, const ImageBarrier* image) {
  for (std::uint32_t i = 0; i < buffers; ++i)
    if (Wrong w = check_bytes(v, "buffer", c.id(&buffer[i].buffer), buffer[i].offset, buffer[i].size);
        !w.empty())
      return w;
  for (std::uint32_t i = 0; i < images; ++i)
    if (Wrong w = check_range(v, "subresourceRange", c.id(&image[i].image), image[i].subresourceRange);
        !w.empty())
      return w;
  return {};
}

Wrong barrier_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdPipelineBarrier>();
  return check_barriers(v, c, a.bufferMemoryBarrierCount, a.pBufferMemoryBarriers, a.imageMemoryBarrierCount,
                        a.pImageMemoryBarriers);
}
Wrong wait_events_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdWaitEvents>();
  return check_barriers(v, c, a.bufferMemoryBarrierCount, a.pBufferMemoryBarriers, a.imageMemoryBarrierCount,
                        a.pImageMemoryBarriers);
}
Wrong check_dependency(Validity& v, const Call& c, const VkDependencyInfo& info) {
  return check_barriers(v, c, info.bufferMemoryBarrierCount, info.pBufferMemoryBarriers,
                        info.imageMemoryBarrierCount, info.pImageMemoryBarriers);
}
Wrong barrier_2(Validity& v, const Call& c) {
  return check_dependency(v, c, *c.as<args_vkCmdPipelineBarrier2>().pDependencyInfo);
}
Wrong set_event_2(Validity& v, const Call& c) {
  return check_dependency(v, c, *c.as<args_vkCmdSetEvent2>().pDependencyInfo);
}
Wrong wait_events_2(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdWaitEvents2>();
  for (std::uint32_t i = 0; i < a.eventCount; ++i)
    if (Wrong w = check_dependency(v, c, a.pDependencyInfos[i]); !w.empty()) return w;
  return {};
}

}  // namespace

void add_query_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCreateQueryPool, create_pool);
  add(CommandId::vkCmdBeginQuery, begin_1);
  add(CommandId::vkCmdBeginQueryIndexedEXT, begin_indexed);
  add(CommandId::vkCmdEndQuery, end_1);
  add(CommandId::vkCmdEndQueryIndexedEXT, end_indexed);
  add(CommandId::vkCmdWriteTimestamp, stamp_1);
  add(CommandId::vkCmdWriteTimestamp2, stamp_2);
  add(CommandId::vkCmdCopyQueryPoolResults, copy_results);
  add(CommandId::vkCmdPipelineBarrier, barrier_1);
  add(CommandId::vkCmdPipelineBarrier2, barrier_2);
  add(CommandId::vkCmdWaitEvents, wait_events_1);
  add(CommandId::vkCmdWaitEvents2, wait_events_2);
  add(CommandId::vkCmdSetEvent2, set_event_2);
}

}  // namespace rondo::player::validity
