// SPDX-License-Identifier: Apache-2.0
// Submits random command buffers. A careful program puts a semaphore or a wait of the host between queues.
#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "tests/unit/sync_oracle.h"
#include "tests/unit/sync_recordings.h"

namespace rondo::test {
namespace {

using namespace sync;
using Command = SyncProgram::Command;

constexpr Stages kNotOfSemaphores = kHost | kTop | kBottom;
constexpr std::size_t kMostExecuted = 25;

class Submitter {
 public:
  Submitter(SyncProgram& program, SyncDice& dice) : p_(program), dice_(dice), recordings_(program, dice) {}
  void make() {
    commands_ = recordings_.make();
    queues_.resize(static_cast<std::size_t>(p_.queues()));
    for (std::uint64_t i = below(3); i != 0; --i) timelines_.push_back({p_.timeline()});
    for (std::uint64_t i = below(3); i != 0; --i) free_fences_.push_back(p_.fence());
    for (std::uint64_t i = 2 + below(6); i != 0; --i) {
      if (chance(20))
        host_write();
      else if (chance(10))
        wait_for_no_reason();
      else if (p_.queues() > 1 && !timelines_.empty() && chance(15))
        submit_before_signal();
      else
        submit();
    }
  }

 private:
  struct OpenSignal {
    int semaphore;
    std::uint64_t batch;
  };
  struct Queue {
    std::uint64_t batches = 0;            // submitted
    std::uint64_t host = 0;               // the host knows that so many of them have ended
    std::vector<OpenSignal> open;         // binary signals without a wait
    std::map<int, std::uint64_t> before;  // by other queue: so many of its batches are before what comes next here
    std::vector<int> free;                // binary semaphores that this queue has waited for
  };
  struct Timeline {
    int index = 0;
    std::uint64_t value = 0;  // signalled last
    int queue = -1;           // … by this queue
    std::uint64_t batch = 0;  // … with this batch
  };
  struct Fence {
    int index, queue;
    std::uint64_t batch;
  };

  std::uint64_t below(std::uint64_t n) { return dice_.below(n); }
  bool chance(unsigned percent) { return dice_.chance(percent); }
  bool errs() { return dice_.errs(); }
  int random_queue() { return static_cast<int>(below(queues_.size())); }
  Queue& at(int queue) { return queues_[static_cast<std::size_t>(queue)]; }

  // Whether this queue can execute them next. If so, they count as executed.
  bool take(SyncRecordings::Commands& one, int queue) {
    const auto& recorded = p_.recorded(one.index);
    if ((one.queue >= 0 && one.queue != queue) || executed_ + recorded.size() > kMostExecuted) return false;
    auto set = set_;
    for (const Command& command : recorded) {
      if (command.kind == Command::set_event && !set.insert(command.event).second && !SyncRecordings::kSetsTwice)
        return false;
      if (command.kind == Command::reset_event) set.erase(command.event);
      for (const int event : command.events)
        if (set.count(event) == 0) return false;
    }
    set_ = set;
    executed_ += recorded.size();
    one.has_executed = true;
    return true;
  }
  // First those that never executed.
  std::vector<int> some_commands(int queue) {
    std::vector<int> all;
    do {
      SyncRecordings::Commands* one = &dice_.pick(commands_);
      for (SyncRecordings::Commands& other : commands_)
        if (one->has_executed && !other.has_executed && (other.queue < 0 || other.queue == queue)) one = &other;
      if (take(*one, queue)) all.push_back(one->index);
    } while (chance(30));
    return all;
  }

