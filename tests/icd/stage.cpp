// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/stage.h"

#include "player/devices/preflight.h"
#include "tests/icd/fake.h"

namespace fake {

namespace player = rondo::player;

rondo::Result<std::unique_ptr<Stage>> set_stage(player::Plan& plan) {
  auto stage = std::make_unique<Stage>();
  auto loader = player::Loader::from(get_instance_proc_addr);
  if (!loader) return tl::unexpected<rondo::Error>(loader.error());
  stage->loader = std::move(*loader);
  auto live = player::LiveDevices::open(stage->loader);
  if (!live) return tl::unexpected<rondo::Error>(live.error());
  stage->live = std::move(*live);
  stage->targets.list = &stage->live->list();
  for (const player::CapturedDevice& device : plan.devices) {
    std::string reason;
    const auto chosen = stage->live->choose(plan.physical_devices[device.physical], reason);
    if (!chosen) return tl::unexpected<rondo::Error>(chosen.error());
    stage->targets.of.push_back(*chosen);
  }
  RONDO_TRY(player::preflight(plan, stage->loader, *stage->live, stage->targets, player::Trust::foreign));
  return stage;
}

}  // namespace fake
