// SPDX-License-Identifier: Apache-2.0
// The order mode (Settings::order, docs/testing.md): what queues are given is not run by threads of their own. It is
// gathered, and run in a random legal order by whoever waits for it. All under the monitor (sync.h), but for
// begin_instance(), forget() and reset(). Private to tests/icd.
#pragma once

#include <cstddef>
#include <functional>

#include "tests/icd/queue.h"

namespace fake::order {

bool is_on();

// An instance is made: it takes the next seed, where there are several.
void begin_instance();
// Takes a batch that was put at the end of its queue's work.
void gather(QueueState& queue, std::uint32_t family, Submission& batch);
// By chance, runs some of it at once: the device may be done with work before the submit returns.
void start(Monitor::Lock& lock);
// Runs gathered work until `done`, or until there is nothing that can be run. Other threads may come in between.
void work(Monitor::Lock& lock, const std::function<bool()>& done);
// The host signals a timeline: what it has seen finished comes before what waits for that.
void signal_by_host(const Semaphore& semaphore, std::uint64_t value);
// The host's wait has ended: what it sees finished comes before what it submits from now on.
void observe();
// The queue ends: forgets its work.
void drop(QueueState& queue);
// A thread of a queue: runs what no one waits for, if a while goes by. A program may look at memory.
void watch(QueueState& queue);

// Memory is freed: other memory may lie there next.
void forget(std::byte* begin, std::size_t size);
void reset();

}  // namespace fake::order
