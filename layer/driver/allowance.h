// SPDX-License-Identifier: Apache-2.0
// How long the program may be held in vain, all in all: so much at once, and a
// share of the time that passes. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "layer/recorder/record.h"

namespace rondo::layer {

class Allowance {
 public:
  // `share`: one part in so many of the time that passes.
  Allowance(std::uint64_t at_once_ns, std::uint64_t share)
      : at_once_(at_once_ns), share_(share), left_(at_once_ns), at_(now_ns()) {}

  // ns, as of now.
  std::uint64_t left() {
    const std::uint64_t now = now_ns();
    left_ = std::min(at_once_, left_ + (now - at_) / share_);
    at_ = now;
    return left_;
  }
  void spend(std::uint64_t ns) { left_ -= std::min(ns, left_); }

 private:
  std::uint64_t at_once_;
  std::uint64_t share_;
  std::uint64_t left_;
  std::uint64_t at_;
};

}  // namespace rondo::layer
