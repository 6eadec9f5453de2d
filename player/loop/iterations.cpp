// SPDX-License-Identifier: Apache-2.0
#include "player/loop/iterations.h"

#include <algorithm>

namespace rondo::player {

namespace {

// "frame 3", "prefill#1".
std::string name_of(const SpanRequest& request, std::size_t interval) {
  switch (request.kind) {
    case SpanRequest::Kind::frames:
      return "frame " + std::to_string(request.first + interval);
    case SpanRequest::Kind::submits:
      return "submit " + std::to_string(request.first + interval);
    case SpanRequest::Kind::scope:
      return request.name + "#" + std::to_string(request.occurrence.value_or(0) + interval);
    case SpanRequest::Kind::records:
    case SpanRequest::Kind::whole:
      break;
  }
  return {};
}

// Whether the time of the span's label can be told apart: of one occurrence where its submit has no other.
bool is_of_commands(const Plan& plan, const SpanRequest& request) {
  if (request.kind != SpanRequest::Kind::scope) return false;
  for (const Scope& scope : plan.scopes) {
    if (scope.name != request.name) continue;
    const auto& all = scope.occurrences;
    if (!request.occurrence) return all.front().kind == ScopeOccurrence::Kind::command_label;
    const ScopeOccurrence& one = all[*request.occurrence];
    return one.kind == ScopeOccurrence::Kind::command_label &&
           std::count_if(all.begin(), all.end(), [&](const ScopeOccurrence& other) {
             return other.kind == one.kind && other.records.first <= one.records.last &&
                    one.records.first <= other.records.last;
           }) == 1;
  }
  return false;
}

}  // namespace

void note_iteration(const Verification& before, Verification& now, std::uint64_t iteration) {
  if (iteration == 0 || !before.first_difference.empty() || now.first_difference.empty()) return;
  now.first_difference += ", in iteration " + std::to_string(iteration) + " and not before";
}

Iterations::Iterations(Run& run, Plan& plan, const LoopPlan* loop, const Options& options,
                       std::span<const CapturedTime> captured, std::uint64_t played)
    : run_(run),
      plan_(plan),
      loop_(loop),
      options_(options),
      may_idle_(loop != nullptr || !has_waiting_work(plan, plan.span.first)),
      played_(played) {
  find_intervals();
  if (may_idle_ && options.times != nullptr) {
    commands_.emplace(run, *options.times);
    run.measure(&*commands_);
  }
  if (options.paced || options.take_host)
    host_.emplace(run, captured, options.paced, static_cast<bool>(options.take_host));
  if (commands_ && options.take_host && options.times->what == Measured::times) clocks_.emplace(run);
  if (may_idle_ && is_of_commands(plan, options.span)) {
    label_.emplace(run, options.span.name);
    run.measure(&*label_);
  }
}

void Iterations::find_intervals() {
  if (plan_.intervals.size() < 2) return;
  for (const OpRange& one : plan_.intervals) stops_.insert(stops_.end(), {one.first, one.last});
  std::sort(stops_.begin(), stops_.end());
  stops_.erase(std::unique(stops_.begin(), stops_.end()), stops_.end());
  stopped_.resize(stops_.size());
  const auto stop = [&](std::uint32_t op) {
    return static_cast<std::size_t>(std::lower_bound(stops_.begin(), stops_.end(), op) - stops_.begin());
  };
  for (const OpRange& one : plan_.intervals) {
    names_.push_back(name_of(options_.span, names_.size()));
    intervals_.emplace_back(stop(one.first), stop(one.last));
  }
  seconds_.resize(names_.size());
  in_any_ = intervals_;
  std::sort(in_any_.begin(), in_any_.end());
  std::size_t last = 0;
  for (std::size_t i = 1; i < in_any_.size(); ++i)
    if (in_any_[i].first <= in_any_[last].second)
      in_any_[last].second = std::max(in_any_[last].second, in_any_[i].second);
    else
      in_any_[++last] = in_any_[i];
  in_any_.resize(last + 1);
}

double Iterations::seconds_in_any() const {
  std::uint64_t ns = 0;
  for (const auto& [begin, end] : in_any_) ns += stopped_[end] - stopped_[begin];
  return static_cast<double>(ns) * 1e-9;
}

Result<void> Iterations::begin() {
  run_.look(false, false);
  RONDO_TRY(run_.play_to(plan_.span.first));
  run_.skip_image_checks();
  const std::size_t budget = options_.memory_budget != 0 ? options_.memory_budget : machine_memory() / 2;
  if (loop_ != nullptr) {
    looper_.emplace(run_, *loop_, LoopOptions{budget, options_.leave_out});
    RONDO_TRY(looper_->keep());
    // The first iteration of a loop shows what has to be put back.
    if (const auto first = next(); !first) return tl::unexpected<Error>(first.error());
    for (const std::uint32_t op : loop_->once) leave_out(plan_.ops[op]);
    if (options_.makes_ready) run_.make_ready(plan_.span, budget / 4);
  }
  // Within a very long span GpuTimes waits for the device, which would be a gap.
  if (!may_idle_ || options_.take_host) return {};
  gpu_.emplace(run_);
  RONDO_TRY(gpu_->prepare(plan_.span));
  run_.measure(&*gpu_);
  for (std::uint64_t i = 1; loop_ != nullptr && i < options_.warmup; ++i)
    if (const auto more = next(); !more) return tl::unexpected<Error>(more.error());
  return {};
}

Result<IterationTimes> Iterations::timed() {
  IterationTimes times;
  if (gpu_) RONDO_TRY(gpu_->reset());
  if (label_) RONDO_TRY(label_->reset());
  if (commands_) RONDO_TRY(commands_->reset());
  if (host_) RONDO_TRY(host_->begin());
  if (clocks_) RONDO_TRY(clocks_->before());
  const auto play_to = [&](std::uint32_t last) { return host_ ? host_->play_to(last) : run_.play_to(last); };
  before_ = run_.counts();
  run_.begin_timing();
  const double cpu = thread_cpu_seconds();
  const std::uint64_t begin = now_ns();
  for (std::size_t i = 0; i < stops_.size(); ++i) {
    RONDO_TRY(play_to(stops_[i]));
    stopped_[i] = now_ns() - run_.paused_ns();
  }
  RONDO_TRY(play_to(plan_.span.last));
  RONDO_TRY(run_.finish_timing());
  const std::uint64_t all_ended = now_ns();
  const std::uint64_t end = now_ns() - run_.paused_ns();
  times.span = static_cast<double>(end - begin) * 1e-9;
  times.cpu = thread_cpu_seconds() - cpu - run_.paused_cpu_seconds();
  // To the end of work that nothing in the span waits for.
  if (!stops_.empty() && stops_.back() == plan_.span.last) stopped_.back() = end;
  for (std::size_t i = 0; i < intervals_.size(); ++i)
    seconds_[i] = static_cast<double>(stopped_[intervals_[i].second] - stopped_[intervals_[i].first]) * 1e-9;
  behind_ = run_.counts();
  in_span_ = behind_ - before_;
  times.work = in_span_.submits == 0 ? times.span : behind_.seconds;
  if (options_.span.kind == SpanRequest::Kind::scope && !seconds_.empty()) times.work = seconds_in_any();
  if (clocks_) RONDO_TRY(clocks_->after());
  if (gpu_) {
    const auto gpu = gpu_->seconds();
    if (!gpu) return tl::unexpected<Error>(gpu.error());
    times.gpu = *gpu;
  }
  if (label_) {
    const auto label = label_->seconds();
    if (!label) return tl::unexpected<Error>(label.error());
    times.label = *label;
  }
  if (commands_ && options_.times->what == Measured::times) {
    const auto each = commands_->times();
    if (!each) return tl::unexpected<Error>(each.error());
    command_times_ = *each;
    if (clocks_) host_run_ = clocks_->host_run(*commands_, command_times_, *host_, begin, all_ended);
  }
  return times;
}

Result<IterationTimes> Iterations::next() {
  run_.look(options_.verify, options_.looks_at_presents() && played_ == 0);
  const Verification before = run_.observer().verification;
  const auto times = timed();
  note_iteration(before, run_.observer().verification, played_++);
  if (!times) return times;
  if (looper_) RONDO_TRY(looper_->restore());
  return times;
}

Result<void> Iterations::check() {
  run_.skip_image_checks();
  return looper_ && options_.leave_out.empty() ? looper_->check() : Result<void>();
}

}  // namespace rondo::player
