// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/order_pool.h"

#include <algorithm>
#include <chrono>

#include "tests/icd/fake.h"
#include "tests/icd/order_gather.h"
#include "tests/icd/order_history.h"

namespace fake::order {
namespace {

// The scope of a semaphore or a fence: all accesses of the device.
MemoryDependency all_memory() { return {kAllStages, kAllAccesses, kAllStages, kAllAccesses}; }

class Pool {
 public:
  static Pool& get() {
    static Pool& one = *new Pool;
    return one;
  }

  void gather(QueueState& queue, std::uint32_t family, Submission& batch);
  void work(Monitor::Lock& lock, const std::function<bool()>& done);
  void start(Monitor::Lock& lock);
  void observe();
  void signal_by_host(const Semaphore& semaphore, std::uint64_t value);
  void drop(QueueState& queue);
  void begin_instance();
  std::uint64_t runs() const { return runs_; }
  void forget(std::byte* begin, std::size_t size) {
    const std::lock_guard lock(freed_mutex_);
    freed_.push_back({begin, begin + size});
  }
  void reset();

 private:
  Node& make_sync(Line& line, Stages first, Stages second);
  void add_host(Line& line);
  void add_wait(Line& line, const SemaphoreUse& wait);
  void add_signals(Line& line, const Submission& batch);
  void add_end(Line& line, const Submission& batch, std::size_t first_item);
  void follow_last_wait(const Semaphore& semaphore, Node& node);
  void take_wait(Node& node, const SemaphoreUse& wait);
  void take_signal(Node& node, const SemaphoreUse& use);
  Node* pick();
  Node* pick_by_leaning(const std::vector<Node*>& able);
  void run(Monitor::Lock& lock, Node& node);
  void end_lost();
  void forget_freed();
  void remove(Node& node);

  Graph graph_;
  Chance chance_;
  WriteHistory history_{graph_, chance_};
  std::map<QueueState*, std::unique_ptr<Line>> lines_;
  Line host_;  // signals of the host
  // The signals that have happened, for the waits that they end.
  struct Signal {
    std::uint64_t value = 0;
    Node* node = nullptr;
  };
  std::map<const Semaphore*, std::vector<Signal>> signals_;
  std::map<const Semaphore*, Node*> last_waits_;  // of binary ones
  std::map<std::uint64_t, std::uint64_t> batch_ranks_;
  std::vector<Submission> ended_;  // may be the last that hold their objects
  // What a seed mostly runs next of what can be run: so that of few commands each order comes with few seeds.
  enum class Leaning { earliest, latest, none } leaning_ = Leaning::none;
  bool is_running_ = false, is_seeded_ = false;
  bool is_seen_ = false;  // the node that runs signaled a sync fd: the host may look at it without a call
  std::uint64_t batches_ = 0, runs_ = 0, instances_ = 0;
  std::uint64_t seed_ = 0;  // after the first

