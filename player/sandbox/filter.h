// SPDX-License-Identifier: Apache-2.0
// The system calls that a sandboxed process may make, as a seccomp filter: those that drivers and the player
// need, with the arguments that they need. All others fail, also from code that an attacker has put into the
// process.
#pragma once

namespace rondo::player {

struct FilterOptions {
  // The kernel does not keep truncating apart from reading (Landlock before version 3).
  bool refuse_truncating_reads = false;
  bool names = false;          // of files: Landlock says where they may be made, changed and removed
  bool shared_memory = false;  // of System V, without a name: what X servers share pictures by
};

// For the calling thread and those that it starts, for good. False: errno says why.
bool install_filter(const FilterOptions& options);
// Whether the kernel has such filters, and this processor's system calls are known here.
bool has_filters();

}  // namespace rondo::player
