// SPDX-License-Identifier: Apache-2.0
// Threads of the layer's own: no signal of the program's is delivered to them.
#pragma once

namespace rondo::layer {

// The C library gives each new thread 64 MiB of address space for its heap. Where the process may have little of it
// (RLIMIT_AS), threads from now on share the heaps that there are: before the first thread of the layer.
void spare_address_space() noexcept;
bool address_space_is_limited() noexcept;  // RLIMIT_AS, now

// Runs `work` on a thread that nobody joins. Returns errno or 0.
int start_own_thread(void (*work)() noexcept) noexcept;

}  // namespace rondo::layer
