// SPDX-License-Identifier: Apache-2.0
// The rows of rondo gaps.
#include "analyzers/analysis/row_fields/row_fields.h"

namespace rondo::analyzers {

namespace {

constexpr RowField kGapsFields[] = {
    {"gap", "cause",
     "why the queue does nothing: host (not submitted yet), semaphore, barrier (or a wait for an event, or a render "
     "pass that begins or ends), start (nothing holds it any more), player (the replay is late), below timer, "
     "unexplained"},
    {"gap", "queue", "VkQueue that does nothing"},
    {"gap", "begin_ns", "when, in nanoseconds from the begin of the span on, by the host's clock"},
    {"gap", "length_ns", "how long, in nanoseconds. An interval with several causes has a row for each"},
    {"gap", "paced", "false: only a replay that is not paced has it: it is the player's, and in no sum"},
    {"gap", "after", "the item before the gap: record, submit, command, label; absent: the span begins"},
    {"gap", "before", "the item after the gap, likewise"},
    {"gap", "submit_call", "of host, start and player: the call that submits that item: record, command, thread"},
    {"gap", "in_call", "of host: the call that this thread was in for most of the time; absent: between calls"},
    {"gap", "in_call_ns", "of host: for how long of it"},
    {"gap", "semaphore", "of semaphore: VkSemaphore"},
    {"gap", "signal_call", "of semaphore: the call of the host that signals it; absent: a queue does"},
    {"gap", "signal_queue", "of semaphore: VkQueue that signals it"},
    {"gap", "signal_item", "of semaphore: the last item to end before that signal; absent: no item has a time"},
    {"gap", "barrier", "of barrier: sequence number of its command"},
    {"gap", "barrier_command", "of barrier: its name"},
    {"gap_queue", "queue", "VkQueue"},
    {"gap_queue", "items", "items on it that have times"},
    {"gap_queue", "gaps", "intervals in which it does nothing"},
    {"gap_queue", "idle_ns", "the sum of these, in nanoseconds"},
    {"gap_queue", "busy_ns", "the rest of the time, up to the end of its last item"},
    {"summary", "gaps", "of rondo gaps: rows of gaps, with those that are not shown"},
    {"summary", "gap_ns", "the sum of their lengths, in nanoseconds"},
    {"summary", "host_ns", "likewise of those of this cause"},
    {"summary", "semaphore_ns", "likewise"},
    {"summary", "barrier_ns", "likewise"},
    {"summary", "start_ns", "likewise"},
    {"summary", "player_ns", "likewise"},
    {"summary", "below_timer_ns", "likewise"},
    {"summary", "unexplained_ns", "likewise"},
    {"summary", "unpaced_gaps", "gaps that only a replay has which is not paced"},
    {"summary", "unpaced_ns", "the sum of their lengths, in nanoseconds"},
    {"summary", "captured_ns", "from the first call that has a time to the end of the last one, in the capture"},
    {"summary", "paced_ns", "likewise in the paced replay"},
    {"summary", "slow", "true: that is more than 5 % longer"},
    {"summary", "clock",
     "what relates the clocks of device and host: calibrated (timestamps), bounded (by submits and "
     "waits), unknown"},
    {"summary", "uncertainty_ns", "how far apart the clocks may be, in nanoseconds"},
    {"summary", "untimed", "items of the span that have no times"},
};

}  // namespace

std::span<const RowField> gaps_row_fields() { return kGapsFields; }

}  // namespace rondo::analyzers
