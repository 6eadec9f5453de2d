// SPDX-License-Identifier: Apache-2.0
// --job: a name for a run, in each row of JSON that a command prints. Rows of many runs lie in one table, and a CI
// finds its own by this name.
#pragma once

#include <optional>
#include <string>

#include "analyzers/options/cli.h"
#include "format/result.h"

namespace rondo::analyzers {

class JobArgument {
 public:
  static constexpr std::size_t kMostBytes = 256;  // of a name: each row repeats it

  // Must outlive the parse of `cli`. `when` stands before the help: "with --draws: ".
  void add_to(Cli& cli, const char* when = "");

  // After the parse.
  bool is_given() const { return given_.has_value(); }
  // Status::usage: the name is empty or too long.
  Result<void> check() const;
  // --job, else the environment variable RONDO_JOB. Empty: the run has no name.
  std::string name() const;

 private:
  std::string help_;
  std::optional<std::string> given_;
};

}  // namespace rondo::analyzers
