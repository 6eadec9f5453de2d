// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/queue.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "tests/icd/device_clock.h"
#include "tests/icd/driver.h"
#include "tests/icd/execute.h"
#include "tests/icd/order_pool.h"
#include "tests/icd/recorded.h"

namespace fake {
namespace {

// The semaphores' side of a batch that comes in, by the order of submission: a
// binary one's wait needs its signal before it (VUID-vkQueueSubmit-pWaitSemaphores-03238).
void promise(Submission& submission) {
  for (SemaphoreUse& wait : submission.waits) {
    if (wait.semaphore->timeline) continue;
    if (wait.imported = std::move(wait.semaphore->imported); wait.imported != nullptr) continue;
    if (!wait.semaphore->promised) violation("waits for a binary semaphore that nothing signals");
    wait.semaphore->promised = false;
  }
  for (const SemaphoreUse& signal : submission.signals) {
    Semaphore& semaphore = *signal.semaphore;
    if (semaphore.timeline) {
      // By queues that nothing orders, which the submits do not tell.
      if (signal.value <= semaphore.value) harmless("signals a timeline semaphore with a value that it has reached");
      semaphore.last_signal = std::max(semaphore.last_signal, signal.value);
      continue;
    }
    if (semaphore.promised) violation("signals a binary semaphore that nothing has waited for");
    semaphore.promised = true;
  }
}

void begin(const Submission& submission) {
  for (const auto& use : submission.waits) ++use.semaphore->pending;
  for (const auto& use : submission.signals) ++use.semaphore->pending;
  for (const auto& buffer : submission.buffers) buffer->begin_pending();
  for (const auto& object : submission.needed) ++object->pending;
  if (submission.fence != nullptr) ++submission.fence->pending;
}

void end(const Submission& submission) {
  for (const auto& use : submission.waits) --use.semaphore->pending;
  for (const auto& use : submission.signals) --use.semaphore->pending;
  for (const auto& buffer : submission.buffers) buffer->end_pending();
  for (const auto& object : submission.needed) --object->pending;
  if (submission.fence != nullptr) --submission.fence->pending;
}

void run(QueueState& state) {
  if (order::is_on()) return order::watch(state);
  Monitor& monitor = Monitor::get();
  for (;;) {
    Monitor::Lock lock = monitor.enter();
    monitor.wait_on_queue(lock, [&] {
      return state.stop || (!state.work.empty() && monitor.may_run(state.work.front().number) &&
                            (state.device.lost || std::all_of(state.work.front().waits.begin(),
                                                              state.work.front().waits.end(), is_satisfied)));
    });
    if (state.stop) return;
    Submission& batch = state.work.front();  // stays there: the queue is not idle
    const std::uint64_t last = settings().lost_in;
    if (++state.device.begun == last && state.device.is_first) {
      state.device.lost = true;
      monitor.changed();
    }
    if (!state.device.lost) {
      for (const SemaphoreUse& wait : batch.waits)
        if (!wait.semaphore->timeline && wait.imported == nullptr) wait.semaphore->value = 0;
      std::uint64_t begin = std::max(state.worked_ns, batch.submitted_ns);
      for (const SemaphoreUse& wait : batch.waits) begin = std::max(begin, wait.semaphore->signalled_ns);
      lock.unlock();
      if (settings().device_clock) state.worked_ns = begin;
      if (settings().delay_us != 0) std::this_thread::sleep_for(std::chrono::microseconds(settings().delay_us));
      for (const auto& buffer : batch.buffers) Execution(state).run(*buffer);
      if (settings().device_clock) sleep_until_device_time(state.worked_ns);
      lock.lock();
      if (state.stop) return;
      if (batch.action) batch.action();
      for (const SemaphoreUse& s : batch.signals) signal(s, state.worked_ns);
    }
    if (batch.fence != nullptr && !signal_exported(batch.fence->exported)) batch.fence->signaled = true;
    end(batch);
    const Submission done = std::move(batch);
    state.work.pop_front();
    monitor.changed();
    lock.unlock();  // `done` may be the last that holds its objects
  }
}

}  // namespace

QueueState::QueueState(Queue& queue) : device(static_cast<Device&>(*queue.parent)) {
  thread = std::thread(run, std::ref(*this));
}

QueueState::~QueueState() {
  if (!thread.joinable()) return;
  {
    Monitor& monitor = Monitor::get();
    const Monitor::Lock lock = monitor.enter();
    stop = true;
    monitor.changed();
  }
  thread.join();
  const Monitor::Lock lock = Monitor::get().enter();
  order::drop(*this);
}

void submit(Queue& queue, std::vector<Submission> submissions) {
  Monitor& monitor = Monitor::get();
  Monitor::Lock lock = monitor.enter();
  if (queue.state == nullptr) queue.state = std::make_shared<QueueState>(queue);
  for (Submission& submission : submissions) {
    for (const auto& buffer : submission.buffers) {
      auto needed = needed_by(*buffer);
      std::move(needed.begin(), needed.end(), std::back_inserter(submission.needed));
    }
    promise(submission);
    begin(submission);
    submission.number = monitor.next_submission();
    if (settings().device_clock) submission.submitted_ns = device_time();
    queue.state->work.push_back(std::move(submission));
    if (order::is_on()) order::gather(*queue.state, queue.family, queue.state->work.back());
  }
  monitor.changed();
  if (order::is_on()) order::start(lock);
}

Submission finish(QueueState& state, std::uint64_t number) {
  const auto batch = std::find_if(state.work.begin(), state.work.end(),
                                  [&](const Submission& submission) { return submission.number == number; });
  if (batch == state.work.end()) return {};
  if (++state.device.begun == settings().lost_in && state.device.is_first) state.device.lost = true;
  if (batch->action && !state.device.lost) batch->action();
  if (batch->fence != nullptr && !signal_exported(batch->fence->exported)) batch->fence->signaled = true;
  end(*batch);
  Submission done = std::move(*batch);
  state.work.erase(batch);
  return done;
}

bool is_idle(const Queue& queue) { return queue.state == nullptr || queue.state->work.empty(); }

void stop(Queue& queue) {
  std::shared_ptr<QueueState> state;
  {
    Monitor& monitor = Monitor::get();
    const Monitor::Lock lock = monitor.enter();
    state = std::move(queue.state);
    if (state == nullptr) return;
    state->stop = true;
    monitor.changed();
  }
  state->thread.join();
  for (const Submission& submission : state->work) end(submission);
  const Monitor::Lock lock = Monitor::get().enter();
  order::drop(*state);
}

bool is_satisfied(const SemaphoreUse& wait) {
  if (wait.imported != nullptr) return wait.imported->signaled;
  return wait.semaphore->timeline ? wait.semaphore->value >= wait.value : wait.semaphore->value != 0;
}

void signal(const SemaphoreUse& signal, std::uint64_t at) {
  Semaphore& semaphore = *signal.semaphore;
  if (settings().device_clock) semaphore.signalled_ns = at != 0 ? at : device_time();
  if (semaphore.timeline) {
    // Of several queues the first comes first: no submit can tell.
    if (semaphore.value >= signal.value) harmless("a timeline semaphore does not grow by its signal");
    semaphore.value = std::max<std::uint64_t>(semaphore.value, signal.value);
  } else if (!signal_exported(semaphore.exported)) {
    if (semaphore.value != 0) violation("a binary semaphore is signaled twice");
    semaphore.value = 1;
  }
}

}  // namespace fake
