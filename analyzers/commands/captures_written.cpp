// SPDX-License-Identifier: Apache-2.0
#include "analyzers/commands/captures_written.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "analyzers/commands/commands.h"
#include "analyzers/commands/cut.h"
#include "analyzers/launch/replayable.h"
#include "analyzers/options/file_arguments.h"
#include "analyzers/options/trust_arguments.h"
#include "analyzers/read/capture_info.h"
#include "analyzers/read/undated_writes.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

// Records that are held against what a player replays while the user waits: half a second's.
constexpr std::uint64_t kRecordsHeld = 500'000;

std::string how_it_ended(const Ended& ended, pid_t pid) {
  if (pid != ended.pid) return "its process died: finished";
  if (ended.signal != 0) return text("{}: finished", signal_name(ended.signal));
  return "left without closing it: finished";
}

// The cut that the capture asks for. Returns what the file's line says of it; else the file is whole, and a
// line of its own says why.
std::string cut(const std::string& path, Summary& summary) {
  const auto request = requested_cut(path);
  if (!request || !*request) return {};
  const SpanRequest& wanted = **request;
  const std::string shown = shown_path(path);
  const auto left_whole = [&](const std::string& why, std::uint64_t last) {
    std::string line = text("{}: left whole, not cut to {}: {}", printable(shown), wanted.text(), why);
    std::string allowing;
    for (const std::string& word : allowing_files_of(path)) allowing += printable(word) + ' ';
    if (wanted.first < last)
      line += text("; `rondo trim --frames {}:{} {}{} -o OUT` cuts it", wanted.first, last, allowing, printable(shown));
    say(line);
    return std::string();
  };
  if (summary.frames < wanted.last)
    return left_whole(text("it has {}", plural(summary.frames, "frame")), summary.frames);
  if (const auto done = perform_cut(path, wanted); !done) return left_whole(done.error().message, wanted.last);
  if (const auto now = summarize(path)) summary = *now;
  return text(" (cut to {})", wanted.text());
}

// `last_record`: the highest number in it.
void say_if_not_replayable(const std::string& path, std::uint64_t last_record) {
  const std::string shown = printable(shown_path(path));
  const std::string why = why_not_replayable(path, {.just_recorded = true, .until = kRecordsHeld});
  if (!why.empty())
    say(text("{}: cannot be replayed: {}", shown, printable(why)));
  else if (last_record > kRecordsHeld)
    say(text("{}: only its first {} were held against what can be replayed: rondo info looks at all", shown,
             plural(kRecordsHeld, "record")));
}

}  // namespace

Closed close_capture(const ReportedFile& file, const Ended& ended) {
  Closed closed{file.pid, file.path, false, std::nullopt};
  const auto finished = finish_capture(file.path, file.pid == ended.pid ? ended.signal : 0);
  if (!finished) {
    say(finished.error().message);
    return closed;
  }
  closed.by_us = *finished;
  auto summary = summarize(file.path);
  if (summary)
    closed.summary = std::move(*summary);
  else
    say(summary.error().message);
  return closed;
}

void give_name_to_work(std::vector<Closed>& all) {
  const auto has_work = [](const Closed& one) { return one.summary && one.summary->submits != 0; };
  const auto work = std::find_if(all.begin(), all.end(), has_work);
  if (all.empty() || work == all.end() || work == all.begin() || !all[0].summary) return;
  const std::filesystem::path chosen = all[0].path;
  const std::string apart =
      (chosen.parent_path() / text("{}-{}{}", chosen.stem().string(), all[0].pid, chosen.extension().string()))
          .string();
  // If the name is taken, nothing is renamed, so no file is lost.
  if (::renameat2(AT_FDCWD, chosen.c_str(), AT_FDCWD, apart.c_str(), RENAME_NOREPLACE) != 0) return;
  if (::renameat2(AT_FDCWD, work->path.c_str(), AT_FDCWD, chosen.c_str(), RENAME_NOREPLACE) != 0) {
    ::renameat2(AT_FDCWD, apart.c_str(), AT_FDCWD, chosen.c_str(), RENAME_NOREPLACE);
    return;
  }
  all[0].path = apart;
  work->path = chosen.string();
  say(text("{}: is of process {}, which submits work; process {} began first and submitted none: {}",
           printable(shown_path(work->path)), work->pid, all[0].pid, printable(shown_path(apart))));
}

void report_capture(Closed& file, const Ended& ended) {
  if (!file.summary) return;
  Summary& summary = *file.summary;
  trust_written(file.path);
  const std::string cut_to = cut(file.path, summary);
  if (!cut_to.empty()) trust_written(file.path);  // it is another file
  std::string line = summary_line(shown_path(file.path), summary) + cut_to;
  if (file.by_us) line += text(" ({})", how_it_ended(ended, file.pid));
  say(line);
  if (const std::string hidden = hidden_sentence(summary.hidden, summary.made_device); !hidden.empty())
    say(text("{}: {}", printable(shown_path(file.path)), printable(hidden)));
  if (summary.unsure_ends)
    if (const auto undated = count_undated_writes(file.path); undated && *undated != 0)
      say(
          text("{}: {} may have been made before or after the end of work that uses the bytes, for which the "
               "program did not wait: a replay may be wrong there (`player --verify` says so where the capture "
               "has checkpoints)",
               printable(shown_path(file.path)), plural(*undated, "host write")));
  const std::string missing = file.by_us ? missing_data(file.path) : "";
  if (!missing.empty())
    say(missing);
  else
    say_if_not_replayable(file.path, cut_to.empty() ? summary.last_record : 0);  // a cut is small
}

}  // namespace rondo::analyzers
