// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/work_span.h"

#include <algorithm>
#include <utility>

namespace rondo::analyzers {

Result<WorkSpan> WorkSpan::find(WorkNames& work, const SpanRequest& request) {
  WorkSpan made;
  made.request_ = request;
  if (made.is_whole()) return made;
  SpanFinder finder;
  Step step;
  for (;;) {
    const auto more = work.walk().next(step);
    if (!more || !*more) break;  // who reads the capture next says what is wrong
    if (step.command != nullptr && !step.by_layer()) finder.take(call_of(work.walk(), step));
  }
  finder.finish();
  RONDO_TRY(work.walk().rewind());
  auto found = finder.find(request, work.walk().reader().path());
  if (!found) return tl::unexpected(found.error());
  made.span_ = std::move(*found);
  if (made.span_.intervals.empty()) made.span_.intervals.push_back(made.span_.records);
  for (const Scope& scope : finder.scopes())
    if (request.kind == SpanRequest::Kind::scope && scope.name == request.name)
      made.is_command_label_ = scope.occurrences.front().kind == ScopeOccurrence::Kind::command_label;
  return made;
}

bool WorkSpan::contains(const WorkItem& item, const WorkNames& work) const {
  switch (request_.kind) {
    case SpanRequest::Kind::whole:
      return true;
    case SpanRequest::Kind::frames:
      return item.frame >= request_.first && item.frame < request_.last;
    case SpanRequest::Kind::submits:
      return item.submit >= request_.first && item.submit < request_.last;
    case SpanRequest::Kind::scope:
    case SpanRequest::Kind::records:
      break;
  }
  return has(item.at, item.submit, item.label_path, work);
}

bool WorkSpan::has(std::uint64_t at, std::uint64_t submit, std::uint32_t label_path, const WorkNames& work) const {
  if (is_whole()) return true;
  if (request_.kind == SpanRequest::Kind::submits && submit != access::Executed::kNoSubmit)
    return submit >= request_.first && submit < request_.last;
  if (std::none_of(span_.intervals.begin(), span_.intervals.end(),
                   [&](const RecordRange& one) { return at >= one.first && at <= one.last; }))
    return false;
  if (!is_command_label_) return true;
  const auto labels = work.labels(label_path);
  return std::find(labels.begin(), labels.end(), request_.name) != labels.end();
}

bool WorkSpan::is_over(const Step& step, bool in_front) const {
  if (request_.kind == SpanRequest::Kind::frames) return step.frame >= request_.last;
  // Batches of one call are of one record.
  return request_.kind == SpanRequest::Kind::submits && step.submit >= request_.last && !in_front;
}

}  // namespace rondo::analyzers
