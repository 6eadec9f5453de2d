// SPDX-License-Identifier: Apache-2.0
// The relation HAS: whether what a program orders (sync_log.h) puts one access before another one, and which ops are
// needed for that. For each access that somebody asks of, the ops after it are looked at, until none can change the
// answer. No device. One thread.
// Specification: "Execution and Memory Dependencies", "Availability, Visibility, and Domain Operations".
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyzers/analysis/graph/op_sets.h"
#include "analyzers/analysis/graph/sync_log.h"

namespace rondo::graph {

// One stage and one access, by the numbers of their bits. A layout transition happens in no stage: it has the bit of
// ALL_COMMANDS, as only an op with all commands in its first scope orders a transition of another op directly.
struct AccessKind {
  std::uint8_t stage = 0, access = 0;
  friend auto operator<=>(const AccessKind&, const AccessKind&) = default;
};

// The ops of its own resource that an access has met since: a list that grows at its end. 0: none.
class Histories {
 public:
  static constexpr std::uint32_t kNone = 0;
  explicit Histories(const SyncLog& log) : log_(log) {}
  std::uint32_t add(std::uint32_t history, std::uint32_t op);
  std::uint32_t before(std::uint32_t history) const { return all_[history].before; }
  std::uint32_t op(std::uint32_t history) const { return all_[history].op; }
  // Histories of one kind have ops of the same commands with the same scopes. So they answer every question alike.
  std::uint32_t kind(std::uint32_t history) const { return all_[history].kind; }

 private:
  struct History {
    std::uint32_t before = 0, op = 0, kind = 0;
  };
  const SyncLog& log_;
  std::vector<History> all_ = std::vector<History>(1);
  using Numbers = std::array<std::uint32_t, 3>;
  struct Hash {
    std::size_t operator()(const Numbers& numbers) const {
      std::size_t hash = 0;
      for (const std::uint32_t one : numbers) hash = (hash ^ one) * 0x9e3779b97f4a7c15 + (hash >> 29);
      return hash;
    }
  };
  std::unordered_map<std::uint64_t, std::uint32_t> at_;  // by a history and an op
  std::unordered_map<Numbers, std::uint32_t, Hash> kinds_;
};

// An access, and where it stands: one of the two accesses whose order is asked for.
struct AccessAt {
  AccessKind kind;
  SyncLog::Place place;
  // A layout transition: of these ops, [first, end). Else first == end.
  std::uint32_t first_op = 0, end_op = 0;
  bool is_transition() const { return first_op != end_op; }
};

class SyncOrder {
 public:
  // What an answer says: whether accesses are ordered, or also which ops are needed for it, which takes more time.
  enum class Detail : std::uint8_t { order, needed };
  // `removed`: SyncOps that are looked at as if the program had not had them, by their index.
  SyncOrder(const SyncLog& log, const Histories& histories, const std::vector<bool>& removed,
            Detail detail = Detail::needed);

  struct Answer {
    bool executes = false;  // `from` has executed when `to` begins
    bool sees = false;      // what `from` wrote is available, and visible to `to`
    // SyncOps; without any one of them the answer would be no. Valid until the next question.
    OpSets::Set needed = OpSets::kEmpty;
  };
  // `memory`: `to` must see what `from` wrote. Else `needed` is that of the execution alone.
  Answer ask(const AccessAt& from, std::uint32_t history, const AccessAt& to, bool memory);

  // The ops of the way by which the last question was answered with yes: the cheapest of those that are known.
  struct Used {
    std::uint32_t op = 0;
    VkPipelineStageFlags2 src_stage = 0, dst_stage = 0;  // that the way goes through
    VkAccessFlags2 src_access = 0, dst_access = 0;
  };
  void way(const AccessAt& from, std::uint32_t history, const AccessAt& to, bool memory, std::vector<Used>& out);

