// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/differences.h"

#include "player/play.h"

namespace rondo::trim {

Result<std::uint64_t> count_differences(const std::string& cut, const Options& options) {
  player::Options play;
  // The cut is made of the capture: it is played where that was, in its sandbox or in none.
  play.sandbox = player::SandboxMode::off;
  play.trust = options.trust == player::Trust::trusted;
  play.file = cut;
  play.devices = options.devices;
  play.memory_budget = options.memory_budget;
  play.clamp_shaders = options.clamp_shaders;
  play.verify = play.quiet = true;
  const player::Outcome played = player::play(play);
  if (played.status != Status::ok && played.status != Status::different)
    return tl::unexpected<Error>(played.as_error());
  const player::Comparison all = played.verification.all();
  return all.compared - all.equal;
}

}  // namespace rondo::trim
