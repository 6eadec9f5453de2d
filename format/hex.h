// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace rondo {

std::string hex_text(std::span<const std::byte> bytes);  // "0a1b"

}  // namespace rondo
