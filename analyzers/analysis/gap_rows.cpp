// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/gap_rows.h"

#include <algorithm>
#include <array>

#include "analyzers/analysis/rows.h"
#include "analyzers/text/text.h"
#include "format/codec/schema.h"

namespace rondo::analyzers {

namespace {

std::string gap_time(double ns) {
  if (ns < 1e3 && ns > -1e3) return text("{:.0f} ns", ns);
  if (ns < 1e6 && ns > -1e6) return text("{:.2f} us", ns * 1e-3);
  return text("{:.3f} ms", ns * 1e-6);
}

std::string_view word_of(GapClock clock) {
  switch (clock) {
    case GapClock::calibrated:
      return "calibrated";
    case GapClock::bounded:
      return "bounded";
    case GapClock::unknown:
      break;
  }
  return "unknown";
}

struct GapRowsOf {
  const WorkNames& names;
  const GapReplay& replay;

  const GapItem& item(std::uint32_t number) const { return replay.work.items[number]; }
  const GapCall* call(std::uint64_t record) const {
    const auto& calls = replay.work.calls;
    const auto found = std::lower_bound(calls.begin(), calls.end(), record,
                                        [](const GapCall& one, std::uint64_t wanted) { return one.record < wanted; });
    return found != calls.end() && found->record == record ? &*found : nullptr;
  }
  std::string call_text(std::uint64_t record) const {
    const GapCall* const one = call(record);
    return one != nullptr && one->command != CommandId::none ? text("{} {}", codec::info(one->command).name, record)
                                                             : text("record {}", record);
  }
  std::string item_text(std::uint32_t number) const {
    const WorkItem& work = item(number).work;
    return text("{} {}@{}", codec::info(work.command).name, work.record, work.submit);
  }
  std::string queue_of_signal(const Gap& gap) const { return names.name(replay.work.batches[gap.signal_batch].queue); }

