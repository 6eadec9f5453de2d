// SPDX-License-Identifier: Apache-2.0
#include "player/play_span.h"

#include <time.h>

#include <optional>
#include <utility>

#include "player/looper.h"
#include "player/presenter.h"

namespace rondo::player {

namespace {

double thread_cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

RunOptions run_options(const Options& options, const PlayContext& context) {
  RunOptions run;
  run.windows = &context.windows;
  run.validate = options.validate;
  return run;
}

// What `play` does with a run, and what it took.
template <class Play>
Result<IterationTimes> timed(Run& run, Play&& play) {
  IterationTimes times;
  run.begin_timing();
  const double cpu = thread_cpu_seconds();
  const std::uint64_t begin = now_ns();
  RONDO_TRY(play());
  RONDO_TRY(run.finish_timing());
  times.span = static_cast<double>(now_ns() - begin - run.paused_ns()) * 1e-9;
  times.cpu = thread_cpu_seconds() - cpu;
  times.work = run.counts().seconds;
  return times;
}

// Ends a run whether it succeeded or not, and says so.
Result<void> end(Run& run, Result<void> played, Outcome& outcome) {
  outcome.played = run.counts();
  const Result<void> ended = run.finish();
  outcome.left_running = !ended;
  return played ? ended : played;
}

// Which one was the first to differ.
void note_iteration(const Verification& before, Verification& now, std::uint64_t iteration) {
  if (iteration == 0 || !before.first_difference.empty() || now.first_difference.empty()) return;
  now.first_difference += ", in iteration " + std::to_string(iteration) + " and not before";
}

// Each iteration from nothing: for spans that begin with the capture.
Result<void> play_from_nothing(const Options& options, const Plan& plan, const PlayContext& context,
                               Outcome& outcome) {
  PlacementCache placements;
  const bool whole = options.span.kind == SpanRequest::Kind::whole;
  for (std::uint64_t i = 0; i < options.warmup + options.loop; ++i) {
    Run run(plan, context.loader, context.targets, run_options(options, context), context.deadline,
            context.observer, placements);
    if (!whole) {
      run.look(false, false);
      if (const auto before = run.play_to(plan.span.first); !before) {
        RONDO_TRY(end(run, before, outcome));
      }
      run.skip_image_checks();
    }
    run.look(options.verify, !options.screenshots.empty() && i == 0);
    const Verification before = run.observer().verification;
    const auto times = timed(run, [&] { return whole ? run.play() : run.play_to(plan.span.last); });
    if (!whole) run.skip_image_checks();
    note_iteration(before, run.observer().verification, i);
    RONDO_TRY(end(run, times ? Result<void>() : tl::unexpected<Error>(times.error()), outcome));
    if (i >= options.warmup) outcome.iterations.push_back(*times);
  }
  return {};
}

Result<void> iterate(const Options& options, Plan& plan, Run& run, const LoopPlan* loop, Outcome& outcome) {
  run.look(false, false);
  RONDO_TRY(run.play_to(plan.span.first));
  run.skip_image_checks();
  const std::size_t budget = options.memory_budget != 0 ? options.memory_budget : machine_memory() / 2;
  std::optional<Looper> looper;
  if (loop != nullptr) {
    looper.emplace(run, *loop, LoopOptions{budget, options.leave_out});
    RONDO_TRY(looper->keep());
  }
  // The first iteration of a loop shows what has to be put back: it is not timed.
  const std::uint64_t untimed = looper ? std::max<std::uint64_t>(options.warmup, 1) : 0;
  outcome.iterations.reserve(options.loop);
  for (std::uint64_t i = 0; i < untimed + options.loop; ++i) {
    run.look(options.verify, !options.screenshots.empty() && i == 0);
    const Verification before = run.observer().verification;
    const auto times = timed(run, [&] { return run.play_to(plan.span.last); });
    note_iteration(before, run.observer().verification, i);
    if (!times) return tl::unexpected<Error>(times.error());
    if (i >= untimed) outcome.iterations.push_back(*times);
    outcome.played = run.counts();
    if (looper) RONDO_TRY(looper->restore());
    if (loop != nullptr && i == 0)
      for (const std::uint32_t op : loop->once) leave_out(plan.ops[op]);
  }
  run.skip_image_checks();
  if (looper) outcome.bytes_kept = looper->bytes_kept();
  return looper && options.leave_out.empty() ? looper->check() : Result<void>();
}

}  // namespace

Result<void> play_span(const Options& options, Plan& plan, const PlayContext& context, Outcome& outcome) {
  const bool whole = options.span.kind == SpanRequest::Kind::whole;
  const bool repeats = options.loop + options.warmup > 1;
  const bool from_submit = plan.span.first != 0 && plan.span.first < plan.span.last;
  if ((whole && !repeats) || !from_submit || options.fresh) return play_from_nothing(options, plan, context, outcome);
  std::optional<LoopPlan> loop;
  if (repeats) {
    auto planned = plan_loop(plan);
    if (!planned) return tl::unexpected<Error>(planned.error());
    loop = std::move(*planned);
  }
  PlacementCache placements;
  Run run(plan, context.loader, context.targets, run_options(options, context), context.deadline,
          context.observer, placements);
  const Result<void> played = iterate(options, plan, run, loop ? &*loop : nullptr, outcome);
  const RunCounts counts = outcome.played;
  RONDO_TRY(end(run, played, outcome));
  outcome.played = counts;
  return {};
}

}  // namespace rondo::player
