// SPDX-License-Identifier: Apache-2.0
// A second opinion of what cuts put back: the oracle's, of their memory at their end.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "json.h"
#include "oracle_cuts.h"
#include "trims.h"

using namespace scenario;

namespace {

const Recording& capture_of(Words words, const std::string& driver = lavapipe) {
  words[0] = program(words[0]);
  const Recording& capture = captured(words, {.driver = driver});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  return capture;
}

// The middle third of its submits.
Words middle_of(const Recording& capture) {
  const int n = std::stoi(Json::parse(rondo({"info", "--json", capture.path}).out).at("/submits"));
  const int first = (n + 1) / 3, last = std::max(first + 1, 2 * n / 3);
  return {"--submits", std::to_string(first) + ":" + std::to_string(last)};
}

CutMemory memory_of(const Recording& capture, const Words& span, const std::string& driver = lavapipe,
                    const std::string& damage = "") {
  const Cut part = cut(capture, span, driver);
  INFO(part.run.both());
  REQUIRE(part.run.status == 0);
  return memory_of_cut(capture.path, part.path, driver, damage);
}

void is_right(const Words& words, const std::string& driver = lavapipe) {
  const Recording& capture = capture_of(words, driver);
  const CutMemory memory = memory_of(capture, middle_of(capture), driver);
  INFO(words[0] << " " << words.back() << " on " << driver << ": " << memory.text());
  CHECK(memory.is_right());
}

void is_wrong(const Words& words, const std::string& left_out, const std::string& damage = "") {
  const Recording& capture = capture_of(words);
  Words span = middle_of(capture);
  if (!left_out.empty()) span.insert(span.end(), {"--leave-out", left_out});
  const CutMemory memory = memory_of(capture, span, lavapipe, damage);
  INFO(words[0] << " " << words.back() << ", " << left_out << damage << ": " << memory.text());
  CHECK(memory.problems.empty());
  CHECK(!memory.differences.empty());
}

// What allocations held, by what they were made for; "": the player's own.
using Held = std::vector<std::pair<std::string, std::string>>;

struct Replay : OracleReplay {
  TemporaryDirectory directory;
  explicit Replay(const Held& held) {
    contents = directory.path();
    for (const auto& [object, bytes] : held) {
      const std::uint64_t number = allocations.size() + 1;
      allocations.push_back({number, bytes.size(), 0, true, true, "digest", bytes.size(), std::to_string(number), ""});
      write_file(directory.file(allocations.back().file), bytes);
      if (!object.empty()) made.push_back({object, bytes.size()});
    }
  }
};

const std::string kZeros(4, '\0');

}  // namespace

SCENARIO("the comparison of a cut finds what is wrong, and lets be what is left out", "[trim]") {
  const Replay begin({{"gone", "gggg"}, {"a", "aaaa"}, {"b", "bbbb"}});
  const Replay end({{"gone", "gggg"}, {"a", "aaAA"}, {"b", "bbbb"}, {"c", "cccc"}});
  const auto compare = [&](const Replay& cut) { return compare_cut(begin, end, cut); };
  GIVEN("a cut that has all that it needs") {
    const CutMemory memory = compare(Replay({{"a", std::string(2, '\0') + "AA"}, {"b", kZeros}, {"c", "cccc"}}));
    THEN("it is right, and what it leaves out is counted") {
      CHECK(memory.is_right());
      CHECK(memory.text() == "1 of 3 allocations equal, 6 bytes equal, 6 left out, 0 wrong\n");
    }
  }
  GIVEN("a byte that nothing left there") {
    const CutMemory memory = compare(Replay({{"a", "aaAA"}, {"b", "bXbb"}}));
    THEN("it is named") {
      CHECK(!memory.is_right());
      CHECK(memory.differences == Words{"b of 4 bytes: 1 are wrong, the first at 1: 88, not 98 (98 before)"});
    }
  }
  GIVEN("a byte that the part writes, and is zero in the cut") {
    const CutMemory memory = compare(Replay({{"a", std::string("aaA\0", 4)}, {"b", "bbbb"}}));
    THEN("it is named, and so it is where the part allocates") {
      CHECK(memory.differences == Words{"a of 4 bytes: 1 are wrong, the first at 3: 0, not 65 (97 before)"});
      CHECK(compare(Replay({{"c", "ccc" + kZeros.substr(3)}})).bytes_different == 1);
    }
  }
  GIVEN("nothing but zeros") {
    const CutMemory memory = compare(Replay({{"b", kZeros}}));
    THEN("nothing is shown by it") {
      CHECK(memory.differences.empty());
      CHECK(!memory.is_right());
    }
  }
  GIVEN("what the player allocates to put contents back") {
    Replay cut({{"a", "aaAA"}, {"", "xxxx"}, {"c", "cccc"}});
    THEN("it is left out, where it lies between the others") {
      cut.made_before = 1;
      CHECK(compare(cut).is_right());
      CHECK(compare(cut).allocations == 2);
    }
    THEN("it is too much anywhere else") { CHECK(compare(cut).problems.size() == 1); }
  }
  GIVEN("allocations that cannot be compared") {
    THEN("each is named") {
      CHECK(compare(Replay({{"a", "aaAA"}, {"d", "dddd"}})).problems.size() == 1);
      CHECK(compare(Replay({{"a", "aaAA"}, {"b", "bbbbb"}})).problems.size() == 1);
      Replay leaks(Held{{"a", "aaAA"}});
      leaks.allocations[0].digest.clear();
      CHECK(compare(leaks).problems.size() == 1);
      Replay other(Held{{"a", "aaAA"}});
      other.made[0].size = 8;
      CHECK(compare(other).problems.size() == 1);
    }
  }
}

// By hand, of other captures: RONDO_TEST_CUTS="terrain.rondo@frames=5:6 …" says what is cut out of which.
SCENARIO("a cut's memory is that of the whole, or zeros that it does not need", "[trim]") {
  if (const char* cuts = std::getenv("RONDO_TEST_CUTS"); cuts != nullptr) {
    std::istringstream words(cuts);
    for (std::string one; words >> one;) {
      const std::size_t at = one.rfind('@'), equals = one.rfind('=');
      REQUIRE((at != std::string::npos && equals != std::string::npos && at < equals));
      const CutMemory memory =
          memory_of({one.substr(0, at), {}, {}}, {"--" + one.substr(at + 1, equals - at - 1), one.substr(equals + 1)});
      std::cout << one << ": " << memory.text() << std::flush;
      CHECK(memory.is_right());
    }
    return;
  }
  for (const char* name :
       {"compute", "images", "multisample", "chapters/linear_images", "aliases", "noise", "suballocate", "timeline"})
    is_right({name});
  is_right({"triangle", "--frames", "6"});
  for (const char* kind : {"mips", "layers", "3d", "depth", "stencil", "compressed", "linear", "multisampled", "large"})
    is_right({"kept_images", "--kind", kind});
  // Memory that the host cannot see is put back through the player's own.
  is_right({"memory_types"}, fake);
}

SCENARIO("a cut that has a byte wrong, or lacks contents, has other memory than the whole", "[trim]") {
  is_wrong({"compute"}, "", "corrupt:rondoMemoryContents#0:pData");
  is_wrong({"kept_images", "--kind", "layers"}, "", "corrupt:rondoImageContents#0:pData");
  for (const char* name : {"compute", "images", "chapters/linear_images", "aliases", "noise"})
    is_wrong({name}, "memory");
  is_wrong({"kept_images", "--kind", "layers"}, "images");
}
