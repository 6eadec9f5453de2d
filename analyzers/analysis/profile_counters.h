// SPDX-License-Identifier: Apache-2.0
// The performance counters of a profile: how they become fields of rows and columns of text.
#pragma once

#include <string>

#include "analyzers/analysis/profile.h"
#include "analyzers/json.h"

namespace rondo::analyzers {

// A field of the row "analysis".
void write_counters_head(JsonWriter& json, const Profile& profile);
// Of a row "time". None where the row has no command that could be counted.
void write_counters(JsonWriter& json, const Profile& profile, const ProfileRow& row);
// Of the row "summary".
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
