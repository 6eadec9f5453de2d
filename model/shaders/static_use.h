// SPDX-License-Identifier: Apache-2.0
// What the shaders of a module do with memory, as far as their code alone says (SPIR-V's "static use"): which
// descriptors they read and write, and whether they reach memory by addresses. Never too little: what is not
// understood reads and writes all that it names. Nothing of the bytes is trusted. No globals; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rondo::shaders {

struct BindingUse {
  std::uint32_t set = 0, binding = 0;
  bool reads = false, writes = false;  // neither: it is named only, as by a question for its size
  bool operator==(const BindingUse&) const = default;
};

// Of an entry point, and of the functions that it calls.
struct StaticUse {
  std::string entry;
  std::uint32_t model = 0;                                 // SpvExecutionModel
  std::vector<BindingUse> bindings;                        // by set and binding
  bool reads_addresses = false, writes_addresses = false;  // pointers to buffers (PhysicalStorageBuffer)
  bool traces = false;       // rays: what an acceleration structure refers to is read, too
  bool calls_table = false;  // reads the shader binding table, by a ray or a callable
};

// By entry point, as the module has them. Empty: it is no SPIR-V, has none, or far more than any program's.
std::vector<StaticUse> static_uses(std::span<const std::byte> code);
// By any of its functions, whether an entry point calls it or not: of a module that is not to be trusted.
std::vector<BindingUse> bindings_named(std::span<const std::byte> code);

}  // namespace rondo::shaders
