// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/loss.h"

#include <string>

#include "format/codec/schema.h"
#include "layer/driver/host_memory.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/recorder.h"
#include "layer/recorder/thread_state.h"

namespace rondo::layer {

void note_loss(DeviceState& device, CommandId command) noexcept {
  if (!recording() || in_forked_child() || device.lost.exchange(true)) return;
  guarded([&] {
    {
      // Nothing of it runs any more: what memory holds now changes by the host alone.
      const auto lock = host_memory().enter();
      HostMemory::finished(device);
    }
    note(std::string("a device was lost: ") + codec::info(command).name +
         " returned VK_ERROR_DEVICE_LOST; the recording goes on, and a replay ends the device's work there");
  });
}

}  // namespace rondo::layer