  std::string host_text(const Gap& gap) const {
    const GapCall* const submit = call(gap.submit);
    const std::string thread = submit != nullptr ? text("thread {}", submit->thread) : std::string("the host");
    const std::string where = gap.call == gap.submit ? std::string("was in that call")
                              : gap.call != 0        ? text("was in {}", call_text(gap.call))
                                                     : std::string("was in the program itself, between calls");
    return text("host: {} had not submitted it; {} {} for {}", call_text(gap.submit), thread, where,
                gap_time(gap.in_call));
  }
  std::string semaphore_text(const Gap& gap) const {
    std::string out = text("semaphore: waits for {}", printable(names.name(gap.semaphore)));
    if (gap.signal_call != 0) return out + text(", which {} signals", call_text(gap.signal_call));
    append(out, " of {}", printable(queue_of_signal(gap)));
    if (gap.signal_item != Gap::kNone) append(out, ", which comes after {}", item_text(gap.signal_item));
    return out;
  }
  std::string cause_text(const Gap& gap) const {
    switch (gap.cause) {
      case GapCause::host:
        return host_text(gap);
      case GapCause::semaphore:
        return semaphore_text(gap);
      case GapCause::barrier:
        return text("barrier: {} {} drains the queue", codec::info(gap.barrier_command).name, gap.barrier);
      case GapCause::start:
        return text("start: nothing holds {} any more; the driver and the device start it", call_text(gap.submit));
      case GapCause::player:
        return gap.is_unpaced ? std::string("player: only a replay that is not paced has it")
                              : text("player: it made {} later than the program did", call_text(gap.submit));
      case GapCause::below_timer:
        return "below timer: too short for the clocks";
      case GapCause::unexplained:
        break;
    }
    return "unexplained";
  }
};

struct GapSum {
  std::uint64_t gaps = 0;
  double ns = 0;
};
using GapSums = std::array<GapSum, kGapCauses.size()>;

GapSums gap_sums_of(const GapReplay& replay) {
  GapSums sums{};
  for (const Gap& gap : replay.gaps.all) {
    GapSum& one = sums[static_cast<std::size_t>(gap.cause)];
    one.gaps += 1;
    one.ns += gap.length;
  }
  return sums;
}

double gap_total(const GapSums& sums) {
  double ns = 0;
  for (const GapSum& one : sums) ns += one.ns;
  return ns;
}

double unpaced_total(const GapReplay& replay) {
  double ns = 0;
  for (const Gap& gap : replay.only_unpaced) ns += gap.length;
  return ns;
}

void append_head_text(std::string& out, const GapReplay& replay) {
  for (const std::string& one : replay.replaced) append(out, "{}\n", printable(one));
  for (const std::string& device : replay.devices) append(out, "{}\n", printable(device));
  if (replay.captured_seconds > 0)
    append(out, "paced: {} in the capture, {} here ({:+.1f} %), the shortest of {}\n",
           gap_time(replay.captured_seconds * 1e9), gap_time(replay.paced_seconds * 1e9),
           100 * (replay.paced_seconds / replay.captured_seconds - 1), plural(replay.iterations, "iteration"));
  else
    out += "not paced: no call of the span has a time in the capture, so what waits for the host is the player's\n";
  if (replay.is_slow())
    out +=
        "more than 5 % longer than the capture: these gaps are of a slower device or machine, not of the program's\n";
  switch (replay.clock) {
    case GapClock::calibrated:
      append(out, "clocks: by calibrated timestamps, at most {} apart\n", gap_time(replay.uncertainty));
      break;
    case GapClock::bounded:
      append(out, "clocks: by submits and waits, at most {} apart\n", gap_time(replay.uncertainty));
      break;
    case GapClock::unknown:
      out += "clocks: nothing relates the device's to the host's, so no gap is said to wait for the host\n";
      break;
  }
}

void append_sums_text(std::string& out, const WorkNames& names, const GapReplay& replay) {
  const GapSums sums = gap_sums_of(replay);
  const double all = gap_total(sums);
  for (const GapQueue& one : replay.gaps.queues)
    append(out, "{}: {}, idle {} of {} ({:.1f} %) in {}\n", printable(names.name(one.queue)), plural(one.items, "item"),
           gap_time(one.idle), gap_time(one.idle + one.busy),
           one.idle + one.busy > 0 ? 100 * one.idle / (one.idle + one.busy) : 0, plural(one.gaps, "gap"));
  for (const GapCause cause : kGapCauses) {
    const GapSum& one = sums[static_cast<std::size_t>(cause)];
    if (one.gaps == 0 && cause != GapCause::unexplained) continue;
    append(out, "{:>6.1f} % {:>11}  {}, {}\n", all > 0 ? 100 * one.ns / all : 0, gap_time(one.ns), word_of(cause),
           plural(one.gaps, "gap"));
  }
  if (!replay.only_unpaced.empty())
    append(out, "beside these {}, {}, only where the replay is not paced: the player's own, in no sum\n",
           plural(replay.only_unpaced.size(), "gap"), gap_time(unpaced_total(replay)));
  if (replay.work.untimed != 0)
    append(out, "{} without times: gaps beside these are unexplained\n", plural(replay.work.untimed, "item"));
  if (replay.work.totals.too_many) out += "the capture has more work than any program needs: the rest is missing\n";
  if (!replay.work.totals.cut.empty()) append(out, "the capture is cut: {}\n", printable(replay.work.totals.cut));
}

void write_gap_item(JsonWriter& json, std::string_view name, const GapRowsOf& rows, std::uint32_t number) {
  if (number == Gap::kNone) return;
  const WorkItem& work = rows.item(number).work;
  json.key(name);
  json.begin_object();
  json.field("record", work.record);
  json.field("submit", work.submit);
  json.field("command", codec::info(work.command).name);
  if (const std::string labels = rows.names.label_text(work.label_path); !labels.empty()) json.field("label", labels);
  json.end_object();
}

void write_gap_call(JsonWriter& json, std::string_view name, const GapRowsOf& rows, std::uint64_t record) {
  json.key(name);
  json.begin_object();
  json.field("record", record);
  if (const GapCall* const one = rows.call(record); one != nullptr) {
    if (one->command != CommandId::none) json.field("command", codec::info(one->command).name);
    json.field("thread", one->thread);
  }
  json.end_object();
}

void append_gap_json(std::string& out, const GapRowsOf& rows, const Gap& gap) {
  JsonWriter json(out);
  const auto number = [&](const char* name, double value) {
    json.key(name);
    json.floating_value(value);
  };
  json.begin_object();
  json.field("row", "gap");
  json.field("cause", word_of(gap.cause));
  json.field("queue", rows.names.name(gap.queue));
  number("begin_ns", gap.begin);
  number("length_ns", gap.length);
  json.field("paced", !gap.is_unpaced);
  write_gap_item(json, "after", rows, gap.after);
  write_gap_item(json, "before", rows, gap.before);
  if (gap.cause == GapCause::host) {
    write_gap_call(json, "submit_call", rows, gap.submit);
    if (gap.call != 0) write_gap_call(json, "in_call", rows, gap.call);
    number("in_call_ns", gap.in_call);
  } else if (gap.cause == GapCause::semaphore) {
    json.field("semaphore", rows.names.name(gap.semaphore));
    if (gap.signal_call != 0) {
      write_gap_call(json, "signal_call", rows, gap.signal_call);
    } else {
      json.field("signal_queue", rows.queue_of_signal(gap));
      write_gap_item(json, "signal_item", rows, gap.signal_item);
    }
  } else if (gap.cause == GapCause::barrier) {
    json.field("barrier", gap.barrier);
    json.field("barrier_command", codec::info(gap.barrier_command).name);
  } else if (gap.cause == GapCause::start || (gap.cause == GapCause::player && !gap.is_unpaced)) {
    write_gap_call(json, "submit_call", rows, gap.submit);
  }
  json.end_object();
  out += '\n';
}

}  // namespace

std::vector<const Gap*> shown_gaps(const GapReplay& replay, const GapsWanted& wanted) {
  std::vector<const Gap*> shown;
  for (const std::vector<Gap>* gaps : {&replay.gaps.all, &replay.only_unpaced})
    for (const Gap& gap : *gaps)
      if (gap.length >= wanted.least_ns) shown.push_back(&gap);
  const auto longer = [](const Gap* a, const Gap* b) {
    return a->is_unpaced != b->is_unpaced ? b->is_unpaced : a->length > b->length;
  };
  std::stable_sort(shown.begin(), shown.end(), longer);
  if (shown.size() > wanted.most) shown.resize(wanted.most);
  return shown;
}

void append_gaps_text(std::string& out, const WorkNames& names, const GapReplay& replay, const GapsWanted& wanted) {
  const GapRowsOf rows{names, replay};
  append_head_text(out, replay);
  const std::vector<const Gap*> shown = shown_gaps(replay, wanted);
  const std::size_t all = replay.gaps.all.size() + replay.only_unpaced.size();
  if (!shown.empty()) append(out, "{:>11} {:>11}  cause\n", "length", "begins at");
  for (const Gap* gap : shown) {
    append(out, "{:>11} {:>11}  {}\n", gap_time(gap->length), gap_time(gap->begin), rows.cause_text(*gap));
    append(out, "{:>25}{}: ", "", printable(names.name(gap->queue)));
    if (gap->after != Gap::kNone)
      append(out, "after {}, before {}\n", rows.item_text(gap->after), rows.item_text(gap->before));
    else
      append(out, "before its first item, {}\n", rows.item_text(gap->before));
  }
  if (shown.size() < all)
    append(out, "… {} more: --max N shows N, --min NS leaves out shorter ones\n", count_text(all - shown.size()));
  append_sums_text(out, names, replay);
}

void write_gaps_head(JsonWriter& json, const GapReplay& replay) {
  json.key("devices");
  json.begin_array();
  for (const std::string& device : replay.devices) json.string(device);
  json.end_array();
  if (!replay.replaced.empty()) {
    json.key("replaced");
    json.begin_array();
    for (const std::string& one : replay.replaced) json.string(one);
    json.end_array();
  }
  json.field("iterations", std::uint64_t{replay.iterations});
  json.key("timer_ns");
  json.floating_value(replay.tick);
}

void append_gaps_json(std::string& out, const WorkNames& names, const GapReplay& replay, const GapsWanted& wanted) {
  const GapRowsOf rows{names, replay};
  const std::vector<const Gap*> shown = shown_gaps(replay, wanted);
  for (const Gap* gap : shown) append_gap_json(out, rows, *gap);
  for (const GapQueue& one : replay.gaps.queues) {
    JsonWriter json(out);
    json.begin_object();
    json.field("row", "gap_queue");
    json.field("queue", names.name(one.queue));
    json.field("items", one.items);
    json.field("gaps", one.gaps);
    json.key("idle_ns");
    json.floating_value(one.idle);
    json.key("busy_ns");
    json.floating_value(one.busy);
    json.end_object();
    out += '\n';
  }
  const GapSums sums = gap_sums_of(replay);
  JsonWriter json(out);
  const auto number = [&](std::string_view name, double value) {
    json.key(name);
    json.floating_value(value);
  };
  json.begin_object();
  json.field("row", "summary");
  json.field("gaps", std::uint64_t{replay.gaps.all.size()});
  json.field("shown", std::uint64_t{shown.size()});
  number("gap_ns", gap_total(sums));
  for (const GapCause cause : kGapCauses) {
    std::string name(word_of(cause));
    std::replace(name.begin(), name.end(), ' ', '_');
    number(name + "_ns", sums[static_cast<std::size_t>(cause)].ns);
  }
  json.field("unpaced_gaps", std::uint64_t{replay.only_unpaced.size()});
  number("unpaced_ns", unpaced_total(replay));
  number("captured_ns", replay.captured_seconds * 1e9);
  number("paced_ns", replay.paced_seconds * 1e9);
  json.field("slow", replay.is_slow());
  json.field("clock", word_of(replay.clock));
  number("uncertainty_ns", replay.uncertainty);
  json.field("untimed", replay.work.untimed);
  json.field("too_many", replay.work.totals.too_many);
  if (!replay.work.totals.cut.empty()) json.field("cut", replay.work.totals.cut);
  json.end_object();
  out += '\n';
}

}  // namespace rondo::analyzers
