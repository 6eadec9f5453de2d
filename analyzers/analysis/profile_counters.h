// SPDX-License-Identifier: Apache-2.0
// The performance counters of a profile: how they become fields of rows and columns of text.
#pragma once

#include <span>
#include <string>

#include "analyzers/analysis/profile.h"
#include "analyzers/text/json.h"

namespace rondo::analyzers {

// Adds a field to the row "analysis": what each counter is.
void write_counters_head(JsonWriter& json, const Profile& profile);
// Adds fields to a row "time". Adds none where the row has no command that could be counted.
void write_counters(JsonWriter& json, const Profile& profile, const ProfileRow& row);
// Adds fields to the row "summary".
void write_counters_summary(JsonWriter& json, const Profile& profile);

// Columns of text, each as wide as its heading. Empty: there are none.
std::string counters_heading(const Profile& profile);
std::string counters_columns(const Profile& profile, const ProfileRow& row);
// Lines that follow the rows of text.
std::string counters_totals(const Profile& profile);

// What `rondo profile --list-counters` prints: text, or a row for each counter and the row "summary".
std::string counters_table(std::span<const player::Counter> counters);
void append_counter_rows(std::string& out, std::span<const player::Counter> counters);

}  // namespace rondo::analyzers
