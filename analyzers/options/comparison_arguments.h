// SPDX-License-Identifier: Apache-2.0
// The options that rondo compare-runs and rondo measure share, and how both end.
#pragma once

#include <string>

#include "analyzers/measure/comparison.h"
#include "analyzers/options/cli.h"

namespace rondo::analyzers {

class ComparisonArguments {
 public:
  explicit ComparisonArguments(std::string command) : command_(std::move(command)) {}  // "rondo measure"
  void add_to(Cli& cli);                                                               // must outlive its parse()
  void default_to_fastest() { statistic_ = "fastest"; }                                // of --statistic

  // Of what was given, after Cli::parse(). Status::usage.
  Result<ComparisonRules> rules() const;

  // Prints the comparison in the format asked for, and returns the exit status.
  Result<int> print(const Side& before, const Side& after, const ComparisonRules& rules) const;
  // Where there is nothing to compare: the error itself, after JUnit's XML where that is asked for.
  // `subject`: the files.
  Result<int> print_error(const std::string& subject, const Error& error) const;

 private:
  std::string command_, statistic_ = "median";
  std::string threshold_ = "5%", alpha_ = "0.05", metrics_ = "seconds,gpu_seconds,label_seconds", gate_ = "span",
              format_ = "text";
  bool allow_missing_ = false, require_clear_ = false;
};

}  // namespace rondo::analyzers
