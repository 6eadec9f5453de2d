// SPDX-License-Identifier: Apache-2.0
// The oracle itself: that it stands where it must, that it can tell different
// memory from equal, and real programs under it. (Every scenario program runs
// under it too: replays.cpp.)
#include "oracle.h"

#include <catch2/catch.hpp>
#include <csignal>

#include "../oracle/digest.h"
#include "fixture.h"
#include "replays.h"

using namespace scenario;

namespace {

std::vector<OracleAllocation> report(const std::string& text) { return parse_oracle_report(text); }

const char kTwoFreed[] =
    "allocated 7 1 4096 0\nbound 7 1\nallocated 7 2 65536 1\nbound 7 2\n"
    "freed 7 2 aaaa 100\nfreed 7 1 bbbb 4096\n";

const Recording& under_oracle(const Words& words) {
  const Recording& capture = captured(words, {.oracle = true});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

void is_equal(const OracleRun& replay, int at_least) {
  INFO(replay.outcome.both() << replay.result.text());
  CHECK(replay.outcome.status == 0);
  CHECK(replay.result.differences.empty());
  CHECK(replay.result.problems.empty());
  CHECK(replay.result.equal >= at_least);
}

void differs(const Words& words, const std::string& damage) {
  const OracleRun replay = replay_under_oracle(under_oracle(words), lavapipe, "", damage);
  INFO(damage << "\n" << replay.outcome.both() << replay.result.text());
  CHECK(replay.outcome.status == 0);  // the replay itself notices nothing
  CHECK_FALSE(replay.result.differences.empty());
}

}  // namespace

SCENARIO("the comparison finds what differs, is missing or is too much", "[oracle]") {
  const auto captured = report(kTwoFreed);
  GIVEN("the same allocations, freed in another order by another process") {
    const auto same = report(
        "allocated 8 1 65536 0\nbound 8 1\nallocated 8 2 4096 1\nbound 8 2\n"
        "freed 8 1 aaaa 100\nfreed 8 2 bbbb 4096\n");
    THEN("they are equal") {
      const OracleResult result = compare_oracle(captured, same, 0);
      CHECK(result.equal == 2);
      CHECK(result.differences.empty());
      CHECK(result.problems.empty());
      CHECK(result.text() == "2 allocations freed by both are equal, 0 leaked by the program\n");
    }
    THEN("a virtual swapchain image is missed") { CHECK(compare_oracle(captured, same, 1).problems.size() == 1); }
  }
  GIVEN("one with other contents") {
    const auto other = report(
        "allocated 8 1 4096 0\nbound 8 1\nallocated 8 2 65536 1\nbound 8 2\n"
        "freed 8 2 aaaa 100\nfreed 8 1 cccc 4096\n");
    const OracleResult result = compare_oracle(captured, other, 0);
    THEN("the captured one is named") {
      CHECK(result.equal == 1);
      REQUIRE(result.differences.size() == 1);
      CHECK(result.differences[0].find("allocation 1 of 4096 bytes") != std::string::npos);
      CHECK(result.problems.empty());
    }
  }
  GIVEN("the same contents in an allocation of another size") {
    const auto other = report(
        "allocated 8 1 4096 0\nbound 8 1\nallocated 8 2 200000 1\nbound 8 2\n"
        "freed 8 2 aaaa 100\nfreed 8 1 bbbb 4096\n");
    THEN("they differ, unless the size was rounded up only") {
      CHECK(compare_oracle(captured, other, 0).differences.size() == 1);
      const auto smaller = report(
          "allocated 8 1 4096 0\nbound 8 1\nallocated 8 2 65000 1\nbound 8 2\n"
          "freed 8 2 aaaa 100\nfreed 8 1 bbbb 4096\n");
      CHECK(compare_oracle(captured, smaller, 0).equal == 2);
    }
  }
  GIVEN("one that is missing") {
    const auto fewer = report("allocated 8 1 4096 0\nbound 8 1\nfreed 8 1 bbbb 4096\n");
    const OracleResult result = compare_oracle(captured, fewer, 0);
    THEN("it differs, and the number is wrong") {
      CHECK(result.differences.size() == 1);
      CHECK(result.problems.size() >= 1);
    }
  }
  GIVEN("one too many") {
    const auto more = report(std::string(kTwoFreed) + "allocated 7 3 64 0\nbound 7 3\nfreed 7 3 dddd 64\n");
    THEN("it is named, unless a swapchain accounts for it") {
      CHECK(compare_oracle(captured, more, 0).problems.size() == 2);
      CHECK(compare_oracle(captured, more, 1).problems.empty());
    }
  }
  GIVEN("a program that leaks one of three, and a player that frees it") {
    const auto leaked = report(std::string(kTwoFreed) + "allocated 7 3 64 0\nbound 7 3\n");
    const auto freed = report(std::string(kTwoFreed) + "allocated 7 3 64 0\nbound 7 3\nfreed 7 3 dddd 64\n");
    THEN("the leak is named, by its size") {
      const OracleResult result = compare_oracle(leaked, freed, 0);
      CHECK(result.equal == 2);
      CHECK(result.leaked == std::vector<std::uint64_t>{64});
      CHECK(result.problems.empty());
      CHECK(result.text().find("1 leaked by the program: sizes 64") != std::string::npos);
    }
    THEN("a player that leaks is named") { CHECK(compare_oracle(leaked, leaked, 0).problems.size() == 2); }
  }
  GIVEN("an allocation that could not be read") {
    const auto unread = report(
        "allocated 7 1 4096 0\nbound 7 1\nallocated 7 2 65536 1\nbound 7 2\n"
        "unread 7 2 it is protected\nfreed 7 1 bbbb 4096\n");
    THEN("it is not counted as equal, and says why") {
      const OracleResult result = compare_oracle(unread, unread, 0);
      CHECK(result.equal == 1);
      REQUIRE(result.problems.size() == 2);
      CHECK(result.problems[0].find("it is protected") != std::string::npos);
    }
  }
}

SCENARIO("the oracle's digest sees every byte", "[oracle]") {
  std::vector<unsigned char> bytes(67, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7 + 1);
  const std::string whole = oracle::digest(bytes.data(), bytes.size()).text();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(bytes[i] ^ 0x10);
    CHECK(oracle::digest(bytes.data(), bytes.size()).text() != whole);
    bytes[i] = static_cast<unsigned char>(bytes[i] ^ 0x10);
  }
  CHECK(oracle::digest(bytes.data(), bytes.size()).text() == whole);
  CHECK(oracle::digest(bytes.data(), bytes.size() - 1).text() != whole);
  // Zeros at the end, in whatever number, are nobody's writes.
  bytes.resize(1000, 0);
  CHECK(oracle::without_zeros(bytes.data(), bytes.size()) == 67);
  CHECK(oracle::without_zeros(bytes.data(), 68) == 67);
  CHECK(oracle::without_zeros(bytes.data() + 67, 900) == 0);
}

