// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/state.h"

#include "layer/checkpoints/checkpoint.h"
#include "layer/checkpoints/resources.h"
#include "layer/driver/fences.h"
#include "layer/driver/settler.h"

namespace rondo::layer {

constinit KeyTable<InstanceState, 256> g_instances;
constinit KeyTable<DeviceState, 1024> g_devices;

DeviceState::DeviceState() = default;
DeviceState::~DeviceState() = default;

}  // namespace rondo::layer
