// SPDX-License-Identifier: Apache-2.0
// Semaphores and fences by file descriptor (VK_KHR_external_semaphore_fd, VK_KHR_external_fence_fd).
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

const char* const kLacksThem =
    "lacks=VK_KHR_external_semaphore_fd;VK_KHR_external_fence_fd;VK_KHR_external_semaphore;VK_KHR_external_fence";

}  // namespace

SCENARIO("signals that leave and come as sync fds replay bit for bit", "[sync-fds]") {
  replays_bit_for_bit({program("sync_fds")},
                      {.submits = 72,
                       .driver = fake,
                       .not_compared = 8,
                       .not_compared_because = "work waits for the host behind the signal that leaves",
                       .not_looped_because = "as a sync fd"});
}

SCENARIO("signals of sync fds replay where there are none", "[sync-fds]") {
  if (!no_readback(fake).empty()) SKIP_SCENARIO(no_readback(fake));
  const Recording& capture = captured({program("sync_fds")}, {.checkpoints = "readback", .driver = fake});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  for (const std::string& settings :
       {std::string(kLacksThem), kLacksThem + std::string(",delay-us=2000"), std::string("lazy=1")}) {
    const Outcome outcome = player({"--verify", capture.path}, fake, settings);
    INFO(settings << '\n' << outcome.both());
    CHECK(outcome.status == 0);
  }
  const Outcome outcome = player({capture.path}, lavapipe);
  INFO(outcome.both());
  // It has one queue: nothing else is lacking.
  CHECK(outcome.status == 4);
  CHECK(count(outcome.err, " lacks: ") == 1);
  CHECK(outcome.err.find("queue family") != std::string::npos);
}

SCENARIO("signals of sync fds that come to another device replay bit for bit", "[sync-fds]") {
  replays_bit_for_bit({program("two_devices")}, {.submits = 24, .driver = fake, .not_looped_because = "as a sync fd"});
}

SCENARIO("signals of another device are waited for where there are no sync fds", "[sync-fds]") {
  if (!no_readback(fake).empty()) SKIP_SCENARIO(no_readback(fake));
  const Recording& capture = captured({program("two_devices")}, {.checkpoints = "submit", .driver = fake});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  // What the host writes behind a wait would be lost in work that is slow, were that not waited for.
  for (const std::string& settings :
       {std::string("delay-us=2000"), kLacksThem + std::string(",delay-us=2000"), std::string("lazy=1")}) {
    const Outcome outcome = player({"--verify", capture.path}, fake, settings);
    INFO(settings << '\n' << outcome.both());
    CHECK(outcome.status == 0);
  }
  for (const std::string& driver : {lavapipe, swiftshader}) {
    if (!no_driver(driver).empty()) continue;
    const Outcome outcome = player({"--verify", capture.path}, driver);
    INFO(driver << '\n' << outcome.both());
    CHECK(outcome.status == 0);
  }
}

SCENARIO("what is made to be exported and is not replays bit for bit, also where nothing can be", "[sync-fds]") {
  replays_bit_for_bit({program("exportable")}, {.submits = 3});
  const Recording& capture = captured({program("exportable")}, {.checkpoints = "readback"});
  for (const std::string& driver : {fake, swiftshader}) {
    if (!no_driver(driver).empty()) continue;
    const Outcome outcome = player({"--verify", capture.path}, driver);
    INFO(driver << '\n' << outcome.both());
    CHECK(outcome.status == 0);
  }
}

SCENARIO("semaphores that are shared otherwise are noted and refused", "[sync-fds]") {
  if (!no_driver(swiftshader).empty()) SKIP_SCENARIO(no_driver(swiftshader));
  const Recording& capture = captured({program("sync_fds"), "shared"}, {.driver = swiftshader});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  CHECK(capture.run.err.find("semaphores are offered: 0") != std::string::npos);
  CHECK(count(capture.run.err, ": cannot be replayed: record ") == 1);
  const Outcome info = rondo({"info", capture.path});
  INFO(info.both());
  CHECK(info.status == 0);
  CHECK(info.out.find("replay      cannot be replayed: record ") != std::string::npos);
  CHECK(info.out.find("vkGetSemaphoreFdKHR with a handle that is no sync fd") != std::string::npos);
  const Outcome dumped = rondo({"dump", capture.path});
  CHECK(count(dumped.out, "shares a semaphore by a handle that is no sync fd") == 1);
  const Outcome outcome = player({capture.path}, swiftshader);
  INFO(outcome.both());
  CHECK(outcome.status == kFailed);
  CHECK(outcome.err.find("vkGetSemaphoreFdKHR with a handle that is no sync fd") != std::string::npos);
}
