// SPDX-License-Identifier: Apache-2.0
// Whether a driver may be given the shaders of a plan: each is valid SPIR-V, and asks no more than its
// pipeline layout and the captured device have. What a valid shader does with its memory nobody can check.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/result.h"
#include "model/shaders/validate.h"
#include "player/legal/workgroup_limits.h"
#include "player/plan/clamp_shaders.h"
#include "player/plan/plan.h"
#include "player/plan/replace.h"
#include "player/run/run.h"
#include "player/trust.h"

namespace rondo::player {

struct ShaderReport {
  std::uint64_t checked = 0;       // different modules
  std::vector<std::string> newer;  // that the validator does not know enough for: "VkShaderModule#3: capability 6022"
  std::vector<std::string> wrong;  // of a trusted capture, which is played all the same
  // What shaders declare without the feature or extension that it needs, and drivers bear (is_relied_on()): a
  // sentence each.
  std::vector<std::string> not_enabled;
  std::vector<WorkgroupNeeds> workgroups;  // by device
  std::optional<ClampReport> clamped;      // none: nobody asked for it

  // For people: a line for each of the first, and how many there are more.
  std::vector<std::string> lines() const;
};

struct ShaderRequest {
  Trust trust = Trust::foreign;
  bool clamp = false;              // --clamp-shaders
  std::uint32_t threads = 0;       // 0: one a processor
  std::vector<Replaced> replaced;  // what replace_shaders() did: errors name its files
};
// Status::unreadable for the first shader of a foreign capture that is wrong. Before any driver sees a shader, and
// after replace_shaders().
Result<ShaderReport> check_shaders(const Plan& plan, const ShaderRequest& request);
// check_shaders(), and clamp_shaders() where that is asked for.
Result<ShaderReport> prepare_shaders(Plan& plan, const ShaderRequest& request);

// What shaders of the device (an index into Plan::devices) are held against.
shaders::DeviceRules device_rules(const Plan& plan, std::uint32_t device);

// Whether the devices that are to play the plan have what its compute, task and mesh shaders ask for: the
// rest of preflight(). A trusted capture is played on the captured device even where its program was beyond
// the limits there.
Result<void> check_workgroups(const Plan& plan, const ShaderReport& report, Trust trust, const Targets& targets);

}  // namespace rondo::player
