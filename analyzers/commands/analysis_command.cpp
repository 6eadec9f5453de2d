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
  job_.add_to(cli);
}

Result<void> AnalysisCommand::check() const {
  if (file_.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
  return job_.check();
}

Result<GraphWalk> AnalysisCommand::open() {
  RONDO_TRY(start());
  return GraphWalk::open(file_);
}

Result<void> AnalysisCommand::write_first_row(Output& out, GraphWalk& walk) const {
  if (!is_json()) return {};
  return write_head(out, walk, {name_, job_.name(), {}, {}});
}

Result<void> AnalysisCommand::finish(Output& out, const std::string& last, const GraphTotals& totals) const {
  out.write(last);
  RONDO_TRY(out.finish());
  if (!totals.damage.empty()) return fail(Status::unreadable, totals.damage);
  return {};
}

}  // namespace rondo::analyzers
