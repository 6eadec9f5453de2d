// SPDX-License-Identifier: Apache-2.0
// What command buffers hold, and the commands of a submit in the order in which they are executed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "format/check.h"
#include "format/codec/schema.h"
#include "format/objects.h"
#include "format/reader.h"
#include "format/result.h"

namespace rondo::trim {

struct LoggedCommand {
  std::uint64_t sequence = 0;
  CommandId command{};  // as it was called
  std::uint16_t file_command = 0, flags = 0;
  std::uint32_t thread = 0;
  std::uint32_t caller = 0;               // who recorded it (format/call_chains.h)
  std::size_t first_byte = 0, bytes = 0;  // of CommandList::payloads
  std::size_t first_id = 0, ids = 0;      // of CommandList::ids
};

struct CommandList {
  std::vector<LoggedCommand> commands;
  std::vector<std::byte> payloads;
  std::vector<ObjectId> ids;

  std::span<const std::byte> payload(const LoggedCommand& c) const {
    RONDO_CHECK(c.first_byte + c.bytes <= payloads.size());
    return std::span(payloads).subspan(c.first_byte, c.bytes);
  }
  std::span<const ObjectId> ids_of(const LoggedCommand& c) const {
    RONDO_CHECK(c.first_id + c.ids <= ids.size());
    return std::span(ids).subspan(c.first_id, c.ids);
  }
};
using CommandListRef = std::shared_ptr<const CommandList>;

// By command buffer: what was recorded into it last.
class CommandLog {
 public:
  // Every record that is not the layer's own, in order.
  void take(const codec::CommandInfo& command, const Record& record, std::uint32_t caller,
            const ObjectTable::Resolution& resolution, const ObjectTable& objects);
  CommandListRef find(ObjectId command_buffer) const;

 private:
  std::unordered_map<ObjectId, std::shared_ptr<CommandList>> lists_;
};

enum class Role : std::uint8_t {
  state,  // only for the commands behind it: binds, pushes, dynamic states
  draw,   // or a dispatch
  begin_pass,
  next_subpass,
  end_pass,
  begin_query,
  end_query,
  begin_condition,
  end_condition,
  begin_feedback,
  end_feedback,
  begin_label,
  end_label,
  other,
};
Role role_of(CommandId canonical);

struct StreamItem {
  const CommandList* list = nullptr;
  const LoggedCommand* command = nullptr;
  Role role{};
  std::uint32_t instance = 0;  // of a command buffer: each time that one is executed

  std::span<const std::byte> payload() const { return list->payload(*command); }
  std::span<const ObjectId> ids() const { return list->ids_of(*command); }
};

// Secondaries stand in the place of what executes them.
struct CommandStream {
  std::vector<StreamItem> items;
  std::vector<std::uint32_t> parents;  // by instance; kPrimary
  std::vector<std::size_t> draws;      // indexes into items
  std::vector<CommandListRef> lists;   // keeps alive what items point to
  static constexpr std::uint32_t kPrimary = ~std::uint32_t{};

  // Whether commands of this instance set what holds for `of`: it is the same, or `of` is executed by it.
  bool is_within(std::uint32_t of, std::uint32_t instance) const;
  // What has begun in front of this item, and ends behind it: indexes into items, the outermost first.
  std::vector<std::size_t> open_at(std::size_t item) const;
  // Where what this item begins ends; the end of items: nowhere.
  std::size_t end_of(std::size_t item) const;
};

// Status::failed where it has more than any program needs.
Result<CommandStream> stream_of(const CommandLog& log, const ObjectTable& objects,
                                const std::vector<ObjectId>& command_buffers);

}  // namespace rondo::trim
