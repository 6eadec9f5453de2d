// SPDX-License-Identifier: Apache-2.0
// Images that the host copies to and from, where a replay goes wrong or cannot be.
// That they replay at all is a chapter's: host_image_copies.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "skip.h"

using namespace scenario;

namespace {

const Words kWords{program("chapters/host_image_copies")};
std::string cannot() { return cannot_run(kWords, lavapipe25); }

Outcome damaged(const Recording& capture, const std::string& damage) {
  return player({"--verify", "--damage", damage, capture.path}, lavapipe25);
}

}  // namespace

SCENARIO("what the host copied out is compared, and contents behind the next submit", "[host-copies]") {
  if (const std::string why = cannot(); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = captured(kWords, {.checkpoints = "submit", .driver = lavapipe25});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  for (const char* damage : {"drop:vkCopyMemoryToImageEXT#0", "drop:vkCopyImageToImageEXT#1",
                             "corrupt:vkCopyMemoryToImageEXT#0:memoryRowLength"}) {
    const Outcome outcome = damaged(capture, damage);
    INFO(damage << ": " << outcome.both());
    CHECK(outcome.status == 5);
    CHECK(outcome.err.find("what the host copied out of VkImage#") != std::string::npos);
  }
}

SCENARIO("images in a driver's own layout are refused where it is another one", "[host-copies]") {
  if (const std::string why = cannot(); !why.empty()) SKIP_SCENARIO(why);
  if (const std::string why = cannot_run(kWords, swiftshader); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = captured(kWords, {.checkpoints = "submit", .driver = lavapipe25});
  const Outcome outcome = player({capture.path}, swiftshader);
  INFO(outcome.both());
  CHECK(outcome.status == 4);
  CHECK(outcome.err.find("the captured layout of images (optimalTilingLayoutUUID), in which the program read "
                         "them") != std::string::npos);
}
