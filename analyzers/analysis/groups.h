// SPDX-License-Identifier: Apache-2.0
// Work items by what they have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzers/analysis/work.h"
#include "analyzers/analysis/work_names.h"
#include "format/result.h"

namespace rondo::analyzers {

// What items are grouped by; none: each item stands alone.
enum class GroupBy : std::uint8_t { none, kind, pipeline, label, pass, shader, submit, frame };

// "command" (each alone), "kind" (the Vulkan command), "pipeline", …
std::string_view name_of(GroupBy by);
inline constexpr std::string_view kNoLabel = "no label";
// What --by has. Status::usage.
Result<GroupBy> parse_group(const std::string& text);

// The group of this item, as rows name it: "VkPipeline#3 "gemm"", "frame/shadows", "3".
std::string key_of(const WorkNames& work, const WorkItem& item, GroupBy by);
// Of GroupBy::pipeline; 0: none.
std::string pipeline_key(const WorkNames& work, ObjectId pipeline);

}  // namespace rondo::analyzers
