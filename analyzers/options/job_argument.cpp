// SPDX-License-Identifier: Apache-2.0
#include "analyzers/options/job_argument.h"

#include <cstdlib>

#include "analyzers/text/text.h"

namespace rondo::analyzers {

void JobArgument::add_to(Cli& cli, const char* when) {
  help_ = text("{}a name for this run, as field `job` of each JSON row (default: the variable RONDO_JOB)", when);
  cli.value("--job", "NAME", help_.c_str(), given_);
}

Result<void> JobArgument::check() const {
  if (given_ && given_->empty()) return fail(Status::usage, "--job is empty: leave it out, or name the run");
  if (name().size() <= kMostBytes) return {};
  return fail(Status::usage, text("{} has {}: a name has at most {}", given_ ? "--job" : "RONDO_JOB",
                                  plural(name().size(), "byte"), count_text(kMostBytes)));
}

std::string JobArgument::name() const {
  if (given_) return *given_;
  const char* const variable = std::getenv("RONDO_JOB");
  return variable != nullptr ? variable : "";
}

}  // namespace rondo::analyzers
