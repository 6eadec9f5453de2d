// SPDX-License-Identifier: Apache-2.0
// A queue: what was submitted to it, and the thread that runs it, in order. The
// thread starts with the first submission.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tests/icd/objects.h"
#include "tests/icd/sync.h"

namespace fake {

struct SemaphoreUse {
  std::shared_ptr<Semaphore> semaphore;
  std::uint64_t value = 1;                       // timelines
  std::shared_ptr<SyncFile> imported = nullptr;  // a wait: for this payload
  // Of the other scope: what waits for it, or what it signals for.
  VkPipelineStageFlags2 stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
};

// One batch, or a present.
struct Submission {
  std::vector<SemaphoreUse> waits, signals;
  std::vector<std::shared_ptr<CommandBuffer>> buffers;
  std::shared_ptr<Fence> fence;
  std::vector<std::shared_ptr<Object>> needed;  // by its buffers (recorded.h)
  std::function<void()> action;                 // under the monitor, in front of the signals
  std::uint64_t number = 0;
  std::uint64_t submitted_ns = 0;  // of Settings::device_clock
};

// Guarded by the monitor, but for the thread.
struct QueueState {
  explicit QueueState(Queue& queue);
  ~QueueState();
  QueueState(const QueueState&) = delete;
  QueueState& operator=(const QueueState&) = delete;

  Device& device;
  // Settings::timed_work: how long it has worked; Settings::device_clock: until when. Of the thread that runs it.
  std::uint64_t worked_ns = 0;
  std::deque<Submission> work;  // the first one is being run
  bool stop = false;
  std::thread thread;
};

// In this order, as one: nobody else's come between. Says what is wrong with
// them (violation()) and takes them all the same.
void submit(Queue& queue, std::vector<Submission> submissions);

// Whether all that was submitted has run. Under the monitor.
bool is_idle(const Queue& queue);

// The batch of that number has run: signals its fence and takes it out of the queue. Under the monitor. What is
// returned may be the last that holds its objects.
Submission finish(QueueState& state, std::uint64_t number);

// Ends the thread; what has not run never will.
void stop(Queue& queue);

// What waiting queues and threads look at. Under the monitor.
bool is_satisfied(const SemaphoreUse& wait);
// `at`: when, by Settings::device_clock; 0: now.
void signal(const SemaphoreUse& signal, std::uint64_t at = 0);
// The first one, if there is any: the signal is not its semaphore's or fence's any more.
bool signal_exported(std::deque<std::shared_ptr<SyncFile>>& exported);  // sync_files.cpp

}  // namespace fake
