// SPDX-License-Identifier: Apache-2.0
// How a plan comes about: used by plan*.cpp only. One thread; lives as long as
// build_plan() runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "format/native_view.h"
#include "model/parameters.h"
#include "player/legal/validity.h"
#include "player/plan/late_submits.h"
#include "player/plan/plan.h"
#include "player/run/polls.h"

namespace rondo::player {

// What becomes of a record.
enum class Action : std::uint8_t {
  drop,  // nothing to repeat: queries, maps, surfaces, calls that failed, polls that said "not ready"
  play,
  refuse,
};

// Decided from the command and its result alone. `why` is set for refusals.
Action action_for(const codec::CommandInfo& command, const Record& record, std::string& why);

// Whether it can do nothing any more on a device that is lost, whatever it returned.
bool needs_a_living_device(CommandId canonical);

// Whether it asked for what was not there yet, by this positive result.
bool said_not_ready(CommandId canonical, std::int64_t result);

// A record is the plan's only if what it did is known to have happened.

inline bool is_submit(CommandId canonical) {
  return canonical == CommandId::vkQueueSubmit || canonical == CommandId::vkQueueSubmit2;
}

class PlanBuilder {
 public:
  PlanBuilder(Reader& reader, const PlanOptions& options);
  Result<void> run();
  std::unique_ptr<Plan> take() { return std::move(plan_); }

 private:
  // plan_build.cpp
  Result<void> add(const Record& record);
  Result<void> emit(const Record& record, const codec::CommandInfo& command);
  Result<void> find_late_writes(const Record& record, const codec::CommandInfo& command, std::size_t op);
  Result<void> load_blobs(const Record& record);  // fills blob_data_
  bool is_late(const Record& record, const codec::BlobRef& ref) const;
  Result<void> check_owner(const Record& record, const codec::CommandInfo& command, const Op& op) const;
  Result<void> check_known(const Record& record, const codec::CommandInfo& command) const;
  // Every object that it names was made by a record that is played, and what it
  // makes has a place to go to.
  Result<void> check_played(const Record& record, const codec::CommandInfo& command) const;
  Result<void> check_swapchains(const Record& record, const codec::CommandInfo& command) const;
  bool is_lost(std::uint32_t device) const { return device < lost_.size() && lost_[device]; }
  void note_span(const Record& record, const codec::CommandInfo& command);
  Result<void> find_span();
  std::uint32_t op_at(std::uint64_t sequence) const;
  void note_loss(const Record& record, const codec::CommandInfo& command);
  // plan_blocks.cpp
  Result<void> add_block(const Record& record, const codec::CommandInfo& command, Op& op);
  bool compact_data(std::span<const VkDescriptorUpdateTemplateEntry> entries, std::uint32_t begin);
  std::uint64_t shared_block(std::vector<std::byte>& bytes, std::span<const Patch> patches);
  void settle_layouts();
  void mark_families(const Op& op);
  void change_begin(const validity::Validity::Begin& begin);
  void widen(const validity::Validity::Widen& widened);
  void note_offsets(const Record& record);
  void emit_waiting();
  bool has_its_parameters(const codec::CommandInfo& command) const;  // plan_check.cpp
  void count(const codec::CommandInfo& command);
  void note_whole(const codec::CommandInfo& command, const Record& record, const PlanCounts& before);
  void cut_after_last_whole_submit();
  Error at(const Record& record, Status status, const std::string& sentence) const;
  Error blob_error(const Record& record, const Error& error);

  // plan_observe.cpp: what the record says about the captured device, memory,
  // resources and swapchains. Run for records of the layer's own too.
  Result<void> observe(const Record& record, const codec::CommandInfo& command);
  void observe_name(const codec::CommandInfo& command);
  Result<void> observe_device(const Record& record, const codec::CommandInfo& command);
  Result<void> observe_memory(const Record& record, const codec::CommandInfo& command);
  template <class Args>
  Result<void> observe_write(const Record& record, const Args& args, bool by_host);
  Result<void> observe_address(const Record& record);
  // plan_observe_limits.cpp: sizes that a driver takes on trust.
  Result<void> observe_limits(const Record& record, const codec::CommandInfo& command);
  Result<void> observe_requirements(const codec::CommandInfo& command);
  // plan_observe_times.cpp
  void observe_times(const codec::CommandInfo& command);
  const CapturedResource* bound_buffer(const VkBuffer* member) const;  // of this record's; null: none
  void note_times(const VkBuffer* buffer, VkDeviceSize offset, VkDeviceSize size);
  template <class Region>
  void copy_times(const VkBuffer* source, const VkBuffer* destination, std::uint32_t count, const Region* regions);
  Result<void> observe_swapchain(const Record& record, const codec::CommandInfo& command);
  void note_bind(ObjectId resource, ObjectId memory, VkDeviceSize offset);
  CapturedPhysicalDevice& physical(ObjectId id);
  std::uint32_t add_resource(ObjectId id, bool image, VkDeviceSize bytes);
  void set_place(ObjectId id, std::size_t index);
  std::uint32_t device_of(ObjectId id) const;
  // The subject of the op about to be emitted.
  ObjectId subject_of(const codec::CommandInfo& command) const;

