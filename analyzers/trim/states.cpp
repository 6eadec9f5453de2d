// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/states.h"

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <tuple>

#include "generated/args.h"
#include "player/plan/op_view.h"
#include "player/plan/plan_edit.h"
#include "player/plan/recordings.h"

namespace rondo::trim {

using model::QueryUse;
using player::Op;
using player::Plan;
using player::Recording;

namespace {

class Finder {
 public:
  explicit Finder(const Plan& plan) : plan_(plan), layouts_(plan), recordings_(plan), events_(plan) {}

  Result<States> run() {
    for (std::uint32_t i = 0; i < plan_.span.first; ++i) {
      layouts_.take(i);
      take_queries(i);
      take_queue(i);
      take_sparse(i);
      recordings_.take(i);
      events_.take(recordings_, i);
    }
    player::SyncModel model(plan_);
    model.advance(plan_.span.first);
    const auto& objects = plan_.objects.objects();
    for (const ObjectId id : all_ids(objects.size()))
      if (objects[id].type == HandleType::VkSemaphore && model.value(id) != 0) states_.signalled.insert(id);
    if (layouts_.too_many() || recordings_.too_many())
      return fail(Status::failed,
                  plan_.path + ": it changes more layouts, or uses more queries and events, than can be followed");
    states_.layouts = layouts_.now();
    states_.events = events_.all();
    RONDO_TRY(find_recordings());
    states_.copies_results = copies_results_;
    return std::move(states_);
  }

 private:
  CommandId canonical(std::uint32_t op) const { return codec::info(plan_.ops[op].command).canonical; }

  void use(const QueryUse& one) {
    std::vector<QueryState>& states = states_.queries[one.pool];
    constexpr std::uint32_t most = 1 << 22;
    if (one.first > most || one.count > most - one.first || one.kind == QueryUse::Kind::read) return;
    states.resize(std::max<std::size_t>(states.size(), one.first + one.count), QueryState::unknown);
    std::fill_n(states.begin() + one.first, one.count,
                one.kind == QueryUse::Kind::reset ? QueryState::reset : QueryState::ended);
  }

  void take_queries(std::uint32_t index) {
    const Op& op = plan_.ops[index];
    for (const ObjectId commands : player::submitted_commands(plan_, op))
      if (const auto recording = recordings_.find(commands); recording != nullptr)
        for (const QueryUse& one : recording->queries) use(one);
    if (canonical(index) == CommandId::vkResetQueryPool) {
      view_.load(plan_, op);
      const auto& a = view_.as<args_vkResetQueryPool>();
      use({QueryUse::Kind::reset, view_.id(&a.queryPool), a.firstQuery, a.queryCount});
    } else if (canonical(index) == CommandId::rondoQueries) {
      view_.load(plan_, op);
      const auto& a = view_.as<args_rondoQueries>();
      use({a.available != VK_FALSE ? QueryUse::Kind::write : QueryUse::Kind::reset, view_.id(&a.queryPool),
           a.firstQuery, a.queryCount});
    }
  }

  // In the span: of what was asked before it.
  void take_copies(std::uint32_t index) {
    const Op& op = plan_.ops[index];
    const auto touched = [&](const QueryUse& one) {
      std::vector<QueryState>& states = older_[one.pool];
      const auto first = std::min<std::size_t>(one.first, states.size());
      const auto behind = first + std::min<std::size_t>(one.count, states.size() - first);
      for (std::size_t i = first; i < behind; ++i) {
        if (one.kind != QueryUse::Kind::read)
          states[i] = QueryState::unknown;
        else if (states[i] == QueryState::ended && !counts_time(one.pool))
          copies_results_ = true;
      }
    };
    for (const ObjectId commands : player::submitted_commands(plan_, op))
      if (const auto recording = recordings_.find(commands); recording != nullptr)
        for (const QueryUse& one : recording->queries) touched(one);
    if (canonical(index) == CommandId::vkResetQueryPool) {
      view_.load(plan_, op);
      const auto& a = view_.as<args_vkResetQueryPool>();
      touched({QueryUse::Kind::reset, view_.id(&a.queryPool), a.firstQuery, a.queryCount});
    }
  }

