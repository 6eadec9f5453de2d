// SPDX-License-Identifier: Apache-2.0
#include "analyzers/read/executed_lists.h"

#include <algorithm>
#include <utility>

#include "format/check.h"

namespace rondo::analyzers {

namespace {

// A hostile file's secondaries in secondaries are not followed any further, nor more lists than any program executes.
constexpr int kMostDepth = 64;
constexpr std::uint64_t kMostExecuted = std::uint64_t{1} << 28;

}  // namespace

bool DumpSpan::contains(const Step& step) const {
  if (frames && !frames->contains(step.frame)) return false;
  return !submits || submits->overlaps(step.submit, step.submit + std::max<std::uint64_t>(step.submits, 1));
}

bool DumpSpan::contains(std::uint64_t frame, std::uint64_t submit) const {
  return (!frames || frames->contains(frame)) && (!submits || submits->contains(submit));
}

void ExecutedLists::execute(const CommandList& list, std::uint64_t submit, std::uint64_t draw, bool in_span,
                            int depth) {
  if (depth > kMostDepth || ++executed_ > kMostExecuted) return;
  if (first_.size() <= list.number) first_.resize(list.number + 1);
  First& first = first_[list.number];
  if (first.executions++ == 0) first.submit = submit, first.draw = draw;
  if (in_span && (first_in_span_ == 0 || list.first_record < first_in_span_)) first.kept = true;
  for (const CommandList::Secondary& one : list.secondaries)
    execute(*one.list, submit, draw + one.draws_before, in_span, depth + 1);
}

void ExecutedLists::look(Walk& walk, const Step& step) {
  if (first_in_span_ == 0 && span_.contains(step)) first_in_span_ = step.record.sequence;
  const auto& batches = lists_.take(walk, step);
  if (!step.succeeded()) return;  // it has a number, and did nothing
  for (std::size_t i = 0; i < batches.size() && i < step.submits; ++i) {
    std::uint64_t draws = 0;
    const bool in_span = !span_.whole() && span_.contains(step.frame, step.submit + i);
    for (const CommandLists::Primary& primary : batches[i]) {
      if (primary.list == nullptr) continue;
      execute(*primary.list, step.submit + i, draws, in_span, 0);
      draws += primary.list->draws;
    }
  }
}

std::optional<DrawNumber> ExecutedLists::number() const {
  const CommandList* const list = second_.list();
  if (list == nullptr || !second_.draws_before() || list->number >= first_.size()) return std::nullopt;
  const First& first = first_[list->number];
  if (first.executions == 0) return std::nullopt;
  return DrawNumber{first.submit, first.draw + *second_.draws_before(), first.executions};
}

bool ExecutedLists::needs_row() const { return second_.list() != nullptr && is_kept(*second_.list()); }

void ExecutedLists::keep(std::string row) {
  RONDO_CHECK(second_.list() != nullptr);
  rows_[second_.list()->number].push_back({std::move(row), second_.draws_before(), second_.secondaries_before()});
}

void ExecutedLists::each_kept(
    const CommandList& list, std::uint64_t draws,
    const std::function<void(std::optional<std::uint64_t>, const std::string&)>& visit) const {
  visit_rows(list, draws, 0, visit);
}

void ExecutedLists::visit_rows(
    const CommandList& list, std::uint64_t draws, int depth,
    const std::function<void(std::optional<std::uint64_t>, const std::string&)>& visit) const {
  if (depth > kMostDepth) return;
  std::size_t secondary = 0;
  const auto visit_secondaries = [&](std::size_t end) {
    for (; secondary < end && secondary < list.secondaries.size(); ++secondary)
      visit_rows(*list.secondaries[secondary].list, draws + list.secondaries[secondary].draws_before, depth + 1, visit);
  };
  if (const auto rows = rows_.find(list.number); rows != rows_.end())
    for (const Row& row : rows->second) {
      visit_secondaries(row.secondaries);
      visit(row.draws_before ? std::optional(draws + *row.draws_before) : std::nullopt, row.text);
    }
  visit_secondaries(list.secondaries.size());
}

}  // namespace rondo::analyzers
