// SPDX-License-Identifier: Apache-2.0
// A capture read up to the end of a span: what the span names and needs, and what the calls before it leave behind
// that the plan does not know.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analyzers/trim/descriptor_sets.h"
#include "analyzers/trim/needs.h"
#include "format/reader.h"
#include "format/spans.h"
#include "model/access/model.h"
#include "player/plan/plan.h"

namespace rondo::trim {

struct Survey {
  Survey(const player::Plan& plan, const States& states, const RecordRange& records)
      : needs(plan, states, records.first) {}

  std::set<ObjectId> used;       // that records of the span name
  std::set<ObjectId> described;  // whose descriptors the program was given, to put them wherever it wants
  Needs needs;
  DescriptorSets sets;  // behind the last record before the span
  // records that said something last: names, private data, priorities
  std::set<std::uint64_t> last;
  std::map<ObjectId, std::uint64_t> maps;                                // memories, and where they were mapped
  std::map<std::pair<ObjectId, std::uint32_t>, std::uint64_t> acquired;  // images of swapchains, and where
  std::set<ObjectId> imported;  // binary semaphores with the payload of a sync fd, which nothing waited for yet
  // where labels and scopes began that are open there
  std::set<std::uint64_t> open_labels;
  access::Coverage coverage;              // of the span
  std::uint64_t frames = 0, submits = 0;  // before the span, or `counted_from`
};

// `reader` is at its first record. The plan's objects are the survey's: the same records make them. Of the
// span's records those before `counted_from` count as before it, and their checkpoints are not looked at.
Result<std::unique_ptr<Survey>> survey(Reader& reader, const player::Plan& plan, const States& states,
                                       const RecordRange& records, std::uint64_t counted_from,
                                       const std::function<void(std::uint64_t)>& progress);

}  // namespace rondo::trim
