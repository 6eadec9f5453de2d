// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/command_stream.h"

#include <algorithm>

#include "model/access/work.h"

namespace rondo::trim {

namespace {

constexpr std::size_t kMostItems = std::size_t{1} << 22;
constexpr int kMostLevels = 8;  // of secondaries in secondaries

Role begin_of(codec::Scope scope) {
  switch (scope) {
    case codec::Scope::render_pass:
      return Role::begin_pass;
    case codec::Scope::query:
      return Role::begin_query;
    case codec::Scope::conditional_rendering:
      return Role::begin_condition;
    case codec::Scope::transform_feedback:
      return Role::begin_feedback;
    case codec::Scope::label:
      return Role::begin_label;
    case codec::Scope::none:
      break;
  }
  return Role::other;
}

bool begins(Role role) {
  return role == Role::begin_pass || role == Role::begin_query || role == Role::begin_condition ||
         role == Role::begin_feedback || role == Role::begin_label;
}

Role end_for(Role begin) {
  return static_cast<Role>(static_cast<std::uint8_t>(begin) + (begin == Role::begin_pass ? 2 : 1));
}

// Which query is meant: its pool and number, behind the command buffer.
std::span<const std::byte> query_of(const StreamItem& item) {
  const auto payload = item.payload();
  return payload.size() < 20 ? payload : payload.subspan(8, 12);
}

bool is_end_of(const StreamItem& end, const StreamItem& begin) {
  if (end.role != end_for(begin.role)) return false;
  return begin.role != Role::begin_query || std::ranges::equal(query_of(end), query_of(begin));
}

Result<void> add(CommandStream& out, const CommandLog& log, const ObjectTable& objects, ObjectId commands,
                 std::uint32_t parent, int level) {
  const CommandListRef list = log.find(commands);
  if (list == nullptr) return {};
  const auto instance = static_cast<std::uint32_t>(out.parents.size());
  out.parents.push_back(parent);
  out.lists.push_back(list);
  for (const LoggedCommand& one : list->commands) {
    const CommandId canonical = codec::info(one.command).canonical;
    if (canonical == CommandId::vkCmdExecuteCommands) {
      if (level >= kMostLevels) return fail(Status::failed, "its command buffers execute one another without an end");
      for (const ObjectId id : list->ids_of(one).subspan(1)) RONDO_TRY(add(out, log, objects, id, instance, level + 1));
      continue;
    }
    if (out.items.size() >= kMostItems) return fail(Status::failed, "it has more commands than can be followed");
    StreamItem item;
    item.list = list.get();
    item.command = &one;
    item.role = role_of(canonical);
    item.instance = instance;
    if (item.role == Role::draw) out.draws.push_back(out.items.size());
    out.items.push_back(item);
  }
  return {};
}

}  // namespace

Role role_of(CommandId canonical) {
  const codec::RecordingFacts& facts = codec::info(canonical).recording;
  if (facts.opens != codec::Scope::none) return begin_of(facts.opens);
  if (facts.closes != codec::Scope::none) return end_for(begin_of(facts.closes));
  switch (canonical) {
    case CommandId::vkCmdNextSubpass:
    case CommandId::vkCmdNextSubpass2:
      return Role::next_subpass;
    // They say something of the place where they stand, not of the commands after them.
    case CommandId::vkCmdInsertDebugUtilsLabelEXT:
    case CommandId::vkCmdDebugMarkerInsertEXT:
      return Role::other;
    default:
      break;
  }
  if (access::is_draw(canonical)) return Role::draw;
  return facts.tasks == codec::kState ? Role::state : Role::other;
}

void CommandLog::take(const codec::CommandInfo& command, const Record& record, std::uint32_t caller,
                      const ObjectTable::Resolution& resolution, const ObjectTable& objects) {
  const ObjectId dispatch = resolution.ids.empty() ? ObjectId::null : resolution.ids[0];
  if (command.records_into_command_buffer) {
    const auto found = lists_.find(dispatch);
    if (found == lists_.end()) return;
    CommandList& list = *found->second;
    LoggedCommand& one = list.commands.emplace_back();
    one.sequence = record.sequence;
    one.command = command.id;
    one.file_command = record.command;
    one.flags = record.flags;
    one.thread = record.thread;
    one.caller = caller;
    one.first_byte = list.payloads.size();
    one.bytes = record.payload.size();
    one.first_id = list.ids.size();
    one.ids = resolution.ids.size();
    list.payloads.insert(list.payloads.end(), record.payload.begin(), record.payload.end());
    list.ids.insert(list.ids.end(), resolution.ids.begin(), resolution.ids.end());
    return;
  }
  switch (command.canonical) {
    case CommandId::vkBeginCommandBuffer:
      lists_[dispatch] = std::make_shared<CommandList>();
      return;
    case CommandId::vkResetCommandBuffer:
      lists_.erase(dispatch);
      return;
    case CommandId::vkResetCommandPool: {
      const ObjectId pool = resolution.ids.size() < 2 ? ObjectId::null : resolution.ids[1];
      std::erase_if(lists_, [&](const auto& one) { return objects.objects()[one.first].parent == pool; });
      return;
    }
    default:
      break;
  }
  for (const ObjectId id : resolution.ended) lists_.erase(id);
}

CommandListRef CommandLog::find(ObjectId command_buffer) const {
  const auto found = lists_.find(command_buffer);
  return found == lists_.end() ? nullptr : found->second;
}

bool CommandStream::is_within(std::uint32_t of, std::uint32_t instance) const {
  while (of != instance && parents[of] != kPrimary) of = parents[of];
  return of == instance;
}

std::vector<std::size_t> CommandStream::open_at(std::size_t at) const {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < at; ++i) {
    if (begins(items[i].role)) open.push_back(i);
    // The innermost that it can be the end of.
    const auto ended =
        std::find_if(open.rbegin(), open.rend(), [&](std::size_t o) { return is_end_of(items[i], items[o]); });
    if (ended != open.rend()) open.erase(std::next(ended).base());
  }
  return open;
}

std::size_t CommandStream::end_of(std::size_t begin) const {
  int depth = 0;
  for (std::size_t i = begin + 1; i < items.size(); ++i) {
    if (is_end_of(items[i], items[begin]) && depth-- == 0) return i;
    if (items[i].role == items[begin].role && items[begin].role == Role::begin_label) ++depth;
  }
  return items.size();
}

Result<CommandStream> stream_of(const CommandLog& log, const ObjectTable& objects,
                                const std::vector<ObjectId>& command_buffers) {
  CommandStream out;
  for (const ObjectId id : command_buffers) RONDO_TRY(add(out, log, objects, id, CommandStream::kPrimary, 0));
  return out;
}

}  // namespace rondo::trim