  bool counts_time(ObjectId pool) {
    const auto [found, fresh] = counts_time_.try_emplace(pool, false);
    for (std::uint32_t i = 0; fresh && i < plan_.span.last; ++i) {
      const Op& op = plan_.ops[i];
      if (canonical(i) != CommandId::vkCreateQueryPool || op.created == 0 || plan_.created[op.first_created].id != pool)
        continue;
      view_.load(plan_, op);
      found->second = view_.as<args_vkCreateQueryPool>().pCreateInfo->queryType == VK_QUERY_TYPE_TIMESTAMP;
      break;
    }
    return found->second;
  }

  void take_queue(std::uint32_t index) {
    const Op& op = plan_.ops[index];
    std::uint32_t family = 0;
    view_.load(plan_, op);
    if (canonical(index) == CommandId::vkGetDeviceQueue)
      family = view_.as<args_vkGetDeviceQueue>().queueFamilyIndex;
    else if (canonical(index) == CommandId::vkGetDeviceQueue2)
      family = view_.as<args_vkGetDeviceQueue2>().pQueueInfo->queueFamilyIndex;
    else
      return;
    for (std::uint32_t c = 0; c < op.created; ++c) {
      const ObjectId id = plan_.created[op.first_created + c].id;
      const bool known =
          std::any_of(states_.queues.begin(), states_.queues.end(), [&](const QueueOf& q) { return q.id == id; });
      if (known || op.device >= plan_.devices.size() || plan_.objects.objects()[id].type != HandleType::VkQueue)
        continue;
      const auto& families = plan_.physical_devices[plan_.devices[op.device].physical].families;
      states_.queues.push_back({id, op.device, family, family < families.size() ? families[family].queueFlags : 0});
    }
  }

  void take_sparse(std::uint32_t index) {
    if (canonical(index) != CommandId::vkQueueBindSparse) return;
    view_.load(plan_, plan_.ops[index]);
    const auto& a = view_.as<args_vkQueueBindSparse>();
    const auto note = [&](ObjectId resource, const VkDeviceMemory& memory) {
      const ObjectId id = view_.id(&memory);
      if (const std::uint32_t place = plan_.place_of(id); id != ObjectId::null && place < plan_.memories.size())
        states_.sparse[resource].insert(place);
    };
    for (const VkBindSparseInfo& info : std::span(a.pBindInfo, a.bindInfoCount)) {
      for (const auto& one : std::span(info.pBufferBinds, info.bufferBindCount))
        for (const auto& bind : std::span(one.pBinds, one.bindCount)) note(view_.id(&one.buffer), bind.memory);
      for (const auto& one : std::span(info.pImageOpaqueBinds, info.imageOpaqueBindCount))
        for (const auto& bind : std::span(one.pBinds, one.bindCount)) note(view_.id(&one.image), bind.memory);
      for (const auto& one : std::span(info.pImageBinds, info.imageBindCount))
        for (const auto& bind : std::span(one.pBinds, one.bindCount)) note(view_.id(&one.image), bind.memory);
    }
  }

  // What the device preprocessed is the driver's own: a span that executes it has to make it.
  bool executes_older(ObjectId commands) {
#ifdef VK_EXT_device_generated_commands
    const auto recording = recordings_.find(commands);
    if (!looked_at_.insert(recording).second) return false;
    for (std::size_t i = 0; recording != nullptr && i < recording->ops.size(); ++i) {
      const Op& op = plan_.ops[recording->ops[i]];
      const auto key_of = [&](const VkGeneratedCommandsInfoEXT& info) {
        return std::tuple(view_.id(&info.indirectCommandsLayout), info.indirectAddress, info.preprocessAddress);
      };
      switch (codec::info(op.command).canonical) {
        case CommandId::vkCmdPreprocessGeneratedCommandsEXT:
          view_.load(plan_, op);
          preprocessed_.insert(key_of(*view_.as<args_vkCmdPreprocessGeneratedCommandsEXT>().pGeneratedCommandsInfo));
          break;
        case CommandId::vkCmdExecuteGeneratedCommandsEXT: {
          view_.load(plan_, op);
          const auto& a = view_.as<args_vkCmdExecuteGeneratedCommandsEXT>();
          if (a.isPreprocessed != VK_FALSE && a.pGeneratedCommandsInfo->preprocessSize != 0 &&
              preprocessed_.count(key_of(*a.pGeneratedCommandsInfo)) == 0)
            return true;
          break;
        }
        case CommandId::vkCmdExecuteCommands:
          for (std::uint32_t p = 0; p < op.patches; ++p)
            if (const ObjectId id = plan_.patches[op.first_patch + p].id; id != op.dispatch && executes_older(id))
              return true;
          break;
        default:
          break;
      }
    }
#else
    static_cast<void>(commands);
#endif
    return false;
  }

