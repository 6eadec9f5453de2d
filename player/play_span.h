// SPDX-License-Identifier: Apache-2.0
// Plays what is asked of a plan, as many times as asked.
#pragma once

#include "player/measure/host_times.h"
#include "player/play.h"

namespace rondo::player {

struct PlayContext {
  const Loader& loader;
  const Targets& targets;
  Windows& windows;
  Deadline& deadline;
  Observer& observer;
  class PipelineCaches* caches = nullptr;
  class BlobsAhead* blobs = nullptr;
  std::span<const CapturedTime> captured = {};  // of the span, where Options::paced or take_host asks for them
};

// `plan` is changed where a span is looped (loop_plan.h).
Result<void> play_span(const Options& options, Plan& plan, const PlayContext& context, Outcome& outcome);

}  // namespace rondo::player
