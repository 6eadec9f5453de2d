// SPDX-License-Identifier: Apache-2.0
// share/python/rondo.py: objects of analyses in Python. What they must be is in tests/python/rondo_test.py.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "skip.h"

using namespace scenario;

namespace {

Outcome python(const Words& words) {
  Command command;
  command.arguments = {"python3", "-B"};
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  command.environment["PYTHONPATH"] = RONDO_DOCS "/../share/python";
  command.environment["RONDO"] = build_root() + "/analyzers/rondo";
  command.environment["RACY"] = captured({program("hazards/hazards"), "dispatch-raw"}).path;
  command.environment["CLEAN"] = captured({program("hazards/hazards"), "dispatch-raw-clean"}).path;
  command.environment["KERNELS"] = captured({program("kernels")}).path;
  command.environment["FRAMES"] = captured(vkcube(5)).path;
  use_driver(command.environment, lavapipe);
  return run(command);
}

bool has_module(const std::string& name) {
  Command command;
  command.arguments = {"python3", "-c", "import " + name};
  return run(command).status == 0;
}

// The tests of one class. `tests`: how many there are.
void check_tests(const std::string& name, int tests) {
  const Outcome outcome = python({RONDO_DOCS "/../tests/python/rondo_test.py", name});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(count(outcome.err, " ... ok\n") == tests);
}

}  // namespace

SCENARIO("Python has items, needs, races, records and times of a capture as objects", "[python]") {
  check_tests("Analyses", 8);
}

SCENARIO("what Rondo refuses is one error in Python, and it ends with the loop that reads it", "[python]") {
  check_tests("Errors", has_module("pandas") ? 7 : 8);
}

SCENARIO("a graph of networkx has the edges of GraphML", "[python]") {
  if (!has_module("networkx")) SKIP_SCENARIO("no networkx for Python (python3-networkx)");
  check_tests("Graphs", 3);
}

SCENARIO("rows are a frame of pandas", "[python]") {
  if (!has_module("pandas")) SKIP_SCENARIO("no pandas for Python (python3-pandas)");
  check_tests("Frames", 1);
}

SCENARIO("the types of rondo.py are right", "[python]") {
  Command command;
  command.arguments = {"mypy", "--strict", "--cache-dir=/dev/null", "--python-version=3.9",
                       RONDO_DOCS "/../share/python/rondo.py"};
  const Outcome outcome = run(command);
  if (outcome.status == 127) SKIP_SCENARIO("no mypy");
  INFO(outcome.both());
  CHECK(outcome.status == 0);
}
