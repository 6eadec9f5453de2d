// SPDX-License-Identifier: Apache-2.0
// player --difference: pictures of image contents that are not what the capture has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "format/result.h"
#include "player/verify/difference.h"

namespace rondo::player {

// One thread.
class DifferencePictures {
 public:
  static constexpr std::size_t kMost = 1000;  // pictures; those after are counted alone

  // `directory` is there.
  explicit DifferencePictures(std::string directory) : directory_(std::move(directory)) {}

  // Contents that differ, of one part of an image. `record`: of the checkpoint. `name`: as in names of files,
  // "VkImage-12-mip0-layer0". `captured`: nothing where the capture has a digest alone. A part that a checkpoint has
  // shown before (in another iteration of a loop) is passed over.
  void add(std::uint64_t record, const std::string& name, const Texels& texels,
           std::optional<std::span<const std::byte>> captured, std::span<const std::byte> replayed);

  std::uint64_t written() const { return written_; }
  // One of each part that differs: the file and what it shows, or why there is none.
  const std::vector<std::string>& lines() const { return lines_; }
  // The first picture that could not be written, and errno's text. Nothing is written after that.
  const Result<void>& result() const { return result_; }

 private:
  const std::string directory_;
  std::set<std::string> seen_;
  std::uint64_t written_ = 0;
  std::vector<std::string> lines_;
  Result<void> result_;
};

}  // namespace rondo::player
