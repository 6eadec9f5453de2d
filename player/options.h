// SPDX-License-Identifier: Apache-2.0
// The command line of `player`. CLI11 stays behind options.cpp.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/external_files.h"
#include "format/result.h"
#include "player/devices/devices.h"
#include "player/measure/pipeline_statistics.h"
#include "player/plan/plan.h"
#include "player/plan/selectors.h"
#include "player/sandbox/sandbox.h"

namespace rondo::player {

struct Picture;

inline constexpr std::string_view kBenchmarkOut = "--benchmark_out=";  // google-benchmark opens that file itself

struct Options {
  std::string file;
  bool list_devices = false;
  std::vector<DeviceChoice> devices;
  SpanRequest span;
  std::uint64_t loop = 1;
  std::uint64_t warmup = 0;
  bool fresh = false;                        // every iteration from nothing
  bool paced = false;                        // the span's calls come no earlier than in the capture (host_times.h)
  std::uint32_t jobs = 0;                    // threads that make pipelines; 0: one a processor
  std::string pipeline_cache;                // file; empty: none
  std::size_t memory_budget = 0;             // bytes; 0: half of the machine's
  bool benchmark = false;                    // rows of google-benchmark, with …
  std::vector<std::string> benchmark_flags;  // its options
  std::string leave_out;                     // for tests: what a loop does not put back
  std::vector<Replacement> replace;
  FileAccess files;
  bool verify = false;
  std::optional<double> psnr;  // in dB, of --verify=psnr:N; none: all is compared exactly
  std::string screenshots;     // directory; empty: none
  std::string differences;     // likewise, of pictures of what differs
  bool window = false;
  std::string report;  // file; empty: none
  bool validate = false;
  bool validate_sync = false;  // its synchronization validation, too
  bool clamp_shaders = false;  // clamp_shaders.h
  SandboxMode sandbox = SandboxMode::automatic;
  bool trust = false;  // the capture is trusted, whoever recorded it (trust.h)
  bool salvage = false;
  bool require_complete = false;  // a recording that stopped early is refused
  std::uint64_t until = UINT64_MAX;
  double timeout = 0;  // seconds; 0: none
  bool quiet = false;
  bool junit = false;  // the verdict on standard output is JUnit XML (junit.h), and nothing else
  Damage damage;
  bool from_submit = false;  // a span that begins with the capture begins at its first submit
  // For `rondo report`: which presented images of the first iteration are given to take_picture, by frame, instead of
  // being written to a directory. Called by the thread that plays.
  std::function<bool(std::uint64_t frame)> wants_picture;
  std::function<void(std::uint64_t frame, const Picture& picture)> take_picture;
  bool looks_at_presents() const { return !screenshots.empty() || take_picture; }
  // Of the program `rondo profile`. Null: no command is timed. It outlives the replay.
  const struct TimesWanted* times = nullptr;
  bool makes_ready = true;  // the calls of a loop, which costs memory (steps.h)
  // One of these is called after each iteration that counts, as TimesWanted::what says: with CommandTimes::times() and
  // probes(), …
  std::function<void(std::span<const double>, std::span<const double>)> take_times;
  // Then this one, where it is set: when the host made the calls of that iteration (device_clocks.h). The device's time
  // as a whole is not measured then.
  std::function<void(const struct HostRun&)> take_host;
  // … or with each call of CommandTimes::statistics() or counters().
  std::function<void(std::uint32_t execution, const Statistics&)> take_statistics;
  std::function<void(std::uint32_t execution, std::span<const double>)> take_counters;
  std::vector<std::string> counters;  // names, as for choose_counters(): Outcome::counters has what was chosen
  bool list_counters = false;         // nothing is played: Outcome::listed_counters has all counters
};

// What to do, or what to print and leave with: `exit_text` is for stdout.
struct ParsedOptions {
  Options options;
  bool exit = false;     // --help, --version
  bool version = false;  // the version is to be printed, which main() knows
  std::string exit_text;
};
Result<ParsedOptions> parse_options(int argc, const char* const* argv);

}  // namespace rondo::player
