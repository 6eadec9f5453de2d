// SPDX-License-Identifier: Apache-2.0
#include "player/play_span.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "player/interrupt.h"
#include "player/loop/iterations.h"
#include "player/measure/benchmark.h"
#include "player/show/presenter.h"

namespace rondo::player {

namespace {

RunOptions run_options(const Options& options, const PlayContext& context) {
  RunOptions run;
  run.windows = &context.windows;
  run.validate = options.validate;
  run.validate_sync = options.validate_sync;
  run.jobs = options.jobs != 0 ? options.jobs : std::max(std::thread::hardware_concurrency(), 1u);
  run.caches = context.caches;
  run.blobs = context.blobs;
  run.statistics = options.times != nullptr && options.times->what == Measured::statistics;
  run.counters = options.times != nullptr && options.times->what == Measured::counters;
  return run;
}

// From the capture's begin, so without what only a device that is there can tell.
template <class Play>
Result<IterationTimes> timed(Run& run, Outcome& outcome, Play&& play) {
  IterationTimes times;
  const RunCounts before = run.counts();
  run.begin_timing();
  const double cpu = thread_cpu_seconds();
  const std::uint64_t begin = now_ns();
  RONDO_TRY(play());
  RONDO_TRY(run.finish_timing());
  times.span = static_cast<double>(now_ns() - begin - run.paused_ns()) * 1e-9;
  times.cpu = thread_cpu_seconds() - cpu - run.paused_cpu_seconds();
  outcome.in_span = run.counts() - before;
  times.work = outcome.in_span.submits == 0 ? times.span : outcome.in_span.seconds;
  return times;
}

// Ends a run whether it succeeded or not, and says so.
Result<void> end(Run& run, Result<void> played, Outcome& outcome) {
  outcome.played = run.counts();
  outcome.last_submit = run.last_submitted();
  const Result<void> ended = run.finish();
  outcome.left_running = !ended;
  return played ? ended : played;
}

// When the host made its calls, where that is asked for.
void take_pace(const Options& options, const HostTimes* host, Outcome& outcome) {
  if (!options.paced || host == nullptr) return;
  outcome.captured_seconds = host->captured_seconds();
  outcome.paced_seconds.push_back(host->seconds());
}

Result<void> take_times(const Options& options, Iterations& iterations, Outcome& outcome) {
  if (options.times == nullptr) return {};
  outcome.left_out_times = iterations.left_out_times();
  outcome.in_own_queries = iterations.in_own_queries();
  if (options.times->what == Measured::statistics) return iterations.statistics(options.take_statistics);
  if (options.times->what == Measured::counters) return iterations.counters(options.take_counters);
  outcome.timestamp_ns = iterations.timestamp_ns();
  options.take_times(iterations.command_times(), iterations.command_probes());
  if (options.take_host && iterations.host_run() != nullptr) options.take_host(*iterations.host_run());
  return {};
}

// Commands are timed from the first submit on, which nothing works before.
void begin_at_submit(Plan& plan) {
  std::uint32_t at = plan.span.first;
  const auto submits = [&](const Op& op) {
    const CommandId id = codec::info(op.command).canonical;
    return id == CommandId::vkQueueSubmit || id == CommandId::vkQueueSubmit2;
  };
  while (at < plan.span.last && !submits(plan.ops[at])) ++at;
  if (at == plan.span.last) return;
  plan.span.first = at;
  for (OpRange& one : plan.intervals) one.first = std::max(one.first, at);
}

// The span, and not what is behind it.
Result<IterationTimes> play_once(Run& run, const Options& options, Plan& plan, const PlayContext& context,
                                 Outcome& outcome, std::uint64_t number) {
  Iterations once(run, plan, nullptr, options, context.captured, number);
  RONDO_TRY(once.begin());
  auto times = once.next();
  outcome.in_span = once.counts_in_span();
  outcome.intervals.names = once.interval_names();
  const std::vector<double>& seconds = once.interval_seconds();
  if (times && number >= options.warmup) RONDO_TRY(take_times(options, once, outcome));
  if (times && number >= options.warmup) take_pace(options, once.host_times(), outcome);
  if (times && number >= options.warmup)
    outcome.intervals.seconds.insert(outcome.intervals.seconds.end(), seconds.begin(), seconds.end());
  return times;
}

// Each iteration from nothing.
Result<void> play_from_nothing(const Options& options, Plan& plan, const PlayContext& context, Outcome& outcome) {
  PlacementCache placements;
  const bool whole = options.span.kind == SpanRequest::Kind::whole;
  std::optional<Interrupt> interrupt;
  if (options.warmup + options.loop > 1) interrupt.emplace();
  for (std::uint64_t i = 0; i < options.warmup + options.loop && Interrupt::signal() == 0; ++i) {
    Run run(plan, context.loader, context.targets, run_options(options, context), context.deadline, context.observer,
            placements);
    Result<IterationTimes> times;
    if (!whole && plan.span.first != 0) {
      times = play_once(run, options, plan, context, outcome, i);
    } else {
      run.look(options.verify, options.looks_at_presents() && i == 0);
      const Verification before = run.observer().verification;
      std::optional<HostTimes> host;
      if (options.paced) host.emplace(run, context.captured, true, false);
      times = timed(run, outcome, [&]() -> Result<void> {
        if (host) RONDO_TRY(host->begin());
        if (host) RONDO_TRY(host->play_to(plan.span.last));
        return whole ? run.play() : run.play_to(plan.span.last);
      });
      if (times && i >= options.warmup) take_pace(options, host ? &*host : nullptr, outcome);
      note_iteration(before, run.observer().verification, i);
    }
    if (!whole) run.skip_image_checks();
    RONDO_TRY(end(run, times ? Result<void>() : tl::unexpected<Error>(times.error()), outcome));
    if (i >= options.warmup) outcome.iterations.push_back(*times);
  }
  return {};
}

constexpr std::size_t kTouched = std::size_t{1} << 20;

Result<void> iterate(const Options& options, Iterations& iterations, Outcome& outcome) {
  RONDO_TRY(iterations.begin());
  if (options.benchmark) {
    RONDO_TRY(benchmark(options, iterations, outcome));
    outcome.bytes_kept = iterations.bytes_kept();
    return iterations.check();
  }
  outcome.intervals.names = iterations.interval_names();
  // Now, with its pages: memory that grows from iteration to iteration would be taken for a leak.
  const std::size_t at_first = std::min<std::size_t>(options.loop, kTouched);
  outcome.iterations.resize(at_first);
  outcome.iterations.clear();
  outcome.intervals.seconds.resize(std::min<std::size_t>(options.loop * outcome.intervals.names.size(), kTouched));
  outcome.intervals.seconds.clear();
  std::optional<Interrupt> interrupt;
  if (options.loop > 1) interrupt.emplace();
  for (std::uint64_t i = 0; i < options.loop && Interrupt::signal() == 0; ++i) {
    const auto times = iterations.next();
    if (!times) return tl::unexpected<Error>(times.error());
    outcome.iterations.push_back(*times);
    RONDO_TRY(take_times(options, iterations, outcome));
    take_pace(options, iterations.host_times(), outcome);
    const std::vector<double>& seconds = iterations.interval_seconds();
    outcome.intervals.seconds.insert(outcome.intervals.seconds.end(), seconds.begin(), seconds.end());
  }
  outcome.bytes_kept = iterations.bytes_kept();
  return iterations.check();
}

}  // namespace

Result<void> play_span(const Options& options, Plan& plan, const PlayContext& context, Outcome& outcome) {
  const bool whole = options.span.kind == SpanRequest::Kind::whole;
  const bool repeats = options.loop + options.warmup > 1 || options.benchmark;
  if (options.from_submit && plan.span.first == 0) begin_at_submit(plan);
  const bool from_submit = plan.span.first != 0 && plan.span.first < plan.span.last;
  if (options.benchmark && !from_submit)
    return fail(Status::usage,
                plan.path + ": " +
                    (whole ? std::string("it submits nothing") : options.span.text() + " begins with the capture") +
                    ": there is nothing to measure again and again");
  if ((whole && !repeats && !options.from_submit) || !from_submit || options.fresh)
    return play_from_nothing(options, plan, context, outcome);
  std::optional<LoopPlan> loop;
  if (repeats) {
    auto planned = plan_loop(plan);
    if (!planned) return tl::unexpected<Error>(planned.error());
    loop = std::move(*planned);
  }
  PlacementCache placements;
  Run run(plan, context.loader, context.targets, run_options(options, context), context.deadline, context.observer,
          placements);
  RunCounts behind;
  Result<void> played;
  {
    Iterations iterations(run, plan, loop ? &*loop : nullptr, options, context.captured);
    played = iterate(options, iterations, outcome);
    outcome.in_span = iterations.counts_in_span();
    behind = iterations.counts_behind();
  }  // it has objects of the devices, which end now
  RONDO_TRY(end(run, played, outcome));
  outcome.played = behind;
  return {};
}

}  // namespace rondo::player
