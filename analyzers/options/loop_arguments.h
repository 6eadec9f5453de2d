// SPDX-License-Identifier: Apache-2.0
// The capture and the options of commands that play a span again and again for its times: rondo profile, rondo report.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyzers/options/budgets.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/file_arguments.h"
#include "analyzers/options/span_arguments.h"
#include "analyzers/options/trust_arguments.h"
#include "format/outputs.h"
#include "format/result.h"
#include "player/options.h"

namespace rondo::analyzers {

class LoopArguments {
 public:
  // `loop`: iterations, where the user asks for no number.
  explicit LoopArguments(std::size_t loop) : loop_by_default_(loop) {}

  void add_to(Cli& cli);  // must outlive its parse()
  const std::string& file() const { return file_; }
  // After the parse, and before anything of the capture is read: what to play. Status::usage where an option means
  // nothing. From here on a foreign capture is in the sandbox, and the time of --timeout runs. `outputs`: all that this
  // process writes.
  Result<player::Options> replay(const char* command, std::vector<NamedOutput> outputs);
  // The options that change what is measured, as words of a command line, with a blank at the end: devices, shaders.
  std::string replay_words() const;

 private:
  const std::size_t loop_by_default_;
  std::string file_, loop_help_;
  SpanArguments spans_;
  std::optional<std::string> loop_;
  std::vector<std::string> devices_, replacements_;
  FileArguments files_;
  Budgets budgets_;
  TrustArguments trusting_;
};

}  // namespace rondo::analyzers
