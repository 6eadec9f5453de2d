// SPDX-License-Identifier: Apache-2.0
// Sizes and indexes that a driver takes on trust, against what the records
// before said: a hostile file must not lead it beyond its own objects.
#include <algorithm>

#include "generated/args.h"
#include "player/plan/plan_builder.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

// Beyond any device's (maxPushConstantsSize is 128 to 4096).
constexpr std::uint32_t kMaxPushConstants = 1u << 16;

}  // namespace

Result<void> PlanBuilder::observe_limits(const Record& record, const codec::CommandInfo& command) {
  const auto wrong = [&](const std::string& what) {
    return tl::unexpected<Error>(at(record, Status::unreadable, std::string(command.name) + ": " + what));
  };
  const auto check_queries = [&](const VkQueryPool* pool, std::uint32_t first, std::uint32_t count) -> Result<void> {
    const auto found = query_counts_.find(view_.id(pool));
    if (found == query_counts_.end() || (first <= found->second && count <= found->second - first)) return {};
    return wrong("queries " + std::to_string(first) + " to " + std::to_string(std::uint64_t{first} + count) +
                 " of a pool that has " + std::to_string(found->second));
  };
  const auto push_constants = [&](std::uint64_t end) -> Result<void> {
    if (end > kMaxPushConstants) return wrong("no device has " + std::to_string(end) + " bytes of push constants");
    if (const std::uint32_t device = device_of(resolution_.ids[0]); device != kNone)  // preflight asks for them
      plan_->devices[device].push_constants =
          std::max(plan_->devices[device].push_constants, static_cast<std::uint32_t>(end));
    return {};
  };
  switch (command.canonical) {
    case CommandId::vkCreateQueryPool:
      if (const auto* info = view_.as<args_vkCreateQueryPool>().pCreateInfo; info != nullptr)
        if (const ObjectId id = subject_of(command); id != ObjectId::null) query_counts_[id] = info->queryCount;
      break;
    case CommandId::vkGetQueryPoolResults: {
      const auto& a = view_.as<args_vkGetQueryPoolResults>();
      RONDO_TRY(check_queries(&a.queryPool, a.firstQuery, a.queryCount));
      if (a.queryCount > 1 && a.dataSize / std::max<VkDeviceSize>(a.stride, 1) < a.queryCount - 1)
        return wrong("its results do not fit the " + std::to_string(a.dataSize) + " bytes it gives");
      if (query_bytes(a.queryCount, a.stride) > budget_) return wrong("its results need more than the memory budget");
      break;
    }
    case CommandId::vkResetQueryPool: {
      const auto& a = view_.as<args_vkResetQueryPool>();
      return check_queries(&a.queryPool, a.firstQuery, a.queryCount);
    }
    case CommandId::vkCmdResetQueryPool: {
      const auto& a = view_.as<args_vkCmdResetQueryPool>();
      return check_queries(&a.queryPool, a.firstQuery, a.queryCount);
    }
    case CommandId::vkCmdCopyQueryPoolResults: {
      const auto& a = view_.as<args_vkCmdCopyQueryPoolResults>();
      return check_queries(&a.queryPool, a.firstQuery, a.queryCount);
    }
    case CommandId::vkCmdBeginQuery: {
      const auto& a = view_.as<args_vkCmdBeginQuery>();
      return check_queries(&a.queryPool, a.query, 1);
    }
    case CommandId::vkCmdEndQuery: {
      const auto& a = view_.as<args_vkCmdEndQuery>();
      return check_queries(&a.queryPool, a.query, 1);
    }
    case CommandId::vkCmdWriteTimestamp: {
      const auto& a = view_.as<args_vkCmdWriteTimestamp>();
      return check_queries(&a.queryPool, a.query, 1);
    }
    case CommandId::vkCmdWriteTimestamp2: {
      const auto& a = view_.as<args_vkCmdWriteTimestamp2>();
      return check_queries(&a.queryPool, a.query, 1);
    }
    case CommandId::vkCmdPushConstants: {
      const auto& a = view_.as<args_vkCmdPushConstants>();
      return push_constants(std::uint64_t{a.offset} + a.size);
    }
#ifdef VK_KHR_maintenance6
    case CommandId::vkCmdPushConstants2: {
      const auto& a = *view_.as<args_vkCmdPushConstants2>().pPushConstantsInfo;
      return push_constants(std::uint64_t{a.offset} + a.size);
    }
#endif
    case CommandId::vkGetDeviceQueue: {
      const auto& a = view_.as<args_vkGetDeviceQueue>();
      const std::uint32_t device = device_of(resolution_.ids[0]);
      if (device == kNone) break;
      for (const QueueUse& queue : plan_->devices[device].queues)
        if (queue.family == a.queueFamilyIndex && a.queueIndex < queue.count) return {};
      return wrong("the device has no queue " + std::to_string(a.queueIndex) + " of family " +
                   std::to_string(a.queueFamilyIndex));
    }
    default:
      break;
  }
  return {};
}

}  // namespace rondo::player
