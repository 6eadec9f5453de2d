// SPDX-License-Identifier: Apache-2.0
// Command buffers that are submitted, and calls that touch memory by themselves: what is recorded becomes what is
// touched.
#include <algorithm>

#include "model/access/tracker.h"

namespace rondo::access {

namespace {

// A hostile file's secondaries in secondaries: not followed any further.
constexpr std::size_t kMostDepth = 64;

}  // namespace

void Coverage::add(const Executed& executed) {
  if (executed.touches.empty() && executed.reach.unknown == 0) return;
  commands += 1;
  if (executed.reach.unknown == 0) known += 1;
  for (const std::uint8_t why : kUnknowns)
    if ((executed.reach.unknown & why) != 0) because[static_cast<Unknown>(why)] += 1;
}

void Tracker::emit_now(const Call& c) {
  Executed one;
  one.record = one.at = c.sequence;
  one.command = c.command.canonical;
  one.touches = touches_;
  one.effects = effects_;
  sink(one);
}

void Tracker::submit(const Call& c) {
  RONDO_CHECK(executing.empty());  // a command buffer that is listed there is not executed
  Call one = c;
  model::SecondForm second;
  if (second.take(c.command.canonical, c.args)) one.second = &second;
  const auto& a = one.as<args_vkQueueSubmit2>();
  batch = 0;
  for (const VkSubmitInfo2& info : std::span(a.pSubmits, a.submitCount)) {
    draws = 0;
    primary = 0;
    if (c.succeeded)  // else it has a number, and did nothing
      for (const VkCommandBufferSubmitInfo& commands_of :
           std::span(info.pCommandBufferInfos, info.commandBufferInfoCount))
        execute(c, one.id(&commands_of.commandBuffer), {}), ++primary;
    submits += 1;
    batch += 1;
  }
}

void Tracker::execute(const Call& c, ObjectId id, std::span<const Touch> inherited) {
  // Held: while its commands are told, nothing is recorded.
  const Commands* from = commands.find(id);
  if (from == nullptr || std::find(executing.begin(), executing.end(), id) != executing.end()) return;
  if (executing.size() >= kMostDepth) too_many_ = true;
  if (too_many_) return;
  executing.push_back(id);
  execute_items(c, *from, inherited);
  RONDO_CHECK(executing.back() == id);
  executing.pop_back();
}

void Tracker::execute_items(const Call& c, const Commands& from, std::span<const Touch> inherited) {
  last_ = nullptr;
  std::size_t touches = 0, effects_before = 0;  // of the items before
  for (const Item& item : from.items) {
    RONDO_CHECK(item.first == touches && item.first_effect == effects_before);
    touches += item.count;
    effects_before += item.effect_count;
    executed += 1;
    if (too_many_ || executed > limits.executed) {
      too_many_ = true;
      return;
    }
    if (item.secondary == ObjectId::null) {
      execute_item(c, from, item, inherited);
    } else if (commands.number_of(item.secondary) == item.number) {
      RONDO_CHECK(item.bound != nullptr);
      execute(c, item.secondary, item.bound->touches.empty() ? inherited : std::span<const Touch>(item.bound->touches));
      last_ = nullptr;
    }
  }
  RONDO_CHECK(touches == from.touches.size() && effects_before == from.effects.size());
}

void Tracker::execute_item(const Call& c, const Commands& from, const Item& item, std::span<const Touch> inherited) {
  RONDO_CHECK(std::size_t{item.first} + item.count <= from.touches.size());
  RONDO_CHECK(std::size_t{item.first_effect} + item.effect_count <= from.effects.size());
  if (item.bound != nullptr && item.bound.get() != last_) {  // draws in a row find the same
    last_touches_.clear();
    last_reach_ = {};
    resolve(*item.bound, last_touches_, last_reach_);
    last_ = item.bound.get();
  }
  if (item.recorded.mark == Mark::begins_label) labels.begin(c.dispatch, LabelPaths::Of::commands, item.recorded.label);
  touches_.assign(from.touches.begin() + item.first, from.touches.begin() + item.first + item.count);
  Executed one;
  one.record = item.record;
  one.at = c.sequence;
  one.submit = submits;
  if (is_draw(item.command)) one.draw = draws++;
  one.queue = c.dispatch;
  one.batch = batch;
  one.primary = primary;
  one.label_path = labels.path(one.queue);
  one.recorded = &item.recorded;
  one.command = item.command;
  one.reach = item.reach;
  if (item.bound != nullptr) {
    touches_.insert(touches_.end(), last_touches_.begin(), last_touches_.end());
    one.reach.add(last_reach_);
  }
  if (item.draws)
    for (Touch touch : inherited)
      if (item.bound == nullptr || item.bound->limit_attachment(touch)) touches_.push_back(touch);
  for (Touch touch : inherited) {
    touch.part.aspectMask &= item.clears;
    touch.access &= kWrites;
    if (touch.part.aspectMask != 0 && touch.access != 0) touches_.push_back(touch);
  }
  executed += touches_.size();
  one.touches = touches_;
  one.effects = std::span(from.effects).subspan(item.first_effect, item.effect_count);
  sink(one);
  if (item.recorded.mark == Mark::ends_label) labels.end(one.queue, LabelPaths::Of::commands);
}

}  // namespace rondo::access
