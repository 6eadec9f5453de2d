// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/host_needs.h"

#include <algorithm>
#include <bit>

#include "analyzers/analysis/graph/scopes.h"
#include "format/codec/schema.h"
#include "format/native_view.h"
#include "generated/args.h"

namespace rondo::graph {

namespace {

// Of a kind, on a queue. A wait may be for a batch so many batches ago.
constexpr std::size_t kMostWrites = 64;
// When a memory is mapped: the host has perhaps waited for one of so many.
constexpr std::size_t kFewWrites = 4;

// Others than the program may look into the memory at any time.
bool is_shared(const void* chain) {
  return find_chained<VkBaseInStructure>(chain, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT) != nullptr ||
         find_chained<VkBaseInStructure>(chain, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR) != nullptr ||
         find_chained<VkBaseInStructure>(chain, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO) != nullptr;
}

}  // namespace

// --- Calls ---

void HostNeeds::take_lifetimes() {
  for (; taken_ < lifetimes_.needs().size(); ++taken_) {
    const LifetimeNeed& need = lifetimes_.needs()[taken_];
    need_end(need.is_fence ? HostNeed::Kind::lifetime_of_fence : HostNeed::Kind::lifetime, need.batch, need.object,
             need.is_quiet);
  }
}

void HostNeeds::done() {
  lifetimes_.done();
  taken_ = 0;
}

void HostNeeds::need_end(HostNeed::Kind kind, std::uint32_t number, ObjectId object, bool is_quiet) const {
  const Lifetimes::Batch& batch = lifetimes_.batch(number);
  sink_({kind,
         {HostNeed::kEnd, batches_[number].end, 0, 0},
         batches_[number].stage,
         batch.node,
         batch.record,
         object,
         is_quiet});
}

void HostNeeds::call(const model::Call& call, const model::Placement& placement) {
  lifetimes_.call(call, placement);
  take_lifetimes();
  for (const ObjectId id : call.ended) {
    writes_.erase(id);
    mapped_.erase(id);
    shared_.erase(id);
  }
  if (!call.succeeded) return;
  const auto for_memories = [&](const auto& visit) {
    for (const ObjectId id : call.resolution.ids)
      if (id != ObjectId::null && call.type_of(id) == HandleType::VkDeviceMemory) visit(id);
  };
  switch (call.command.canonical) {
    case CommandId::vkAllocateMemory:
      if (const auto* const info = call.as<args_vkAllocateMemory>().pAllocateInfo;
          info != nullptr && is_shared(info->pNext))
        for (const ObjectId made : call.resolution.created) shared_.insert(made);
      return;
    case CommandId::vkMapMemory:
    case CommandId::vkMapMemory2:
      return for_memories([&](ObjectId id) {
        mapped_.insert(id);
        if (const auto found = writes_.find(id); found != writes_.end())
          for (auto& [where, all] : found->second)
            for (std::size_t i = all.size() - std::min(all.size(), kFewWrites); i < all.size(); ++i)
              may_read(id, where.second, all[i]);
      });
    case CommandId::vkUnmapMemory:
    case CommandId::vkUnmapMemory2:
      return for_memories([&](ObjectId id) { mapped_.erase(id); });
    default:
      return;
  }
}

void HostNeeds::submitted(const model::Batch& batch) {
  lifetimes_.submitted(batch);
  take_lifetimes();
}

void HostNeeds::host_before(const model::HostSync& sync) {
  lifetimes_.host(sync);
  take_lifetimes();
  if (sync.kind != model::HostSync::Kind::query_results || !sync.succeeded || sync.waits_for_queries) return;
  found_.clear();
  lifetimes_.uses_of({sync.query_pool, true}, found_);
  for (const LifetimeNeed& one : found_) need_end(HostNeed::Kind::read_back, one.batch, one.object, true);
}

void HostNeeds::may_read(ObjectId memory, AccessKind kind, Write& write) {
  sink_({HostNeed::Kind::read_back,
         {kind, write.place, 0, 0},
         kind.stage,
         write.node,
         lifetimes_.batch(write.batch).record,
         memory,
         true});
}

void HostNeeds::host_after() {
  if (log_.waited().empty()) return;
  const auto look_at = [&](ObjectId memory) {
    const auto found = writes_.find(memory);
    if (found == writes_.end()) return;
    for (const SyncLog::Waited& waited : log_.waited())
      for (auto& [where, all] : found->second) {
        if (where.first != waited.queue) continue;
        const auto after =
            std::upper_bound(all.begin(), all.end(), waited.until,
                             [](std::uint32_t until, const Write& one) { return until < one.place.time; });
        if (after == all.begin() || std::prev(after)->is_asked) continue;
        std::prev(after)->is_asked = true;
        may_read(memory, where.second, *std::prev(after));
      }
  };
  for (const auto* const memories : {&mapped_, &shared_})
    for (const ObjectId memory : *memories) look_at(memory);
}

void HostNeeds::finish() {
  for (const auto& [queue, number] : last_)
    if (lifetimes_.batch(number).has_ended) need_end(HostNeed::Kind::read_back, number, ObjectId::null, true);
}

// --- Batches ---

void HostNeeds::begins(const model::Batch& batch) {
  const std::uint32_t number = lifetimes_.begins(batch);
  stages_ = 0;
  Batch& made = batches_.emplace_back();
  made.end.queue = static_cast<std::uint16_t>(log_.queue_of(batch.queue));
  // A host that waits does not learn when a present is over.
  if (batch.kind != model::Batch::Kind::present) last_[made.end.queue] = number;
}

void HostNeeds::ends(const model::Batch& batch) {
  lifetimes_.ends(batch);
  if (batches_.empty() || !lifetimes_.batch(static_cast<std::uint32_t>(batches_.size() - 1)).has_ended) return;
  Batch& ended = batches_.back();
  ended.end.time = log_.now();
  ended.stage = HostNeed::kEnd.stage;
  for (VkPipelineStageFlags2 rest = stages_; rest != 0; rest &= rest - 1) {
    const VkPipelineStageFlags2 one = rest & ~(rest - 1);
    if ((stages_ & ~with_earlier(one)) == 0) ended.stage = static_cast<std::uint8_t>(std::countr_zero(one));
  }
}

void HostNeeds::node(std::uint32_t node, const SyncLog::Place& place, const access::Executed& executed) {
  node_ = node;
  place_ = place;
  lifetimes_.node(node, executed);
}

void HostNeeds::writes(ObjectId memory, AccessKind kind) {
  if (batches_.empty() || batches_.back().end.queue != place_.queue) return;
  const auto batch = static_cast<std::uint32_t>(batches_.size() - 1);
  std::vector<Write>& all = writes_[memory][{place_.queue, kind}];
  if (all.empty() || all.back().batch != batch) {
    if (all.size() >= kMostWrites) all.erase(all.begin());
    all.push_back({});
  }
  all.back() = {batch, node_, place_, false};
}

}  // namespace rondo::graph
