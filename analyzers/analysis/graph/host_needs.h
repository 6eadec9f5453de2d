// SPDX-License-Identifier: Apache-2.0
// What the host needs of the work of queues, beyond what both touch (needs.h). Lifetime: batches that use an object
// must have ended before the host ends it, resets it, records it again, updates it, submits it again, or has it
// signalled by an acquire again. Read-back: the host may read what work wrote to memory that is mapped, or what a query
// says. No device. One thread.
// Specification: "Object Lifetime", "Command Buffer Lifecycle", "Host Access to Device Memory Objects".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyzers/analysis/graph/lifetimes.h"
#include "analyzers/analysis/graph/sync_order.h"

namespace rondo::graph {

struct HostNeed {
  enum class Kind : std::uint8_t {
    lifetime,
    // The host resets or ends a fence. It keeps no wait: who leaves out a wait for a fence leaves out the fence, too.
    lifetime_of_fence,
    // No need of the host: the presentation engine may still read an image when an acquire returns it.
    acquire,
    read_back,  // perhaps: reads of the host are not in a capture. The end of the capture is one, too
  } kind{};
  AccessAt from;            // the end of a batch (kEnd), or a write
  std::uint8_t stage = 0;   // of the end of a batch: the last stage of its work
  std::uint32_t node = 0;   // of the write, or the last one of the batch; kNoNode: the batch has none
  std::uint64_t batch = 0;  // record of the call that submits it
  ObjectId object = ObjectId::null;
  bool is_quiet = false;  // perhaps it does not need it
  static constexpr std::uint32_t kNoNode = Lifetimes::kNoNode;
  // A batch ends in no stage. It has a bit that no command can name: only what waits for all of a batch has it.
  static constexpr AccessKind kEnd{63, 63};
};

class HostNeeds {
 public:
  // Is told what the host needs at the call that was taken last.
  using Sink = std::function<void(const HostNeed& need)>;
  HostNeeds(const SyncLog& log, Sink sink) : log_(log), sink_(std::move(sink)) {}

  // In the order of the capture: each call, what it submits or waits for, and done(). The placement has taken the call.
  void call(const model::Call& call, const model::Placement& placement);
  void submitted(const model::Batch& batch);
  void host_before(const model::HostSync& sync);
  void host_after();  // the log has taken it
  void done();
  // The capture ends, and with it what the program knows of its work.
  void finish();
  const Lifetimes& lifetimes() const { return lifetimes_; }

  // In the order of execution: after the log has taken the begin, and before it takes the end.
  void begins(const model::Batch& batch);
  void ends(const model::Batch& batch);
  // A node of the work of the batch that began last, …
  void node(std::uint32_t node, const SyncLog::Place& place, const access::Executed& executed);
  void works_in(VkPipelineStageFlags2 stages) { stages_ |= stages; }
  // … which writes bytes of a memory.
  void writes(ObjectId memory, AccessKind kind);

 private:
  struct Batch {
    SyncLog::Place end;
    std::uint8_t stage = 0;  // the last one of its work
  };
  struct Write {
    std::uint32_t batch = 0, node = 0;
    SyncLog::Place place;
    bool is_asked = false;
  };
  // The last writes to one memory, by queue and kind of access. Each batch has at most one for each of these.
  using Writes = std::map<std::pair<std::uint16_t, AccessKind>, std::vector<Write>>;

  void take_lifetimes();
  void need_end(HostNeed::Kind kind, std::uint32_t batch, ObjectId object, bool is_quiet) const;
  void may_read(ObjectId memory, AccessKind kind, Write& write);

  Lifetimes lifetimes_;
  std::size_t taken_ = 0;  // of its needs
  const SyncLog& log_;
  const Sink sink_;
  std::vector<Batch> batches_;        // by their number in lifetimes_
  VkPipelineStageFlags2 stages_ = 0;  // of the work of the last one
  std::uint32_t node_ = 0;            // the node whose touches are told now
  SyncLog::Place place_;
  std::map<std::uint32_t, std::uint32_t> last_;  // batch of each queue
  std::unordered_map<ObjectId, Writes> writes_;
  std::unordered_set<ObjectId> mapped_, shared_;  // memories
  // Reused.
  std::vector<LifetimeNeed> found_;
};

}  // namespace rondo::graph
