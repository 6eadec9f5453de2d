// SPDX-License-Identifier: Apache-2.0
// docs/fidelity.md has a row for each line of the list of irregular commands, with
// tests that are there, and for each extension of the devices that tests run on;
// and each scenario is run.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "fixture.h"
#include "json.h"

using namespace scenario;

namespace {

// Cells without blanks around them.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t from = 1, to = line.find('|', from); to != std::string::npos;
       from = to + 1, to = line.find('|', from)) {
    const std::size_t begin = line.find_first_not_of(' ', from), end = line.find_last_not_of(' ', to - 1);
    cells.push_back(begin < to ? line.substr(begin, end - begin + 1) : "");
  }
  return cells;
}

std::vector<std::vector<std::string>> table_of(const std::string& title) {
  const std::string text = read_file(RONDO_DOCS "/fidelity.md");
  const std::size_t from = text.find("## " + title + "\n");
  REQUIRE(from != std::string::npos);
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : lines(text.substr(from, text.find("\n## ", from) - from)))
    if (line.rfind("| ", 0) == 0 && line.rfind("| --", 0) != 0) rows.push_back(cells_of(line));
  rows.erase(rows.begin());  // its head
  return rows;
}

std::string sources_below(const std::string& directory) {
  std::string all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(RONDO_DOCS "/../tests/" + directory))
    if (entry.path().extension() == ".cpp") all += read_file(entry.path());
  return all;
}

// Of "`unit-a`: One, Two; scenarios: b (program), c": what is not there.
std::vector<std::string> missing_of(const std::string& tests) {
  static const std::string units = sources_below("unit"), scenarios = sources_below("scenarios");
  const std::filesystem::path programs = RONDO_DOCS "/../tests/programs";
  std::vector<std::string> missing;
  static const std::regex kPart(R"((`unit-[a-z-]+`|scenarios): ([^;]+))"), kBrackets(R"( \(([a-z0-9_, ]+)\))"),
      kWord(R"([A-Za-z0-9_-]+)");
  for (std::sregex_iterator part(tests.begin(), tests.end(), kPart), end; part != end; ++part) {
    const bool of_scenarios = (*part)[1] == "scenarios";
    const std::string list = (*part)[2], bare = std::regex_replace(list, kBrackets, "");
    for (std::sregex_iterator one(bare.begin(), bare.end(), kWord); one != end; ++one) {
      const std::string name = one->str();
      const bool there = of_scenarios ? scenarios.find("[" + name + "]") != std::string::npos
                                      : units.find("(" + name + ",") != std::string::npos ||
                                            units.find(", " + name + ")") != std::string::npos;
      if (!there) missing.push_back(name);
    }
    for (std::sregex_iterator group(list.begin(), list.end(), kBrackets); group != end; ++group) {
      const std::string inside = (*group)[1];
      for (std::sregex_iterator one(inside.begin(), inside.end(), kWord); one != end; ++one)
        if (!std::filesystem::exists(programs / (one->str() + ".cpp")) &&
            !std::filesystem::exists(programs / "chapters" / (one->str() + ".cpp")))
          missing.push_back(one->str());
    }
  }
  return missing;
}

std::set<std::string> extensions_of(const std::string& driver) {
  Command command;
  command.arguments = {program("extensions")};
  use_driver(command.environment, driver);
  const Outcome outcome = run_on(driver, command);
  REQUIRE(outcome.status == 0);
  std::set<std::string> names;
  for (const std::string& line : lines(outcome.out))
    if (line.rfind("VK_", 0) == 0) names.insert(line);
  return names;
}

