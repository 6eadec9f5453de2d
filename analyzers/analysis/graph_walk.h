// SPDX-License-Identifier: Apache-2.0
// The work graph of a capture, item by item (graph/work_graph.h), and the names of what it is about. No device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "analyzers/analysis/graph/work_graph.h"
#include "analyzers/analysis/work_names.h"

namespace rondo::analyzers {

struct GraphTotals {
  std::uint64_t items = 0, needs = 0;
  std::uint64_t frames = 0, submits = 0;    // of the capture
  std::uint64_t never_began = 0;            // submits that wait for a signal that the capture does not have
  std::optional<std::uint64_t> operations;  // of synchronization; none: nobody asked
  std::optional<std::uint64_t> races;       // needs that nothing orders; none: nobody asked
  bool too_many = false;                    // the capture has more than any program needs: the rest is missing
  std::string cut;                          // why the capture ends early; empty: it is complete
  // Says which part of the file cannot be read. find_damage() fills it. Empty: all can be read.
  std::string damage;

  // There may be more in the capture than was read.
  bool is_partial() const { return too_many || !cut.empty() || !damage.empty(); }
};

class GraphVisitor {
 public:
  virtual ~GraphVisitor() = default;
  // Is told each item and each join, as WorkGraph::Sink is. Returns false to stop the walk.
  virtual bool item(const graph::Item& item, std::span<const graph::ItemNeed> needs,
                    std::span<const graph::Piece> pieces) = 0;
  virtual void join(std::uint32_t /*join*/, std::span<const std::uint32_t> /*items*/) {}
  // Each call of the program, before what it does. Its placement is known already.
  virtual void call(const Step& /*step*/, const model::Call& /*call*/) {}
  // Each record that has a command, the layer's own too, after what it does.
  virtual void done(const Step& /*step*/) {}
  // What touches, as WorkGraph::Sink::touches is told.
  virtual void touches(const access::Executed& /*executed*/, std::uint32_t /*item*/) {}
};

// For those who want what is asked of the synchronization alone.
class NoVisit final : public GraphVisitor {
 public:
  bool item(const graph::Item&, std::span<const graph::ItemNeed>, std::span<const graph::Piece>) override {
    return true;
  }
};

// Two visitors of one walk. The walk goes on as long as both want more.
class BothVisit final : public GraphVisitor {
 public:
  BothVisit(GraphVisitor& first, GraphVisitor& second) : first_(first), second_(second) {}
  bool item(const graph::Item& item, std::span<const graph::ItemNeed> needs,
            std::span<const graph::Piece> pieces) override {
    const bool more = first_.item(item, needs, pieces);
    return second_.item(item, needs, pieces) && more;
  }
  void join(std::uint32_t join, std::span<const std::uint32_t> items) override {
    first_.join(join, items);
    second_.join(join, items);
  }
  void call(const Step& step, const model::Call& call) override {
    first_.call(step, call);
    second_.call(step, call);
  }
  void done(const Step& step) override {
    first_.done(step);
    second_.done(step);
  }
  void touches(const access::Executed& executed, std::uint32_t item) override {
    first_.touches(executed, item);
    second_.touches(executed, item);
  }

 private:
  GraphVisitor& first_;
  GraphVisitor& second_;
};

class GraphWalk : public WorkNames {
 public:
  static Result<GraphWalk> open(const std::string& path);

  // `sync`: takes what the program orders, too, and what must be asked of it. `with_draws`: items of passes have their
  // draws.
  Result<GraphTotals> run(GraphVisitor& visitor, graph::SyncQuestions* sync = nullptr, bool with_draws = false);

  // After run(): whether all of the file could be read. Reads the file again.
  void find_damage(GraphTotals& totals) const;

  // While the visitor is called: as they are then.
  const graph::Spaces& spaces() const { return *spaces_; }
  const model::Placement& placement() const { return placement_; }
  // The bytes of a range of a space, at most; of an image those of its texels. 0: of queries, and of all that is
  // reachable.
  std::uint64_t bytes_of(std::uint32_t space, std::uint64_t begin, std::uint64_t end) const;
  const access::Model& model() const { return *model_; }

 private:
  using WorkNames::WorkNames;
  class Reader;

  model::Placement placement_;
  const graph::Spaces* spaces_ = nullptr;
  const access::Model* model_ = nullptr;
};

}  // namespace rondo::analyzers
