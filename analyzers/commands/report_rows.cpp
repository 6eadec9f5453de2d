// SPDX-License-Identifier: Apache-2.0
#include "analyzers/commands/report_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analyzers/analysis/profile_rows.h"
#include "analyzers/analysis/rows.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

constexpr std::size_t kMostItems = 20'000, kMostGroups = 500, kMostFrames = 20'000;

std::string duration(double ns) { return duration_text(static_cast<std::uint64_t>(ns)); }

// The groups of a profile's items: the sum of their medians.
void add_groups(ReportRows& rows, const ReportParts& parts) {
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
void add_sentences(ReportRows& rows, const ReportParts& parts) {
  const std::string file = file_word(parts.file);
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
  if (!parts.sync.sentence.empty()) rows.sentence(parts.sync.sentence, text("rondo sync {}", file));
  for (const ReportSection* const section : {&parts.gaps, &parts.waves, &parts.memory})
    if (!section->sentence.empty()) rows.sentence(section->sentence, section->command);
}

void add_facts(ReportRows& rows, const ReportParts& parts) {
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
}

// The work graph of a frame.
void add_order(ReportRows& rows, const ReportParts& parts) {
  const ReportOrder& order = parts.order;
  rows.lines() += order.lines;
  rows.add("order", [&](JsonWriter& json) {
    json.field("frame", order.frame);
    json.field("frames", parts.info.frames);
    json.field("choice", order.choice);
    json.field("items", order.items);
    json.field("shown", order.shown);
    json.field("edges", order.edges);
    json.field("drawn", order.drawn);
    json.field("outside", order.outside);
    json.field("longest", order.longest);
    json.field("notes", order.notes);
    json.field("error", order.error);
    json.field("command",
               text("rondo graph {}{}", parts.info.frames == 0 ? std::string() : text("--frames {} ", order.frame),
                    file_word(parts.file)));
  });
}

void add_sync(ReportRows& rows, const ReportParts& parts) {
  rows.lines() += parts.sync.lines;
  if (!parts.sync.error.empty())
    rows.add("sync_summary", [&](JsonWriter& json) {
      json.field("error", parts.sync.error);
      json.field("command", text("rondo sync {}", file_word(parts.file)));
    });
}

void add_section(ReportRows& rows, const char* name, const ReportSection& section, const std::string& span) {
  rows.lines() += section.lines;
  rows.add(name, [&](JsonWriter& json) {
    json.field("command", section.command);
    if (!span.empty()) json.field("span", span);
    json.field("notes", section.notes);
    json.field("error", section.error);
  });
}

}  // namespace

std::string file_word(const std::string& file) { return shell_word((file.starts_with('-') ? "./" : "") + file); }

void add_report_rows(ReportRows& rows, const ReportParts& parts) {
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
  add_order(rows, parts);
  add_sync(rows, parts);
  for (const auto& [frame, png] : parts.pictures.encoded())
    rows.add("picture", [&, frame = frame, &png = png](JsonWriter& json) {
      json.field("frame", frame);
      json.field("png", png);
    });
  add_section(rows, "gaps", parts.gaps, parts.span);
  add_section(rows, "waves", parts.waves, parts.span);
  add_section(rows, "memory", parts.memory, {});
  add_facts(rows, parts);
  for (const HiddenThing& hidden : parts.info.hidden)
    rows.add("hidden", [&](JsonWriter& json) {
      json.field("name", hidden.name);
      json.field("reason", hidden.reason);
      json.field("asked", hidden.asked);
    });
}

}  // namespace rondo::analyzers
