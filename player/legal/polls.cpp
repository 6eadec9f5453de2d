// SPDX-License-Identifier: Apache-2.0
// What the host may see of events and queries while work that changes them is running. A program that asks
// may be answered between two changes: an event that is set and reset by the same submit was seen set. The
// replay asks at another moment. So a poll is given what work could have done what it saw, and whether other
// work may have taken it back by then.
#include <algorithm>
#include <cstring>

#include "generated/args.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

using Ended = Event::Ended;
using Pending = Event::Pending;

Ended ended(bool set) { return set ? Ended::set : Ended::reset; }

// Takes what is known to have ended out of `pending`.
void settle(const Work& work, Event& event) {
  bool any = false;
  std::erase_if(event.pending, [&](const Pending& one) {
    if (work.running(one.last)) return false;
    // Of two queues, or of one and the host, nobody knows who was last.
    const bool last = !any && !one.host_changed;
    event.ended = last || event.ended == ended(one.set) ? ended(one.set) : Ended::unknown;
    any = true;
    return true;
  });
}

void change_event(Validity& v, ObjectId id, bool set, Place place) {
  v.set_event(id, set);
  Event* event = v.events.find(id);
  if (event == nullptr) return;
  settle(v.work, *event);
  const auto of_queue = [&](const Pending& one) { return one.last.queue == place.queue; };
  auto found = std::find_if(event->pending.begin(), event->pending.end(), of_queue);
  if (found == event->pending.end()) found = event->pending.emplace(found);
  found->last = place;
  found->set = set;
  if (found->op[set ? 1 : 0] != Pending::kNone) return;
  found->op[set ? 1 : 0] = v.op();
  found->first[set ? 1 : 0] = place;
}

Wrong create_event(Validity& v, const Call& c) {
  if (const ObjectId id = c.created(); id != ObjectId::null) v.events.make(id);
  return {};
}
Wrong set_event(Validity& v, const Call& c) {
  set_event_by_host(v, c.id(&c.as<args_vkSetEvent>().event), true);
  return {};
}
Wrong reset_event(Validity& v, const Call& c) {
  set_event_by_host(v, c.id(&c.as<args_vkResetEvent>().event), false);
  return {};
}

// That an event is set is always worth a wait. That it is reset says something only where it was set before.
Wrong event_status(Validity& v, const Call& c) {
  const bool set = c.returned == VK_EVENT_SET;
  const ObjectId id = c.id(&c.as<args_vkGetEventStatus>().event);
  Event* event = v.events.find(id);
  if (event == nullptr) {
    if (!set) v.skip();
    return {};
  }
  settle(v.work, *event);
  Wrong late;
  v.seen.may_pass = event->ended == Ended::unknown;
  for (const Pending& one : event->pending) {
    if (one.set != set || one.host_changed) v.seen.may_pass = true;
    if (const std::uint32_t by = one.op[set ? 0 : 1]; by != Pending::kNone) v.seen.undone_by.push_back(by);
    const std::uint32_t by = one.op[set ? 1 : 0];
    if (by == Pending::kNone) continue;
    if (Wrong w = v.never_ends(one.first[set ? 1 : 0]); !w.empty())
      late = w;
    else
      v.seen.done_by.push_back(by);
  }
  const bool done = !v.seen.done_by.empty();
  if (!set && (event->ended != Ended::set || !done)) v.skip();
  if (set && event->ended == Ended::reset && !done)
    return late.empty() ? "was set, and nothing sets it before: " + v.name(id) : late;
  if (event->ended == ended(set)) v.seen.done_by.clear();  // it was so before that work
  return {};
}

// In all pools: a hostile file's may have more. What becomes available beyond is not followed.
constexpr std::size_t kMostQueries = 1 << 20;
// Of one pool, that may still run. The oldest is forgotten: its queries are not looked at while it runs.
constexpr std::size_t kMostResets = 1024;

void note_reset(const Work& work, QueryPool& pool, const QueryPool::Reset& reset) {
  const auto again = std::find_if(pool.resets.begin(), pool.resets.end(), [&](const QueryPool::Reset& one) {
    return one.first == reset.first && one.count == reset.count && one.place.queue == reset.place.queue;
  });
  if (again != pool.resets.end()) {
    *again = reset;
    return;
  }
  std::erase_if(pool.resets, [&](const QueryPool::Reset& one) { return !work.running(one.place); });
  if (pool.resets.size() == kMostResets) pool.resets.erase(pool.resets.begin());
  pool.resets.push_back(reset);
}

// `batch`: null: the host changes them.
void change_queries(Validity& v, const CommandBuffer::QueryChange& change, const Place* batch) {
  QueryPool* pool = v.query_pools.find(change.pool);
  if (pool == nullptr) return;
  std::vector<std::uint8_t>& available = pool->available;
  const std::size_t end = std::size_t{change.first} + change.count;
  if (change.available) {
    if (const std::size_t more = end - std::min(end, available.size()); more != 0) {
      if (more > kMostQueries - v.followed_queries) return;
      v.followed_queries += more;
      available.resize(end);
    }
    std::fill(available.begin() + change.first, available.begin() + static_cast<std::ptrdiff_t>(end), std::uint8_t{1});
    return;
  }
  const auto last = available.begin() + static_cast<std::ptrdiff_t>(std::min(end, available.size()));
  auto at = available.begin() + std::min<std::ptrdiff_t>(change.first, last - available.begin());
  while ((at = std::find(at, last, std::uint8_t{1})) != last) {
    const auto behind = std::find(at, last, std::uint8_t{0});
    const auto first = static_cast<std::uint32_t>(at - available.begin());
    if (batch != nullptr) note_reset(v.work, *pool, {first, static_cast<std::uint32_t>(behind - at), *batch, v.op()});
    std::fill(at, behind, std::uint8_t{0});
    at = behind;
  }
}

