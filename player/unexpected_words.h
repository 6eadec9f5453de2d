// SPDX-License-Identifier: Apache-2.0
// What a tool says of words on its command line that it does not know. `rondo` and `player` share it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI

namespace rondo::player {

// "; the closest is trim": the one of `words` that differs least from `typed`, by few letters. Empty: none is close.
std::string closest_text(std::string_view typed, std::span<const std::string> words);

// "'jsnol' is none of text, jsonl; the closest is jsonl". Empty: `given` is one of `words`.
std::string none_of(std::string_view given, std::span<const std::string> words);

// What is wrong with a command line that CLI11 refused, on one line. An unknown option comes first, because other
// errors may follow from it: "--verfy is no option of player; the closest is --verify".
std::string parse_error_text(const CLI::App& app, const CLI::ParseError& error);

// An option whose value is one of `choices`. --help shows them as "text|jsonl".
CLI::Option* add_choice(CLI::App& app, const std::string& option, std::vector<std::string> choices,
                        const std::string& help, std::string& out);

}  // namespace rondo::player
