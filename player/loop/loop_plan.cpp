// SPDX-License-Identifier: Apache-2.0
#include "player/loop/loop_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_set>

#include "format/codec/schema.h"
#include "generated/args.h"
#include "player/loop/asked_pipelines.h"
#include "player/loop/query_uses.h"
#include "player/plan/event_states.h"
#include "player/plan/plan_edit.h"
#include "player/plan/recordings.h"

namespace rondo::player {

namespace {

// Handles that go with their pool, device or swapchain, or that nobody destroys.
bool is_never_destroyed(HandleType type) {
  return type == HandleType::VkQueue || type == HandleType::VkPhysicalDevice || type == HandleType::VkSurfaceKHR ||
         type == HandleType::VkDisplayKHR || type == HandleType::VkDisplayModeKHR ||
         type == HandleType::VkDebugUtilsMessengerEXT || type == HandleType::VkDebugReportCallbackEXT;
}

class Planner {
 public:
  explicit Planner(Plan& plan)
      : plan_(plan), objects_(plan.objects.objects()), begin_(plan.ops[plan.span.first].sequence) {}

  Result<LoopPlan> run() {
    RONDO_TRY(check_settles());
    RONDO_TRY(find_binds());
    keep_pipelines();
    RONDO_TRY(find_semaphores());
    RONDO_TRY(find_recordings());
    RONDO_TRY(find_execution_sets());
    RONDO_TRY(find_layouts());
    loop_.labels = find_open_labels(plan_);
    loop_.sparse = find_sparse_binds(plan_, [&](ObjectId id) { return lives_at_begin(id); });
    // Those of devices that every iteration makes anew go with them.
    std::erase_if(loop_.labels, [&](const OpenLabels& one) { return !lives_at_begin(objects_[one.queue].device); });
    find_states();
    leave_older_alone();
    find_survivors();
    open_pools();
    return std::move(loop_);
  }

 private:
  bool is_older(ObjectId id) const {
    return id != ObjectId::null && (objects_[id].created < begin_ || kept_.count(id) != 0);
  }
  bool lives_at_begin(ObjectId id) const {
    return is_older(id) && (objects_[id].destroyed == 0 || objects_[id].destroyed >= begin_);
  }
  const Op& op(std::uint32_t index) const { return plan_.ops[index]; }
  CommandId canonical(std::uint32_t index) const { return codec::info(op(index).command).canonical; }
  tl::unexpected<Error> refuse(std::uint32_t at, const std::string& sentence) const {
    return fail(Status::failed, plan_.path + ": the span cannot be looped: record " + std::to_string(op(at).sequence) +
                                    " (" + codec::info(op(at).command).name + ") " + sentence +
                                    "; --fresh plays each iteration from nothing");
  }

  Result<void> check_settles() const {
    for (const Settle& settle : plan_.settles) {
      if (settle.op < plan_.span.first || settle.op >= plan_.span.last) continue;
      const ObjectId shared = settle.semaphore != ObjectId::null ? settle.semaphore : settle.fence;
      if (settle.payload != Settle::Payload::none)
        return refuse(settle.op, "gives or takes the payload of " + plan_.name(shared) +
                                     " as a sync fd, which an iteration cannot take back");
      if (settle.lost != kNone)
        return refuse(settle.op, "lost " + plan_.name(plan_.devices[settle.lost].id) + ": nothing brings it back");
    }
    return {};
  }

  static bool binds(CommandId id) {
    return id == CommandId::vkBindBufferMemory || id == CommandId::vkBindImageMemory ||
           id == CommandId::vkBindBufferMemory2 || id == CommandId::vkBindImageMemory2;
  }
  struct Bound {
    ObjectId older = ObjectId::null, newer = ObjectId::null;  // resources
    std::vector<ObjectId> memories;
  };
  Bound bound_by(const Op& op) const {
    Bound bound;
    for (std::uint32_t p = 0; p < op.patches; ++p) {
      const ObjectId id = plan_.patches[op.first_patch + p].id;
      const HandleType type = objects_[id].type;
      if (type == HandleType::VkBuffer || type == HandleType::VkImage) (is_older(id) ? bound.older : bound.newer) = id;
      if (type == HandleType::VkDeviceMemory) bound.memories.push_back(id);
    }
    return bound;
  }