  // The host knows all of these batches.
  void host_knows(int queue, std::uint64_t batches) {
    Queue& one = at(queue);
    one.host = std::max(one.host, batches);
    for (const auto& [other, count] : one.before) at(other).host = std::max(at(other).host, count);
  }
  void wait_idle(int queue) {
    if (chance(20)) {
      p_.device_idle();
      for (int one = 0; one < p_.queues(); ++one) host_knows(one, at(one).batches);
      return;
    }
    const auto fence = std::find_if(fences_.begin(), fences_.end(), [&](const Fence& one) {
      return one.queue == queue && one.batch == at(queue).batches;
    });
    if (fence != fences_.end() && chance(75)) return wait_fences({*fence});
    p_.queue_idle(queue);
    host_knows(queue, at(queue).batches);
  }
  void wait_fences(const std::vector<Fence>& some) {
    std::vector<int> indexes;
    for (const Fence& one : some) {
      indexes.push_back(one.index);
      host_knows(one.queue, one.batch);
    }
    p_.wait_fences(indexes);
    if (chance(30)) return;
    p_.reset_fences(indexes);
    for (const int index : indexes) {
      free_fences_.push_back(index);
      fences_.erase(std::find_if(fences_.begin(), fences_.end(), [&](const Fence& one) { return one.index == index; }));
    }
  }
  void wait_for_no_reason() {
    if (!fences_.empty() && chance(50))
      wait_fences(chance(70) ? std::vector<Fence>{dice_.pick(fences_)} : fences_);
    else
      wait_idle(random_queue());
  }
  void host_write() {
    for (int queue = 0; queue < p_.queues(); ++queue)
      if (at(queue).host < at(queue).batches && !errs()) wait_idle(queue);
    write_somewhere();
  }
  void write_somewhere() {
    const auto memory = static_cast<int>(below(static_cast<std::uint64_t>(p_.memories())));
    p_.host_write(memory, below(40) * 4, 4 * (1 + below(20)));
  }

  Stages wait_stages() {
    Stages mask = chance(40) ? kAll : kTransfer;
    if (errs()) mask = first_form(recordings_.random_stages() & ~kNotOfSemaphores);
    return mask;
  }
  Stages signal_stages() {
    if (errs()) {
      const Stages mask = recordings_.random_stages() & ~kNotOfSemaphores;
      return mask != 0 ? mask : kClear;
    }
    if (chance(20)) return kCopy | kClear;
    return chance(60) ? kAll : kTransfer;
  }

  // Puts what the other queues have before the batch.
  void connect(int queue, SyncBatch& batch) {
    for (int other = 0; other < p_.queues(); ++other) {
      Queue& from = at(other);
      if (other == queue || from.batches <= std::max(at(queue).before[other], from.host) || errs()) continue;
      const auto timeline = std::find_if(timelines_.begin(), timelines_.end(), [&](const Timeline& one) {
        return one.queue == other && one.batch == from.batches;
      });
      if (!from.open.empty() && from.open.back().batch == from.batches && chance(80)) {
        wait_for_last(from, batch);
      } else if (timeline != timelines_.end() && chance(80)) {
        batch.waits.push_back({timeline->index, timeline->value, wait_stages()});
      } else {
        wait_idle(other);
        continue;
      }
      at(queue).before[other] = from.batches;
      for (const auto& [third, count] : from.before)
        if (third != queue) at(queue).before[third] = std::max(at(queue).before[third], count);
    }
  }
  void wait_for_last(Queue& from, SyncBatch& batch) {
    batch.waits.push_back({from.open.back().semaphore, 0, wait_stages()});
    from.open.pop_back();
  }
  void wait_for_more(SyncBatch& batch) {
    Queue& from = at(random_queue());
    if (!from.open.empty() && chance(15)) wait_for_last(from, batch);
    if (timelines_.empty() || !chance(10)) return;
    const Timeline& one = dice_.pick(timelines_);
    if (one.value != 0) batch.waits.push_back({one.index, 1 + below(one.value), wait_stages()});
  }

