// SPDX-License-Identifier: Apache-2.0
#include "player/run/polls.h"

#include <algorithm>

#include "player/plan/plan_builder.h"

namespace rondo::player {

std::uint16_t Polls::take(const Record& record, const codec::CommandInfo& command) {
  const bool polls = record.has_return && record.has_times && said_not_ready(command.canonical, record.return_value);
  if (last_.empty() && !polls) return 0;
  const auto found = last_.find(record.thread);
  const bool again = found != last_.end() && found->second.command == record.command &&
                     std::ranges::equal(found->second.payload, record.payload);
  if (polls) {
    Poll& poll = found == last_.end() ? last_[record.thread] : found->second;
    poll.apart_ns = again ? std::max<std::uint64_t>(record.start_ns - poll.end_ns, 1) : 0;
    poll.command = record.command;
    poll.payload.assign(record.payload.begin(), record.payload.end());
    poll.end_ns = record.end_ns;
    return 0;
  }
  if (found == last_.end()) return 0;
  const std::uint64_t apart = again && record.has_times ? found->second.apart_ns : 0;
  last_.erase(found);
  return apart <= kMostNs ? static_cast<std::uint16_t>(apart) : 0;
}

}  // namespace rondo::player
