// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/sync_verdicts.h"

#include <algorithm>
#include <bit>
#include <map>

#include "analyzers/analysis/graph/scopes.h"

namespace rondo::graph {

namespace {

constexpr std::size_t kMostExamples = 4;
// How many times the whole is looked at again. What is undecided then counts as needed.
constexpr int kMostRounds = 24;
// A race is compared with so many ops before it.
constexpr std::uint32_t kMostNear = 1024;

constexpr int kWidestOfAll = 1 << 20;  // more bits than barriers have

class Verdicts {
 public:
  explicit Verdicts(const SyncQuestions& questions)
      : questions_(questions),
        log_(questions.log),
        removed_(log_.syncs().size()),
        necessary_(log_.syncs().size()),
        by_last_stage_(questions.all().size()) {
    result_.syncs.resize(log_.syncs().size());
    for (std::size_t i = 0; i < result_.syncs.size(); ++i)
      result_.syncs[i].uses.resize(log_.syncs()[i].barriers.size());
    result_.is_race.resize(questions.all().size());
    result_.executes.resize(questions.all().size());
    result_.too_many = questions.too_many();
  }

  SyncVerdicts run() {
    find_races();
    find_removable();
    remove();
    find_uses();
    find_ineffective();
    // Not all was looked at: so nobody can say what is not needed.
    if (result_.too_many)
      for (SyncResult& one : result_.syncs)
        if (one.verdict == SyncVerdict::superfluous) one.verdict = SyncVerdict::unknown;
    return std::move(result_);
  }

 private:
  template <class Visit>
  void ask(const Visit& visit, SyncOrder::Detail detail = SyncOrder::Detail::needed) {
    SyncOrder order(log_, questions_.histories, removed_, detail);
    for (std::uint32_t i = 0; i < questions_.all().size(); ++i) {
      const SyncQuestion& one = questions_.all()[i];
      const AccessAt from = from_of(i), to = questions_.to(one);
      visit(order, i, one, from, to, order.ask(from, one.history, to, one.memory));
    }
    result_.too_many = result_.too_many || order.too_many();
  }
  // What orders it must stay.
  bool keeps(std::uint32_t question) const {
    return !result_.is_race[question] && !questions_.keeps_nothing(questions_.all()[question]);
  }
  AccessAt from_of(std::uint32_t question) const {
    const SyncQuestion& one = questions_.all()[question];
    return by_last_stage_[question] ? *questions_.from_last_stage(one) : questions_.from(one);
  }
  static bool is_yes(const SyncQuestion& one, const SyncOrder::Answer& answer) {
    return one.memory ? answer.sees : answer.executes;
  }

  void find_races() {
    ask([&](SyncOrder& order, std::uint32_t i, const SyncQuestion& one, const AccessAt&, const AccessAt& to,
            SyncOrder::Answer answer) {
      if (!answer.executes)
        if (const auto last = questions_.from_last_stage(one)) {
          answer = order.ask(*last, one.history, to, one.memory);
          by_last_stage_[i] = answer.executes;
        }
      result_.executes[i] = answer.executes;
      if (!is_yes(one, answer)) {
        result_.is_race[i] = true;
        return;
      }
      if (questions_.keeps_nothing(one)) return;
      for (const std::uint32_t sync : order.members(answer.needed)) necessary_[sync] = true;
    });
  }

