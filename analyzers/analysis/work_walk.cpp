// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/work_walk.h"

#include <utility>

#include "analyzers/analysis/work_span.h"
#include "model/parameters.h"

namespace rondo::analyzers {

Result<WorkWalk> WorkWalk::open(const std::string& path) {
  auto walk = Walk::open(path);
  if (!walk) return tl::unexpected(walk.error());
  return WorkWalk(std::move(*walk));
}

Result<WorkTotals> WorkWalk::run(const SpanRequest& request, Visit which,
                                 const std::function<bool(std::span<const WorkItem>)>& visit) {
  const auto found = WorkSpan::find(*this, request);
  if (!found) return tl::unexpected(found.error());
  const WorkSpan& span = *found;

  WorkTotals totals;
  bool more_wanted = true;
  std::vector<WorkItem> wanted;
  std::unique_ptr<WorkList> list;
  Step step;
  std::uint64_t frame = 0;
  model_ = std::make_unique<access::Model>([&](const access::Executed& executed) {
    if (!walk().in_front()) list->take(executed, frame);
  });
  starts(*model_);
  list = std::make_unique<WorkList>(*model_, [&](std::span<const WorkItem> items) {
    wanted.clear();
    for (WorkItem item : items) {
      item.wanted = span.contains(item, *this);
      if (item.wanted || (which == Visit::played && span.plays(item))) wanted.push_back(item);
      totals.items += item.wanted ? 1 : 0;
    }
    if (!wanted.empty() && more_wanted) more_wanted = visit(wanted);
  });
  model::Parameters parameters;
  Result<void> read;
  while (more_wanted) {
    const auto more = walk().next(step);
    if (!more) read = tl::unexpected(more.error());
    if (!more || !*more) break;
    if (step.command == nullptr || step.by_layer()) continue;
    if (span.is_over(step, walk().in_front())) break;
    frame = step.frame;
    RONDO_TRY(model::load(walk().stream(), step, parameters));
    const model::Call call = model::call_of(walk().stream(), step, parameters);
    take_name(call);
    model_->take(call);
    take(step);
    if (step.submits != 0) list->finish();
    totals.submits = step.submit + step.submits;
    totals.frames = step.frame + (step.present ? 1 : 0);
  }
  list->finish();
  if (!read && !walk().damage()) return tl::unexpected(read.error());
  totals.too_many = model_->too_many();
  if (!walk().reader().complete()) totals.cut = walk().reader().cut_reason();
  return totals;
}

}  // namespace rondo::analyzers
