// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/profile_rows.h"

#include "analyzers/analysis/profile_counters.h"
#include "analyzers/analysis/profile_statistics.h"
#include "analyzers/analysis/rows.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

// Bytes a nanosecond are 10^9 bytes a second.
double bandwidth(const ProfileRow& row) { return row.median > 0 ? static_cast<double>(row.bytes) / row.median : 0; }

std::string item_words(const WorkItem& item) {
  return item.is_pass ? text("pass {}:{}", item.submit, item.pass) : draw_text(item);
}

namespace {

// A group of ProfileMode::waves has no fields of a single item, for none of these has its time.
void write_group(JsonWriter& json, const Profile& p, const ProfileRow& row) {
  const WorkItem& first = p.items[row.item];
  json.field("item", row.item == row.last ? item_words(first)
                                          : text("{} to {}", item_words(first), item_words(p.items[row.last])));
  json.field("submit", first.submit);
  json.field("frame", first.frame);
  json.field("first_record", first.record);
  json.field("last_record", p.items[row.last].record);
  json.key("names");
  json.begin_array();
  for (std::uint32_t i = row.item; i <= row.last; ++i)
    if (p.items[i].is_pass || p.items[i].pass == WorkItem::kNoPass)
      json.string(text("{}@{}", p.items[i].record, p.items[i].submit));
  json.end_array();
  json.key("begin_ns");
  json.floating_value(row.begin);
}

}  // namespace

void append_time_row(std::string& out, const WorkWalk& work, const Profile& p, GroupBy by, const ProfileRow& row,
                     ProfileMode mode) {
  const bool is_wave = mode == ProfileMode::waves && !p.of_host;
  JsonWriter json(out);
  json.begin_object();
  json.field("row", "time");
  json.field("by", p.of_host ? "submit" : is_wave ? "wave" : name_of(by));
  if (is_wave) {
    write_group(json, p, row);
  } else if (p.of_host || !row.group.empty()) {
    json.field("item", row.group);
  } else {
    const WorkItem& item = p.items[row.item];
    json.field("item", item_words(item));
    write_item(json, work, item);
    if (item.is_pass) {
      json.field("render_pass",
                 item.render_pass != ObjectId::null ? work.objects().name(item.render_pass) : std::string());
      json.field("draws", item.draws);
      json.field("end_record", item.end);
    }
    json.key("begin_ns");
    json.floating_value(row.begin);
  }
  json.field("n", row.items);
  const auto number = [&](const char* name, double value) {
    json.key(name);
    json.floating_value(value);
  };
  number("min_ns", row.min);
  number("median_ns", row.median);
  number("p95_ns", row.p95);
  number("share", row.share);
  if (!row.group.empty() || is_wave) json.field("bytes", row.bytes);
  if (row.bytes != 0) number("gb_per_s", bandwidth(row));
  json.field("below_timer", row.below_timer);
  json.field("host", p.of_host);
  write_statistics(json, p, row);
  write_counters(json, p, row);
  json.end_object();
  out += '\n';
}

}  // namespace rondo::analyzers
