// SPDX-License-Identifier: Apache-2.0
// The first bytes of a capture that is begun now.
#pragma once

#include "format/container.h"

namespace rondo {

// With an id of its own, and the time of now.
FileHeader new_file_header(std::size_t segment_bytes);

}  // namespace rondo
