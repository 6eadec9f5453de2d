// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/gaps.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analyzers/analysis/gap_host.h"
#include "analyzers/analysis/profile.h"

namespace rondo::analyzers {

namespace {

constexpr double kNever = GapTimes::kNoTime;

// When something had happened, and the item whose end it was.
struct Done {
  double at = kNever;
  std::uint32_t item = Gap::kNone;
  void later(const Done& other) {
    if (other.at > at) *this = other;
  }
};

class GapFinder {
 public:
  GapFinder(const GapWork& work, const GapTimes& times) : work_(work), times_(times), host_(work, times) {}

  Gaps find() {
    find_ends();
    std::vector<std::pair<ObjectId, std::vector<std::uint32_t>>> lanes;  // in the order of their first items
    std::unordered_map<ObjectId, std::size_t> lane_of;
    for (std::uint32_t i = 0; i < work_.items.size(); ++i) {
      const ObjectId queue = work_.items[i].work.queue;
      const auto [found, fresh] = lane_of.try_emplace(queue, lanes.size());
      if (fresh) lanes.emplace_back(queue, std::vector<std::uint32_t>());
      lanes[found->second].second.push_back(i);
    }
    for (auto& [queue, items] : lanes) find_in(queue, items);
    return std::move(out_);
  }

 private:
  bool is_timed(std::uint32_t item) const { return times_.items[item].begin != kNever; }

  // When each batch had ended, with all that it waits for and all before it on its queue. In the order of calls, so a
  // wait for a later call knows only the items of that.
  void find_ends() {
    own_.resize(work_.batches.size());
    ends_.resize(work_.batches.size());
    has_items_.resize(work_.batches.size(), false);
    for (std::uint32_t i = 0; i < work_.items.size(); ++i) {
      const std::uint32_t batch = work_.items[i].batch;
      if (batch == GapWait::kNoBatch) continue;
      has_items_[batch] = true;
      if (is_timed(i)) own_[batch].later({times_.items[i].end, i});
    }
    for (std::uint32_t b = 0; b < work_.batches.size(); ++b) {
      const GapBatch& batch = work_.batches[b];
      Done& end = ends_[b];
      end = own_[b];
      if (batch.before != GapWait::kNoBatch) end.later(ends_[batch.before]);
      if (const auto call = host_.played(batch.record)) end.later({call->end, Gap::kNone});
      for (const GapWait& wait : batch.waits) end.later(end_of(wait, b));
    }
  }
  Done end_of(const GapWait& wait, std::uint32_t asks) const {
    if (wait.batch != GapWait::kNoBatch) return wait.batch < asks ? ends_[wait.batch] : own_[wait.batch];
    const auto call = host_.played(wait.record);
    return call ? Done{call->end, Gap::kNone} : Done{};
  }

  void find_in(ObjectId queue, std::vector<std::uint32_t>& items) {
    // Items without times keep the queue busy, too: nobody knows when.
    std::vector<bool> after_untimed(items.size(), false);
    std::unordered_map<std::uint32_t, bool> unknown;
    bool untimed = false;
    for (const std::uint32_t item : items) {
      if (is_timed(item)) unknown[item] = std::exchange(untimed, false);
      untimed = untimed || !is_timed(item);
    }
    std::erase_if(items, [&](std::uint32_t item) { return !is_timed(item); });
    if (items.empty()) return;
    std::stable_sort(items.begin(), items.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return times_.items[a].begin < times_.items[b].begin; });
    GapQueue lane;
    lane.queue = queue;
    lane.items = items.size();
    double end = times_.clocks[items.front()].is_known ? std::min(0.0, times_.items[items.front()].begin)
                                                       : times_.items[items.front()].begin;
    const double begin = end;
    std::uint32_t last = Gap::kNone;
    for (const std::uint32_t item : items) {
      if (times_.items[item].begin > end) {
        const double length = times_.items[item].begin - end;
        lane.idle += length;
        lane.gaps += 1;
        split({end, length, queue, last, item}, unknown[item]);
      }
      if (last == Gap::kNone || times_.items[item].end > end) {
        end = std::max(end, times_.items[item].end);
        last = item;
      }
    }
    lane.busy = end - begin - lane.idle;
    out_.queues.push_back(lane);
  }

  struct Wait {
    Done done;
    const GapWait* wait = nullptr;
  };
  // The last wait of a batch, and of those before it that execute nothing.
  Wait last_wait(std::uint32_t batch, std::uint32_t after) const {
    Wait last;
    for (std::uint32_t b = batch; b != GapWait::kNoBatch && b != after; b = work_.batches[b].before) {
      for (const GapWait& wait : work_.batches[b].waits) {
        const Done done = end_of(wait, b);
        if (done.at > last.done.at) last = {done, &wait};
      }
      const std::uint32_t before = work_.batches[b].before;
      if (before != GapWait::kNoBatch && has_items_[before]) break;
    }
    return last;
  }

  void add(Gap gap, double begin, double end) {
    if (end <= begin) return;
    gap.begin = begin;
    gap.length = end - begin;
    out_.all.push_back(gap);
  }

