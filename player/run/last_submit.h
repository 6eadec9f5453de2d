// SPDX-License-Identifier: Apache-2.0
// What was submitted last: where a failure may come from.
#pragma once

#include <cstdint>
#include <string>

namespace rondo::player {

struct LastSubmit {
  std::uint64_t submit = 0, frame = 0, record = 0;
  std::string scope;  // the innermost one around it, "prefill#3"; empty: none
};

}  // namespace rondo::player
