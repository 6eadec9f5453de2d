// SPDX-License-Identifier: Apache-2.0
// The templates behind every hook: call the driver and record, on the right
// side of each other (docs/architecture.md, "The sequence rule"). Hand-written
// hooks use them too, with a driver call of their own.
#pragma once

#include <type_traits>
#include <utility>

#include "generated/traits.h"
#include "layer/checkpoints/watched.h"
#include "layer/driver/state.h"
#include "layer/recorder/record.h"

namespace rondo::layer {

// Whether output parameters mean something.
template <class Return>
bool wrote_outputs(Return value) {
  if constexpr (std::is_same_v<Return, VkResult>) return value >= VK_SUCCESS;
  return true;
}

template <class Return>
Outcome outcome_of(Return value, const Times* times) {
  if constexpr (std::is_same_v<Return, PFN_vkVoidFunction>)
    return {true, value != nullptr, times};
  else
    return {true, static_cast<std::int64_t>(value), times};
}

template <class... A>
std::byte* pack(std::byte* at, const A&... values) {
  ((std::memcpy(at, &values, sizeof values), at += sizeof values), ...);
  return at;
}

// Numbered before the driver is called.
template <CommandId C, bool kTimed, class Down, class... A>
typename CommandTraits<C>::Return record_before(ThreadState& state, Down&& down, A... arguments) {
  using Traits = CommandTraits<C>;
  using Return = typename Traits::Return;
  constexpr bool kReturns = !std::is_void_v<Return>;
  constexpr std::uint16_t flags = kReturns ? kRecordTwoPart : 0;
  constexpr bool kMark = kTimed && !kReturns;  // a moment, not a duration
  std::uint64_t sequence = 0;
  if constexpr (kMark) {
    const typename Traits::Args args{arguments...};
    if (!encode_payload(state, C, &args, false)) return down();
    const std::uint64_t now = now_ns();
    const Times times{now, now};
    Outcome outcome;
    outcome.times = &times;
    sequence = commit_call(state, C, flags, outcome);
  } else if constexpr (Traits::scalars) {
    note_caller(state);
    sequence = g_hot.writer->take_sequence();
    std::byte* body =
        state.stream.begin(static_cast<std::uint16_t>(C), kRecordCall | flags, sequence, (sizeof(A) + ... + 0));
    pack(body, arguments...);
    state.stream.commit();
  } else {
    const typename Traits::Args args{arguments...};
    if (!encode_payload(state, C, &args, false)) return down();
    sequence = commit_call(state, C, flags);
  }
  if constexpr (!kReturns) {
    down();
  } else {
    Times times;
    if constexpr (kTimed) times.start_ns = now_ns();
    const Return value = down();
    if constexpr (kTimed) times.end_ns = now_ns();
    write_result(state, C, sequence, outcome_of(value, kTimed ? &times : nullptr));
    return value;
  }
}

// Numbered after the driver has returned.
template <CommandId C, bool kTimed, class Down, class... A>
typename CommandTraits<C>::Return record_after(ThreadState& state, Down&& down, A... arguments) {
  using Traits = CommandTraits<C>;
  using Return = typename Traits::Return;
  const typename Traits::Args args{arguments...};
  if constexpr (std::is_void_v<Return>) {
    down();
    if (encode_payload(state, C, &args, true)) commit_call(state, C, 0);
  } else {
    Times times;
    if constexpr (kTimed) times.start_ns = now_ns();
    const Return value = down();
    if constexpr (kTimed) times.end_ns = now_ns();
    if (encode_payload(state, C, &args, wrote_outputs(value)))
      commit_call(state, C, 0, outcome_of(value, kTimed ? &times : nullptr));
    return value;
  }
}

// On its side of the call.
template <CommandId C, bool kTimed, class Down, class... A>
typename CommandTraits<C>::Return record_on(ThreadState& state, Down&& down, A... arguments) {
  if constexpr (CommandTraits<C>::numbering == codec::Numbering::before)
    return record_before<C, kTimed>(state, std::forward<Down>(down), arguments...);
  else
    return record_after<C, kTimed>(state, std::forward<Down>(down), arguments...);
}

template <class First, class... A>
Resources* resources_of(First first, A...) {
  return g_any_resources.load(std::memory_order_relaxed) ? device_of(first).resources.get() : nullptr;
}

// Of calls that change what resources there are, or what is in them: before the
// driver is called, so that nothing is read that it destroys, or once it has
// made something.
template <CommandId C, class Down, class... A>
typename CommandTraits<C>::Return watched(Resources& resources, Down&& down, A... arguments) {
  const typename CommandTraits<C>::Args args{arguments...};
  if constexpr (std::is_void_v<typename CommandTraits<C>::Return>) {
    watch(resources, C, &args);
    down();
  } else {
    const auto value = down();
    if (wrote_outputs(value)) watch(resources, C, &args);
    return value;
  }
}

// `down` calls the driver; `arguments` are what the program passed.
template <CommandId C, bool kTimed = false, class Down, class... A>
typename CommandTraits<C>::Return record_with(Down&& down, A... arguments) {
  if (!recording()) [[unlikely]]
    return down();
  ThreadState* const state = thread_state();
  if (state == nullptr) [[unlikely]]
    return down();
  if constexpr (is_watched(C))
    if (Resources* const resources = resources_of(arguments...); resources != nullptr) [[unlikely]]
      return watched<C>(
          *resources, [&] { return record_on<C, kTimed>(*state, std::forward<Down>(down), arguments...); },
          arguments...);
  return record_on<C, kTimed>(*state, std::forward<Down>(down), arguments...);
}

// The whole hook of a regular command.
template <CommandId C, bool kTimed = false, class First, class... A>
typename CommandTraits<C>::Return regular(First first, A... arguments) {
  const auto next = next_of(first).*CommandTraits<C>::pfn;
  return record_with<C, kTimed>([&] { return next(first, arguments...); }, first, arguments...);
}

}  // namespace rondo::layer
