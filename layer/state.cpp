// SPDX-License-Identifier: Apache-2.0
#include "layer/state.h"

#include "layer/checkpoint.h"
#include "layer/fences.h"
#include "layer/resources.h"
#include "layer/settler.h"

namespace rondo::layer {

constinit KeyTable<InstanceState, 256> g_instances;
constinit KeyTable<DeviceState, 1024> g_devices;

DeviceState::DeviceState() = default;
DeviceState::~DeviceState() = default;

}  // namespace rondo::layer
