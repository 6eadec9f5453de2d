// SPDX-License-Identifier: Apache-2.0
// What a program can enable to do something that the specification forbids otherwise. A check that one of
// these relaxes asks Validity::allows() first; docs/checks.md says which check asks for which.
#pragma once

#include <cstdint>
#include <string_view>

namespace rondo::player {
struct CapturedDevice;
}

namespace rondo::player::validity {

enum class Relaxation : std::uint8_t {
  cubic_filter,
  drm_format_modifier,
  extended_dynamic_state3,
  maintenance5,
  maintenance6,
  maintenance8,
  maintenance10,
  mesh_shader,
  mixed_samples,
  multisampled_to_single_sampled,
  nested_command_buffers,
  nested_or_maintenance7,
  null_descriptors,
  pipeline_libraries,
};

// True if the captured program enabled it for this device: an extension, a feature, or a version of Vulkan
// that has taken the extension in. `version`: what program and captured device both have.
bool enables(const CapturedDevice& device, std::uint32_t version, Relaxation what);

}  // namespace rondo::player::validity
