// SPDX-License-Identifier: Apache-2.0
// Calls whose number belongs to the host writes found before them: scan,
// record the writes, number and commit the call, leave the critical section,
// call the driver (docs/layer.md, "Host writes").
#pragma once

#include "layer/driver/host_memory.h"
#include "layer/recorder/frames.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/regular.h"

namespace rondo::layer {

// `inside(thread)` runs in the critical section, before the call is numbered;
// thread is null when nothing is recorded. It may ask for the section's lock, too,
// and leave the section for a while. Numbered before the driver, always.
template <CommandId C, bool kTimed = false, class Inside, class Down, class... A>
typename CommandTraits<C>::Return record_critical(Inside&& inside, Down&& down, A... arguments) {
  using Traits = CommandTraits<C>;
  static_assert(Traits::numbering == codec::Numbering::before);
  constexpr bool kReturns = !std::is_void_v<typename Traits::Return>;
  ThreadState* state = recording() ? thread_state() : nullptr;
  if (state != nullptr) {
    // The long part of the work, outside of the critical section.
    const typename Traits::Args args{arguments...};
    if (encode_payload(*state, C, &args, false))
      note_caller(*state);
    else
      state = nullptr;
  }
  std::uint64_t sequence = 0;
  guarded([&] {
    auto lock = host_memory().enter();
    if constexpr (std::is_invocable_v<Inside, ThreadState*, HostMemory::Lock&>)
      inside(state, lock);
    else
      inside(state);
    if (state != nullptr && recording()) {
      sequence = commit(*state, C, kReturns ? kRecordTwoPart : 0);
      if constexpr (C == CommandId::vkQueuePresentKHR) frame_ended();
    }
    // Said here and not at the end, which a program that is killed does not have.
    if (state != nullptr && g_hot.writer->failed()) stop_recording(g_hot.writer->failure());
  });
  if constexpr (!kReturns) {
    down();
  } else {
    Times times;
    if (kTimed) times.start_ns = now_ns();
    const auto value = down();
    if (kTimed) times.end_ns = now_ns();
    if (sequence != 0) write_result(*state, C, sequence, outcome_of(value, kTimed ? &times : nullptr));
    return value;
  }
}

}  // namespace rondo::layer
