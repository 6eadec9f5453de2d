// SPDX-License-Identifier: Apache-2.0
// Which place of a capture a text means, and where it is in the plan.
#include "player/snapshot/snapshot_place.h"

#include <algorithm>
#include <charconv>

#include "format/codec/schema.h"
#include "player/loop/loop_plan.h"

namespace rondo::player {

namespace {

bool is_work(CommandId id) {
  return id == CommandId::vkQueueSubmit || id == CommandId::vkQueueSubmit2 || id == CommandId::vkQueuePresentKHR ||
         id == CommandId::vkQueueBindSparse;
}

// Where there is no work: what gives buffers and images something to hold.
bool is_bind(CommandId id) {
  return id == CommandId::vkBindBufferMemory || id == CommandId::vkBindBufferMemory2 ||
         id == CommandId::vkBindImageMemory || id == CommandId::vkBindImageMemory2;
}

bool destroys_contents(const Plan& plan, const Op& op) {
  for (std::uint32_t i = 0; i < op.ended; ++i) {
    const HandleType type = plan.objects.objects()[plan.ended[op.first_ended + i]].type;
    if (type == HandleType::VkBuffer || type == HandleType::VkImage || type == HandleType::VkDeviceMemory ||
        type == HandleType::VkSwapchainKHR || type == HandleType::VkDevice || type == HandleType::VkInstance)
      return true;
  }
  return false;
}

std::uint32_t end_of_work(const Plan& plan) {
  const auto count = static_cast<std::uint32_t>(plan.ops.size());
  const auto behind_last = [&](bool (*is_one)(CommandId)) {
    std::uint32_t at = count;
    while (at != 0 && !is_one(codec::info(plan.ops[at - 1].command).canonical)) --at;
    return at;
  };
  std::uint32_t at = behind_last(is_work);
  if (at == 0) at = behind_last(is_bind);
  while (at < count && !destroys_contents(plan, plan.ops[at])) ++at;
  return at;
}

}  // namespace

std::string SnapshotPlace::text() const {
  if (!said.empty()) return said;
  switch (kind) {
    case Kind::frame:
      return "behind frame " + std::to_string(number);
    case Kind::submit:
      return "behind submit " + std::to_string(number);
    case Kind::end:
      break;
  }
  return "behind the last submit or present";
}

Result<SnapshotPlace> parse_place(const std::string& text) {
  SnapshotPlace place;
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const char* const last = text.data() + text.size();
  if (kind == "frame") place.kind = SnapshotPlace::Kind::frame;
  if (kind == "submit") place.kind = SnapshotPlace::Kind::submit;
  bool number = colon != std::string::npos;
  if (number) {
    const auto [end, error] = std::from_chars(text.data() + colon + 1, last, place.number);
    number = end == last && error == std::errc() && place.number != UINT64_MAX;
  }
  if (place.kind == SnapshotPlace::Kind::end || !number)
    return fail(Status::usage, "--at: '" + text + "' is neither frame:K nor submit:K, with K from 0");
  return place;
}

SpanRequest span_of(const SnapshotPlace& place) {
  SpanRequest request;
  if (place.kind == SnapshotPlace::Kind::end) return request;
  request.kind = place.kind == SnapshotPlace::Kind::frame ? SpanRequest::Kind::frames : SpanRequest::Kind::submits;
  request.first = place.number;
  request.last = place.number + 1;
  return request;
}

Result<std::uint32_t> find_place(const Plan& plan, const SnapshotPlace& place) {
  std::uint32_t at = plan.span.last;
  if (place.kind == SnapshotPlace::Kind::end) at = end_of_work(plan);
  // The player itself waits for the work. Only what waits for the program needs what the program did then.
  if (place.kind == SnapshotPlace::Kind::submit && !has_waiting_work(plan, plan.span.first + 1))
    return plan.span.first + 1;
  if (has_waiting_work(plan, at))
    return fail(Status::failed,
                plan.path + ": " + place.text() +
                    " work still waits for a signal or an event that comes later, so that nothing can be "
                    "read there: choose a later place");
  return at;
}

}  // namespace rondo::player
