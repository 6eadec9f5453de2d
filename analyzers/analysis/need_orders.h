// SPDX-License-Identifier: Apache-2.0
// Whether the program orders what the work needs, for `rondo graph --both`: each need of an item, and by what.
// No device. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/graph_walk.h"
#include "analyzers/text/json.h"

namespace rondo::analyzers {

enum class NeedState : std::uint8_t {
  specification,  // Vulkan itself orders it: calls of one thread, rasterization order, queries of one queue
  ordered,        // the program orders it
  unknown,        // it does not, but nobody knows whether both touch the same: shaders follow addresses, …
  not_visible,    // a race: it is ordered, but what was written is not made visible
  race,           // nothing orders it
};
const char* word_of(NeedState state);
inline bool is_race(NeedState state) { return state == NeedState::not_visible || state == NeedState::race; }

struct NeedOrder {
  static constexpr std::size_t kMostOps = 4;
  struct Op {
    std::uint64_t record = 0;
    std::string text;
    friend bool operator==(const Op&, const Op&) = default;
  };
  NeedState state = NeedState::specification;  // the worst answer, where a need asks several questions
  std::vector<Op> by;                          // the first ones that order a part of it
  void add(const NeedOrder& other);
  friend bool operator==(const NeedOrder&, const NeedOrder&) = default;
};
// "ordered by vkCmdPipelineBarrier 383: …"; "race: nothing orders it".
std::string order_text(const NeedOrder& order);
// As fields of the object that is open: order, by.
void write_order(JsonWriter& json, const NeedOrder& order);

class NeedOrders {
 public:
  // Walks the capture, and asks all that must be asked.
  static Result<NeedOrders> of(const std::string& path);

  // For another walk of the same capture. This outlives it, and stays where it is.
  graph::SyncQuestions& questions();
  // While that walk visits an item and names it: of each of its needs. `names`: items and joins until then. `spaces`:
  // as they are then.
  std::vector<NeedOrder> take(std::span<const graph::ItemNeed> needs, const ItemNames& names,
                              const graph::Spaces& spaces);

  std::uint64_t races() const { return races_; }  // of the needs that were taken
  bool too_many() const { return too_many_; }

 private:
  NeedOrders() = default;

  struct Answer {
    NeedState state = NeedState::race;
    std::vector<std::uint32_t> ops;  // the first ones
  };
  // What was asked for the item that is told next.
  struct Mark {
    std::uint32_t from = 0, space = 0;  // an item; as of graph::Need. Of kPayload nothing
    std::uint64_t begin = 0, end = 0;
    std::uint8_t kind = 0;  // NeedKind
    std::uint32_t question = 0;
    ObjectId object = ObjectId::null;  // of kLifetime and kPayload
    friend auto operator<=>(const Mark&, const Mark&) = default;
  };
  void asked(std::uint32_t question, const graph::Need& need);
  void asked_of_host(std::uint32_t question, const graph::HostNeed& need);
  void add(const Mark& mark);
  NeedOrder order_of(std::uint32_t question) const;
  NeedOrder order_of_payload(const graph::ItemNeed& payload, std::span<const graph::ItemNeed> needs,
                             std::span<const NeedOrder> orders, const graph::Spaces& spaces) const;

  std::unique_ptr<graph::SyncQuestions> first_, again_;  // of both walks
  std::vector<std::uint32_t> item_of_;                   // by node
  std::vector<Answer> answers_;                          // by question
  std::vector<Mark> marks_;
  // The item is an ambiguous host write, and a write of the device that nothing orders before it may be the same write.
  bool may_be_own_ = false;
  std::size_t most_marks_ = 1024;
  std::uint64_t races_ = 0;
  bool too_many_ = false;
};

}  // namespace rondo::analyzers
