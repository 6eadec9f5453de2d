// SPDX-License-Identifier: Apache-2.0
#include "player/loop/sparse_restore.h"

#include <algorithm>
#include <span>

#include "format/native_view.h"
#include "generated/args.h"
#include "model/gpu/one_shot.h"
#include "player/run/chains.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

bool is_bind(const Plan& plan, std::uint32_t op) { return plan.ops[op].command == CommandId::vkQueueBindSparse; }

// The resources that it binds pages of.
template <class Visit>
void each_resource(const Plan& plan, const Op& op, Visit visit) {
  for (std::uint32_t p = 0; p < op.patches; ++p) {
    const ObjectId id = plan.patches[op.first_patch + p].id;
    const HandleType type = plan.objects.objects()[id].type;
    if (id != ObjectId::null && (type == HandleType::VkBuffer || type == HandleType::VkImage)) visit(id);
  }
}

// Binds of pages alone: to nothing, or again to what is still there.
class Rebinder {
 public:
  Rebinder(Run& run, const SparseBinds& binds) : run_(run) {
    for (const ObjectId id : binds.resources) handles_.push_back(run.slot(id));
  }

  Result<void> play(std::uint32_t index, bool to_nothing) {
    const Op& op = run_.plan().ops[index];
    std::vector<std::byte> block = run_.prepared_copy(op);
    auto& a = as<args_vkQueueBindSparse>(block.data());
    for (VkBindSparseInfo& batch : std::span(const_cast<VkBindSparseInfo*>(a.pBindInfo), a.bindInfoCount)) {
      batch.waitSemaphoreCount = batch.signalSemaphoreCount = 0;
      unchain(batch.pNext, [](const VkBaseInStructure& structure) {
        return structure.sType == VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
      });
      const auto keep = [&](auto* infos, std::uint32_t& count, auto handle) {
        const auto rest = std::remove_if(infos, infos + count, [&](const auto& info) {
          return std::find(handles_.begin(), handles_.end(), reinterpret_cast<std::uint64_t>(info.*handle)) ==
                 handles_.end();
        });
        count = static_cast<std::uint32_t>(rest - infos);
        for (auto& info : std::span(infos, count))
          for (auto& bind : std::span(edit(info.pBinds), info.bindCount))
            if (to_nothing || bind.memory == VK_NULL_HANDLE) {
              bind.memory = VK_NULL_HANDLE;
              bind.memoryOffset = 0;
            }
      };
      keep(edit(batch.pBufferBinds), batch.bufferBindCount, &VkSparseBufferMemoryBindInfo::buffer);
      keep(edit(batch.pImageOpaqueBinds), batch.imageOpaqueBindCount, &VkSparseImageOpaqueMemoryBindInfo::image);
      keep(edit(batch.pImageBinds), batch.imageBindCount, &VkSparseImageMemoryBindInfo::image);
    }
    const VkResult r =
        run_.device(op).dispatch.vkQueueBindSparse(a.queue, a.bindInfoCount, a.pBindInfo, VK_NULL_HANDLE);
    if (r < 0)
      return fail(Status::failed, run_.plan().path + ": binding pages back between iterations: " +
                                      gpu::describe("vkQueueBindSparse", r));
    return {};
  }

 private:
  // The copy is this one's own.
  template <class T>
  static T* edit(const T* of_the_copy) {
    return const_cast<T*>(of_the_copy);
  }
  Run& run_;
  std::vector<std::uint64_t> handles_;
};

}  // namespace

SparseBinds find_sparse_binds(const Plan& plan, const std::function<bool(ObjectId)>& lives_at_begin) {
  SparseBinds binds;
  std::vector<bool> rebound(plan.objects.objects().size());
  for (std::uint32_t i = plan.span.first; i < plan.span.last; ++i) {
    if (!is_bind(plan, i)) continue;
    bool any = false;
    each_resource(plan, plan.ops[i], [&](ObjectId id) {
      if (!lives_at_begin(id)) return;
      if (!rebound[index_of(id)]) binds.resources.push_back(id);
      rebound[index_of(id)] = any = true;
    });
    if (any) binds.within.push_back(i);
  }
  for (std::uint32_t i = 0; i < plan.span.first && !binds.within.empty(); ++i) {
    bool any = false;
    if (is_bind(plan, i)) each_resource(plan, plan.ops[i], [&](ObjectId id) { any = any || rebound[index_of(id)]; });
    if (any) binds.before.push_back(i);
  }
  return binds;
}

Result<void> restore(Run& run, const SparseBinds& binds) {
  if (binds.within.empty()) return {};
  Rebinder rebinder(run, binds);
  for (const std::uint32_t op : binds.within) RONDO_TRY(rebinder.play(op, true));
  for (const std::uint32_t op : binds.before) RONDO_TRY(rebinder.play(op, false));
  return run.idle();
}

}  // namespace rondo::player
