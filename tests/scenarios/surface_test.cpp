// SPDX-License-Identifier: Apache-2.0
// docs/fidelity.md says what of lavapipe is hidden from captured programs and
// how many commands are supported: it is held against the programs here.
#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

std::string section(const std::string& title) {
  const std::string text = read_file(RONDO_DOCS "/fidelity.md");
  const std::size_t from = text.find("## " + title + "\n");
  if (from == std::string::npos) return {};
  const std::size_t to = text.find("\n## ", from);
  return text.substr(from, to - from);
}

// The table's first two columns.
std::map<std::string, std::string> documented() {
  std::map<std::string, std::string> rows;
  for (const std::string& line : lines(section("What of lavapipe is hidden"))) {
    std::smatch match;
    if (std::regex_match(line, match, std::regex(R"(\| `([A-Za-z0-9_]+)` \| ([^|]+) \|.*)"))) rows[match[1]] = match[2];
  }
  return rows;
}

// Names and reasons as the layer logs them; commands go with their extensions.
std::map<std::string, std::string> logged(const Outcome& outcome) {
  std::map<std::string, std::string> hidden;
  const std::string prefix = "rondo: hidden: ";
  for (const std::string& line : lines(outcome.err)) {
    if (line.rfind(prefix, 0) != 0) continue;
    const std::size_t colon = line.find(": ", prefix.size());
    const std::string name = line.substr(prefix.size(), colon - prefix.size());
    if (name.rfind("vk", 0) != 0) hidden[name] = line.substr(colon + 2);
  }
  return hidden;
}

std::set<std::string> missing(const std::string& before, const std::string& after) {
  const std::vector<std::string> left = lines(after);
  const std::set<std::string> kept(left.begin(), left.end());
  std::set<std::string> gone;
  for (const std::string& line : lines(before))
    if (kept.count(line) == 0) gone.insert(line);
  return gone;
}

}  // namespace

SCENARIO("what of lavapipe is hidden is in the documentation, each with its reason", "[surface]") {
  if (has_drivers_of_12()) SKIP_SCENARIO("the documentation lists what Debian 12's loader has; this one is newer");
  const TemporaryDirectory directory;
  Command alone;
  alone.arguments = {program("surface")};
  const Outcome native = run(alone);
  REQUIRE(native.status == 0);
  Command command = capture_command({program("surface")}, directory.file("x.rondo"), {.with_launcher = false});
  command.environment["RONDO_LOG"] = "info";
  const Outcome seen = run(command);
  INFO(seen.err);
  REQUIRE(seen.status == 0);

  const std::map<std::string, std::string> table = documented();
  REQUIRE(!table.empty());
  THEN("the log names what the table has, with the same reasons") { CHECK(logged(seen) == table); }
  THEN("no reason is that nobody has tested it") {
    for (const auto& [name, reason] : table) CHECK(reason.find("no test") == std::string::npos);
  }
  THEN("it sees nothing that is not there without a recorder, the layer itself not either") {
    CHECK(native.out.find("instance VK_KHR_surface") != std::string::npos);
    CHECK(missing(seen.out, native.out) == std::set<std::string>{});
  }
  THEN("nothing else is missing from what the program sees") {
    std::set<std::string> extensions;
    int features = 0;
    for (const std::string& line : missing(native.out, seen.out))
      if (line.rfind("feature ", 0) == 0)
        ++features;
      else
        extensions.insert(line.substr(line.find(' ') + 1));
    int documented_features = 0;
    for (const auto& [name, reason] : table) {
      const bool extension = name.rfind("VK_", 0) == 0;
      documented_features += extension ? 0 : 1;
      if (extension) CHECK(extensions.erase(name) == 1);
    }
    CHECK(extensions.empty());
    CHECK(features == documented_features);
  }
  THEN("the counts are those that it says") {
    const std::string text = section("What of lavapipe is hidden");
    const auto both = [&](const std::string& kind) {
      return std::to_string(count(seen.out, kind + " ")) + " of " + std::to_string(count(native.out, kind + " ")) +
             " " + kind + " extensions";
    };
    INFO(both("device") << "; " << both("instance"));
    CHECK(text.find(both("device")) != std::string::npos);
    CHECK(text.find(both("instance")) != std::string::npos);
  }
}

SCENARIO("the documented counts of commands are those of rondo info --coverage", "[surface]") {
  const Outcome outcome = rondo({"info", "--coverage", "--json"});
  REQUIRE(outcome.status == 0);
  const Json coverage = Json::parse(outcome.out);
  const std::string registry = coverage.at("/registry");  // in quotation marks
  const std::string version = registry.substr(1, registry.size() - 2);
  if (section("Counts").find("| " + version + " |") == std::string::npos)
    SKIP_SCENARIO("no counts are kept of the registry " + version);
  std::string expected = "| " + version;
  for (const char* kind : {"regular", "irregular", "unsupported"})
    expected += " | " + coverage.at(std::string("/counts/") + kind);
  INFO(expected);
  CHECK(section("Counts").find(expected) != std::string::npos);
}
