// SPDX-License-Identifier: Apache-2.0
// Which kinds of query may be begun or stamped, where their results go, and
// barriers' subresources. Query indexes: plan_observe_limits.cpp.
#include <algorithm>
#include <bit>

#include "generated/args.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

bool may_query(const Validity& v, ObjectId device, VkQueryType type) {
  switch (type) {
    case VK_QUERY_TYPE_OCCLUSION:
    case VK_QUERY_TYPE_PIPELINE_STATISTICS:
    case VK_QUERY_TYPE_TIMESTAMP:
      return true;
    case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
      return v.has_extension(device, VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME);
    case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
      return v.has_extension(device, VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME);
    case VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT:
      return v.has_extension(device, VK_EXT_MESH_SHADER_EXTENSION_NAME);
    case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR:
    case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR:
      return v.has_extension(device, VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME);
    case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR:
    case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SIZE_KHR:
      return v.has_extension(device, VK_KHR_RAY_TRACING_MAINTENANCE_1_EXTENSION_NAME);
    default:
      return false;  // of extensions that are not replayed
  }
}

Wrong create_pool(Validity& v, const Call& c) {
  const VkQueryPoolCreateInfo& info = *c.as<args_vkCreateQueryPool>().pCreateInfo;
  if (info.queryCount == 0) return "makes a pool without queries";
  if (info.queryCount > kMostOfAnObject)
    return "makes a pool of " + std::to_string(info.queryCount) + " queries, more than " +
           std::to_string(kMostOfAnObject);
  if (!may_query(v, c.dispatch(), info.queryType)) return "queryType is of an extension that is not enabled";
  const bool statistics = info.queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS;
  if (statistics && info.pipelineStatistics == 0) return "pipelineStatistics is 0";
  if (const ObjectId id = c.created(); id != ObjectId::null) {
    QueryPool& pool = v.query_pools.make(id);
    pool.type = info.queryType;
    pool.count = info.queryCount;
    if (statistics) pool.values = static_cast<std::uint32_t>(std::popcount(info.pipelineStatistics));
    if (info.queryType == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT) pool.values = 2;
  }
  return {};
}

Wrong check_queries(Validity& v, ObjectId id, std::uint32_t first, std::uint32_t count) {
  const QueryPool* pool = v.query_pools.find(id);
  return pool == nullptr || within(first, count, pool->count)
             ? Wrong()
             : "queries " + std::to_string(first) + " to " + std::to_string(std::uint64_t{first} + count) + " of " +
                   v.name(id) + ", which has " + std::to_string(pool->count);
}

// These are written at once.
bool is_written(const QueryPool& pool) {
  return is_timestamp(pool) || pool.type == VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR ||
         pool.type == VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR ||
         pool.type == VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR ||
         pool.type == VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SIZE_KHR;
}

Wrong begin_query(Validity& v, const Call& c, const VkQueryPool& handle, std::uint32_t query, std::uint32_t index,
                  const VkQueryControlFlags& flags) {
  const ObjectId id = c.id(&handle);
  const QueryPool* pool = v.query_pools.find(id);
  if (Wrong w = check_queries(v, id, query, 1); !w.empty()) return w;
  constexpr std::uint32_t kStreams = 4;  // as many as drivers have
  if (pool != nullptr && index != 0 &&
      (index >= kStreams || (pool->type != VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT &&
                             pool->type != VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT)))
    return "index is " + std::to_string(index);
  // Counts as precisely as the device does.
  if (pool != nullptr && (flags & VK_QUERY_CONTROL_PRECISE_BIT) != 0 &&
      (pool->type != VK_QUERY_TYPE_OCCLUSION ||
       !v.enabled(c.dispatch(), &VkPhysicalDeviceFeatures::occlusionQueryPrecise)))
    v.change(c, flags, flags & ~static_cast<VkQueryControlFlags>(VK_QUERY_CONTROL_PRECISE_BIT));
  if (pool != nullptr && is_written(*pool)) return v.name(id) + " holds what is written, and not begun";
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  const CommandBuffer::ActiveQuery active{id, query, index, commands->pass != CommandBuffer::Pass::none};
  if (std::any_of(commands->queries.begin(), commands->queries.end(),
                  [&](const auto& one) { return one.pool == id && one.query == query; }))
    return "query " + std::to_string(query) + " of " + v.name(id) + " is begun already";
  commands->queries.push_back(active);
  return {};
}

// Where several views are drawn, a query is of as many queries.
std::uint32_t views_of(const CommandBuffer& commands) {
  return commands.pass != CommandBuffer::Pass::none ? std::max(commands.views, 1u) : 1;
}

