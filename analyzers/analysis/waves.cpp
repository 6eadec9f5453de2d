// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/waves.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace rondo::analyzers {

using graph::HasStepOperation;
using graph::ItemKind;
using graph::PathStep;
using graph::SyncLog;

// --- What the capture says ---

class Waves::Visitor final : public GraphVisitor {
 public:
  Visitor(Waves& waves, const GraphWalk& walk, const WorkSpan& span, const MeasuredTimes* times)
      : waves_(waves), walk_(walk), span_(span), times_(times) {}

  bool item(const graph::Item& item, std::span<const graph::ItemNeed> needs,
            std::span<const graph::Piece> pieces) override {
    waves_.needs_.item(item.number, needs);
    waves_.names_.add(item, false);
    waves_.kinds_.push_back(item.kind);
    waves_.at_.push_back(item.work.at);
    waves_.frame_of_.push_back(item.work.frame);
    const bool counts = works(item, pieces) && span_.contains(item.work, walk_);
    waves_.ones_.push_back(counts ? 1 : 0);
    const MeasuredTime* const time = counts && times_ != nullptr ? times_->of(item.work) : nullptr;
    const bool is_alone = times_ == nullptr;
    waves_.lengths_.push_back(time != nullptr ? static_cast<std::uint64_t>(std::llround(time->median))
                                              : (is_alone && counts ? 1 : 0));
    waves_.begins_.push_back(time != nullptr ? time->begin : -1);
    waves_.below_timer_.push_back(time != nullptr && time->below_timer);
    return true;
  }
  void join(std::uint32_t join, std::span<const std::uint32_t> items) override { waves_.needs_.join(join, items); }

 private:
  // As `rondo profile` has items: not what resets, writes or ends queries alone.
  bool works(const graph::Item& item, std::span<const graph::Piece> pieces) const {
    if (item.kind == ItemKind::pass) return true;
    if (item.kind != ItemKind::work) return false;
    return item.work.draw != access::Executed::kNoDraw ||
           std::any_of(pieces.begin(), pieces.end(), [&](const graph::Piece& one) {
             return walk_.spaces().info(one.space).kind != graph::SpaceInfo::Kind::queries;
           });
  }

  Waves& waves_;
  const GraphWalk& walk_;
  const WorkSpan& span_;
  const MeasuredTimes* const times_;
};

Result<Waves> Waves::of(const std::string& path, const SpanRequest& request, const MeasuredTimes* times) {
  Waves made;
  made.is_timed_ = times != nullptr;
  auto order = HasOrder::open(path);
  if (!order) return tl::unexpected(order.error());
  made.order_ = std::make_unique<HasOrder>(std::move(*order));
  const auto span = WorkSpan::find(made.order_->walk(), request);
  if (!span) return tl::unexpected(span.error());
  Visitor visitor(made, made.order_->walk(), *span, times);
  auto totals = made.order_->run(visitor);
  if (!totals) return tl::unexpected(totals.error());
  made.totals_ = std::move(*totals);
  made.order_->walk().find_damage(made.totals_);
  made.paths_ = std::make_unique<graph::HasPaths>(made.order_->take_steps(), made.needs_.items());
  made.measure();
  return made;
}

// --- Totals ---

namespace {

std::uint64_t longest_of(const std::vector<std::uint64_t>& ends) {
  return ends.empty() ? 0 : *std::max_element(ends.begin(), ends.end());
}

// The time from the begin of the first item to the end of the last one.
struct Measured {
  double first = -1, last = 0;
  void take(double begin, double length) {
    if (begin < 0) return;
    first = first < 0 ? begin : std::min(first, begin);
    last = std::max(last, begin + length);
  }
  double time() const { return first < 0 ? 0 : last - first; }
};

}  // namespace

void Waves::measure() {
  const std::uint32_t items = needs_.items();
  wave_of_ = needs_.ends({ones_, {}}, true);
  region_of_ = paths_->ends({ones_, {}});
  all_.waves = longest_of(wave_of_);
  all_.regions = longest_of(region_of_);
  all_.certain_waves = longest_of(needs_.ends({ones_, {}}, false));
  data_path_ = needs_.longest(lengths_, true);
  program_path_ = paths_->longest(lengths_);
  Measured measured;
  for (std::uint32_t i = 0; i < items; ++i) {
    all_.items += ones_[i];
    all_.work += lengths_[i];
    all_.timed += begins_[i] >= 0 ? 1 : 0;
    all_.below_timer += below_timer_[i] ? 1 : 0;
    measured.take(begins_[i], static_cast<double>(lengths_[i]));
  }
  all_.measured = measured.time();
  for (const PathStep& step : data_path_) all_.data += lengths_[step.item];
  for (const PathStep& step : program_path_) all_.program += lengths_[step.item];
  measure_frames();
  find_candidates();
}

