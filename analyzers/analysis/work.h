// SPDX-License-Identifier: Apache-2.0
// What a device is given to do, item by item: draws, dispatches, copies, builds, and whole render passes. Made of what
// the access model says is executed. No device. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyzers/analysis/open_pass.h"
#include "model/access/model.h"

namespace rondo::analyzers {

// One command that makes the device work, each time that it is executed; or a render pass from its begin to its end.
struct WorkItem {
  std::uint64_t record = 0;  // of the command, or of the begin of the pass
  std::uint64_t end = 0;     // of a pass the record of its end; 0: it has none. Of others `record`
  std::uint64_t at = 0;      // the submit that executes it, as a record, …
  std::uint64_t submit = 0;  // … and as a number, counted from 0
  std::uint64_t frame = 0;
  std::uint64_t draw = access::Executed::kNoDraw;  // as in access::Executed
  // An upper bound: all ranges and texels that it may touch, each once. Of a pass: of all that is in it.
  std::uint64_t bytes = 0;
  CommandId command{};  // canonical
  bool is_pass = false;
  bool wanted = true;          // is in what was asked for; else it is executed beside that, in the same span
  bool bytes_unknown = false;  // it may touch more than `bytes`: shaders follow addresses, …
  ObjectId queue = ObjectId::null;
  // Of a draw; of a pass: of its draws, where all have the same. 0: shader objects, or none.
  ObjectId pipeline = ObjectId::null;
  bool has_several_pipelines = false;     // a pass
  ObjectId render_pass = ObjectId::null;  // of an item that is a whole pass; null: it is dynamic rendering
  std::uint32_t pass = kNoPass;           // the render pass that it is, or is in: counted from 0 in its submit
  std::uint32_t draws = 0;                // of a pass: how many are in it
  std::uint32_t batch = 0;                // index of the submit in its call
  std::uint32_t primary = 0;              // index of its primary command buffer in the submit; of a pass: of its begin
  std::uint32_t end_primary = 0;          // of a pass: of its end, which may be in a later one (suspended passes)
  std::uint32_t views = 0;                // multiview: as access::Recorded has it
  std::uint32_t label_path = 0;           // access::Model::labels_of
  access::Counts counts{};
  static constexpr std::uint32_t kNoPass = ~std::uint32_t{};
};

// An item of one executed command. The caller sets `bytes`; and, of a render pass, its end, its draws and its pipeline.
WorkItem item_of(const access::Executed& executed, std::uint64_t frame);

class WorkList {
 public:
  // Gets the items of one submit, in the order in which they begin; a pass stands before what is in it.
  using Sink = std::function<void(std::span<const WorkItem> items)>;
  WorkList(const access::Model& model, Sink sink) : model_(model), sink_(std::move(sink)) {}

  // In the order in which the model tells them.
  void take(const access::Executed& executed, std::uint64_t frame);
  // After the last one.
  void finish();

 private:
  void begin_pass(const access::Executed& executed, std::uint64_t frame);
  WorkItem& add(const access::Executed& executed, std::uint64_t frame);
  void add_bytes(WorkItem& item, const access::Executed& executed);
  void add_bytes_of_pass(const access::Executed& executed);

  const access::Model& model_;
  const Sink sink_;
  std::vector<WorkItem> items_;  // of the submit
  std::uint64_t submit_ = 0;
  OpenPass pass_;
  std::size_t pass_item_ = 0;                                            // index into items_, of the last pass
  std::uint32_t passes_ = 0;                                             // of the submit
  std::vector<std::pair<std::uint64_t, const access::Touch*>> touched_;  // by hash: of one item
  std::unordered_set<std::uint64_t> counted_in_pass_;  // hashes of touches whose bytes are in the pass already
};

}  // namespace rondo::analyzers
