// SPDX-License-Identifier: Apache-2.0
// What a device other than the captured one has no room for is made room for:
// memory is laid out anew, and descriptor pools get others beside them.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "skip.h"

using namespace scenario;

namespace {

// As many ranges as where it was captured.
void compares_as(const Outcome& replay, const Outcome& at_home) {
  INFO(replay.both());
  CHECK(replay.status == 0);
  const Compared here = compared(replay, "[a-z -]+"), there = compared(at_home, "[a-z -]+");
  CHECK(here.equal > 0);
  CHECK(here.equal == there.equal);
  CHECK(here.all == there.all);
}

}  // namespace

SCENARIO("captures whose resources lay elsewhere replay bit for bit", "[placement]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  for (const char* name : {"compute", "triangle", "images", "indirect", "memory", "queries", "suballocate"}) {
    const Recording& capture = captured({program(name)}, {.checkpoints = "readback"});
    REQUIRE(capture.run.status == 0);
    const Outcome at_home = player({"--verify", capture.path});
    // The second offset suits every alignment, so that nothing need move back.
    for (const std::string by : {"4", "65536", "4097"}) {
      INFO(name << " moved by " << by);
      compares_as(player({"--verify", "--damage", "move-memory:" + by, capture.path}), at_home);
    }
  }
}

SCENARIO("captures play on devices with other memory", "[placement]") {
  if (!no_readback(fake).empty()) SKIP_SCENARIO(no_readback(fake));
  const std::vector<std::string> devices = {"", "unified=1", "buffer-alignment=4096,image-padding=3",
                                            "atom=64,image-padding=1"};
  for (const char* name : {"images", "triangle", "compressed", "multisample"})
    for (const std::string& there : devices) {
      const Recording& capture =
          captured(without_checks({program(name)}), {.checkpoints = "readback", .driver = fake, .settings = there});
      INFO(capture.run.both());
      REQUIRE(capture.run.status == 0);
      const Outcome at_home = player({"--verify", capture.path}, fake, there);
      for (const std::string& here : devices) {
        INFO(name << " captured on '" << there << "', played on '" << here << "'");
        compares_as(player({"--verify", capture.path}, fake, here), at_home);
      }
    }
}

SCENARIO("a descriptor pool that is full sooner than where it was captured gets another", "[placement]") {
  if (!no_readback(fake).empty()) SKIP_SCENARIO(no_readback(fake));
  for (const char* name : {"sets", "templates", "inline_uniforms", "compute"}) {
    const Recording& capture = captured(without_checks({program(name)}), {.checkpoints = "readback", .driver = fake});
    INFO(capture.run.both());
    REQUIRE(capture.run.status == 0);
    const Outcome at_home = player({"--verify", capture.path}, fake);
    for (const std::string full :
         {"1:VK_ERROR_OUT_OF_POOL_MEMORY", "2:VK_ERROR_FRAGMENTED_POOL",
          "1:VK_ERROR_OUT_OF_POOL_MEMORY;vkAllocateDescriptorSets:3:VK_ERROR_OUT_OF_POOL_MEMORY"}) {
      INFO(name << ": " << full);
      compares_as(player({"--verify", capture.path}, fake, "fail=vkAllocateDescriptorSets:" + full), at_home);
    }
  }
}
