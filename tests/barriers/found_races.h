// SPDX-License-Identifier: Apache-2.0
// The races of a capture, pair by pair. `rondo sync` counts those of one cause as one finding.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "analyzers/analysis/graph/sync_questions.h"
#include "format/result.h"

namespace rondo::barriers {

// Two commands that nothing orders. Records are numbered as in the capture that was not edited.
struct RacePair {
  enum Kind : std::uint8_t { raw, war, waw, lifetime, owner };
  std::uint64_t from = 0, from_at = 0;  // the record of the command, and the one that executes it
  std::uint64_t to = 0, to_at = 0;
  Kind kind = raw;
  auto operator<=>(const RacePair&) const = default;
};
std::string text_of(const RacePair& pair);

// Records that are left out of an edited capture shift the numbers of the later ones.
class OldNumbers {
 public:
  OldNumbers() = default;
  explicit OldNumbers(const std::set<std::uint64_t>& left_out) : left_out_(left_out.begin(), left_out.end()) {}
  std::uint64_t of(std::uint64_t number) const;

 private:
  std::vector<std::uint64_t> left_out_;  // ascending
};

// What the question asks of two commands.
RacePair pair_of(const graph::SyncQuestions& questions, const graph::SyncQuestion& question);

struct FoundRaces {
  std::set<RacePair> pairs;
  std::set<RacePair> named;    // those that stand first in a finding of `rondo sync`
  std::uint64_t findings = 0;  // races that `rondo sync` names, each execution counted
  bool too_many = false;       // the capture has more than is looked at
};
Result<FoundRaces> races_of(const std::string& path, const OldNumbers& numbers);

}  // namespace rondo::barriers
