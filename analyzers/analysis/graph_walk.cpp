// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph_walk.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analyzers/read/access_walk.h"

namespace rondo::analyzers {

class GraphWalk::Reader final : public AccessReader {
 public:
  Reader(GraphWalk& walk, GraphVisitor& visitor, GraphTotals& totals)
      : walk_(walk), visitor_(visitor), totals_(totals) {}

  void starts(const access::Model& model) override {
    walk_.WorkNames::starts(model);
    const auto item = [this](const graph::Item& one, std::span<const graph::ItemNeed> needs,
                             std::span<const graph::Piece> pieces) {
      totals_.items += 1;
      totals_.needs += needs.size();
      more_wanted_ = more_wanted_ && visitor_.item(one, needs, pieces);
    };
    const auto join = [this](std::uint32_t one, std::span<const std::uint32_t> items) { visitor_.join(one, items); };
    graph_.emplace(walk_.placement_, model, walk_.objects(), graph::WorkGraph::Sink{item, join});
    walk_.spaces_ = &graph_->spaces();
  }
  void call(const Step& step, const model::Call& call) override {
    frame_ = step.frame;
    walk_.take_name(call);
    for (const ObjectId id : call.ended) graph_->ended(id);
  }
  void done(const Step& step) override {
    if (step.submits != 0) graph_->finish();
    walk_.take(step);
  }

  bool batch(const model::Batch& batch) override {
    waiting_.emplace(Key{batch.record, batch.index}, std::vector<Held>());
    return more_wanted_;
  }
  bool begins(const model::Batch& batch, bool /*later*/) override {
    const auto found = waiting_.find({batch.record, batch.index});
    if (found == waiting_.end()) return more_wanted_;
    const std::vector<Held> commands = std::move(found->second);
    waiting_.erase(found);
    for (const Held& one : commands) {
      access::Executed executed = one.executed;
      executed.recorded = one.recorded ? &*one.recorded : nullptr;
      executed.touches = one.touches;
      executed.effects = one.effects;
      graph_->take(executed, one.frame);
    }
    return more_wanted_;
  }
  bool executed(const access::Executed& executed) override {
    const auto found = waiting_.find({executed.at, executed.batch});
    if (found == waiting_.end()) {
      graph_->take(executed, frame_);
      return more_wanted_;
    }
    Held one{executed,
             std::nullopt,
             {executed.touches.begin(), executed.touches.end()},
             {executed.effects.begin(), executed.effects.end()},
             frame_};
    if (executed.recorded != nullptr) one.recorded = *executed.recorded;
    found->second.push_back(std::move(one));
    return more_wanted_;
  }

  void finish() {
    graph_->finish();
    for (const auto& [key, commands] : waiting_) totals_.never_began += commands.empty() ? 0 : 1;
    totals_.too_many = totals_.too_many || graph_->too_many();
  }

 private:
  // A command of a batch that has not begun, with copies of what it refers to.
  struct Held {
    access::Executed executed;
    std::optional<access::Recorded> recorded;
    std::vector<access::Touch> touches;
    std::vector<model::Effect> effects;
    std::uint64_t frame = 0;
  };
  using Key = std::pair<std::uint64_t, std::uint32_t>;  // record of the call, and index of the batch in it

  GraphWalk& walk_;
  GraphVisitor& visitor_;
  GraphTotals& totals_;
  std::optional<graph::WorkGraph> graph_;
  std::map<Key, std::vector<Held>> waiting_;  // batches that have not begun
  std::uint64_t frame_ = 0;
  bool more_wanted_ = true;
};

Result<GraphWalk> GraphWalk::open(const std::string& path) {
  auto walk = Walk::open(path);
  if (!walk) return tl::unexpected(walk.error());
  return GraphWalk(std::move(*walk));
}

Result<GraphTotals> GraphWalk::run(GraphVisitor& visitor) {
  GraphTotals totals;
  Reader reader(*this, visitor, totals);
  AccessWanted wanted;
  wanted.synchronization = true;
  wanted.placement = &placement_;
  const auto walked = walk_accesses(walk(), wanted, reader);
  if (!walked && !walk().damage()) return tl::unexpected(walked.error());
  reader.finish();
  if (walked) {
    totals.frames = walked->frames;
    totals.submits = walked->submits;
    totals.too_many = totals.too_many || walked->too_many;
    totals.cut = walked->cut;
  }
  return totals;
}

}  // namespace rondo::analyzers
