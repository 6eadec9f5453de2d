// SPDX-License-Identifier: Apache-2.0
// rondo report: what a capture does and where its time goes, as one page that needs nothing else.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <map>

#include "analyzers/analysis/profile_rows.h"
#include "analyzers/analysis/report_data.h"
#include "analyzers/analysis/rows.h"
#include "analyzers/analysis/work_walk.h"
#include "analyzers/commands/commands.h"
#include "analyzers/commands/report_pictures.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/loop_arguments.h"
#include "analyzers/read/capture_info.h"
#include "analyzers/report_page.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "format/needed_files.h"
#include "format/new_file.h"
#include "player/interrupt.h"

namespace rondo::analyzers {

namespace {

constexpr std::size_t kMostItems = 20'000, kMostGroups = 500, kMostFrames = 20'000;
// of a capture that is profiled whole; of a larger one
constexpr std::uint64_t kMostSubmits = 2'000, kFirstSubmit = 100;

// The rows of the page, a JSON object each.
class Rows {
 public:
  template <class Fill>
  void add(const char* row, Fill&& fill) {
    JsonWriter json(out_);
    json.begin_object();
    json.field("row", row);
    fill(json);
    json.end_object();
    out_ += '\n';
  }
  void sentence(const std::string& words, const std::string& command) {
    add("sentence", [&](JsonWriter& json) {
      json.field("text", words);
      if (!command.empty()) json.field("command", command);
    });
  }
  void fact(const char* name, const std::string& words) {
    add("fact", [&](JsonWriter& json) {
      json.field("name", name);
      json.field("text", words);
    });
  }
  std::string& lines() { return out_; }

  // One JSON array, that ends no element of the page.
  std::string array() const {
    std::string out = "[";
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (out_[i] == '<')
        out += "\\u003c";
      else if (out_[i] == '\n')
        out += i + 1 < out_.size() ? ",\n" : "";
      else
        out += out_[i];
    }
    return out + "]";
  }

 private:
  std::string out_;
};

std::string duration(double ns) { return duration_text(static_cast<std::uint64_t>(ns)); }

std::string words_of(const SpanRequest& span) {
  switch (span.kind) {
    case SpanRequest::Kind::frames:
      return text("--frames {}:{} ", span.first, span.last);
    case SpanRequest::Kind::submits:
      return text("--submits {}:{} ", span.first, span.last);
    case SpanRequest::Kind::scope:
      return "--scope " +
             shell_word(span.name + (span.occurrence ? "#" + std::to_string(*span.occurrence) : std::string())) + " ";
    case SpanRequest::Kind::whole:
    case SpanRequest::Kind::records:
      break;
  }
  return {};
}

struct ReportParts {
  const std::string& file;
  const CaptureInfo& info;
  const ReportData& data;
  const WorkWalk& work;
  const std::string& span;        // that was played
  const std::string span_words;   // what was played, and how: "--frames 7:8 --device 1 ", as options; empty: all of it
  const Profile* profile;         // null: nothing was played, …
  const std::string& no_profile;  // … for this reason
  const FramePictures& pictures;
};

// The groups of a profile's items: the sum of their medians.
void add_groups(Rows& rows, const ReportParts& parts) {
  const Profile& p = *parts.profile;
  for (const GroupBy by : {GroupBy::pipeline, GroupBy::shader, GroupBy::label, GroupBy::pass, GroupBy::kind}) {
    struct Group {
      double median = 0;
      std::uint64_t n = 0, bytes = 0;
    };
    std::map<std::string, Group> groups;
    double sum = 0;
    const auto add = [&](const std::string& key, const ProfileRow& row) {
      Group& group = groups[key];
      group.median += row.median;
      group.n += 1;
      if (__builtin_add_overflow(group.bytes, row.bytes, &group.bytes)) group.bytes = UINT64_MAX;
    };
    for (const ProfileRow& row : p.rows) {
      const WorkItem& item = p.items[row.item];
      sum += row.median;
      if (by == GroupBy::pass && !item.is_pass) continue;
      if (by == GroupBy::label && item.label_path != 0) {  // a label has the times of the labels in it, too
        std::string path;
        for (const std::string_view label : parts.work.labels(item.label_path)) {
          path += (path.empty() ? "" : "/") + printable(label);
          add(path, row);
        }
        continue;
      }
      const bool of_pipelines = by == GroupBy::pipeline || by == GroupBy::shader;
      const std::string key = of_pipelines && item.has_several_pipelines        ? "render passes of several pipelines"
                              : of_pipelines && item.is_pass && item.draws == 0 ? "render passes without draws"
                                                                                : key_of(parts.work, item, by);
      add(key, row);
    }
    std::vector<std::pair<std::string, Group>> sorted(groups.begin(), groups.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.median > b.second.median; });
    if (sorted.size() > kMostGroups) sorted.resize(kMostGroups);
    for (const auto& [name, group] : sorted)
      rows.add("group", [&, &name = name, &group = group](JsonWriter& json) {
        json.field("by", name_of(by));
        json.field("item", name);
        json.field("n", group.n);
        json.key("median_ns");
        json.floating_value(group.median);
        json.key("share");
        json.floating_value(sum > 0 ? group.median / sum : 0);
        json.field("bytes", group.bytes);
      });
  }
}

