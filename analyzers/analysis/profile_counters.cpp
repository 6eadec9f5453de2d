// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/profile_counters.h"

#include <algorithm>
#include <cmath>

#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

using player::Counter;

constexpr std::size_t kColumn = 13;  // of a column, at least

std::string heading(const Counter& counter) {
  const std::string unit = player::unit_name(counter.unit);
  return unit.empty() ? counter.name : counter.name + " [" + unit + "]";
}

std::size_t width_of(const Counter& counter) { return std::max(heading(counter).size(), kColumn); }

std::string value_text(double value) {
  if (std::isnan(value)) return "-";
  constexpr double kExact = 9007199254740992;  // 2^53: whole numbers up to here are exact
  if (value == std::floor(value) && std::abs(value) < kExact)
    return (value < 0 ? "-" : "") + count_text(static_cast<std::uint64_t>(std::abs(value)));
  return text("{:.2f}", value);
}

void write_counter(JsonWriter& json, const Counter& counter) {
  json.field("name", counter.name);
  json.field("category", counter.category);
  json.field("description", counter.description);
  json.field("unit", player::unit_name(counter.unit));
  json.field("of_row", counter.adds_up() ? "sum" : "mean");
}

const char* scope_name(const Counter& counter) {
  switch (counter.scope) {
    case VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR:
      return "command";
    case VK_PERFORMANCE_COUNTER_SCOPE_RENDER_PASS_KHR:
      return "render pass";
    default:
      return "command buffer";
  }
}

std::string scope_text(const Counter& counter) {
  if (counter.is_usable) return "of commands";
  const bool takes_passes = counter.scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR;
  return text("of a {}{}: not read", scope_name(counter), takes_passes ? ", in several passes" : "");
}

}  // namespace

void write_counters_head(JsonWriter& json, const Profile& p) {
  if (p.counters.empty()) return;
  json.key("counters");
  json.begin_array();
  for (const Counter& counter : p.counters) {
    json.begin_object();
    write_counter(json, counter);
    json.end_object();
  }
  json.end_array();
}

void write_counters(JsonWriter& json, const Profile& p, const ProfileRow& row) {
  if (row.counters == player::kNone) return;
  const RowCounters& of = p.row_counters[row.counters];
  if (of.counted + of.uncounted == 0) return;
  json.field("commands_counted", of.counted);
  if (of.uncounted != 0) json.field("commands_uncounted", of.uncounted);
  if (of.counted == 0) return;
  json.key("counters");
  json.begin_object();
  for (std::size_t c = 0; c < of.values.size(); ++c) {
    if (std::isnan(of.values[c])) continue;
    json.key(p.counters[c].name);
    json.floating_value(of.values[c]);
  }
  json.end_object();
}

void write_counters_summary(JsonWriter& json, const Profile& p) {
  if (p.lacks_counters) json.field("lacks_counters", true);
  if (p.counters.empty()) return;
  json.field("commands_counted", p.all_counters.counted);
  json.field("commands_uncounted", p.all_counters.uncounted);
}

std::string counters_heading(const Profile& p) {
  std::string out;
  for (const Counter& counter : p.counters) append(out, " {:>{}}", heading(counter), width_of(counter));
  return out;
}

std::string counters_columns(const Profile& p, const ProfileRow& row) {
  std::string out;
  for (std::size_t c = 0; c < p.counters.size(); ++c) {
    const bool has = row.counters != player::kNone;
    append(out, " {:>{}}", has ? value_text(p.row_counters[row.counters].values[c]) : "-", width_of(p.counters[c]));
  }
  return out;
}

std::string counters_totals(const Profile& p) {
  if (p.lacks_counters)
    return "this device has no performance counters (it lacks VK_KHR_performance_query): the rows have none\n";
  if (p.counters.empty()) return {};
  const RowCounters& all = p.all_counters;
  std::string out =
      text("{} of {} of {} commands, of one iteration each, in {} of their own\n", plural(p.counters.size(), "counter"),
           count_text(all.counted), count_text(all.counted + all.uncounted), plural(p.counter_replays, "replay"));
  if (all.uncounted != 0)
    append(out,
           "{} without counters: most often because they are executed more than once in the span (--frames N plays "
           "one frame); docs/rondo-profile.md has the other reasons\n",
           count_text(all.uncounted));
  return out;
}

std::string counters_table(std::span<const Counter> counters) {
  std::string out;
  std::size_t width = 0;
  for (const Counter& counter : counters) width = std::max(width, heading(counter).size());
  for (const Counter& counter : counters)
    append(out, "{:<{}}  {}; {}; {}\n", heading(counter), width, scope_text(counter), counter.category,
           counter.description);
  return out;
}

void append_counter_rows(std::string& out, std::span<const Counter> counters) {
  JsonWriter json(out);
  for (const Counter& counter : counters) {
    json.begin_object();
    json.field("row", "counter");
    write_counter(json, counter);
    json.field("scope", scope_name(counter));
    json.field("usable", counter.is_usable);
    json.end_object();
    out += '\n';
  }
  json.begin_object();
  json.field("row", "summary");
  json.field("shown", std::uint64_t{counters.size()});
  if (counters.empty()) json.field("lacks_counters", true);
  json.end_object();
  out += '\n';
}

}  // namespace rondo::analyzers
