// SPDX-License-Identifier: Apache-2.0
// libvulkan.so.1, opened at run time: the player starts without it to say why
// it cannot go on.
#pragma once

#include <string>
#include <vector>

#include "format/result.h"
#include "format/vulkan.h"

namespace rondo::player {

// Stays loaded for the life of the process (drivers leave threads behind).
struct Loader {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  std::uint32_t version = VK_API_VERSION_1_0;
  std::vector<std::string> extensions;  // instance extensions without layers

  static Result<Loader> open();
  // A driver in this process, without any loader.
  static Result<Loader> from(PFN_vkGetInstanceProcAddr entry);
  bool has_extension(const std::string& name) const;
  // Ok if VK_LAYER_KHRONOS_validation is installed.
  Result<void> check_validation_layer() const;
};

std::string result_name(std::int64_t result);  // "VK_ERROR_DEVICE_LOST", or the number

// The validation layer finds hazards between submits only if it is asked for that by the environment (before 1.3.280).
// Before the instance is made.
void ask_for_synchronization_validation();

}  // namespace rondo::player
