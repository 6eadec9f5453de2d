// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/work_walk.h"

#include <algorithm>
#include <utility>

#include "analyzers/read/device_info.h"
#include "analyzers/text/text.h"
#include "model/parameters.h"

namespace rondo::analyzers {

Result<WorkWalk> WorkWalk::open(const std::string& path) {
  auto walk = Walk::open(path);
  if (!walk) return tl::unexpected(walk.error());
  return WorkWalk(std::move(*walk));
}

std::string WorkWalk::label_text(std::uint32_t path) const {
  std::string all;
  for (const std::string_view label : model_->labels_of(path)) {
    if (!all.empty()) all += '/';
    all += printable(label);
  }
  return all;
}

// Where the span is, in records. Reads the capture, and goes back to its beginning.
Result<rondo::Span> WorkWalk::find(const SpanRequest& request, std::vector<Scope>& scopes) {
  SpanFinder finder;
  Step step;
  for (;;) {
    const auto more = walk_->next(step);
    if (!more || !*more) break;  // run() says what is wrong
    if (step.command != nullptr && !step.by_layer()) finder.take(call_of(*walk_, step));
  }
  finder.finish();
  RONDO_TRY(walk_->rewind());
  scopes = finder.scopes();
  return finder.find(request, walk_->reader().path());
}

Result<WorkTotals> WorkWalk::run(const SpanRequest& request, Visit which,
                                 const std::function<bool(std::span<const WorkItem>)>& visit) {
  rondo::Span span;
  bool is_command_label = false;
  if (request.kind != SpanRequest::Kind::whole) {
    std::vector<Scope> scopes;
    auto found = find(request, scopes);
    if (!found) return tl::unexpected(found.error());
    span = std::move(*found);
    if (span.intervals.empty()) span.intervals.push_back(span.records);
    for (const Scope& scope : scopes)
      if (request.kind == SpanRequest::Kind::scope && scope.name == request.name)
        is_command_label = scope.occurrences.front().kind == ScopeOccurrence::Kind::command_label;
  }
  const auto is_wanted = [&](const WorkItem& item) {
    switch (request.kind) {
      case SpanRequest::Kind::whole:
        return true;
      case SpanRequest::Kind::frames:
        return item.frame >= request.first && item.frame < request.last;
      case SpanRequest::Kind::submits:
        return item.submit >= request.first && item.submit < request.last;
      case SpanRequest::Kind::scope:
      case SpanRequest::Kind::records:
        break;
    }
    if (std::none_of(span.intervals.begin(), span.intervals.end(),
                     [&](const RecordRange& one) { return item.at >= one.first && item.at <= one.last; }))
      return false;
    if (!is_command_label) return true;
    const auto labels = model_->labels_of(item.label_path);
    return std::find(labels.begin(), labels.end(), request.name) != labels.end();
  };

  WorkTotals totals;
  bool more_wanted = true;
  std::vector<WorkItem> wanted;
  std::unique_ptr<WorkList> list;
  Step step;
  std::uint64_t frame = 0;
  model_ = std::make_unique<access::Model>([&](const access::Executed& executed) {
    if (!walk_->in_front()) list->take(executed, frame);
  });
  list = std::make_unique<WorkList>(*model_, [&](std::span<const WorkItem> items) {
    wanted.clear();
    for (WorkItem item : items) {
      item.wanted = is_wanted(item);
      const bool played =
          request.kind == SpanRequest::Kind::whole || (item.at >= span.records.first && item.at <= span.records.last);
      if (item.wanted || (which == Visit::played && played)) wanted.push_back(item);
      totals.items += item.wanted ? 1 : 0;
    }
    if (!wanted.empty() && more_wanted) more_wanted = visit(wanted);
  });
  model::Parameters parameters;
  Result<void> read;
  while (more_wanted) {
    const auto more = walk_->next(step);
    if (!more) read = tl::unexpected(more.error());
    if (!more || !*more) break;
    if (step.command == nullptr) continue;
    if (step.by_layer()) {
      take_device_facts(*walk_, step, facts_);
      continue;
    }
    if (request.kind == SpanRequest::Kind::frames && step.frame >= request.last) break;
    // batches of one call are of one record
    if (request.kind == SpanRequest::Kind::submits && step.submit >= request.last && !walk_->in_front()) break;
    frame = step.frame;
    RONDO_TRY(model::load(walk_->stream(), step, parameters));
    take_name(names_, *step.command, parameters.view);
    model_->take(model::call_of(walk_->stream(), step, parameters));
    // These set the pointers of what is decoded, which load() must find as offsets.
    shaders_.take(*walk_, step);
    take_device_facts(*walk_, step, facts_);
    if (step.submits != 0) list->finish();
    totals.submits = step.submit + step.submits;
    totals.frames = step.frame + (step.present ? 1 : 0);
  }
  list->finish();
  if (!read && !walk_->damage()) return tl::unexpected(read.error());
  totals.too_many = model_->too_many();
  if (!walk_->reader().complete()) totals.cut = walk_->reader().cut_reason();
  return totals;
}

}  // namespace rondo::analyzers
