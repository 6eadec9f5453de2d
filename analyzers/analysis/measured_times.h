// SPDX-License-Identifier: Apache-2.0
// How long the items of a capture take on a device: what `rondo profile --format jsonl` printed. No device. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "analyzers/analysis/work.h"
#include "format/result.h"

namespace rondo::analyzers {

struct Profile;

// Nanoseconds.
struct MeasuredTime {
  double begin = 0;  // in the last iteration, from the first timestamp of the device on
  double median = 0, min = 0;
  bool below_timer = false;  // shorter than ten ticks of the device's clock: it says little
};

class MeasuredTimes {
 public:
  // No item has a time.
  MeasuredTimes() = default;
  // Reads rows line by line. `capture_digest`: the digest (XXH3-128) of the capture that they must be of.
  // Status::unreadable: the file cannot be read, or a line of it is no row. Status::usage: it is no profile, is one of
  // another capture, or has no rows of single items.
  static Result<MeasuredTimes> read(const std::string& path, const std::string& capture_digest);

  // Of a profile that was made here, with a row for each item.
  static MeasuredTimes of(const Profile& profile);

  // Null: the item was not timed. Of a render pass: from its begin to its end. The pointer is valid as long as this.
  const MeasuredTime* of(const WorkItem& item) const;

  std::size_t size() const { return times_.size(); }
  const std::string& devices() const { return devices_; }  // that it was played on, with commas between them
  const std::string& mode() const { return mode_; }        // "natural", "isolated", …
  const std::string& span() const { return span_; }        // what was played, in words

 private:
  friend class MeasuredTimesReader;
  // The record of a command, the number of the submit that executes it, and the index of its primary command buffer
  // there: a submit may execute a command buffer several times.
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
  static Key key_of(const WorkItem& item) { return {item.record, item.submit, item.primary}; }
  std::map<Key, MeasuredTime> times_;
  std::string devices_, mode_, span_;
};

}  // namespace rondo::analyzers
