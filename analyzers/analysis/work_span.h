// SPDX-License-Identifier: Apache-2.0
// Which work items are in a span of a capture: in frames, in submits, or under a scope of its program.
#pragma once

#include "analyzers/analysis/work.h"
#include "analyzers/analysis/work_names.h"
#include "format/spans.h"

namespace rondo::analyzers {

class WorkSpan {
 public:
  // Reads the capture where it has to find the span, and goes back to its beginning. A span that is not there is
  // Status::usage.
  static Result<WorkSpan> find(WorkNames& work, const SpanRequest& request);

  // `work`: has the labels of the item.
  bool contains(const WorkItem& item, const WorkNames& work) const;
  // Whether the span contains work that the record `at` executes. `at` is a submit, whose number is `submit`, or a call
  // of the host.
  bool has(std::uint64_t at, std::uint64_t submit, std::uint32_t label_path, const WorkNames& work) const;
  // It is executed by the records of the span, asked for or not.
  bool plays(const WorkItem& item) const {
    return is_whole() || (item.at >= span_.records.first && item.at <= span_.records.last);
  }
  bool is_whole() const { return request_.kind == SpanRequest::Kind::whole; }
  // No step from this one on has items of the span.
  bool is_over(const Step& step, bool in_front) const;

 private:
  SpanRequest request_;
  rondo::Span span_;
  bool is_command_label_ = false;
};

}  // namespace rondo::analyzers
