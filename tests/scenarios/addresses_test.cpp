// SPDX-License-Identifier: Apache-2.0
// Programs that store device addresses where nobody can change them.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "json.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

enum { kCannot = 4 };

const char* const kWithoutReplay = "lacks=bufferDeviceAddressCaptureReplay";
const char* const kWithoutBoth = "lacks=bufferDeviceAddressCaptureReplay;VK_EXT_external_memory_host";

const Recording& on_fake(const std::string& settings) {
  const Recording& capture =
      captured(without_checks({program("addresses")}), {.checkpoints = "submit", .driver = fake, .settings = settings});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

// The members of this name of all rondoAddress records that are not zero.
int count_given(const Recording& capture, const std::string& member) {
  int given = 0;
  for (const std::string& line : lines(rondo({"dump", "--format=jsonl", capture.path}).out)) {
    const Json row = Json::parse(line);
    if (row.at("/command") == "\"rondoAddress\"" && row.at("/parameters/" + member) != "0") ++given;
  }
  return given;
}

}  // namespace

SCENARIO("pointers in buffers, push constants and chains of pointers replay bit for bit", "[programs]") {
  WHEN("it asks by the extension's name") { replays_bit_for_bit({program("addresses")}, {.submits = 3}); }
  WHEN("it has the core's only") { replays_bit_for_bit({program("addresses"), "--core", "1"}, {.submits = 3}); }
}

SCENARIO("device addresses are the same however host writes are found", "[addresses]") {
  const Words ways = no_readback().empty() ? Words{"alias", "pagemap", "shadow", "scan", "guard"}
                                           : Words{"auto", "shadow", "scan", "guard"};
  for (const std::string& way : ways) {
    const Recording& capture = captured({program("addresses")}, {.memory = way});
    INFO(way << "\n" << capture.run.both());
    REQUIRE(capture.run.status == 0);
    const Outcome outcome = player({capture.path});
    INFO(outcome.both());
    CHECK(outcome.status == 0);  // each address is asked for again
    CHECK(count_given(capture, "place") > 0);
  }
}

SCENARIO("a driver that gives captured addresses again is asked for them", "[addresses]") {
  const Recording& capture = on_fake("");
  CHECK(count_given(capture, "opaque") > 0);
  CHECK(count_given(capture, "place") == 0);
  WHEN("it would give others of its own") {
    // Its memory is the driver's own, where the host's writes are not told from the device's:
    // nothing to compare, but each address is asked for again.
    const Outcome outcome = player({capture.path}, fake, "addresses=0x200000000000");
    INFO(outcome.both());
    THEN("the replay has the captured ones") { CHECK(outcome.status == 0); }
  }
  WHEN("it cannot") {
    const Outcome outcome = player({"--verify", capture.path}, fake, kWithoutReplay);
    INFO(outcome.both());
    THEN("the feature that is missing is named, before anything runs") {
      CHECK(outcome.status == kCannot);
      CHECK(outcome.err.find("bufferDeviceAddressCaptureReplay") != std::string::npos);
    }
  }
}

SCENARIO("a driver that imports host memory gets it where it was", "[addresses]") {
  const Recording& capture = on_fake(kWithoutReplay);
  CHECK(count_given(capture, "opaque") == 0);
  CHECK(count_given(capture, "place") > 0);
  WHEN("another driver cannot import it") {
    const Outcome outcome = player({"--verify", capture.path}, fake, kWithoutBoth);
    INFO(outcome.both());
    THEN("the extension that is missing is named, before anything runs") {
      CHECK(outcome.status == kCannot);
      CHECK(outcome.err.find("VK_EXT_external_memory_host") != std::string::npos);
    }
  }
}

SCENARIO("addresses that nobody can give again are refused by name", "[addresses]") {
  const Recording& capture = on_fake(kWithoutBoth);
  const Outcome outcome = player({"--verify", capture.path}, fake);
  INFO(outcome.both());
  CHECK(outcome.status == kCannot);
  CHECK(outcome.err.find("the captured device addresses") != std::string::npos);
}

SCENARIO("an address that is another one is named with its buffer", "[addresses]") {
  const Recording& capture = captured({program("addresses")}, {.checkpoints = "submit"});
  REQUIRE(capture.run.status == 0);
  std::uint64_t place = 0;
  for (const std::string& line : lines(rondo({"dump", "--format=jsonl", capture.path}).out)) {
    const Json row = Json::parse(line);
    if (place == 0 && row.at("/command") == "\"rondoAddress\"") place = std::stoull(row.at("/parameters/place"));
  }
  REQUIRE(place != 0);
  // Far behind all others: 16 GiB.
  const std::string elsewhere = std::to_string(place + (std::uint64_t{16} << 30));
  const Outcome outcome = player({"--verify", "--damage", "corrupt:rondoAddress#0:place=" + elsewhere, capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == kCannot);
  CHECK(is_one_line(outcome, "player"));
  CHECK(outcome.err.find("VkBuffer#") != std::string::npos);
  CHECK(outcome.err.find("has the device address") != std::string::npos);
}