SCENARIO("the oracle stands beneath the capture layer", "[oracle]") {
  const TemporaryDirectory directory;
  Command command = capture_command({program("vulkan14")}, directory.file("x.rondo"), {.oracle = true});
  command.environment["VK_LOADER_DEBUG"] = "layer";
  const Outcome outcome = run(command);
  INFO(outcome.both());
  REQUIRE(outcome.status == 0);
  const std::string::size_type stack = outcome.err.find("vkCreateDevice layer callstack");
  const std::string::size_type rondo = outcome.err.find("VK_LAYER_RONDO_capture", stack);
  const std::string::size_type oracle = outcome.err.find("VK_LAYER_RONDO_test_oracle", rondo);
  REQUIRE(stack != std::string::npos);
  REQUIRE(rondo != std::string::npos);
  REQUIRE(oracle != std::string::npos);
  CHECK(oracle < outcome.err.find("<Device>", stack));
}

SCENARIO("the oracle keeps what it digests where it is told to, and says where it cannot", "[oracle]") {
  const TemporaryDirectory directory;
  const auto report_with = [&](const std::string& contents) {
    const std::string report = directory.file("report");
    write_file(report, "");
    Command command;
    command.arguments = {program("compute")};
    use_oracle(command.environment, report, contents);
    const Outcome outcome = run(command);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    return parse_oracle_report(read_file(report));
  };
  const auto kept = report_with(directory.path());
  REQUIRE(kept.size() == 2);
  for (const OracleAllocation& a : kept) {
    const std::string bytes = read_file(directory.file(a.file));
    CHECK(bytes.size() == a.bytes);
    CHECK(oracle::digest(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()).text() == a.digest);
  }
  const auto lost = report_with(directory.file("none"));
  REQUIRE(lost.size() == 2);
  for (const OracleAllocation& a : lost) {
    CHECK(a.digest.empty());
    CHECK(a.problem.find("No such file or directory") != std::string::npos);
  }
}