  // All that may be removed, as far as it is known what it is for.
  void find_removable() {
    std::map<std::uint32_t, std::uint32_t> last_time;  // of work, by queue
    for (std::uint32_t node = 0; node < questions_.nodes(); ++node) {
      if (!questions_.executed(node).works) continue;
      const SyncLog::Place& place = questions_.place(node);
      std::uint32_t& time = last_time[place.queue];
      time = std::max(time, place.time);
    }
    std::uint32_t last = 0;
    for (const auto& [queue, time] : last_time) last = std::max(last, time);
    for (std::uint32_t i = 0; i < log_.ops().size(); ++i) {
      const SyncLog::Op& op = log_.ops()[i];
      if (log_.syncs()[op.sync].kind == SyncOp::Kind::host_wait) {
        result_.syncs[op.sync].is_followed = result_.syncs[op.sync].is_followed || i < last;
        continue;
      }
      const auto found = last_time.find(log_.shape(op.own_shape).to_queue);
      if (found != last_time.end() && i < found->second) result_.syncs[op.sync].is_followed = true;
    }
    for (std::size_t i = 1; i < log_.syncs().size(); ++i) {
      const SyncOp& sync = log_.syncs()[i];
      if (sync.kind == SyncOp::Kind::host_wait && log_.found_idle()) continue;
      const bool for_host = std::any_of(sync.barriers.begin(), sync.barriers.end(), [](const model::Barrier& one) {
        return (one.dst_stages & VK_PIPELINE_STAGE_2_HOST_BIT) != 0;
      });
      if (!sync.changes && !sync.waits_for_host && !sync.may_order_reset && !for_host)
        removable_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  // Removes as many as can be removed together.
  void remove() {
    for (int round = 0; round < kMostRounds; ++round) {
      std::vector<std::uint32_t> candidates;
      for (const std::uint32_t sync : removable_)
        if (!removed_[sync] && !necessary_[sync]) candidates.push_back(sync);
      if (candidates.empty()) return;
      // All of them at once, …
      const std::vector<bool> before = removed_;
      for (const std::uint32_t sync : candidates) removed_[sync] = true;
      std::vector<std::uint32_t> broken;
      ask(
          [&](SyncOrder&, std::uint32_t i, const SyncQuestion& one, const AccessAt&, const AccessAt&,
              const SyncOrder::Answer& answer) {
            if (keeps(i) && !is_yes(one, answer)) broken.push_back(i);
          },
          SyncOrder::Detail::order);
      if (broken.empty()) return;
      // … but those that what is broken then can use: the cheapest way of each.
      removed_ = before;
      std::vector<bool> is_used(removed_.size());
      {
        SyncOrder order(log_, questions_.histories, removed_, SyncOrder::Detail::needed);
        std::vector<SyncOrder::Used> way;
        for (const std::uint32_t i : broken) {
          const SyncQuestion& one = questions_.all()[i];
          order.way(from_of(i), one.history, questions_.to(one), one.memory, way);
          for (const SyncOrder::Used& used : way) is_used[log_.ops()[used.op].sync] = true;
        }
      }
      bool any = false;
      for (const std::uint32_t sync : candidates) {
        if (is_used[sync]) continue;
        removed_[sync] = true;
        any = true;
      }
      // All are used by some way: each one alone can be removed. The widest goes.
      if (!any) {
        const auto widest =
            std::max_element(candidates.begin(), candidates.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return width_of(a) < width_of(b); });
        removed_[*widest] = true;
      }
      necessary_.assign(necessary_.size(), false);
      ask([&](SyncOrder& order, std::uint32_t i, const SyncQuestion& one, const AccessAt&, const AccessAt&,
              const SyncOrder::Answer& answer) {
        // What was left out, because it was more than is looked at, may count after all.
        if (keeps(i) && !is_yes(one, answer)) result_.too_many = true;
        if (keeps(i))
          for (const std::uint32_t sync : order.members(answer.needed)) necessary_[sync] = true;
      });
    }
  }

  int width_of(std::uint32_t sync) const {
    int width = log_.syncs()[sync].kind == SyncOp::Kind::host_wait ? kWidestOfAll : 0;
    for (const model::Barrier& one : log_.syncs()[sync].barriers)
      width += std::popcount(first_stages(one.src_stages)) + std::popcount(second_stages(one.dst_stages)) +
               std::popcount(all_accesses(one.src_access)) + std::popcount(all_accesses(one.dst_access));
    return width;
  }

  // All superfluous commands are removed here. Each command that is left is needed: this finds which of its scopes are.
  void find_uses() {
    std::vector<SyncOrder::Used> way;
    std::vector<SyncQuestions::Other> others(questions_.others().begin(), questions_.others().end());
    std::stable_sort(others.begin(), others.end(),
                     [](const auto& a, const auto& b) { return a.question < b.question; });
    auto other = others.begin();
    ask([&](SyncOrder& order, std::uint32_t i, const SyncQuestion& one, const AccessAt& from, const AccessAt& to,
            const SyncOrder::Answer& answer) {
      const auto first = other;
      while (other != others.end() && other->question == i) ++other;
      if (!keeps(i)) return;
      for (const std::uint32_t sync : order.members(answer.needed)) {
        if (sync >= result_.syncs.size()) continue;
        SyncResult& result = result_.syncs[sync];
        if (questions_.is_read_back(one)) continue;
        result.verdict = SyncVerdict::needed;
        result.need_count += 1;
        if (result.needs.size() < kMostExamples) result.needs.push_back(i);
      }
      order.way(from, one.history, to, one.memory, way);
      for (const SyncOrder::Used& used : way) {
        // The answer may be that of another history of the same kind.
        const std::uint32_t own = is_ranged(used.op) ? op_in(one.history, used.op) : UINT32_MAX;
        add_use(used, own != UINT32_MAX ? own : used.op);
        for (auto same = first; same != other; ++same)
          if (const std::uint32_t op = op_in(same->history, used.op); op != UINT32_MAX) add_use(used, op);
      }
      // The transition itself is what the barrier is for.
      for (const AccessAt* side : {&from, &to})
        for (std::uint32_t number = side->first_op; number < side->end_op; ++number)
          if (const SyncLog::Op& op = log_.ops()[number]; op.sync != SyncLog::kNone)
            result_.syncs[op.sync].uses[op.part].any = true;
    });
    for (std::size_t i = 1; i < removed_.size(); ++i)
      if (removed_[i]) result_.syncs[i].verdict = SyncVerdict::superfluous;
  }

  void add_use(const SyncOrder::Used& used, std::uint32_t number) {
    const SyncLog::Op& op = log_.ops()[number];
    if (op.sync == SyncLog::kNone || op.part >= result_.syncs[op.sync].uses.size()) return;
    SyncUse& use = result_.syncs[op.sync].uses[op.part];
    use.any = true;
    use.src_stages |= used.src_stage;
    use.dst_stages |= used.dst_stage;
    use.src_access |= used.src_access;
    use.dst_access |= used.dst_access;
  }
  bool is_ranged(std::uint32_t number) const {
    const SyncLog::Op& op = log_.ops()[number];
    const std::vector<model::Barrier>& barriers = log_.syncs()[op.sync].barriers;
    return op.part < barriers.size() && barriers[op.part].kind != model::Barrier::Kind::memory;
  }
  // The op of a history that stands for this one of another history of the same kind; UINT32_MAX: there is none.
  std::uint32_t op_in(std::uint32_t history, std::uint32_t number) const {
    const SyncLog::Op& like = log_.ops()[number];
    for (; history != Histories::kNone; history = questions_.histories.before(history)) {
      const std::uint32_t op = questions_.histories.op(history);
      if (op < like.call) break;
      if (log_.ops()[op].call == like.call && log_.ops()[op].own_shape == like.own_shape) return op;
    }
    return UINT32_MAX;
  }

  void find_ineffective() {
    const std::vector<bool> none(removed_.size());
    SyncOrder order(log_, questions_.histories, none);
    std::vector<SyncOrder::Used> way;
    for (std::uint32_t i = 0; i < result_.is_race.size(); ++i) {
      const SyncQuestion& one = questions_.all()[i];
      if (!result_.is_race[i] || one.is_quiet) continue;
      const AccessAt from = questions_.from(one), to = questions_.to(one);
      // What orders it, and does not make visible what is written.
      if (result_.executes[i] && one.memory) {
        order.way(from_of(i), one.history, to, false, way);
        for (const SyncOrder::Used& used : way) {
          const std::uint32_t number = log_.ops()[used.op].sync;
          if (number == SyncLog::kNone || (is_ranged(used.op) && !has_met(one.history, used.op))) continue;
          if (removed_[number]) result_.syncs[number].verdict = SyncVerdict::ineffective;
          if (result_.syncs[number].race == UINT32_MAX) result_.syncs[number].race = i;
        }
      }
      const std::uint32_t end = to.is_transition() ? to.first_op : to.place.time;
      std::uint32_t begin = from.is_transition() ? from.end_op : from.place.time;
      if (end > kMostNear) begin = std::max(begin, end - kMostNear);
      for (const AccessAt* side : {&from, &to})
        for (std::uint32_t number = side->first_op; number < side->end_op; ++number)
          result_.syncs[log_.ops()[number].sync].race = i;
      for (std::uint32_t number = begin; number < end; ++number) {
        const SyncLog::Op& op = log_.ops()[number];
        if (op.sync == SyncLog::kNone) continue;
        const SyncOp& sync = log_.syncs()[op.sync];
        const SyncShape& shape = log_.shape(op.own_shape);
        if (shape.from_queue != from.place.queue || shape.to_queue != to.place.queue) continue;
        if (!sync.barriers.empty() && sync.barriers[op.part].kind != model::Barrier::Kind::memory &&
            !has_met(one.history, number))
          continue;
        SyncResult& result = result_.syncs[op.sync];
        if (result.race != UINT32_MAX || !is_near(shape, from, to, one.memory)) continue;
        if (removed_[op.sync]) result.verdict = SyncVerdict::ineffective;
        result.race = i;
      }
    }
  }
  // One of its scopes has what the race is of, or both have the right stages. Where an order is enough, one stage.
  static bool is_near(const SyncShape& shape, const AccessAt& from, const AccessAt& to, bool memory) {
    const auto has = [](VkFlags64 flags, unsigned number) { return (flags >> number & 1) != 0; };
    const bool first = has(shape.first, from.kind.stage), second = has(shape.second, to.kind.stage);
    return (first && second) || (!memory && (first || second)) || (first && has(shape.src_access, from.kind.access)) ||
           (second && has(shape.dst_access, to.kind.access));
  }
  bool has_met(std::uint32_t history, std::uint32_t op) const {
    for (; history != Histories::kNone; history = questions_.histories.before(history))
      if (questions_.histories.op(history) == op) return true;
    return false;
  }

  const SyncQuestions& questions_;
  const SyncLog& log_;
  std::vector<bool> removed_, necessary_;
  std::vector<bool> by_last_stage_;  // by question: SyncQuestions::from_last_stage() answers it
  std::vector<std::uint32_t> removable_;
  SyncVerdicts result_;
};

}  // namespace

SyncVerdicts find_verdicts(const SyncQuestions& questions) { return Verdicts(questions).run(); }

}  // namespace rondo::graph
