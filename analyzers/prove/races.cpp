// SPDX-License-Identifier: Apache-2.0
// Which commands of a race can be recorded in another order, so that nothing else is ordered otherwise.
#include <algorithm>
#include <unordered_set>

#include "analyzers/prove/tries.h"

namespace rondo::prove {

namespace {

using analyzers::SyncRace;
using graph::Item;
using graph::ItemKind;

constexpr const char* kUnknownItem =
    "one of both is in a secondary command buffer of a render pass, or has been left out of the work graph";

// Why the order of a race cannot be another one, from what is known of it alone. Null: it perhaps can.
const char* why_not(const SyncRace& race) {
  if ((race.hazards & graph::kLifetime) != 0)
    return "the host ends or changes an object while work may use it: another order of commands does not show that";
  if ((race.hazards & graph::kOwner) != 0)
    return "what a queue family finds in another one's resource is undefined, in whichever order";
  if (race.executes)
    return "the program orders the execution of both, and does not make visible what was written: another order cannot "
           "show that";
  if (race.from.presents || race.to.presents) return "a replay has no presentation engine that reads the image";
  if (race.from.is_transition || race.to.is_transition)
    return "one of both is a layout transition: what follows needs the new layout";
  if (race.is_one_pass) return "both are in one render pass, whose attachments have an order that must stay";
  if (race.from.on_host) return "the host writes first, and nothing in the records says when the device reads";
  if (race.to.on_host && race.to.executed.command != CommandId::rondoHostWrite)
    return "the host writes by a call that cannot be made earlier";
  return nullptr;
}

// A race while the capture is walked.
class Tried {
 public:
  explicit Tried(const SyncRace& race) : race_(race) {}

  bool is_done() const { return has_to_; }

  void take(const Item& item, std::span<const graph::ItemNeed> needs) {
    const bool is_from = !has_from_ && holds(item, race_.from), is_to = has_from_ && holds(item, race_.to);
    from_times_ += is_record_of(item, race_.from) ? 1 : 0;
    to_times_ += is_record_of(item, race_.to) ? 1 : 0;
    if (has_to_) return;
    if (is_from) {
      has_from_ = true;
      from_ = item;
      return;
    }
    const bool is_same_submit = race_.to.on_host && item.work.at == race_.from.executed.at;
    if (!has_from_ && !is_same_submit) return;
    for (const graph::ItemNeed& need : needs) {
      if (!is_to) needs_first_ = needs_first_ || (has_from_ && is_of(need.from, from_.number, joins_of_first_));
      if (is_to) second_needs_ = second_needs_ || between_.count(need.from) != 0;
    }
    if (is_to) {
      has_to_ = true;
      to_ = item;
      return;
    }
    between_.insert(item.number);
  }
  // A join of what is between counts as between.
  void join(std::uint32_t join, std::span<const std::uint32_t> items) {
    if (has_to_) return;
    for (const std::uint32_t one : items) {
      if (has_from_ && is_of(one, from_.number, joins_of_first_)) joins_of_first_.insert(join);
      if (between_.count(one) != 0) between_.insert(join);
    }
  }

  Result<Orders> orders() const {
    if (!has_from_ || !has_to_) return fail(Status::failed, kUnknownItem);
    if (race_.to.on_host) return of_host();
    for (const Item* item : {&from_, &to_})
      if (item->kind != ItemKind::work && item->kind != ItemKind::pass)
        return fail(Status::failed, "one of both is no command of a queue that can be recorded elsewhere");
      else if (item->work.is_pass && (item->work.end == 0 || item->work.primary != item->work.end_primary))
        return fail(Status::failed, "the render pass of one of both goes over several command buffers");
    const bool is_together =
        from_.work.at == to_.work.at && from_.work.batch == to_.work.batch && from_.work.primary == to_.work.primary;
    if (!is_together && (from_times_ > 1 || to_times_ > 1))
      return fail(Status::failed, "they are in different command buffers, and one of these is executed several times");
    Orders orders;
    if (!needs_first_) orders.ways.push_back(moved(false, is_together));
    if (!second_needs_) orders.ways.push_back(moved(true, is_together));
    if (orders.ways.empty())
      return fail(Status::failed, "commands between both need the first, and others are needed by the second");
    return orders;
  }

