// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "format/address_space.h"
#include "format/build.h"
#include "player/console.h"
#include "player/interrupt.h"
#include "player/junit.h"
#include "player/measure/benchmark.h"
#include "player/options.h"
#include "player/plan/places.h"
#include "player/play.h"
#include "player/run/driver_crash.h"

namespace {

// What drivers free they ask for again with the next frame. The C library keeps it for them once a program
// has freed a block of its own of some megabytes, which real ones do while they load; a player may never
// do so, and then each iteration pays for its pages anew. These are the most that it would raise its limits to.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

int run(int argc, char** argv) {
  using namespace rondo;
  using namespace rondo::player;
  std::signal(SIGPIPE, SIG_IGN);  // finish_output()
  const auto parsed = parse_options(argc, argv);
  if (!parsed) {
    print_error(parsed.error().message);
    return static_cast<int>(parsed.error().status);
  }
  if (parsed->exit) {
    print_lines(parsed->version ? version_line("player") + "\n" : parsed->exit_text);
    const Result<void> printed = finish_output();
    if (!printed) print_error(printed.error().message);
    return printed ? 0 : static_cast<int>(printed.error().status);
  }
  if (parsed->options.benchmark) {
    if (const auto here = become_benchmark_program(argv); !here) {
      print_error(here.error().message);
      return static_cast<int>(here.error().status);
    }
  }
  Outcome outcome = play(parsed->options);
  if (!parsed->options.report.empty() && outcome.may_report) {
    const auto written = write_report(parsed->options.report, parsed->options, outcome);
    if (!written) print_error(written.error().message);
    if (!written && outcome.status == Status::ok) outcome.status = written.error().status;
  }
  if (parsed->options.junit) print_lines(as_junit("player", parsed->options.file, verdicts_of(outcome)));
  if (const Result<void> printed = finish_output(); !printed && outcome.status == Status::ok) {
    outcome.status = printed.error().status;
    outcome.error = printed.error().message;
  }
  if (!outcome.error.empty()) print_error(outcome.as_error());
  if (const int signal = Interrupt::signal(); signal != 0) {
    std::fflush(stdout);
    std::raise(signal);  // whoever started it sees how it ended
  }
  // What a timed-out wait left running must not be unloaded under it.
  if (outcome.left_running || outcome.status == Status::timeout) _exit(static_cast<int>(outcome.status));
  return static_cast<int>(outcome.status);
}

}  // namespace

int main(int argc, char** argv) {
  // Destructors have run by then: what a plan and its objects held is gone.
  // A file beyond a limit is an error of its write.
  std::signal(SIGXFSZ, SIG_IGN);
  keep_freed_memory();
  rondo::spare_address_space();
  rondo::player::end_where_drivers_crash("player");
  using rondo::player::print_error;
  try {
    rondo::player::reserve_places();
    return run(argc, argv);
  } catch (const std::exception& error) {
    print_error(rondo::failure_text(error));
  }
  // Nobody says what was left running: no exit handler of a driver may meet it.
  std::fflush(stdout);
  _exit(static_cast<int>(rondo::Status::failed));
}
