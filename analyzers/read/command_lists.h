// SPDX-License-Identifier: Apache-2.0
// What was recorded into command buffers, list by list, and which lists a submit executes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyzers/read/walk.h"

namespace rondo::analyzers {

// What a command buffer holds from a vkBeginCommandBuffer on. It stays while something executes it.
struct CommandList {
  struct Secondary {
    std::shared_ptr<const CommandList> list;
    std::uint64_t commands_before = 0, draws_before = 0;  // in the list that executes it
  };
  std::uint64_t number = 0;            // of the vkBeginCommandBuffer among all of them, from 0
  std::uint64_t first_record = 0;      // the record of that
  std::uint64_t commands = 0;          // vkCmd*, those of its secondaries included
  std::uint64_t draws = 0;             // of these, commands with a draw number (access::is_draw)
  std::vector<Secondary> secondaries;  // in the order of vkCmdExecuteCommands
};

class CommandLists {
 public:
  struct Primary {
    ObjectId command_buffer = ObjectId::null;
    std::shared_ptr<const CommandList> list;  // null: nothing is known of it
  };
  using Batch = std::vector<Primary>;

  // Call for each record in order. For a submit: its batches, in order.
  const std::vector<Batch>& take(Walk& walk, const Step& step);

  // The list that the record belongs to which take() was given last. Null where that is no command in a command buffer.
  const CommandList* list() const { return current_; }
  // How many draws stand before it in that list; none: it has no draw number.
  std::optional<std::uint64_t> draws_before() const { return draws_before_; }
  // How many secondaries the list executes before it.
  std::size_t secondaries_before() const { return secondaries_before_; }

 private:
  Primary primary_of(const Walk& walk, const void* command_buffer) const;
  void record(const Walk& walk, const Step& step);

  // By captured value: command buffers are dispatchable, so no two live ones share it.
  std::unordered_map<std::uint64_t, std::shared_ptr<CommandList>> lists_;
  std::uint64_t begun_ = 0;
  const CommandList* current_ = nullptr;
  std::optional<std::uint64_t> draws_before_;
  std::size_t secondaries_before_ = 0;
  std::vector<Batch> batches_;
};

}  // namespace rondo::analyzers
