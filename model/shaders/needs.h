// SPDX-License-Identifier: Apache-2.0
// What the code of an entry point asks of its pipeline layout and of the device. Nothing of a module is
// trusted. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/vulkan.h"
#include "model/shaders/constants.h"
#include "model/shaders/module.h"

namespace rondo::shaders {

// A resource that its functions name.
struct DescriptorNeed {
  std::uint32_t set = 0, binding = 0;
  std::vector<VkDescriptorType> types;  // any of which will do; empty: not known
  std::uint64_t count = 1;              // descriptors that it declares; 0: no fixed number
};

struct Needs {
  std::vector<DescriptorNeed> descriptors;     // by set and binding
  std::uint64_t push_begin = 0, push_end = 0;  // bytes of push constants that its functions name; equal: none
  std::optional<std::array<std::uint64_t, 3>> local_size;
  std::uint64_t input_locations = 0,
                output_locations = 0;                        // up to the last that it declares, but for built-ins
  std::uint64_t shared_bytes = 0;                            // of variables that its functions name, without padding
  std::uint64_t payload_bytes = 0;                           // likewise, of what task shaders hand to mesh shaders
  std::uint64_t output_vertices = 0, output_primitives = 0;  // of a mesh shader, at most
  std::uint64_t private_bytes = 0;                           // that each invocation has of its own, at least
  bool has_empty_array = false;  // with these specialization constants, in what its functions name
};

// `entry`: of `module`.
Needs needs_of(const Module& module, const Entry& entry, const SpecializedValues& specialized);

}  // namespace rondo::shaders