  // plan_observe_sync.cpp
  void note_sync(const codec::CommandInfo& command, const Op& op);
  SyncPoint sync_point(const VkSemaphore* semaphore, std::uint64_t value);
  void note_payloads();
  void note_observation();
  // Of a handle that is no sync fd: why it cannot be replayed; null: it is none.
  const char* shared_payload(const codec::CommandInfo& command) const;

  // plan_damage.cpp
  Result<void> add_damaged(const Record& record);
  Result<bool> meets(const Record& record, const RecordSelector& selector, std::uint64_t& seen);
  Result<void> damage_lowered(const Record& record, const codec::CommandInfo& command);
  Result<void> corrupt_leaf(const Record& record, const codec::CommandInfo& command);
  Result<void> change_handle(const Record& record, const codec::CommandInfo& command);
  Result<void> corrupt_blob_data();
  void note_submits(const codec::CommandInfo& command, const Op& op);
  Result<void> finish_damage();
  Result<void> exchange_submits();
  void move_memory(std::uint64_t by);

  Reader& reader_;
  PlanOptions options_;
  std::unique_ptr<Plan> plan_;
  model::Stream stream_;
  // The stream's, of this record.
  codec::Lowered& lowered_;
  const ObjectTable::Resolution& resolution_;
  struct {
    std::vector<std::byte> bytes;
    std::vector<Patch> patches;
  } compact_;  // of compact_data(), kept for its memory
  struct KnownBlock {
    std::uint64_t place = 0;  // in the arena
    std::size_t bytes = 0;
  };
  std::unordered_map<std::uint64_t, KnownBlock> known_blocks_;  // by the checksum of their bytes
  NativeView view_;
  validity::Validity validity_;
  std::unique_ptr<LateSubmits> late_submits_;  // null: the capture has no late writes
  model::Parameters parameters_;               // of this record, for late_submits_
  SpanFinder spans_;
  std::vector<const std::byte*> blob_data_;       // parallel to lowered_.blobs
  std::vector<std::pair<ObjectId, Op>> waiting_;  // for the buffer to be bound
  std::size_t budget_ = 0, blob_bytes_ = 0;
  Reader::Bytes late_;  // of this record, which is a host write and not to be kept; null: it is another one
  std::unordered_map<Digest, std::size_t> blob_at_;                 // index into Plan::blobs
  std::unordered_map<ObjectId, std::uint32_t> api_versions_;        // of instances
  std::vector<std::unordered_set<std::uint16_t>> device_commands_;  // parallel to Plan::devices
  std::vector<bool> played_;                                        // by ObjectId: an op makes it
  std::vector<bool> lost_;                                          // parallel to Plan::devices
  Polls polls_;
  std::uint16_t poll_ns_ = 0;  // of this record
  std::uint64_t blobs_seen_ = 0;
  std::string blob_lost_;        // the first blob that could not be had, in words; empty: all could
  std::size_t whole_until_ = 0;  // ops up to and with the last whole submit
  PlanCounts whole_counts_;      // of those
  // ops before the first submit, which did not return; none: it did, or there is none
  std::optional<std::size_t> setup_until_;
  PlanCounts setup_counts_;                                   // of those
  std::unordered_set<ObjectId> timelines_;                    // semaphores
  std::unordered_map<ObjectId, std::uint32_t> query_counts_;  // of pools
  std::unordered_set<ObjectId> time_pools_;                   // of those, for timestamps
  bool any_times_ = false;                                    // were copied to a buffer
  // Salvage: where the last submits wait for what never came, the ops before them.
  std::unique_ptr<SyncModel> sync_model_;
  ObjectId whole_queue_ = ObjectId::null;  // of the last whole submit
  std::size_t answered_until_ = 0;         // 0: the last whole submit can go on
  PlanCounts answered_counts_;
  // Damage: patch indexes of the command buffers of each batch asked for.
  std::vector<std::uint32_t> swap_a_, swap_b_;
  struct Held {
    Record record;
    std::vector<std::byte> payload;
  };
  std::vector<Held> held_;                     // swap: from the first record met to the other
  std::uint64_t met_a_ = 0, met_b_ = 0;        // records that the selectors chose
  std::uint64_t seen_a_ = 0, seen_b_ = 0;      // records of the commands that they name
  bool damaging_ = false;                      // the record being added is the one
  std::size_t damaged_blob_ = ~std::size_t{};  // index into lowered_.blobs
};

}  // namespace rondo::player
