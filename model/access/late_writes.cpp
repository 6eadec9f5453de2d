// SPDX-License-Identifier: Apache-2.0
#include "model/access/late_writes.h"

#include <algorithm>
#include <utility>

#include "generated/args.h"

namespace rondo::access {

namespace {

// Submits of one queue that are looked at one by one. Older ones count as parts of the oldest of these.
constexpr std::size_t kMostSubmits = 256;

bool submits(CommandId canonical) {
  return canonical == CommandId::vkQueueSubmit || canonical == CommandId::vkQueueSubmit2 ||
         canonical == CommandId::vkQueueBindSparse;
}

ObjectId device_of(const model::Call& call) { return call.objects.objects()[call.dispatch].device; }

}  // namespace

LateWrites::LateWrites(World world)
    : world_(std::move(world)), model_([this](const Executed& executed) { touch(executed); }) {}

void LateWrites::touch(const Executed& executed) {
  if (executed.submit == Executed::kNoSubmit) return;
  for (const Touch& touched : executed.touches)
    touch(touched.object, touched.offset, touched.size != 0 ? touched.size : ~std::uint64_t{});
  if (executed.reach.unknown == 0 || current_.touches_all) return;
  for (const ObjectId object : model_.reachable()) touch(object, 0, ~std::uint64_t{});
}

void LateWrites::touch(ObjectId object, std::uint64_t offset, std::uint64_t size) {
  const Place place = world_.place(object);
  if (place.size == 0) return;
  if (place.memory == ObjectId::null) {
    current_.touches_all = true;
  } else if (offset < place.size) {
    const std::uint64_t begin = place.offset + offset;
    current_.touched[place.memory].add(begin, begin + std::min(size, place.size - offset));
  }
}

void LateWrites::submitted(const model::Call& call) {
  Queue& queue = queues_[call.dispatch];
  queue.device = device_of(call);
  ++queue.submitted;
  current_.record = call.sequence;
  current_.touches_all = current_.touches_all || model_.too_many();
  ranges_ += ranges_of(current_);
  queue.submits.push_back(std::exchange(current_, {}));
  while (!queue.submits.empty() && world_.is_over(queue.submits.front().record)) {
    lose_ranges_of(queue.submits.front());
    queue.submits.pop_front();
  }
  for (auto& [id, one] : queues_)
    if (one.device == queue.device) one.perhaps_from = one.perhaps_to = 0;
  if (queue.submits.size() <= kMostSubmits) return;
  // Who waits for the newer one waits for the older one, too.
  Submit oldest = std::move(queue.submits.front());
  queue.submits.pop_front();
  Submit& next = queue.submits.front();
  lose_ranges_of(oldest);
  lose_ranges_of(next);
  next.touches_all = next.touches_all || oldest.touches_all;
  for (const auto& [memory, ranges] : oldest.touched)
    for (const auto& [begin, end] : ranges.all()) next.touched[memory].add(begin, end);
  ranges_ += ranges_of(next);
}

void LateWrites::ended(const model::Call& call) {
  const auto& args = call.as<args_rondoWorkEnded>();
  Queue& queue = queues_[call.dispatch];
  queue.device = device_of(call);
  queue.perhaps_from = queue.perhaps_to = 0;
  if (args.pending > queue.submitted) return;
  const std::uint64_t to = queue.submitted - args.pending;
  if (args.unsure == VK_FALSE) {
    queue.ended = std::max(queue.ended, to);
  } else {
    queue.perhaps_to = to;
    queue.perhaps_from = to - std::min<std::uint64_t>(to, args.ended);
  }
}

bool LateWrites::meets(const Submit& submit, const model::Call& call) {
  const auto& args = call.as<args_rondoHostWrite>();
  if (submit.touches_all) return true;
  const auto touched = submit.touched.find(call.id(&args.memory));
  if (touched == submit.touched.end() || args.pRanges == nullptr) return false;
  const std::span ranges(args.pRanges, args.rangeCount);
  return std::any_of(ranges.begin(), ranges.end(), [&](const RondoRange& range) {
    return range.offset + range.size > range.offset && touched->second.meets(range.offset, range.offset + range.size);
  });
}

void LateWrites::written(const model::Call& call) {
  for (const auto& [id, queue] : queues_) {
    if (queue.device != call.dispatch) continue;
    RONDO_CHECK(queue.submits.size() <= queue.submitted);
    RONDO_CHECK(queue.ended <= queue.submitted && queue.perhaps_to <= queue.submitted);
    const std::uint64_t first = queue.submitted - queue.submits.size();
    bool over = false;
    for (std::uint64_t i = queue.submitted; i > first && !over; --i) {
      const Submit& submit = queue.submits[static_cast<std::size_t>(i - 1 - first)];
      const bool perhaps = i > queue.perhaps_from && i <= queue.perhaps_to;
      if ((!perhaps && i > queue.ended) || !meets(submit, call)) continue;
      over = i <= queue.ended;
      is_unsure_ = is_unsure_ || perhaps;
      if (over && !world_.is_over(submit.record)) after_.push_back(submit.record);
    }
  }
}

void LateWrites::take(const model::Call& call) {
  const CommandId command = call.command.canonical;
  RONDO_CHECK(current_.touched.empty() && !current_.touches_all);
  after_.clear();
  is_unsure_ = false;
  if (command == CommandId::rondoHostWrite) written(call);
  model_.take(call);
  if (submits(command) && call.succeeded) submitted(call);
  current_ = {};
  if (command == CommandId::rondoWorkEnded) ended(call);
}

std::size_t LateWrites::ranges_of(const Submit& submit) {
  std::size_t ranges = 1;
  for (const auto& [memory, touched] : submit.touched) ranges += touched.all().size() + 1;
  return ranges;
}

void LateWrites::lose_ranges_of(const Submit& submit) {
  const std::size_t ranges = ranges_of(submit);
  RONDO_CHECK(ranges <= ranges_);
  ranges_ -= ranges;
}

}  // namespace rondo::access
