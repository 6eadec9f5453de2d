// SPDX-License-Identifier: Apache-2.0
// What a tool says of words on its command line that it does not know.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace rondo::player {

// The one of `words` that differs least from `typed`, by few letters. Empty: none is close.
std::string closest(std::string_view typed, std::span<const std::string> words);

// Of the first word that the parsed command line left over: "--verfy is no option of player; the closest is
// --verify".
std::string unexpected_words(const CLI::App& app);

}  // namespace rondo::player
