// SPDX-License-Identifier: Apache-2.0
// From the records of a span to the ops that play it.
#include <algorithm>

#include "player/plan/plan_builder.h"

namespace rondo::player {

void PlanBuilder::note_span(const Record& record, const codec::CommandInfo& command) {
  if ((record.flags & kRecordByLayer) != 0) return;
  spans_.take({command, &view_.as<std::byte>(), record.sequence, record.thread, model::succeeded(command, record),
               record.return_value, record.has_times ? record.start_ns : 0, record.has_times ? record.end_ns : 0});
}

// The first op of this record or a later one. An op that waited for a later record has an
// older number than those around it.
std::uint32_t PlanBuilder::op_at(std::uint64_t sequence) const {
  const auto& ops = plan_->ops;
  const auto found = std::find_if(ops.begin(), ops.end(), [&](const Op& op) { return op.sequence >= sequence; });
  return static_cast<std::uint32_t>(found - ops.begin());
}

Result<void> PlanBuilder::find_span() {
  spans_.finish();
  auto found = spans_.find(options_.span, plan_->path);
  if (!found) return tl::unexpected<Error>(std::move(found).error());
  const auto ops_of = [&](const RecordRange& records) {
    return OpRange{op_at(records.first), op_at(records.last + 1)};
  };
  plan_->scopes = spans_.scopes();
  plan_->first_of_program = spans_.first_of_program();
  plan_->span_records = found->records;
  plan_->span = ops_of(found->records);
  for (const RecordRange& interval : found->intervals) plan_->intervals.push_back(ops_of(interval));
  if (options_.span.kind != SpanRequest::Kind::whole && plan_->span.first == plan_->span.last)
    return fail(Status::usage, plan_->path + ": " + options_.span.text() +
                                   " is empty: no call that is played lies in its records " +
                                   std::to_string(found->records.first) + " to " + std::to_string(found->records.last));
  return {};
}

}  // namespace rondo::player
