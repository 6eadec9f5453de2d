// SPDX-License-Identifier: Apache-2.0
// Verdicts as JUnit XML, which CI services show as tests. player, rondo diff, rondo compare-runs and rondo
// capture write the same form (docs/ci.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "format/result.h"

namespace rondo::player {

struct Verdict {
  // failed: what was compared is different; error: nothing could be said; skipped: too little was there to say it.
  enum class Kind : unsigned char { passed, failed, error, skipped };
  std::string name;
  Kind kind = Kind::passed;
  std::string message;  // one sentence; empty: it passed
  double seconds = 0;
};

// What a status says of a tool: 0 passed, 5 failed, else an error.
Verdict::Kind kind_of(Status status);

// One test suite, one test a verdict; `subject` (a capture, a pair of files) is the tests' class name.
// Control characters of names and messages are shown as printable() shows them.
std::string as_junit(std::string_view suite, std::string_view subject, const std::vector<Verdict>& verdicts);
// Where nothing could be compared: the one test `name` is an error with this sentence.
std::string as_junit(std::string_view suite, std::string_view subject, std::string_view name, const Error& error);

struct Outcome;
// Of a replay: one verdict for itself, and one for each kind of checkpoint that was compared.
std::vector<Verdict> verdicts_of(const Outcome& outcome);

}  // namespace rondo::player
