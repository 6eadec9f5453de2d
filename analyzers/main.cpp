// SPDX-License-Identifier: Apache-2.0
// rondo: capture Vulkan programs, and look at what was captured.
#include <csignal>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/commands.h"
#include "analyzers/output.h"
#include "analyzers/signals.h"
#include "analyzers/text.h"
#include "format/build.h"
#include "format/address_space.h"
#include "player/driver_crash.h"
#include "player/unexpected_words.h"

namespace rondo::analyzers {

namespace {

struct Subcommand {
  std::string_view name;
  std::string_view summary;
  Result<int> (*run)(Arguments args);
  int error_status;  // of its own errors; 0: as the error says
};

constexpr Subcommand kSubcommands[] = {
    {"capture", "run a program and record what it asks of Vulkan", run_capture, kLauncherError},
    {"trigger", "ask a captured program for its next frames", run_trigger, 0},
    {"finish", "close the capture of a program that died", run_finish, 0},
    {"info", "what a capture holds, or what this build can capture", run_info, 0},
    {"dump", "every record as text or JSON lines", run_dump, 0},
    {"accesses", "what each command touches", run_accesses, 0},
    {"diff", "what is different in two captures", run_diff, 0},
    {"extract", "what a capture holds, as files: shaders, images, buffers", run_extract, 0},
    {"trim", "a part of a capture as one of its own", run_trim, 0},
    {"pack", "a capture that needs no files, of one that does", run_pack, 0},
    {"recompress", "the same capture with other compression", run_recompress, 0},
    {"play", "replay a capture (the same as the program player)", run_play, 0},
    {"compare-runs", "is a replay slower than it was? two reports, and a status for CI", run_compare_runs, 0},
    {"doctor", "is everything here that capturing and replaying need?", run_doctor, 0},
    {"help", "help agents: a playbook for scripts and coding agents", run_help, 0},
};

// What the program prints of itself, and its exit status.
int finished(Output& out) {
  const auto done = out.finish();
  if (!done) say(done.error());
  return done ? 0 : static_cast<int>(done.error().status);
}

int print_help() {
  Output out;
  out.write(
      "Rondo records what a program asks of Vulkan and plays it again.\n"
      "Usage: rondo SUBCOMMAND [OPTIONS] ...\n\n");
  for (const Subcommand& s : kSubcommands) out.write(text("  {:<14}{}\n", s.name, s.summary));
  out.write(
      "\n'rondo SUBCOMMAND --help' lists its options.\n"
      "Exit status: 0 done, 1 failed, 2 wrong usage, 3 not a readable capture, 4 this device cannot\n"
      "run it, 5 different or slower, 6 external file, 7 timeout; capture: the program's own, 125 own errors.\n");
  return finished(out);
}

int run(const std::vector<std::string>& words) {
  const Arguments args = words;
  // A reader that goes away is no error (output.h), and a file beyond a limit is one of
  // its write. The programs that these two run must find the signals as we did.
  if (words.empty() || (words[0] != "capture" && words[0] != "play")) {
    for (const int ignored : {SIGPIPE, SIGXFSZ}) std::signal(ignored, SIG_IGN);
    remove_temporary_files_at_signals();
    player::end_where_drivers_crash("rondo");
  }
  if (args.empty()) {
    say("no subcommand given (see rondo --help)");
    return static_cast<int>(Status::usage);
  }
  if (args[0] == "--help" || args[0] == "-h" || (args[0] == "help" && args.size() == 1)) return print_help();
  if (args[0] == "--version") {
    Output out;
    out.line(version_line("rondo"));
    return finished(out);
  }
  for (const Subcommand& s : kSubcommands) {
    if (args[0] != s.name) continue;
    const auto status = s.run(args.subspan(1));
    if (status) return *status;
    say(status.error());
    return s.error_status != 0 ? s.error_status : static_cast<int>(status.error().status);
  }
  std::vector<std::string> names;
  for (const Subcommand& s : kSubcommands) names.emplace_back(s.name);
  const std::string meant = player::closest(args[0], names);
  say(text("'{}' is no subcommand{} (see rondo --help)", printable(args[0]),
           meant.empty() ? "" : text("; the closest is {}", meant)));
  return static_cast<int>(Status::usage);
}

}  // namespace

}  // namespace rondo::analyzers

int main(int argc, char** argv) {
  try {
    rondo::spare_address_space();
    return rondo::analyzers::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {  // memory exhausted, above all
    rondo::analyzers::say(rondo::failure_text(error));
    return 1;
  }
}