void Waves::measure_frames() {
  const std::uint32_t items = needs_.items();
  std::map<std::uint64_t, std::uint32_t> parts;  // by frame
  for (std::uint32_t i = 0; i < items; ++i)
    if (ones_[i] != 0) parts.try_emplace(frame_of_[i], 0);
  frames_.clear();
  for (auto& [frame, part] : parts) {
    part = static_cast<std::uint32_t>(frames_.size());
    frames_.emplace_back().frame = frame;
  }
  if (parts.size() < 2) return;
  // Frames without items of their own: one part, which nothing counts in.
  std::vector<std::uint32_t> part_of(items);
  for (std::uint32_t i = 0; i < items; ++i) {
    const auto found = parts.lower_bound(frame_of_[i]);
    part_of[i] = found != parts.end() ? found->second : static_cast<std::uint32_t>(frames_.size());
  }
  std::vector<Measured> measured(frames_.size());
  for (std::uint32_t i = 0; i < items; ++i) {
    if (ones_[i] == 0) continue;
    WaveTotals& frame = frames_[part_of[i]];
    frame.items += 1;
    frame.work += lengths_[i];
    frame.timed += begins_[i] >= 0 ? 1 : 0;
    frame.below_timer += below_timer_[i] ? 1 : 0;
    measured[part_of[i]].take(begins_[i], static_cast<double>(lengths_[i]));
  }
  const auto find = [&](std::uint64_t WaveTotals::*member, const std::vector<std::uint64_t>& ends) {
    for (std::uint32_t i = 0; i < items; ++i)
      if (ones_[i] != 0) frames_[part_of[i]].*member = std::max(frames_[part_of[i]].*member, ends[i]);
  };
  find(&WaveTotals::waves, needs_.ends({ones_, part_of}, true));
  find(&WaveTotals::regions, paths_->ends({ones_, part_of}));
  find(&WaveTotals::data, needs_.ends({lengths_, part_of}, true));
  find(&WaveTotals::program, paths_->ends({lengths_, part_of}));
  for (std::size_t i = 0; i < frames_.size(); ++i) frames_[i].measured = measured[i].time();
}

std::vector<Wave> Waves::waves() const {
  std::vector<Wave> all(all_.waves);
  for (std::uint32_t i = 0; i < needs_.items(); ++i) {
    if (ones_[i] == 0) continue;
    Wave& wave = all[wave_of_[i] - 1];
    wave.items.push_back(i);
    wave.sum += lengths_[i];
    wave.longest = std::max(wave.longest, lengths_[i]);
    wave.regions.push_back(static_cast<std::uint32_t>(region_of_[i]));
  }
  for (Wave& wave : all) {
    std::sort(wave.regions.begin(), wave.regions.end());
    wave.regions.erase(std::unique(wave.regions.begin(), wave.regions.end()), wave.regions.end());
  }
  return all;
}

// --- The program's path ---

std::vector<std::optional<bool>> Waves::needed_steps() const {
  std::vector<std::optional<bool>> all(program_path_.size());
  for (std::size_t i = 1; i < program_path_.size(); ++i)
    all[i] = needs_.leads(program_path_[i].item, program_path_[i - 1].item);
  return all;
}

void Waves::find_candidates() {
  const auto& operations = paths_->operations();
  for (const PathStep& step : program_path_)
    for (const std::uint32_t number : step.through)
      if (order_->questions().log.ops()[operations[number].op].sync != SyncLog::kNone)
        candidates_.push_back(operations[number].first);
  std::sort(candidates_.begin(), candidates_.end());
  candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
}

const graph::SyncVerdicts& Waves::verdicts() const {
  if (!verdicts_) verdicts_ = graph::find_verdicts(order_->questions());
  return *verdicts_;
}

std::vector<WaveCost> Waves::costs() const {
  const std::vector<std::uint64_t> saved = paths_->costs(lengths_, candidates_);
  std::vector<WaveCost> all;
  for (std::size_t i = 0; i < saved.size(); ++i)
    if (saved[i] != 0) all.push_back({candidates_[i], saved[i], {}});
  std::stable_sort(all.begin(), all.end(), [](const WaveCost& a, const WaveCost& b) { return a.saves > b.saves; });
  if (all.size() > kMostCosts) all.resize(kMostCosts);
  for (WaveCost& one : all)
    one.verdict = verdicts().syncs[order_->questions().log.ops()[paths_->operations()[one.operation].op].sync].verdict;
  return all;
}

