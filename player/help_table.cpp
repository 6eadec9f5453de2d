// SPDX-License-Identifier: Apache-2.0
#include "player/help_table.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace rondo::player {

std::string help_table(const CLI::App& app, const std::string& usage) {
  using Json = nlohmann::ordered_json;
  Json positionals = Json::array(), options = Json::array();
  for (const CLI::Option* one : app.get_options()) {
    if (one->get_positional()) {
      positionals.push_back({{"name", one->get_name(true)}, {"help", one->get_description()}});
      continue;
    }
    if (one->get_group().empty()) continue;
    Json names = Json::array();
    for (const std::string& name : one->get_snames()) names.push_back("-" + name);
    for (const std::string& name : one->get_lnames()) names.push_back("--" + name);
    options.push_back({{"names", names},
                       {"takes_value", one->get_items_expected_max() != 0},
                       {"value", one->get_type_name()},
                       {"help", one->get_description()}});
  }
  const Json table = {{"name", app.get_name()},     {"summary", app.get_description()}, {"usage", usage},
                      {"footer", app.get_footer()}, {"positionals", positionals},       {"options", options}};
  return table.dump() + "\n";
}

}  // namespace rondo::player
