// SPDX-License-Identifier: Apache-2.0
// rondo measure: which of two replays is slower? Plays both in turns, each turn in a process of its own.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <tuple>
#include <utility>

#include "analyzers/commands/commands.h"
#include "analyzers/commands/play.h"
#include "analyzers/launch/report_file.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/comparison_arguments.h"
#include "analyzers/options/span_arguments.h"
#include "analyzers/text/output.h"
#include "analyzers/text/output_directory.h"
#include "analyzers/text/text.h"
#include "format/outputs.h"
#include "format/temporary_path.h"

namespace rondo::analyzers {

namespace {

constexpr const char* kUsage = "rondo measure [OPTIONS] A [PLAYER OPTIONS] -- B [PLAYER OPTIONS]";

struct Variant {
  const char* name;  // as messages have it
  const char* file;  // what the names of its reports begin with
  EnvironmentChanges environment;
  std::vector<std::string> words;  // for the player
  Side side;                       // of the turns that were played
};

struct Measuring {
  std::size_t turns = 5;        // of each variant
  std::size_t iterations = 10;  // of each turn
  std::string directory;        // for the reports; empty: none is kept
  Variant variants[2] = {{"A", "old", {}, {}, {}}, {"B", "new", {}, {}, {}}};
};

// "NAME=VALUE", as env(1) takes it.
bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || std::isdigit(static_cast<unsigned char>(word[0])) != 0)
    return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

Result<void> take_words(Variant& variant, std::span<const std::string> words) {
  while (!words.empty() && is_assignment(words.front())) {
    const std::string& word = words.front();
    const std::size_t equals = word.find('=');
    variant.environment[word.substr(0, equals)] = word.substr(equals + 1);
    words = words.subspan(1);
  }
  if (words.empty()) return fail(Status::usage, text("{} is missing: {}", variant.name, kUsage));
  variant.words.assign(words.begin(), words.end());
  for (const std::string& word : variant.words)
    for (const std::string own : {"--report", "--loop", "--benchmark", "--list-devices"})
      if (word == own || word.starts_with(own + "=") || (own == "--benchmark" && word.starts_with(own)))
        return fail(Status::usage,
                    text("{}: rondo measure sets what it needs of {}: leave it out; --loop N stands before A",
                         printable(word), own));
  return {};
}

Result<void> take_variants(const std::vector<std::string>& words, Measuring& measuring) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end() || std::find(dashes + 1, words.end(), "--") != words.end())
    return fail(Status::usage, text("one -- stands between the variants: {}", kUsage));
  RONDO_TRY(take_words(measuring.variants[0], {words.begin(), dashes}));
  return take_words(measuring.variants[1], {dashes + 1, words.end()});
}

// Reports of an earlier measurement would be taken for some of this one.
Result<void> open_directory(const std::string& path) {
  RONDO_TRY(OutputDirectory::open(path));
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if ((name.starts_with("old-") || name.starts_with("new-")) && name.ends_with(".json"))
      return fail(Status::usage, text("{}/{}: is there already: name a directory without reports with -o",
                                      printable(path), printable(name)));
  }
  return {};
}

// Makes a new, empty file for a report. Nobody else can have made it before: it is opened exclusively.
Result<TemporaryPath> temporary_report() {
  for (const std::string& place : temporary_directories()) {
    TemporaryPath path = TemporaryPath::beside(place + "/rondo-measure", ".json");
    if (const int fd = open_output(path.get(), Opening::temporary); fd >= 0) {
      ::close(fd);
      return path;
    }
    path.forget();
  }
  return fail(Status::failed,
              "no temporary file can be made: set TMPDIR to a directory that has room, or name one with -o");
}

// Plays a turn. Adds its report to the variant's side, if it has an iteration. Fails where the player could
// not be started, or its report not be read.
Result<Ended> play_turn(Variant& variant, std::size_t turn, const Measuring& measuring) {
  TemporaryPath temporary;
  std::string path, name;
  if (measuring.directory.empty()) {
    auto made = temporary_report();
    if (!made) return tl::unexpected(made.error());
    temporary = std::move(*made);
    path = temporary.get();
    name = text("{} turn {}", variant.name, turn);
  } else {
    path = name = text("{}/{}-{}.json", measuring.directory, variant.file, turn);
  }
  std::vector<std::string> words{"--quiet", "--loop", text("{}", measuring.iterations), "--report", path};
  words.insert(words.end(), variant.words.begin(), variant.words.end());
  auto ended = run_player(words, variant.environment);
  std::error_code error;
  if (!ended || ended->status != 0) return ended;
  if (std::filesystem::file_size(path, error) == 0 || error) {  // a signal came before the first iteration
    std::filesystem::remove(path, error);
    return ended;
  }
  auto results = read_run_results(path, name);
  if (!results) return tl::unexpected(results.error());
  if (!results->samples.empty()) variant.side.push_back(std::move(*results));
  return ended;
}

