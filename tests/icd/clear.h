// SPDX-License-Identifier: Apache-2.0
// Writing one value over boxes of an image's texels.
#pragma once

#include "tests/icd/access.h"
#include "tests/icd/texel.h"

namespace fake {

// Every texel, all its samples: `aspect` says what of the value counts.
// `format`: the view's or image's.
void clear_box(const Box& box, const Image& image, VkFormat format, VkImageAspectFlagBits aspect,
               const VkClearValue& value);

// Contents that the specification calls undefined: always the same, and not
// what was there.
void scramble(const Box& box);

}  // namespace fake
