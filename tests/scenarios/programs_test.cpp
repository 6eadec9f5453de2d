// SPDX-License-Identifier: Apache-2.0
// Whole captures and replays of tests/programs.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "json.h"
#include "skip.h"

using namespace scenario;

namespace {

// What holds for every program that ends well. `submits` as the program makes them.
void replays_bit_for_bit(const Words& words, int submits, bool prints_the_same = true) {
  GIVEN("its capture with read-back checkpoints") {
    const Recording& capture = captured(words, {.checkpoints = "readback"});
    INFO(capture.run.both());
    REQUIRE(capture.run.status == 0);

    THEN("the program saw what it sees without a recorder") {
      Command alone;
      alone.arguments = words;
      const Outcome outcome = run(alone);
      REQUIRE(outcome.status == 0);
      if (prints_the_same) CHECK(capture.run.out == outcome.out);
    }
    WHEN("rondo info reads it") {
      const Outcome outcome = rondo({"info", "--json", capture.path});
      INFO(outcome.both());
      REQUIRE(outcome.status == 0);
      const Json info = Json::parse(outcome.out);
      THEN("it is complete, and every submit is counted") {
        CHECK(info.at("/complete") == "true");
        CHECK(info.at("/submits") == std::to_string(submits));
      }
    }
    WHEN("rondo dump prints it as text and as JSON lines") {
      const Outcome text = rondo({"dump", "--format=text", capture.path});
      const Outcome jsonl = rondo({"dump", "--format=jsonl", capture.path});
      INFO(text.err << jsonl.err);
      REQUIRE(text.status == 0);
      REQUIRE(jsonl.status == 0);
      THEN("both have a row for every record") {
        int rows = 0, submitted = 0;
        for (const std::string& line : lines(jsonl.out)) {
          const Json row = Json::parse(line);
          REQUIRE(row.valid());
          ++rows;
          if (row.at("/command") == "\"vkQueueSubmit\"") ++submitted;
        }
        CHECK(submitted == submits);
        CHECK(count(text.out, "vkQueueSubmit(") + count(text.out, "vkQueueSubmit ") >= submits);
        CHECK(static_cast<int>(lines(text.out).size()) == rows);
      }
      THEN("objects are numbered names and nobody sees a raw handle of a device") {
        CHECK(text.out.find("VkDevice#0") != std::string::npos);
        CHECK(text.out.find("VkQueue#0") != std::string::npos);
      }
    }
    WHEN("it is replayed and verified") {
      if (!no_readback().empty()) SKIP_SCENARIO(no_readback());  // the other sections still run
      const Outcome outcome = player({"--verify", capture.path});
      INFO(outcome.both());
      THEN("every checkpoint was compared and is equal") {
        CHECK(outcome.status == 0);
        const Compared result = compared(outcome, "[a-z -]+");
        CHECK(result.all > 0);
        CHECK(result.equal == result.all);
      }
    }
    WHEN("it is replayed three times over") {
      const Outcome outcome = player({"--loop", "3", capture.path});
      INFO(outcome.both());
      THEN("every pass succeeds") { CHECK(outcome.status == 0); }
    }
    WHEN("it is replayed under the validation layer") {
      const Outcome outcome = player({"--validate", capture.path});
      INFO(outcome.both());
      THEN("not a message appears") { CHECK(outcome.status == 0); }
    }
  }
}

}  // namespace

SCENARIO("many submits over one persistently mapped buffer replay bit for bit", "[programs]") {
  replays_bit_for_bit({program("compute")}, 64);
}

SCENARIO("an offscreen triangle with readback replays bit for bit", "[programs]") {
  replays_bit_for_bit({program("triangle"), "--frames", "5"}, 5);
}

SCENARIO("two threads that write one page and submit replay bit for bit", "[programs]") {
  replays_bit_for_bit({program("twoqueues_threads")}, 128);
}

SCENARIO("a program that destroys nothing replays and leaves cleanly", "[programs]") {
  replays_bit_for_bit({program("leak")}, 8);
}

SCENARIO("a program that asks for Vulkan 1.4 is captured", "[programs]") {
  replays_bit_for_bit({program("vulkan14")}, 1);
}

SCENARIO("ten thousand recorded draws replay bit for bit", "[programs]") {
  const Words words{program("draws"), "--calls", "5000", "--repeat", "2"};
  GIVEN("the capture, without checkpoints: nothing is read back") {
    const Recording& capture = captured(words);
    INFO(capture.run.both());
    REQUIRE(capture.run.status == 0);
    THEN("every draw is in it") {
      const Outcome dump = rondo({"dump", "--format=jsonl", "--grep", "vkCmdDraw", capture.path});
      REQUIRE(dump.status == 0);
      CHECK(count(dump.out, "\"vkCmdDraw\"") == 10001);
    }
    THEN("it replays") {
      const Outcome outcome = player({capture.path});
      INFO(outcome.both());
      CHECK(outcome.status == 0);
    }
    THEN("verifying it is an error: there is nothing to compare") {
      const Outcome outcome = player({"--verify", capture.path});
      INFO(outcome.both());
      CHECK(outcome.status != 0);
      CHECK(is_one_line(outcome, "player"));
      CHECK(outcome.err.find("checkpoint") != std::string::npos);
    }
  }
}
