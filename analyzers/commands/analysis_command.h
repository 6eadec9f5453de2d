// SPDX-License-Identifier: Apache-2.0
// What rondo graph, who, why, sync, waves, memory and export have in common: the capture that they look at, its
// budgets, the first row, and the exit status of a capture that could be read only in part.
#pragma once

#include <string>
#include <vector>

#include "analyzers/analysis/graph_walk.h"
#include "analyzers/options/budgets.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/job_argument.h"
#include "analyzers/text/output.h"

namespace rondo::analyzers {

class AnalysisCommand {
 public:
  // `name`: of the subcommand, "sync".
  explicit AnalysisCommand(const char* name) : name_(name) {}

  // FILE, --format and --job, which stand first in --help. The first format is the default.
  void add_to(Cli& cli, std::vector<std::string> formats, const char* help);
  // --memory-budget and --timeout.
  void add_budgets_to(Cli& cli) { budgets_.add_to(cli); }

  // After the parse. Status::unreadable: FILE is empty; Status::usage: the job has no name that rows can carry.
  Result<void> check() const;
  const std::string& file() const { return file_; }
  const std::string& format() const { return format_; }
  bool is_json() const { return format_ == "jsonl"; }

  // After all options were checked. From here on memory and time are limited.
  Result<void> start() { return budgets_.start(file_); }
  // Likewise, and opens the capture.
  Result<GraphWalk> open();

  // The first row of JSON lines, after which all that is written to `out` must be rows; nothing in another format.
  Result<void> write_first_row(Output& out, GraphWalk& walk) const;
  // Prints the last rows. Status::unreadable: the capture is damaged, as find_damage() said.
  Result<void> finish(Output& out, const std::string& last, const GraphTotals& totals) const;

 private:
  const char* const name_;
  std::string file_, format_;
  JobArgument job_;
  Budgets budgets_;
};

}  // namespace rondo::analyzers