Wrong end_query(Validity& v, const Call& c, const VkQueryPool& handle, std::uint32_t query, std::uint32_t index) {
  const ObjectId id = c.id(&handle);
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (std::erase(commands->queries, CommandBuffer::ActiveQuery{id, query, index}) != 0) {
    note_queries(*commands, {true, id, query, views_of(*commands)});
    return {};
  }
  return "query " + std::to_string(query) + " of " + v.name(id) + " was not begun";
}

Wrong begin_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBeginQuery>();
  return begin_query(v, c, a.queryPool, a.query, 0, a.flags);
}
Wrong begin_indexed(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBeginQueryIndexedEXT>();
  return begin_query(v, c, a.queryPool, a.query, a.index, a.flags);
}
Wrong end_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdEndQuery>();
  return end_query(v, c, a.queryPool, a.query, 0);
}
Wrong end_indexed(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdEndQueryIndexedEXT>();
  return end_query(v, c, a.queryPool, a.query, a.index);
}

Wrong stamp(Validity& v, const Call& c, ObjectId id, std::uint32_t query) {
  const QueryPool* pool = v.query_pools.find(id);
  if (pool != nullptr && !is_timestamp(*pool)) return v.name(id) + " does not hold timestamps";
  if (CommandBuffer* commands = v.command_buffers.find(c.dispatch()); commands != nullptr)
    note_queries(*commands, {true, id, query, views_of(*commands)});
  return {};
}
Wrong stamp_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdWriteTimestamp>();
  return stamp(v, c, c.id(&a.queryPool), a.query);
}
Wrong stamp_2(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdWriteTimestamp2>();
  return stamp(v, c, c.id(&a.queryPool), a.query);
}

