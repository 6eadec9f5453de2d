// SPDX-License-Identifier: Apache-2.0
// What programs see of work that is still running: events and queries that it takes back, and what they write
// as soon as a query says that they may.
#include <algorithm>
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"
#include "skip.h"
#include "trims.h"

using namespace scenario;

namespace {

constexpr unsigned char kGreen[] = {0x00, 0xff, 0x00, 0xff}, kRed[] = {0xff, 0x00, 0x00, 0xff};

bool is_all_of(const std::string& bytes, const unsigned char (&texel)[4]) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (static_cast<unsigned char>(bytes[i]) != texel[i % 4]) return false;
  return bytes.size() == 1u << 20;
}

// The index of the last row of this command, with this in it, before `end`.
std::size_t last_row(const std::vector<DumpRow>& rows, const std::string& command, const std::string& part,
                     std::size_t end) {
  while (end-- > 0)
    if (rows[end].command == command && rows[end].text.find(part) != std::string::npos) return end;
  FAIL("no " << command << " with " << part);
  return 0;
}

}  // namespace

SCENARIO("events and queries that one submit gives and takes back replay bit for bit", "[polls]") {
  replays_bit_for_bit({program("taken_back")}, {.submits = 5});
}

SCENARIO("what was seen and taken back is seen in a replay that asks too late, in loops and in cuts", "[polls]") {
  const auto saw = [](const Recording& capture) {
    const std::vector<DumpRow> rows = dump_rows(capture.path);
    return std::any_of(rows.begin(), rows.end(), [](const DumpRow& row) {
      return row.command == "vkGetEventStatus" && row.text.find("VK_EVENT_SET") != std::string::npos;
    });
  };
  // On a busy machine the program asks too late now and then.
  int copies = 100;
  const auto record = [&] { return &captured({program("taken_back"), "--copies", std::to_string(copies)}); };
  const Recording* recording = record();
  while (recording->run.status == 0 && !saw(*recording) && copies < 2000) {
    copies *= 3;
    recording = record();
  }
  const Recording& capture = *recording;
  REQUIRE(capture.run.status == 0);
  CHECK(saw(capture));
  for (int i = 0; i < 3; ++i) {
    const Outcome played = player({capture.path});
    INFO(played.both());
    CHECK(played.status == 0);
  }
  const Outcome looped = player({"--loop", "3", capture.path});
  INFO(looped.both());
  CHECK(looped.status == 0);
  for (const char* span : {"1:3", "4:5"}) {
    const Cut part = cut(capture, {"--submits", span});
    INFO(part.run.both());
    REQUIRE(part.run.status == 0);
    const Outcome outcome = player({part.path});
    INFO(outcome.both());
    CHECK(outcome.status == 0);
  }
}

SCENARIO("what the host writes as soon as a query is available replays bit for bit", "[polls]") {
  replays_bit_for_bit({program("polled_queries")}, {.submits = 1});
}

SCENARIO("a write that a query made possible is recorded when the work is known to have ended", "[polls]") {
  const Recording& capture = captured({program("polled_queries")});
  REQUIRE(capture.run.status == 0);
  const std::vector<DumpRow> rows = dump_rows(capture.path);
  const std::size_t freed = last_row(rows, "vkFreeMemory", "VkDeviceMemory#0", rows.size());
  const std::size_t destroyed = last_row(rows, "vkDestroyBuffer", "VkBuffer#0", freed);
  const std::size_t written = last_row(rows, "rondoHostWrite", "VkDeviceMemory#0", freed);
  const std::size_t submitted = last_row(rows, "vkQueueSubmit", "", freed);
  CHECK(submitted < written);
  CHECK(written < destroyed);
  const auto contents = [&](const Words& place) {
    const TemporaryDirectory directory;
    Words all{"extract", "--buffers", capture.path, "-o", directory.path(), "VkBuffer#0"};
    all.insert(all.begin() + 2, place.begin(), place.end());
    const Outcome outcome = rondo(all);
    INFO(outcome.both());
    REQUIRE(outcome.status == 0);
    return read_file(directory.file("VkBuffer-0.bin"));
  };
  CHECK(is_all_of(contents({"--at", "submit:0"}), kGreen));
  CHECK(is_all_of(contents({}), kRed));
}
