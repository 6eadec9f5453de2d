// SPDX-License-Identifier: Apache-2.0
// Commands of a command buffer that are recorded elsewhere: what has to be recorded again with them.
#pragma once

#include <set>
#include <unordered_map>

#include "analyzers/prove/edits.h"
#include "analyzers/trim/command_stream.h"
#include "format/offline_writer.h"
#include "model/stream.h"

namespace rondo::prove {

class MovedCommands {
 public:
  bool has(std::uint64_t record) const { return numbers_.count(record) != 0; }
  // A barrier, the states that the commands were recorded with, the commands, a barrier, and the states that the
  // command buffer had at this place.
  Result<void> write(OfflineWriter& out, std::uint32_t thread) const;

 private:
  friend class MoveFinder;
  struct Command {
    Record record;
    std::vector<std::byte> payload;
  };
  std::vector<Command> states_, commands_, states_of_place_;
  std::set<std::uint64_t> numbers_;   // of the commands
  std::uint64_t command_buffer_ = 0;  // captured: where they go
};

// Takes every record of the capture, in order.
class MoveFinder {
 public:
  MoveFinder(Reader& source, const model::Stream& stream, const Move& move)
      : source_(source), stream_(stream), move_(move) {}
  Result<void> take(const model::Step& step);
  // Status::failed: the commands cannot be recorded there; the message says why.
  Result<MovedCommands> found();

 private:
  struct Side {
    trim::CommandListRef list;  // of its command buffer, until the side's last command or longer
    ObjectId command_buffer = ObjectId::null;
  };
  Result<void> note_pool(const model::Step& step);
  Result<void> note_level(const model::Step& step);
  Result<void> check() const;
  Result<void> check_open(const Side& side, std::uint64_t before, const char* which) const;

  Reader& source_;
  const model::Stream& stream_;
  const Move move_;
  trim::CommandLog log_;
  Side unit_, place_;
  std::unordered_map<ObjectId, std::uint32_t> families_;  // of command pools
  std::set<ObjectId> secondaries_;
  std::uint32_t unit_family_ = 0, place_family_ = 0;
  bool is_unit_secondary_ = false, is_place_secondary_ = false;
  std::uint64_t place_handle_ = 0;
};

}  // namespace rondo::prove
