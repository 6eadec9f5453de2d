// SPDX-License-Identifier: Apache-2.0
#include "player/verify/difference_pictures.h"

#include <array>

#include "player/verify/encode_png.h"
#include "player/verify/pictures.h"

namespace rondo::player {

void DifferencePictures::add(std::uint64_t record, const std::string& name, const Texels& texels,
                             std::optional<std::span<const std::byte>> captured, std::span<const std::byte> replayed) {
  const std::string file = "difference-" + std::to_string(record) + "-" + name + ".png";
  if (!result_ || lines_.size() > kMost || !seen_.insert(file).second) return;
  if (lines_.size() == kMost) {
    lines_.push_back("no more pictures of differences: there are " + std::to_string(kMost));
    return;
  }
  // All texels of one sample come before those of the next: as slices.
  Texels slices = texels;
  slices.extent.depth *= static_cast<std::uint32_t>(texels.samples);
  const ShownTexels shown = shown_texels(slices);
  std::string none;
  if (!captured) none = "the capture has its digest alone (RONDO_CHECKPOINTS=submit keeps contents)";
  if (captured && !shown.known())
    none = "its format has no plain numbers: rondo extract --png has the device decode it";
  if (!none.empty()) {
    lines_.push_back("no picture " + file + ": " + none);
    return;
  }
  const DifferencePicture made = difference_picture(shown, *captured, replayed);
  result_ = write_picture(directory_ + "/" + file, made.picture);
  if (!result_) return;
  ++written_;
  lines_.push_back(file + ": " + made.text);
}

}  // namespace rondo::player