  OpSets::Members members(OpSets::Set set) const { return sets_.members(set); }
  bool too_many() const { return too_many_; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  // One thing that is known of an access: it is ordered before these stages of a queue, by one op or by a chain of ops.
  struct Entry {
    std::uint32_t op = 0;
    std::uint32_t queue = 0;
    VkPipelineStageFlags2 second = 0;      // that are ordered after it
    VkPipelineStageFlags2 dst_stages = 0;  // that see it, …
    VkAccessFlags2 dst_access = 0;         // … by these accesses
    bool is_general = false;               // for all that comes later; else for one subpass, which is over
    bool is_available = false;
    OpSets::Set executes = OpSets::kEmpty;   // without any one of these SyncOps it is not ordered, …
    OpSets::Set available = OpSets::kEmpty;  // … not available
    std::uint32_t before = kNone;            // the last step of a way to the op; kNone: it meets the access itself
    std::uint32_t step = kNone;              // the step of the op
    std::uint32_t cost = 0;                  // of the ops of that way
  };
  struct Step {
    std::uint32_t op;
    std::uint32_t before;  // kNone: the op meets the access itself
  };
  struct Local {
    std::uint32_t subpass;
    Entry entry;
  };
  // Ops of a shape that may say something new, and the next one of them.
  struct Coming {
    std::uint32_t shape, op;
  };
  struct State {
    AccessAt access;
    std::vector<Entry> entries;
    std::uint32_t begin = 0;  // the first op that may be looked at
    // The next op to look at. The first ops are looked at one by one. After that only ops are looked at whose shape may
    // still change the state (`coming`).
    std::uint32_t next = 0;
    bool knows_coming = false;
    bool any_settled = false;  // of the entries
    std::vector<Coming> coming;
  };
  struct Key {
    std::uint32_t time, pass, first_op, history;
    std::uint16_t queue, subpass;
    AccessKind kind;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct HashKey {
    std::size_t operator()(const Key& key) const;
  };

  Key key_of(const AccessAt& access, std::uint32_t history) const;
  std::uint32_t state_of(const AccessAt& from, std::uint32_t history);
  State& new_state(const AccessAt& access, std::uint32_t begin);
  std::optional<Entry> apply(const State& state, std::uint32_t op, bool own, std::span<const Local> local);
  std::optional<Entry> apply(const State& state, std::uint32_t op, bool own);
  std::vector<Local> local_entries(const State& state, std::uint32_t pass, std::uint32_t until);
  bool dominates(const Entry& a, const Entry& b);
  static void push(State& state, const Entry& entry);
  bool add(State& state, Entry entry);
  void take_step(Entry& entry);
  // It holds whatever is removed.
  static bool is_settled(const Entry& entry) {
    return entry.executes == OpSets::kEmpty && entry.is_available && entry.available == OpSets::kEmpty;
  }
  static bool is_settled(const State& state, const SyncShape& shape);
  bool may_change(const State& state, const SyncShape& shape);
  std::uint32_t first_op(std::uint32_t shape, std::uint32_t from) const;
  void find_coming(State& state, std::uint32_t from);
  void change_coming(State& state, std::uint32_t from, const Entry& added);
  static void find_next(State& state);
  std::uint32_t next_of_another(std::uint32_t op) const;
  void advance(State& state, std::uint32_t until);
  void find(State& state, const AccessAt& to, std::vector<Entry>& out);
  static bool sees(const Entry& entry, const AccessAt& to);
  std::uint32_t cost_of(std::uint32_t op) const;
  bool is_removed(std::uint32_t sync) const { return sync < removed_.size() && removed_[sync]; }

  const SyncLog& log_;
  const Histories& histories_;
  const std::vector<bool>& removed_;
  const Detail detail_;
  OpSets sets_;
  // By shape, those that are not removed, ascending; and for each the index of the next one of another command.
  std::vector<std::vector<std::uint32_t>> ops_of_, others_of_;
  std::uint32_t one_by_one_ = 0;            // ops that a state looks at one after the other
  std::vector<std::uint32_t> shape_costs_;  // of a barrier of this shape
  std::deque<State> states_;                // the first `kept_` of them
  std::uint32_t kept_ = 0;
  std::unordered_map<Key, std::uint32_t, HashKey> state_at_;
  std::vector<Step> steps_;
  std::vector<Entry> found_;    // reused
  std::vector<Coming> coming_;  // reused
  bool too_many_ = false;
};

}  // namespace rondo::graph
