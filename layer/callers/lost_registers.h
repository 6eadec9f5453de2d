// SPDX-License-Identifier: Apache-2.0
// Tables of frames (.eh_frame) that no unwinder can follow from within a call.
#pragma once

namespace rondo::layer {

// Whether this entry of .eh_frame (an FDE, as _Unwind_Find_FDE() gives it) has the caller's frame (the CFA)
// where a register says that calls do not keep: whoever was called has overwritten it. GCC's unwinder has no
// value for it then, and dies. Entries that are not understood are taken for ordinary ones.
bool needs_lost_register(const void* entry) noexcept;

}  // namespace rondo::layer