  // Tells the parts of a gap, each with its cause.
  void split(const Gap& whole, bool after_untimed) {
    const GapItem& item = work_.items[whole.before];
    const double begin = whole.begin, end = begin + whole.length;
    const double short_ns = kFewTicks * times_.tick;
    Gap rest = whole;
    rest.barrier = item.barrier;
    rest.barrier_command = item.barrier_command;
    if (whole.length < short_ns) {
      rest.cause = GapCause::below_timer;
    } else if (after_untimed || item.batch == GapWait::kNoBatch) {
      rest.cause = GapCause::unexplained;
    } else if (whole.after != Gap::kNone && work_.items[whole.after].batch == item.batch) {
      rest.cause = item.barrier != 0 ? GapCause::barrier : GapCause::unexplained;
    } else {
      return split_batches(whole, rest, short_ns);
    }
    add(rest, begin, end);
  }

  // The next item is the first of its batch that was worked at.
  void split_batches(const Gap& whole, Gap rest, double short_ns) {
    const GapItem& item = work_.items[whole.before];
    const GapBatch& batch = work_.batches[item.batch];
    const GapTimes::Clock& clock = times_.clocks[whole.before];
    const double end = whole.begin + whole.length;
    double at = whole.begin;
    const std::size_t told = out_.all.size();
    if (const auto submit = host_.played(batch.record); submit && clock.is_known) {
      const double submitted = std::min(submit->end, end);
      if (submitted - at > std::max(clock.uncertainty, short_ns)) {
        host_.split(batch.record, at, submitted, clock.uncertainty, [&](const HostPart& part) {
          Gap gap = whole;
          gap.cause = part.is_late ? GapCause::player : GapCause::host;
          gap.call = part.call;
          gap.in_call = part.in_call;
          gap.submit = batch.record;
          const bool any = out_.all.size() > told;
          if (any && out_.all.back().cause == gap.cause && out_.all.back().call == gap.call) {
            out_.all.back().length = part.end - out_.all.back().begin;
            out_.all.back().in_call += part.in_call;
            return;
          }
          add(gap, part.begin, part.end);
        });
        at = submitted;
      }
    }
    const std::uint32_t after = whole.after != Gap::kNone ? work_.items[whole.after].batch : GapWait::kNoBatch;
    if (const Wait last = last_wait(item.batch, after); last.wait != nullptr) {
      const double signalled = std::min(last.done.at, end);
      const bool by_host = last.done.item == Gap::kNone;
      const double least = by_host ? std::max(clock.uncertainty, short_ns) : short_ns;
      if (signalled - at > least && (!by_host || clock.is_known)) {
        Gap gap = whole;
        gap.cause = GapCause::semaphore;
        gap.semaphore = last.wait->semaphore;
        gap.signal_batch = last.wait->batch;
        gap.signal_item = last.done.item;
        gap.signal_call = last.wait->record;
        add(gap, at, signalled);
        at = signalled;
      }
    }
    if (end - at <= 0) return;
    // What is left is too short to tell from what came before.
    if (out_.all.size() > told && end - at < std::max(short_ns, clock.is_known ? clock.uncertainty : 0)) {
      out_.all.back().length = end - out_.all.back().begin;
      return;
    }
    const bool was_there = out_.all.size() == told;
    if (was_there && !clock.is_known)
      rest.cause = item.barrier != 0 ? GapCause::barrier : GapCause::unexplained;
    else
      rest.cause = was_there && item.barrier != 0 && whole.after != Gap::kNone ? GapCause::barrier : GapCause::start;
    rest.submit = batch.record;
    add(rest, at, end);
  }

  const GapWork& work_;
  const GapTimes& times_;
  const GapHost host_;
  std::vector<Done> own_, ends_;  // by batch: its own items; and all that ends before its signals
  std::vector<bool> has_items_;   // likewise
  Gaps out_;
};

}  // namespace

std::string_view word_of(GapCause cause) {
  switch (cause) {
    case GapCause::host:
      return "host";
    case GapCause::semaphore:
      return "semaphore";
    case GapCause::barrier:
      return "barrier";
    case GapCause::start:
      return "start";
    case GapCause::player:
      return "player";
    case GapCause::below_timer:
      return "below timer";
    case GapCause::unexplained:
      break;
  }
  return "unexplained";
}

Gaps find_gaps(const GapWork& work, const GapTimes& times) { return GapFinder(work, times).find(); }

std::vector<Gap> only_unpaced(const Gaps& unpaced, const Gaps& paced) {
  const auto lengths = [](const Gaps& gaps) {
    std::unordered_map<std::uint32_t, double> all;  // by the item after the gap
    for (const Gap& gap : gaps.all) all[gap.before] += gap.length;
    return all;
  };
  const auto before = lengths(paced), here = lengths(unpaced);
  std::vector<Gap> only;
  std::uint32_t last = Gap::kNone;
  for (const Gap& gap : unpaced.all) {
    const bool is_new = std::exchange(last, gap.before) != gap.before;
    // Whatever the pace is, the device takes that time by itself, in another run more or less of it.
    const bool is_of_host =
        gap.cause == GapCause::host || gap.cause == GapCause::start || gap.cause == GapCause::player;
    if (!is_of_host) continue;
    const auto found = before.find(gap.before);
    const double length = here.at(gap.before);
    if (found != before.end() && found->second * 2 >= length) continue;
    if (!is_new && !only.empty() && only.back().before == gap.before) {
      only.back().length += gap.length;
      continue;
    }
    only.push_back(gap);
    only.back().cause = GapCause::player;
    only.back().is_unpaced = true;
  }
  return only;
}

}  // namespace rondo::analyzers
