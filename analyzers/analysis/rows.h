// SPDX-License-Identifier: Apache-2.0
// The rows of all analysis output: one schema. Every row is a JSON object on a line of its own; the first is the head
// ("analysis"), the last the "summary". Their fields: row_fields/.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/analysis/work.h"
#include "analyzers/analysis/work_names.h"
#include "analyzers/text/json.h"
#include "analyzers/text/output.h"

namespace rondo::analyzers {

// Grows when a field goes or changes its meaning. New fields do not change it.
inline constexpr std::uint64_t kRowSchema = 2;

// What the head says.
struct Head {
  std::string_view command;            // the subcommand that prints the rows
  std::string job;                     // JobArgument; empty: none
  std::vector<std::string> played_on;  // name (driver) of the devices that played the capture; empty: it was not played
  std::function<void(JsonWriter&)> more = {};  // fields of the subcommand's own
};

// Writes {"row":"analysis",…}: what was looked at. From here on all that is written to `out` must be rows, and each
// gets what tells it from rows of other captures: capture_digest, device, build and job. Reads the file twice, for its
// digest and its devices; `work` stays where it is.
Result<void> write_head(Output& out, WorkNames& work, const Head& head);

// Appends the same first row, for rows that are not printed: without device, build and job.
Result<void> append_head(std::string& out, WorkNames& work, const Head& head);

// What the rows of an item say in all analyses: where it stands, what it is, its labels and shaders.
void write_work(JsonWriter& json, const WorkNames& work, const WorkItem& item);
// … and the bytes that it may touch.
void write_item(JsonWriter& json, const WorkNames& work, const WorkItem& item);

// "3:17"; "3:-" where the item has no draw number.
std::string draw_text(const WorkItem& item);
// "vertices 36, instances 1"; "groups 64 1 1". Empty: the command counts nothing.
std::string counts_text(const WorkItem& item);
// The begins of the digests that `player --replace` takes, "fragment 91c3a0f2"; empty: none.
std::string shaders_text(const WorkNames& work, ObjectId pipeline);

}  // namespace rondo::analyzers