SCENARIO("a replay that was tampered with is unequal under the oracle", "[oracle]") {
  is_equal(replay_under_oracle(under_oracle({program("compute")})), 2);
  WHEN("the last host write is dropped") { differs({program("compute")}, "drop:rondoHostWrite#63"); }
  WHEN("nothing is dispatched") { differs({program("compute")}, "drop:vkCmdDispatch#*"); }
  WHEN("nothing is drawn") { differs({program("triangle"), "--frames", "5"}, "drop:vkCmdDraw#*"); }
}

SCENARIO("every way of finding host writes leaves the same memory", "[oracle]") {
  const Words ways =
      no_readback().empty() ? Words{"alias", "pagemap", "scan", "guard"} : Words{"auto", "scan", "guard"};
  for (const std::string& way : ways)
    for (const char* name : {"compute", "memory_types", "rewrite", "twoqueues_threads"}) {
      const Recording& capture = captured({program(name)}, {.memory = way, .oracle = true});
      INFO(name << " " << way << "\n" << capture.run.both());
      REQUIRE(capture.run.status == 0);
      is_equal(replay_under_oracle(capture), 1);
    }
}

SCENARIO("a program's own handler of SIGSEGV sees its own faults only, however writes are found", "[oracle]") {
  const Recording& capture = captured({program("handlers")}, {.memory = "guard", .oracle = true});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  is_equal(replay_under_oracle(capture), 2);
}

SCENARIO("memory that cannot be mapped or is not coherent is the same under the oracle", "[oracle]") {
  leaves_the_same_memory({program("memory_types")}, {.driver = fake});
}

// The image ends where the driver would let no buffer end, and its last plane is there.
SCENARIO("memory that cannot be mapped is read up to its last byte", "[oracle]") {
  const std::string padding = "buffer-alignment=" + std::to_string(GENERATE(1024, 8192, 65536));
  const Recording& capture = captured({program("planes"), "--unseen", "1"},
                                      {.memory = "alias", .driver = fake, .settings = padding, .oracle = true});
  INFO(padding << "\n" << capture.run.both());
  REQUIRE(capture.run.status == 0);
  is_equal(replay_under_oracle(capture, fake, padding), 2);
  const OracleRun replay = replay_under_oracle(capture, fake, padding, "drop:vkCmdCopyBufferToImage#2");
  INFO(replay.outcome.both() << replay.result.text());
  CHECK(replay.outcome.status == 0);
  REQUIRE(replay.result.differences.size() == 1);
  CHECK(replay.result.differences[0].find("of 12288 bytes") != std::string::npos);
}

SCENARIO("a program that dies leaves nothing freed, and its replay frees it", "[oracle]") {
  leaves_the_same_memory({program("crash")}, {.status = 128 + SIGKILL, .frees_nothing_because = "it dies before"});
}

SCENARIO("vkcube's memory is the same under the oracle", "[oracle]") {
  is_equal(replay_under_oracle(under_oracle(vkcube(30))), 5);
}

SCENARIO("vkcubepp's memory is the same under the oracle", "[oracle][long]") {
  is_equal(replay_under_oracle(under_oracle(vkcubepp(30))), 5);
}

// It runs until it is told to end, and has freed nothing then: no contents are
// compared, but its replay ends well, and what it left behind is named.
SCENARIO("glxgears on Vulkan replays under the oracle, which names what it leaks", "[oracle][long]") {
  const Recording& capture = captured(glxgears(6), {.oracle = true});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 128 + SIGTERM);
  const OracleRun replay = replay_under_oracle(capture);
  is_equal(replay, 0);
  CHECK(replay.result.equal == 0);
  CHECK(!replay.result.leaked.empty());
}

SCENARIO("OpenGL programs on Vulkan leave the same memory under the oracle", "[oracle][long]") {
  for (const char* benchmark : {"shadow", "buffer:update-method=map", "jellyfish", "terrain", "refract"}) {
    const Recording& capture = captured(glmark2(benchmark, 5), {.oracle = true});
    INFO(benchmark << "\n" << capture.run.both());
    REQUIRE(capture.run.status == 0);
    CHECK(capture.run.out.find("zink") != std::string::npos);
    is_equal(replay_under_oracle(capture), 3);
  }
}
