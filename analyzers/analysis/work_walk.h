// SPDX-License-Identifier: Apache-2.0
// The work items of a capture, or of a span of it, and what rows say of them: labels, names, shaders. No device.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "analyzers/analysis/work.h"
#include "analyzers/analysis/work_names.h"
#include "format/spans.h"

namespace rondo::analyzers {

struct WorkTotals {
  std::uint64_t items = 0;                // given to the visitor
  std::uint64_t frames = 0, submits = 0;  // of the capture
  bool too_many = false;                  // access::Model::too_many: the rest is missing
  std::string cut;                        // why the capture ends early; empty: it is complete
};

// The names, labels and shaders are those that the capture has given up to the submit that a visitor gets. They stay
// after run().
class WorkWalk : public WorkNames {
 public:
  static Result<WorkWalk> open(const std::string& path);
  WorkWalk(WorkWalk&&) = default;

  enum class Visit : std::uint8_t {
    wanted,  // only the items that are asked for
    played,  // also what a replay of the span executes beside them: WorkItem::wanted tells them apart
  };
  // `visit` gets the items of each submit of the span and says whether it wants more. Once. A span that is not there is
  // Status::usage.
  Result<WorkTotals> run(const SpanRequest& span, Visit which,
                         const std::function<bool(std::span<const WorkItem>)>& visit);

 private:
  using WorkNames::WorkNames;

  std::unique_ptr<access::Model> model_;
};

}  // namespace rondo::analyzers
