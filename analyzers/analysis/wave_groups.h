// SPDX-License-Identifier: Apache-2.0
// The groups of work that a program's own synchronization separates in a command buffer: between two barriers, waits
// for events, or begins and ends of a render pass that order something. For `rondo profile --mode waves`. No device.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "analyzers/analysis/work.h"
#include "format/result.h"

namespace rondo::analyzers {

class WaveGroups {
 public:
  // Walks the capture.
  static Result<WaveGroups> of(const std::string& path);

  // The number of its group. Items of a group have the same number, and are executed in one command buffer. Nothing: it
  // is no item of its own.
  std::optional<std::uint32_t> of(const WorkItem& item) const;

 private:
  WaveGroups() = default;
  class Finder;
  // The record of a command or of the begin of a pass, the number of the submit, and the index of its primary command
  // buffer there.
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
  std::map<Key, std::uint32_t> group_of_;
};

}  // namespace rondo::analyzers
