// SPDX-License-Identifier: Apache-2.0
// Pipelines and shader modules of what comes before a span, made on several
// threads: their calls are handed over, and waited for by whoever needs what they make, or
// ends what they are made of. Everything but the driver's call is done by the
// thread that owns this.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "generated/thunks.h"
#include "player/plan/plan.h"

namespace rondo::player {

class Run;

// A call in three parts, where only the middle one takes time: what its parameters
// have to be changed to, the driver's call, and what becomes of its result.
struct SlowCall {
  Result<void> (*before)(Run& run, const Op& op, std::byte* args) = nullptr;
  Result<void> (*behind)(Run& run, const Op& op, std::byte* args, std::int64_t result) = nullptr;
};
// Null: the command is no such call.
const SlowCall* slow_call(CommandId canonical);

class Jobs {
 public:
  // `threads` besides the caller's, one or more; started when there is something to do.
  Jobs(Run& run, std::uint32_t threads);
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;
  ~Jobs();  // waits for the calls that have begun; the others are not made

  // True: the op is this one's now: its call is made some time, and published by wait() at last. False: it
  // may be played, what it names is there, and what it ends is not needed any more.
  Result<bool> take(const Op& op);
  Result<void> wait();  // for all

 private:
  enum class State : std::uint8_t { waits, runs, done };
  struct Job {
    const Op* op = nullptr;
    const SlowCall* call = nullptr;
    Thunk* thunk = nullptr;
    PFN_vkVoidFunction function = nullptr;
    std::vector<std::byte> args;
    std::int64_t result = 0;
    State state = State::waits;  // guarded by mutex_
    bool finished = false;       // the caller has seen to its result
  };
  void work();
  void start_thread();
  Result<bool> start(const Op& op, const SlowCall& call);
  Result<void> make_way(const Op& op);
  Result<void> finish(std::size_t job);     // it alone: the row may be of very slow ones
  Result<void> finish_to(std::size_t end);  // all before that one, in order
  Result<void> finish_done();               // the first ones, as far as their calls have returned
  Result<void> finish_named(const Op& op);  // that make what the op names
  void mark(const Op& op, std::uint32_t job);
  bool is_finished(std::uint32_t job) const { return job <= finished_ || jobs_[job - 1].finished; }  // from 1; 0: none

  Run& run_;
  const std::uint32_t wanted_;
  std::vector<std::uint32_t> makes_, uses_;  // by ObjectId: the last job that makes it, or names it, from 1
  std::deque<Job> jobs_;                     // stay where they are
  std::size_t finished_ = 0;                 // of them, from the first on without a gap
  std::deque<std::pair<std::uint32_t, const Op*>> destroys_;  // of shader modules, behind that job and all before it
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::size_t next_ = 0;   // guarded by mutex_: that a thread takes
  std::size_t known_ = 0;  // likewise: jobs that threads may look at
  bool ends_ = false;      // likewise
};

}  // namespace rondo::player
