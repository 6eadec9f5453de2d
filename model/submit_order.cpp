// SPDX-License-Identifier: Apache-2.0
#include "model/submit_order.h"

#include <algorithm>

#include "format/check.h"

namespace rondo::model {

ExecutionOrder::Semaphore& ExecutionOrder::semaphore_of(ObjectId id) {
  const auto [found, is_new] = semaphores_.try_emplace(id);
  if (is_new) found->second.id = id;
  return found->second;
}

std::size_t ExecutionOrder::size_of(const Held& held) {
  return 4 + held.step.waits.size() + held.step.signals.size() + held.batch.command_buffers.size() +
         held.batch.images.size();
}

// The number of the signal that a wait for a binary semaphore is for, when it is submitted now.
std::uint64_t ExecutionOrder::signal_for_wait(Semaphore& semaphore) {
  semaphore.waited = std::max(semaphore.signals, semaphore.waited + 1);
  return semaphore.waited;
}

// Fills step_ with what the batch waits for and signals.
void ExecutionOrder::points_of(const Batch& batch) {
  step_.waits.clear();
  step_.signals.clear();
  step_.next = 0;
  for (const SemaphoreUse& use : batch.waits) {
    if (use.semaphore == ObjectId::null) continue;
    Semaphore& semaphore = semaphore_of(use.semaphore);
    if (use.timeline) {
      step_.waits.push_back({&semaphore, use.value});
    } else if (semaphore.has_imported) {
      semaphore.has_imported = false;
      step_.waits.push_back({&exports_, semaphore.imported_after});
    } else if (std::exchange(semaphore.seen_by, batch.number) != batch.number) {
      // Only the first of several waits of one batch counts: they are for one signal.
      step_.waits.push_back({&semaphore, signal_for_wait(semaphore)});
    }
  }
  for (const SemaphoreUse& use : batch.signals) {
    if (use.semaphore == ObjectId::null) continue;
    Semaphore& semaphore = semaphore_of(use.semaphore);
    step_.signals.push_back({&semaphore, use.timeline ? use.value : ++semaphore.signals});
  }
}

void ExecutionOrder::batch(const Batch& batch) {
  RONDO_CHECK(batch.number >= next_number_);
  next_number_ = batch.number + 1;
  if (gave_up_) return begin(batch);
  points_of(batch);
  Queue& queue = queues_[batch.queue];
  if (queue.batches.empty() && pass_waits(step_, false)) {
    begin(batch);
    for (const Point& signal : step_.signals) raise(*signal.semaphore, signal.value);
  } else {
    hold(queue, batch);
  }
  settle();
}

void ExecutionOrder::host(const HostSync& sync) {
  RONDO_CHECK(!is_busy_);
  if (gave_up_ || !sync.succeeded) return;
  for (const SemaphoreUse& use : sync.semaphores) {
    if (use.semaphore == ObjectId::null) continue;
    switch (sync.kind) {
      case HostSync::Kind::make_semaphore:
      case HostSync::Kind::signal_semaphore:
        if (use.timeline) raise(semaphore_of(use.semaphore), use.value);
        break;
      case HostSync::Kind::acquire_image:
        if (!use.timeline) signal_now(semaphore_of(use.semaphore));
        break;
      case HostSync::Kind::export_semaphore:
        if (sync.is_shared)
          share(semaphore_of(use.semaphore));
        else if (!use.timeline)
          export_payload(semaphore_of(use.semaphore));
        break;
      case HostSync::Kind::import_semaphore:
        if (sync.is_shared)
          share(semaphore_of(use.semaphore));
        else if (!use.timeline)
          import_payload(semaphore_of(use.semaphore), sync);
        break;
      default:
        break;
    }
  }
  settle();
}

void ExecutionOrder::ended(ObjectId id) {
  RONDO_CHECK(!is_busy_);
  if (const auto found = semaphores_.find(id); found != semaphores_.end()) {
    found->second.has_ended = true;
    unused_.push_back(id);
    forget_unused();
  }
  if (const auto found = queues_.find(id); found != queues_.end() && found->second.batches.empty())
    queues_.erase(found);
}

void ExecutionOrder::signal_now(Semaphore& semaphore) { raise(semaphore, ++semaphore.signals); }

// A sync fd takes the signal, as a wait does.
void ExecutionOrder::export_payload(Semaphore& semaphore) {
  if (std::exchange(semaphore.has_imported, false)) return;                  // what came goes on
  if (semaphore.is_shared || semaphore.waited >= semaphore.signals) return;  // no signal that is known
  const std::uint64_t signal = signal_for_wait(semaphore);
  if (semaphore.value >= signal) return;
  ++semaphore.uses;
  open_exports_.insert(++exported_);
  semaphore.waiters.push_back({signal, turn_++, nullptr, exported_});
  std::push_heap(semaphore.waiters.begin(), semaphore.waiters.end());
}

void ExecutionOrder::import_payload(Semaphore& semaphore, const HostSync& sync) {
  semaphore.has_imported = true;
  semaphore.imported_after = sync.was_signalled ? 0 : exported_;
}

void ExecutionOrder::share(Semaphore& semaphore) {
  semaphore.is_shared = true;
  while (!semaphore.waiters.empty()) serve_first_waiter(semaphore);
}

// False: a wait has not happened.
bool ExecutionOrder::pass_waits(Step& step, bool is_held) {
  for (; step.next < step.waits.size(); ++step.next) {
    const Point& wait = step.waits[step.next];
    if (wait.semaphore->value < wait.value && !wait.semaphore->is_shared) return false;
    if (is_held) drop_use(*wait.semaphore);
  }
  return true;
}

void ExecutionOrder::hold(Queue& queue, const Batch& batch) {
  RONDO_CHECK(queue.batches.empty() || queue.batches.back().batch.number < batch.number);
  const Held& held = queue.batches.emplace_back(Held{batch, step_});
  for (std::size_t i = step_.next; i < step_.waits.size(); ++i) ++step_.waits[i].semaphore->uses;
  for (const Point& signal : step_.signals) ++signal.semaphore->uses;
  held_ += size_of(held);
  if (queue.batches.size() == 1) wait_for_next(queue);
}

// pass_waits() has just found that the next wait of the first batch has not happened.
void ExecutionOrder::wait_for_next(Queue& queue) {
  const Step& step = queue.batches.front().step;
  RONDO_CHECK(step.next < step.waits.size());
  const Point& wait = step.waits[step.next];
  RONDO_CHECK(wait.semaphore->value < wait.value);
  std::vector<Waiter>& waiters = wait.semaphore->waiters;
  waiters.push_back({wait.value, turn_++, &queue, 0});
  std::push_heap(waiters.begin(), waiters.end());
}

void ExecutionOrder::serve_first_waiter(Semaphore& semaphore) {
  std::vector<Waiter>& waiters = semaphore.waiters;
  std::pop_heap(waiters.begin(), waiters.end());
  const Waiter waiter = waiters.back();
  waiters.pop_back();
  drop_use(semaphore);
  if (waiter.queue == nullptr) {
    RONDO_CHECK(&semaphore != &exports_);
    open_exports_.erase(waiter.exported);
    return raise(exports_, open_exports_.empty() ? exported_ : *open_exports_.begin() - 1);
  }
  RONDO_CHECK(!waiter.queue->batches.empty());
  Step& step = waiter.queue->batches.front().step;
  RONDO_CHECK(step.next < step.waits.size() && step.waits[step.next].semaphore == &semaphore);
  ++step.next;
  ready_.push_back(waiter.queue);
}

// Values only grow. A file may say otherwise; the smaller value then changes nothing.
void ExecutionOrder::raise(Semaphore& semaphore, std::uint64_t value) {
  RONDO_CHECK(semaphore.waiters.empty() || semaphore.value < semaphore.waiters.front().value);
  if (value <= semaphore.value) return;
  semaphore.value = value;
  while (!semaphore.waiters.empty() && semaphore.waiters.front().value <= value) serve_first_waiter(semaphore);
  RONDO_CHECK(semaphore.value == value);
}

void ExecutionOrder::drop_use(Semaphore& semaphore) {
  RONDO_CHECK(semaphore.uses != 0);
  if (--semaphore.uses == 0 && semaphore.has_ended) unused_.push_back(semaphore.id);
}

void ExecutionOrder::begin(const Batch& batch) {
  RONDO_CHECK(!is_busy_);
  is_busy_ = true;
  begins_(batch);
  is_busy_ = false;
}

// Begins what can begin on a queue that waited.
void ExecutionOrder::run(Queue& queue) {
  while (!queue.batches.empty()) {
    Held& first = queue.batches.front();
    if (!pass_waits(first.step, true)) return wait_for_next(queue);
    begin(first.batch);
    for (const Point& signal : first.step.signals) {
      raise(*signal.semaphore, signal.value);
      drop_use(*signal.semaphore);
    }
    const std::size_t size = size_of(first);
    RONDO_CHECK(held_ >= size);
    held_ -= size;
    queue.batches.pop_front();
  }
}

void ExecutionOrder::settle() {
  while (!ready_.empty()) {
    Queue& queue = *ready_.front();
    ready_.pop_front();
    run(queue);
  }
  if (!unused_.empty()) forget_unused();
  if (held_ > most_held_) give_up();
}

void ExecutionOrder::forget_unused() {
  for (const ObjectId id : unused_) {
    const auto found = semaphores_.find(id);
    if (found == semaphores_.end() || !found->second.has_ended || found->second.uses != 0) continue;
    RONDO_CHECK(found->second.waiters.empty());
    semaphores_.erase(found);
  }
  unused_.clear();
}

std::vector<const Batch*> ExecutionOrder::pending() const {
  std::vector<const Batch*> all;
  for (const auto& [id, queue] : queues_)
    for (const Held& held : queue.batches) all.push_back(&held.batch);
  std::sort(all.begin(), all.end(), [](const Batch* a, const Batch* b) { return a->number < b->number; });
  return all;
}

void ExecutionOrder::give_up() {
  gave_up_ = true;
  for (const Batch* const batch : pending()) begin(*batch);
  queues_.clear();
  semaphores_.clear();
  exports_ = {};
  open_exports_.clear();
  held_ = 0;
}

}  // namespace rondo::model
