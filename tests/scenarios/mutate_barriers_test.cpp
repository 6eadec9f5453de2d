// SPDX-License-Identifier: Apache-2.0
// What `rondo sync` says holds when captures are written again with other synchronization (scripts/mutate-barriers):
// by its own word, by a look at all pairs of accesses, by Khronos' validation layer and by the orders of the fake
// driver. A few small captures; all of them by hand (docs/testing.md).
#include <catch2/catch.hpp>

#include "fixture.h"

using namespace scenario;

namespace {

Outcome mutate(const Words& captures) {
  Command command;
  command.arguments = {RONDO_DOCS "/../scripts/mutate-barriers", "--build", build_root(), "--seeds", "4"};
  command.arguments.insert(command.arguments.end(), {"--deleted", "2"});
  command.arguments.insert(command.arguments.end(), captures.begin(), captures.end());
  command.timeout_s = 300;
  return run(command);
}

}  // namespace

SCENARIO("what is superfluous can be removed together, and each thing that is left is needed", "[mutate-barriers]") {
  const Outcome done = mutate({"core", "events", "exportable", "kernels", "multisample"});
  INFO(done.both());
  CHECK(done.status == 0);
  CHECK(done.out.find("5 captures: ") != std::string::npos);
  // Each referee was asked.
  CHECK(count(done.out, "needed: as listed") == 6);
  CHECK(count(done.out, "needed deleted, the layer has a hazard") == 6);
  CHECK(count(done.out, "needed deleted, ends differ") == 6);
  CHECK(done.out.find("oracle: equal") != std::string::npos);
}

SCENARIO("a capture that cannot be read is no capture without races", "[mutate-barriers]") {
  const Outcome done = mutate({RONDO_DOCS "/testing.rondo"});
  INFO(done.both());
  CHECK(done.status == 1);
  CHECK(done.out.find("testing: mutate-barriers: ") != std::string::npos);
}