  std::mutex freed_mutex_;
  std::vector<Bytes> freed_;
};

Node& Pool::make_sync(Line& line, Stages first, Stages second) {
  Node& node = graph_.make(line);
  node.is_sync = true;
  node.batch = batches_;
  node.first = first;
  node.second = second;
  node.first_positions = {0, node.position};
  node.second_positions = {node.position, UINT64_MAX};
  node.memory = {all_memory()};
  return node;
}

// vkQueueSubmit: what the host has seen comes before ("Host Write Ordering Guarantees").
void Pool::add_host(Line& line) {
  Node& node = make_sync(line, 0, kAllStages);
  node.is_host = true;
  graph_.add(node);
}

void Pool::add_wait(Line& line, const SemaphoreUse& wait) {
  // Its first scope is the signal: take_wait().
  Node& node = make_sync(line, 0, second_scope(wait.stages));
  node.memory = {{0, 0, second_scope(wait.stages), kAllAccesses}};
  node.is_ready = [wait] { return is_satisfied(wait); };
  node.runs_locked = true;
  node.run = [this, &node, wait] { take_wait(node, wait); };
  // Waits for a binary semaphore have a signal each, in the order of submission.
  if (!wait.semaphore->timeline) {
    follow_last_wait(*wait.semaphore, node);
    last_waits_[wait.semaphore.get()] = &node;
  }
  graph_.add(node);
}

void Pool::follow_last_wait(const Semaphore& semaphore, Node& node) {
  if (const auto last = last_waits_.find(&semaphore); last != last_waits_.end()) Graph::order(*last->second, node);
}

// The first scope of a wait: the signals that happened before it.
void Pool::take_wait(Node& node, const SemaphoreUse& wait) {
  std::vector<Signal>& signals = signals_[wait.semaphore.get()];
  if (wait.imported != nullptr || (!wait.semaphore->timeline && signals.empty())) {
    // From outside, or by a presentation: after all that has ended.
    for (const auto& other : graph_.nodes())
      if (other->ends && other->done) node.chain.push_back(other.get());
    if (wait.imported == nullptr) wait.semaphore->value = 0;
    return;
  }
  for (const Signal& signal : signals)
    if (!wait.semaphore->timeline || signal.value <= wait.semaphore->value) node.chain.push_back(signal.node);
  if (wait.semaphore->timeline) return;
  wait.semaphore->value = 0;
  signals.clear();
}

void Pool::take_signal(Node& node, const SemaphoreUse& use) {
  is_seen_ = is_seen_ || !use.semaphore->exported.empty();
  signal(use);
  signals_[use.semaphore.get()].push_back({use.value, &node});
}

bool is_for_all(const SemaphoreUse& use) { return first_scope(use.stages) == kAllStages; }

// Of a binary semaphore the last wait has to be over.
bool may_signal(const SemaphoreUse& use) {
  return use.semaphore->timeline || use.semaphore->value == 0 || !use.semaphore->exported.empty();
}

// Signals for some stages: the others may go on.
void Pool::add_signals(Line& line, const Submission& batch) {
  for (const SemaphoreUse& use : batch.signals) {
    if (is_for_all(use)) continue;
    Node& node = make_sync(line, first_scope(use.stages), 0);
    node.memory = {{first_scope(use.stages), kAllAccesses, 0, 0}};
    node.ends = true;
    node.runs_locked = true;
    node.is_ready = [use] { return may_signal(use); };
    node.run = [this, &node, use] { take_signal(node, use); };
    if (!use.semaphore->timeline) follow_last_wait(*use.semaphore, node);
    // Signals of a queue happen in their order ("Implicit Synchronization Guarantees").
    for (Node* earlier : line.syncs)
      if (earlier->ends) Graph::order(*earlier, node);
    graph_.add(node);
  }
}

// The end of a batch: its fence, and its other signals. What the host sees signaled has ended.
void Pool::add_end(Line& line, const Submission& batch, std::size_t first_item) {
  Node& node = make_sync(line, kAllStages, 0);
  node.ends = true;
  node.runs_locked = true;
  for (Node* earlier : line.syncs) Graph::order(*earlier, node);
  for (std::size_t i = first_item; i < line.items.size(); ++i) Graph::order(*line.items[i], node);
  std::vector<SemaphoreUse> signals;
  for (const SemaphoreUse& use : batch.signals)
    if (is_for_all(use)) {
      signals.push_back(use);
      if (!use.semaphore->timeline) follow_last_wait(*use.semaphore, node);
    }
  node.is_ready = [signals] { return std::all_of(signals.begin(), signals.end(), may_signal); };
  node.run = [this, &node, signals, fence = batch.fence, queue = line.queue, number = batch.number] {
    for (const SemaphoreUse& use : signals) take_signal(node, use);
    is_seen_ = is_seen_ || (fence != nullptr && !fence->exported.empty());
    ended_.push_back(finish(*queue, number));
  };
  graph_.add(node);
}

void Pool::gather(QueueState& queue, std::uint32_t family, Submission& batch) {
  if (!is_seeded_) {
    chance_.seed(settings().order.value_or(0) + seed_);
    leaning_ = static_cast<Leaning>(chance_.below(3));
    is_seeded_ = true;
  }
  forget_freed();
  graph_.prune([this](Node& node) { remove(node); });
  auto& line = lines_[&queue];
  if (line == nullptr) {
    line = std::make_unique<Line>();
    line->queue = &queue;
    line->family = family;
  }
  batch_ranks_[++batches_] = chance_.below(UINT64_MAX);
  const std::size_t first_item = line->items.size();
  add_host(*line);
  for (const SemaphoreUse& wait : batch.waits) add_wait(*line, wait);
  Gatherer gatherer(graph_, *line, batches_);
  for (const auto& buffer : batch.buffers) gatherer.gather(*buffer);
  add_signals(*line, batch);
  add_end(*line, batch, first_item);
}

// By submission order: the first or the last one. Null: any may be picked.
Node* Pool::pick_by_leaning(const std::vector<Node*>& able) {
  const auto is_earlier = [](const Node* a, const Node* b) { return a->number < b->number; };
  if (chance_.is_reverse()) return *std::max_element(able.begin(), able.end(), is_earlier);
  if (leaning_ == Leaning::none || chance_.one_in(4)) return nullptr;
  return leaning_ == Leaning::earliest ? *std::min_element(able.begin(), able.end(), is_earlier)
                                       : *std::max_element(able.begin(), able.end(), is_earlier);
}

Node* Pool::pick() {
  std::vector<Node*> able;
  for (Node* node : graph_.ready())
    if (node->is_ready == nullptr || node->is_ready()) able.push_back(node);
  if (able.empty()) return nullptr;
  if (Node* chosen = pick_by_leaning(able)) return chosen;
  // One time of two any node; else one of the batch that happens to be first, so that queues overtake one another.
  if (chance_.one_in(2)) return able[chance_.below(able.size())];
  const auto first = std::min_element(able.begin(), able.end(), [&](const Node* a, const Node* b) {
    return batch_ranks_[a->batch] < batch_ranks_[b->batch];
  });
  std::vector<Node*> of_batch;
  for (Node* node : able)
    if (node->batch == (*first)->batch) of_batch.push_back(node);
  return of_batch[chance_.below(of_batch.size())];
}

void Pool::run(Monitor::Lock& lock, Node& node) {
  is_running_ = true;
  ++runs_;
  forget_freed();
  const auto work = std::move(node.run);
  const auto touches = std::move(node.touches);
  history_.transfer(node);
  if (touches != nullptr) history_.before(node, touches());
  if (work != nullptr && node.runs_locked) {
    work();
  } else if (work != nullptr) {
    lock.unlock();
    work();
    lock.lock();
  }
  if (touches != nullptr) history_.after(node);
  graph_.finish(node);
  if (std::exchange(is_seen_, false)) graph_.observe();
  is_running_ = false;
  Monitor::get().changed();
}

// Queues of a lost device drop their work.
void Pool::end_lost() {
  std::vector<QueueState*> lost;
  for (const auto& [queue, line] : lines_)
    if (queue->device.lost && !queue->work.empty()) lost.push_back(queue);
  for (QueueState* queue : lost) {
    drop(*queue);
    while (!queue->work.empty()) ended_.push_back(finish(*queue, queue->work.front().number));
    Monitor::get().changed();
  }
}

void Pool::work(Monitor::Lock& lock, const std::function<bool()>& done) {
  while (!done()) {
    if (is_running_) {
      Monitor::get().wait_on_queue(lock, [&] { return !is_running_ || done(); });
      continue;
    }
    end_lost();
    Node* node = done() ? nullptr : pick();
    if (node == nullptr) break;
    run(lock, *node);
    if (ended_.empty()) continue;
    std::vector<Submission> ended;
    ended.swap(ended_);
    lock.unlock();
    ended.clear();
    lock.lock();
  }
}

void Pool::start(Monitor::Lock& lock) {
  if (chance_.is_reverse() || !chance_.one_in(4)) return;
  constexpr std::uint64_t kMost = 16;
  const std::uint64_t end = runs_ + 1 + chance_.below(kMost);
  work(lock, [&] { return runs_ >= end; });
}

void Pool::observe() { graph_.observe(); }

void Pool::signal_by_host(const Semaphore& semaphore, std::uint64_t value) {
  Node& node = make_sync(host_, 0, kAllStages);
  node.is_host = true;
  graph_.add(node);
  graph_.finish(node);
  graph_.observe_at_once(node);
  signals_[&semaphore].push_back({value, &node});
}

void Pool::remove(Node& node) {
  history_.forget(node);
  for (auto& [semaphore, signals] : signals_)
    std::erase_if(signals, [&](const Signal& signal) { return signal.node == &node; });
  std::erase_if(last_waits_, [&](const auto& wait) { return wait.second == &node; });
  std::erase_if(node.line->set_events, [&](const auto& event) { return event.second == &node; });
}

void Pool::drop(QueueState& queue) {
  const auto line = lines_.find(&queue);
  if (line == lines_.end()) return;
  graph_.drop(*line->second, [this](Node& node) { remove(node); });
  lines_.erase(line);
}

void Pool::forget_freed() {
  std::vector<Bytes> freed;
  {
    const std::lock_guard lock(freed_mutex_);
    freed.swap(freed_);
  }
  for (const Bytes& bytes : freed) history_.forget(bytes.begin, bytes.size());
}

void Pool::begin_instance() {
  const std::uint64_t seeds = settings().orders;
  seed_ = instances_++ % seeds;
  if (seeds > 1) is_seeded_ = false;
}

void Pool::reset() {
  instances_ = seed_ = 0;
  forget_freed();
  for (const auto& [queue, line] : lines_) graph_.drop(*line, [this](Node& node) { remove(node); });
  lines_.clear();
  graph_.drop(host_, [this](Node& node) { remove(node); });
  signals_.clear();
  last_waits_.clear();
  batch_ranks_.clear();
  is_seeded_ = false;
  batches_ = 0;
}

}  // namespace

void begin_instance() {
  const Monitor::Lock lock = Monitor::get().enter();
  Pool::get().begin_instance();
}

bool is_on() { return settings().order.has_value(); }

void gather(QueueState& queue, std::uint32_t family, Submission& batch) { Pool::get().gather(queue, family, batch); }

void work(Monitor::Lock& lock, const std::function<bool()>& done) { Pool::get().work(lock, done); }

void start(Monitor::Lock& lock) { Pool::get().start(lock); }

void observe() { Pool::get().observe(); }

void signal_by_host(const Semaphore& semaphore, std::uint64_t value) { Pool::get().signal_by_host(semaphore, value); }

void drop(QueueState& queue) { Pool::get().drop(queue); }

void watch(QueueState& queue) {
  constexpr auto kWhile = std::chrono::seconds(1);
  Monitor& monitor = Monitor::get();
  Monitor::Lock lock = monitor.enter();
  while (!queue.stop) {
    const std::uint64_t before = Pool::get().runs();
    const bool had_work = !queue.work.empty();
    monitor.wait_on_queue_for(lock, kWhile, [&] { return queue.stop; });
    if (had_work && !queue.stop && Pool::get().runs() == before)
      Pool::get().work(lock, [&] { return queue.stop || queue.work.empty(); });
  }
}

void forget(std::byte* begin, std::size_t size) {
  if (is_on()) Pool::get().forget(begin, size);
}

void reset() {
  const Monitor::Lock lock = Monitor::get().enter();
  Pool::get().reset();
}

}  // namespace fake::order