 private:
  static std::uint64_t end_of(const Item& item) {
    return item.work.is_pass && item.work.end != 0 ? item.work.end : item.work.record;
  }
  static bool is_record_of(const Item& item, const analyzers::SyncSide& side) {
    return item.work.record <= side.executed.record && side.executed.record <= end_of(item) &&
           (item.work.is_pass || item.work.record == side.executed.record);
  }
  static bool holds(const Item& item, const analyzers::SyncSide& side) {
    if (!is_record_of(item, side)) return false;
    return side.on_host || (item.work.at == side.executed.at && item.work.submit == side.executed.submit);
  }
  static bool is_of(std::uint32_t number, std::uint32_t item, const std::unordered_set<std::uint32_t>& joins) {
    return number == item || joins.count(number) != 0;
  }

  // The first after the second, or the second before the first.
  Edits moved(bool is_before, bool is_together) const {
    const Item &unit = is_before ? to_ : from_, &place = is_before ? from_ : to_;
    Edits edits;
    edits.move = Move{unit.work.record, end_of(unit), is_before ? place.work.record : end_of(place), is_before};
    if (is_together) return edits;
    // What the first did is missing until the second, or the second has been done too early.
    const std::uint64_t first = std::min(from_.work.at, to_.work.at), last = std::max(from_.work.at, to_.work.at);
    if (last > first + 1) edits.unchecked = {first + 1, last - 1};
    // Work of other queues that waits for the one is not to come before it.
    if (from_.work.queue != to_.work.queue) edits.waits_before.insert(place.work.at);
    edits.waits_after.insert(place.work.at);
    return edits;
  }

  // The host writes when the device has read, or before it is given what reads.
  Result<Orders> of_host() const {
    Orders orders;
    orders.needs_all = true;
    Edits late;
    late.waits_before.insert(race_.to.executed.record);
    orders.ways.push_back(std::move(late));
    if (second_needs_) return orders;
    Edits early;
    const std::uint64_t submit = from_.work.at, write = race_.to.executed.record;
    early.earlier[write] = submit;
    if (write > submit + 1) early.unchecked = {submit + 1, write - 1};
    orders.ways.push_back(std::move(early));
    return orders;
  }

  const SyncRace& race_;
  Item from_, to_;
  bool has_from_ = false, has_to_ = false;
  bool needs_first_ = false;   // something between needs the first
  bool second_needs_ = false;  // the second needs something between
  std::uint64_t from_times_ = 0, to_times_ = 0;
  std::unordered_set<std::uint32_t> between_, joins_of_first_;  // items and joins
};

class TriedRaces final : public analyzers::GraphVisitor {
 public:
  std::vector<Tried> all;

 private:
  bool item(const Item& item, std::span<const graph::ItemNeed> needs, std::span<const graph::Piece>) override {
    for (Tried& one : all) one.take(item, needs);
    return true;
  }
  void join(std::uint32_t join, std::span<const std::uint32_t> items) override {
    for (Tried& one : all) one.join(join, items);
  }
};

}  // namespace

Result<std::vector<Result<Orders>>> orders_of(const std::string& capture, std::span<const SyncRace* const> races) {
  std::vector<Result<Orders>> found;
  TriedRaces tried;
  for (const SyncRace* race : races)
    if (why_not(*race) == nullptr) tried.all.emplace_back(*race);
  if (!tried.all.empty()) {
    auto walk = analyzers::GraphWalk::open(capture);
    if (!walk) return tl::unexpected(walk.error());
    const auto totals = walk->run(tried);
    if (!totals) return tl::unexpected(totals.error());
  }
  auto next = tried.all.begin();
  for (const SyncRace* race : races) {
    if (const char* why = why_not(*race); why != nullptr)
      found.push_back(fail(Status::failed, why));
    else
      found.push_back((next++)->orders());
  }
  return found;
}

}  // namespace rondo::prove
