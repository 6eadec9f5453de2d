// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/report_gaps.h"

#include <array>

#include "analyzers/analysis/gap_rows.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

constexpr std::size_t kMostGapRows = 5'000;

// What the queue waits for, by cause.
std::string_view gap_words(GapCause cause) {
  switch (cause) {
    case GapCause::host:
      return "because the host had not submitted the work";
    case GapCause::semaphore:
      return "because the work waits for a semaphore";
    case GapCause::barrier:
      return "because a barrier drains the queue";
    case GapCause::start:
      return "because driver and device take so long to start it";
    case GapCause::player:
      return "because the replay was late";
    case GapCause::below_timer:
      return "in gaps that are too short for the clocks";
    case GapCause::unexplained:
      break;
  }
  return "for no reason that is known";
}

std::string gap_sentence(const WorkNames& names, const GapReplay& replay) {
  std::array<double, kGapCauses.size()> sums{};
  double all = 0;
  for (const Gap& gap : replay.gaps.all) {
    sums[static_cast<std::size_t>(gap.cause)] += gap.length;
    all += gap.length;
  }
  const GapQueue* idlest = nullptr;
  for (const GapQueue& one : replay.gaps.queues)
    if (idlest == nullptr || one.idle > idlest->idle) idlest = &one;
  if (idlest == nullptr || all <= 0) return {};
  std::size_t main = 0;
  for (std::size_t i = 1; i < sums.size(); ++i)
    if (sums[i] > sums[main]) main = i;
  const auto time = [](double ns) { return duration_text(static_cast<std::uint64_t>(ns)); };
  return text("{} does nothing for {} of {}; {:.0f} % of all gaps are there {}.", names.name(idlest->queue),
              time(idlest->idle), time(idlest->idle + idlest->busy), 100 * sums[main] / all,
              gap_words(kGapCauses[main]));
}

}  // namespace

void gather_gaps(ReportSection& section, const player::Options& replay) {
  auto work = WorkWalk::open(replay.file);
  if (!work) {
    section.error = work.error().message;
    return;
  }
  const auto found = replay_gaps(*work, replay);
  if (!found) {
    section.error = found.error().message;
    return;
  }
  std::string rows;
  append_gaps_json(rows, *work, *found, {0, kMostGapRows});
  section.lines = with_prefix(rows, "gaps");
  section.sentence = gap_sentence(*work, *found);
}

}  // namespace rondo::analyzers
