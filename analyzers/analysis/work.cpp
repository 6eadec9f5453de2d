// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/work.h"

#include <algorithm>

namespace rondo::analyzers {

namespace {

using access::Executed;
using access::Mark;
using access::Touch;

std::uint64_t hash_of(const Touch& touch) {
  std::uint64_t hash = 0;
  for (const std::uint64_t value :
       {std::uint64_t{index_of(touch.object)}, touch.offset, touch.size, std::uint64_t{touch.part.aspectMask},
        std::uint64_t{touch.part.baseMipLevel} << 32 | touch.part.levelCount,
        std::uint64_t{touch.part.baseArrayLayer} << 32 | touch.part.layerCount}) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

void add_saturated(std::uint64_t& to, std::uint64_t bytes) {
  if (__builtin_add_overflow(to, bytes, &to)) to = ~std::uint64_t{};
}

}  // namespace

WorkItem item_of(const Executed& executed, std::uint64_t frame) {
  WorkItem item;
  item.record = item.end = executed.record;
  item.at = executed.at;
  item.submit = executed.submit;
  item.frame = frame;
  item.draw = executed.draw;
  item.command = executed.command;
  item.queue = executed.queue;
  item.batch = executed.batch;
  item.primary = item.end_primary = executed.primary;
  item.label_path = executed.label_path;
  if (executed.recorded != nullptr) {
    item.views = executed.recorded->views;
    item.pipeline = executed.recorded->pipeline;
    item.counts = executed.recorded->counts;
  }
  return item;
}

void WorkList::add_bytes(WorkItem& item, const Executed& executed) {
  touched_.clear();
  for (const Touch& touch : executed.touches) touched_.emplace_back(hash_of(touch), &touch);
  std::sort(touched_.begin(), touched_.end());
  std::uint64_t last = 0;
  bool any = false;
  for (const auto& [hash, touch] : touched_) {
    if (!any || hash != last) add_saturated(item.bytes, model_.bytes_of(*touch));
    last = hash;
    any = true;
  }
  if (executed.reach.unknown != 0) item.bytes_unknown = true;
}

void WorkList::add_bytes_of_pass(const Executed& executed) {
  WorkItem& item = items_[pass_item_];
  for (const Touch& touch : executed.touches)
    if (counted_in_pass_.insert(hash_of(touch)).second) add_saturated(item.bytes, model_.bytes_of(touch));
  if (executed.reach.unknown != 0) item.bytes_unknown = true;
}

WorkItem& WorkList::add(const Executed& executed, std::uint64_t frame) {
  WorkItem& item = items_.emplace_back(item_of(executed, frame));
  add_bytes(item, executed);
  return item;
}

void WorkList::begin_pass(const Executed& executed, std::uint64_t frame) {
  pass_item_ = items_.size();
  WorkItem& item = add(executed, frame);
  counted_in_pass_ = {};
  for (const Touch& touch : executed.touches) counted_in_pass_.insert(hash_of(touch));
  item.is_pass = true;
  item.pipeline = ObjectId::null;  // until it has a draw
  item.end = 0;
  item.pass = passes_++;
  item.render_pass = executed.recorded->pass;
}

void WorkList::take(const Executed& executed, std::uint64_t frame) {
  if (executed.recorded == nullptr) return;
  if (!items_.empty() && executed.submit != submit_) finish();
  submit_ = executed.submit;
  const access::Recorded& recorded = *executed.recorded;
  if (recorded.mark == Mark::begins_label || recorded.mark == Mark::ends_label) return;
  const OpenPass::Where where = pass_.take(recorded.mark, recorded.suspends, recorded.resumes);
  if (where == OpenPass::Where::begins) return begin_pass(executed, frame);
  // What a pass does between its draws, as resolves, is its own.
  if (where != OpenPass::Where::outside) add_bytes_of_pass(executed);
  if (where == OpenPass::Where::ends) {
    items_[pass_item_].end = executed.record;
    items_[pass_item_].end_primary = executed.primary;
  }
  if (recorded.mark != Mark::none) return;
  if (executed.draw == Executed::kNoDraw && !codec::only_works(codec::info(executed.command))) return;
  WorkItem& item = add(executed, frame);
  if (where == OpenPass::Where::inside) {
    WorkItem& pass = items_[pass_item_];
    item.pass = pass.pass;
    if (executed.draw != Executed::kNoDraw) {
      if (pass.draws != 0 && pass.pipeline != item.pipeline) pass.has_several_pipelines = true;
      pass.pipeline = pass.has_several_pipelines ? ObjectId::null : item.pipeline;
      pass.draws += 1;
    }
  }
  // Queries that are reset, written or ended, and copies of nothing.
  if (item.draw == Executed::kNoDraw && item.bytes == 0 && !item.bytes_unknown) items_.pop_back();
}

void WorkList::finish() {
  if (!items_.empty()) sink_(items_);
  items_.clear();
  passes_ = 0;
  pass_.end();
}

}  // namespace rondo::analyzers
