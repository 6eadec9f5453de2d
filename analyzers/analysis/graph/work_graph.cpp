// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/work_graph.h"

#include <algorithm>
#include <tuple>
#include <variant>

#include "format/check.h"
#include "format/codec/schema.h"

namespace rondo::graph {

namespace {

using access::Executed;
using access::Mark;
using analyzers::OpenPass;

// Whether anything happens: not where both layouts and both owners are the same.
bool changes(const model::Transition& one) { return one.from != one.to || one.source != one.target; }

bool has_transition(const Executed& executed) {
  return std::any_of(executed.effects.begin(), executed.effects.end(), [](const model::Effect& effect) {
    const auto* const one = std::get_if<model::Transition>(&effect);
    return one != nullptr && changes(*one);
  });
}

// The image changes its layout in this command. A transition from UNDEFINED comes with a touch that makes the contents
// undefined. That touch is left out: the transition stands for it.
bool changes_layout_of(const Executed& executed, ObjectId image) {
  return std::any_of(executed.effects.begin(), executed.effects.end(), [&](const model::Effect& effect) {
    const auto* const one = std::get_if<model::Transition>(&effect);
    return one != nullptr && one->resource == image && changes(*one);
  });
}

bool is_work(const Executed& executed) {
  return executed.draw != Executed::kNoDraw || !executed.touches.empty() || executed.reach.unknown != 0 ||
         codec::only_works(codec::info(executed.command));
}

ItemKind kind_of(const Executed& executed) {
  if (executed.command == CommandId::vkQueuePresentKHR) return ItemKind::present;
  if (executed.recorded == nullptr) return ItemKind::host;
  const bool works = codec::only_works(codec::info(executed.command)) || executed.draw != Executed::kNoDraw;
  return works || !has_transition(executed) ? ItemKind::work : ItemKind::transition;
}

ItemNeed payload(std::uint32_t from, ObjectId image) {
  ItemNeed need;
  need.from = from;
  need.kinds = kPayload;
  need.object = image;
  return need;
}

}  // namespace

const char* name_of(ItemKind kind) {
  switch (kind) {
    case ItemKind::work:
      return "work";
    case ItemKind::pass:
      return "pass";
    case ItemKind::transition:
      return "transition";
    case ItemKind::host:
      return "host";
    case ItemKind::acquire:
      return "acquire";
    case ItemKind::present:
      return "present";
    case ItemKind::lifetime:
      return "lifetime";
  }
  return "";
}

// --- Calls ---

void WorkGraph::call(const model::Call& call, std::uint64_t frame, bool is_ambiguous) {
  call_ = {};
  call_.record = call_.at = call.sequence;
  call_.command = call.command.canonical;
  call_frame_ = frame;
  acquired_ = ObjectId::null;
  swapchains_.call(call);
  if (sync_ != nullptr)
    sync_->call(call, placement_, is_ambiguous);
  else
    lifetimes_.call(call, placement_);
  take_lifetimes();
  for (const ObjectId id : call.ended) {
    spaces_.ended(id);
    swapchains_.ended(id);
    acquired_at_.erase(id);
    presented_at_.erase(id);
    if (sync_ != nullptr) sync_->ended(id);
  }
}

void WorkGraph::submitted(const model::Batch& batch) {
  if (sync_ != nullptr)
    sync_->submitted(batch);
  else
    lifetimes_.submitted(batch);
  take_lifetimes();
}

void WorkGraph::host(const model::HostSync& host) {
  if (host.kind == model::HostSync::Kind::acquire_image && host.succeeded)
    acquired_ = swapchains_.of(host.swapchain, host.image);
  if (sync_ != nullptr)
    sync_->host(host);
  else
    lifetimes_.host(host);
  take_lifetimes();
}

void WorkGraph::done() {
  tell_lifetimes();
  lifetimes_taken_ = 0;
  if (sync_ != nullptr)
    sync_->done();
  else
    lifetimes_.done();
}

void WorkGraph::begins(const model::Batch& batch) {
  tell_lifetimes();
  presenting_.clear();
  for (const model::PresentedImage& one : batch.images)
    if (const ObjectId image = swapchains_.of(one.swapchain, one.image); image != ObjectId::null)
      presenting_.push_back(image);
  if (sync_ != nullptr)
    sync_->begins(batch);
  else
    lifetimes_.begins(batch);
}

void WorkGraph::ends(const model::Batch& batch) {
  finish();
  if (sync_ != nullptr)
    sync_->ends(batch);
  else
    lifetimes_.ends(batch);
}

// Batches without work have no item that could be needed.
void WorkGraph::take_lifetimes() {
  for (; lifetimes_taken_ < lifetimes().needs().size(); ++lifetimes_taken_) {
    const LifetimeNeed& need = lifetimes().needs()[lifetimes_taken_];
    const std::uint32_t node = lifetimes().batch(need.batch).node;
    if (node == Lifetimes::kNoNode) continue;
    ItemNeed one;
    one.from = item_of_[node];
    one.kinds = kLifetime;
    one.possible = need.is_quiet;
    one.object = need.object;
    ends_.push_back(one);
  }
}

// What uses an image first must come after the acquire that got it.
void WorkGraph::take_payloads() {
  if (acquired_at_.empty()) return;
  for (const Needs::Touch& one : needs_.touches()) {
    const auto found = acquired_at_.find(spaces_.info(one.space).object);
    if (found == acquired_at_.end()) continue;
    item_needs_.push_back(payload(found->second, found->first));
    acquired_at_.erase(found);
  }
}

// The call as an item of its own.
void WorkGraph::tell_lifetimes() {
  const ObjectId image = acquired_;
  acquired_ = ObjectId::null;
  if (ends_.empty() && image == ObjectId::null) return;
  finish();
  if (const auto found = presented_at_.find(image); found != presented_at_.end())
    ends_.push_back(payload(found->second, image));
  submit_ = Executed::kNoSubmit;
  if (sync_ != nullptr) sync_->command(call_);
  touch(call_);
  if (image != ObjectId::null) acquired_at_[image] = items_;
  const ItemKind kind = image != ObjectId::null ? ItemKind::acquire : ItemKind::lifetime;
  tell({kind, analyzers::item_of(call_, call_frame_), items_, 1});
}

// --- What is executed ---

void WorkGraph::take(const Executed& executed, std::uint64_t frame) {
  // What a call touches itself and what it ends are needs of one item.
  if (executed.recorded != nullptr || executed.record != call_.record) tell_lifetimes();
  if (executed.submit != submit_) finish();
  submit_ = executed.submit;
  if (sync_ != nullptr) {
    sync_->command(executed);
    for (const SyncLog::Ranged& one : sync_->log.ranged())
      spaces_.mark(*one.barrier, [&](std::uint32_t history) { return sync_->histories.add(history, one.op); });
  }
  OpenPass::Where where = OpenPass::Where::outside;
  if (executed.recorded != nullptr)
    where = open_.take(executed.recorded->mark, executed.recorded->suspends, executed.recorded->resumes);
  if (where == OpenPass::Where::begins) {
    end_pass();
    has_pass_ = true;
    pass_ = {ItemKind::pass, analyzers::item_of(executed, frame), items_, 0};
    pass_.work.is_pass = true;
    pass_.work.end = 0;
    pass_.work.render_pass = executed.recorded->pass;
    pass_.work.pipeline = ObjectId::null;
    draws_.clear();
  }
  if (where == OpenPass::Where::outside) {
    if (!is_work(executed) && !has_transition(executed)) return;
    // A suspended pass is over where something else works.
    end_pass();
    touch(executed);
    tell({kind_of(executed), analyzers::item_of(executed, frame), items_, 1});
    return;
  }
  pass_.commands += 1;
  if (executed.draw != Executed::kNoDraw) {
    WorkItem& pass = pass_.work;
    if (pass.draws != 0 && pass.pipeline != executed.recorded->pipeline) pass.has_several_pipelines = true;
    pass.pipeline = pass.has_several_pipelines ? ObjectId::null : executed.recorded->pipeline;
    pass.draws += 1;
    if (with_draws_) draws_.push_back(analyzers::item_of(executed, frame));
  }
  touch(executed);
  if (where != OpenPass::Where::ends) return;
  pass_.work.end = executed.record;
  pass_.work.end_primary = executed.primary;
  if (!open_.is_suspended()) end_pass();
}

void WorkGraph::finish() {
  open_.end();
  end_pass();
}

void WorkGraph::end_pass() {
  if (!has_pass_) return;
  has_pass_ = false;
  pass_.children = draws_;
  tell(pass_);
}

void WorkGraph::touch(const Executed& executed) {
  const std::uint32_t node = needs_.begin();
  RONDO_CHECK(node == item_of_.size());
  item_of_.push_back(items_);
  if (sink_.touches) sink_.touches(executed, items_);
  if (sync_ != nullptr)
    sync_->node(node, executed);
  else
    lifetimes_.node(node, executed);
  for (const access::Touch& one : executed.touches)
    if (!one.forgets || !changes_layout_of(executed, one.object))
      spaces_.touch(one, objects_.objects()[one.object].type);
  spaces_.reach(executed.reach);
  for (const model::Effect& effect : executed.effects)
    if (const auto* const one = std::get_if<model::Transition>(&effect); one != nullptr && changes(*one))
      spaces_.transition(*one, sync_ != nullptr ? sync_->log.part_of(*one) : SyncLog::kAllParts);
  for (const Needs::Touch& one : needs_.touches())
    pieces_.push_back({one.space, one.begin, one.end, one.reads, one.writes});
  take_payloads();
  needs_.end();
  if (item_needs_.size() >= most_needs_) {
    settle_needs();
    most_needs_ = std::max(kFew, 2 * item_needs_.size());
  }
  if (pieces_.size() >= most_pieces_) {
    settle_pieces();
    most_pieces_ = std::max(kFew, 2 * pieces_.size());
  }
}

// What a command needs, as needs of its item.
void WorkGraph::needs(std::uint32_t node, std::span<const Need> all) {
  if (sync_ != nullptr) sync_->needs(node, all, needs_, spaces_);
  if (is_join(node)) {
    joined_.clear();
    for (const Need& need : all) joined_.push_back(is_join(need.from.node) ? need.from.node : item_of_[need.from.node]);
    joined_.erase(std::unique(joined_.begin(), joined_.end()), joined_.end());
    sink_.join(node, joined_);
    return;
  }
  for (const Need& need : all) {
    ItemNeed one;
    one.from = is_join(need.from.node) ? need.from.node : item_of_[need.from.node];
    if (one.from == items_) continue;  // in the same pass
    one.space = need.space;
    one.begin = need.begin;
    one.end = need.end;
    one.possible = need.possible;
    const bool layout = needs_.way(need.to.way).changes_layout ||
                        (!is_join(need.from.node) && needs_.way(need.from.way).changes_layout);
    if (spaces_.info(need.space).kind == SpaceInfo::Kind::queries)
      one.kinds = kQuery;
    else if (layout)
      one.kinds = kLayout;
    else
      one.kinds = need.hazard == Hazard::raw ? kRaw : need.hazard == Hazard::war ? kWar : kWaw;
    item_needs_.push_back(one);
  }
}

void WorkGraph::tell(const Item& item) {
  if (item.work.submit == Executed::kNoSubmit) {
    item_needs_.insert(item_needs_.end(), ends_.begin(), ends_.end());
    ends_.clear();
  }
  settle_needs();
  settle_pieces();
  RONDO_CHECK(item.number == items_);
  RONDO_CHECK(item_needs_.empty() || is_join(item_needs_.back().from) || item_needs_.back().from < item.number);
  if (item.kind == ItemKind::present)
    for (const ObjectId image : presenting_) presented_at_[image] = item.number;
  items_ += 1;
  sink_.item(item, item_needs_, pieces_);
  item_needs_.clear();
  pieces_.clear();
  most_needs_ = most_pieces_ = kFew;
}

// Each once: those that meet and touch in the same way are one.
void WorkGraph::settle_pieces() {
  const auto order = [](const Piece& a) { return std::tuple(a.space, a.reads, a.writes, a.begin, a.end); };
  std::sort(pieces_.begin(), pieces_.end(), [&](const Piece& a, const Piece& b) { return order(a) < order(b); });
  std::size_t last = 0;
  for (std::size_t i = 1; i < pieces_.size(); ++i) {
    Piece& into = pieces_[last];
    const Piece& next = pieces_[i];
    if (into.space == next.space && into.reads == next.reads && into.writes == next.writes && next.begin <= into.end)
      into.end = std::max(into.end, next.end);
    else
      pieces_[++last] = next;
  }
  if (!pieces_.empty()) pieces_.resize(last + 1);
}

// Each once: what meets in a range is one need, and kinds of the same range are one.
void WorkGraph::settle_needs() {
  const auto merge = [&](const auto& is_same, const auto& into) {
    std::size_t last = 0;
    for (std::size_t i = 1; i < item_needs_.size(); ++i)
      if (is_same(item_needs_[last], item_needs_[i]))
        into(item_needs_[last], item_needs_[i]);
      else
        item_needs_[++last] = item_needs_[i];
    if (!item_needs_.empty()) item_needs_.resize(last + 1);
  };
  const auto sort_by = [&](const auto& order) {
    std::sort(item_needs_.begin(), item_needs_.end(),
              [&](const ItemNeed& a, const ItemNeed& b) { return order(a) < order(b); });
  };
  sort_by([](const ItemNeed& a) { return std::tuple(a.from, a.space, a.object, a.possible, a.kinds, a.begin, a.end); });
  merge(
      [](const ItemNeed& a, const ItemNeed& b) {
        return a.from == b.from && a.space == b.space && a.object == b.object && a.possible == b.possible &&
               a.kinds == b.kinds && b.begin <= a.end;
      },
      [](ItemNeed& a, const ItemNeed& b) { a.end = std::max(a.end, b.end); });
  sort_by([](const ItemNeed& a) { return std::tuple(a.from, a.space, a.object, a.possible, a.begin, a.end, a.kinds); });
  merge(
      [](const ItemNeed& a, const ItemNeed& b) {
        return a.from == b.from && a.space == b.space && a.object == b.object && a.possible == b.possible &&
               a.begin == b.begin && a.end == b.end;
      },
      [](ItemNeed& a, const ItemNeed& b) { a.kinds = static_cast<std::uint8_t>(a.kinds | b.kinds); });
}

}  // namespace rondo::graph
