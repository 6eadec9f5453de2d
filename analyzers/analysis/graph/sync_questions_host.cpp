// SPDX-License-Identifier: Apache-2.0
// Part of SyncQuestions: asks for what the host needs, and finds reads of what another queue family owns.
#include <algorithm>
#include <bit>

#include "analyzers/analysis/graph/sync_questions.h"
#include "format/codec/schema.h"
#include "generated/args.h"
#include "model/touch.h"

namespace rondo::graph {

namespace {

constexpr std::uint8_t kHostStage = 14, kHostRead = 13;
static_assert(VkPipelineStageFlags2{1} << kHostStage == VK_PIPELINE_STAGE_2_HOST_BIT);
static_assert(VkAccessFlags2{1} << kHostRead == VK_ACCESS_2_HOST_READ_BIT);
// ALL_COMMANDS (MEMORY_READ): what the presentation engine does has no stage of its own.
constexpr AccessKind kPresentedRead{16, 15};
static_assert(VkPipelineStageFlags2{1} << kPresentedRead.stage == VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
static_assert(VkAccessFlags2{1} << kPresentedRead.access == VK_ACCESS_2_MEMORY_READ_BIT);

// This many queries of a pool are followed. The analysis assumes that the host has read the results of all others. So
// it may miss a race, but it names no false one.
constexpr std::uint64_t kMostQueries = std::uint64_t{1} << 16;

bool is_concurrent(const model::Call& call) {
  switch (call.command.canonical) {
    case CommandId::vkCreateBuffer: {
      const auto* const info = call.as<args_vkCreateBuffer>().pCreateInfo;
      return info != nullptr && info->sharingMode == VK_SHARING_MODE_CONCURRENT;
    }
    case CommandId::vkCreateImage: {
      const auto* const info = call.as<args_vkCreateImage>().pCreateInfo;
      return info != nullptr && info->sharingMode == VK_SHARING_MODE_CONCURRENT;
    }
    // Who owns the images of a swapchain, the presentation engine has a part in.
    case CommandId::vkGetSwapchainImagesKHR:
      return true;
    default:
      return false;
  }
}

// A transfer from or to what the capture does not show.
bool is_outside(std::uint32_t family) {
  return family == VK_QUEUE_FAMILY_EXTERNAL || family == VK_QUEUE_FAMILY_FOREIGN_EXT;
}

}  // namespace

// --- As the capture is read ---

void SyncQuestions::call(const model::Call& call, const model::Placement& placement, bool is_ambiguous) {
  host_at_.clear();
  call_ = {call.sequence, call.sequence, kNoSubmit, 0, call.command.canonical, true, is_ambiguous};
  log.call(call);
  if (is_concurrent(call)) concurrent_.insert(call.resolution.created.begin(), call.resolution.created.end());
  swapchains_.call(call);
  host_needs_.call(call, placement);
}

void SyncQuestions::submitted(const model::Batch& batch) {
  host_needs_.submitted(batch);
  log.submitted(batch);
}

void SyncQuestions::host(const model::HostSync& sync) {
  host_needs_.host_before(sync);
  got_results(sync);
  acquired(sync);
  log.host(sync);
  host_needs_.host_after();
}

void SyncQuestions::ended(ObjectId id) {
  log.ended(id);
  results_at_.erase(id);
  swapchains_.ended(id);
  presented_.erase(id);
  acquired_.erase(id);
}

void SyncQuestions::done() { host_needs_.done(); }

void SyncQuestions::begins(const model::Batch& batch) {
  for (const model::PresentedImage& one : batch.images)
    if (const ObjectId image = swapchains_.of(one.swapchain, one.image); image != ObjectId::null) {
      presented_.insert(image);
      acquired_.erase(image);
    }
  log.begins(batch);
  host_needs_.begins(batch);
}

void SyncQuestions::ends(const model::Batch& batch) {
  host_needs_.ends(batch);
  log.ends(batch);
}

void SyncQuestions::finish() {
  host_at_.clear();
  host_needs_.finish();
}

// --- The host ---

void SyncQuestions::tell_host(const Needs& of, const SpaceFacts& spaces) {
  for (const Needs::Touch& touch : of.touches()) {
    const Way& way = of.way(touch.way);
    host_needs_.works_in(way.stages);
    const SpaceInfo& info = spaces.info(touch.space);
    if (!touch.writes || way.changes_layout || info.kind != SpaceInfo::Kind::memory) continue;
    const VkAccessFlags2 writes = way.access & model::kWrites;
    if (way.stages == 0 || writes == 0) continue;
    // One kind is enough: the host waits for all of it.
    host_needs_.writes(info.object, {static_cast<std::uint8_t>(std::countr_zero(std::bit_floor(way.stages))),
                                     static_cast<std::uint8_t>(std::countr_zero(writes))});
  }
}

void SyncQuestions::ask_of_host(const HostNeed& need) {
  const auto [found, fresh] = host_at_.try_emplace({std::uint64_t{need.from.place.queue} << 32 | need.from.place.time,
                                                    need.from.place.pass, need.from.kind, need.is_quiet, need.kind},
                                                   static_cast<std::uint32_t>(questions_.size()));
  if (fresh) {
    SyncQuestion question;
    question.is_quiet = need.is_quiet;
    question.host = static_cast<std::uint32_t>(host_.size());
    OfHost one;
    one.kind = need.kind;
    one.from = need.from;
    one.stage = need.stage;
    one.to.kind = {kHostStage, kHostRead};
    one.to.place.time = log.now();
    one.to.place.queue = SyncLog::kHost;
    one.call = call_;
    one.node = need.node;
    one.command = need.node != HostNeed::kNoNode
                      ? executed_[need.node]
                      : Executed{need.batch, need.batch, kNoSubmit, 0, CommandId::vkQueueSubmit};
    host_.push_back(one);
    questions_.push_back(question);
  }
  if (asked_of_host_) asked_of_host_(found->second, need);
}

// --- Images of swapchains ---

// The signal of the acquire comes after what the presentation engine does until now.
void SyncQuestions::acquired(const model::HostSync& sync) {
  if (sync.kind != model::HostSync::Kind::acquire_image || !sync.succeeded) return;
  SyncLog::Place place;
  place.time = log.now();
  place.queue = SyncLog::kPresent;
  last_acquire_ = {kPresentedRead, place, 0, 0};
  const ObjectId image = swapchains_.of(sync.swapchain, sync.image);
  if (image != ObjectId::null && presented_.count(image) == 0) acquired_[image] = {last_acquire_, call_};
}

// --- Queries ---

// All results are available: the commands that write them have executed.
void SyncQuestions::got_results(const model::HostSync& sync) {
  if (sync.kind != model::HostSync::Kind::query_results || !sync.succeeded) return;
  const std::uint64_t end = std::min(kMostQueries, std::uint64_t{sync.first_query} + sync.query_count);
  std::vector<std::uint32_t>& at = results_at_[sync.query_pool];
  if (at.size() < end) at.resize(end);
  for (std::uint64_t i = sync.first_query; i < end; ++i) at[i] = nodes();
}

// The host got the results of these queries after the command.
bool SyncQuestions::has_results(const Need& need, const SpaceFacts& spaces) const {
  const auto found = results_at_.find(spaces.info(need.space).object);
  if (found == results_at_.end()) return false;
  for (std::uint64_t i = need.begin; i < std::min(need.end, kMostQueries); ++i)
    if (i >= found->second.size() || found->second[i] <= need.from.node) return false;
  return true;
}

// --- Queue families ---

// The barrier that makes a transition; null: a render pass makes it.
const model::Barrier* SyncQuestions::barrier_of(std::uint32_t node, const Way& way) const {
  const SyncLog::Place& place = places_[node];
  if (way.part == SyncLog::kAllParts || (way.part + 1) * place.parts > place.ops) return nullptr;
  const SyncLog::Op& op = log.ops()[place.first_op + way.part * place.parts];
  const SyncOp& sync = log.syncs()[op.sync];
  return op.part < sync.barriers.size() ? &sync.barriers[op.part] : nullptr;
}

// What only moves a resource to another queue family is none.
bool SyncQuestions::is_layout_transition(std::uint32_t node, const Way& way) const {
  if (!way.changes_layout) return false;
  const model::Barrier* const barrier = barrier_of(node, way);
  if (barrier == nullptr) return places_[node].pass != 0;  // the automatic ones of a render pass
  return barrier->kind == model::Barrier::Kind::image && barrier->old_layout != barrier->new_layout;
}

// What a family wrote another one sees only after a release and an acquire. To write over it needs none.
// Specification: "Queue Family Ownership Transfer".
bool SyncQuestions::is_foreign(const Need& need, const Way& from, const Way& to, const SpaceFacts& spaces) const {
  const std::uint32_t a = log.family_of(places_[need.from.node].queue);
  const std::uint32_t b = log.family_of(places_[need.to.node].queue);
  if (a == b || a == SyncLog::kNoFamily || b == SyncLog::kNoFamily || need.possible) return false;
  const ObjectId object = spaces.only_on(need.space, need.begin, need.end);
  if (object == ObjectId::null || concurrent_.count(object) != 0) return false;
  const model::Barrier* const first = from.changes_layout ? barrier_of(need.from.node, from) : nullptr;
  if (!to.changes_layout) return need.hazard == Hazard::raw;
  const model::Barrier* const second = barrier_of(need.to.node, to);
  if (second == nullptr) return false;
  if (second->src_family == second->dst_family) return second->old_layout != VK_IMAGE_LAYOUT_UNDEFINED;
  if (is_outside(second->src_family)) return false;
  const bool is_acquire = second->dst_family == b;
  return !is_acquire || first == nullptr || first->src_family != second->src_family ||
         first->dst_family != second->dst_family;
}

}  // namespace rondo::graph
