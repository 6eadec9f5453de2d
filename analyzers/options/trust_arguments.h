// SPDX-License-Identifier: Apache-2.0
// --trust, --sandbox and --clamp-shaders of the tools that play captures.
#pragma once

#include <string>

#include "analyzers/options/cli.h"
#include "format/external_files.h"
#include "format/result.h"
#include "player/sandbox/sandbox.h"

namespace rondo::analyzers {

class TrustArguments {
 public:
  void add_to(Cli& cli, const char* name);  // `name`: the capture's in the help; must outlive its parse()
  // Before anything of the capture is read: whether it is trusted, and the sandbox where it is not.
  // `outputs`: all that this process writes.
  Result<player::Trust> protect(const std::string& capture, const FileAccess& access,
                                std::vector<NamedOutput> outputs) const;
  bool clamps_shaders() const { return clamps_shaders_; }

 private:
  bool trust_ = false, clamps_shaders_ = false;
  std::string sandbox_ = "auto", help_;
};

// Of a capture that this process has finished, of a trusted program or capture: it is trusted, too. Where the
// list of those cannot be written, a line says so and what to do.
void trust_written(const std::string& path);

}  // namespace rondo::analyzers
