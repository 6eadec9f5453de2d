// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/sync_log.h"

#include <algorithm>
#include <variant>

#include "analyzers/analysis/graph/scopes.h"
#include "format/codec/schema.h"

namespace rondo::graph {

namespace {

using access::Executed;
using access::Mark;
using model::Barrier;

// More than any program needs; a hostile capture finds its end there.
constexpr std::size_t kMostOps = std::size_t{1} << 26;
constexpr std::uint32_t kMostQueues = 1024;
constexpr std::uint32_t kMostBeforeReset = 1024;  // ops before the reset of an event that are looked at
constexpr std::size_t kMostShapes = std::size_t{1} << 14;
constexpr VkPipelineStageFlags2 kAllStages = ~VkPipelineStageFlags2{0};

bool changes(const Barrier& one) {
  return (one.kind == Barrier::Kind::image && one.old_layout != one.new_layout) || one.src_family != one.dst_family;
}

// What a barrier says of both scopes.
SyncShape scopes_of(const Barrier& one, std::uint32_t from, std::uint32_t to) {
  SyncShape shape;
  shape.from_queue = from;
  shape.to_queue = to;
  shape.src_stages = access_stages(one.src_stages);
  shape.dst_stages = access_stages(one.dst_stages);
  shape.src_access = all_accesses(one.src_access);
  shape.dst_access = all_accesses(one.dst_access);
  shape.first = with_earlier(first_stages(one.src_stages));
  shape.second = with_later(second_stages(one.dst_stages));
  shape.is_named = true;
  return shape;
}

SyncShape without_memory(SyncShape shape) {
  shape.src_stages = shape.dst_stages = 0;
  shape.src_access = shape.dst_access = 0;
  return shape;
}

}  // namespace

SyncShape SyncShape::between(std::uint32_t from_queue, VkPipelineStageFlags2 from_stages, std::uint32_t to_queue,
                             VkPipelineStageFlags2 to_stages) {
  SyncShape shape;
  shape.from_queue = from_queue;
  shape.to_queue = to_queue;
  shape.first = from_stages;
  shape.second = to_stages;
  shape.src_stages = from_stages;
  shape.dst_stages = to_stages;
  shape.src_access = shape.dst_access = ~VkAccessFlags2{0};
  shape.is_whole = to_queue == SyncLog::kHost;
  return shape;
}

SyncLog::SyncLog() : syncs_(1) {}

std::uint32_t SyncLog::queue(ObjectId id) {
  if (queues_.size() >= kMostQueues && queues_.count(id) == 0) {
    too_many_ = true;
    return kMostQueues;
  }
  return queues_.try_emplace(id, static_cast<std::uint32_t>(queues_.size() + 2)).first->second;
}

std::uint32_t SyncLog::shape_of(const SyncShape& shape) {
  const auto [found, fresh] = shape_at_.try_emplace(shape, static_cast<std::uint32_t>(shapes_.size()));
  if (fresh) shapes_.push_back(shape);
  return found->second;
}

void SyncLog::add(const SyncShape& shape, const SyncShape& own, std::uint32_t sync, std::uint32_t after,
                  std::uint32_t pass, std::uint32_t part) {
  if (ops_.size() >= kMostOps || shapes_.size() >= kMostShapes) {
    too_many_ = true;
    return;
  }
  RONDO_CHECK(after <= ops_.size());
  const auto number = static_cast<std::uint32_t>(ops_.size());
  ops_.push_back({shape_of(shape), shape_of(own), sync, after, pass, call_, part, record_});
  if (shape.to_subpass != SyncShape::kAllAfter) ops_in_[pass].push_back(number);
}

std::uint32_t SyncLog::sync_of(SyncOp::Kind kind, const Executed& executed, ObjectId pass, std::uint32_t index,
                               std::span<const Barrier* const> barriers) {
  const std::uint64_t owner = kind == SyncOp::Kind::dependency ? index_of(pass) : executed.record;
  const auto [found, fresh] =
      sync_at_.try_emplace(SyncKey{kind, owner, index}, static_cast<std::uint32_t>(syncs_.size()));
  if (fresh) {
    SyncOp one;
    one.kind = kind;
    one.record = executed.record;
    one.pass = pass;
    one.index = index;
    one.command = executed.command;
    one.at = executed.at;
    one.submit = executed.submit;
    one.label_path = executed.label_path;
    for (const Barrier* barrier : barriers) {
      one.barriers.push_back(*barrier);
      one.changes = one.changes || changes(*barrier);
    }
    syncs_.push_back(std::move(one));
  }
  syncs_[found->second].times += 1;
  return found->second;
}

// --- Commands ---

SyncLog::Place SyncLog::take(const Executed& executed) {
  barriers_.clear();
  ranged_.clear();
  next_part_ = 0;
  record_ = executed.record;
  Place place;
  place.time = place.first_op = call_ = static_cast<std::uint32_t>(ops_.size());
  if (executed.recorded == nullptr) {
    place.queue = static_cast<std::uint16_t>(executed.command == CommandId::vkQueuePresentKHR ? kPresent : kHost);
    change_events(executed);
    return place;
  }
  const std::uint32_t on = queue(executed.queue);
  place.queue = static_cast<std::uint16_t>(on);
  place.mark = executed.recorded->mark;
  for (const model::Effect& effect : executed.effects)
    if (const auto* const barrier = std::get_if<Barrier>(&effect); barrier != nullptr) barriers_.push_back(barrier);

  if (place.mark == Mark::begins_pass) {
    OpenPass& pass = open_[on];
    if (!executed.recorded->resumes || pass.number == 0) {
      pass.number = static_cast<std::uint32_t>(ops_in_.size());
      ops_in_.emplace_back();
    }
    pass.subpass = 0;
    pass.began = place.time;
    pass.pass = executed.recorded->pass;
  }
  const auto open = open_.find(on);
  const bool in_pass = executed.recorded->in_pass || place.mark == Mark::begins_pass || place.mark == Mark::ends_pass;
  if (in_pass && open != open_.end()) {
    place.pass = open->second.number;
    place.subpass = static_cast<std::uint16_t>(open->second.subpass);
  }
  switch (place.mark) {
    case Mark::begins_pass:
    case Mark::next_subpass:
    case Mark::ends_pass:
      if (open != open_.end()) add_dependencies(executed, open->second);
      break;
    default:
      change_events(executed);
      if (!barriers_.empty() && barriers_.front()->of == Barrier::Of::event)
        add_event_waits(executed);
      else
        add_barriers(executed);
  }
  place.ops = static_cast<std::uint32_t>(ops_.size()) - place.first_op;
  if (!barriers_.empty() && place.ops >= barriers_.size())
    place.parts = place.ops / static_cast<std::uint32_t>(barriers_.size());
  // What a pass loads comes after the dependencies at its begin.
  if (place.mark == Mark::begins_pass) place.time += place.ops;
  return place;
}

void SyncLog::add_barriers(const Executed& executed) {
  if (barriers_.empty()) return;
  const std::uint32_t on = queue(executed.queue);
  const auto after = static_cast<std::uint32_t>(ops_.size());
  const std::uint32_t sync = sync_of(SyncOp::Kind::barrier, executed, ObjectId::null, 0, barriers_);
  const auto open = open_.find(on);
  const bool in_pass = executed.recorded->in_pass && open != open_.end();
  for (std::size_t i = 0; i < barriers_.size(); ++i) {
    const Barrier& one = *barriers_[i];
    SyncShape own = scopes_of(one, on, on);
    if (in_pass) own.from_subpass = own.to_subpass = open->second.subpass;
    if (one.kind != Barrier::Kind::memory && !changes(one))
      ranged_.push_back({&one, static_cast<std::uint32_t>(ops_.size())});
    add(one.kind == Barrier::Kind::memory ? own : without_memory(own), own, sync, after,
        in_pass ? open->second.number : 0, static_cast<std::uint32_t>(i));
  }
}

void SyncLog::add_dependencies(const Executed& executed, OpenPass& pass) {
  const std::uint32_t on = queue(executed.queue);
  const auto here = static_cast<std::uint32_t>(ops_.size());
  for (std::size_t i = 0; i < barriers_.size(); ++i) {
    const Barrier& one = *barriers_[i];
    SyncShape shape = scopes_of(one, on, on);
    if (one.src_subpass != VK_SUBPASS_EXTERNAL) shape.from_subpass = one.src_subpass;
    if (one.dst_subpass != VK_SUBPASS_EXTERNAL) shape.to_subpass = one.dst_subpass;
    // A dependency of a subpass on itself orders nothing; it allows barriers.
    if (one.src_subpass == one.dst_subpass) shape = SyncShape::between(on, 0, on, 0);
    shape.is_named = !one.implicit;
    std::uint32_t sync = kNone;
    if (!one.implicit) {
      // The same dependency is told at the same place of each pass: its subpass and its place among the barriers there.
      const Barrier* const alone[] = {&one};
      sync = sync_of(SyncOp::Kind::dependency, executed, pass.pass,
                     one.dst_subpass * 1024 + static_cast<std::uint32_t>(i), alone);
    }
    add(shape, shape, sync, one.src_subpass == VK_SUBPASS_EXTERNAL ? pass.began : here, pass.number, 0);
  }
  if (executed.recorded->mark == Mark::next_subpass) pass.subpass += 1;
}

// --- Events ---

void SyncLog::change_events(const Executed& executed) {
  for (const model::Effect& effect : executed.effects) {
    const auto* const use = std::get_if<model::EventUse>(&effect);
    if (use == nullptr || use->kind == model::EventUse::Kind::wait) continue;
    if (use->kind == model::EventUse::Kind::reset) {
      events_.erase(use->event);
      keep_before_reset(executed, use->event);
      continue;
    }
    if (events_.count(use->event) != 0) continue;  // it is set already
    Signal signal;
    signal.after = signal_now();
    signal.queue = executed.recorded == nullptr ? kHost : queue(executed.queue);
    signal.stages = use->stages;
    events_[use->event] = signal;
    std::erase_if(held_, [&](const Held& one) { return one.event == use->event; });
  }
}

// Nobody asks for the order of a wait for an event and of its reset. So the last barrier between both is kept.
void SyncLog::keep_before_reset(const Executed& executed, ObjectId event) {
  const auto waited = waited_events_.find(event);
  if (executed.recorded == nullptr || waited == waited_events_.end()) return;
  const std::uint32_t on = queue(executed.queue);
  std::size_t op = ops_.size();
  for (std::uint32_t looked = 0; waited->second.queue == on && op > waited->second.op && looked < kMostBeforeReset;
       ++looked) {
    SyncOp& sync = syncs_[ops_[--op].sync];
    if (ops_[op].sync == kNone || sync.kind != SyncOp::Kind::barrier || shape(ops_[op].own_shape).from_queue != on)
      continue;
    sync.may_order_reset = true;
    break;
  }
  waited_events_.erase(waited);
}

// In the first form each barrier is for all of the events.
void SyncLog::add_event_waits(const Executed& executed) {
  const std::uint32_t on = queue(executed.queue);
  std::vector<ObjectId> events;
  for (const model::Effect& effect : executed.effects)
    if (const auto* const use = std::get_if<model::EventUse>(&effect);
        use != nullptr && use->kind == model::EventUse::Kind::wait) {
      events.push_back(use->event);
      waited_events_[use->event] = {on, ops_.size()};
      const auto is_it = [&](const Held& one) { return one.queue == on && one.event == use->event; };
      if (events_.count(use->event) == 0 && std::none_of(held_.begin(), held_.end(), is_it))
        held_.push_back({on, static_cast<std::uint32_t>(ops_.size()), use->event});
    }
  const std::uint32_t sync = sync_of(SyncOp::Kind::event, executed, ObjectId::null, 0, barriers_);
  const auto is_unset = [&](ObjectId event) { return events_.count(event) == 0; };
  if (std::any_of(events.begin(), events.end(), is_unset)) syncs_[sync].waits_for_host = true;
  const auto open = open_.find(on);
  const bool in_pass = executed.recorded->in_pass && open != open_.end();
  for (std::size_t i = 0; i < barriers_.size(); ++i) {
    const Barrier& one = *barriers_[i];
    const std::span<const ObjectId> own_event(&one.event, 1);
    for (const ObjectId event :
         executed.command == CommandId::vkCmdWaitEvents ? std::span<const ObjectId>(events) : own_event) {
      const auto found = events_.find(event);
      // Nothing in the capture has set this event. So the wait orders nothing.
      SyncShape own;
      std::uint32_t after = 0;
      if (found != events_.end()) {
        own = scopes_of(one, found->second.queue, on);
        if (found->second.queue == kHost) own.src_stages = kAllStages;
        if (in_pass) own.to_subpass = open->second.subpass;
        after = found->second.after;
      }
      if (one.kind != Barrier::Kind::memory && !changes(one))
        ranged_.push_back({&one, static_cast<std::uint32_t>(ops_.size())});
      add(one.kind == Barrier::Kind::memory ? own : without_memory(own), own, sync, after,
          in_pass ? open->second.number : 0, static_cast<std::uint32_t>(i));
    }
  }
}

std::uint32_t SyncLog::part_of(const model::Transition& one) {
  for (std::uint32_t i = next_part_; i < barriers_.size(); ++i) {
    const Barrier& barrier = *barriers_[i];
    if (barrier.of == Barrier::Of::subpass_dependency) return kAllParts;
    const bool is_image = barrier.kind == Barrier::Kind::image;
    if (barrier.kind == Barrier::Kind::memory || is_image != one.is_image || barrier.resource != one.resource) continue;
    if (is_image && (barrier.old_layout != one.from || barrier.new_layout != one.to)) continue;
    if (!is_image && (barrier.offset != one.offset || barrier.size != one.size)) continue;
    next_part_ = i + 1;
    return i;
  }
  return kAllParts;
}

}  // namespace rondo::graph
