// SPDX-License-Identifier: Apache-2.0
// The effects of each call: kept with what is recorded, or told at once.
#include "model/access/tracker.h"

#include <algorithm>

#include "model/shaders/sites.h"

namespace rondo::access {

namespace {

constexpr std::uint32_t kAccesses =
    model::kTouches | model::kQueries | model::kBinds | model::kWork | model::kMarks | model::kExecutes;

bool is_submit(CommandId canonical) {
  return canonical == CommandId::vkQueueSubmit || canonical == CommandId::vkQueueSubmit2;
}

// Queries are touched like memory, one by one.
Touch touch_of(const model::QueryUse& use) {
  using Kind = model::QueryUse::Kind;
  const bool by_host = use.stages == VK_PIPELINE_STAGE_2_HOST_BIT;
  Touch touch;
  touch.object = use.pool;
  touch.offset = use.first;
  touch.size = use.count;
  touch.stages = use.stages;
  if (use.kind == Kind::read)
    touch.access = by_host ? VK_ACCESS_2_HOST_READ_BIT : VK_ACCESS_2_MEMORY_READ_BIT;
  else
    touch.access = by_host ? VK_ACCESS_2_HOST_WRITE_BIT : VK_ACCESS_2_MEMORY_WRITE_BIT;
  touch.overwrites = use.kind == Kind::reset;
  return touch;
}

}  // namespace

Tracker::Tracker(Model::Sink to, const Limits& most, std::uint32_t also)
    : sink(std::move(to)), limits(most), effects(*this, kAccesses | also, most.descriptors), also_(also) {
  commands.on_drop([this](const Commands& one) {
    RONDO_CHECK(one.size() <= recorded);
    recorded -= one.size();
  });
}

void Tracker::take(const Call& c) {
  if (too_many()) return;
  call_ = &c;
  touches_.clear();
  effects_.clear();
  effects.take(c);
  if (c.command.records_into_command_buffer) return;
  const CommandId canonical = c.command.canonical;
  if (c.succeeded) commands.take(c);
  // Of a call that failed some pipelines and shaders may have been made, and a submit is counted.
  if (const ShaderHandler handler = shader_handler_of(canonical); handler != nullptr)
    handler(*this, c);
  else if (is_submit(canonical))
    submit(c);
  else if (c.succeeded && (model::Effects::kinds_of(canonical) & (model::kTouches | model::kQueries | also_)) != 0)
    emit_now(c);
  else if (canonical == CommandId::rondoCut)
    submits = 0;
  for (const ObjectId id : c.ended) forget(id, c.type_of(id));
}

void Tracker::forget(ObjectId id, HandleType type) {
  switch (type) {
    case HandleType::VkShaderModule:
      return modules.erase(id);
    case HandleType::VkPipeline:
      return pipelines.erase(id);
#ifdef VK_EXT_shader_object
    case HandleType::VkShaderEXT:
      return shaders.erase(id);
#endif
    case HandleType::VkCommandBuffer:
      return commands.forget(id);
    default:
      return;
  }
}

// --- While commands are recorded ---

Item& Tracker::item() {
  Commands& to = recording();
  if (!to.items.empty() && to.items.back().record == call_->sequence) return to.items.back();
  RONDO_CHECK(to.items.empty() || to.items.back().record < call_->sequence);
  if (!remember(1)) return beyond_ = Item{};
  const model::Recording& recording_of = effects.recording(*call_);
  Item item;
  item.record = call_->sequence;
  item.command = call_->command.canonical;
  item.first = static_cast<std::uint32_t>(to.touches.size());
  item.first_effect = static_cast<std::uint32_t>(to.effects.size());
  item.recorded.in_pass = recording_of.in_pass;
  item.recorded.views = recording_of.in_pass ? recording_of.views_drawn : 0;
  to.items.push_back(std::move(item));
  return to.items.back();
}

bool Tracker::remember(std::size_t count) {
  RONDO_CHECK(recorded <= limits.recorded);
  if (too_many_ || count > limits.recorded - recorded) {
    too_many_ = true;
    return false;
  }
  recorded += count;
  return true;
}

void Tracker::touch(const Touch& touch) {
  if (!call_->command.records_into_command_buffer) return touches_.push_back(touch);
  Item& to = item();
  if (!remember(1)) return;
  recording().touches.push_back(touch);
  to.count += 1;
}

void Tracker::reach(const Reach& reach) { item().reach.add(reach); }

void Tracker::keep(const model::Effect& effect) {
  if (!call_->command.records_into_command_buffer) return effects_.push_back(effect);
  Item& to = item();
  if (!remember(1)) return;
  recording().effects.push_back(effect);
  to.effect_count += 1;
}

void Tracker::query(const model::QueryUse& use) {
  if (use.pool != ObjectId::null) touch(touch_of(use));
  if ((also_ & model::kQueries) != 0) keep(use);
}

void Tracker::mark(const model::Marking& marking) {
  const std::string_view label = marking.label != nullptr ? marking.label : "";
  if (!call_->command.records_into_command_buffer) {  // of the queue
    if (marking.mark == Mark::begins_label) labels.begin(call_->dispatch, LabelPaths::Of::queue, labels.name(label));
    if (marking.mark == Mark::ends_label) labels.end(call_->dispatch, LabelPaths::Of::queue);
    return;
  }
  Recorded& to = item().recorded;
  to.mark = marking.mark;
  if (marking.mark == Mark::begins_label) {
    to.label = labels.name(label);
  } else if (marking.mark != Mark::ends_label) {
    to.views = effects.recording(*call_).views_drawn;
    to.pass = marking.pass;
    to.suspends = marking.suspends;
    to.resumes = marking.resumes;
  }
}

void Tracker::work(VkPipelineBindPoint point) {
  const model::Recording& from = effects.recording(*call_);
  std::shared_ptr<const Bound> bound = bound_at(from, point);
  Item& to = item();
  to.bound = std::move(bound);
  to.recorded.counts = counts_of(*call_);
  to.recorded.pipeline = from.bindings.at(point).pipeline;
  to.draws = from.inherits && point == VK_PIPELINE_BIND_POINT_GRAPHICS;
}

void Tracker::execute(ObjectId secondary) {
  Commands& to = recording();
  const bool first = to.items.empty() || to.items.back().record != call_->sequence;
  std::shared_ptr<const Bound> drawn_to;  // the same for all secondaries of a call
  if (first) {
    const std::vector<Touch>& attachments = effects.recording(*call_).attachments;
    if (!remember(attachments.size())) return;
    to.bound += attachments.size();
    auto made = std::make_shared<Bound>();
    made->touches = attachments;
    drawn_to = std::move(made);
  } else {
    drawn_to = to.items.back().bound;
  }
  if (!remember(1)) return;
  Item one;
  one.record = call_->sequence;
  one.command = call_->command.canonical;
  one.first = static_cast<std::uint32_t>(to.touches.size());
  one.first_effect = static_cast<std::uint32_t>(to.effects.size());
  one.secondary = secondary;
  one.number = commands.number_of(secondary);
  one.bound = std::move(drawn_to);
  to.items.push_back(std::move(one));
}

}  // namespace rondo::access
