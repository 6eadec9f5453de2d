// SPDX-License-Identifier: Apache-2.0
// The rows of all analysis output: one schema. Every row is a JSON object on a line of its own; the first is the head
// ("analysis"), the last the "summary". Their fields: row_fields/.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "analyzers/analysis/work.h"
#include "analyzers/analysis/work_names.h"
#include "analyzers/text/json.h"

namespace rondo::analyzers {

// Grows when a field goes or changes its meaning. New fields do not change it.
inline constexpr std::uint64_t kRowSchema = 2;

// {"row":"analysis",…}: what was looked at. `command` is the subcommand that prints the rows. Reads the file twice, for
// its digest and its devices; `work` stays where it is. `more` adds fields of the subcommand's own.
Result<void> append_head(std::string& out, std::string_view command, WorkNames& work,
                         const std::function<void(JsonWriter&)>& more = {});

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