  // Values only go up: the last signal is before this batch in any case.
  bool can_signal(const Timeline& one, int queue, const SyncBatch& batch) {
    if (one.queue < 0 || one.queue == queue || at(one.queue).host >= one.batch) return true;
    return std::any_of(batch.waits.begin(), batch.waits.end(), [&](const SyncSemaphore& wait) {
      return wait.semaphore == one.index && wait.value == one.value;
    });
  }
  // The batch counts as submitted.
  void signal(int queue, SyncBatch& batch) {
    Queue& of = at(queue);
    of.batches += 1;
    for (std::uint64_t n = chance(p_.queues() > 1 ? 50 : 10) ? 1 + below(2) : 0; n != 0; --n) {
      int semaphore = 0;
      if (!of.free.empty() && chance(60)) {
        semaphore = of.free.back();
        of.free.pop_back();
      } else {
        semaphore = p_.semaphore();
      }
      batch.signals.push_back({semaphore, 0, signal_stages()});
      of.open.push_back({semaphore, of.batches});
    }
    if (!timelines_.empty() && chance(40)) {
      Timeline& one = dice_.pick(timelines_);
      if (can_signal(one, queue, batch)) raise(one, queue, batch, one.value + 1 + below(3));
    }
    for (const SyncSemaphore& one : batch.waits)
      if (!p_.is_timeline(one.semaphore)) of.free.push_back(one.semaphore);
  }
  void raise(Timeline& one, int queue, SyncBatch& batch, std::uint64_t value) {
    batch.signals.push_back({one.index, value, signal_stages()});
    one = {one.index, value, queue, at(queue).batches};
  }
  int some_fence(int queue) {
    if (free_fences_.empty() || !chance(50)) return -1;
    const int index = free_fences_.back();
    free_fences_.pop_back();
    fences_.push_back({index, queue, at(queue).batches});
    return index;
  }
  SyncForm some_form() { return chance(50) ? SyncForm::first : SyncForm::second; }

  void submit() {
    const SyncRecordings::Commands& wanted = dice_.pick(commands_);
    const int queue = wanted.queue >= 0 && chance(70) ? wanted.queue : random_queue();
    std::vector<SyncBatch> batches;
    for (std::uint64_t n = chance(25) ? 2 : chance(4) ? 0 : 1; n != 0; --n) {
      SyncBatch batch;
      if (batches.empty()) connect(queue, batch);
      wait_for_more(batch);
      batch.commands = some_commands(queue);
      signal(queue, batch);
      batches.push_back(std::move(batch));
    }
    const int fence = some_fence(queue);
    p_.submit(queue, batches, fence, some_form());
  }

  // A batch that waits for a value which a later submit signals. Meanwhile nothing else waits for its queue.
  void submit_before_signal() {
    const int waiting = random_queue();
    const int signalling = (waiting + 1 + static_cast<int>(below(queues_.size() - 1))) % p_.queues();
    for (int queue = 0; queue < p_.queues(); ++queue)
      if (at(queue).host < at(queue).batches && !errs()) wait_idle(queue);
    Timeline& timeline = dice_.pick(timelines_);
    if (!can_signal(timeline, signalling, {})) return submit();
    const std::uint64_t value = timeline.value + 1 + below(2);

    std::vector<SyncBatch> held(chance(25) ? 2 : 1);
    held[0].waits.push_back({timeline.index, value, wait_stages()});
    for (SyncBatch& one : held) {
      one.commands = some_commands(waiting);
      at(waiting).batches += 1;
    }
    const int fence = some_fence(waiting);
    p_.submit(waiting, held, fence, some_form());
    if (chance(30)) write_somewhere();

    std::vector<SyncBatch> free(chance(25) ? 2 : 1);
    for (SyncBatch& one : free) {
      one.commands = some_commands(signalling);
      at(signalling).batches += 1;
    }
    raise(timeline, signalling, free.back(), value + below(2));
    p_.submit(signalling, free, -1, some_form());
    at(waiting).before[signalling] = at(signalling).batches;
  }

  SyncProgram& p_;
  SyncDice& dice_;
  SyncRecordings recordings_;
  std::vector<SyncRecordings::Commands> commands_;
  std::vector<Queue> queues_;
  std::vector<Timeline> timelines_;
  std::vector<int> free_fences_;
  std::vector<Fence> fences_;  // signalled or about to be
  std::set<int> set_;          // events, when all that was submitted has executed
  std::size_t executed_ = 0;
};

}  // namespace

SyncWorld::SyncWorld(unsigned seed) {
  SyncDice dice(seed);
  Submitter(program_, dice).make();
}

}  // namespace rondo::test
