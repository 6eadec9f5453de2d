// SPDX-License-Identifier: Apache-2.0
// Which executed commands are one render pass. A pass that is suspended goes on where a later command buffer of the
// submit resumes it. Specification: "Dynamic Rendering" (VK_RENDERING_SUSPENDING_BIT).
#pragma once

#include <cstdint>

#include "model/access/executed.h"

namespace rondo::analyzers {

class OpenPass {
 public:
  enum class Where : std::uint8_t { outside, begins, resumes, inside, ends };
  // Where the next command of the submit stands. One that ends a pass that did not begin is outside.
  Where take(access::Mark mark, bool suspends, bool resumes) {
    switch (mark) {
      case access::Mark::begins_pass: {
        const bool goes_on = is_suspended_ && resumes;
        is_open_ = true;
        is_suspended_ = false;
        suspends_ = suspends;
        return goes_on ? Where::resumes : Where::begins;
      }
      case access::Mark::ends_pass:
        if (!is_open_) return Where::outside;
        is_open_ = false;
        is_suspended_ = suspends_;
        return Where::ends;
      default:
        return is_open_ ? Where::inside : Where::outside;
    }
  }
  // The submit ends, and all passes with it.
  void end() { *this = {}; }
  bool is_suspended() const { return is_suspended_; }

 private:
  bool is_open_ = false, suspends_ = false, is_suspended_ = false;
};

}  // namespace rondo::analyzers