// By name: "recorded and replayed" or "hidden: …", as this build has it.
std::map<std::string, std::string> supported() {
  const Json coverage = Json::parse(rondo({"info", "--coverage", "--json"}).out);
  const auto text = [&](const std::string& at) {
    const std::string quoted = coverage.at(at);
    return quoted.substr(1, quoted.size() - 2);
  };
  std::map<std::string, std::string> all;
  for (std::size_t i = 0; i < coverage.size("/extensions"); ++i) {
    const std::string at = "/extensions/" + std::to_string(i);
    all[text(at + "/name")] =
        coverage.at(at + "/supported") == "true" ? "recorded and replayed" : "hidden: " + text(at + "/reason");
  }
  return all;
}

}  // namespace

SCENARIO("every line of the list of irregular commands has its row, and tests that are there", "[surface]") {
  constexpr std::size_t kLines = 30;
  const auto rows = table_of("The irregular commands, line by line");
  REQUIRE(rows.size() == kLines);
  for (std::size_t i = 0; i < kLines; ++i) {
    INFO("line " << i + 1);
    REQUIRE(rows[i].size() == 4);
    CHECK(rows[i][0] == std::to_string(i + 1));
    const std::string& tests = rows[i][3];
    CHECK((tests.find("`unit-") != std::string::npos || tests.find("scenarios: ") != std::string::npos));
    CHECK(missing_of(tests) == std::vector<std::string>{});
  }
  THEN("what is not there is found") {
    CHECK(missing_of("`unit-codec`: IgnoredMembers, NoSuchTest; scenarios: rays, nosuchtag (rays, nosuchprogram)") ==
          std::vector<std::string>{"NoSuchTest", "nosuchtag", "nosuchprogram"});
  }
}

SCENARIO("every extension of the devices here has its row, which says what a program sees", "[surface]") {
  const std::string drivers[] = {lavapipe, lavapipe25, swiftshader};
  const std::map<std::string, std::string> here = supported();
  const bool newest = here.count("VK_KHR_unified_image_layouts") == 1;
  const auto rows = table_of("Extensions of three devices");
  std::map<std::string, std::vector<std::string>> documented;
  for (const auto& row : rows) {
    REQUIRE(row.size() == 5);
    documented[row[0].substr(1, row[0].size() - 2)] = row;
  }
  CHECK(documented.size() == rows.size());
  for (std::size_t i = 0; i < std::size(drivers); ++i) {
    if (!no_driver(drivers[i]).empty()) continue;
    INFO(drivers[i]);
    const std::set<std::string> offered = extensions_of(drivers[i]);
    for (const std::string& name : offered) {
      if (name == "VK_LUNARG_direct_driver_loading") continue;  // newer loaders' own
      INFO(name);
      CHECK(documented.count(name) == 1);
    }
    for (const auto& [name, row] : documented) {
      INFO(name);
      CHECK((row[i + 1] == "yes") == (offered.count(name) == 1));
    }
  }
  for (const auto& [name, row] : documented) {
    INFO(name);
    const auto found = here.find(name);
    const bool known = found != here.end();
    if (known) CHECK(row[4] == found->second);
    if (newest && !known) CHECK(row[4] == "hidden: not in the registry that this build was made with");
  }
}

SCENARIO("every scenario is run by a test of the build", "[surface]") {
  const auto named = [](const std::string& tags) {
    Command command;
    command.arguments = {build_root() + "/tests/scenarios/scenarios", tags};
#if CATCH_VERSION_MAJOR >= 3
    command.arguments.insert(command.arguments.end(), {"--list-tests", "--verbosity", "quiet"});
#else
    command.arguments.push_back("--list-test-names-only");
#endif
    return lines(run(command).out);
  };
  const std::vector<std::string> all = named("*");
  REQUIRE(all.size() > 200);
  std::set<std::string> left(all.begin(), all.end());
  const std::string tests = read_file(RONDO_SCENARIOS "/meson.build");
  static const std::regex kTags(R"('[a-z0-9-]+': '(\[[^']*)')");
  for (std::sregex_iterator each(tests.begin(), tests.end(), kTags), end; each != end; ++each)
    for (const std::string& name : named((*each)[1])) left.erase(name);
  CHECK(left == std::set<std::string>{});
}
