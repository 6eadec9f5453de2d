// SPDX-License-Identifier: Apache-2.0
// What a run says where it ends early: the record, the last submit, and whether the time of --timeout was over.
#include <cstdio>

#include "player/devices/hints.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

// A wait that begins shortly before the deadline is not what takes the time.
constexpr std::uint64_t kLongWaitNs = 100'000'000;

}  // namespace

Error Run::failure(const Op& op, std::int64_t result, const char* command) const {
  std::string text = plan_.path + ": record " + std::to_string(op.sequence) + ": " +
                     (command != nullptr ? command : codec::info(op.command).name) + " returned " + result_name(result);
  if (op.returned) text += ", in the capture " + result_name(op.captured);
  return {Status::failed, text + behind_last_submit() + memory_hint(result)};
}

std::optional<LastSubmit> Run::last_submitted() const {
  if (counts_.submits == 0) return {};
  return LastSubmit{counts_.submits - 1, last_submit_frame_, last_submit_sequence_,
                    innermost_scope(plan_.scopes, last_submit_sequence_)};
}

std::string Run::behind_last_submit() const {
  const std::optional<LastSubmit> last = last_submitted();
  if (!last) return "; nothing had been submitted";
  return "; the last submit was " + std::to_string(last->submit) + " (frame " + std::to_string(last->frame) +
         (last->scope.empty() ? "" : ", scope \"" + last->scope + "\"") + ", record " + std::to_string(last->record) +
         ")";
}

Error Run::refuse(const Op& op, Status status, const std::string& sentence) const {
  return {status, plan_.path + ": record " + std::to_string(op.sequence) + ": " + codec::info(op.command).name + ": " +
                      sentence};
}

std::string Run::time_is_over(const std::string& what) const {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", deadline_.seconds());
  return "the " + std::string(seconds) + " s of --timeout were over" +
         (deadline_.waited_ns() > kLongWaitNs ? " before " + what + " ended" : "") + behind_last_submit();
}

Error Run::timed_out(const Op& op) {
  abandoned_ = true;
  return refuse(op, Status::timeout, time_is_over("what it waits for"));
}

}  // namespace rondo::player
