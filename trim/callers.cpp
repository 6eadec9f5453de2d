// SPDX-License-Identifier: Apache-2.0
#include "trim/callers.h"

#include <algorithm>

namespace rondo::trim {

void Callers::take(const Record& record, CommandId command, const void* args) {
  if (!says_who_calls(command)) return;
  const std::uint32_t before = chains_.number_of(record.thread);
  chains_.take(command, record.thread, args);
  if (const std::uint32_t now = chains_.number_of(record.thread); now != before)
    changes_[record.thread].emplace_back(record.sequence, now);
}

std::uint32_t Callers::at(std::uint32_t thread, std::uint64_t sequence) const {
  const auto found = changes_.find(thread);
  if (found == changes_.end()) return 0;
  const auto& changes = found->second;
  const auto behind = std::upper_bound(changes.begin(), changes.end(), sequence,
                                       [](std::uint64_t at, const auto& change) { return at < change.first; });
  return behind != changes.begin() ? std::prev(behind)->second : 0;
}

}  // namespace rondo::trim
