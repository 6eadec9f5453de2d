// SPDX-License-Identifier: Apache-2.0
#include "player/play.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <utility>

#include "format/counts.h"
#include "format/file_digest.h"
#include "format/needed_files.h"
#include "format/outputs.h"
#include "format/printable.h"
#include "player/console.h"
#include "player/devices/preflight.h"
#include "player/devices/targets.h"
#include "player/interrupt.h"
#include "player/measure/benchmark.h"
#include "player/measure/command_times.h"
#include "player/play_span.h"
#include "player/run/blobs_ahead.h"
#include "player/run/pipeline_caches.h"
#include "player/run/sampled_contents.h"
#include "player/show/presenter.h"
#include "player/verify/nothing_to_compare.h"

namespace rondo::player {

namespace {

std::string hex(const std::uint8_t* bytes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", bytes[i]);
    text += two;
  }
  return text;
}

// `with`: what the capture says that it was asked to keep.
Result<void> check_checkpoints(const Options& options, const Plan& plan, const CapturedWith& with) {
  if (!options.verify ||
      plan.counts.image_checkpoints + plan.counts.memory_checkpoints + plan.counts.content_checkpoints != 0)
    return {};
  if (options.until != UINT64_MAX)
    return fail(Status::usage, plan.path + ": has no checkpoints up to the end that --until sets");
  if (plan.salvaged && plan.has_checkpoints)
    return fail(Status::usage, plan.path + ": nothing to compare: its checkpoints come after its last whole submit");
  if (!with.checkpoints.empty() && with.checkpoints != "none")
    return fail(Status::usage, plan.path + ": nothing to compare: " + nothing_to_compare(with, plan.counts.submits));
  return fail(Status::usage, plan.path +
                                 ": has no checkpoints to verify with: capture it with "
                                 "RONDO_CHECKPOINTS=present, which digests presented images, or "
                                 "readback, which also digests memory that is mapped when a "
                                 "program waits, or submit, which also keeps what each submit wrote");
}

// Scripts search for "N of M images compared and equal": its words are the same for every M.
std::string compared_text(const Comparison& c, const char* what) {
  std::string text =
      std::to_string(c.equal) + " of " + std::to_string(c.compared + c.unverified) + " " + what + " compared and equal";
  if (c.apart_from_times != 0) text += " (" + std::to_string(c.apart_from_times) + " of them but for times of the GPU)";
  if (c.by_psnr != 0) text += " (" + std::to_string(c.by_psnr) + " of them by PSNR)";
  if (c.unverified != 0) text += " (" + std::to_string(c.unverified) + " could not be compared)";
  return text;
}

// `with`: what the capture says that it was asked to keep.
Result<void> judge_verification(const Verification& v, const CapturedWith& with, const Options& options) {
  const std::string& path = options.file;
  const auto differ = [](const Comparison& c, const char* what) {
    return std::to_string(c.compared - c.equal) + " of " + std::to_string(c.compared) + " " + what;
  };
  if (!v.first_difference.empty()) {
    std::string kinds;
    for (const auto& [c, what] : {std::pair(&v.images, "images"), std::pair(&v.memory_ranges, "memory ranges"),
                                  std::pair(&v.contents, "parts of buffers and images")})
      if (c->compared != 0) kinds += (kinds.empty() ? "" : ", ") + differ(*c, what);
    return fail(Status::different, path + ": " + kinds + " differ; the first at " + v.first_difference);
  }
  if (v.all().compared + v.all().unverified == 0)
    return fail(Status::different, path + ": nothing could be compared: no checkpoint lies in " + options.span.text());
  // What differs in its digest and cannot be looked at is not passed over for what is equal beside it.
  if (options.psnr && v.images.compared == 0 && v.images.unverified != 0)
    return fail(Status::different, path + ": no image could be compared: " + v.first_unverified);
  if (v.all().compared == 0) {
    const bool helps = v.submit_compares && with.checkpoints != "submit";
    return fail(
        Status::different,
        path + ": nothing could be compared: " + v.first_unverified +
            (helps ? "; a capture with RONDO_CHECKPOINTS=submit compares it as soon as a submit has written it" : ""));
  }
  return {};
}

void print_summary(const Options& options, const Outcome& outcome) {
  const RunCounts& c = outcome.played;
  if (options.span.kind != SpanRequest::Kind::whole)
    std::printf("%s: records %llu to %llu; with what comes before: ", printable(outcome.span).c_str(),
                static_cast<unsigned long long>(outcome.first_record),
                static_cast<unsigned long long>(outcome.last_record));
  std::printf("%s, %s, %s", plural(c.frames, "frame").c_str(), plural(c.submits, "submit").c_str(),
              plural(c.calls, "call").c_str());
  if (outcome.iterations.size() == 1) std::printf(" in %.3f ms", outcome.iterations[0].work * 1e3);
  const Verification& v = outcome.verification;
  if (outcome.verified && v.images.compared + v.images.unverified != 0)
    std::printf("; %s", compared_text(v.images, "images").c_str());
  if (outcome.verified && v.memory_ranges.compared + v.memory_ranges.unverified != 0)
    std::printf("; %s", compared_text(v.memory_ranges, "memory ranges").c_str());
  if (outcome.verified && v.contents.compared + v.contents.unverified != 0)
    std::printf("; %s", compared_text(v.contents, "parts of buffers and images").c_str());
  if (v.least_psnr && std::isfinite(*v.least_psnr)) std::printf("; the least PSNR is %.2f dB", *v.least_psnr);
  if (outcome.screenshots != 0)
    std::printf("; %s", plural(outcome.screenshots, "picture").c_str());
  else if (!options.screenshots.empty())
    std::printf("; no pictures: no image was presented");
  if (options.window && outcome.planned.frames == 0)
    std::printf("; no windows: no image was presented");
  else if (options.window)
    std::printf("; %s shown in windows", plural(outcome.shown, "image").c_str());
  std::printf("\n");
  constexpr std::size_t kMostShown = 20;
  for (std::size_t i = 0; i < std::min(outcome.differences.size(), kMostShown); ++i) print_line(outcome.differences[i]);
  if (outcome.differences.size() > kMostShown)
    print_line("… and " + std::to_string(outcome.differences.size() - kMostShown) + " more (in --report)");
}

// Empty: the capture says of all host writes when they were made.
std::string undated_writes(const Outcome& outcome) {
  const std::uint64_t count = outcome.planned.undated_writes;
  if (count == 0) return "";
  return "the capture does not say whether " + plural(count, "host write") +
         " came before or after the end of work that uses the bytes";
}

// What the command line names.
SandboxRequest request_for_sandbox(const Options& options) {
  SandboxRequest request{"player", options.file};
  request.reads = options.files.allowed;
  for (const FileAccess::Remap& remap : options.files.remaps) request.reads.push_back(remap.to);
  for (const Replacement& one : options.replace) request.reads.push_back(one.file);
  if (!options.report.empty()) request.outputs.push_back({NamedOutput::Kind::file, options.report, {}});
  if (!options.pipeline_cache.empty()) {
    request.reads.push_back(options.pipeline_cache);
    request.outputs.push_back({NamedOutput::Kind::file, options.pipeline_cache, {}});
  }
  for (const std::string& pictures : {options.screenshots, options.differences})
    if (!pictures.empty()) request.outputs.push_back({NamedOutput::Kind::pictures, pictures, {}});
  for (const std::string& flag : options.benchmark_flags)
    if (flag.starts_with(kBenchmarkOut)) request.writes.push_back(flag.substr(kBenchmarkOut.size()));
  return request;
}

// All that this replay writes is checked, before it writes anything.
Result<void> check_outputs(const Options& options, const Reader& capture, Outcome& outcome) {
  SandboxRequest request = request_for_sandbox(options);
  for (const std::string& path : request.writes) request.outputs.push_back({NamedOutput::Kind::file, path, {}});
  const Result<void> spared = spare_needed_files(capture, request.outputs);
  outcome.may_report = spared.has_value();
  return spared;
}

// Before anything of the capture is read.
Result<void> protect(const Options& options, Trust trust, Windows& windows) {
  SandboxRequest request = request_for_sandbox(options);
  if (options.window && wants_sandbox(options.sandbox, trust)) {
    windows.early = Desktop::open();
    if (*windows.early) {
      request.keeps = (**windows.early)->sockets();
      request.shares_pictures =
          std::string((**windows.early)->surface_extension()) == VK_KHR_XCB_SURFACE_EXTENSION_NAME;
    }
  }
  return enter_sandbox(options.sandbox, trust, request);
}

// With what the outcome has by now.
void report_timeouts(const Options& options, std::vector<Scope> scopes, const Outcome& sofar, Deadline& deadline) {
  if (options.timeout <= 0) return;
  deadline.report_to(std::move(scopes), [&options, sofar](const std::string& message, const auto& last) {
    if (options.report.empty()) return;
    Outcome ended = sofar;
    ended.status = Status::timeout;
    ended.error = message;
    ended.last_submit = last;
    [[maybe_unused]] const auto written = write_report(options.report, options, ended);
  });
}

// What is there of an earlier replay goes: if this one is killed, its report says that it did not end.
Result<void> begin_report(const Options& options, const Outcome& sofar) {
  if (options.report.empty()) return {};
  Outcome begun = sofar;
  begun.status = Status::failed;
  begun.error = options.file + ": the replay has not ended";
  return write_report(options.report, options, begun);
}

Result<void> make_picture_directory(const std::string& path) {
  std::error_code error = make_output_directory(path);
  if (!error && std::filesystem::is_directory(path, error)) return {};
  return fail(Status::usage,
              path + ": no directory for pictures can be made there" + (error ? ": " + error.message() : ""));
}

Result<void> play_file(const Options& options, Observer& observer, Outcome& outcome) {
  Windows windows;
  windows.quiet = options.quiet;
  RONDO_TRY(protect(options, outcome.trust, windows));
  outcome.sandboxed = in_sandbox();
  Deadline deadline(options.timeout, options.file);
  ReaderOptions reader_options;
  reader_options.salvage = options.salvage;
  reader_options.memory_budget = options.memory_budget;
  reader_options.files = options.files;
  auto reader = Reader::open(options.file, reader_options);
  if (!reader) return tl::unexpected<Error>(reader.error());
  RONDO_TRY(check_outputs(options, **reader, outcome));
  outcome.capture_id = hex((*reader)->header().capture_id, sizeof(FileHeader::capture_id));
  outcome.file_bytes = (*reader)->file_bytes();
  if (const Result<void> begun = begin_report(options, outcome); !begun) {
    outcome.may_report = false;
    return begun;
  }
  report_timeouts(options, {}, outcome, deadline);
  if (options.benchmark) RONDO_TRY(take_benchmark_flags(options.benchmark_flags));
  if (options.benchmark || !options.report.empty()) {
    const auto digest = digest_of_file(options.file);
    if (!digest) return tl::unexpected<Error>(digest.error());
    outcome.capture_digest = to_string(*digest);
  }
  RONDO_TRY((*reader)->check_files());
  PlanOptions plan_options;
  plan_options.salvage = options.salvage;
  plan_options.until = options.until;
  plan_options.span = options.span;
  plan_options.memory_budget = options.memory_budget;
  plan_options.verify = options.verify;
  plan_options.damage = options.damage;
  // Nothing after a span is played.
  plan_options.to_end_of_span =
      options.span.kind != SpanRequest::Kind::whole && options.damage.kind == Damage::Kind::none;
  deadline.begin("planning");
  auto plan = build_plan(**reader, plan_options);
  if (!plan) return tl::unexpected<Error>(plan.error());
  outcome.planned = (*plan)->counts;
  outcome.span = options.span.text();
  if (const OpRange span = (*plan)->span; span.first < span.last) {
    outcome.first_record = (*plan)->ops[span.first].sequence;
    outcome.last_record = (*plan)->ops[span.last - 1].sequence;
  }
  outcome.salvaged = (*plan)->salvaged;
  if (outcome.salvaged && !options.quiet)
    print_line("salvaged up to record " + std::to_string((*plan)->ops.back().sequence) + ", " +
               ((*plan)->counts.submits != 0 ? "the last whole submit" : "for there is no whole submit") + " (" +
               (*plan)->salvage_reason + ")");
  const auto ending = (*reader)->footer();
  const bool stopped = ending && ending->ending == static_cast<std::uint32_t>(Ending::stopped);
  if (options.require_complete && (stopped || outcome.salvaged || ends_at_a_gap(**reader)))
    return fail(Status::unreadable,
                options.file + ": is not complete (--require-complete): " +
                    (stopped ? "the recording stopped before the program did" : "the end of its records is missing") +
                    "; `rondo info` says why");
  if (stopped && !options.quiet) std::printf("the recording stopped before the program did: `rondo info` says why\n");
  if (ends_at_a_gap(**reader) && !outcome.salvaged && !options.quiet)
    std::printf(
        "its program died inside the recorder: the replay ends behind record %llu, before the first that is missing\n",
        static_cast<unsigned long long>((*plan)->ops.back().sequence));
  if (const auto footer = (*reader)->footer();
      footer && options.until != UINT64_MAX && footer->last_sequence < options.until && !options.quiet)
    std::printf("the capture ends at record %llu: --until changes nothing\n",
                static_cast<unsigned long long>(footer->last_sequence));
  const CapturedWith with = captured_with((*reader)->sessions());
  std::vector<CapturedTime> captured;
  if (options.paced || options.take_host) {
    auto times = read_captured_times(**reader, (*plan)->span_records);
    if (!times) return tl::unexpected<Error>(times.error());
    captured = std::move(*times);
  }
  if ((*plan)->late_blobs.empty()) reader->reset();
  RONDO_TRY(check_checkpoints(options, **plan, with));
  if (!options.replace.empty()) {
    auto replaced = replace_shaders(**plan, options.replace);
    if (!replaced) return tl::unexpected<Error>(replaced.error());
    outcome.replaced = std::move(*replaced);
  }

  for (const std::string& pictures : {options.screenshots, options.differences})
    if (!pictures.empty()) RONDO_TRY(make_picture_directory(pictures));
  observer.screenshot_directory = options.screenshots;
  observer.wants_picture = options.wants_picture;
  observer.take_picture = options.take_picture;
  if (!options.differences.empty()) observer.difference_pictures.emplace(options.differences);
  report_timeouts(options, (*plan)->scopes, outcome, deadline);
  deadline.begin("checking shaders");
  auto shaders = prepare_shaders(**plan, {outcome.trust, options.clamp_shaders, options.jobs, outcome.replaced});
  if (!shaders) return tl::unexpected<Error>(shaders.error());
  outcome.shaders = std::move(*shaders);
  report_timeouts(options, (*plan)->scopes, outcome, deadline);
  for (const std::string& line : outcome.shaders.lines())
    if (!options.quiet) print_line(line);
  deadline.begin("opening devices");
  auto loader = Loader::open();
  if (!loader) return tl::unexpected<Error>(loader.error());
  if (options.validate) RONDO_TRY(loader->check_validation_layer());
  if (options.validate_sync) ask_for_synchronization_validation();
  auto live = LiveDevices::open(*loader);
  if (!live) return tl::unexpected<Error>(live.error());
  std::vector<ChosenDevice> chosen;
  auto targets = choose_targets(options.devices, **plan, **live, chosen);
  if (!targets) return tl::unexpected<Error>(targets.error());
  for (const ChosenDevice& one : chosen) {
    outcome.counts_statistics =
        outcome.counts_statistics || (*targets)[static_cast<std::uint32_t>(outcome.devices.size())].counts_statistics;
    outcome.devices.push_back(one.name);
    if (!options.quiet)
      print_line((chosen.size() > 1 ? (*plan)->name(one.captured) + " on " : "") + one.name + ": " + one.reason);
  }
  if (options.list_counters || !options.counters.empty() ||
      (options.times != nullptr && options.times->what == Measured::counters))
    (*live)->read_counters();
  if (options.list_counters) {
    outcome.listed_counters = counters_of(**live, *targets);
    return {};
  }
  if (!options.counters.empty()) {
    auto counters = choose_counters(**live, *targets, options.counters);
    if (!counters) return tl::unexpected<Error>(counters.error());
    outcome.counters = std::move(*counters);
  }
  if (options.verify) make_compared_samples_readable(**plan, **live, *targets);
  RONDO_TRY(preflight(**plan, *loader, **live, *targets, outcome.trust));
  RONDO_TRY(check_workgroups(**plan, outcome.shaders, outcome.trust, *targets));
  for (const Replaced& one : outcome.replaced)
    if (!options.quiet) print_line(one.text());
  if (options.window) RONDO_TRY(open_windows(windows, **plan, *loader, *targets));

  observer.wanted_psnr = options.psnr;
  std::optional<PipelineCaches> caches;
  if (!options.pipeline_cache.empty()) {
    auto opened = PipelineCaches::open(options.pipeline_cache);
    if (!opened) return tl::unexpected<Error>(opened.error());
    caches = std::move(*opened);
  }
  const std::size_t budget = options.memory_budget != 0 ? options.memory_budget : machine_memory() / 2;
  std::optional<BlobsAhead> blobs;
  if (!(*plan)->late_blobs.empty()) blobs.emplace(**plan, **reader, budget / 8);
  const PlayContext context{
      *loader, *targets, windows, deadline, observer, caches ? &*caches : nullptr, blobs ? &*blobs : nullptr, captured};
  Result<void> played = play_span(options, **plan, context, outcome);
  if (const Result<void> saved = caches ? caches->save() : Result<void>(); played && !saved) played = saved;
  outcome.shown = windows.shown;
  outcome.verified = options.verify;
  outcome.verification = observer.verification;
  outcome.screenshots = observer.screenshots;
  if (observer.difference_pictures) outcome.differences = observer.difference_pictures->lines();
  outcome.validation_messages = observer.validation_messages();
  if (!played) return played;
  RONDO_TRY(check_validation(options.file, outcome.validation_messages));
  return options.verify ? judge_verification(outcome.verification, with, options) : Result<void>();
}

// The whole of it once more, from the file on: whether the replay differs from the capture or the device from
// itself. `seconds`: how long the first replay took.
void play_again(const Options& options, const Observer& first, double seconds, Outcome& outcome) {
  Options again = options;
  if (options.timeout > 0) {
    again.timeout = options.timeout - seconds;
    if (again.timeout < 2 * seconds) {
      outcome.error += "; --timeout leaves no time for a second replay, which would tell what is stable";
      return;
    }
  }
  again.quiet = again.fresh = true;
  again.benchmark = again.window = false;
  again.loop = 1;
  again.warmup = 0;
  again.screenshots.clear();
  again.differences.clear();
  again.report.clear();
  again.pipeline_cache.clear();
  Observer second;
  second.hold_against(first.seen());
  Outcome found;
  found.trust = outcome.trust;
  const Result<void> done = play_file(again, second, found);
  outcome.left_running = outcome.left_running || found.left_running;
  outcome.again = second.again();
  if (!done && done.error().status != Status::different) outcome.again->error = done.error().message;
  outcome.error += "; " + outcome.again->text();
}

Result<void> list_devices() {
  auto loader = Loader::open();
  if (!loader) return tl::unexpected<Error>(loader.error());
  auto live = LiveDevices::open(*loader);
  if (!live) return tl::unexpected<Error>(live.error());
  print_lines((*live)->table() + "\n");
  return {};
}

}  // namespace

