// SPDX-License-Identifier: Apache-2.0
// What tells builds of a program or library apart: the note NT_GNU_BUILD_ID of what is mapped.
#pragma once

#include <link.h>

#include <cstddef>
#include <span>

namespace rondo::layer {

// In the object's own memory; empty: it has none.
std::span<const std::byte> build_id_of(const dl_phdr_info& module);

}  // namespace rondo::layer
