// SPDX-License-Identifier: Apache-2.0
// A section of the page of `rondo report` that is made of the rows of another subcommand. One thread.
#pragma once

#include <string>
#include <string_view>

namespace rondo::analyzers {

struct ReportSection {
  std::string lines;     // rows for the page, a JSON object each
  std::string sentence;  // the most important of it; empty: there is nothing to say
  std::string command;   // that shows more
  std::string notes;     // what the capture lacks, a line each
  std::string error;     // why there is nothing; empty: there is something
};

// Rows of another subcommand as rows of a page: the row "wave" becomes "waves/wave" with the prefix "waves".
std::string with_prefix(std::string_view lines, std::string_view prefix);

}  // namespace rondo::analyzers
