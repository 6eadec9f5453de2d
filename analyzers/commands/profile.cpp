// SPDX-License-Identifier: Apache-2.0
// rondo profile: how long a device works at each draw, dispatch, copy and render pass of a span.
#include "analyzers/analysis/profile.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "analyzers/analysis/profile_counters.h"
#include "analyzers/analysis/profile_rows.h"
#include "analyzers/analysis/profile_statistics.h"
#include "analyzers/analysis/rows.h"
#include "analyzers/commands/commands.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/job_argument.h"
#include "analyzers/options/loop_arguments.h"
#include "analyzers/options/span_arguments.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "format/file_digest.h"

namespace rondo::analyzers {

namespace {

constexpr std::size_t kShown = 30;  // rows of text, unless --top asks for others
constexpr double kMuchPerturbation = 0.05;

std::string time_text(double ns) {
  if (ns < 1e3) return text("{:.0f} ns", ns);
  if (ns < 1e6) return text("{:.2f} us", ns * 1e-3);
  return text("{:.3f} ms", ns * 1e-6);
}

struct Shown {
  const WorkWalk& work;
  const Profile& profile;
  const ProfileWanted& wanted;
};

void append_item(std::string& out, const Shown& shown, const ProfileRow& row) {
  if (shown.profile.of_host || !row.group.empty()) {
    append(out, "{}", row.group);
    if (row.items > 1) append(out, ", {}", plural(row.items, "item"));
    return;
  }
  const WorkItem& item = shown.profile.items[row.item];
  append(out, "{} {}", item_words(item), codec::info(item.command).name);
  const auto part = [&](const std::string& words) {
    if (!words.empty()) append(out, "; {}", words);
  };
  if (item.is_pass) part(plural(item.draws, "draw"));
  part(counts_text(item));
  if (item.pipeline != ObjectId::null) part(printable(shown.work.name(item.pipeline)));
  part(shaders_text(shown.work, item.pipeline));
  part(shown.work.label_text(item.label_path));
  if (row.items > 1) part(text("{} to record {}", plural(row.items, "item"), shown.profile.items[row.last].record));
}

const char* word_of(ProfileMode mode) {
  switch (mode) {
    case ProfileMode::natural:
      return "natural";
    case ProfileMode::waves:
      return "waves";
    case ProfileMode::isolated:
      return "isolated";
  }
  return "";
}
const char* text_of_mode(ProfileMode mode) {
  switch (mode) {
    case ProfileMode::natural:
      return "natural: no barrier is added, and work overlaps";
    case ProfileMode::waves:
      return "waves: no barrier is added; a row has what the program's own synchronization separates";
    case ProfileMode::isolated:
      return "isolated: a barrier before and after each item";
  }
  return "";
}

void append_totals(std::string& out, const Shown& shown) {
  const Profile& p = shown.profile;
  const auto both = [&](double without, double with) {
    append(out, "{} without timestamps around items, {} with: {:+.1f} %\n", time_text(1e9 * without),
           time_text(1e9 * with), 100 * p.perturbation());
  };
  append(out, "{} of {} timed, medians of {}\n", count_text(p.timed),
         plural(p.chosen, shown.wanted.mode == ProfileMode::waves && !p.of_host ? "group" : "item"),
         plural(p.iterations, "iteration"));
  if (p.of_host) {
    out += "no item could be timed on this device: the rows are submits, in the host's time\n";
    if (shown.wanted.statistics || !shown.wanted.counters.empty())
      out += "submits have no statistics and no counters\n";
    return;
  }
  if (const std::uint64_t others = p.chosen - p.timed - p.repeated; others != 0)
    append(out,
           "{} not timed: their queue has no timestamps, their device is made in the span, or their submits take no "
           "more command buffers\n",
           plural(others, "item"));
  if (shown.wanted.mode == ProfileMode::isolated)
    append(out, "{} for each pair of timestamps and barriers are taken off\n", time_text(p.cost));
  if (p.repeated != 0)
    append(out,
           "{} in command buffers that one command buffer executes more than once: they have no times of their own\n",
           plural(p.repeated, "item"));
  out += p.device_without && p.device_with ? "the device's work: " : "first submit to last wait, on the host: ";
  if (p.device_without && p.device_with)
    both(*p.device_without, *p.device_with);
  else
    both(p.host_without, p.host_with);
  if (is_noisy(p))
    out +=
        "the iterations differ much: the machine did other things meanwhile, so compare minima, or play more (--loop "
        "50)\n";
  else if (p.perturbation() > kMuchPerturbation && shown.wanted.mode == ProfileMode::natural)
    out += "the timestamps themselves cost more than 5 %: compare rows with one another, and not with the total\n";
  out += statistics_totals(p);
  out += counters_totals(p);
}

void append_text(std::string& out, const Shown& shown) {
  const Profile& p = shown.profile;
  for (const std::string& one : p.replaced) append(out, "{}\n", printable(one));
  for (const std::string& device : p.devices)
    append(out, "{}, {}\n", printable(device), text_of_mode(shown.wanted.mode));
  append(out, "{:>7} {:>11} {:>11} {:>11} {:>8}{}{}  {}\n", "share", "median", "min", "p95", "GB/s",
         statistics_heading(p), counters_heading(p), "item");
  for (const ProfileRow& row : p.rows) {
    append(out, "{:>5.1f} % {:>11} {:>11} {:>11} {:>8}{}{}  ", 100 * row.share,
           (row.below_timer ? "~" : "") + time_text(row.median), time_text(row.min), time_text(row.p95),
           row.bytes != 0 && row.median > 0 ? text("{:.1f}", bandwidth(row)) : std::string("-"),
           statistics_columns(p, row), counters_columns(p, row));
    append_item(out, shown, row);
    out += '\n';
  }
  if (p.rows.size() < p.row_count)
    append(out, "… {} more: --top N shows N rows\n", count_text(p.row_count - p.rows.size()));
  append_totals(out, shown);
}

Result<void> write_devices(Output& out, WorkWalk& work, const std::string& job, const std::vector<std::string>& devices,
                           const std::function<void(JsonWriter&)>& more) {
  return write_head(out, work, {"profile", job, devices, [&](JsonWriter& json) {
                                  json.key("devices");
                                  json.begin_array();
                                  for (const std::string& device : devices) json.string(device);
                                  json.end_array();
                                  more(json);
                                }});
}

Result<void> write_json(Output& out, const Shown& shown, WorkWalk& work, const std::string& job) {
  const Profile& p = shown.profile;
  RONDO_TRY(write_devices(out, work, job, p.devices, [&](JsonWriter& json) {
    if (!p.replaced.empty()) {
      json.key("replaced");
      json.begin_array();
      for (const std::string& one : p.replaced) json.string(one);
      json.end_array();
    }
    write_counters_head(json, p);
    json.field("mode", word_of(shown.wanted.mode));
    json.field("span", shown.wanted.replay.span.text());
    json.field("iterations", std::uint64_t{p.iterations});
    json.key("timer_ns");
    json.floating_value(p.timer);
    if (shown.wanted.mode == ProfileMode::isolated) {
      json.key("cost_ns");
      json.floating_value(p.cost);
    }
  }));
  std::string line;
  for (const ProfileRow& row : p.rows) {
    append_time_row(line, work, p, shown.wanted.by, row, shown.wanted.mode);
    out.write(line);
    line.clear();
  }
  JsonWriter json(line);
  json.begin_object();
  json.field("row", "summary");
  json.field("items", p.chosen);
  json.field("timed", p.timed);
  json.field("repeated", p.repeated);
  json.field("shown", std::uint64_t{p.rows.size()});
  const auto number = [&](const char* name, double value) {
    json.key(name);
    json.floating_value(value);
  };
  if (p.device_without) number("device_without_ns", 1e9 * *p.device_without);
  if (p.device_with) number("device_with_ns", 1e9 * *p.device_with);
  number("host_without_ns", 1e9 * p.host_without);
  number("host_with_ns", 1e9 * p.host_with);
  number("perturbation", p.perturbation());
  write_statistics_summary(json, p);
  write_counters_summary(json, p);
  json.field("too_many", p.totals.too_many);
  if (!p.totals.cut.empty()) json.field("cut", p.totals.cut);
  json.end_object();
  out.write(line += '\n');
  return {};
}

}  // namespace

// "a,b": the names of counters.
Result<std::vector<std::string>> parse_counters(const std::optional<std::string>& words) {
  std::vector<std::string> names;
  if (!words) return names;
  for (std::size_t begin = 0; begin <= words->size();) {
    const std::size_t end = std::min(words->find(',', begin), words->size());
    if (end == begin) return fail(Status::usage, "--counters takes names with commas between them, or all");
    names.push_back(words->substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

// Prints the counters of the devices that would play the capture.
Result<int> list_counters(player::Options replay, bool as_json, const std::string& job) {
  replay.list_counters = true;
  const player::Outcome played = player::play(replay);
  if (played.status != Status::ok) return tl::unexpected(played.as_error());
  Output out;
  std::string words;
  if (as_json) {
    auto work = WorkWalk::open(replay.file);
    if (!work) return tl::unexpected(work.error());
    const auto walked = work->run(replay.span, WorkWalk::Visit::played, [](std::span<const WorkItem>) { return true; });
    if (!walked) return tl::unexpected(walked.error());
    RONDO_TRY(write_devices(out, *work, job, played.devices, [](JsonWriter&) {}));
    append_counter_rows(words, played.listed_counters);
  } else {
    for (const std::string& device : played.devices) append(words, "{}\n", printable(device));
    words += played.listed_counters.empty() ? "no performance counters (VK_KHR_performance_query)\n"
                                            : counters_table(played.listed_counters);
  }
  out.write(words);
  RONDO_TRY(out.finish());
  return 0;
}

Result<int> run_profile(Arguments args) {
  ProfileWanted wanted;
  std::string format = "text", mode = "natural";
  std::optional<std::string> by, top, counters;
  bool lists_counters = false;
  LoopArguments loop(5);
  Cli cli(
      "rondo profile",
      "Says how long a device works at each draw, dispatch, copy, build and render pass of a capture. Plays the span\n"
      "again and again, on a device, with timestamps around them; and once without, to say what they cost.");
  cli.choice(
      "--mode", {"natural", "waves", "isolated"},
      "natural (default): no barrier is added; waves: likewise, a row for each group of items that the "
      "program's own synchronization separates; isolated: a full barrier before and after each item, for what it "
      "costs alone",
      mode);
  cli.flag("--draws", "also each draw in render passes; on some devices that costs much time", wanted.draws);
  cli.flag("--statistics", "also how often each stage ran (pipeline statistics), in one more replay",
           wanted.statistics);
  cli.value(
      "--counters", "NAMES",
      "also performance counters that have one of NAMES (a comma between them) in their name, or all, in more replays",
      counters);
  cli.flag("--list-counters", "print which counters the device has, and play nothing", lists_counters);
  cli.value("--by", "KEY", "a row for each command (default), kind, pipeline, label, pass, shader, submit or frame",
            by);
  cli.value("--top", "N", "the N longest rows; of text 30 without this", top);
  cli.choice("--format", {"text", "jsonl"}, "of the rows (default text)", format);
  JobArgument job;
  job.add_to(cli);
  loop.add_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  RONDO_TRY(job.check());
  for (const ProfileMode one : {ProfileMode::natural, ProfileMode::waves, ProfileMode::isolated})
    if (mode == word_of(one)) wanted.mode = one;
  if (by) {
    const auto group = parse_group(*by);
    if (!group) return tl::unexpected(group.error());
    wanted.by = *group;
  }
  if (wanted.mode == ProfileMode::waves && (by || wanted.draws || wanted.statistics || counters))
    return fail(Status::usage,
                "--mode waves has groups of its own: leave out --by, --draws, --statistics and --counters");
  const auto shown = parse_count("--top", top, format == "text" ? kShown : SIZE_MAX);
  if (!shown) return tl::unexpected(shown.error());
  auto names = parse_counters(counters);
  if (!names) return tl::unexpected(names.error());
  wanted.counters = std::move(*names);
  auto replay = loop.replay("rondo profile", {});
  if (!replay) return tl::unexpected(replay.error());
  if (lists_counters) return list_counters(std::move(*replay), format == "jsonl", job.name());
  wanted.replay = std::move(*replay);

  auto work = WorkWalk::open(wanted.replay.file);
  if (!work) return tl::unexpected(work.error());
  wanted.top = *shown;
  const auto found = profile(*work, wanted);
  if (!found) return tl::unexpected(found.error());
  const Shown rows{*work, *found, wanted};
  Output out;
  if (format == "jsonl") {
    RONDO_TRY(write_json(out, rows, *work, job.name()));
  } else {
    std::string words;
    append_text(words, rows);
    out.write(words);
  }
  RONDO_TRY(out.finish());
  RONDO_TRY(work->walk().intact());
  return 0;
}

}  // namespace rondo::analyzers
