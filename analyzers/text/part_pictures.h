// SPDX-License-Identifier: Apache-2.0
// rondo extract --png and --sheet: pictures of parts of images, for people to look at.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "format/result.h"
#include "player/snapshot/snapshot.h"
#include "player/verify/pictures.h"

namespace rondo::analyzers {

// A picture that is not what the part's own PNG file shows already: of depth, stencil, slices, and of formats that PNG
// has not the bits for.
bool wants_picture(const player::SnapshotImage& image, const player::SnapshotPart& part);

struct PartPicture {
  player::Picture picture;
  std::string shows;                // in words: Shades::text, or who decoded it
  std::uint32_t slices_in_row = 1;  // of a 3D image
};
// `bytes`: what Snapshot::read() visits. What has no plain numbers (compressed blocks) the device decodes. An error of
// Status::device says why there is no picture; any other one is a failure. The snapshot has been played.
Result<PartPicture> picture_of_part(player::Snapshot& snapshot, const player::SnapshotImage& image,
                                    const player::SnapshotPart& part, std::span<const std::byte> bytes);

}  // namespace rondo::analyzers