Outcome play(const Options& options) {
  Outcome outcome;
  Observer observer;
  observer.progress = !options.quiet && isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  if (!options.list_devices) outcome.trust = trust_of(options.file, options.trust);
  const std::uint64_t begin_ns = now_ns();
  const Result<void> done = options.list_devices ? list_devices() : play_file(options, observer, outcome);
  observer.clear_progress();
  if (!done) {
    outcome.status = done.error().status;
    outcome.error = done.error().message;
    outcome.error_lines = done.error().lines;
  }
  if (!observer.verification.first_difference.empty() && outcome.status == Status::different &&
      Interrupt::signal() == 0)
    play_again(options, observer, static_cast<double>(now_ns() - begin_ns) * 1e-9, outcome);
  if (outcome.status == Status::different && outcome.shaders.clamped && outcome.shaders.clamped->clamped != 0)
    outcome.error +=
        "; its shaders were clamped (--clamp-shaders): one that reads outside its arrays or buffers gets "
        "other "
        "values than it got in the capture";
  const std::string undated = undated_writes(outcome);
  if (outcome.status == Status::different && !undated.empty())
    outcome.error += "; " + undated + ": that may be why, and not the device";
  if (outcome.status == Status::timeout && options.loop > 1) {
    outcome.error += "; " + std::to_string(outcome.iterations.size()) + " of " + std::to_string(options.loop) +
                     " iterations had ended";
    if (!options.quiet && !outcome.iterations.empty()) print_lines(times_table(outcome.iterations, outcome.intervals));
  }
  if (!options.list_devices && !options.quiet && (done || outcome.status == Status::different)) {
    print_summary(options, outcome);
    if (done && !undated.empty()) print_lines(undated + ": this replay may differ from the program there\n");
    if (Interrupt::signal() != 0)
      std::printf("interrupted after %zu of %llu iterations\n", outcome.iterations.size(),
                  static_cast<unsigned long long>(options.loop));
    if (options.loop > 1 && !outcome.iterations.empty())
      print_lines(times_table(outcome.iterations, outcome.intervals));
    if (options.paced) print_lines(paced_text(outcome.captured_seconds, outcome.paced_seconds));
    if (options.loop > 1 && options.verify)
      std::printf("the device worked on while contents were compared, outside these times: measure without --verify\n");
    if (outcome.bytes_kept != 0)
      std::printf("put back after each iteration: %.1f KiB of memory\n",
                  static_cast<double>(outcome.bytes_kept) / 1024);
  }
  return outcome;
}

}  // namespace rondo::player