  Result<void> find_recordings() {
    struct Before {
      std::shared_ptr<Recording> recording;
      std::size_t ops = 0;
    };
    std::map<ObjectId, Before> before;
    recordings_.each([&](ObjectId id, const std::shared_ptr<Recording>& recording) {
      before[id] = {recording, recording->ops.size()};
    });
    std::set<ObjectId> needed;
    older_ = states_.queries;
    const auto need = [&](ObjectId first) {
      for (std::vector<ObjectId> open{first}; !open.empty();) {
        const ObjectId id = open.back();
        open.pop_back();
        const auto found = before.find(id);
        if (found == before.end() || recordings_.find(id) != found->second.recording || !needed.insert(id).second)
          continue;
        open.insert(open.end(), found->second.recording->secondaries.begin(),
                    found->second.recording->secondaries.end());
      }
    };
    for (std::uint32_t i = plan_.span.first; i < plan_.span.last; ++i) {
      const Op& op = plan_.ops[i];
      if (codec::info(op.command).records_into_command_buffer || canonical(i) == CommandId::vkEndCommandBuffer)
        need(op.dispatch);
      if (canonical(i) == CommandId::vkCmdExecuteCommands)
        for (std::uint32_t p = 0; p < op.patches; ++p) need(plan_.patches[op.first_patch + p].id);
      take_copies(i);
      for (const ObjectId id : player::submitted_commands(plan_, op)) {
        need(id);
        if (executes_older(id))
          return fail(Status::failed,
                      plan_.path + ": it cannot be cut there: record " + std::to_string(op.sequence) + " (" +
                          codec::info(op.command).name +
                          ") executes commands that were preprocessed before: begin the span before that");
      }
      recordings_.take(i);
    }
    for (const ObjectId id : needed) {
      const Before& old = before.at(id);
      if (old.ops == 0) continue;
      states_.recordings[id] = plan_.ops[old.recording->ops.front()].sequence;
      states_.recorded.insert(states_.recorded.end(), old.recording->ops.begin(),
                              old.recording->ops.begin() + static_cast<std::ptrdiff_t>(old.ops));
    }
    std::sort(states_.recorded.begin(), states_.recorded.end());
    return {};
  }

  const Plan& plan_;
  player::LayoutTracker layouts_;
  player::Recordings recordings_;
  player::EventStates events_;
  player::OpView view_;
#ifdef VK_EXT_device_generated_commands
  std::set<std::tuple<ObjectId, VkDeviceAddress, VkDeviceAddress>> preprocessed_;  // by the span
  std::set<std::shared_ptr<Recording>> looked_at_;
#endif
  std::map<ObjectId, std::vector<QueryState>> older_;  // what the span has not asked anew
  std::map<ObjectId, bool> counts_time_;
  bool copies_results_ = false;
  States states_;
};

}  // namespace

Result<States> find_states(const Plan& plan) { return Finder(plan).run(); }

Result<void> check_nothing_waits(const Plan& plan, std::uint32_t op) {
  player::Recordings recordings(plan);
  player::EventStates events(plan);
  for (std::uint32_t i = 0; i < op; ++i) {
    recordings.take(i);
    events.take(recordings, i);
  }
  player::SyncModel model(plan);
  model.advance(op);
  const auto waits = [&](std::uint32_t waiting, const std::string& what) {
    return fail(Status::failed,
                plan.path + ": it cannot be cut there: record " + std::to_string(plan.ops[waiting].sequence) + " (" +
                    codec::info(plan.ops[waiting].command).name + ") waits for " + what +
                    " where the span begins, and what signals it comes later: begin the span before that");
  };
  if (model.blocked()) {
    const player::SyncStep& step = plan.sync[model.first_blocked()];
    for (std::uint32_t i = step.first_wait; i < step.first_wait + step.waits; ++i) {
      const player::SyncPoint& point = plan.sync_points[i];
      if (!model.reaches(point.semaphore, point.value) && point.semaphore < player::kPayloads)
        return waits(step.op, plan.name(point.semaphore));
    }
    return waits(step.op, "a semaphore");
  }
  if (events.waited_for().empty()) return {};
  const auto& first = *events.waited_for().begin();
  return waits(first.second, plan.name(first.first));
}

}  // namespace rondo::trim
