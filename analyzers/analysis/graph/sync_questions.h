// SPDX-License-Identifier: Apache-2.0
// What must be asked of the relation HAS: for each need of a work graph, whether the program orders what it needs. Many
// needs ask the same. No device. One thread.
// Specification: "Synchronization and Cache Control", "Render Pass" ("Subpass dependencies", "Load operations"),
// "Primitive Order".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzers/analysis/graph/host_needs.h"
#include "analyzers/analysis/graph/needs.h"
#include "analyzers/analysis/graph/spaces.h"
#include "analyzers/analysis/graph/swapchain_images.h"
#include "analyzers/analysis/graph/sync_log.h"
#include "analyzers/analysis/graph/sync_order.h"

namespace rondo::graph {

struct SyncQuestion {
  static constexpr std::uint32_t kNoPart = UINT32_MAX - 1;  // it is no transition
  std::uint32_t from = 0, to = 0;                           // nodes: the first ones that ask it
  std::uint32_t from_part = kNoPart, to_part = kNoPart;     // SyncLog::part_of()
  AccessKind from_kind, to_kind;
  std::uint32_t history = Histories::kNone;
  Hazard hazard{};
  bool memory = false;    // `to` must see what `from` wrote
  bool possible = false;  // perhaps they do not touch the same
  bool is_quiet = false;  // nobody knows what they touch: it is never a race
  // `to` reads on another queue family what `from` wrote, and no release and acquire moved it there.
  bool is_foreign = false;
  std::uint32_t host = kNoHost;  // what the host needs: SyncQuestions::host(); `from` and `to` say nothing then
  static constexpr std::uint32_t kNoHost = UINT32_MAX;
};

class SyncQuestions {
 public:
  // Is told each need and the number of what it asks: of questions that many needs ask, each time.
  using Asked = std::function<void(std::uint32_t question, const Need& need)>;
  // Is told each need of the host, and the number of the question that it asks.
  using AskedOfHost = std::function<void(std::uint32_t question, const HostNeed& need)>;
  explicit SyncQuestions(Asked asked = {}, AskedOfHost of_host = {});
  SyncQuestions(const SyncQuestions&) = delete;
  SyncQuestions& operator=(const SyncQuestions&) = delete;

  // --- As the capture is read ---

  // Each call before what it does, what it submits or waits for, and done() after it. The placement has taken the call.
  // `is_ambiguous`: the record is a host write that may hold what the device wrote (kRecordAmbiguous).
  void call(const model::Call& call, const model::Placement& placement, bool is_ambiguous = false);
  void submitted(const model::Batch& batch);
  void host(const model::HostSync& sync);
  void ended(ObjectId id);
  void done();
  // In the order of execution.
  void begins(const model::Batch& batch);
  void ends(const model::Batch& batch);
  void finish();

  // What calls need of work that may use what they end.
  const Lifetimes& lifetimes() const { return host_needs_.lifetimes(); }

  // --- As WorkGraph takes them ---

  // Each command and call, before its node; also one that has none.
  void command(const access::Executed& executed) { place_ = log.take(executed); }
  void node(std::uint32_t node, const access::Executed& executed);
  // Of a node or a join.
  void needs(std::uint32_t node, std::span<const Need> needs, const Needs& from, const SpaceFacts& spaces);

  // Keeps how the nodes of these commands touch.
  void watch(std::function<bool(const access::Executed&)> commands) { watch_ = std::move(commands); }

  // --- What was asked ---

  struct Watched {
    std::uint32_t node = 0;
    std::vector<Needs::Touch> touches;
  };
  std::span<const Watched> watched() const { return watched_; }
  // All stages and accesses of a way of a node.
  std::vector<AccessAt> accesses(std::uint32_t node, const Way& way) const;
  const Way& way(std::uint32_t number) const { return ways_[number]; }

