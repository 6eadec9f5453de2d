// SPDX-License-Identifier: Apache-2.0
// The work graph of a capture: items of work in the order in which they execute, and what each one needs. An item is a
// command that is executed, a whole render pass, a layout transition of a barrier, or something that the host does.
// No device. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyzers/analysis/graph/lifetimes.h"
#include "analyzers/analysis/graph/needs.h"
#include "analyzers/analysis/graph/spaces.h"
#include "analyzers/analysis/graph/swapchain_images.h"
#include "analyzers/analysis/graph/sync_questions.h"
#include "analyzers/analysis/open_pass.h"
#include "analyzers/analysis/work.h"
#include "format/objects.h"

namespace rondo::graph {

using analyzers::WorkItem;

enum class ItemKind : std::uint8_t {
  work,        // a draw or dispatch outside of render passes, a copy, a clear, a build, a query
  pass,        // a render pass with all that is in it
  transition,  // a barrier that changes a layout or an owner; or the wait for an event that does
  host,        // a call that touches memory by itself: a host write, a host copy
  acquire,     // a call that gets an image of a swapchain
  present,
  lifetime,  // a call of the host that ends, resets, records again, updates or submits again what work has used
};
const char* name_of(ItemKind kind);

struct Item {
  ItemKind kind{};
  // Of a pass the counts are 0, `draws` counts what is in it, and `pipeline` is null where its draws have several.
  WorkItem work;
  std::uint32_t number = 0;    // from 0, in the order in which items are told
  std::uint32_t commands = 0;  // of a pass: that are in it, its begin and end too
  // The draws of a pass, if WorkGraph was made with `with_draws`. Valid until the sink returns.
  std::span<const WorkItem> children = {};
};

// Why an item needs another one: a set of these.
enum NeedKind : std::uint8_t {
  kRaw = 1,     // it reads what the other one wrote
  kWar = 2,     // it writes what the other one read
  kWaw = 4,     // it writes what the other one wrote
  kLayout = 8,  // one of both is a layout transition
  kQuery = 16,  // they use the same queries
  // It is an acquire that gets an image back from that present; or it is the first to use the image of that acquire.
  kPayload = 128,
  kLifetime = 32,  // the host ends, resets, records again, updates or submits again what work may still use
  // Of races alone (analysis/sync_findings.h):
  kOwner = 64,  // it reads what another queue family owns
};

struct ItemNeed {
  std::uint32_t from = 0;  // item, or a join
  std::uint32_t space = 0;
  std::uint64_t begin = 0, end = 0;  // of the space; 0: nobody knows the range
  std::uint8_t kinds = 0;
  bool possible = false;
  ObjectId object = ObjectId::null;  // of kLifetime and kPayload: the object that `from` uses, no range then
  friend bool operator==(const ItemNeed&, const ItemNeed&) = default;
};

// What an item touches.
struct Piece {
  std::uint32_t space = 0;
  std::uint64_t begin = 0, end = 0;  // of the space
  bool reads = false, writes = false;
  friend bool operator==(const Piece&, const Piece&) = default;
};

// Makes the graph of commands and calls, which it takes one after the other, in the order in which they execute.
class WorkGraph final : NeedSink {
 public:
  struct Sink {
    // An item is told when its last command was taken. Its needs are sorted, each once, and of items told before it.
    // Its pieces are sorted, and those that touch in the same way do not overlap. All holds until this returns.
    std::function<void(const Item& item, std::span<const ItemNeed> needs, std::span<const Piece> pieces)> item;
    // A join, before the first item that needs it.
    std::function<void(std::uint32_t join, std::span<const std::uint32_t> items)> join;
    // If it is given: a command or call that touches, before its item is told. `item`: the number of that.
    std::function<void(const access::Executed& executed, std::uint32_t item)> touches = {};
  };
  // `sync`: is told what must be asked of the program's synchronization, if it is given.
  // `with_draws`: items of passes have their draws.
  WorkGraph(const model::Placement& placement, const access::Model& model, const ObjectTable& objects, Sink sink,
            SyncQuestions* sync = nullptr, const NeedLimits& limits = {}, bool with_draws = false)
      : placement_(placement),
        objects_(objects),
        sink_(std::move(sink)),
        sync_(sync),
        with_draws_(with_draws),
        needs_(*this, limits),
        spaces_(placement, model, needs_) {}

  // In the order of the capture: each call, before what it submits, and done() after what it executes. What the call
  // waits for, and what it submits, as model::SubmitSink is told.
  // `is_ambiguous`: as SyncQuestions::call() is told.
  void call(const model::Call& call, std::uint64_t frame, bool is_ambiguous = false);
  void submitted(const model::Batch& batch);
  void host(const model::HostSync& host);
  void done();
  // In the order of execution.
  void begins(const model::Batch& batch);
  void ends(const model::Batch& batch);
  void take(const access::Executed& executed, std::uint64_t frame);
  // The end of a submit, or of the capture: a pass that is open ends there.
  void finish();

  const Spaces& spaces() const { return spaces_; }
  std::uint32_t items() const { return items_; }
  bool too_many() const { return needs_.too_many(); }

 private:
  friend struct test::Tamper;
  void needs(std::uint32_t node, std::span<const Need> needs) override;
  void touch(const access::Executed& executed);
  void tell(const Item& item);
  void end_pass();
  const Lifetimes& lifetimes() const { return sync_ != nullptr ? sync_->lifetimes() : lifetimes_; }
  void take_lifetimes();
  void take_payloads();
  void tell_lifetimes();
  void settle_needs();
  void settle_pieces();

  const model::Placement& placement_;
  const ObjectTable& objects_;
  const Sink sink_;
  SyncQuestions* const sync_;
  const bool with_draws_;
  SwapchainImages swapchains_;
  ObjectId acquired_ = ObjectId::null;                        // the image that the call acquires
  std::unordered_map<ObjectId, std::uint32_t> acquired_at_;   // by image: the acquire, until an item uses the image
  std::unordered_map<ObjectId, std::uint32_t> presented_at_;  // by image: the last present of it
  std::vector<ObjectId> presenting_;                          // by the batch that begins
  Lifetimes lifetimes_;                                       // where `sync_` has none
  // The call that was taken last, and what it needs of work that may use what it ends.
  access::Executed call_;
  std::uint64_t call_frame_ = 0;
  std::size_t lifetimes_taken_ = 0;
  std::vector<ItemNeed> ends_;
  Needs needs_;
  Spaces spaces_;
  std::vector<std::uint32_t> item_of_;  // by node
  std::uint32_t items_ = 0;
  analyzers::OpenPass open_;
  Item pass_;  // that is open, or suspended
  bool has_pass_ = false;
  std::vector<WorkItem> draws_;  // of that pass
  std::uint64_t submit_ = access::Executed::kNoSubmit;
  std::vector<ItemNeed> item_needs_;  // of the item that is open
  std::vector<Piece> pieces_;         // likewise
  // A pass may need and touch the same many times. With so many of them they are settled before it ends.
  static constexpr std::size_t kFew = 256;
  std::size_t most_needs_ = kFew, most_pieces_ = kFew;
  std::vector<std::uint32_t> joined_;
};

}  // namespace rondo::graph
