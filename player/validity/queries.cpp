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
  const CommandBuffer::ActiveQuery active{id, query, index, commands->pass != CommandBuffer::Pass::none};
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
  for (std::uint32_t i = 0; i < buffers; ++i) {
    const ObjectId id = c.id(&buffer[i].buffer);
    const Buffer* state = v.buffers.find(id);
    if (Wrong w = check_bytes(v, "buffer", id, 0, VK_WHOLE_SIZE); !w.empty()) return w;
    // A barrier for more than is asked for does no harm.
    if (state == nullptr ||
        (buffer[i].size == VK_WHOLE_SIZE ? buffer[i].offset < state->bytes
                                         : within(buffer[i].offset, buffer[i].size, state->bytes)))
      continue;
    v.change(c, buffer[i].offset, 0);
    v.change(c, buffer[i].size, VK_WHOLE_SIZE);
  }
  for (std::uint32_t i = 0; i < images; ++i) {
    const ObjectId id = c.id(&image[i].image);
    VkImageSubresourceRange range = image[i].subresourceRange;
    if (const Image* state = v.image(id); state != nullptr) {
      const auto clamp = [](std::uint32_t base, std::uint32_t& count, std::uint32_t all) {
        if (base < all && count != VK_REMAINING_MIP_LEVELS) count = std::min(count, all - base);
      };
      clamp(range.baseMipLevel, range.levelCount, state->mips);
      clamp(range.baseArrayLayer, range.layerCount, layers_of(*state, range.baseMipLevel));
      if (range.levelCount != image[i].subresourceRange.levelCount ||
          range.layerCount != image[i].subresourceRange.layerCount)
        v.change(c, image[i].subresourceRange, range);
    }
    if (id == 0) return "a barrier's image is null";
    if (Wrong w = check_bound(v, "image", id); !w.empty()) return w;
    if (Wrong w = check_range(v, "subresourceRange", id, range); !w.empty()) return w;
  }
  return {};
}

void use_event(Validity& v, const Call& c, const VkEvent& event, CommandBuffer::EventUse::Kind kind) {
  if (CommandBuffer* commands = v.command_buffers.find(c.dispatch()); commands != nullptr)
    commands->events.push_back({kind, c.id(&event)});
}
Wrong set_event(Validity& v, const Call& c) {
  use_event(v, c, c.as<args_vkCmdSetEvent>().event, CommandBuffer::EventUse::set);
  return {};
}
Wrong reset_event(Validity& v, const Call& c) {
  use_event(v, c, c.as<args_vkCmdResetEvent>().event, CommandBuffer::EventUse::reset);
  return {};
}

Wrong barrier_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdPipelineBarrier>();
  return check_barriers(v, c, a.bufferMemoryBarrierCount, a.pBufferMemoryBarriers, a.imageMemoryBarrierCount,
                        a.pImageMemoryBarriers);
}
Wrong wait_events_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdWaitEvents>();
  for (std::uint32_t i = 0; i < a.eventCount; ++i)
    use_event(v, c, a.pEvents[i], CommandBuffer::EventUse::wait);
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
  use_event(v, c, c.as<args_vkCmdSetEvent2>().event, CommandBuffer::EventUse::set);
  return check_dependency(v, c, *c.as<args_vkCmdSetEvent2>().pDependencyInfo);
}
Wrong wait_events_2(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdWaitEvents2>();
  for (std::uint32_t i = 0; i < a.eventCount; ++i)
  {
    use_event(v, c, a.pEvents[i], CommandBuffer::EventUse::wait);
    if (Wrong w = check_dependency(v, c, a.pDependencyInfos[i]); !w.empty()) return w;
  }
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
  add(CommandId::vkCmdSetEvent, set_event);
  add(CommandId::vkCmdResetEvent, reset_event);
  add(CommandId::vkCmdResetEvent2, reset_event);
  add(CommandId::vkCmdWaitEvents2, wait_events_2);
  add(CommandId::vkCmdSetEvent2, set_event_2);
}

}  // namespace rondo::player::validity
