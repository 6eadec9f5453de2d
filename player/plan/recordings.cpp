// SPDX-License-Identifier: Apache-2.0
#include "player/plan/recordings.h"

#include "format/codec/schema.h"
#include "generated/args.h"
#include "player/plan/plan_edit.h"

namespace rondo::player {

void Recordings::note(std::uint32_t index, Recording& recording, CommandId canonical) {
  const Op& op = plan_.ops[index];
  using Kind = QueryUse::Kind;
  const auto use = [&](Kind kind, const VkQueryPool& pool, std::uint32_t first, std::uint32_t count) {
    recording.queries.push_back({kind, view_.id(&pool), first, count});
  };
  // Where several views are drawn, one for each.
  const auto write = [&]<class Args>(const Args& a) {
    const auto found = plan_.query_views.find(index);
    use(Kind::write, a.queryPool, a.query, found == plan_.query_views.end() ? 1 : found->second);
  };
  const auto wait = [&]<class Args>(const Args& a) {
    for (std::uint32_t i = 0; i < a.eventCount; ++i)
      recording.events.push_back({EventUse::Kind::wait, view_.id(&a.pEvents[i]), index});
  };
  const auto change = [&](EventUse::Kind kind) {
    recording.events.push_back({kind, named(plan_, op, HandleType::VkEvent), index});
  };
  switch (canonical) {
    case CommandId::vkCmdResetQueryPool: {
      const auto& a = args_of<args_vkCmdResetQueryPool>(op);
      return use(Kind::reset, a.queryPool, a.firstQuery, a.queryCount);
    }
    case CommandId::vkCmdBeginQuery:
      return write(args_of<args_vkCmdBeginQuery>(op));
    case CommandId::vkCmdBeginQueryIndexedEXT:
      return write(args_of<args_vkCmdBeginQueryIndexedEXT>(op));
    case CommandId::vkCmdWriteTimestamp:
      return write(args_of<args_vkCmdWriteTimestamp>(op));
    case CommandId::vkCmdWriteTimestamp2:
      return write(args_of<args_vkCmdWriteTimestamp2>(op));
    case CommandId::vkCmdWriteAccelerationStructuresPropertiesKHR: {
      const auto& a = args_of<args_vkCmdWriteAccelerationStructuresPropertiesKHR>(op);
      return use(Kind::write, a.queryPool, a.firstQuery, a.accelerationStructureCount);
    }
    case CommandId::vkCmdCopyQueryPoolResults: {
      const auto& a = args_of<args_vkCmdCopyQueryPoolResults>(op);
      return use(Kind::read, a.queryPool, a.firstQuery, a.queryCount);
    }
    case CommandId::vkCmdSetEvent:
    case CommandId::vkCmdSetEvent2:
      return change(EventUse::Kind::set);
    case CommandId::vkCmdResetEvent:
    case CommandId::vkCmdResetEvent2:
      return change(EventUse::Kind::reset);
    case CommandId::vkCmdWaitEvents:
      return wait(args_of<args_vkCmdWaitEvents>(op));
    case CommandId::vkCmdWaitEvents2:
      return wait(args_of<args_vkCmdWaitEvents2>(op));
    case CommandId::vkCmdExecuteCommands:
      for (std::uint32_t i = 0; i < op.patches; ++i) {
        const ObjectId id = plan_.patches[op.first_patch + i].id;
        if (id == ObjectId::null || id == op.dispatch) continue;
        recording.secondaries.push_back(id);
        const auto inner = find(id);
        if (inner == nullptr) continue;
        if (inner->queries.size() + inner->events.size() + recording.queries.size() + recording.events.size() >
            kMostUses) {
          too_many_ = true;
          return;
        }
        recording.queries.insert(recording.queries.end(), inner->queries.begin(), inner->queries.end());
        recording.events.insert(recording.events.end(), inner->events.begin(), inner->events.end());
      }
      return;
    default:
      return;
  }
}

void Recordings::take(std::uint32_t index) {
  const Op& op = plan_.ops[index];
  const codec::CommandInfo& command = codec::info(op.command);
  switch (command.canonical) {
    case CommandId::vkBeginCommandBuffer: {
      auto& recording = current_[op.dispatch];
      recording = std::make_shared<Recording>();
      recording->ops.push_back(index);
      view_.load(plan_, op);
      const auto* info = view_.as<args_vkBeginCommandBuffer>().pBeginInfo;
      recording->one_time = info != nullptr && (info->flags & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT) != 0;
      return;
    }
    case CommandId::vkEndCommandBuffer:
      if (const auto recording = find(op.dispatch); recording != nullptr) {
        recording->ops.push_back(index);
        recording->ended = true;
      }
      return;
    case CommandId::vkResetCommandBuffer:
      current_.erase(op.dispatch);
      return;
    case CommandId::vkResetCommandPool: {
      const ObjectId pool = named(plan_, op, HandleType::VkCommandPool);
      std::erase_if(current_, [&](const auto& one) { return plan_.objects.objects()[one.first].parent == pool; });
      return;
    }
    default:
      break;
  }
  if (command.records_into_command_buffer) {
    const auto recording = find(op.dispatch);
    if (recording == nullptr) return;
    recording->ops.push_back(index);
    return note(index, *recording, command.canonical);
  }
  for (std::uint32_t i = 0; i < op.ended; ++i)
    if (const ObjectId id = plan_.ended[op.first_ended + i];
        plan_.objects.objects()[id].type == HandleType::VkCommandBuffer)
      current_.erase(id);
}

std::vector<ObjectId> submitted_commands(const Plan& plan, const Op& op) {
  std::vector<ObjectId> commands;
  const CommandId id = codec::info(op.command).canonical;
  if (id != CommandId::vkQueueSubmit && id != CommandId::vkQueueSubmit2) return commands;
  for (std::uint32_t i = 0; i < op.patches; ++i) {
    const ObjectId one = plan.patches[op.first_patch + i].id;
    if (plan.objects.objects()[one].type == HandleType::VkCommandBuffer) commands.push_back(one);
  }
  return commands;
}

}  // namespace rondo::player
