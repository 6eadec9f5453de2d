// SPDX-License-Identifier: Apache-2.0
// Threads of the layer's own: no signal of the program's is delivered to them.
#pragma once

namespace rondo::layer {

// Runs `work` on a thread that nobody joins. Returns errno or 0.
int start_own_thread(void (*work)() noexcept) noexcept;

}  // namespace rondo::layer