// What a reader wants to know first, and the command that shows more.
void add_sentences(Rows& rows, const ReportParts& parts) {
  const std::string file = shell_word((parts.file.starts_with('-') ? "./" : "") + parts.file);
  const std::string span = parts.span_words + file;
  const CaptureInfo& info = parts.info;
  std::string device = info.devices.empty() ? "an unknown device" : info.devices.front().name;
  rows.sentence(text("It makes {}, {} and {} on {}.", plural(info.calls, "call"), plural(info.submits, "submit"),
                     plural(info.frames, "frame"), device),
                text("rondo info {}", file));
  if (parts.profile != nullptr && !parts.profile->rows.empty()) {
    const Profile& p = *parts.profile;
    for (const std::string& one : p.replaced) rows.sentence(one + ".", "");
    const ProfileRow& longest = p.rows.front();
    double sum = 0;
    for (const ProfileRow& row : p.rows) sum += row.median;
    if (p.of_host) {
      rows.sentence(text("No item can be timed on this device; the longest submit takes {}.", duration(longest.median)),
                    text("rondo profile {}", span));
    } else {
      const WorkItem& item = p.items[longest.item];
      std::string what = item.is_pass ? text("render pass {}:{}", item.submit, item.pass)
                                      : text("{} ({})", draw_text(item), codec::info(item.command).name);
      if (item.pipeline != ObjectId::null) what += ", " + parts.work.name(item.pipeline);
      if (const std::string label = parts.work.label_text(item.label_path); !label.empty()) what += ", label " + label;
      rows.sentence(text("In {}, the items of the device take {} together; the longest is {}: {}, {:.1f} %.",
                         parts.span, duration(sum), what, duration(longest.median), 100 * longest.share),
                    text("rondo profile --top 20 {}", span));
      std::string total =
          text("With timestamps around {} the span takes {:.1f} % {} than without", plural(p.timed, "item"),
               100 * std::abs(p.perturbation()), p.perturbation() < 0 ? "less" : "more");
      if (is_noisy(p))
        total +=
            "; the iterations differ much: the machine did other things meanwhile, so go by the minima, or play more "
            "(--loop 50)";
      if (p.timed < p.chosen) append(total, "; {} could not be timed", plural(p.chosen - p.timed, "item"));
      rows.sentence(total + ".", text("rondo profile --mode isolated {}", span));
    }
  } else {
    rows.sentence(text("How long the device works is not in this page: {}.", parts.no_profile),
                  text("rondo profile {}", file));
  }
  if (const std::uint64_t native = parts.data.last_ns - parts.data.first_ns; parts.data.timed_calls != 0 && native != 0)
    rows.sentence(text("The program's own threads waited {} for the device, the presentation engine or an image, in a "
                       "capture of {}.",
                       duration(static_cast<double>(parts.data.waited_ns)), duration(static_cast<double>(native))),
                  text("rondo info --submits --times {}", file));
  if (info.frame_rows.size() > 2) {
    std::vector<double> durations;
    for (const FrameRow& frame : info.frame_rows)
      if (frame.number != 0 && frame.end_ns > frame.start_ns)
        durations.push_back(static_cast<double>(frame.end_ns - frame.start_ns));
    if (!durations.empty()) {
      const auto spread = player::spread_of(std::move(durations));
      rows.sentence(
          text("A frame took {} (median), and 95 % of them at most {}.", duration(spread.median), duration(spread.p95)),
          text("rondo info --frames --times {}", file));
    }
  }
  rows.sentence(text("At most {} of device memory are allocated at one time, after record {}.",
                     size_text(parts.data.peak_bytes), parts.data.peak_record),
                text("rondo dump --grep 'vk(Allocate|Free)Memory' {}", file));
}

