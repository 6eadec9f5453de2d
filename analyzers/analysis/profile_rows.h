// SPDX-License-Identifier: Apache-2.0
// The row "time" (rows.h) of a profile.
#pragma once

#include <string>

#include "analyzers/analysis/profile.h"

namespace rondo::analyzers {

// 10^9 bytes a second, an upper bound; 0: the row has no time.
double bandwidth(const ProfileRow& row);
void append_time_row(std::string& out, const WorkWalk& work, const Profile& profile, GroupBy by, const ProfileRow& row,
                     ProfileMode mode = ProfileMode::natural);
// "1:0", "pass 3:1".
std::string item_words(const WorkItem& item);

}  // namespace rondo::analyzers
