// SPDX-License-Identifier: Apache-2.0
// What a device has to have before a shader may declare a capability or an extension: the specification's
// "Vulkan Environment for SPIR-V", as the registry tells it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rondo::shaders {

struct Requirement {
  enum class Kind : std::uint8_t {
    version,    // of Vulkan
    extension,  // of the device, enabled
    feature,    // enabled, in whatever structure has it
    property    // of the device: what a capture does not have
  } kind{};
  std::uint32_t version = 0;
  const char* name = "";  // of the extension, feature or property
};

// Any of `enabled_by` will do. Empty: the registry does not tell.
struct Capability {
  std::uint32_t value = 0;  // SpvCapability
  const char* name = "";
  std::span<const Requirement> enabled_by;
};
struct SpirvExtension {
  const char* name = "";
  std::span<const Requirement> enabled_by;
};

// Null: it is not known.
const Capability* find_capability(std::uint32_t value);
const SpirvExtension* find_spirv_extension(std::string_view name);

std::string capability_name(std::uint32_t value);

// "shaderFloat64", "rayQuery or Vulkan 1.4": what would do.
std::string text_of(std::span<const Requirement> enabled_by);

// True for capabilities that a driver may rely on not to meet unless they were enabled: whole stages, ways to
// address memory, and operations that a device may lack. The others say how ordinary operations are used:
// programs declare them without enabling anything, and drivers bear it.
bool is_relied_on(std::uint32_t capability);

// The generated tables, each ascending.
namespace tables {
std::span<const Capability> capabilities();
std::span<const SpirvExtension> spirv_extensions();
}  // namespace tables

}  // namespace rondo::shaders
