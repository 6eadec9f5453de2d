// SPDX-License-Identifier: Apache-2.0
// rondo: capture Vulkan programs, and look at what was captured.
#include <algorithm>
#include <csignal>
#include <exception>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/commands/commands.h"
#include "analyzers/launch/launch.h"
#include "analyzers/options/cli.h"
#include "analyzers/signals.h"
#include "analyzers/text/json.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "format/address_space.h"
#include "format/build.h"
#include "format/temporary_path.h"
#include "player/help_table.h"
#include "player/interrupt.h"
#include "player/run/driver_crash.h"
#include "player/unexpected_words.h"

namespace rondo::analyzers {

namespace {

Result<int> run_version(Arguments args) {
  Cli cli("rondo version", "Prints version, commit, version of the format and of the Vulkan registry.");
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  Output out;
  out.line(version_line("rondo"));
  RONDO_TRY(out.finish());
  return 0;
}

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
    {"graph", "what each item of work needs of those before it, and what the program orders", run_graph, 0},
    {"who", "all that writes and reads a resource", run_who, 0},
    {"why", "why one item of work comes after another one", run_why, 0},
    {"sync", "races, and barriers that nothing needs", run_sync, 0},
    {"waves", "what could execute together, and what the order of the program costs", run_waves, 0},
    {"memory", "allocated, bound and live bytes, what each resource is for, and how little would do", run_memory, 0},
    {"profile", "how long a device works at each draw, dispatch, copy and render pass", run_profile, 0},
    {"gaps", "when the queues of a device do nothing, and why", run_gaps, 0},
    {"report", "a page about a capture: what it does, in which order, and where the time goes", run_report, 0},
    {"export", "a capture as files for other tools: Perfetto, Chrome, Chakra, SQLite", run_export, 0},
    {"diff", "what is different in two captures", run_diff, 0},
    {"extract", "what a capture holds, as files: shaders, images, buffers", run_extract, 0},
    {"trim", "a part of a capture as one of its own", run_trim, 0},
    {"pack", "a capture that needs no files, of one that does", run_pack, 0},
    {"redact", "a capture without names, paths and texts that identify somebody", run_redact, 0},
    {"recompress", "the same capture with other compression", run_recompress, 0},
    {"play", "replay a capture (the same as the program player)", run_play, 0},
    {"replay", "the same as play", run_play, 0},
    {"verify", "replay a capture and compare it (play --verify)", run_verify, 0},
    {"compare-runs", "is a replay slower than it was? reports, and a status for CI", run_compare_runs, 0},
    {"measure", "which of two replays is slower? plays both in turns, and compares", run_measure, 0},
    {"doctor", "is everything here that capturing and replaying need?", run_doctor, 0},
    {"help", "what a subcommand does; help agents: a playbook for scripts and agents; help rows: fields of JSON lines",
     run_help, 0},
    {"version", "the same as --version", run_version, 0},
};

// What the program prints of itself, and its exit status.
int finished(Output& out) {
  const auto done = out.finish();
  if (!done) say(done.error());
  return done ? 0 : static_cast<int>(done.error().status);
}

constexpr const char* kSummary = "Rondo records what a program asks of Vulkan and plays it again.";
constexpr const char* kUsage = "rondo SUBCOMMAND [OPTIONS] ...";
constexpr const char* kFooter =
    "'rondo SUBCOMMAND --help' lists its options.\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 3 not a readable capture, 4 this device cannot\n"
    "run it, 5 different or slower, or what --fail-on names was found, 6 external file, 7 timeout;\n"
    "capture: the program's own, 125 own errors.";

int print_help(int fd = 1) {
  Output out(fd);
  out.write(text("{}\nUsage: {}\n\n", kSummary, kUsage));
  for (const Subcommand& s : kSubcommands) out.write(text("  {:<14}{}\n", s.name, s.summary));
  out.write(text("\n{}\n", kFooter));
  return finished(out);
}

// A table of the subcommands, in the form that player::help_table() gives options.
int print_help_table() {
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  json.field("name", "rondo");
  json.field("summary", kSummary);
  json.field("usage", kUsage);
  json.field("footer", kFooter);
  json.key("subcommands");
  json.begin_array();
  for (const Subcommand& s : kSubcommands) {
    json.begin_object();
    json.field("name", s.name);
    json.field("summary", s.summary);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  Output out;
  out.line(line);
  return finished(out);
}

int wrong_word(const std::string& word, const char* kind, const std::vector<std::string>& known) {
  say(text("'{}' is no {}{} (see rondo --help)", printable(word), kind, player::closest_text(word, known)));
  return static_cast<int>(Status::usage);
}

// True if this subcommand replaces the process by the program player.
bool plays(const std::string& name) { return name == "play" || name == "replay" || name == "verify"; }

int run(const std::vector<std::string>& words) {
  const Arguments args = words;
  // A reader that goes away is no error (output.h), and a file beyond a limit is one of
  // its write. The programs that these two run must find the signals as we did.
  if (words.empty() || (words[0] != "capture" && !plays(words[0]))) {
    for (const int ignored : {SIGPIPE, SIGXFSZ}) std::signal(ignored, SIG_IGN);
    remove_temporary_files_at_signals();
    player::end_where_drivers_crash("rondo");
  }
  if (args.empty()) {
    print_help(2);
    return static_cast<int>(Status::usage);
  }
  const bool wants_help = args[0] == "--help" || args[0] == "-h" ||
                          (args[0] == "help" && (args.size() == 1 || args[1] == "help" || args[1] == "--help"));
  if (wants_help) return print_help();
  if (args[0] == player::kHelpTable) return print_help_table();
  std::string name = args[0] == "--version" ? "version" : args[0];
  std::vector<std::string> rest(args.begin() + 1, args.end());
  std::vector<std::string> names;
  for (const Subcommand& s : kSubcommands) names.emplace_back(s.name);
  const auto has = [&](const std::string& word) { return std::find(names.begin(), names.end(), word) != names.end(); };
  const std::string* const topic = name == "help" && rest.size() == 1 ? &rest[0] : nullptr;
  if (topic != nullptr && has(*topic)) {
    name = *topic;
    rest = {"--help"};
  } else if (topic != nullptr && *topic != "agents" && *topic != "rows" && *topic != player::kHelpTable) {
    names.insert(names.end(), {"agents", "rows"});
    return wrong_word(*topic, "help topic", names);
  }
  for (const Subcommand& s : kSubcommands) {
    if (name != s.name) continue;
    const auto status = s.run(rest);
    if (status) return *status;
    say(status.error());
    // A signal interrupted a loop, which then ended by itself. The process ends as the signal would have ended it.
    if (Ended by; (by.signal = player::Interrupt::signal()) != 0) {
      remove_temporary_files();
      return end_like(by);
    }
    return s.error_status != 0 ? s.error_status : static_cast<int>(status.error().status);
  }
  return wrong_word(args[0], "subcommand", names);
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