// --- Runs of device work without the host ---

const char* word_of(Partition::End end) {
  switch (end) {
    case Partition::End::host_write:
      return "host write";
    case Partition::End::read_back:
      return "host read-back";
    case Partition::End::present:
      return "present";
    case Partition::End::capture:
      return "end";
  }
  return "";
}

namespace {

// What an item, or a join, comes after.
struct HostBetween {
  std::uint32_t work = 0;  // the last run with device work that it needs, from 1 on; 0: none
  std::uint32_t host = 0;  // likewise, with an item of the host between that work and it
  std::uint32_t by = 0;    // that item
  void add(const HostBetween& other) {
    work = std::max(work, other.work);
    if (other.host <= host) return;
    host = other.host;
    by = other.by;
  }
};

}  // namespace

std::vector<Partition> Waves::partitions() const {
  // By item: the first call after which the host could read what the item wrote.
  std::map<std::uint32_t, std::uint64_t> read_at;
  const graph::SyncQuestions& questions = order_->questions();
  for (const graph::SyncQuestion& one : questions.all()) {
    if (!questions.is_read_back(one)) continue;
    const graph::SyncQuestions::OfHost& host = questions.host(one);
    if (host.node == graph::HostNeed::kNoNode || host.node >= order_->items_of_nodes().size()) continue;
    const auto [found, fresh] = read_at.try_emplace(order_->items_of_nodes()[host.node], host.call.record);
    if (!fresh) found->second = std::min(found->second, host.call.record);
  }
  std::vector<Partition> all;
  std::uint64_t read_back = UINT64_MAX;  // the first call after which the host could read what this run wrote
  std::uint64_t submit = UINT64_MAX;
  std::vector<HostBetween> items(needs_.items());
  std::unordered_map<std::uint32_t, HostBetween> joins;
  needs_.each([&](std::uint32_t one, std::span<const std::uint32_t> others) {
    HostBetween between;
    for (const std::uint32_t other : others) between.add(graph::is_join(other) ? joins.at(other) : items[other]);
    if (graph::is_join(one)) {
      joins.emplace(one, between);
      return;
    }
    const ItemKind kind = kinds_[one];
    if (kind == ItemKind::host || kind == ItemKind::acquire || kind == ItemKind::present ||
        kind == ItemKind::lifetime) {
      if (between.work > between.host) {
        between.host = between.work;
        between.by = one;
      }
    } else {
      const auto end = [&](Partition::End why, std::uint64_t by, bool is_possible) {
        all.back().end = why;
        all.back().by = by;
        all.back().is_possible = is_possible;
      };
      const bool is_cut = !all.empty() && between.host == all.size();
      const bool is_read = !all.empty() && read_back < at_[one];
      if (is_cut)
        end(kinds_[between.by] == ItemKind::present || kinds_[between.by] == ItemKind::acquire
                ? Partition::End::present
                : Partition::End::host_write,
            names_[between.by].record, false);
      else if (is_read)
        end(Partition::End::read_back, read_back, true);
      if (all.empty() || is_cut || is_read) {
        all.push_back({one, one, 0, 0, Partition::End::capture, 0, false});
        read_back = submit = UINT64_MAX;
      }
      Partition& now = all.back();
      now.last = one;
      now.items += ones_[one];
      if (names_[one].submit != std::exchange(submit, names_[one].submit)) now.submits += 1;
      if (const auto found = read_at.find(one); found != read_at.end()) read_back = std::min(read_back, found->second);
      between.work = static_cast<std::uint32_t>(all.size());
    }
    items[one] = between;
  });
  std::erase_if(all, [](const Partition& one) { return one.items == 0; });
  return all;
}

std::vector<IdleWait> Waves::idle_waits() const {
  std::vector<IdleWait> all;
  const auto syncs = order_->questions().log.syncs();
  for (std::size_t i = 1; i < syncs.size(); ++i)
    if (syncs[i].kind == graph::SyncOp::Kind::host_wait &&
        verdicts().syncs[i].verdict == graph::SyncVerdict::superfluous)
      all.push_back({syncs[i].record, syncs[i].command});
  return all;
}

}  // namespace rondo::analyzers
