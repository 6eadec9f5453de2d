// SPDX-License-Identifier: Apache-2.0
// Cuts draws out of a submit: its commands are split in front of the first of them, and behind the last. What
// comes before is played as any capture is, what is between is the cut's span. docs/rondo-trim.md.
#pragma once

#include <string>

#include "analyzers/trim/trim.h"

namespace rondo::trim {

// Draws and dispatches [first, last) of a submit, in the order in which its command buffers execute them.
struct DrawRange {
  std::uint64_t submit = 0, first = 0, last = 0;

  std::string text() const;  // "draws 7:0:12"
};

// "SUBMIT:A:B" with A < B.
Result<DrawRange> parse_draws(const std::string& text);

// An error about the file `step`, said of `file`, from which the step was made: users know only that one.
Error in_words_of(Error error, const std::string& step, const std::string& file);

// As trim() is, of these draws instead of Options::span. Status::usage where they are not there.
Result<Outcome> trim_draws(const Options& options, const DrawRange& draws);

}  // namespace rondo::trim
