// SPDX-License-Identifier: Apache-2.0
// Threads, synchronisation and processes: what happens at the same time in the
// program is replayed in one order, and that order is a right one.
#include <catch2/catch.hpp>
#include <csignal>
#include <set>

#include "fixture.h"
#include "json.h"
#include "oracle.h"
#include "replays.h"

using namespace scenario;

SCENARIO("two threads that record into one pool each replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("two_pools")}, {.submits = 12});
}

SCENARIO("events that host and device set, wait for and reset replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("events")}, {.submits = 6});
}

SCENARIO("work that waits for a value which another thread signals later replays bit for bit", "[threads]") {
  replays_bit_for_bit({program("timeline")}, {.submits = 8});
}

SCENARIO("64 threads whose handles are each other's old ones replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("churn")}, {.submits = 512,
                                           .least_compared = 0.5,
                                           .not_compared_because = "63 other threads write and submit at every wait"});
}

SCENARIO("pools that are reset while other threads allocate replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("pool_resets")},
                      {.submits = 96,
                       .least_compared = 0.75,
                       .not_compared_because = "three other threads write and submit at every wait"});
}

SCENARIO("two instances and three devices at once replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("two_instances")}, {.submits = 56});
}

SCENARIO("fences that are polled and used again replay bit for bit", "[threads]") {
  replays_bit_for_bit(
      {program("fences")},
      {.submits = 33,
       .not_compared = 2,
       .not_compared_because = "two buffers, at a wait for one of two fences: the other waits for the host"});
}

SCENARIO("a flag that the device raises and the host polls replays bit for bit", "[threads]") {
  replays_bit_for_bit({program("flag")}, {.submits = 1});
}

SCENARIO("one page that host and device write at the same time replays bit for bit", "[threads]") {
  replays_bit_for_bit({program("one_page")}, {.submits = 24});
  WHEN("the replay does not wait where the capture did") {
    // Without checkpoints, which wait themselves.
    const Recording& capture = captured({program("one_page")}, {.checkpoints = "none", .oracle = true});
    REQUIRE(capture.run.status == 0);
    const Outcome dump = rondo({"dump", "--format=text", capture.path});
    int idles = 0;
    for (const std::string& line : lines(dump.out)) idles += line.find("rondoDeviceIdle") != std::string::npos ? 1 : 0;
    REQUIRE(idles > 0);
    CHECK(dump.out.find("[ambiguous]") == std::string::npos);
    const OracleRun right = replay_under_oracle(capture);
    INFO(right.outcome.both() << right.result.text());
    CHECK(right.result.differences.empty());
    // Of an earlier one, later host writes would put right what it did. On a busy machine the work may be
    // done before the write even so: not each time.
    bool differs = false;
    for (int i = 0; i < 5 && !differs; ++i)
      differs = !replay_under_oracle(capture, lavapipe, "", "drop:rondoDeviceIdle#" + std::to_string(idles - 1))
                     .result.differences.empty();
    CHECK(differs);
  }
}

SCENARIO("a program with a handler of SIGSEGV of its own replays bit for bit", "[threads]") {
  replays_bit_for_bit({program("handlers")}, {.submits = 4});
}

SCENARIO("submits of every shape replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("submits")}, {.submits = 21});
}

SCENARIO("command buffers replay bit for bit whatever their life was", "[threads]") {
  replays_bit_for_bit({program("command_buffers")}, {.submits = 13});
}

SCENARIO("a program that ends by _exit in the middle of its work replays up to there", "[threads]") {
  replays_bit_for_bit({program("midway"), "--end", "1"}, {.submits = 5, .frees_nothing_because = "it ends before"});
}

SCENARIO("a program that ends by quick_exit in the middle of its work replays up to there", "[threads]") {
  replays_bit_for_bit({program("midway"), "--end", "2"}, {.submits = 5, .frees_nothing_because = "it ends before"});
}

SCENARIO("a program that aborts in the middle of its work replays up to there", "[threads]") {
  replays_bit_for_bit({program("midway"), "--end", "3"},
                      {.submits = 5, .status = 128 + SIGABRT, .frees_nothing_because = "it ends before"});
}

