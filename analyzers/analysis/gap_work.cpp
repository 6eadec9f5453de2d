// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/gap_work.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "analyzers/read/access_walk.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

using access::Executed;

bool is_synchronization(const Executed& executed) {
  if (executed.recorded != nullptr && executed.recorded->mark != access::Mark::none) return false;  // a pass says it
  return std::any_of(executed.effects.begin(), executed.effects.end(), [](const model::Effect& effect) {
    if (const auto* event = std::get_if<model::EventUse>(&effect)) return event->kind == model::EventUse::Kind::wait;
    return std::holds_alternative<model::Barrier>(effect);
  });
}

// Finds the batches and what they wait for, and what stands before each item.
class GapReader final : public AccessReader {
 public:
  explicit GapReader(GapWork& out) : out_(out) {}

  bool batch(const model::Batch& one) override {
    const auto number = static_cast<std::uint32_t>(out_.batches.size());
    GapBatch made;
    made.record = one.record;
    made.index = one.index;
    made.queue = one.queue;
    const auto [last, fresh] = last_of_queue_.try_emplace(one.queue, number);
    if (!fresh) made.before = std::exchange(last->second, number);
    if (one.submit != model::Batch::kNoSubmit) batch_of_[{one.record, one.index}] = number;
    for (const model::SemaphoreUse& wait : one.waits) waits(number, made, wait);
    out_.batches.push_back(std::move(made));
    for (const model::SemaphoreUse& signal : one.signals) signals(signal, {signal.semaphore, number, 0});
    return true;
  }
  bool host(const model::HostSync& sync) override {
    using Kind = model::HostSync::Kind;
    const bool signals_now =
        sync.kind == Kind::make_semaphore || sync.kind == Kind::signal_semaphore || sync.kind == Kind::acquire_image;
    if (signals_now && sync.succeeded)
      for (const model::SemaphoreUse& one : sync.semaphores)
        signals(one, {one.semaphore, GapWait::kNoBatch, sync.record});
    return true;
  }
  bool executed(const Executed& one) override {
    if (one.queue == ObjectId::null) return true;
    Between& between = between_[one.queue];
    if (is_synchronization(one)) {
      between.record = one.record;
      between.command = one.command;
    }
    if (next_ == out_.items.size()) return true;
    GapItem& item = out_.items[next_];
    const WorkItem& work = item.work;
    if (work.record != one.record || work.at != one.at || work.batch != one.batch || work.primary != one.primary)
      return true;
    next_ += 1;
    if (const auto found = batch_of_.find({work.at, work.batch}); found != batch_of_.end()) item.batch = found->second;
    item.barrier = between.record;
    item.barrier_command = between.command;
    if (item.barrier == 0 && (work.is_pass || between.end != 0)) {
      item.barrier = work.is_pass ? work.record : between.end;
      item.barrier_command = work.is_pass ? work.command : between.end_command;
    }
    between = {};
    if (!work.is_pass) return true;
    between.end = work.end;
    between.end_command =
        work.render_pass == ObjectId::null ? CommandId::vkCmdEndRendering : CommandId::vkCmdEndRenderPass;
    return true;
  }
  void call(const Step& step, const model::Call&) override {
    const Record& record = step.record;
    if (record.sequence > out_.last_record) return;
    const bool in_span = record.sequence >= out_.first_record;
    const bool has_times = record.has_times && record.end_ns >= record.start_ns;
    if (step.command->records_into_command_buffer || (!in_span && !has_times)) return;
    GapCall made{record.sequence, 0, 0, record.thread, step.command->canonical};
    if (has_times) made.start_ns = record.start_ns, made.end_ns = record.end_ns;
    if (codec::is_event(step.command->name)) made.command = CommandId::none;
    out_.calls.push_back(made);
  }

  // After the walk: waits for values of timeline semaphores whose signals may have come later.
  void finish() {
    for (auto& [semaphore, all] : timelines_)
      std::stable_sort(all.begin(), all.end(), [](const Signal& a, const Signal& b) { return a.value < b.value; });
    for (const Waits& one : later_) {
      const auto& all = timelines_[one.semaphore];
      const auto found = std::lower_bound(all.begin(), all.end(), one.value,
                                          [](const Signal& a, std::uint64_t value) { return a.value < value; });
      if (found != all.end()) out_.batches[one.batch].waits.push_back(found->by);
    }
  }

 private:
  struct Between {
    std::uint64_t record = 0;
    CommandId command{};
    std::uint64_t end = 0;  // of the render pass before
    CommandId end_command = CommandId::vkCmdEndRenderPass;
  };
  struct Signal {
    std::uint64_t value = 0;
    GapWait by;
  };
  struct Waits {
    std::uint32_t batch = 0;
    ObjectId semaphore = ObjectId::null;
    std::uint64_t value = 0;
  };

  void signals(const model::SemaphoreUse& use, const GapWait& by) {
    if (use.semaphore == ObjectId::null) return;
    if (use.timeline)
      timelines_[use.semaphore].push_back({use.value, by});
    else
      binaries_[use.semaphore] = by;
  }
  void waits(std::uint32_t number, GapBatch& made, const model::SemaphoreUse& use) {
    if (use.timeline) {
      later_.push_back({number, use.semaphore, use.value});
    } else if (const auto found = binaries_.find(use.semaphore); found != binaries_.end()) {
      made.waits.push_back(found->second);
      binaries_.erase(found);
    }
  }

  GapWork& out_;
  std::size_t next_ = 0;  // item
  std::unordered_map<ObjectId, std::uint32_t> last_of_queue_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> batch_of_;  // by call and index in it: of submits
  std::unordered_map<ObjectId, Between> between_;                              // by queue
  std::unordered_map<ObjectId, GapWait> binaries_;                             // signals that nothing has waited for
  std::unordered_map<ObjectId, std::vector<Signal>> timelines_;
  std::vector<Waits> later_;
};

}  // namespace

Result<GapWork> read_gap_work(WorkWalk& work, const SpanRequest& span, TimePoints& points) {
  GapWork out;
  std::vector<std::uint32_t> index;  // of the items: into TimePoints::items()
  std::uint32_t taken = 0;
  auto totals = work.run(span, WorkWalk::Visit::played, [&](std::span<const WorkItem> items) {
    points.take(items);
    for (const WorkItem& item : items) {
      // What is executed beside a label's commands has no times, and keeps the queue busy, too.
      const std::uint32_t at = item.wanted ? taken++ : player::kNone;
      if (!item.is_pass && item.pass != WorkItem::kNoPass) continue;
      if (out.first_record == 0) out.first_record = item.at;
      out.last_record = std::max(out.last_record, item.at);
      work.keep_labels(item.label_path);
      out.items.push_back({item});
      index.push_back(at);
    }
    return true;
  });
  if (!totals) return tl::unexpected(totals.error());
  out.totals = std::move(*totals);
  points.finish();
  for (std::size_t i = 0; i < out.items.size(); ++i) {
    GapItem& item = out.items[i];
    if (index[i] != player::kNone) {
      item.begin = points.items()[index[i]].begin;
      item.end = points.items()[index[i]].end;
    }
    if (item.work.wanted && !item.is_timed()) out.untimed += 1;
  }
  auto walk = Walk::open(work.walk().reader().path());
  if (!walk) return tl::unexpected(walk.error());
  AccessWanted wanted;
  wanted.synchronization = true;
  GapReader reader(out);
  if (const auto walked = walk_accesses(*walk, wanted, reader); !walked && walk->intact())
    return tl::unexpected(walked.error());
  reader.finish();
  return out;
}

}  // namespace rondo::analyzers
