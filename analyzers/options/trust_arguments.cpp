// SPDX-License-Identifier: Apache-2.0
#include "analyzers/options/trust_arguments.h"

#include <utility>

#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "format/outputs.h"

namespace rondo::analyzers {

void TrustArguments::add_to(Cli& cli, const char* name) {
  help_ = text("trust {} as a capture that you recorded here yourself: play it without a sandbox", name);
  cli.flag("--trust", help_.c_str(), trust_);
  cli.choice("--sandbox", player::sandbox_modes(),
             "auto: play foreign captures in a sandbox; require: all, and only where it is whole; off: none", sandbox_);
  cli.flag("--clamp-shaders", "keep the accesses of shaders within their arrays and buffers, where that can be done",
           clamps_shaders_);
}

Result<player::Trust> TrustArguments::protect(const std::string& capture, const FileAccess& access,
                                              std::vector<NamedOutput> outputs) const {
  const player::Trust trust = player::trust_of(capture, trust_);
  player::SandboxRequest request{"rondo", capture};
  request.reads = access.allowed;
  for (const FileAccess::Remap& remap : access.remaps) request.reads.push_back(remap.to);
  request.outputs = std::move(outputs);
  RONDO_TRY(player::enter_sandbox(player::parse_sandbox(sandbox_), trust, request));
  return trust;
}

void trust_written(const std::string& path) {
  if (has_output_helper()) return;  // a process in a sandbox may not write the list, as its user asked
  const auto added = player::add_trusted(path);
  static bool is_said = false;  // of the first capture of this process, which is enough
  if (added || std::exchange(is_said, true)) return;
  say(
      text("{}; player, trim and extract play {} as a foreign capture, in a sandbox: --trust says that it is "
           "yours",
           added.error().message, printable(path)));
}

}  // namespace rondo::analyzers
