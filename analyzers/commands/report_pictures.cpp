// SPDX-License-Identifier: Apache-2.0
#include "analyzers/commands/report_pictures.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "player/verify/encode_png.h"
#include "player/verify/pictures.h"

namespace rondo::analyzers {

namespace {

// RFC 4648, section 4.
std::string base64_of(std::span<const std::byte> bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < count ? std::to_integer<std::uint32_t>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i) out += i <= count ? kDigits[group >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

}  // namespace

FramePictures::FramePictures(const SpanRequest& span, std::uint64_t frames) {
  std::uint64_t count = frames;
  if (span.kind == SpanRequest::Kind::frames) {
    first_ = span.first;
    count = span.last - span.first;
  }
  step_ = std::max<std::uint64_t>(1, (count + kMost - 1) / kMost);
}

void FramePictures::take_from(player::Options& options) {
  options.wants_picture = [this](std::uint64_t frame) {
    return frame >= first_ && (frame - first_) % step_ == 0 && encoded_.size() < kMost;
  };
  options.take_picture = [this](std::uint64_t frame, const player::Picture& picture) { take(frame, picture); };
}

void FramePictures::take(std::uint64_t frame, const player::Picture& picture) {
  const player::Picture small =
      std::max(picture.width, picture.height) > kSide ? player::scaled(picture, kSide) : picture;
  if (const auto png = player::encode_png(VK_FORMAT_R8G8B8_UNORM, small.width, small.height, small.rgb))
    encoded_[frame] = base64_of(*png);
}

}  // namespace rondo::analyzers
