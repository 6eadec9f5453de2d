// SPDX-License-Identifier: Apache-2.0
// Small pictures of presented images for `rondo report`, taken while the capture is played.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "format/spans.h"
#include "player/options.h"

namespace rondo::analyzers {

class FramePictures {
 public:
  static constexpr std::uint64_t kMost = 24;
  static constexpr std::uint32_t kSide = 200;  // of a picture, in pixels

  // `span`: what is played. `frames`: of the capture.
  FramePictures(const SpanRequest& span, std::uint64_t frames);

  // A replay with these options takes them. This outlives the replay.
  void take_from(player::Options& options);

  // PNG in base64, by frame.
  const std::map<std::uint64_t, std::string>& encoded() const { return encoded_; }
  std::uint64_t step() const { return step_; }  // frames from one picture to the next

 private:
  void take(std::uint64_t frame, const player::Picture& picture);

  std::uint64_t first_ = 0, step_ = 1;
  std::map<std::uint64_t, std::string> encoded_;
};

}  // namespace rondo::analyzers