bool is_interruption(const Ended& ended) {
  return ended.signal == SIGINT || ended.signal == SIGTERM || ended.signal == SIGHUP;
}

std::string subject_of(const Measuring& measuring) {
  std::string subject;
  for (const Variant& variant : measuring.variants) {
    if (!subject.empty()) subject += " and";
    for (const std::string& word : variant.words) append(subject, "{}{}", subject.empty() ? "" : " ", printable(word));
  }
  return subject;
}

// How the last turn ended. A B B A A B …: what changes slowly meanwhile is in both.
Result<Ended> play_turns(Measuring& measuring, std::string& last) {
  const bool shown = ::isatty(STDERR_FILENO) != 0;
  Ended ended;
  for (std::size_t turn = 1; turn <= measuring.turns; ++turn) {
    for (const std::size_t which : {(turn - 1) % 2, turn % 2}) {
      Variant& variant = measuring.variants[which];
      last = text("{}, turn {} of {}", variant.name, turn, measuring.turns);
      if (shown) say(last);
      auto played = play_turn(variant, turn, measuring);
      if (!played) return tl::unexpected(Error{played.error().status, text("{}: {}", last, played.error().message)});
      ended = *played;
      if (ended.signal != 0 || ended.status != 0) return ended;
    }
  }
  return ended;
}

// False: help was asked for.
Result<bool> parse(Arguments args, Measuring& measuring, ComparisonArguments& comparing, ComparisonRules& rules) {
  std::optional<std::string> turns, loop;
  std::vector<std::string> words;
  Cli cli("rondo measure",
          "Says which of two replays is slower. Plays A and B in turns (A B B A A B ...), each turn in a "
          "process of its\n"
          "own, and compares as rondo compare-runs does: A is OLD, B is NEW. A and B are a capture and "
          "options of player;\n"
          "before them NAME=VALUE sets an environment variable of that variant.");
  cli.program(words, "A [PLAYER OPTIONS] -- B [PLAYER OPTIONS]");
  cli.value("--turns", "N", "turns of each variant (default 5)", turns);
  cli.value("--loop", "N", "timed iterations of each turn (default 10)", loop);
  cli.value("-o,--output", "DIR", "keep the reports there: old-1.json, new-1.json, ...", measuring.directory);
  comparing.add_to(cli);
  cli.footer(
      "Exit: 0 B is not slower, 5 a row that gates is, or is missing in B; 2 wrong usage or too few "
      "iterations;\n"
      "where a turn failed that of the player.");
  const auto parsed = cli.parse(args);
  if (!parsed || !*parsed) return parsed;
  auto given = comparing.rules();
  if (!given) return tl::unexpected(given.error());
  rules = std::move(*given);
  rules.differs_on_purpose = true;
  for (const auto& [option, from, to] :
       {std::tuple{"--turns", &turns, &measuring.turns}, std::tuple{"--loop", &loop, &measuring.iterations}}) {
    const auto count = parse_count(option, *from, *to);
    if (!count) return tl::unexpected(count.error());
    if (*count == 0) return fail(Status::usage, text("{}: at least 1 (see rondo measure --help)", option));
    *to = *count;
  }
  if (const std::size_t fewest = fewest_samples(rules.alpha); measuring.turns < fewest)
    return fail(Status::usage, text("--turns: --alpha {:.4g} takes at least {} turns", rules.alpha, fewest));
  RONDO_TRY(take_variants(words, measuring));
  if (!measuring.directory.empty()) RONDO_TRY(open_directory(measuring.directory));
  return true;
}

}  // namespace

Result<int> run_measure(Arguments args) {
  Measuring measuring;
  ComparisonArguments comparing("rondo measure");
  comparing.default_to_fastest();
  ComparisonRules rules;
  const auto parsed = parse(args, measuring, comparing, rules);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  std::string last;
  const auto ended = play_turns(measuring, last);
  if (!ended) return comparing.print_error(subject_of(measuring), ended.error());
  const bool interrupted = is_interruption(*ended);
  if (!interrupted && (ended->signal != 0 || ended->status != 0)) {
    const std::string how = ended->signal != 0 ? signal_name(ended->signal) : text("status {}", ended->status);
    const auto failed =
        comparing.print_error(subject_of(measuring), {Status::failed, text("{}: the player ended with {}", last, how)});
    say(failed.error());
    return ended->signal != 0 ? 128 + ended->signal : ended->status;
  }
  const Side &before = measuring.variants[0].side, &after = measuring.variants[1].side;
  if (interrupted)
    say(text("{}: interrupted; compared is what was measured: {} of A, {} of B", last, plural(before.size(), "turn"),
             plural(after.size(), "turn")));
  if (!measuring.directory.empty())
    say(text("{}: old-1.json and so on are the reports of A, new-1.json and so on those of B", measuring.directory));
  if (!interrupted) return comparing.print(before, after, rules);
  if (!before.empty() && !after.empty())
    if (const auto status = comparing.print(before, after, rules); !status) say(status.error());
  return end_like(*ended);
}

}  // namespace rondo::analyzers
