// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph_walk.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analyzers/read/access_walk.h"

namespace rondo::analyzers {

class GraphWalk::Reader final : public AccessReader {
 public:
  Reader(GraphWalk& walk, GraphVisitor& visitor, GraphTotals& totals, graph::SyncQuestions* sync, bool with_draws)
      : walk_(walk), visitor_(visitor), totals_(totals), sync_(sync), with_draws_(with_draws) {}

  void starts(const access::Model& model) override {
    walk_.WorkNames::starts(model);
    walk_.model_ = &model;
    const auto item = [this](const graph::Item& one, std::span<const graph::ItemNeed> needs,
                             std::span<const graph::Piece> pieces) {
      totals_.items += 1;
      totals_.needs += needs.size();
      more_wanted_ = more_wanted_ && visitor_.item(one, needs, pieces);
    };
    const auto join = [this](std::uint32_t one, std::span<const std::uint32_t> items) { visitor_.join(one, items); };
    const auto touches = [this](const access::Executed& one, std::uint32_t number) { visitor_.touches(one, number); };
    graph_.emplace(walk_.placement_, model, walk_.objects(), graph::WorkGraph::Sink{item, join, touches}, sync_,
                   graph::NeedLimits{}, with_draws_);
    walk_.spaces_ = &graph_->spaces();
  }
  void call(const Step& step, const model::Call& call) override {
    frame_ = step.frame;
    walk_.take_name(call);
    visitor_.call(step, call);
    graph_->call(call, frame_, (step.record.flags & kRecordAmbiguous) != 0);
  }
  void done(const Step& step) override {
    while (!begun_.empty()) end_first();
    if (step.submits != 0) graph_->finish();
    graph_->done();
    visitor_.done(step);
    walk_.take(step);
  }

  bool batch(const model::Batch& batch) override {
    waiting_.emplace(Key{batch.record, batch.index}, std::vector<Held>());
    graph_->submitted(batch);
    return more_wanted_;
  }
  // What a batch executes is told after this: of all batches of the call. So batches are kept until it is their turn.
  bool begins(const model::Batch& batch, bool /*later*/) override {
    const auto found = waiting_.find({batch.record, batch.index});
    Begun one{batch, {}, false};
    if (found != waiting_.end()) {
      one.commands = std::move(found->second);
      waiting_.erase(found);
    }
    begun_.push_back(std::move(one));
    return more_wanted_;
  }
  bool host(const model::HostSync& host) override {
    graph_->host(host);
    return more_wanted_;
  }
  bool executed(const access::Executed& executed) override {
    if (sync_ != nullptr) walk_.keep_labels(executed.label_path);
    const Key key{executed.at, executed.batch};
    const auto is_it = [&](const Begun& one) { return one.key() == key; };
    if (std::any_of(begun_.begin(), begun_.end(), is_it)) {
      while (!is_it(begun_.front())) end_first();
      begin(begun_.front());
    } else if (const auto found = waiting_.find(key); found != waiting_.end()) {
      Held one{executed,
               std::nullopt,
               {executed.touches.begin(), executed.touches.end()},
               {executed.effects.begin(), executed.effects.end()},
               frame_};
      if (executed.recorded != nullptr) one.recorded = *executed.recorded;
      found->second.push_back(std::move(one));
      return more_wanted_;
    }
    graph_->take(executed, frame_);
    return more_wanted_;
  }

  void finish() {
    while (!begun_.empty()) end_first();
    graph_->finish();
    if (sync_ != nullptr) sync_->finish();
    for (const auto& [key, commands] : waiting_) totals_.never_began += commands.empty() ? 0 : 1;
    totals_.too_many = totals_.too_many || graph_->too_many() || (sync_ != nullptr && sync_->too_many());
  }

 private:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  // record of the call, and index of the batch in it
  // A command of a batch that has not begun, with copies of what it refers to.
  struct Held {
    access::Executed executed;
    std::optional<access::Recorded> recorded;
    std::vector<access::Touch> touches;
    std::vector<model::Effect> effects;
    std::uint64_t frame = 0;
  };
  struct Begun {
    model::Batch batch;
    std::vector<Held> commands;  // that were told before it began
    bool has_begun = false;      // in the graph
    Key key() const { return {batch.record, batch.index}; }
  };

  void begin(Begun& one) {
    if (std::exchange(one.has_begun, true)) return;
    graph_->begins(one.batch);
    for (const Held& held : one.commands) {
      access::Executed executed = held.executed;
      executed.recorded = held.recorded ? &*held.recorded : nullptr;
      executed.touches = held.touches;
      executed.effects = held.effects;
      graph_->take(executed, held.frame);
    }
  }
  void end_first() {
    Begun& first = begun_.front();
    begin(first);
    graph_->ends(first.batch);
    begun_.pop_front();
  }

  GraphWalk& walk_;
  GraphVisitor& visitor_;
  GraphTotals& totals_;
  graph::SyncQuestions* const sync_;
  const bool with_draws_;
  std::optional<graph::WorkGraph> graph_;
  std::map<Key, std::vector<Held>> waiting_;  // batches that have not begun
  std::deque<Begun> begun_;                   // in the order in which they begin
  std::uint64_t frame_ = 0;
  bool more_wanted_ = true;
};

Result<GraphWalk> GraphWalk::open(const std::string& path) {
  auto walk = Walk::open(path);
  if (!walk) return tl::unexpected(walk.error());
  return GraphWalk(std::move(*walk));
}

Result<GraphTotals> GraphWalk::run(GraphVisitor& visitor, graph::SyncQuestions* sync, bool with_draws) {
  GraphTotals totals;
  Reader reader(*this, visitor, totals, sync, with_draws);
  AccessWanted wanted;
  wanted.synchronization = true;
  wanted.placement = &placement_;
  const auto walked = walk_accesses(walk(), wanted, reader);
  // What comes before the damage is told all the same.
  if (!walked && walk().intact()) return tl::unexpected(walked.error());
  reader.finish();
  if (walked) {
    totals.frames = walked->frames;
    totals.submits = walked->submits;
    totals.too_many = totals.too_many || walked->too_many;
    totals.cut = walked->cut;
  }
  return totals;
}

std::uint64_t GraphWalk::bytes_of(std::uint32_t space, std::uint64_t begin, std::uint64_t end) const {
  const graph::SpaceInfo& info = spaces_->info(space);
  switch (info.kind) {
    case graph::SpaceInfo::Kind::memory:
    case graph::SpaceInfo::Kind::buffer:
      return end - begin;
    case graph::SpaceInfo::Kind::image: {
      std::uint64_t bytes = 0;
      access::Touch touch;
      touch.object = info.object;
      for (const VkImageSubresourceRange& part : info.grid.ranges(begin, end)) {
        touch.part = part;
        if (__builtin_add_overflow(bytes, model().bytes_of(touch), &bytes)) return UINT64_MAX;
      }
      return bytes;
    }
    case graph::SpaceInfo::Kind::queries:
    case graph::SpaceInfo::Kind::reachable:
      return 0;
  }
  return 0;
}

void GraphWalk::find_damage(GraphTotals& totals) const {
  if (const Result<void> intact = walk().intact(); !intact) totals.damage = intact.error().message;
}

}  // namespace rondo::analyzers
