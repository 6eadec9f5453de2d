// SPDX-License-Identifier: Apache-2.0
#include "analyzers/prove/move.h"

#include <cstring>

#include "analyzers/trim/encoder.h"
#include "analyzers/trim/loaded.h"
#include "generated/args.h"

namespace rondo::prove {

namespace {

using trim::LoggedCommand;
using trim::Role;

Role role_of(const LoggedCommand& one) { return trim::role_of(codec::info(one.command).canonical); }

Result<void> write_full_barrier(OfflineWriter& out, std::uint32_t thread, VkCommandBuffer commands) {
  trim::RecordEncoder encoder(out, thread);
  constexpr VkAccessFlags kAll = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  const VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, kAll, kAll};
  constexpr VkPipelineStageFlags kStages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  return encoder.write(CommandId::vkCmdPipelineBarrier,
                       args_vkCmdPipelineBarrier{commands, kStages, kStages, 0, 1, &all, 0, nullptr, 0, nullptr});
}

}  // namespace

Result<void> MovedCommands::write(OfflineWriter& out, std::uint32_t thread) const {
  const auto commands = reinterpret_cast<VkCommandBuffer>(command_buffer_);
  std::vector<std::byte> payload;
  // Commands name their command buffer first.
  const auto copy = [&](const std::vector<Command>& all) -> Result<void> {
    for (const Command& one : all) {
      payload = one.payload;
      if (payload.size() < sizeof command_buffer_)
        return fail(Status::unreadable, "a command without a command buffer is to be moved");
      std::memcpy(payload.data(), &command_buffer_, sizeof command_buffer_);
      Record record = one.record;
      record.payload = payload;
      RONDO_TRY(out.add(record));
    }
    return {};
  };
  RONDO_TRY(write_full_barrier(out, thread, commands));
  RONDO_TRY(copy(states_));
  RONDO_TRY(copy(commands_));
  RONDO_TRY(write_full_barrier(out, thread, commands));
  return copy(states_of_place_);
}

Result<void> MoveFinder::note_pool(const model::Step& step) {
  trim::Loaded call;
  RONDO_TRY(call.load(source_, stream_.ids(), step.command->id, step.record.payload, stream_.resolution().ids));
  for (const ObjectId id : stream_.resolution().created)
    families_[id] = call.as<args_vkCreateCommandPool>().pCreateInfo->queueFamilyIndex;
  return {};
}

Result<void> MoveFinder::note_level(const model::Step& step) {
  trim::Loaded call;
  RONDO_TRY(call.load(source_, stream_.ids(), step.command->id, step.record.payload, stream_.resolution().ids));
  for (const ObjectId id : stream_.resolution().created)
    if (call.as<args_vkAllocateCommandBuffers>().pAllocateInfo->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY)
      secondaries_.insert(id);
  return {};
}

Result<void> MoveFinder::take(const model::Step& step) {
  const auto& resolution = stream_.resolution();
  const auto& objects = stream_.objects();
  log_.take(*step.command, step.record, 0, resolution, objects);
  if (step.command->canonical == CommandId::vkCreateCommandPool) return note_pool(step);
  if (step.command->canonical == CommandId::vkAllocateCommandBuffers) return note_level(step);
  const std::uint64_t number = step.record.sequence;
  if (number != move_.last && number != move_.place) return {};
  if (!step.command->records_into_command_buffer || resolution.ids.empty()) return {};
  const ObjectId commands = resolution.ids[0];
  if (commands == ObjectId::null) return {};
  const auto pool = families_.find(objects.objects()[commands].parent);
  const std::uint32_t family = pool == families_.end() ? 0 : pool->second;
  if (number == move_.last) {
    unit_ = {log_.find(commands), commands};
    unit_family_ = family;
    is_unit_secondary_ = secondaries_.count(commands) != 0;
  }
  if (number == move_.place) {
    place_ = {log_.find(commands), commands};
    place_family_ = family;
    is_place_secondary_ = secondaries_.count(commands) != 0;
    place_handle_ = objects.objects()[commands].captured;
  }
  return {};
}

// What is open there, but for labels, would be in another order or with other commands in it.
Result<void> MoveFinder::check_open(const Side& side, std::uint64_t before, const char* which) const {
  int passes = 0, others = 0;
  for (const LoggedCommand& one : side.list->commands) {
    if (one.sequence >= before) break;
    switch (role_of(one)) {
      case Role::begin_pass:
        ++passes;
        break;
      case Role::end_pass:
        --passes;
        break;
      case Role::begin_query:
      case Role::begin_condition:
      case Role::begin_feedback:
        ++others;
        break;
      case Role::end_query:
      case Role::end_condition:
      case Role::end_feedback:
        --others;
        break;
      default:
        break;
    }
  }
  if (passes > 0) return fail(Status::failed, std::string("the ") + which + " command is in a render pass");
  if (others > 0)
    return fail(Status::failed,
                std::string("a query, a condition or transform feedback is open around the ") + which + " command");
  return {};
}

Result<void> MoveFinder::check() const {
  if (unit_.list == nullptr || place_.list == nullptr)
    return fail(Status::failed, "the capture has no such commands: it is another one than was analyzed");
  if (unit_.list != place_.list) {
    if (is_unit_secondary_ || is_place_secondary_)
      return fail(Status::failed, "they are in different command buffers, and one of these is a secondary one");
    if (unit_family_ != place_family_)
      return fail(Status::failed, "their command buffers are for queues of different families");
  }
  RONDO_TRY(check_open(unit_, move_.first, move_.is_before ? "second" : "first"));
  return check_open(place_, move_.is_before ? move_.place : move_.place + 1, move_.is_before ? "first" : "second");
}

Result<MovedCommands> MoveFinder::found() {
  RONDO_TRY(check());
  MovedCommands moved;
  moved.command_buffer_ = place_handle_;
  const auto add = [](std::vector<MovedCommands::Command>& to, const trim::CommandList& list,
                      const LoggedCommand& one) {
    MovedCommands::Command command;
    command.record.thread = one.thread;
    command.record.command = one.file_command;
    command.record.flags = one.flags;
    const auto payload = list.payload(one);
    command.payload.assign(payload.begin(), payload.end());
    to.push_back(std::move(command));
  };
  for (const LoggedCommand& one : unit_.list->commands) {
    if (one.sequence < move_.first && role_of(one) == Role::state) add(moved.states_, *unit_.list, one);
    if (one.sequence < move_.first || one.sequence > move_.last) continue;
    add(moved.commands_, *unit_.list, one);
    moved.numbers_.insert(one.sequence);
  }
  const std::uint64_t end = move_.is_before ? move_.place : move_.place + 1;
  for (const LoggedCommand& one : place_.list->commands)
    if (one.sequence < end && role_of(one) == Role::state) add(moved.states_of_place_, *place_.list, one);
  if (moved.numbers_.count(move_.first) == 0)
    return fail(Status::failed, "the capture has no such commands: it is another one than was analyzed");
  return moved;
}

}  // namespace rondo::prove
