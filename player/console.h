// SPDX-License-Identifier: Apache-2.0
// What the player prints. Names of captures, files, devices and shaders are
// part of it: all of it goes through format/printable.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "format/result.h"

namespace rondo::player {

// A line, and several lines, on standard output.
void print_line(std::string_view text);
void print_lines(std::string_view text);

// "player: MESSAGE" on standard error: one line, whatever is in the message, and those of the error's list
// (what a device lacks, how shaders differ, what the validation layer says).
void print_error(const Error& error);
void print_error(std::string_view message);

// Fails where something that was printed could not be written (a full disk). That a reader went away is no failure.
Result<void> finish_output();

// Fails where the validation layer said anything: a list of its messages, for the capture in `file`.
Result<void> check_validation(const std::string& file, std::vector<std::string> messages);

// Fails where there are any `lines`, each of which says what a device lacks that plays the capture in `file`.
Result<void> check_missing(const std::string& file, const std::vector<std::string>& lines);

// A text of several lines (a message of the validation layer, a help text) as one.
std::string on_one_line(std::string_view text);

}  // namespace rondo::player