void add_facts(Rows& rows, const ReportParts& parts) {
  const CaptureInfo& info = parts.info;
  for (const DeviceRow& device : info.devices)
    rows.fact("captured device",
              text("{}, {}, driver {}, Vulkan {}", device.name, device.type, device.driver, device.api_version));
  if (parts.profile != nullptr) {
    const Profile& p = *parts.profile;
    rows.fact("timed", text("{}, {}", parts.span, plural(p.iterations, "iteration")));
    for (const std::string& device : p.devices) rows.fact("replayed on", device);
    if (!p.of_host)
      rows.fact("clock", text("a tick is {:.3g} ns; items below {:.3g} ns say little", p.timer, kFewTicks * p.timer));
    if (p.repeated != 0)
      rows.fact("not timed",
                text("{} in secondaries that one command buffer executes more than once", plural(p.repeated, "item")));
    if (const std::uint64_t others = p.chosen - p.timed - p.repeated; others != 0 && !p.of_host)
      rows.fact("not timed", text("{}: their queue has no timestamps, their device is made in the span, or their "
                                  "submits take no more command buffers",
                                  plural(others, "item")));
    const auto unknown = static_cast<std::uint64_t>(
        std::count_if(p.items.begin(), p.items.end(), [](const WorkItem& item) { return item.bytes_unknown; }));
    if (unknown != 0)
      rows.fact("bytes not known",
                text("{} may touch more than the page says: rondo accesses says why", plural(unknown, "item")));
  } else {
    rows.fact("device's time", parts.no_profile);
  }
  if (!info.complete) rows.fact("the capture is cut", info.cut_reason);
  if (info.ambiguous != 0) rows.fact("host writes", text("{} may be the device's", count_text(info.ambiguous)));
  if (parts.pictures.encoded().empty())
    rows.fact("pictures", parts.profile == nullptr ? "none: the capture was not played"
                                                   : "none: no image is presented in the span");
  else
    rows.fact("pictures", text("presented images of {}, {} apart", plural(parts.pictures.encoded().size(), "frame"),
                               plural(parts.pictures.step(), "frame")));
  rows.fact("not in this page", "barriers and waits between items, what could be removed");
}

void add_rows(Rows& rows, const ReportParts& parts) {
  add_sentences(rows, parts);
  if (parts.profile != nullptr && !parts.profile->of_host) {
    const Profile& p = *parts.profile;
    for (std::size_t i = 0; i < std::min(kMostItems, p.rows.size()); ++i)
      append_time_row(rows.lines(), parts.work, p, GroupBy::none, p.rows[i]);
    add_groups(rows, parts);
  }
  for (const HostCall& call : parts.data.calls)
    rows.add("call", [&](JsonWriter& json) {
      json.field("record", call.record);
      json.field("thread", call.thread);
      json.field("command", call.command->name);
      json.field("start_ns", call.start_ns - parts.data.first_ns);
      json.field("end_ns", call.end_ns - parts.data.first_ns);
    });
  for (std::size_t i = 0; i < std::min(kMostFrames, parts.info.frame_rows.size()); ++i) {
    const FrameRow& frame = parts.info.frame_rows[i];
    if (frame.number == 0 || frame.end_ns <= frame.start_ns) continue;  // the first one holds the start of the program
    rows.add("frame", [&](JsonWriter& json) {
      json.field("frame", frame.number);
      json.field("duration_ns", frame.end_ns - frame.start_ns);
      json.field("submits", frame.submits);
      json.field("commands", frame.commands);
      json.field("calls", frame.calls);
    });
  }
  for (const auto& [frame, png] : parts.pictures.encoded())
    rows.add("picture", [&, frame = frame, &png = png](JsonWriter& json) {
      json.field("frame", frame);
      json.field("png", png);
    });
  for (const MemoryPoint& point : parts.data.memory)
    rows.add("memory", [&](JsonWriter& json) {
      json.field("record", point.record);
      json.field("bytes", point.bytes);
      json.field("allocations", point.allocations);
    });
  add_facts(rows, parts);
  for (const HiddenThing& hidden : parts.info.hidden)
    rows.add("hidden", [&](JsonWriter& json) {
      json.field("name", hidden.name);
      json.field("reason", hidden.reason);
      json.field("asked", hidden.asked);
    });
}

std::string page_of(const std::string& rows) {
  std::string page(report_page::html);
  for (const auto& [mark, content] : {std::pair<std::string_view, std::string_view>{"@STYLE@", report_page::css},
                                      {"@SCRIPT@", report_page::js},
                                      {"@ROWS@", rows}}) {
    const std::size_t at = page.find(mark);
    page.replace(at, mark.size(), content);
  }
  return page;
}

