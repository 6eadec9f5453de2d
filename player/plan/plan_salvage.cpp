// SPDX-License-Identifier: Apache-2.0
// Where the plan of a capture ends that is not whole.
#include "format/counts.h"
#include "player/plan/plan_builder.h"

namespace rondo::player {

// A blob that is missing or damaged: where a salvaged plan ends.
Error PlanBuilder::blob_error(const Record& record, const Error& error) {
  blob_lost_ = error.message;
  if (error.message.starts_with(plan_->path))
    return {error.status, error.message + " (record " + std::to_string(record.sequence) + " needs it)"};
  return at(record, error.status, error.message);
}

// Where a salvaged plan may end. Called behind emit(): the op is the last one.
void PlanBuilder::note_whole(const codec::CommandInfo& command, const Record& record, const PlanCounts& before) {
  if (!options_.salvage) return;
  const Plan& plan = *plan_;
  const bool whole = is_submit(command.canonical) && (!command.two_part || record.has_return);
  if (is_submit(command.canonical) && !whole && before.submits == 0 && !setup_until_) {
    setup_until_ = plan.ops.size() - 1;
    setup_counts_ = before;
  }
  if (whole) whole_queue_ = plan.ops.back().dispatch;
  if (!whole && (answered_until_ == 0 || command.canonical != CommandId::vkSignalSemaphore)) return;
  if (sync_model_ == nullptr) sync_model_ = std::make_unique<SyncModel>(plan);
  sync_model_->advance(static_cast<std::uint32_t>(plan.ops.size()));
  const bool goes_on = !sync_model_->blocked(whole_queue_);
  if (whole && !goes_on && answered_until_ == 0 && before.submits != 0) {
    answered_until_ = plan.ops.size() - 1;
    answered_counts_ = before;
  }
  if (goes_on) answered_until_ = 0;
  if (whole || goes_on) {
    whole_until_ = plan.ops.size();
    whole_counts_ = plan.counts;
  }
}

void PlanBuilder::cut_after_last_whole_submit() {
  plan_->salvaged = true;
  plan_->salvage_reason = !blob_lost_.empty()             ? blob_lost_
                          : !reader_.cut_reason().empty() ? reader_.cut_reason()
                                                          : "it lacks " + plural(reader_.gaps(), "record");
  if (answered_until_ != 0) {
    whole_until_ = answered_until_;
    whole_counts_ = answered_counts_;
  }
  if (whole_until_ == 0) {  // what the program did before its first submit
    whole_until_ = setup_until_.value_or(plan_->ops.size());
    whole_counts_ = setup_until_ ? setup_counts_ : plan_->counts;
  }
  whole_counts_.records = plan_->counts.records;
  whole_counts_.dropped_after_cut = plan_->ops.size() - whole_until_;
  plan_->counts = whole_counts_;
  plan_->ops.resize(whole_until_);
  std::erase_if(plan_->late_blobs, [&](const LateBlob& late) { return late.op >= whole_until_; });
  std::erase_if(plan_->sync, [&](const SyncStep& step) { return step.op >= whole_until_; });
  std::erase_if(plan_->observations, [&](const Observation& one) { return one.op >= whole_until_; });
  std::erase_if(plan_->settles, [&](const Settle& settle) { return settle.op >= whole_until_; });
}

bool ends_at_a_gap(const Reader& reader) {
  const auto footer = reader.footer();
  return footer && footer->ending == static_cast<std::uint32_t>(Ending::finished) && reader.gaps() != 0;
}

}  // namespace rondo::player
