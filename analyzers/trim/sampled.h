// SPDX-License-Identifier: Apache-2.0
// Reads images of several samples, sample by sample.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "model/gpu/samples.h"
#include "player/run/run.h"
#include "player/snapshot/snapshot_list.h"

namespace rondo::trim {

class Sampled {
 public:
  explicit Sampled(player::Run& run) : run_(run) {}

  // Of one part: all samples, one after the other. Valid until the next call.
  Result<std::span<const std::byte>> read(const player::SnapshotImage& image, const player::SnapshotPart& part,
                                          VkImageLayout layout, const player::LiveQueue& queue);
  // Whether the part is, bit by bit, what is read when it has been written as a replay does: not all depth
  // is.
  Result<bool> survives(const player::SnapshotImage& image, const player::SnapshotPart& part, VkImageLayout layout,
                        const player::LiveQueue& queue);

 private:
  gpu::Samples& samples(player::DeviceState& device, std::uint32_t family);

  player::Run& run_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<gpu::Samples>> samples_;  // by device and family
  std::vector<std::byte> texels_;
};

}  // namespace rondo::trim