// A new page is as private as its capture, of which it has names and pictures.
Result<void> write_page(const std::string& path, const std::string& page, const std::string& capture) {
  auto made = NewFile::create(path, capture);
  if (!made) return tl::unexpected(made.error());
  std::size_t done = 0;
  while (done < page.size()) {
    const ssize_t written = ::write(made->file().descriptor(), page.data() + done, page.size() - done);
    if (written < 0 && errno != EINTR) return made->failure(errno);
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  return made->keep();
}

// The whole of a small capture; of a large one submits near its begin, after the program's start: what comes before a
// span is played, too.
SpanRequest span_of_report(const SpanRequest& asked, const CaptureInfo& info) {
  if (asked.kind != SpanRequest::Kind::whole || info.submits <= kMostSubmits) return asked;
  const std::uint64_t first = std::min(kFirstSubmit, info.submits - kMostSubmits);
  return {SpanRequest::Kind::submits, first, first + kMostSubmits, {}, {}};
}

}  // namespace

Result<int> run_report(Arguments args) {
  ProfileWanted wanted;
  std::string output;
  bool no_replay = false;
  LoopArguments loop(3);
  Cli cli(
      "rondo report",
      "Writes one page about a capture, for a browser: what it does, where the time of the device goes, what the host\n"
      "waits for, and how much memory it has. The page needs no network and no other file. The span is played for it,\n"
      "on a device, as by rondo profile.");
  cli.value("-o,--output", "PAGE.html", "where the page goes", output);
  cli.flag("--no-replay", "touch no device: without the times of the device", no_replay);
  loop.add_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  const std::string& file = loop.file();
  if (file.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
  if (output.empty()) return fail(Status::usage, "-o PAGE.html is required (see rondo report --help)");
  if (std::error_code unknown; std::filesystem::equivalent(file, output, unknown))
    return fail(Status::usage, text("{}: -o names the capture itself: name another file", printable(output)));
  const NamedOutput named{NamedOutput::Kind::file, output, file};
  auto replay = loop.replay("rondo report", {named});
  if (!replay) return tl::unexpected(replay.error());
  wanted.replay = std::move(*replay);
  const SpanRequest asked = wanted.replay.span;

  auto walk = Walk::open(file);
  if (!walk) return tl::unexpected(walk.error());
  RONDO_TRY(spare_needed_files(walk->reader(), std::span(&named, 1)));
  const CaptureInfo info = gather(*walk, InfoWanted{false, true, false, false});
  RONDO_TRY(walk->rewind());
  const ReportData data = gather_report_data(*walk);
  auto work = WorkWalk::open(file);
  if (!work) return tl::unexpected(work.error());
  std::optional<Profile> profiled;
  std::string why = "--no-replay was given";
  wanted.replay.span = span_of_report(asked, info);
  FramePictures pictures(wanted.replay.span, info.frames);
  if (!no_replay) {
    pictures.take_from(wanted.replay);
    auto found = profile(*work, wanted);
    if (found)
      profiled = std::move(*found);
    else if (player::Interrupt::signal() != 0 ||
             (asked.kind != SpanRequest::Kind::whole && found.error().status == Status::usage))
      return tl::unexpected(found.error());  // the span is not there
    else
      why = found.error().message;
  }

  Rows rows;
  const std::string program =
      info.session.string("/process/program").value_or(info.session.string("/application/name").value_or("a capture"));
  RONDO_TRY(append_head(rows.lines(), "report", *work, [&](JsonWriter& json) {
    json.field("program", program);
    json.field("device", info.devices.empty()
                             ? std::string("an unknown device")
                             : text("{} ({})", info.devices.front().name, info.devices.front().driver));
    json.field("timed_calls", data.timed_calls);
    json.field("items", std::uint64_t{profiled ? profiled->rows.size() : 0});
    json.field("iterations", std::uint64_t{profiled ? profiled->iterations : 0});
    json.field("span", wanted.replay.span.text());
  }));
  const std::string span = wanted.replay.span.text();
  add_rows(rows, {file, info, data, *work, span, words_of(wanted.replay.span) + loop.replay_words(),
                  profiled ? &*profiled : nullptr, why, pictures});
  const std::string page = page_of(rows.array());
  RONDO_TRY(write_page(output, page, file));
  Output out;
  out.line(text("{}: {}{}", printable(output), size_text(page.size()),
                profiled ? "" : text(", without the device's times: {}", why)));
  RONDO_TRY(out.finish());
  RONDO_TRY(walk->intact());
  return 0;
}

}  // namespace rondo::analyzers
