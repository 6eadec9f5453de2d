// SPDX-License-Identifier: Apache-2.0
#include "player/run/jobs.h"

#include <algorithm>
#include <system_error>

#include "player/run/driver_crash.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

// What else may name an object of a call that is being made: it has to be alone with it.
bool wants_it_alone(CommandId canonical) {
  return is_debug_command(canonical) || canonical == CommandId::vkMergePipelineCaches ||
         canonical == CommandId::vkSetPrivateData;
}

// For its call alone: they cannot wait.
bool makes_modules(const Plan& plan, const Op& op) {
  return std::any_of(plan.stage_codes.begin(), plan.stage_codes.end(),
                     [&](const StageCode& code) { return code.block == op.block; });
}

}  // namespace

Jobs::Jobs(Run& run, std::uint32_t threads)
    : run_(run),
      wanted_(threads),
      makes_(run.plan().objects.objects().size(), 0),
      uses_(run.plan().objects.objects().size(), 0) {}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  news_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  // After a failure: what was made is the run's to destroy.
  for (; finished_ < jobs_.size(); ++finished_) {
    Job& job = jobs_[finished_];
    if (job.finished || job.state != State::done || !job.call->behind(run_, *job.op, job.args.data(), job.result))
      continue;
    static_cast<void>(run_.publish(*job.op, job.args.data()));
  }
}

void Jobs::work() {
  const CrashStack stack;
  std::unique_lock lock(mutex_);
  while (true) {
    news_.wait(lock, [this] { return ends_ || next_ < known_; });
    if (ends_) return;
    Job& job = jobs_[next_++];
    if (job.state != State::waits) continue;
    job.state = State::runs;
    lock.unlock();
    job.result = job.thunk(job.function, job.args.data());
    lock.lock();
    job.state = State::done;
    news_.notify_all();
  }
}

// Without one, or with fewer, the calls are made by who waits for them.
void Jobs::start_thread() {
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // a limit of address space or processes
  }
}

void Jobs::mark(const Op& op, std::uint32_t job) {
  const Plan& plan = run_.plan();
  for (std::uint32_t i = 0; i < op.patches; ++i) uses_[index_of(plan.patches[op.first_patch + i].id)] = job;
  for (std::uint32_t i = 0; i < op.created; ++i) makes_[index_of(plan.created[op.first_created + i].id)] = job;
}

Result<bool> Jobs::take(const Op& op) {
  const CommandId id = codec::info(op.command).canonical;
  const SlowCall* const call = slow_call(id);
  if (call != nullptr && op.device != kNone && !makes_modules(run_.plan(), op)) {
    RONDO_TRY(finish_done());
    return start(op, *call);
  }
  if (finished_ == jobs_.size()) return false;
  // Programs destroy modules as soon as their pipelines are made: that waits for nobody.
  if (id == CommandId::vkDestroyShaderModule && op.ended == 1) {
    const ObjectId module = run_.plan().ended[op.first_ended];
    if (const std::uint32_t job = uses_[index_of(module)]; job > finished_ && is_finished(makes_[index_of(module)])) {
      destroys_.emplace_back(job, &op);
      return true;
    }
  }
  RONDO_TRY(make_way(op));
  run_.deadline().at(op.sequence);
  return false;
}

Result<bool> Jobs::start(const Op& op, const SlowCall& call) {
  RONDO_TRY(finish_named(op));
  const Plan& plan = run_.plan();
  for (std::uint32_t i = 0; i < op.created; ++i)  // values that are shared: the later one's is in front
    if (const std::uint32_t same = makes_[index_of(plan.created[op.first_created + i].id)]; !is_finished(same))
      RONDO_TRY(finish(same - 1));
  Job job;
  job.op = &op;
  job.call = &call;
  job.args = run_.prepared_copy(op);
  if (call.before != nullptr) RONDO_TRY(call.before(run_, op, job.args.data()));
  job.function = run_.function(op);
  job.thunk = thunk(op.command);
  if (job.function == nullptr || job.thunk == nullptr) return false;
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    known_ = jobs_.size();
    mark(op, static_cast<std::uint32_t>(jobs_.size()));
  }
  news_.notify_one();
  if (threads_.size() < std::min<std::size_t>(wanted_, jobs_.size() - finished_)) start_thread();
  return true;
}

Result<void> Jobs::finish_named(const Op& op) {
  const Plan& plan = run_.plan();
  for (std::uint32_t i = 0; i < op.patches; ++i)
    if (const std::uint32_t job = makes_[index_of(plan.patches[op.first_patch + i].id)]; !is_finished(job))
      RONDO_TRY(finish(job - 1));
  return {};
}

Result<void> Jobs::make_way(const Op& op) {
  RONDO_TRY(finish_named(op));
  const CommandId id = codec::info(op.command).canonical;
  if (id == CommandId::vkDestroyDevice || id == CommandId::vkDestroyInstance) return wait();
  const Plan& plan = run_.plan();
  for (std::uint32_t i = 0; i < op.ended; ++i) RONDO_TRY(finish_to(uses_[index_of(plan.ended[op.first_ended + i])]));
  if (!wants_it_alone(id)) return {};
  for (std::uint32_t i = 0; i < op.patches; ++i) {
    const ObjectId object = plan.patches[op.first_patch + i].id;
    if (object != op.dispatch) RONDO_TRY(finish_to(uses_[index_of(object)]));
  }
  return {};
}

// Those that no thread has begun are made here: nobody waits for a place in the row.
Result<void> Jobs::finish(std::size_t at) {
  Job& job = jobs_[at];
  if (job.finished) return {};
  run_.deadline().at(job.op->sequence);
  std::unique_lock lock(mutex_);
  if (job.state == State::waits) {
    job.state = State::runs;
    lock.unlock();
    job.result = job.thunk(job.function, job.args.data());
    lock.lock();
    job.state = State::done;
  }
  news_.wait(lock, [&] { return job.state == State::done; });
  lock.unlock();
  job.finished = true;
  Result<void> made = job.call->behind(run_, *job.op, job.args.data(), job.result);
  if (made) made = run_.publish(*job.op, job.args.data());
  if (!made) {
    RONDO_TRY(finish_to(at));  // the first record that failed is the one to be told of
    return made;
  }
  std::vector<std::byte>().swap(job.args);
  while (finished_ < jobs_.size() && jobs_[finished_].finished) ++finished_;
  for (; !destroys_.empty() && destroys_.front().first <= finished_; destroys_.pop_front())
    RONDO_TRY(run_.play_op(*destroys_.front().second));
  return {};
}

Result<void> Jobs::finish_to(std::size_t end) {
  for (std::size_t i = finished_; i < end; ++i) RONDO_TRY(finish(i));
  return {};
}

Result<void> Jobs::finish_done() {
  while (finished_ < jobs_.size()) {
    {
      const std::lock_guard lock(mutex_);
      if (jobs_[finished_].state != State::done) return {};
    }
    RONDO_TRY(finish(finished_));
  }
  return {};
}

Result<void> Jobs::wait() { return finish_to(jobs_.size()); }

}  // namespace rondo::player
