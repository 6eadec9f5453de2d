// SPDX-License-Identifier: Apache-2.0
// rondo sync --prove: its options, and the player that plays for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzers/options/cli.h"
#include "analyzers/options/file_arguments.h"
#include "analyzers/prove/prove.h"
#include "analyzers/text/json.h"

namespace rondo::analyzers {

class ProveArguments {
 public:
  void add_to(Cli& cli);  // must outlive its parse()
  bool is_asked() const { return asked_; }
  // After the parse. Status::usage: an option means nothing, or is given without --prove.
  Result<void> check() const;
  // Tries these findings; sets their proofs. What was tried is told by append_proofs().
  Result<prove::Proofs> prove(const std::string& file, const SyncAnalysis& analysis,
                              std::span<SyncFinding* const> findings) const;

 private:
  bool asked_ = false, trust_ = false;
  std::optional<std::string> loops_, tries_;
  std::vector<std::string> devices_;
  std::string sandbox_ = "auto";
  FileArguments files_;
};

// A sentence or more after the findings; or members of the row of the summary.
void append_proofs(std::string& out, const prove::Proofs& proofs);
void write_proofs(JsonWriter& json, const prove::Proofs& proofs);

}  // namespace rondo::analyzers
