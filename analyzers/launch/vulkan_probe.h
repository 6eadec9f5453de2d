// SPDX-License-Identifier: Apache-2.0
// What `rondo doctor` asks of a Vulkan loader. For child processes only
// (probe.h): drivers crash, and the environment is changed.
#pragma once

#include <string>
#include <vector>

namespace rondo::analyzers {

// How lines of probe_driver begin: name, type and version of a device; its extensions that the registry of this
// build does not know; an extension that it knows and hides, with the reason.
inline constexpr char kDeviceLine = 'D', kUnknownLine = 'U', kHiddenLine = 'H';

// Each returns lines of text; the first word is "ok" or "bad".
std::string probe_loader();                          // "ok 1.3.239"
std::string probe_library(const std::string& path);  // "ok", "bad <dlerror>"
// "ok", then for each device a line that begins with kDeviceLine and may be followed by others.
std::string probe_driver(const std::string& manifest);
// Makes an instance with the environment as it is and looks whether `library`
// was loaded: "ok", "bad <why>".
std::string probe_enabled(const std::string& library);
// What it says after "bad " where no instance can be made because there is no driver.
inline constexpr const char* kNoDriver = "there is no driver";

}  // namespace rondo::analyzers
