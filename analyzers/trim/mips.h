// SPDX-License-Identifier: Apache-2.0
// Which mips need not be kept because the device makes them from the one before, bit for bit.
#pragma once

#include <vector>

#include "player/run/run.h"
#include "player/snapshot/snapshot_list.h"

namespace rondo::trim {

// `levels`: texels of mips that follow each other, from the image's mip `base` on, read on the live queue. How many of
// them, with the first, a chain of blits from the first gives: 1: none but that. Tried on an image of its own.
Result<std::uint32_t> mips_made_by_blits(player::Run& run, const player::LiveQueue& queue,
                                         const player::SnapshotImage& image, std::uint32_t base,
                                         const std::vector<std::vector<std::byte>>& levels);

}  // namespace rondo::trim