// Queries that a call found available.
struct Found {
  std::uint32_t first = 0, count = 0;
};

// Of a call that may also have found some of its queries unavailable: the longest run that it found
// available. Only those that submitted work makes available: drivers leave what the program had there, or
// write it elsewhere.
Found longest_available(const args_vkGetQueryPoolResults& a, const QueryPool& pool) {
  Found longest, run{a.firstQuery, 0};
  const std::size_t word = (a.flags & VK_QUERY_RESULT_64_BIT) != 0 ? 8 : 4;
  for (std::uint32_t i = 0; i < a.queryCount; ++i) {
    const std::uint64_t at = i * a.stride + word * pool.values, query = std::uint64_t{a.firstQuery} + i;
    std::uint64_t is = 0;
    if (a.pData != nullptr && within(at, word, a.dataSize))
      std::memcpy(&is, static_cast<const std::byte*>(a.pData) + at, word);
    const bool available = is == 1 && query < pool.available.size() && pool.available[query] != 0;
    run = available ? Found{run.first, run.count + 1} : Found{a.firstQuery + i + 1, 0};
    if (run.count > longest.count) longest = run;
  }
  return longest;
}

// Played for the queries that the program saw available, if any. What it saw of others says nothing.
Wrong get_results(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkGetQueryPoolResults>();
  const QueryPool* pool = v.query_pools.find(c.id(&a.queryPool));
  if (pool == nullptr) {
    if (c.returned != VK_SUCCESS) v.skip();
    return {};
  }
  const bool partial = (a.flags & VK_QUERY_RESULT_PARTIAL_BIT) != 0;
  const bool says = (a.flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0;
  Found found{a.firstQuery, a.queryCount};
  // Points in time have no parts: who asks for them gets a time, or nothing.
  if (c.returned != VK_SUCCESS || (partial && (says || !is_timestamp(*pool))))
    found = says ? longest_available(a, *pool) : Found{};
  if (found.count == 0) {
    v.skip();
    return {};
  }
  if (found.first != a.firstQuery) v.change(c, a.firstQuery, found.first);
  if (found.count != a.queryCount) v.change(c, a.queryCount, found.count);
  if (partial) v.change(c, a.flags, a.flags & ~static_cast<VkQueryResultFlags>(VK_QUERY_RESULT_PARTIAL_BIT));
  for (const QueryPool::Reset& reset : pool->resets) {
    if (reset.first >= found.first + found.count || found.first >= reset.first + reset.count) continue;
    if (!v.work.running(reset.place)) continue;
    const std::uint32_t first = std::max(reset.first, found.first);
    const std::uint32_t last = std::min(reset.first + reset.count, found.first + found.count);
    const auto is = pool->available.begin();
    if (std::find(is + first, is + last, std::uint8_t{0}) == is + last) continue;  // made available again
    v.seen.may_pass = true;
    v.seen.done_by.push_back(reset.op);
    v.seen.undone_by.push_back(reset.op);
  }
  return {};
}

Wrong reset_queries(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkResetQueryPool>();
  const ObjectId id = c.id(&a.queryPool);
  v.needs_end_of_use(id);
  set_queries_by_host(v, {false, id, a.firstQuery, a.queryCount});
  return {};
}

}  // namespace

void note_queries(CommandBuffer& commands, const CommandBuffer::QueryChange& change) {
  if (!commands.query_changes.empty()) {
    CommandBuffer::QueryChange& last = commands.query_changes.back();
    const bool executed_between =
        !commands.executes.empty() && commands.executes.back().queries == commands.query_changes.size();
    if (last.available == change.available && last.pool == change.pool && !executed_between &&
        last.first + last.count == change.first && change.count <= UINT32_MAX - last.count) {
      last.count += change.count;
      return;
    }
  }
  commands.query_changes.push_back(change);
}

void follow_event(Validity& v, const CommandBuffer::EventUse& use, Place place) {
  if (use.kind != CommandBuffer::EventUse::wait)
    change_event(v, use.event, use.kind == CommandBuffer::EventUse::set, place);
  else if (const Event* event = v.events.find(use.event); event != nullptr && !event->set)
    v.waits_for_event(use.event, place);
}

void follow_queries(Validity& v, const CommandBuffer::QueryChange& change, Place place) {
  change_queries(v, change, &place);
}

void set_event_by_host(Validity& v, ObjectId id, bool to) {
  v.set_event(id, to);
  Event* event = v.events.find(id);
  if (event == nullptr) return;
  settle(v.work, *event);
  event->ended = ended(to);
  for (Pending& one : event->pending) one.host_changed = true;
}

void set_queries_by_host(Validity& v, const CommandBuffer::QueryChange& change) { change_queries(v, change, nullptr); }

void add_poll_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCreateEvent, create_event);
  add(CommandId::vkSetEvent, set_event);
  add(CommandId::vkResetEvent, reset_event);
  add(CommandId::vkGetEventStatus, event_status);
  add(CommandId::vkGetQueryPoolResults, get_results);
  add(CommandId::vkResetQueryPool, reset_queries);
}

}  // namespace rondo::player::validity