SCENARIO("a program that returns from main while its threads work replays up to there", "[threads]") {
  replays_bit_for_bit({program("midway"), "--end", "4"}, {.submits = 5, .frees_nothing_because = "it ends before"});
}

SCENARIO("a program that exits while its threads work replays up to there", "[threads]") {
  replays_bit_for_bit({program("midway"), "--end", "0"}, {.submits = 5, .frees_nothing_because = "it ends before"});
}

SCENARIO("a thread that writes memory while another submits replays bit for bit", "[threads]") {
  replays_bit_for_bit({program("meanwhile")}, {.submits = 30,
                                               .least_compared = 0.3,
                                               .not_compared_because = "a thread writes two of the buffers meanwhile",
                                               .least_parts = 0.6});
}

SCENARIO("a program that forks while it records replays bit for bit", "[threads]") {
  replays_bit_for_bit({program("forks")}, {.submits = 38,
                                           .least_compared = 0.75,
                                           .not_compared_because = "another thread writes and submits at every wait"});
}

SCENARIO("a forked child that becomes another Vulkan program gets a capture of its own", "[threads]") {
  const TemporaryDirectory directory;
  const Outcome outcome = run(capture_command({program("forks"), "--exec", "1"}, directory.file("x.rondo")));
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  const std::vector<std::string> names = files_in(directory.path());
  CHECK(names.size() == 2);
  std::multiset<std::string> submits;
  for (const std::string& name : names) {
    const Json info = Json::parse(rondo({"info", "--json", directory.file(name)}).out);
    CHECK(info.at("/complete") == "true");
    submits.insert(info.at("/submits"));
    const Outcome replay = player({directory.file(name)});
    INFO(name << replay.both());
    CHECK(replay.status == 0);
  }
  CHECK(submits == std::multiset<std::string>{"1", "39"});
}

SCENARIO("parts of memory mapped, written and flushed in every way replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("mappings")}, {.submits = 7});
}

SCENARIO("memory that buffers and images share replays bit for bit", "[threads]") {
  replays_bit_for_bit({program("shared_memory")}, {.submits = 6});
}

SCENARIO("descriptor sets whose values come back replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("sets")}, {.submits = 35});
}

SCENARIO("a program that hears not yet, timeout and incomplete replays bit for bit", "[threads]") {
  replays_bit_for_bit({program("results")}, {.submits = 36});
}

SCENARIO("a program that hears that a pool is full replays bit for bit", "[threads]") {
  const Words words{program("results"), "--full", "1"};
  replays_bit_for_bit(words, {.submits = 36, .driver = fake});
  const Recording& capture = captured(words, {.checkpoints = "readback", .driver = fake});
  const Outcome dump = rondo({"dump", "--format=jsonl", "--grep", "vkAllocateDescriptorSets", capture.path});
  INFO(dump.both());
  REQUIRE(dump.status == 0);
  CHECK(count(dump.out, "VK_ERROR_OUT_OF_POOL_MEMORY") == 8);
}

SCENARIO("thousands of objects with values that come back replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("handles")}, {.submits = 60});
}

SCENARIO("queues that write one buffer in turn replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("queues")}, {.submits = 4});  // one queue: lavapipe has no more
}

// The fake driver has several queues, non-coherent memory, memory that the host
// does not see, larger alignments, and handles whose values come back.
SCENARIO("waits, polls and submits replay bit for bit on a driver with many queues", "[threads]") {
  const std::string name = GENERATE("two_pools", "events", "timeline", "fences", "flag", "submits", "command_buffers",
                                    "mappings", "shared_memory", "queues", "handles");
  const std::string settings = GENERATE("handles=recycled", "handles=duplicate");
  const CaptureOptions options{.checkpoints = "readback", .driver = fake, .settings = settings};
  const Recording& capture = captured({program(name)}, options);
  INFO(name << " with " << settings << '\n' << capture.run.both());
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({"--verify", capture.path}, fake, settings);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "[a-z -]+").equal > 0);
}

