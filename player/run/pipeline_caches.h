// SPDX-License-Identifier: Apache-2.0
// --pipeline-cache: what drivers made of pipelines in earlier replays, a file for
// any number of devices. Pipelines of all of a device are made with it, in place
// of the program's caches. What a driver does not know as its own it ignores
// (specification, "Pipeline Cache Header").
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "format/result.h"
#include "format/vulkan.h"

namespace rondo::player {

struct DeviceState;

class PipelineCaches {
 public:
  // A file that is not there is an empty one. Status::usage where it is something else.
  static Result<PipelineCaches> open(const std::string& path);

  // The device's, made when it is first asked for. On the thread that plays.
  Result<VkPipelineCache> of(DeviceState& device, const VkPhysicalDeviceProperties& properties);
  // In front of the device's end: its cache is taken over, and destroyed.
  void keep(DeviceState& device);
  // What was kept, in one step; of devices that were not used as it was.
  Result<void> save() const;

 private:
  std::string path_;
  std::vector<std::vector<std::byte>> data_;  // as drivers gave it
};

}  // namespace rondo::player