  const std::vector<SyncQuestion>& all() const { return questions_; }
  AccessAt from(const SyncQuestion& question) const {
    if (question.host != SyncQuestion::kNoHost) return host_[question.host].from;
    return access(question.from, question.from_kind, question.from_part);
  }
  // The end of a batch, taken for the end of the last stage of its work: nothing runs any more then. A semaphore may be
  // signalled after that stage, before the batch has ended. None: the question is about no batch.
  std::optional<AccessAt> from_last_stage(const SyncQuestion& question) const {
    if (question.host == SyncQuestion::kNoHost || host_[question.host].stage == host_[question.host].from.kind.stage)
      return std::nullopt;
    AccessAt at = host_[question.host].from;
    at.kind.stage = host_[question.host].stage;
    return at;
  }
  AccessAt to(const SyncQuestion& question) const {
    if (question.host != SyncQuestion::kNoHost) return host_[question.host].to;
    return access(question.to, question.to_kind, question.to_part);
  }
  const SyncLog::Place& place(std::uint32_t node) const { return places_[node]; }
  // What the presentation engine reads of an image before the last acquire gives it back.
  const AccessAt& last_acquire() const { return last_acquire_; }
  // A command that is executed.
  struct Executed {
    std::uint64_t record = 0, at = 0, submit = 0;
    std::uint32_t label_path = 0;
    CommandId command{};
    bool works = true;          // false: a call that only ends what work has used
    bool is_ambiguous = false;  // of a host write: the device may have written the bytes
  };
  static constexpr std::uint64_t kNoSubmit = access::Executed::kNoSubmit;
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(places_.size()); }
  const Executed& executed(std::uint32_t node) const { return executed_[node]; }
  // What the host needs: the end of a batch, or a write, before a call. Of an acquire: the end of what the presentation
  // engine reads, before a node.
  struct OfHost {
    HostNeed::Kind kind{};
    AccessAt from, to;
    std::uint8_t stage = 0;  // HostNeed::stage
    Executed command, call;  // the last command of the batch, or the one that writes; and the call
    std::uint32_t node = 0;  // of the command; HostNeed::kNoNode: the batch has no work
    bool is_of_acquire() const { return kind == HostNeed::Kind::acquire; }  // `command` is it, and `call` is of `node`
  };
  const OfHost& host(const SyncQuestion& question) const { return host_[question.host]; }
  const Executed& from_command(const SyncQuestion& question) const {
    return question.host != SyncQuestion::kNoHost ? host_[question.host].command : executed_[question.from];
  }
  const Executed& to_command(const SyncQuestion& question) const {
    return question.host != SyncQuestion::kNoHost ? host_[question.host].call : executed_[question.to];
  }
  // It is a race where nothing orders it, but keeps no synchronization.
  bool keeps_nothing(const SyncQuestion& question) const {
    return question.host != SyncQuestion::kNoHost && host(question).kind == HostNeed::Kind::lifetime_of_fence;
  }
  // It keeps synchronization, but a program may do without it.
  bool is_read_back(const SyncQuestion& question) const {
    return question.host != SyncQuestion::kNoHost && host(question).kind == HostNeed::Kind::read_back;
  }
  bool too_many() const { return too_many_ || log.too_many(); }

  // Other histories of the same kind whose needs ask a question, too.
  struct Other {
    std::uint32_t question, history;
  };
  std::span<const Other> others() const { return others_; }

  SyncLog log;
  Histories histories{log};

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t, std::uint32_t, std::uint32_t>;

  AccessAt access(std::uint32_t node, AccessKind kind, std::uint32_t part) const;
  bool is_ordered(const Need& need, const Way& from, const Way& to, bool is_query) const;
  bool is_ordered_in_pass(const Need& need, const Way& from, const Way& to) const;
  void acquired(const model::HostSync& sync);
  void ask_of_acquires(std::uint32_t node, const Needs& of, const SpaceFacts& spaces);
  void got_results(const model::HostSync& sync);
  bool has_results(const Need& need, const SpaceFacts& spaces) const;
  void ask_of_pass(std::uint32_t node, const Needs& of);
  void ask(const Need& need, const Way& from, const Way& to, bool is_unknown, bool is_apart, bool is_foreign);
  void ask_of_host(const HostNeed& need);
  bool is_foreign(const Need& need, const Way& from, const Way& to, const SpaceFacts& spaces) const;
  const model::Barrier* barrier_of(std::uint32_t node, const Way& way) const;
  bool is_layout_transition(std::uint32_t node, const Way& way) const;
  void tell_host(const Needs& of, const SpaceFacts& spaces);

  const Asked asked_;
  const AskedOfHost asked_of_host_;
  std::vector<SyncQuestion> questions_;
  std::vector<SyncLog::Place> places_;  // by node
  std::vector<Executed> executed_;      // by node
  std::vector<std::vector<Ref>> joins_;
  std::function<bool(const access::Executed&)> watch_;
  std::vector<Watched> watched_;
  std::vector<Way> ways_;                  // those that watched nodes have, by Needs::number_of()
  std::map<Key, std::uint32_t> asked_at_;  // of nodes at one place
  std::set<std::pair<std::uint32_t, std::uint32_t>> others_at_;
  std::vector<Other> others_;
  std::vector<std::uint32_t> read_last_;  // spaces that the last subpass of the pass that ends here reads
  SyncLog::Place asked_to_;               // that place
  SyncLog::Place place_;                  // of the command that was taken last
  HostNeeds host_needs_;
  std::vector<OfHost> host_;
  Executed call_;                            // that was taken last
  std::unordered_set<ObjectId> concurrent_;  // buffers and images that no queue family owns
  SwapchainImages swapchains_;
  std::unordered_set<ObjectId> presented_;  // images
  // An image that an acquire returned before any present of it. The graph has no present that reads it, so the acquire
  // stands for that read.
  struct Acquired {
    AccessAt read;
    Executed call;
  };
  std::unordered_map<ObjectId, Acquired> acquired_;  // until something writes the image
  AccessAt last_acquire_;
  // By query pool and query: the number of nodes when the host last got the result of the query.
  std::unordered_map<ObjectId, std::vector<std::uint32_t>> results_at_;
  // Of it: what was asked, by the end of a batch or by what writes.
  std::map<std::tuple<std::uint64_t, std::uint32_t, AccessKind, bool, HostNeed::Kind>, std::uint32_t> host_at_;
  bool too_many_ = false;
};

}  // namespace rondo::graph
