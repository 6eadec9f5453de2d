// SPDX-License-Identifier: Apache-2.0
// What drivers have and the program was not shown, and which of that the program asked for all the same.
// Each thing is said once at RONDO_LOG=info. Extensions, versions and feature bits that count for the user
// are also a member of the capture's session, "hidden" (docs/format.md). Any thread; nothing here throws.
#pragma once

#include <cstdint>
#include <string_view>

namespace rondo::layer {

inline constexpr char kUnknownToBuild[] = "unknown to this build of Rondo";

// For a command or a kind of handle: writes to the log only. A loader looks up every command that it knows, so a lookup
// does not show that the program wants the command.
void hidden(std::string_view what, std::string_view reason) noexcept;

// An extension or version of a driver: for the log and for the capture.
void hide(std::string_view name, std::string_view reason) noexcept;

// The program asked for `name`, which is or will be hidden; `how` in a few words ("it enabled it").
void ask(std::string_view name, std::string_view reason, std::string_view how) noexcept;

// Appends to the capture what the calls above have brought since the last time. Without a capture nothing
// happens, and the one that begins later gets it.
void write_hidden() noexcept;

}  // namespace rondo::layer
