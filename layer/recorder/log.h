// SPDX-License-Identifier: Apache-2.0
// Lines on stderr, "rondo: …", one write each. Any thread.
#pragma once

#include <string_view>

namespace rondo::layer {

enum class LogLevel : int { error = 0, warn = 1, info = 2, debug = 3 };

void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);
void log(LogLevel level, std::string_view text);

}  // namespace rondo::layer
