// SPDX-License-Identifier: Apache-2.0
// The session objects of a capture: who recorded what, where.
#pragma once

#include <string>

#include "format/vulkan.h"
#include "layer/recorder/output_path.h"
#include "layer/recorder/settings.h"

namespace rondo::layer {

// The whole file, also where it says size 0 (/proc); empty if it cannot be read.
std::string read_text_file(const char* path);

ProcessNames process_names();

// At the first vkCreateInstance. Members: rondo, process, host, application, capture.
std::string session_start(const Settings& settings, const ProcessNames& names, const VkInstanceCreateInfo* info);

// At the first vkCreateDevice, when the drivers are loaded: {"modules": [{"path", "build_id"}]}.
std::string session_modules(const Settings& settings);

}  // namespace rondo::layer