  // A resource is bound once and for all: so is one from before the span, and the memory that it is
  // bound to is allocated once, too.
  Result<void> find_binds() {
    for (std::uint32_t i = plan_.span.first; i < plan_.span.last; ++i) {
      if (!binds(canonical(i))) continue;
      const Bound bound = bound_by(op(i));
      if (bound.older == ObjectId::null) continue;
      if (bound.newer != ObjectId::null)
        return refuse(i, "binds " + plan_.name(bound.older) + ", which is from before the span, together with " +
                             plan_.name(bound.newer) + ", which every iteration makes anew");
      loop_.once.push_back(i);
      for (const ObjectId memory : bound.memories)
        if (!is_older(memory)) kept_.insert(memory);
    }
    for (std::uint32_t i = plan_.span.first; i < plan_.span.last && !kept_.empty(); ++i)
      if (canonical(i) == CommandId::vkAllocateMemory && kept_.count(op(i).subject) != 0) loop_.once.push_back(i);
    loop_.zeroed.assign(kept_.begin(), kept_.end());
    return {};
  }

  // Their shader groups would get other handles, which the program has stored.
  void keep_pipelines() {
    for (const std::uint32_t i : find_asked_pipelines(plan_)) {
      const auto made = std::span(plan_.created).subspan(op(i).first_created, op(i).created);
      // Those of devices that every iteration makes anew go with them, and get the same handles again.
      if (made.empty() || !is_older(objects_[made[0].id].device)) continue;
      loop_.once.push_back(i);
      for (const Patch& one : made) kept_.insert(one.id);
    }
  }

  // Work that waits at an end of the span for a signal that is outside of it.
  Result<void> check_pending(SyncModel& model, std::uint32_t at, const char* where) const {
    model.advance(at);
    if (!model.blocked()) return {};
    const SyncStep& step = plan_.sync[model.first_blocked()];
    for (std::uint32_t i = step.first_wait; i < step.first_wait + step.waits; ++i) {
      const SyncPoint& point = plan_.sync_points[i];
      if (model.reaches(point.semaphore, point.value) || point.semaphore >= kPayloads) continue;
      return refuse(step.op, "still waits for " + plan_.name(point.semaphore) + where);
    }
    return refuse(step.op, std::string("still waits for a semaphore") + where);
  }

  Result<void> check_events(const char* where) const {
    if (events_.waited_for().empty()) return {};
    const auto& [event, submit] = *events_.waited_for().begin();
    return refuse(submit, "still waits for " + plan_.name(event) + where);
  }

  Result<void> find_semaphores() {
    SyncModel model(plan_);
    RONDO_TRY(check_pending(model, plan_.span.first,
                            " where the span begins, and what signals it comes later: begin the span before that"));
    std::map<ObjectId, std::uint64_t> binaries;
    std::set<ObjectId> timelines;
    for (const SyncStep& step : plan_.sync) {
      if (step.op < plan_.span.first || step.op >= plan_.span.last) continue;
      const auto each = [&](std::uint32_t first, std::uint32_t count, bool signals) {
        for (std::uint32_t i = first; i < first + count; ++i) {
          const SyncPoint& point = plan_.sync_points[i];
          if (point.semaphore >= kPayloads || !lives_at_begin(point.semaphore)) continue;
          if (!point.timeline)
            binaries.emplace(point.semaphore, model.value(point.semaphore));
          else if (signals)
            timelines.insert(point.semaphore);
        }
      };
      each(step.first_wait, step.waits, false);
      each(step.first_signal, step.signals, true);
    }
    RONDO_TRY(check_pending(model, plan_.span.last,
                            " where the span ends, and what signals it comes later: end the span behind that"));
    for (const auto& [semaphore, before] : binaries)
      if (model.value(semaphore) != before) loop_.binaries.push_back({semaphore, before != 0});
    loop_.timelines.assign(timelines.begin(), timelines.end());
    return {};
  }

