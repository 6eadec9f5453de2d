// SPDX-License-Identifier: Apache-2.0
// What can be compared: each kind of contents that is hard to look at, with a wrong result that is found in
// it.
#include <catch2/catch.hpp>
#include <filesystem>

#include "fixture.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

enum { kDifferent = 5 };

// All checkpoints of `what` are compared and equal, and no longer after the damage.
void finds_what_is_wrong(const std::string& capture, const std::string& driver, const std::string& what,
                         const std::string& damage) {
  const Outcome whole = player({"--verify", capture}, driver);
  INFO(whole.both());
  CHECK(whole.status == 0);
  const Compared all = compared(whole, what);
  CHECK(all.equal > 0);
  CHECK(all.equal == all.all);
  const Outcome damaged = player({"--verify", "--damage", damage, capture}, driver);
  INFO(damage << ": " << damaged.both());
  CHECK(damaged.status == kDifferent);
  CHECK(is_one_line(damaged, "player"));
  CHECK(damaged.err.find(what) != std::string::npos);
}

void finds_what_is_wrong(const Words& words, const CaptureOptions& options, const std::string& what,
                         const std::string& damage) {
  const Recording& capture = captured(words, options);
  INFO(words.back() << " on " << options.driver << ", " << options.checkpoints << "\n" << capture.run.both());
  REQUIRE(capture.run.status == 0);
  finds_what_is_wrong(capture.path, options.driver, what, damage);
}

}  // namespace

SCENARIO("memory that holds a preinitialized image is compared", "[compared]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  const std::string driver = GENERATE(lavapipe, lavapipe25);
  if (!no_driver(driver).empty()) SKIP_SCENARIO(no_driver(driver));
  for (const char* undefined : {"0", "1"})
    for (const char* damage : {"drop:vkCmdFillBuffer#0", "corrupt:vkCmdFillBuffer#2:data"})
      finds_what_is_wrong({program("preinitialized"), "--undefined", undefined},
                          {.checkpoints = "readback", .driver = driver}, "memory ranges", damage);
  finds_what_is_wrong({program("preinitialized")}, {.checkpoints = "submit", .driver = driver},
                      "parts of buffers and images", "drop:vkCmdFillBuffer#1");
}

SCENARIO("a preinitialized image beside a buffer replays bit for bit", "[compared]") {
  replays_bit_for_bit({program("preinitialized")}, {.submits = 3});
}

// RenderDoc's layer hides VK_EXT_external_memory_host from those above it.
SCENARIO("memory is compared where a layer beneath hides external host memory", "[compared][neighbours]") {
#ifdef RONDO_SANITIZER_RUNTIME
  SKIP_SCENARIO("other people's layers are not built for a sanitizer's runtime");
#endif
  if (!std::filesystem::exists("/usr/share/vulkan/implicit_layer.d/renderdoc_capture.json"))
    SKIP_SCENARIO("renderdoc is not here: scripts/setup installs it");
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  const std::string checkpoints = GENERATE("readback", "submit");
  const TemporaryDirectory directory;
  const std::string file = directory.file("compute.rondo");
  Command command =
      capture_command({program("compute")}, file, {.checkpoints = checkpoints, .with_launcher = false});
  command.environment["ENABLE_VULKAN_RENDERDOC_CAPTURE"] = "1";
  const Outcome run = run_on(lavapipe, command);
  INFO(run.both());
  REQUIRE(run.status == 0);
  const Outcome dump = rondo({"info", file});
  CHECK(dump.out.find("librenderdoc") != std::string::npos);
  finds_what_is_wrong(file, lavapipe, "memory ranges", "drop:vkCmdDispatch#3");
}
