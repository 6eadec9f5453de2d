// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/split_stream.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "generated/args.h"

namespace rondo::trim {

namespace {

Result<void> with_reason(Result<void> result, const std::string& where) {
  if (!result) return fail(result.error().status, where + result.error().message);
  return result;
}

// How many bytes of a payload say which state a command sets: another one that says the same of them sets all
// that this one does. 0: it cannot be told.
std::size_t bytes_of_key(CommandId canonical) {
  constexpr std::size_t commands = sizeof(std::uint64_t), word = sizeof(std::uint32_t), handle = sizeof(std::uint64_t);
  switch (canonical) {
    case CommandId::vkCmdBindIndexBuffer:
      return commands;
    case CommandId::vkCmdBindPipeline:
      return commands + word;
    case CommandId::vkCmdSetViewport:
    case CommandId::vkCmdSetScissor:
    case CommandId::vkCmdBindVertexBuffers:  // the first and the count
      return commands + 2 * word;
    case CommandId::vkCmdPushConstants:       // the layout, stages, offset and size
    case CommandId::vkCmdBindDescriptorSets:  // the bind point, layout, first and count
      return commands + handle + 3 * word;
    default:
      return 0;
  }
}

const PassChange& change_of(const std::map<std::size_t, PassChange>& changes, std::size_t item) {
  static const PassChange none;
  const auto found = changes.find(item);
  return found == changes.end() ? none : found->second;
}

}  // namespace

std::uint32_t SplitStream::subpass_at(std::size_t begin, std::size_t at) const {
  std::uint32_t subpass = 0;
  for (std::size_t i = begin; i < at; ++i) subpass += stream_.items[i].role == Role::next_subpass ? 1 : 0;
  return subpass;
}

std::size_t SplitStream::open_pass(std::size_t at) const {
  for (const std::size_t open : stream_.open_at(at))
    if (stream_.items[open].role == Role::begin_pass) return open;
  return stream_.items.size();
}

Result<void> SplitStream::check_pass(std::size_t begin, std::size_t at, bool resumed) {
  const StreamItem& item = stream_.items[begin];
  const auto shape = passes_.shape_of(item.command->command, item.payload(), item.ids());
  if (!shape) return tl::unexpected<Error>(shape.error());
  if (resumed && shape->first_resolving < subpass_at(begin, at))
    return fail(Status::failed,
                "a subpass before it resolves samples, which beginning there would do again: choose draws "
                "from the first "
                "subpass on");
  return {};
}

Result<void> SplitStream::check() {
  for (const std::size_t open : stream_.open_at(first_)) {
    const bool drawn =
        std::any_of(stream_.draws.begin(), stream_.draws.end(), [&](std::size_t d) { return d > open && d < first_; });
    if (stream_.items[open].role == Role::begin_feedback && drawn)
      return fail(Status::failed,
                  "transform feedback is going on in front of the first draw: choose draws from where it begins");
    if (stream_.items[open].role == Role::begin_pass)
      RONDO_TRY(with_reason(check_pass(open, first_, true), "the first draw's pass: "));
  }
  if (const std::size_t pass = last_pass(); pass != stream_.items.size())
    RONDO_TRY(with_reason(check_pass(pass, last_, false), "the last draw's pass: "));
  for (const StreamItem& item : stream_.items)
    if (std::string_view(codec::info(item.command->command).name).find("VideoCoding") != std::string_view::npos)
      return fail(Status::failed, "it codes video: use --submits");
  return {};
}

// Commands name their command buffer first.
Result<void> SplitStream::copy(const StreamItem& item, VkCommandBuffer commands) {
  const std::span<const std::byte> payload = item.payload();
  payload_.assign(payload.begin(), payload.end());
  const auto handle = reinterpret_cast<std::uint64_t>(commands);
  if (payload_.size() < sizeof handle) return fail(Status::unreadable, "a command without a command buffer");
  std::memcpy(payload_.data(), &handle, sizeof handle);
  Record record;
  record.thread = item.command->thread;
  record.command = item.command->file_command;
  record.flags = item.command->flags;
  record.payload = payload_;
  return encoder_.copy(record, item.command->command, item.command->caller);
}

Result<void> SplitStream::write(const StreamItem& item, VkCommandBuffer commands, const PassChange& change) {
  switch (item.role) {
    case Role::begin_pass:
      return passes_.write_begin(item.command->command, item.payload(), item.ids(), change, commands);
    case Role::next_subpass:
      return passes_.write_next_subpass(item.command->command, item.payload(), commands);
    default:
      return copy(item, commands);
  }
}

// The subpasses behind it are gone through, empty.
Result<void> SplitStream::close_pass(std::size_t begin, std::size_t at, VkCommandBuffer commands) {
  const StreamItem& item = stream_.items[begin];
  const CommandId command = item.command->command;
  if (codec::info(command).canonical == CommandId::vkCmdBeginRendering) {
    const args_vkCmdEndRendering args{commands};
    return encoder_.write(
        command == CommandId::vkCmdBeginRendering ? CommandId::vkCmdEndRendering : CommandId::vkCmdEndRenderingKHR,
        args);
  }
  const auto shape = passes_.shape_of(command, item.payload(), item.ids());
  if (!shape) return tl::unexpected<Error>(shape.error());
  for (std::uint32_t subpass = subpass_at(begin, at) + 1; subpass < shape->subpasses; ++subpass)
    RONDO_TRY(encoder_.write(CommandId::vkCmdNextSubpass, args_vkCmdNextSubpass{commands, VK_SUBPASS_CONTENTS_INLINE}));
  return encoder_.write(CommandId::vkCmdEndRenderPass, args_vkCmdEndRenderPass{commands});
}

Result<void> SplitStream::close_query(const StreamItem& item, VkCommandBuffer commands) {
  RONDO_TRY(query_.load(source_, map_, item.command->command, item.payload(), item.ids()));
  if (item.command->command == CommandId::vkCmdBeginQuery) {
    const auto& begun = query_.as<args_vkCmdBeginQuery>();
    return encoder_.write(CommandId::vkCmdEndQuery, args_vkCmdEndQuery{commands, begun.queryPool, begun.query});
  }
  const auto& begun = query_.as<args_vkCmdBeginQueryIndexedEXT>();
  return encoder_.write(CommandId::vkCmdEndQueryIndexedEXT,
                        args_vkCmdEndQueryIndexedEXT{commands, begun.queryPool, begun.query, begun.index});
}

Result<void> SplitStream::close(std::size_t at, const std::set<std::size_t>& left_out, VkCommandBuffer commands) {
  const std::vector<std::size_t> open = stream_.open_at(at);
  for (auto one = open.rbegin(); one != open.rend(); ++one) {
    if (left_out.count(*one) != 0) continue;
    const StreamItem& item = stream_.items[*one];
    switch (item.role) {
      case Role::begin_pass:
        RONDO_TRY(close_pass(*one, at, commands));
        break;
      case Role::begin_query:
        RONDO_TRY(close_query(item, commands));
        break;
      case Role::begin_condition:
        RONDO_TRY(
            encoder_.write(CommandId::vkCmdEndConditionalRenderingEXT, args_vkCmdEndConditionalRenderingEXT{commands}));
        break;
      case Role::begin_feedback:
        RONDO_TRY(encoder_.write(CommandId::vkCmdEndTransformFeedbackEXT,
                                 args_vkCmdEndTransformFeedbackEXT{commands, 0, 0, nullptr, nullptr}));
        break;
      default:
        if (item.command->command == CommandId::vkCmdDebugMarkerBeginEXT)
          RONDO_TRY(encoder_.write(CommandId::vkCmdDebugMarkerEndEXT, args_vkCmdDebugMarkerEndEXT{commands}));
        else
          RONDO_TRY(encoder_.write(CommandId::vkCmdEndDebugUtilsLabelEXT, args_vkCmdEndDebugUtilsLabelEXT{commands}));
        break;
    }
  }
  return {};
}

Result<VkRenderingFlags> SplitStream::flags_of(std::size_t begin) {
  const StreamItem& item = stream_.items[begin];
  return passes_.flags_of(item.command->command, item.payload(), item.ids());
}

// All parts of a pass that is suspended say the same of its attachments.
Result<void> SplitStream::change_passes(std::size_t begin, std::size_t from, std::size_t to, const PassChange& change,
                                        PassChanges& changes) {
  const auto add = [&](std::size_t at) {
    changes[at].stores = changes[at].stores || change.stores;
    changes[at].loads = changes[at].loads || change.loads;
  };
  add(begin);
  for (std::size_t i = begin, part = begin; i-- > from;) {
    if (stream_.items[i].role != Role::begin_pass) continue;
    const auto flags = flags_of(part);
    if (!flags) return tl::unexpected<Error>(flags.error());
    if ((*flags & VK_RENDERING_RESUMING_BIT) == 0) break;
    add(part = i);
  }
  for (std::size_t i = begin + 1, part = begin; i < to; ++i) {
    if (stream_.items[i].role != Role::begin_pass) continue;
    const auto flags = flags_of(part);
    if (!flags) return tl::unexpected<Error>(flags.error());
    if ((*flags & VK_RENDERING_SUSPENDING_BIT) == 0) break;
    add(part = i);
  }
  return {};
}

std::set<std::size_t> SplitStream::states_at(std::size_t at) const {
  std::set<std::size_t> states;
  std::set<std::pair<CommandId, std::string>> set;  // behind
  for (std::size_t i = at; i-- > 0;) {
    const StreamItem& item = stream_.items[i];
    if (item.role != Role::state || !stream_.is_within(stream_.items[at].instance, item.instance)) continue;
    const CommandId canonical = codec::info(item.command->command).canonical;
    const std::span<const std::byte> payload = item.payload();
    const std::size_t bytes = bytes_of_key(canonical);
    if (bytes != 0 && bytes <= payload.size() &&
        !set.emplace(canonical, std::string(reinterpret_cast<const char*>(payload.data()) + sizeof(std::uint64_t),
                                            bytes - sizeof(std::uint64_t)))
             .second)
      continue;
    states.insert(i);
  }
  return states;
}

Result<void> SplitStream::write_head(VkCommandBuffer commands) {
  PassChanges changes;
  if (const std::size_t pass = open_pass(first_); pass != stream_.items.size()) {
    RONDO_TRY(change_passes(pass, 0, first_, {.stores = true}, changes));
    changes[pass].last = true;
  }
  for (std::size_t i = 0; i < first_; ++i) RONDO_TRY(write(stream_.items[i], commands, change_of(changes, i)));
  return close(first_, {}, commands);
}

// What is in front of the first draw: states that hold for it, and what is open there. A query that is open
// is not asked: its first part is missing.
Result<void> SplitStream::write_kept(VkCommandBuffer commands) {
  const std::vector<std::size_t> open = stream_.open_at(first_);
  std::set<std::size_t> left_out, ends;
  for (const std::size_t one : open)
    if (stream_.items[one].role == Role::begin_query) {
      left_out.insert(one);
      ends.insert(stream_.end_of(one));
    }
  PassChanges changes;
  const std::size_t pass = open_pass(first_), last = open_pass(last_);
  if (pass != stream_.items.size()) {
    RONDO_TRY(change_passes(pass, pass, last_, {.stores = true, .loads = true}, changes));
    changes[pass].first = true;
  }
  if (last != stream_.items.size()) {
    RONDO_TRY(change_passes(last, std::min(last, first_), last_, {.stores = true}, changes));
    changes[last].last = true;
  }
  const std::set<std::size_t> states = states_at(first_);
  for (std::size_t i = 0; i < first_; ++i) {
    const StreamItem& item = stream_.items[i];
    const bool begun = left_out.count(i) == 0 && std::find(open.begin(), open.end(), i) != open.end();
    const bool state = states.count(i) != 0;
    if (begun || state || (item.role == Role::next_subpass && i > pass))
      RONDO_TRY(write(item, commands, change_of(changes, i)));
  }
  for (std::size_t i = first_; i < last_; ++i)
    if (ends.count(i) == 0) RONDO_TRY(write(stream_.items[i], commands, change_of(changes, i)));
  // Those whose ends were in between are not open any more; the others have none.
  return close(last_, left_out, commands);
}

}  // namespace rondo::trim
