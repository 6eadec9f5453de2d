// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/access_walk.h"

#include <algorithm>

#include "model/parameters.h"

namespace rondo::analyzers {

Result<AccessTotals> walk_accesses(Walk& walk, const AccessWanted& wanted,
                                   const std::function<bool(const access::Executed&)>& visit) {
  AccessTotals totals;
  bool more_wanted = true, in_frames = true;
  const auto in_submits = [&](const Step& step) {
    return !wanted.submits ||
           wanted.submits->overlaps(step.submit, step.submit + std::max<std::uint64_t>(step.submits, 1));
  };
  access::Model model([&](const access::Executed& executed) {
    const bool wanted_there =
        !wanted.submits || (executed.submit != access::Executed::kNoSubmit ? wanted.submits->contains(executed.submit)
                                                                           : wanted.submits->contains(totals.submits));
    if (!in_frames || !wanted_there || walk.in_front()) return;
    totals.coverage.add(executed);
    if (more_wanted) more_wanted = visit(executed);
  });
  model::Parameters parameters;
  Step step;
  while (more_wanted) {
    const auto more = walk.next(step);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    if (step.command == nullptr || step.by_layer()) continue;
    in_frames = !wanted.frames || wanted.frames->contains(step.frame);
    totals.any = totals.any || (in_frames && in_submits(step) && !walk.in_front());
    RONDO_TRY(model::load(walk.stream(), step, parameters));
    model.take(model::call_of(walk.stream(), step, parameters));
    totals.submits += step.submits;
    totals.frames += step.present ? 1 : 0;
  }
  totals.too_many = model.too_many();
  if (!walk.reader().complete()) totals.cut = walk.reader().cut_reason();
  return totals;
}

}  // namespace rondo::analyzers