  void note_used(const Op& op) {
    for (std::uint32_t i = 0; i < op.patches; ++i)
      if (const ObjectId id = plan_.patches[op.first_patch + i].id; lives_at_begin(id)) used_.insert(id);
  }

  // What was recorded before the span and is submitted in it, and whether it is still there behind it.
  Result<void> find_recordings() {
    Recordings recordings(plan_);
    for (std::uint32_t i = 0; i < plan_.span.first; ++i) {
      recordings.take(i);
      events_.take(recordings, i);
    }
    RONDO_TRY(check_events(" where the span begins, and what sets it comes later: begin the span before that"));
    const std::map<ObjectId, EventStates::State> events_before = events_.all();
    struct Before {
      std::shared_ptr<Recording> recording;
      std::size_t ops;
      bool ended;
    };
    std::unordered_map<ObjectId, Before> before;
    recordings.each([&](ObjectId id, const std::shared_ptr<Recording>& recording) {
      before[id] = {recording, recording->ops.size(), recording->ended};
    });
    std::set<ObjectId> needed;
    const auto need = [&](ObjectId first) {
      for (std::vector<ObjectId> open{first}; !open.empty();) {
        const ObjectId id = open.back();
        open.pop_back();
        const auto found = before.find(id);
        if (found == before.end() || recordings.find(id) != found->second.recording || !needed.insert(id).second)
          continue;
        const std::vector<ObjectId>& inner = found->second.recording->secondaries;
        open.insert(open.end(), inner.begin(), inner.end());
      }
    };
    std::set<ObjectId> written;  // descriptor sets
    for (std::uint32_t i = plan_.span.first; i < plan_.span.last; ++i) {
      note_used(op(i));
      switch (canonical(i)) {
        case CommandId::vkUpdateDescriptorSets:
        case CommandId::vkUpdateDescriptorSetWithTemplate:
          for (std::uint32_t p = 0; p < op(i).patches; ++p)
            if (const ObjectId id = plan_.patches[op(i).first_patch + p].id;
                objects_[id].type == HandleType::VkDescriptorSet && lives_at_begin(id))
              written.insert(id);
          break;
        case CommandId::vkCmdExecuteCommands:
          for (std::uint32_t p = 0; p < op(i).patches; ++p)
            if (const ObjectId id = plan_.patches[op(i).first_patch + p].id; id != op(i).dispatch) need(id);
          break;
        case CommandId::vkResetQueryPool:
        case CommandId::vkGetQueryPoolResults:
          RONDO_TRY(use_queries(i));
          break;
        default:
          break;
      }
      for (const ObjectId id : submitted_commands(plan_, op(i))) {
        need(id);
        if (const auto recording = recordings.find(id); recording != nullptr)
          for (const model::QueryUse& use : recording->queries) RONDO_TRY(use_query(i, use));
      }
      // What frees it is left out, and it stays as it is.
      for (std::uint32_t e = 0; e < op(i).ended; ++e)
        note_half_recorded(recordings, plan_.ended[op(i).first_ended + e]);
      recordings.take(i);
      events_.take(recordings, i);
    }
    RONDO_TRY(check_events(" where the span ends, and what sets it comes later: end the span behind that"));
    if (recordings.too_many())
      return refuse(plan_.span.first,
                    "is followed by command buffers that use more queries and events than can be followed");
    // Half recorded where the span begins: it goes on there.
    for (const auto& [id, state] : before)
      if (!state.ended && state.recording->ops.size() != state.ops) needed.insert(id);

    std::set<ObjectId> replaced;
    const auto is_replaced = [&](ObjectId id) {
      const Before& old = before.at(id);
      if (recordings.find(id) != old.recording || old.recording->ops.size() != old.ops) return true;
      for (const ObjectId inner : old.recording->secondaries)
        if (replaced.count(inner) != 0) return true;
      for (std::size_t k = 0; k < old.ops; ++k) {
        const Op& one = op(old.recording->ops[k]);
        for (std::uint32_t p = 0; p < one.patches; ++p)
          if (written.count(plan_.patches[one.first_patch + p].id) != 0) return true;
      }
      return false;
    };
    for (bool more = true; more;) {
      more = false;
      for (const ObjectId id : needed)
        if (replaced.count(id) == 0 && is_replaced(id)) more = replaced.insert(id).second;
    }
    for (const ObjectId id : needed) {
      const Before& old = before.at(id);
      for (std::size_t k = 0; k < old.ops; ++k) note_used(op(old.recording->ops[k]));
      if (replaced.count(id) != 0)
        loop_.recordings.insert(loop_.recordings.end(), old.recording->ops.begin(),
                                old.recording->ops.begin() + static_cast<std::ptrdiff_t>(old.ops));
      else if (old.recording->one_time)
        flags_of(plan_, old.recording->ops.front(), &args_vkBeginCommandBuffer::pBeginInfo,
                 &VkCommandBufferBeginInfo::flags) &=
            ~static_cast<VkFlags>(VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
    }
    std::sort(loop_.recordings.begin(), loop_.recordings.end());
    recordings.each([&](ObjectId id, const std::shared_ptr<Recording>&) { note_half_recorded(recordings, id); });
    for (const auto& [event, old] : events_before) {
      const EventStates::State& now = events_.all().at(event);
      const bool changed = now.set != old.set || now.setter != old.setter;
      if (old.device_only && changed) loop_.device_events.push_back({event, old.set});
      if (old.setter != kNone) loop_.setters[event] = {old.setter, changed};
    }
    loop_.sets.assign(written.begin(), written.end());
    loop_.queries = queries_.to_reset();
    return {};
  }

  void note_half_recorded(const Recordings& recordings, ObjectId id) {
    const auto recording = recordings.find(id);
    if (recording != nullptr && is_older(id) && !recording->ended && recording->ops.back() >= plan_.span.first)
      loop_.half_recorded.push_back(id);
  }

#ifdef VK_EXT_device_generated_commands
  template <class Args>
  std::set<std::uint32_t> written_entries() const {
    std::set<std::uint32_t> entries;
    const auto& a = view_.as<Args>();
    for (std::uint32_t i = 0; i < a.executionSetWriteCount; ++i) entries.insert(a.pExecutionSetWrites[i].index);
    return entries;
  }

  // Of indirect execution sets, what wrote them before: it is played again.
  Result<void> find_execution_sets() {
    std::map<ObjectId, std::set<std::uint32_t>> before, within;  // entries
    std::map<ObjectId, std::vector<std::uint32_t>> writes;       // ops before the span
    for (std::uint32_t i = 0; i < plan_.span.last; ++i) {
      const CommandId id = canonical(i);
      const bool of_pipelines = id == CommandId::vkUpdateIndirectExecutionSetPipelineEXT;
      if (!of_pipelines && id != CommandId::vkUpdateIndirectExecutionSetShaderEXT) continue;
      view_.load(plan_, op(i));
      const ObjectId set = named(plan_, op(i), HandleType::VkIndirectExecutionSetEXT);
      if (!lives_at_begin(set)) continue;
      const std::set<std::uint32_t> entries = of_pipelines
                                                  ? written_entries<args_vkUpdateIndirectExecutionSetPipelineEXT>()
                                                  : written_entries<args_vkUpdateIndirectExecutionSetShaderEXT>();
      (i < plan_.span.first ? before : within)[set].insert(entries.begin(), entries.end());
      if (i < plan_.span.first) writes[set].push_back(i);
      // The first entry is what the set was made with, and nothing writes that again.
      else if (entries.count(0) != 0 && before[set].count(0) == 0)
        return refuse(i, "writes entry 0 of " + plan_.name(set) + ", which has what it was made with until there");
    }
    for (const auto& [set, entries] : within)
      loop_.recordings.insert(loop_.recordings.end(), writes[set].begin(), writes[set].end());
    std::sort(loop_.recordings.begin(), loop_.recordings.end());
    return {};
  }
#else
  Result<void> find_execution_sets() { return {}; }
#endif

  Result<void> use_queries(std::uint32_t at) {
    view_.load(plan_, op(at));
    if (canonical(at) == CommandId::vkResetQueryPool) {
      const auto& a = view_.as<args_vkResetQueryPool>();
      return use_query(at, {model::QueryUse::Kind::reset, view_.id(&a.queryPool), a.firstQuery, a.queryCount});
    }
    const auto& a = view_.as<args_vkGetQueryPoolResults>();
    return use_query(at, {model::QueryUse::Kind::read, view_.id(&a.queryPool), a.firstQuery, a.queryCount});
  }

  Result<void> use_query(std::uint32_t at, const model::QueryUse& use) {
    if (!lives_at_begin(use.pool)) return {};
    const std::string why = queries_.use(plan_, use);
    return why.empty() ? Result<void>() : refuse(at, why);
  }

  Result<void> find_layouts() {
    loop_.layouts = find_layout_changes(plan_, [&](ObjectId id) { return lives_at_begin(id); });
    if (!loop_.layouts.too_many) return {};
    return refuse(plan_.span.first, "is followed by more changes of layouts than can be followed");
  }

  void find_states() {
    for (const ObjectId id : used_) {
      if (objects_[id].type == HandleType::VkFence) loop_.fences.push_back(id);
      if (objects_[id].type != HandleType::VkEvent) continue;
      const auto event = events_.all().find(id);
      if (event == events_.all().end() || !event->second.device_only) loop_.events.push_back(id);
    }
    std::sort(loop_.fences.begin(), loop_.fences.end());
    std::sort(loop_.events.begin(), loop_.events.end());
  }

  // Ends of older objects are left to the end of the run. A call that ends others, too, ends those.
  template <class Stays>
  void leave_alone(std::uint32_t index, const Stays& stays) {
    Op& one = plan_.ops[index];
    const auto ended = plan_.ended.begin() + one.first_ended;
    const auto staying = std::count_if(ended, ended + one.ended, stays);
    if (staying == 0) return;
    const CommandId id = canonical(index);
    const bool by_name = id == CommandId::vkFreeCommandBuffers || id == CommandId::vkFreeDescriptorSets;
    if (!by_name || staying == one.ended) return leave_out(one);
    for (std::uint32_t p = 0; p < one.patches; ++p) {
      Patch& patch = plan_.patches[one.first_patch + p];
      const HandleType type = objects_[patch.id].type;
      if ((type == HandleType::VkCommandBuffer || type == HandleType::VkDescriptorSet) && stays(patch.id))
        patch.id = ObjectId::null;
    }
    const auto rest = std::stable_partition(ended, ended + one.ended, [&](ObjectId e) { return !stays(e); });
    one.ended = static_cast<std::uint32_t>(rest - ended);
  }

  void leave_older_alone() {
    // A reset ends all sets of its pool here: also those that the program had freed before, and that stay.
    std::unordered_set<ObjectId> kept_pools;
    for (const ObjectId id : all_ids(objects_.size()))
      if (objects_[id].type == HandleType::VkDescriptorSet && lives_at_begin(id))
        kept_pools.insert(objects_[id].parent);
    for (std::uint32_t i = plan_.span.first; i < plan_.span.last; ++i)
      if (canonical(i) == CommandId::vkResetDescriptorPool && kept_pools.count(op(i).subject) != 0)
        leave_out(plan_.ops[i]);
      else
        leave_alone(i, [&](ObjectId id) { return is_older(id); });
    // What a recording used and a program ended before it was submitted, as it may with some kinds: to
    // record it again takes them all.
    std::unordered_set<ObjectId> gone;
    for (const std::uint32_t i : loop_.recordings)
      for (std::uint32_t p = 0; p < op(i).patches; ++p)
        if (const ObjectId id = plan_.patches[op(i).first_patch + p].id; id != ObjectId::null && !lives_at_begin(id))
          gone.insert(id);
    if (gone.empty()) return;
    for (std::uint32_t i = 0; i < plan_.span.first; ++i)
      leave_alone(i, [&](ObjectId id) { return gone.count(id) != 0; });
  }

  void find_survivors() {
    std::unordered_set<ObjectId> born, ended;
    for (std::uint32_t i = plan_.span.first; i < plan_.span.last; ++i) {
      const Op& one = op(i);
      for (std::uint32_t k = 0; k < one.created; ++k)
        if (const ObjectId id = plan_.created[one.first_created + k].id; !is_older(id)) born.insert(id);
      for (std::uint32_t k = 0; k < one.ended; ++k) ended.insert(plan_.ended[one.first_ended + k]);
    }
    for (const ObjectId id : born)
      if (ended.count(id) == 0 && !is_never_destroyed(objects_[id].type)) loop_.survivors.push_back(id);
    // Youngest first, memory behind what is bound to it, devices and instances last.
    const auto rank = [&](ObjectId id) {
      switch (objects_[id].type) {
        case HandleType::VkDeviceMemory:
          return 1;
        case HandleType::VkDevice:
          return 2;
        case HandleType::VkInstance:
          return 3;
        default:
          return 0;
      }
    };
    std::sort(loop_.survivors.begin(), loop_.survivors.end(),
              [&](ObjectId a, ObjectId b) { return rank(a) != rank(b) ? rank(a) < rank(b) : a > b; });
  }

  // Of command buffers from before the span that it begins and did not reset by their pools: the
  // iteration before has recorded them.
  void begun_again(std::set<ObjectId>& command_pools) const {
    std::set<ObjectId> reset;
    for (std::uint32_t i = plan_.span.first; i < plan_.span.last; ++i) {
      if (canonical(i) == CommandId::vkResetCommandPool) reset.insert(named(plan_, op(i), HandleType::VkCommandPool));
      if (canonical(i) != CommandId::vkBeginCommandBuffer || !lives_at_begin(op(i).dispatch)) continue;
      const ObjectId pool = objects_[op(i).dispatch].parent;
      if (reset.count(pool) == 0) command_pools.insert(pool);
    }
  }

  // Pools from before the span give single command buffers and sets back.
  void open_pools() {
    std::set<ObjectId> command_pools, set_pools;
    for (const std::uint32_t i : loop_.recordings)
      if (objects_[op(i).dispatch].type == HandleType::VkCommandBuffer)
        command_pools.insert(objects_[op(i).dispatch].parent);
    for (const ObjectId id : loop_.half_recorded) command_pools.insert(objects_[id].parent);
    begun_again(command_pools);
    for (const ObjectId id : loop_.survivors)
      if (objects_[id].type == HandleType::VkDescriptorSet) set_pools.insert(objects_[id].parent);
    for (std::uint32_t i = 0; i < plan_.span.last; ++i) {
      if (canonical(i) == CommandId::vkCreateCommandPool && command_pools.count(op(i).subject) != 0)
        flags_of(plan_, i, &args_vkCreateCommandPool::pCreateInfo, &VkCommandPoolCreateInfo::flags) |=
            VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
      if (canonical(i) == CommandId::vkCreateDescriptorPool && set_pools.count(op(i).subject) != 0)
        flags_of(plan_, i, &args_vkCreateDescriptorPool::pCreateInfo, &VkDescriptorPoolCreateInfo::flags) |=
            VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT;
    }
  }

  Plan& plan_;
  const ByObject<Object>& objects_;
  const std::uint64_t begin_;  // sequence number of the span's first op
  LoopPlan loop_;
  OpView view_;
  std::unordered_set<ObjectId> used_;  // older objects, by what is played
  std::set<ObjectId> kept_;            // memory made in the span that stays
  QueryUses queries_;
  EventStates events_{plan_};
};

}  // namespace

void leave_out(Op& op) {
  op.command = CommandId::rondoNote;
  op.ended = op.created = op.patches = op.pointers = 0;
}

Result<LoopPlan> plan_loop(Plan& plan) { return Planner(plan).run(); }

}  // namespace rondo::player
