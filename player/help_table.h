// SPDX-License-Identifier: Apache-2.0
// A command line's options as JSON, for scripts/help_pages.py: man pages and shell completion are made of the tables
// that parse the options.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace rondo::player {

// The word that asks for it, alone or last on a command line. --help does not list it.
inline constexpr std::string_view kHelpTable = "--help-table";

// One line: name, summary, usage, footer, "positionals" and "options". Hidden options are left out. `usage`: as in
// --help.
std::string help_table(const CLI::App& app, const std::string& usage);

}  // namespace rondo::player
