// SPDX-License-Identifier: Apache-2.0
// What `rondo doctor` asks of a Vulkan loader. For child processes only
// (probe.h): drivers crash, and the environment is changed.
#pragma once

#include <string>
#include <vector>

namespace rondo::analyzers {

// Each returns lines of text; the first word is "ok" or "bad".
std::string probe_loader();                                  // "ok 1.3.239"
std::string probe_library(const std::string& path);          // "ok", "bad <dlerror>"
std::string probe_driver(const std::string& manifest);       // "ok", then a line for each device
// Makes an instance with the environment as it is and looks whether `library`
// was loaded: "ok", "bad <why>".
std::string probe_enabled(const std::string& library);

}  // namespace rondo::analyzers
