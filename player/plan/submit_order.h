// SPDX-License-Identifier: Apache-2.0
// The order in which submits run, as far as semaphores say it: mostly that in
// which they were made, but a submit may wait for a signal that comes later.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/check.h"
#include "player/plan/plan.h"

namespace rondo::player {

// Every batch takes no time once it can begin. One thread.
class SubmitOrder {
 public:
  explicit SubmitOrder(const Plan& plan) : plan_(plan) {}
  // The next op, each of them. Appends the submits that run now, which may be earlier ones.
  void take(std::uint32_t op, std::vector<std::uint32_t>& run);

 private:
  friend struct test::Tamper;
  struct Entry {
    const SyncStep* step = nullptr;  // null: the submit itself
    std::uint32_t op = 0;
  };
  bool is_ready(const SyncStep& step) const;
  void finish(const SyncStep& step);
  std::deque<Entry>& queue(ObjectId id);
  void settle(std::vector<std::uint32_t>& run);

  const Plan& plan_;
  std::size_t next_ = 0;                                        // index into Plan::sync
  std::unordered_map<ObjectId, std::uint64_t> values_;          // of semaphores
  std::vector<std::pair<ObjectId, std::deque<Entry>>> queues_;  // what did not begin
};

}  // namespace rondo::player