Wrong copy_results(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdCopyQueryPoolResults>();
  const ObjectId id = c.id(&a.queryPool);
  const QueryPool* pool = v.query_pools.find(id);
  if (Wrong w = check_queries(v, id, a.firstQuery, a.queryCount); !w.empty()) return w;
  const std::uint32_t word = (a.flags & VK_QUERY_RESULT_64_BIT) != 0 ? 8 : 4;
  const std::uint32_t values =
      (pool != nullptr ? pool->values : 1) + ((a.flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0 ? 1u : 0u);
  if (a.dstOffset % word != 0) return "dstOffset is no multiple of a result's size";
  if (a.queryCount > 1 &&
      (a.stride > (VkDeviceSize{1} << 31) || a.stride % word != 0 || a.stride < VkDeviceSize{word} * values))
    return "stride is " + std::to_string(a.stride) + ", and a query's results take " + std::to_string(word * values) +
           " bytes";
  // There are no parts of a point in time.
  if (pool != nullptr && is_timestamp(*pool) && (a.flags & VK_QUERY_RESULT_PARTIAL_BIT) != 0)
    v.change(c, a.flags, a.flags & ~static_cast<VkQueryResultFlags>(VK_QUERY_RESULT_PARTIAL_BIT));
  v.needs_usage(c.id(&a.dstBuffer), VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  return check_bytes(
      v, "dstBuffer", c.id(&a.dstBuffer), a.dstOffset,
      (a.queryCount - std::uint64_t{1}) * (a.queryCount > 1 ? a.stride : 0) + std::uint64_t{word} * values);
}

// One that is active would be reset under the device's hands.
Wrong reset(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdResetQueryPool>();
  const ObjectId id = c.id(&a.queryPool);
  CommandBuffer* const commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  for (const CommandBuffer::ActiveQuery& one : commands->queries)
    if (one.pool == id && one.query >= a.firstQuery && one.query - a.firstQuery < a.queryCount)
      return "query " + std::to_string(one.query) + " of " + v.name(id) + " is begun";
  note_queries(*commands, {false, id, a.firstQuery, a.queryCount});
  return {};
}

template <class BufferBarrier, class ImageBarrier>
Wrong check_barriers(Validity& v, const Call& c, std::uint32_t buffers, const BufferBarrier* buffer,
                     std::uint32_t images, const ImageBarrier* image) {
  for (std::uint32_t i = 0; i < buffers; ++i) {
    const ObjectId id = c.id(&buffer[i].buffer);
    const Buffer* state = v.buffers.find(id);
    if (Wrong w = check_bytes(v, "buffer", id, 0, VK_WHOLE_SIZE); !w.empty()) return w;
    // A barrier for more than is asked for does no harm.
    if (state == nullptr || (buffer[i].size == VK_WHOLE_SIZE ? buffer[i].offset < state->bytes
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
    if (id == ObjectId::null) return "a barrier's image is null";
    const bool changes =
        image[i].oldLayout != image[i].newLayout || image[i].srcQueueFamilyIndex != image[i].dstQueueFamilyIndex;
    if (changes &&
        (image[i].newLayout == VK_IMAGE_LAYOUT_UNDEFINED || image[i].newLayout == VK_IMAGE_LAYOUT_PREINITIALIZED))
      return "a barrier's newLayout is undefined or preinitialized";
    if (Wrong w = check_bound(v, "image", id); !w.empty()) return w;
    if (Wrong w = check_range(v, "subresourceRange", id, range); !w.empty()) return w;
  }
  return {};
}

Wrong check_events(const Call& c, std::uint32_t count, const VkEvent* events) {
  for (std::uint32_t i = 0; i < count; ++i)
    if (c.id(&events[i]) == ObjectId::null) return "event " + std::to_string(i) + " is null";
  return {};
}

void use_event(Validity& v, const Call& c, const VkEvent& event, CommandBuffer::EventUse::Kind kind) {
  if (CommandBuffer* commands = v.command_buffers.find(c.dispatch()); commands != nullptr)
    commands->events.push_back({kind, c.id(&event)});
}
Wrong record_set_event(Validity& v, const Call& c) {
  use_event(v, c, c.as<args_vkCmdSetEvent>().event, CommandBuffer::EventUse::set);
  return {};
}
Wrong record_reset_event(Validity& v, const Call& c) {
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
  if (Wrong w = check_events(c, a.eventCount, a.pEvents); !w.empty()) return w;
  for (std::uint32_t i = 0; i < a.eventCount; ++i) use_event(v, c, a.pEvents[i], CommandBuffer::EventUse::wait);
  return check_barriers(v, c, a.bufferMemoryBarrierCount, a.pBufferMemoryBarriers, a.imageMemoryBarrierCount,
                        a.pImageMemoryBarriers);
}
Wrong check_dependency(Validity& v, const Call& c, const VkDependencyInfo& info) {
  return check_barriers(v, c, info.bufferMemoryBarrierCount, info.pBufferMemoryBarriers, info.imageMemoryBarrierCount,
                        info.pImageMemoryBarriers);
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
  if (Wrong w = check_events(c, a.eventCount, a.pEvents); !w.empty()) return w;
  for (std::uint32_t i = 0; i < a.eventCount; ++i) {
    use_event(v, c, a.pEvents[i], CommandBuffer::EventUse::wait);
    if (Wrong w = check_dependency(v, c, a.pDependencyInfos[i]); !w.empty()) return w;
  }
  return {};
}

// What a cut puts back.
Wrong put_back_barriers(Validity& v, const Call& c) {
  const auto& a = c.as<args_rondoBarriers>();
  return check_barriers(v, c, a.bufferCount, a.pBuffers, a.imageCount, a.pImages);
}
Wrong put_back_event(Validity& v, const Call& c) {
  const auto& a = c.as<args_rondoEventSet>();
  const ObjectId event = c.id(&a.event);
  if (event == ObjectId::null) return "sets no event";
  if (a.pDependencyInfo != nullptr)
    if (Wrong w = check_dependency(v, c, *a.pDependencyInfo); !w.empty()) return w;
  set_event_by_host(v, event, true);
  return {};
}
Wrong put_back_queries(Validity& v, const Call& c) {
  const auto& a = c.as<args_rondoQueries>();
  const ObjectId id = c.id(&a.queryPool);
  const QueryPool* pool = v.query_pools.find(id);
  if (pool == nullptr || pool->type != a.queryType) return "is of no such queries";
  const bool plain = a.queryType == VK_QUERY_TYPE_OCCLUSION || a.queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS ||
                     a.queryType == VK_QUERY_TYPE_TIMESTAMP;
  if (a.available != VK_FALSE && !plain) return "ends queries of a kind that is not put back";
  if (Wrong w = check_queries(v, id, a.firstQuery, a.queryCount); !w.empty()) return w;
  set_queries_by_host(v, {a.available != VK_FALSE, id, a.firstQuery, a.queryCount});
  return {};
}

}  // namespace

bool is_timestamp(const QueryPool& pool) { return pool.type == VK_QUERY_TYPE_TIMESTAMP; }

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
  add(CommandId::vkCmdResetQueryPool, reset);
  add(CommandId::vkCmdPipelineBarrier, barrier_1);
  add(CommandId::vkCmdPipelineBarrier2, barrier_2);
  add(CommandId::vkCmdWaitEvents, wait_events_1);
  add(CommandId::vkCmdSetEvent, record_set_event);
  add(CommandId::vkCmdResetEvent, record_reset_event);
  add(CommandId::vkCmdResetEvent2, record_reset_event);
  add(CommandId::vkCmdWaitEvents2, wait_events_2);
  add(CommandId::vkCmdSetEvent2, set_event_2);
  add(CommandId::rondoBarriers, put_back_barriers);
  add(CommandId::rondoEventSet, put_back_event);
  add(CommandId::rondoQueries, put_back_queries);
}

}  // namespace rondo::player::validity
