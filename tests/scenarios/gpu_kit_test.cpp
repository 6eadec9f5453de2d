// SPDX-License-Identifier: Apache-2.0
// scripts/gpu-kit: the folder that tries Rondo on a machine with a GPU, tried here on lavapipe in an empty root
// directory.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

// The outcomes of the kit's commands: "step/subject/what" → exit status.
std::map<std::string, int> statuses(const std::string& results) {
  std::map<std::string, int> found;
  for (const std::string& line : lines(read_file(results))) {
    const Json row = Json::parse(line);
    INFO(line);
    REQUIRE(row.valid());
    const auto text = [&row](const char* member) {
      const std::string quoted = row.at(member);
      REQUIRE(quoted.size() > 2);
      return quoted.substr(1, quoted.size() - 2);
    };
    REQUIRE(!row.at("/status").empty());  // none is left out
    found[text("/step") + "/" + text("/subject") + "/" + text("/what")] = std::stoi(row.at("/status"));
  }
  return found;
}

}  // namespace

SCENARIO("the kit for a machine with a GPU runs in an empty root directory without network", "[gpu-kit]") {
#ifdef RONDO_SANITIZER_RUNTIME
  SKIP_SCENARIO("the kit is made of builds without sanitizers");
#endif
#ifdef RONDO_COVERAGE
  SKIP_SCENARIO("the kit is made of builds without counters");
#endif
  Command may_isolate;
  may_isolate.arguments = {"unshare", "--mount", "--net", "--pid", "--fork", "--ipc", "true"};
  if (run(may_isolate).status != 0) SKIP_SCENARIO("namespaces cannot be made here");

  const TemporaryDirectory place;
  Command command;
  command.arguments = {RONDO_DOCS "/../scripts/gpu-kit",
                       "--build",
                       build_root(),
                       "--output",
                       place.file("kit"),
                       "--results",
                       place.file("results"),
                       "--try",
                       "--budget",
                       "600",
                       "--steps",
                       "doctor,hidden,memory,ten,spans,lavapipe"};
  command.timeout_s = 900;
  const Outcome outcome = run(command);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  THEN("it fits where little may be carried") {
    std::uintmax_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place.file("kit")))
      if (entry.is_regular_file() && !entry.is_symlink()) bytes += entry.file_size();
    CHECK(bytes <= 60u << 20);
  }
  THEN("every command of every step ended well, and has a row") {
    const std::map<std::string, int> rows = statuses(place.file("results/results.jsonl"));
    for (const char* name :
         {"compute", "triangle", "rendering", "passes", "uploads", "secondary", "queries", "timeline", "addresses"}) {
      for (const char* what : {"native", "plain", "capture", "same", "verify", "loop", "trim", "trim-verify"}) {
        INFO(name << " " << what);
        const auto row = rows.find(std::string("ten/") + name + "/" + what);
        REQUIRE(row != rows.end());
        CHECK(row->second == 0);
      }
    }
    if (!has_drivers_of_12())                            // else the kit has this machine's lavapipe, a newer one
      CHECK(rows.at("ten/ray_pipelines/native") == 77);  // lavapipe of Debian 12 traces no rays
    CHECK(rows.at("doctor/player/devices") == 0);
    for (const char* row : {"lavapipe/triangle/verify", "lavapipe/vkcube/verify", "memory/types/captured",
                            "memory/writes/guard", "spans/cube/native", "spans/cube/loop", "spans/multiply/loop"}) {
      INFO(row);
      REQUIRE(rows.count(row) == 1);
      CHECK(rows.at(row) == 0);
    }
    CHECK(std::filesystem::exists(place.file("results/logs.tar.gz")));
  }
}
