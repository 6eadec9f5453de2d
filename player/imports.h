// SPDX-License-Identifier: Apache-2.0
// Memory that the captured program imported from host pointers. Its contents are in the
// capture as host writes, so here it is ordinary memory, on devices that import none, too.
#pragma once

#include "format/result.h"
#include "format/vulkan.h"

namespace rondo::player {

struct Op;
class Run;

// Takes an import of a host pointer out of a chain in the run's scratch. The pointer is the
// captured program's: nothing may follow it.
void drop_import(const void*& chain);

// Whether pages of the player's own can be imported as memory of this type.
Result<void> check_importable(Run& run, const Op& op, const void* pages, std::uint32_t type);

// The chain of a buffer's or image's creation, in the run's scratch: on a device that imports
// no host pointers it is not made for that.
void drop_host_handles(const void*& chain, bool target_imports);

}  // namespace rondo::player
