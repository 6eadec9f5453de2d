// SPDX-License-Identifier: Apache-2.0
#include "analyzers/launch/replayable.h"

#include "format/reader.h"
#include "player/plan/plan.h"

namespace rondo::analyzers {

namespace {

// How build_plan() says that it lacks memory, and not that the capture is wrong.
bool lacks_memory(const std::string& message) {
  return message.find("MiB of memory it may use") != std::string::npos ||
         message.find("more than the memory budget") != std::string::npos;
}

}  // namespace

std::string why_not_replayable(const std::string& path, const ReplayableOptions& options) {
  ReaderOptions reading;
  if (options.just_recorded) reading.files.allowed.emplace_back("/");
  auto reader = Reader::open(path, reading);
  if (!reader || !(*reader)->complete() || !(*reader)->check_files()) return {};
  if ((*reader)->file_bytes() > options.memory) return {};  // its user would wait
  if ((*reader)->gaps() != 0 && !player::ends_at_a_gap(**reader)) return {};
  player::PlanOptions planning;
  planning.memory_budget = options.memory;
  planning.host_writes = 1;  // they are checked, and not kept
  planning.until = options.until;
  const auto plan = player::build_plan(**reader, planning);
  if (plan || plan.error().status == Status::external_file || lacks_memory(plan.error().message)) return {};
  const std::string& message = plan.error().message;
  return message.starts_with(path + ": ") ? message.substr(path.size() + 2) : message;
}

}  // namespace rondo::analyzers
