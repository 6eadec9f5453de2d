// SPDX-License-Identifier: Apache-2.0
// Which bytes commands read and write, in which stages and by which accesses ("Synchronization and Cache Control",
// the tables of access types, and what each command's page says). More bytes than are really read may be named; bytes
// that are named as written and read are really written. Private to tests/icd.
#pragma once

#include <vector>

#include "tests/icd/execute.h"
#include "tests/icd/order_graph.h"

namespace fake::order {

using Touches = std::vector<Touch>;

// Copies, fills, updates, clears, blits, resolves and copies of query results. 0: it is none.
Stages transfer_stages(CommandId id);
Touches touches_of_transfer(const Arguments& arguments);

// A draw, dispatch or trace, without its attachments. 0: it is none.
Stages work_stages(CommandId id, const Execution& execution);
Touches touches_of_work(const Arguments& arguments, Execution& execution);
bool is_draw(CommandId id);

// The counters of transform feedback, the predicate of conditional rendering.
Touches touches_of_feedback(const Arguments& arguments);
Touches touches_of_predicate(const Arguments& arguments);

// Attachments, as the colors or as depth and stencil.
enum class Attached { load, draw, clear, finish };
Touches touches_of_attachments(const RenderTarget& target, Attached how, bool depth, std::uint64_t subpass);
constexpr Stages kDepthStages =
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
constexpr Stages kColorStage = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;

}  // namespace fake::order
