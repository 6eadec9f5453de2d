// SPDX-License-Identifier: Apache-2.0
// The relation NEEDS: which node of the work graph must come before which other one, because of what both touch. It
// follows from the touches alone, and from nothing that the program synchronizes. No device. One thread.
// Specification: "Memory Dependencies" (hazards), "Resource Memory Association" (aliases).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analyzers/analysis/graph/access_lists.h"
#include "analyzers/analysis/graph/segments.h"
#include "format/check.h"
#include "format/vulkan.h"
#include "model/touch.h"

namespace rondo::graph {

// The later node reads what the earlier one wrote, writes what it read, or writes what it wrote.
enum class Hazard : std::uint8_t { raw, war, waw };

// How something is touched.
struct Way {
  VkPipelineStageFlags2 stages = 0;
  VkAccessFlags2 access = 0;
  bool changes_layout = false;   // by a layout transition: what was there stays, in another layout
  bool is_open = false;          // nobody knows whether it touches all of that, or any (model::Touch::is_open)
  std::uint32_t part = 0;        // of a transition: of which barrier of its command (SyncLog::part_of())
  bool is_loaded_later = false;  // model::Touch::is_loaded_later
  model::TexelBox box = {};      // model::Touch::box
  friend auto operator<=>(const Way&, const Way&) = default;
};

struct Need {
  Ref from, to;
  std::uint32_t space = 0;
  std::uint64_t begin = 0, end = 0;  // of the space
  Hazard hazard{};
  bool possible = false;   // else certain
  std::uint32_t mark = 0;  // of what `from` wrote there: Needs::mark()
  bool was_read = false;   // of waw: what `from` wrote was read before
  friend bool operator==(const Need&, const Need&) = default;
};

// Nodes are numbered from 0 in the order in which they execute. Where one node needs very many others, these are made
// one "join": the node needs the join, and the join needs the others. The number of a join has the bit kJoin.
inline constexpr std::uint32_t kJoin = std::uint32_t{1} << 31;
inline bool is_join(std::uint32_t node) { return node != Ref::kNone && (node & kJoin) != 0; }

class NeedSink {
 public:
  virtual ~NeedSink() = default;
  // What a node or a join needs: sorted by what it needs, each once. What a join needs is told before it is needed.
  // Holds until it returns.
  virtual void needs(std::uint32_t node, std::span<const Need> needs) = 0;
};

// More than any program needs; a hostile capture finds its end there.
struct NeedLimits {
  std::size_t segments = std::size_t{1} << 22;
  std::size_t needs = std::size_t{1} << 22;  // of one node
  std::size_t nodes = kJoin - 1;
};

class Needs {
 public:
  explicit Needs(NeedSink& sink, const NeedLimits& limits = {}) : sink_(sink), limits_(limits) {}

  // The number of a way; equal ones have the same.
  std::uint32_t number_of(const Way& way);
  const Way& way(std::uint32_t number) const { return ways_[number]; }

  // A node: begin(), which gives its number, then all that it touches, and end(). It needs nothing of itself.
  std::uint32_t begin();
  // Numbers [begin, end) of a space. All touches of a space are certain, or all are possible.
  void touch(std::uint32_t space, std::uint64_t begin, std::uint64_t end, std::uint32_t way, bool reads, bool writes,
             bool possible = false);
  // A cell has touches of two sides that may share bytes: as those of an image with optimal tiling, and those of a
  // buffer on the same memory. Only the driver knows the bytes. So each touch of one side possibly needs every earlier
  // touch of the other side. Such a need has `space`, and no range.
  // `ordered`: of two nodes that touch this side, one of which writes, the later one needs the earlier one for another
  // reason. So what comes after a node that writes needs nothing from before it.
  enum class Side : std::uint8_t { one, other };
  void meet(std::uint32_t cell, Side side, std::uint32_t space, std::uint32_t way, bool reads, bool writes,
            bool ordered = false);
  void end();

  // What the open node touches, but not what it meets.
  struct Touch {
    std::uint32_t space, way;
    std::uint64_t begin, end;
    bool reads, writes, possible;
  };
  std::span<const Touch> touches() const { return touches_; }

  // Gives a mark to what was written there and is still there, and a need of that has the mark. A new write has the
  // mark 0. `next(mark)` says which mark follows another one. Between nodes.
  void mark(std::uint32_t space, std::uint64_t begin, std::uint64_t end,
            const std::function<std::uint32_t(std::uint32_t)>& next);

  // `cell` has met on `side` what is still needed of [begin, end) of a space: for a cell that begins now.
  void seed(std::uint32_t cell, Side side, std::uint32_t space, std::uint64_t begin, std::uint64_t end);

  // Nothing touches it any more. Between nodes.
  void forget(std::uint32_t space);
  void forget_cell(std::uint32_t cell);

  // Beyond the limits: no needs are told from then on.
  bool too_many() const { return too_many_; }
  std::uint32_t nodes() const { return nodes_; }
  // What is remembered: ranges with a state, and accesses of these.
  std::size_t segments() const { return segments_; }
  std::size_t held() const { return lists_.cells(); }

 private:
  friend struct test::Tamper;
  struct State {
    AccessLists::List writers = AccessLists::kEmpty;  // of one node: the last one that wrote
    AccessLists::List readers = AccessLists::kEmpty;  // since then
    std::uint32_t mark = 0;                           // of what was written
    friend bool operator==(const State&, const State&) = default;
  };
  using Space = Segments<State>;
  struct Meeting {
    std::uint32_t cell, space, way;
    Side side;
    bool reads, writes, ordered;
  };
  struct Cell {
    State sides[2];  // here `writers` are all that wrote
  };

  Ref ref(std::uint32_t way) const { return {nodes_, way}; }
  Space& space(std::uint32_t number);
  void find_needs(const Touch& touch);
  void find_needs(const Meeting& meeting);
  void keep(const Touch& touch);
  void keep(const Meeting& meeting);
  void need(AccessLists::List list, const Need& like);
  void need(const State& state, bool reads, bool writes, Need like);
  Ref join(AccessLists::List list);
  void release(const State& state);
  static void settle(std::vector<Need>& needs);

  NeedSink& sink_;
  const NeedLimits limits_;
  AccessLists lists_;
  std::vector<Space> spaces_;
  std::map<std::uint32_t, Cell> cells_;
  std::vector<Way> ways_;
  std::map<Way, std::uint32_t> way_at_;
  std::uint32_t nodes_ = 0, joins_ = 0;
  std::size_t segments_ = 0;
  bool is_open_ = false, too_many_ = false;
  // Of the node that is open.
  std::vector<Touch> touches_;
  std::vector<Meeting> meetings_;
  std::vector<Need> needs_, joined_;
};

}  // namespace rondo::graph
