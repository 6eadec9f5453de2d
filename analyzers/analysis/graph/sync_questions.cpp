// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/sync_questions.h"

#include <algorithm>
#include <bit>
#include <set>

#include "model/touch.h"

namespace rondo::graph {

namespace {

using access::Mark;

// More than any program needs; a hostile capture finds its end there.
constexpr std::size_t kMostQuestions = std::size_t{1} << 24;

constexpr unsigned kAllCommandsBit = 16;                       // of VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, …
constexpr unsigned kMemoryReadBit = 15, kMemoryWriteBit = 16;  // … VK_ACCESS_2_MEMORY_READ_BIT and _WRITE_BIT
static_assert(VkPipelineStageFlags2{1} << kAllCommandsBit == VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
static_assert(VkAccessFlags2{1} << kMemoryReadBit == VK_ACCESS_2_MEMORY_READ_BIT);
static_assert(VkAccessFlags2{1} << kMemoryWriteBit == VK_ACCESS_2_MEMORY_WRITE_BIT);

constexpr VkAccessFlags2 kAttachments = VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT |
                                        VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
                                        VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT |
                                        VK_ACCESS_2_FRAGMENT_SHADING_RATE_ATTACHMENT_READ_BIT_KHR;

// As an attachment of its subpass, an input attachment too.
bool uses_attachment(const Way& way) {
  return !way.changes_layout && (way.access & ~(kAttachments | VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT)) == 0;
}
bool is_attachment(const Way& way) { return !way.changes_layout && (way.access & ~kAttachments) == 0; }

// Each stage with each access of a way. `writes`: of those that write, else of those that read.
template <class Visit>
void for_each_kind(const Way& way, bool writes, const Visit& visit) {
  if (way.changes_layout) return visit(AccessKind{kAllCommandsBit, kMemoryWriteBit});
  VkAccessFlags2 access = way.access & (writes ? model::kWrites : ~model::kWrites);
  if (access == 0) access = VkAccessFlags2{1} << (writes ? kMemoryWriteBit : kMemoryReadBit);
  for (VkPipelineStageFlags2 stages = way.stages; stages != 0; stages &= stages - 1)
    for (VkAccessFlags2 rest = access; rest != 0; rest &= rest - 1)
      visit(AccessKind{static_cast<std::uint8_t>(std::countr_zero(stages)),
                       static_cast<std::uint8_t>(std::countr_zero(rest))});
}

}  // namespace

SyncQuestions::SyncQuestions(Asked asked, AskedOfHost of_host)
    : asked_(std::move(asked)),
      asked_of_host_(std::move(of_host)),
      host_needs_(log, [this](const HostNeed& need) { ask_of_host(need); }) {}

void SyncQuestions::node(std::uint32_t node, const access::Executed& executed) {
  RONDO_CHECK(node == places_.size());
  places_.push_back(place_);
  if (watch_ && watch_(executed)) watched_.push_back({node, {}});
  const bool works = executed.recorded != nullptr || !executed.touches.empty() || executed.reach.unknown != 0;
  const bool is_ambiguous = executed.recorded == nullptr && executed.record == call_.record && call_.is_ambiguous;
  executed_.push_back(
      {executed.record, executed.at, executed.submit, executed.label_path, executed.command, works, is_ambiguous});
  if (executed.recorded == nullptr) return;
  host_needs_.node(node, place_, executed);
}

std::vector<AccessAt> SyncQuestions::accesses(std::uint32_t node, const Way& way) const {
  std::vector<AccessAt> all;
  const std::uint32_t part = way.changes_layout ? way.part : SyncQuestion::kNoPart;
  for (const bool writes : {false, true}) {
    if (writes && way.changes_layout) break;
    if (!way.changes_layout && (way.access & (writes ? model::kWrites : ~model::kWrites)) == 0) continue;
    for_each_kind(way, writes, [&](AccessKind kind) { all.push_back(access(node, kind, part)); });
  }
  return all;
}

AccessAt SyncQuestions::access(std::uint32_t node, AccessKind kind, std::uint32_t part) const {
  AccessAt at{kind, places_[node], 0, 0};
  if (part == SyncQuestion::kNoPart) return at;
  const SyncLog::Place& place = at.place;
  at.first_op = place.first_op;
  at.end_op = place.first_op + place.ops;
  if (part != SyncLog::kAllParts && (part + 1) * place.parts <= place.ops) {
    at.first_op += part * place.parts;
    at.end_op = at.first_op + place.parts;
  }
  // A transition comes with the ops of its command: others of the command have no part in it.
  at.place.time = place.first_op + 1;
  return at;
}

// The specification orders them, whatever the program says.
bool SyncQuestions::is_ordered(const Need& need, const Way& from, const Way& to, bool is_query) const {
  const SyncLog::Place& a = places_[need.from.node];
  const SyncLog::Place& b = places_[need.to.node];
  if (a.queue == SyncLog::kHost && b.queue == SyncLog::kHost) return true;  // calls come one after the other
  // Layout transitions of one queue execute in submission order. What one writes is available, and the next sees it.
  // Specification: "Image Layout Transitions".
  if (a.queue == b.queue && is_layout_transition(need.from.node, from) && is_layout_transition(need.to.node, to))
    return true;
  // Commands on queries are ordered on their queue, and the host asks for results. But before it resets queries, the
  // commands that use them must have ended.
  if (is_query)
    return a.queue == b.queue || a.queue == SyncLog::kHost || (b.queue == SyncLog::kHost && need.hazard == Hazard::raw);
  // What an event of the host holds back comes after what the host does until it sets the event.
  if (b.queue == SyncLog::kHost && log.is_held(a)) return true;
  if (a.pass != 0 && a.pass == b.pass) return is_ordered_in_pass(need, from, to);
  // What the load of an attachment sees all work of the pass sees. So the load is asked for in the place of that work.
  return b.pass != 0 && b.mark != Mark::begins_pass && is_attachment(to) && need.hazard == Hazard::raw;
}

bool SyncQuestions::is_ordered_in_pass(const Need& need, const Way& from, const Way& to) const {
  const SyncLog::Place& a = places_[need.from.node];
  const SyncLog::Place& b = places_[need.to.node];
  if (a.mark == Mark::begins_pass) {
    // An attachment is loaded before all that uses it in the first subpass that does. To later subpasses the
    // dependencies lead. What a later subpass uses first is loaded there, after the change of its layout; here it
    // stands at the begin of the pass, and is taken for ordered.
    if (!from.changes_layout && is_attachment(from) && (uses_attachment(to) || to.changes_layout) &&
        (from.is_loaded_later || b.subpass == a.subpass))
      return true;
    // What is loaded after the change of its layout is asked for in the place of what uses it.
    if (from.changes_layout && is_attachment(to)) return true;
  }
  // It is stored after all that uses it in the last subpass that does.
  if (b.mark == Mark::ends_pass && uses_attachment(from) && (is_attachment(to) || to.changes_layout)) {
    const bool is_used_later = std::find(read_last_.begin(), read_last_.end(), need.space) != read_last_.end();
    return a.subpass == b.subpass || !is_used_later || to.changes_layout;
  }
  // Where a resumed transform feedback ends, it writes the counter that it has read at its begin.
  if (need.hazard == Hazard::war &&
      (from.access & ~VkAccessFlags2{VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT}) == 0 &&
      (to.access & ~VkAccessFlags2{VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT}) == 0 &&
      !from.changes_layout && !to.changes_layout)
    return true;
  // Rasterization order.
  return is_attachment(from) && is_attachment(to) && a.subpass == b.subpass;
}

void SyncQuestions::needs(std::uint32_t node, std::span<const Need> all, const Needs& of, const SpaceFacts& spaces) {
  if (is_join(node)) {
    // Of nodes at one place that touch in one way one is enough.
    const std::uint32_t number = node & ~kJoin;
    if (number >= joins_.size()) joins_.resize(number + 1);
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> seen;
    std::vector<Ref> kept;
    const auto keep = [&](Ref one) {
      const SyncLog::Place& at = places_[one.node];
      if (seen.emplace(at.time, at.queue, at.pass, at.subpass, one.way).second) kept.push_back(one);
    };
    for (const Need& need : all) {
      if (!is_join(need.from.node)) {
        keep(need.from);
        continue;
      }
      for (const Ref one : joins_[need.from.node & ~kJoin]) keep(one);
    }
    joins_[number] = std::move(kept);
    return;
  }
  if (!watched_.empty() && watched_.back().node == node) {
    watched_.back().touches.assign(of.touches().begin(), of.touches().end());
    for (const Needs::Touch& touch : of.touches()) {
      if (touch.way >= ways_.size()) ways_.resize(touch.way + 1);
      ways_[touch.way] = of.way(touch.way);
    }
  }
  const SyncLog::Place& here = places_[node];
  if (here.time != asked_to_.time || here.queue != asked_to_.queue || here.pass != asked_to_.pass ||
      here.subpass != asked_to_.subpass || here.first_op != asked_to_.first_op) {
    asked_at_.clear();
    others_at_.clear();
    asked_to_ = here;
  }
  const auto take = [&](const Need& need) {
    const Way& from = of.way(need.from.way);
    const Way& to = of.way(need.to.way);
    const SpaceInfo::Kind kind = spaces.info(need.space).kind;
    if (is_ordered(need, from, to, kind == SpaceInfo::Kind::queries)) return;
    if (kind == SpaceInfo::Kind::queries && here.queue == SyncLog::kHost && has_results(need, spaces)) return;
    // Two writes of other texels need no order. But the first may hide what was written before it: what comes later
    // needs the second alone. So such a need keeps synchronization, and other needs of other texels are possible.
    const bool is_apart = kind == SpaceInfo::Kind::image && !need.possible && from.box.misses(to.box);
    const bool is_unknown = kind == SpaceInfo::Kind::reachable || (is_apart && need.hazard == Hazard::waw);
    ask(need, from, to, is_unknown, is_apart, is_foreign(need, from, to, spaces));
  };
  tell_host(of, spaces);
  ask_of_acquires(node, of, spaces);
  ask_of_pass(node, of);
  read_last_.clear();
  if (here.mark == Mark::ends_pass)
    for (const Need& need : all)
      if (!is_join(need.from.node) && need.hazard == Hazard::war && places_[need.from.node].pass == here.pass &&
          places_[need.from.node].subpass == here.subpass)
        read_last_.push_back(need.space);
  for (const Need& need : all) {
    if (!is_join(need.from.node)) {
      take(need);
      continue;
    }
    for (const Ref one : joins_[need.from.node & ~kJoin]) {
      Need of_one = need;
      of_one.from = one;
      take(of_one);
    }
  }
}

// Where a pass begins the layout of an attachment is changed before it is loaded; where it ends the attachment is
// stored before its layout is changed. The dependencies of its subpasses must say so.
void SyncQuestions::ask_of_pass(std::uint32_t node, const Needs& of) {
  const SyncLog::Place& here = places_[node];
  if (here.mark != Mark::begins_pass && here.mark != Mark::ends_pass) return;
  const bool begins = here.mark == Mark::begins_pass;
  for (const Needs::Touch& change : of.touches()) {
    if (!of.way(change.way).changes_layout) continue;
    for (const Needs::Touch& use : of.touches()) {
      if (use.space != change.space || use.begin >= change.end || change.begin >= use.end) continue;
      if (!is_attachment(of.way(use.way))) continue;
      Need need;
      need.from = {node, begins ? change.way : use.way};
      need.to = {node, begins ? use.way : change.way};
      need.space = use.space;
      need.begin = std::max(use.begin, change.begin);
      need.end = std::min(use.end, change.end);
      need.hazard = begins && !use.writes ? Hazard::raw : !begins && !use.writes ? Hazard::war : Hazard::waw;
      ask(need, of.way(need.from.way), of.way(need.to.way), false, false, false);
    }
  }
}

// Whoever writes an image first that an acquire returned must wait for the semaphore or fence of the acquire.
// Specification: "Window System Integration", vkAcquireNextImageKHR.
void SyncQuestions::ask_of_acquires(std::uint32_t node, const Needs& of, const SpaceFacts& spaces) {
  if (acquired_.empty()) return;
  std::vector<ObjectId> written;
  for (const Needs::Touch& touch : of.touches()) {
    const Way& way = of.way(touch.way);
    const auto found = acquired_.find(spaces.info(touch.space).object);
    if (found == acquired_.end() || (!touch.writes && !way.changes_layout)) continue;
    written.push_back(found->first);
    for_each_kind(way, true, [&](AccessKind kind) {
      SyncQuestion question;
      question.from = question.to = node;
      question.hazard = Hazard::war;
      question.host = static_cast<std::uint32_t>(host_.size());
      OfHost one;
      one.kind = HostNeed::Kind::acquire;
      one.from = found->second.read;
      one.to = access(node, kind, way.changes_layout ? way.part : SyncQuestion::kNoPart);
      one.stage = one.from.kind.stage;
      one.command = found->second.call;
      one.call = executed_[node];
      one.node = node;
      host_.push_back(one);
      questions_.push_back(question);
      if (asked_of_host_)
        asked_of_host_(static_cast<std::uint32_t>(questions_.size() - 1),
                       {one.kind, one.from, one.stage, node, found->second.call.record, found->first, false});
    });
  }
  for (const ObjectId image : written) acquired_.erase(image);
}

void SyncQuestions::ask(const Need& need, const Way& from, const Way& to, bool is_unknown, bool is_apart,
                        bool is_foreign) {
  // A change of layout reads and writes. It must come after what wrote before, once.
  if (to.changes_layout && need.hazard == Hazard::raw) return;
  SyncQuestion question;
  question.from = need.from.node;
  question.to = need.to.node;
  question.hazard = need.hazard;
  question.possible = need.possible || is_apart;
  question.is_quiet = is_unknown || from.is_open || to.is_open;
  question.is_foreign = is_foreign;
  // A possible need is between resources whose common bytes only the driver knows. Then only their order is asked for.
  // What was written and read since is available: the read asks for that. To write over it needs an order alone. But
  // where a pass loads an attachment, that read is no other command's: what the pass draws must see what was written.
  const SyncLog::Place& here = places_[question.to];
  const bool is_drawn_to = here.pass != 0 && here.mark != Mark::begins_pass && is_attachment(to);
  question.memory = need.hazard != Hazard::war && !need.possible && (!need.was_read || is_drawn_to);
  if (question.memory) question.history = need.mark;
  if (from.changes_layout) question.from_part = from.part;
  if (to.changes_layout) question.to_part = to.part;
  const SyncLog::Place& at = places_[question.from];
  for_each_kind(from, need.hazard != Hazard::war, [&](AccessKind a) {
    for_each_kind(to, need.hazard != Hazard::raw, [&](AccessKind b) {
      question.from_kind = a;
      question.to_kind = b;
      const Key key{
          at.time,
          at.pass,
          std::uint32_t{at.queue} << 16 | at.subpass,
          from.changes_layout ? at.first_op + 1 : 0,
          question.from_part,
          histories.kind(question.history),
          std::uint32_t{a.stage} << 24 | std::uint32_t{a.access} << 16 | std::uint32_t{b.stage} << 8 | b.access,
          question.to_part,
          std::uint32_t{question.memory} | std::uint32_t{question.is_quiet} << 1 |
              std::uint32_t{question.possible} << 2 | std::uint32_t{question.is_foreign} << 3};
      const auto [found, fresh] = asked_at_.try_emplace(key, static_cast<std::uint32_t>(questions_.size()));
      if (fresh) {
        if (questions_.size() >= kMostQuestions) {
          too_many_ = true;
          asked_at_.erase(found);
          return;
        }
        questions_.push_back(question);
      }
      if (!fresh && question.history != questions_[found->second].history &&
          others_at_.emplace(found->second, question.history).second)
        others_.push_back({found->second, question.history});
      if (asked_) asked_(found->second, need);
    });
  });
}

}  // namespace rondo::graph
