// SPDX-License-Identifier: Apache-2.0
#include "analyzers/commands/analysis_command.h"

#include <utility>

#include "analyzers/analysis/rows.h"
#include "format/check.h"

namespace rondo::analyzers {

void AnalysisCommand::add_to(Cli& cli, std::vector<std::string> formats, const char* help) {
  RONDO_CHECK(!formats.empty());
  format_ = formats.front();
  cli.positional("FILE", "the capture", file_);
  cli.choice("--format", std::move(formats), help, format_);
}

Result<void> AnalysisCommand::check() const {
  if (file_.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
  return {};
}

Result<GraphWalk> AnalysisCommand::open() {
  RONDO_TRY(start());
  return GraphWalk::open(file_);
}

Result<void> AnalysisCommand::append_first_row(std::string& out, GraphWalk& walk) const {
  if (!is_json()) return {};
  return append_head(out, name_, walk);
}

Result<void> AnalysisCommand::finish(Output& out, const std::string& last, const GraphTotals& totals) const {
  out.write(last);
  RONDO_TRY(out.finish());
  if (!totals.damage.empty()) return fail(Status::unreadable, totals.damage);
  return {};
}

}  // namespace rondo::analyzers