// Samplers, set layouts, shader modules and render passes made alike are one object with one value.
SCENARIO("objects that share a handle replay bit for bit", "[threads]") {
  const std::string name = GENERATE("churn", "samplers", "sets", "templates", "triangle", "secondary");
  const auto [captured_with, played_with] =
      GENERATE(std::pair("handles=duplicate", "handles=duplicate"), std::pair("handles=duplicate", "handles=unique"),
               std::pair("handles=unique", "handles=duplicate"));
  const Recording& capture =
      captured(without_checks({program(name)}), {.checkpoints = "readback", .driver = fake, .settings = captured_with});
  INFO(name << " with " << captured_with << ", then " << played_with << '\n' << capture.run.both());
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({"--verify", capture.path}, fake, played_with);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "[a-z -]+").equal > 0);
}

SCENARIO("devices among several that look alike replay bit for bit", "[threads]") {
  replays_bit_for_bit(without_checks({program("two_instances")}),
                      {.driver = fake, .settings = "devices=3", .replay_settings = "devices=3"});
}

SCENARIO("creations that fail in the capture are not needed by the replay", "[threads]") {
  // Each counts from the first: buffers and allocations of set-up come first.
  const std::string failing =
      "fail=vkCreateBuffer:9:VK_ERROR_OUT_OF_DEVICE_MEMORY;vkCreateBuffer:20:VK_ERROR_OUT_OF_HOST_MEMORY;"
      "vkAllocateMemory:12:VK_ERROR_OUT_OF_DEVICE_MEMORY";
  const CaptureOptions options{.checkpoints = "readback", .driver = fake, .settings = failing};
  const Recording& capture = captured({program("results"), "--fails", "1"}, options);
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({"--verify", capture.path}, fake);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  CHECK(compared(outcome, "[a-z -]+").equal > 0);
}

SCENARIO("two swapchains without a window, one replaced by another, replay bit for bit", "[threads]") {
  replays_bit_for_bit({program("headless")}, {.submits = 12,
                                              .driver = fake,
                                              .checkpoints = "present",
                                              .allocates_nothing_because = "it has its swapchains' images",
                                              .no_contents_because = "it draws to swapchain images only"});
  const Recording& capture = captured({program("headless")}, {.checkpoints = "present", .driver = fake});
  const Compared images = compared(player({"--verify", capture.path}, fake), "images");
  CHECK(images.equal == 24);
  CHECK(images.all == 24);
}

SCENARIO("what a program reads of its swapchains' images replays bit for bit", "[threads]") {
  replays_bit_for_bit({program("headless"), "--read", "1"}, {.submits = 12, .driver = fake});
}

SCENARIO("new swapchains' images are zeros in the capture, as they are in a replay", "[threads]") {
  const std::string checkpoints = GENERATE("present", "submit");
  const std::string ahead = GENERATE("0", "1");
  const std::string settings = ahead == "1" ? "keeps=1,delay-us=5000" : "keeps=1";
  const Recording& capture = captured({program("headless"), "--undrawn", "9", "--read", "1", "--ahead", ahead},
                                      {.checkpoints = checkpoints, .driver = fake, .settings = settings});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({"--verify", capture.path}, fake, "keeps=1");
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  const Compared images = compared(outcome, "images");
  CHECK(images.equal == 24);
  CHECK(images.all == 24);
  CHECK(rondo({"dump", capture.path}).out.find("could not be zeroed") == std::string::npos);
}

SCENARIO("an acquire is not held for work that may wait for the program", "[threads]") {
  const Recording& capture = captured({program("headless"), "--frames", "4", "--ahead", "1", "--event", "1"},
                                      {.checkpoints = "present", .driver = fake, .settings = "keeps=1,delay-us=70000"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const Outcome dumped = rondo({"dump", capture.path});
  INFO(dumped.both());
  CHECK(count(dumped.out, "could not be zeroed: work was still pending") > 0);
  CHECK(player({"--verify", capture.path}, fake).status == 0);  // all is drawn over
}
