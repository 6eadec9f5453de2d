// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/access_walk.h"

#include <algorithm>

#include "model/effects.h"
#include "model/parameters.h"
#include "model/submit_order.h"

namespace rondo::analyzers {

namespace {

class AccessWalk final : model::SubmitSink {
 public:
  AccessWalk(Walk& walk, const AccessWanted& wanted, AccessReader& reader)
      : walk_(walk), wanted_(wanted), reader_(reader) {}

  Result<AccessTotals> run() {
    if (walk_.in_front()) submits_.expect_cut();
    model::Parameters parameters;
    Step step;
    reader_.starts(model_);
    while (more_wanted_) {
      const auto more = walk_.next(step);
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      if (step.command == nullptr) continue;
      if (step.by_layer()) {
        reader_.done(step);
        continue;
      }
      in_frames_ = !wanted_.frames || wanted_.frames->contains(step.frame);
      in_call_ = in_frames_ && !walk_.in_front() && in_submits(step);
      totals_.any = totals_.any || in_call_;
      RONDO_TRY(model::load(walk_.stream(), step, parameters));
      take(step, model::call_of(walk_.stream(), step, parameters));
      reader_.done(step);
      totals_.submits += step.submits;
      totals_.frames += step.present ? 1 : 0;
    }
    if (wanted_.synchronization && !wanted_.frames && !wanted_.submits)
      for (const model::Batch* batch : order_.pending()) more_wanted_ = more_wanted_ && reader_.never_begins(*batch);
    totals_.too_many = model_.too_many();
    if (!walk_.reader().complete()) totals_.cut = walk_.reader().cut_reason();
    return std::move(totals_);
  }

 private:
  void take(const Step& step, const model::Call& call) {
    if (wanted_.placement != nullptr) wanted_.placement->take(call);
    reader_.call(step, call);
    record_ = call.sequence;
    if (wanted_.synchronization) submits_.take(call);
    model_.take(call);
  }
  bool in_submits(const Step& step) const {
    return !wanted_.submits ||
           wanted_.submits->overlaps(step.submit, step.submit + std::max<std::uint64_t>(step.submits, 1));
  }
  void executed(const access::Executed& one) {
    const bool wanted_there =
        !wanted_.submits || (one.submit != access::Executed::kNoSubmit ? wanted_.submits->contains(one.submit)
                                                                       : wanted_.submits->contains(totals_.submits));
    if (!in_frames_ || !wanted_there || walk_.in_front()) return;
    totals_.coverage.add(one);
    if (more_wanted_) more_wanted_ = reader_.executed(one);
  }
  void batch(const model::Batch& one) override {
    const bool there =
        one.submit == model::Batch::kNoSubmit || !wanted_.submits || wanted_.submits->contains(one.submit);
    if (in_call_ && there && more_wanted_) more_wanted_ = reader_.batch(one);
    order_.batch(one);
  }
  void host(const model::HostSync& one) override {
    if (in_call_ && more_wanted_) more_wanted_ = reader_.host(one);
    order_.host(one);
  }
  void ended(ObjectId id) override { order_.ended(id); }
  void begins(const model::Batch& one) {
    if (in_call_ && more_wanted_) more_wanted_ = reader_.begins(one, one.record != record_);
  }

  Walk& walk_;
  const AccessWanted& wanted_;
  AccessReader& reader_;
  AccessTotals totals_;
  bool more_wanted_ = true, in_frames_ = true, in_call_ = true;
  std::uint64_t record_ = 0;  // that is taken
  access::Model model_{
      [this](const access::Executed& one) { executed(one); },
      {},
      wanted_.synchronization ? model::kBarriers | model::kTransitions | model::kEvents | model::kQueries : 0u};
  model::Submits submits_{*this};
  model::ExecutionOrder order_{[this](const model::Batch& one) { begins(one); }};
};

class ExecutedReader final : public AccessReader {
 public:
  explicit ExecutedReader(const std::function<bool(const access::Executed&)>& visit) : visit_(visit) {}
  bool executed(const access::Executed& one) override { return visit_(one); }

 private:
  const std::function<bool(const access::Executed&)>& visit_;
};

}  // namespace

Result<AccessTotals> walk_accesses(Walk& walk, const AccessWanted& wanted, AccessReader& reader) {
  return AccessWalk(walk, wanted, reader).run();
}

Result<AccessTotals> walk_accesses(Walk& walk, const AccessWanted& wanted,
                                   const std::function<bool(const access::Executed&)>& visit) {
  ExecutedReader reader(visit);
  return walk_accesses(walk, wanted, reader);
}

}  // namespace rondo::analyzers
