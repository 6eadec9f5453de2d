// SPDX-License-Identifier: Apache-2.0
// The pipeline statistics of a profile: their names, and how they become fields of rows and columns of text.
#pragma once

#include <string>

#include "analyzers/analysis/profile.h"
#include "analyzers/text/json.h"

namespace rondo::analyzers {

// Fields of a row "time". None where the row has no draw or dispatch.
void write_statistics(JsonWriter& json, const Profile& profile, const ProfileRow& row);
// Fields of the row "summary".
void write_statistics_summary(JsonWriter& json, const Profile& profile);

// Columns of text, each as wide as its heading: of those statistics that are not 0 everywhere. Empty: there
// are none.
std::string statistics_heading(const Profile& profile);
std::string statistics_columns(const Profile& profile, const ProfileRow& row);
// Lines that follow the rows of text.
std::string statistics_totals(const Profile& profile);

}  // namespace rondo::analyzers
