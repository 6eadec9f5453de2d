// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "player/driver_crash.h"
#include "player/interrupt.h"
#include "player/options.h"
#include "player/places.h"
#include "player/play.h"

namespace {

// Names of files are part of messages: whatever they hold, a message is one
// line, but for lists: what a device lacks, how shaders differ, what the validation layer says.
void print_error(const std::string& message, bool list = false) {
  std::string text = "player: " + message;
  for (char& c : text)
    if ((static_cast<unsigned char>(c) < 0x20 || c == 0x7f) && !(list && c == '\n')) c = '?';
  std::fprintf(stderr, "%s\n", text.c_str());
}

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
  const auto parsed = parse_options(argc, argv);
  if (!parsed) {
    print_error(parsed.error().message);
    return static_cast<int>(parsed.error().status);
  }
  if (parsed->exit) {
    std::fputs(parsed->exit_text.c_str(), stdout);
    return 0;
  }
  Outcome outcome = play(parsed->options);
  if (!parsed->options.report.empty()) {
    const auto written = write_report(parsed->options.report, parsed->options, outcome);
    if (!written) print_error(written.error().message);
    if (!written && outcome.status == Status::ok) outcome.status = written.error().status;
  }
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && outcome.status == Status::ok) {
    outcome.status = Status::failed;
    outcome.error = "standard output cannot be written";
  }
  if (!outcome.error.empty())
    print_error(outcome.error, outcome.status == Status::device || outcome.error_is_list || !outcome.validation_messages.empty());
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
  rondo::player::end_where_drivers_crash("player");
  try {
    rondo::player::reserve_places();
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    print_error("not enough memory");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  // Nobody says what was left running: no exit handler of a driver may meet it.
  std::fflush(stdout);
  _exit(static_cast<int>(rondo::Status::failed));
}
