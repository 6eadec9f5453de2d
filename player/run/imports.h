// SPDX-License-Identifier: Apache-2.0
// Memory that the captured program imported from host pointers. Its contents are in the
// capture as host writes, so here it is ordinary memory, on devices that import none, too.
// And what might have been exported: nothing of a replay ever is.
#pragma once

#include "format/result.h"
#include "format/vulkan.h"

namespace rondo::player {

struct Op;
class Run;

// Takes an import of a host pointer out of a chain in the run's scratch. The pointer is the
// captured program's: nothing may follow it. And that the memory may be exported.
void drop_import(const void*& chain);

// Whether pages of the player's own can be imported as memory of this type.
Result<void> check_importable(Run& run, const Op& op, const void* pages, std::uint32_t type);

// Likewise that a semaphore or fence may be.
void drop_exports(const void*& chain);

// The chain of a buffer's or image's creation, in the run's scratch: it is not made for other
// handles than host pointers, nor for those on a device that imports none.
void drop_handles(const void*& chain, bool target_imports);

}  // namespace rondo::player
