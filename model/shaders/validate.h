// SPDX-License-Identifier: Apache-2.0
// Whether a module is valid SPIR-V for a Vulkan device, as SPIRV-Tools' validator judges it. Nothing of the
// bytes is trusted. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace rondo::shaders {

// What the device that a program made lets its shaders do.
struct DeviceRules {
  std::uint32_t api_version = 0;  // of Vulkan
  bool relaxed_block_layout = false;
  bool uniform_buffer_standard_layout = false;
  bool scalar_block_layout = false;
  bool workgroup_scalar_layout = false;
  bool local_size_id = false;
  bool operator==(const DeviceRules&) const = default;
};

struct Validation {
  enum class Verdict : std::uint8_t {
    valid,
    invalid,
    newer  // it declares a version, a capability or an extension that this validator does not know: not
           // judged
  } verdict = Verdict::valid;
  std::string words;  // of the validator, where the module is invalid; what is not known, where it is newer
};

// A module of a newer SPIR-V version than the device's Vulkan version has is held against the rules of its
// own version: drivers take it, and only the version itself would be wrong.
Validation validate(std::span<const std::byte> code, const DeviceRules& rules);

std::string validator_version();  // "SPIRV-Tools v2023.1"

}  // namespace rondo::shaders
