// SPDX-License-Identifier: Apache-2.0
// rondo capture: runs a program with the layer and the preload shim of this
// tree switched on, and closes what it leaves behind.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "analyzers/commands/captures_written.h"
#include "analyzers/commands/commands.h"
#include "analyzers/commands/play.h"
#include "analyzers/launch/launch.h"
#include "analyzers/launch/program_check.h"
#include "analyzers/launch/report_file.h"
#include "analyzers/launch/tree.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/file_arguments.h"
#include "analyzers/options/trust_arguments.h"
#include "analyzers/read/summary.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "format/file.h"
#include "format/file_limit.h"
#include "format/output_names.h"
#include "format/reader.h"
#include "player/junit.h"
#include "player/verify/nothing_to_compare.h"

namespace rondo::analyzers {

namespace {

struct Options {
  std::string output;
  std::string checkpoints;
  std::string memory;
  std::string compression;
  std::string session;
  std::string log;
  std::string children;
  std::string files;
  std::string file_check;
  std::optional<Span> frames;
  bool backtraces = false;
  bool layer_only = false;
  bool shim_only = false;
  bool replay = false;
  bool verify = false;
  bool force = false, require_complete = false;
  std::string junit;  // file; empty: none
  std::vector<std::string> program;
};

std::string default_output() {
  const char* inherited = std::getenv("RONDO_OUTPUT");
  return inherited != nullptr && *inherited != '\0' ? inherited : "%e-%p.rondo";
}

// RONDO_OUTPUT for the program: absolute, since it may change its directory;
// a percent sign in the name of our own directory is doubled.
Result<std::string> output_pattern(const std::string& pattern) {
  if (pattern[0] == '/') return pattern;
  std::string directory;
  std::error_code error;
  for (const char c : std::filesystem::current_path(error).string()) directory += c == '%' ? "%%" : std::string(1, c);
  if (error) return fail(Status::usage, text("the directory of now: {}: name a place with --output", error.message()));
  return directory + "/" + pattern;
}

// The layer never makes the program fail, so a capture that cannot be written
// is better refused here, before the program runs.
Result<void> check_output(const std::string& pattern) {
  struct stat info {};
  if (const std::string limit = too_small_a_file_limit(); !limit.empty()) return fail(Status::usage, limit);
  if (!names_file(pattern) && ::stat(pattern.c_str(), &info) != 0)
    return fail(Status::usage, text("{}: names no file: add one, as %e-%p.rondo", printable(pattern)));
  if (!names_file(pattern) || (::stat(pattern.c_str(), &info) == 0 && S_ISDIR(info.st_mode)))
    return fail(Status::usage, text("{}: is a directory: name a file in it, as {}/%e-%p.rondo", printable(pattern),
                                    printable(pattern.substr(0, pattern.find_last_not_of('/') + 1))));
  if (::stat(pattern.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return fail(Status::usage, text("{}: is not a regular file: name one with --output", printable(pattern)));
  const std::string directory = pattern.substr(0, pattern.rfind('/') + 1);
  if (directory.find('%') != std::string::npos) return {};  // known in the program only
  if (::stat(directory.c_str(), &info) != 0)
    return fail(Status::usage,
                text("{}: {}{}", printable(directory), std::strerror(errno),
                     errno == ENOENT ? ": create the directory first" : ": choose another place with --output"));
  if (::access(directory.c_str(), W_OK) != 0)
    return fail(Status::usage,
                text("{}: {}: choose another place with --output", printable(directory), std::strerror(errno)));
  // What %e, %p and %t stand for is not counted: it may be short.
  const std::string name = pattern.substr(directory.size());
  const auto escapes = static_cast<std::size_t>(std::count(name.begin(), name.end(), '%'));
  const long longest = ::pathconf(directory.c_str(), _PC_NAME_MAX);
  if (longest > 0 && name.size() > static_cast<std::size_t>(longest) + 2 * escapes)
    return fail(Status::usage,
                text("{}: is longer than the {} bytes that a file name may have there", printable(name), longest));
  return {};
}

bool tells_more(const Options& options) {
  const char* inherited = std::getenv("RONDO_LOG");
  const std::string_view level =
      options.log.empty() && inherited != nullptr ? inherited : std::string_view(options.log);
  return level == "info" || level == "debug";
}

ShimPlace place_for_shim(const Checked& program) {
  const auto others = preloaded(std::getenv("LD_PRELOAD"));
  const bool others_first = program.has_first_library || std::any_of(others.begin(), others.end(), is_first_library);
  return others_first ? ShimPlace::behind_others : shim_place();
}

// What of Rondo is put under the program: the layer, the preload shim (layer/driver/door.h), or both.
Result<EnvironmentChanges> doors_for(const Options& options, const LayerFiles& layer, ShimPlace place) {
  EnvironmentChanges changes;
  if (options.shim_only) {
    changes["RONDO_SHIM"] = "1";
    changes["RONDO_CAPTURE"] = std::nullopt;
  } else {
    changes["RONDO_CAPTURE"] = "1";
    changes["RONDO_SHIM"] = std::nullopt;
    changes["XDG_DATA_DIRS"] = data_dirs_with(layer.share, std::getenv("XDG_DATA_DIRS"));
  }
  const char* current = std::getenv("LD_PRELOAD");
  const auto shim = find_shim(layer);
  const std::string with = shim ? preload_with(*shim, current, place) : "";
  if (!options.layer_only && !with.empty()) {
    changes["LD_PRELOAD"] = with;
    return changes;
  }
  if (shim && current != nullptr) changes["LD_PRELOAD"] = preload_without(*shim, current);
  if (options.layer_only) return changes;
  const std::string why = shim ? "a sanitizer's runtime has to be the first library, and LD_PRELOAD, where the shim "
                                 "could stand behind it, is empty"
                               : shim.error().message;
  if (options.shim_only) return fail(Status::failed, text("--shim-only: {}", why));
  if (tells_more(options)) say(text("the layer alone records: {}", why));
  return changes;
}

EnvironmentChanges environment_for(const Options& options, EnvironmentChanges changes, const std::string& pattern,
                                   const std::string& report) {
  changes["RONDO_DISABLE"] = std::nullopt;
  changes["RONDO_OUTPUT"] = pattern;
  changes["RONDO_REPORT_FILE"] = report;
  const auto pass = [&](const char* name, const std::string& value) {
    if (!value.empty()) changes[name] = value;
  };
  pass("RONDO_CHECKPOINTS", options.checkpoints);
  pass("RONDO_MEMORY", options.memory);
  pass("RONDO_COMPRESSION", options.compression);
  pass("RONDO_SESSION", options.session);
  pass("RONDO_LOG", options.log);
  pass("RONDO_CHILDREN", options.children);
  if (options.backtraces) changes["RONDO_BACKTRACES"] = "1";
  pass("RONDO_FILES", options.files);
  pass("RONDO_FILE_CHECK", options.file_check);
  if (options.frames) changes["RONDO_FRAMES"] = text("{}:{}", options.frames->begin, options.frames->end);
  return changes;
}

// The status of a program that is not run.
int refuse(const Refusal& refusal) {
  say(refusal.sentence);
  if (refusal.error == 0) return kLauncherError;
  return refusal.error == ENOENT ? kNotFound : kCannotExecute;
}

// Whether a capture of this very name is there. With `force` it must be one that can be replaced.
Result<bool> there_already(const std::string& pattern, bool force) {
  struct stat info {};
  if (pattern.find('%') != std::string::npos || ::stat(pattern.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
    return false;
  if (!force) return true;
  const auto reader = Reader::open(pattern, ReaderOptions{.salvage = true});
  if (!reader) return fail(Status::usage, text("{}; --force replaces captures alone", reader.error().message));
  if (const auto file = File::open(pattern, false); file && file->locked_by_other())
    return fail(Status::usage, text("{}: is still being recorded: --force does not replace it", printable(pattern)));
  return true;
}

// Also lists the captures that were written.
Result<Ended> run_and_list(const Options& options, const EnvironmentChanges& doors, const std::string& pattern,
                           Report& reported) {
  const auto report = ReportFile::create();
  if (!report) return tl::unexpected(report.error());
  const auto ended = launch(options.program, environment_for(options, doors, pattern, report->path()));
  if (!ended) return tl::unexpected(ended.error());
  // What is left to do is done whether or not somebody reads of it.
  for (const int ignored : {SIGPIPE, SIGXFSZ}) std::signal(ignored, SIG_IGN);
  reported = report->read();
  return *ended;
}

// A capture on the disk.
struct Capture {
  std::string path;
  std::optional<Summary> summary;  // nothing: it could not be closed or read
};

// The status of a replay; that of a refusal by the player where there is nothing to compare.
int replay(const Capture& capture, const Options& options) {
  if (options.verify && capture.summary && capture.summary->checkpoints == 0) {
    say(text("{}: nothing to compare: {}; --replay only plays it", printable(shown_path(capture.path)),
             player::nothing_to_compare({options.checkpoints}, capture.summary->submits)));
    return static_cast<int>(Status::usage);
  }
  const auto played = play_capture(capture.path, options.verify ? Replay::verified : Replay::plain);
  if (!played) say(played.error().message);
  return played ? *played : kLauncherError;
}

player::Verdict verdict_of(const Capture& capture, int status) {
  const bool by_player = status <= static_cast<int>(Status::timeout);
  player::Verdict verdict{printable(shown_path(capture.path)),
                          by_player ? player::kind_of(static_cast<Status>(status)) : player::Verdict::Kind::error,
                          {},
                          0};
  if (status != 0) verdict.message = text("the replay ended with status {}: standard error says why", status);
  return verdict;
}

// Each replay is a test. Where there is none, that is a test, too, and an error.
Result<void> write_junit(const Options& options, std::vector<player::Verdict> verdicts) {
  if (options.junit.empty()) return {};
  if (verdicts.empty())
    verdicts.push_back(
        {"capture", player::Verdict::Kind::error, "there is no capture to replay: standard error says why", 0});
  const std::string xml = player::as_junit("rondo capture", options.program[0], verdicts);
  std::ofstream out(options.junit, std::ios::binary);
  out << xml;
  out.close();
  if (!out)
    return fail(Status::failed, text("{}: the verdicts cannot be written: {}", options.junit, std::strerror(errno)));
  return {};
}

// The status of the first that failed; of nothing to play: an own error. Adds a verdict for each.
int replay(const std::vector<Capture>& captures, const Options& options, std::vector<player::Verdict>& verdicts) {
  int status = captures.empty() ? kLauncherError : 0;
  for (const Capture& capture : captures) {
    if (captures.size() > 1) say(text("{}: the replay:", shown_path(capture.path)));
    const int its_status = replay(capture, options);
    verdicts.push_back(verdict_of(capture, its_status));
    if (status == 0) status = its_status;
    if (its_status == 128 + SIGINT || its_status == 128 + SIGTERM) break;  // somebody wants an end
  }
  return status;
}

// False: help was asked for.
Result<bool> parse(Arguments args, Options& options) {
  options.output = default_output();
  Cli cli("rondo capture",
          "Runs PROGRAM and records what it asks of Vulkan, without any installation. Standard input,\n"
          "signals and the exit status are passed through.");
  cli.value("-o,--output", "PATH", "the capture: %e program, %p process, %t start time (default %e-%p.rondo)",
            options.output);
  cli.flag("--force", "replace a capture of that name; without it the new one gets a number", options.force);
  cli.flag("--require-complete",
           "a recording that stopped before the program did, or could not be closed, is status 125",
           options.require_complete);
  cli.choice("--checkpoints", {"none", "present", "readback", "submit"},
             "what to digest for player --verify: presented images; memory read back too; what each submit\n"
             "wrote too",
             options.checkpoints);
  cli.choice("--memory", {"auto", "alias", "pagemap", "shadow", "scan", "guard"}, "how host writes are found",
             options.memory);
  cli.choice("--compression", {"none", "fast", "high"}, "of the capture: fast is lz4 with blobs in zstd, high is zstd",
             options.compression);
  cli.choice("--session", {"full", "minimal"}, "minimal: no command line, paths or names in the session",
             options.session);
  cli.choice("--log", {"error", "warn", "info", "debug"}, "what the layer tells", options.log);
  cli.choice("--children", {"0", "1"}, "0: only the first process that makes an instance", options.children);
  cli.flag("--backtraces", "who made each call: the call chain as modules and offsets, for rondo dump",
           options.backtraces);
  cli.choice("--files", {"embed", "embed-all", "reference", "fail"},
             "bytes of files that the program has open: in the capture, as it used them or with all of the file;\n"
             "only where they lie; or end the capture",
             options.files);
  cli.choice("--file-check", {"identity", "digest"},
             "how a referenced file is known again: length, device, inode and time; or what is used of it",
             options.file_check);
  cli.span("--frames", "only these (presents, from 0): stops recording behind them, and cuts the capture at the end",
           options.frames);
  cli.flag("--layer-only", "record what a Vulkan loader shows layers: nothing is preloaded", options.layer_only);
  cli.flag("--shim-only", "record at the drivers: the preload shim without the layer", options.shim_only);
  cli.flag("--replay", "plays each capture when the program has ended", options.replay);
  cli.flag("--verify", "… and compares every checkpoint (--checkpoints readback, if nothing else is asked for)",
           options.verify);
  cli.value("--junit", "FILE", "with --replay or --verify: each replay's verdict as JUnit XML, for CI", options.junit);
  cli.footer(
      "Exit status: the program's; 125 own errors, 126 the program cannot be executed, 127 there is none;\n"
      "with --replay and --verify, where the program's is 0: the player's.");
  cli.program(options.program);
  const auto parsed = cli.parse(args);
  if (!parsed || !*parsed) return parsed;
  if (options.program.empty())
    return fail(Status::usage, "no program given: rondo capture [OPTIONS] -- PROGRAM [ARGS...]");

  if (options.layer_only && options.shim_only)
    return fail(Status::usage, "--layer-only and --shim-only exclude each other: with neither both record");
  if (!options.junit.empty() && !options.replay && !options.verify)
    return fail(Status::usage, "--junit holds the verdicts of replays: use it with --replay or --verify");
  if (options.output == "--") return fail(Status::usage, "--output: its PATH is missing");
  if (options.output.empty()) return fail(Status::usage, "--output is empty: name a file, as %e-%p.rondo");
  if (options.verify) {
    const char* inherited = std::getenv("RONDO_CHECKPOINTS");
    if (options.checkpoints.empty())
      options.checkpoints = inherited != nullptr && *inherited != '\0' ? inherited : "readback";
    if (options.checkpoints == "none")
      return fail(
          Status::usage,
          "--verify compares checkpoints, and there are none: --checkpoints present, readback or submit makes them");
  }
  return true;
}

void say_that_there_is_none(const Report& reported, const std::string& program) {
  const std::vector<ReportedFile>& files = reported.files;
  if (reported.lacks_entries)
    say(
        text("{}: a capture was written that is not listed here: the temporary file for its name had no room (the "
             "layer names it above): free some space or set TMPDIR; `rondo finish` closes it if its process died",
             printable(program)));
  else if (files.empty())
    say(
        text("{}: no capture was written so far: it made no Vulkan instance (it may use OpenGL or the "
             "CPU, or have failed before), could not create the capture (then the layer says so above), or "
             "what it started cannot be captured (static, set-user-id; with --layer-only: VK_LOADER_LAYERS_DISABLE); "
             "see 'rondo doctor' and --log=info; processes that it left running may still write one",
             printable(program)));
  else if (std::all_of(files.begin(), files.end(), [](const ReportedFile& file) { return file.path.empty(); }))
    say(text("{}: no capture was written: it could not be created", printable(program)));
}

Ended own_end(int status) {
  Ended ended;
  ended.status = status;
  return ended;
}

// How the program ended; where it ended well, the status of its replays, or why it was not started. Adds a verdict
// for each replay.
Result<Ended> record(const Options& options, std::vector<player::Verdict>& verdicts) {
  const auto resolved = output_pattern(options.output);
  if (!resolved) return tl::unexpected(resolved.error());
  const std::string& pattern = *resolved;
  RONDO_TRY(check_output(pattern));
  const auto existed = there_already(pattern, options.force);
  if (!existed) return tl::unexpected(existed.error());
  const auto layer = find_layer();
  if (!layer) return tl::unexpected(layer.error());
  const Checked checked = check_program(options.program[0], Starter::this_process());
  if (checked.refusal) return own_end(refuse(*checked.refusal));
  const auto doors = doors_for(options, *layer, place_for_shim(checked));
  if (!doors) return tl::unexpected(doors.error());
  if (*existed && options.force && ::unlink(pattern.c_str()) != 0)
    return fail(Status::usage, text("{}: {}", printable(pattern), std::strerror(errno)));
  Report reported;
  const auto ended = run_and_list(options, *doors, pattern, reported);
  if (!ended) return tl::unexpected(ended.error());
  if (ended->exec_error != 0)
    return own_end(
        refuse({ended->exec_error, text("{}: {}", printable(options.program[0]), exec_error_text(ended->exec_error))}));
  std::vector<Capture> captures;
  if (*existed && !options.force && !reported.files.empty() && !reported.files[0].path.empty() &&
      reported.files[0].path != pattern)
    say(text("{}: existed and stays; this capture is {} (--force replaces the old one)", printable(shown_path(pattern)),
             printable(shown_path(reported.files[0].path))));
  std::vector<Closed> closed;
  for (const ReportedFile& file : reported.files)
    if (!file.path.empty()) closed.push_back(close_capture(file, *ended));
  if (pattern.find('%') == std::string::npos) give_name_to_work(closed);
  for (Closed& file : closed) {
    report_capture(file, *ended);
    captures.push_back({file.path, std::move(file.summary)});
  }
  say_that_there_is_none(reported, options.program[0]);
  if (options.require_complete && ended->signal == 0 && ended->status == 0) {
    const auto stopped = std::find_if(captures.begin(), captures.end(), [](const Capture& capture) {
      return !capture.summary || capture.summary->stopped;
    });
    if (stopped != captures.end())
      say(text("{}: is not complete (--require-complete)", printable(shown_path(stopped->path))));
    if (stopped != captures.end() || captures.size() != reported.files.size() || captures.empty() ||
        reported.lacks_entries)
      return own_end(kLauncherError);
  }
  if (!options.replay && !options.verify) return *ended;
  const int status = replay(captures, options, verdicts);
  return ended->signal == 0 && ended->status == 0 ? own_end(status) : *ended;
}

}  // namespace

Result<int> run_capture(Arguments args) {
  Options options;
  const auto parsed = parse(args, options);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  std::vector<player::Verdict> verdicts;
  const auto ended = record(options, verdicts);
  const auto written = write_junit(options, std::move(verdicts));
  if (!ended) return tl::unexpected(ended.error());
  if (written) return end_like(*ended);
  say(written.error().message);
  return ended->signal == 0 && ended->status == 0 ? kLauncherError : end_like(*ended);
}

}  // namespace rondo::analyzers
