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

// All checkpoints of `what` are compared and equal, and no longer after the damage.
// `names`: of what the first difference is.
void finds_what_is_wrong(const std::string& capture, const std::string& driver, const std::string& what,
                         const std::string& damage, const std::string& names = "") {
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
  CHECK(damaged.err.find(names, damaged.err.find("the first at")) != std::string::npos);
}

void finds_what_is_wrong(const Words& words, const CaptureOptions& options, const std::string& what,
                         const std::string& damage, const std::string& names = "") {
  const Recording& capture = captured(words, options);
  INFO(words.back() << " on " << options.driver << ", " << options.checkpoints << "\n" << capture.run.both());
  REQUIRE(capture.run.status == 0);
  finds_what_is_wrong(capture.path, options.driver, what, damage, names);
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
  Command command = capture_command({program("compute")}, file, {.checkpoints = checkpoints, .with_launcher = false});
  command.environment["ENABLE_VULKAN_RENDERDOC_CAPTURE"] = "1";
  const Outcome run = run_on(lavapipe, command);
  INFO(run.both());
  REQUIRE(run.status == 0);
  const Outcome dump = rondo({"info", file});
  CHECK(dump.out.find("librenderdoc") != std::string::npos);
  finds_what_is_wrong(file, lavapipe, "memory ranges", "drop:vkCmdDispatch#3");
}

namespace {

// Of a process in which the call fails.
void capture_without_userfaultfd(const std::string& name, const std::string& checkpoints, const std::string& file) {
  Command command = capture_command({program(name)}, file, {.checkpoints = checkpoints, .with_launcher = false});
  command.environment["LD_PRELOAD"] = build_root() + "/tests/preload/forbid_userfaultfd.so";
  const Outcome run = run_on(lavapipe, command);
  INFO(name << "\n" << run.both());
  REQUIRE(run.status == 0);
}

}  // namespace

SCENARIO("memory is compared where the kernel or a container has no userfaultfd", "[compared]") {
#ifdef RONDO_SANITIZER_RUNTIME
  SKIP_SCENARIO("the sanitizer's runtime has to be the first library of a process");
#endif
  struct Case {
    const char *program, *checkpoints, *damage;
  };
  const Case one =
      GENERATE(Case{"compute", "readback", "drop:vkCmdDispatch#3"}, Case{"compute", "submit", "drop:vkCmdDispatch#3"},
               Case{"preinitialized", "readback", "drop:vkCmdFillBuffer#0"});
  const TemporaryDirectory directory;
  const std::string file = directory.file("capture.rondo");
  capture_without_userfaultfd(one.program, one.checkpoints, file);
  finds_what_is_wrong(file, lavapipe, "memory ranges", one.damage);
}

// Such pages are recorded with what the device has made, so that no damage shows there.
SCENARIO("pages that host and device both write replay right without userfaultfd", "[compared]") {
#ifdef RONDO_SANITIZER_RUNTIME
  SKIP_SCENARIO("the sanitizer's runtime has to be the first library of a process");
#endif
  const TemporaryDirectory directory;
  const std::string file = directory.file("capture.rondo");
  capture_without_userfaultfd("one_page", "readback", file);
  const Outcome outcome = player({"--verify", file});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "memory ranges").equal > 0);
}

// Damage to an image is found in that image, before a copy carries it to a buffer.
SCENARIO("images that take turns in one memory are compared", "[compared]") {
  const std::string driver = GENERATE(lavapipe, lavapipe25, swiftshader);
  if (!no_driver(driver).empty()) SKIP_SCENARIO(no_driver(driver));
  for (const char* damage :
       {"drop:vkCmdClearColorImage#1", "drop:vkCmdClearColorImage#3", "drop:vkCmdCopyBufferToImage#0"})
    finds_what_is_wrong({program("chapters/aliased")}, {.checkpoints = "submit", .driver = driver},
                        "parts of buffers and images", damage, "VkImage#");
}

// Before the bytes are put there that the capture has of such pages.
SCENARIO("memory that a program imported from a host pointer is compared", "[compared]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  const std::string driver = GENERATE(lavapipe, lavapipe25);
  if (!no_driver(driver).empty()) SKIP_SCENARIO(no_driver(driver));
  for (const char* damage : {"drop:vkCmdDispatch#4", "corrupt:vkCmdDispatch#3"}) {
    finds_what_is_wrong({program("host_pointers")}, {.checkpoints = "readback", .driver = driver}, "memory ranges",
                        damage, "VkDeviceMemory#2 ");
    finds_what_is_wrong({program("host_pointers")}, {.checkpoints = "submit", .driver = driver},
                        "parts of buffers and images", damage);
  }
}

SCENARIO("images of several samples are compared sample by sample", "[compared]") {
  const std::string driver = GENERATE(lavapipe, lavapipe25, swiftshader);
  if (!no_driver(driver).empty()) SKIP_SCENARIO(no_driver(driver));
  // The draw of one sample of one format.
  for (const char* damage : {"drop:vkCmdDraw#3", "drop:vkCmdDraw#20"})
    finds_what_is_wrong({program("samples")}, {.checkpoints = "submit", .driver = driver},
                        "parts of buffers and images", damage, ", sample ");
}

SCENARIO("what stays uncomparable says what stands in the way", "[compared]") {
  WHEN("a driver keeps other things on the pages of its memory") {
    if (!no_driver(swiftshader).empty()) SKIP_SCENARIO(no_driver(swiftshader));
    const Recording& capture =
        captured({program("preinitialized")}, {.checkpoints = "readback", .driver = swiftshader});
    const Outcome outcome = player({"--verify", capture.path}, swiftshader);
    INFO(outcome.both());
    CHECK(outcome.status == kDifferent);
    CHECK(outcome.err.find("the driver's own memory at one place") != std::string::npos);
    CHECK(outcome.err.find("RONDO_CHECKPOINTS") == std::string::npos);  // which would not compare it
  }
}
