// SPDX-License-Identifier: Apache-2.0
// Every test program, cut in several places.
#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <utility>

#include "json.h"
#include "skip.h"
#include "trims.h"

using namespace scenario;

namespace {

// Others than these are cut everywhere: work waits for what comes later.
const std::set<std::string> kWait = {"chapters/timelines", "three_queues"};

// What a verification compared, of every kind; empty: there was nothing.
std::string all_compared(const Outcome& outcome) {
  static const std::regex each("([0-9]+) of [0-9]+ [a-z -]+ compared and equal");
  const std::string text = outcome.both();
  std::string all;
  for (std::sregex_iterator at(text.begin(), text.end(), each), end; at != end; ++at) all += at->str() + "; ";
  return all;
}

bool has_nothing_to_compare(const Outcome& outcome) {
  const std::string text = outcome.both();
  return text.find("nothing to compare") != std::string::npos ||
         text.find("nothing could be compared") != std::string::npos;
}

struct Cuts {
  int verified = 0, refused = 0;
};

void cut_in_places(const std::string& name, const Recording& capture, const std::string& driver, Cuts& cuts) {
  const int n = std::stoi(Json::parse(rondo({"info", "--json", capture.path}).out).at("/submits"));
  for (const auto& [first, last] : std::set<std::pair<int, int>>{{1, n}, {n / 2, n}, {n - 1, n}, {n / 3, 2 * n / 3}}) {
    if (first < 0 || last <= first || (first == 0 && last == n)) continue;
    const std::string span = std::to_string(first) + ":" + std::to_string(last);
    const Cut part = cut(capture, {"--submits", span}, driver);
    INFO(name << " on " << driver << ", submits " << span << "\n" << part.run.both());
    if (part.run.status != 0) {
      CHECK(kWait.count(name) == 1);
      CHECK(part.run.status == 1);
      CHECK(is_one_line(part.run, "rondo"));
      CHECK(part.run.err.find("it cannot be cut there: ") != std::string::npos);
      ++cuts.refused;
      continue;
    }
    // As much is compared as where it is from.
    const Outcome outcome = player({"--verify", "--timeout", "60", part.path}, driver);
    const Outcome source = player({"--verify", "--timeout", "60", "--submits", span, capture.path}, driver);
    INFO(outcome.both() << source.both());
    if (outcome.status != 0 && has_nothing_to_compare(outcome)) {
      CHECK(player({"--timeout", "60", part.path}, driver).status == 0);
      CHECK(has_nothing_to_compare(source));
    } else {
      CHECK(outcome.status == 0);
      CHECK(all_compared(outcome) == all_compared(source));
    }
    const std::string needless = needless_objects(part);
    INFO(needless);
    CHECK(needless.empty());
    // All of a call that submits several is in it.
    const std::string all = Json::parse(rondo({"info", "--json", part.path}).out).at("/submits");
    const Outcome same = rondo({"diff", capture.path + "@submits=" + span, part.path + "@submits=0:" + all});
    INFO(same.both());
    CHECK(same.status == 0);
    ++cuts.verified;
  }
}

}  // namespace

SCENARIO("every program's capture is cut at its begin, in its middle and at its end, and verifies", "[trim-programs]") {
  std::vector<std::string> names = programs();
  for (const std::string& name : programs("chapters")) names.push_back("chapters/" + name);
  Cuts cuts;
  for (const std::string& name : names) {
    // Their captures are cut, or another's than the program's own; or large, and like others'.
    static const std::set<std::string> left_out{"crash", "lost",       "forks", "hostile",
                                                "churn", "persistent", "draws", "meanwhile"};
    if (left_out.count(name) != 0) continue;
    const Words words{program(name)};
    for (const std::string& driver : {lavapipe, lavapipe25, fake}) {
      // There they die natively, the first as chance has it: one driver follows descriptors that no shader uses, the
      // other calls what it does not have.
      if (name == "chapters/early_ends" && driver == lavapipe) continue;
      if (name == "chapters/released_images" && driver == lavapipe25) continue;
      if (!no_driver(driver).empty() || !cannot_run(words, driver).empty()) continue;
      const Recording& capture = captured(words, {.checkpoints = "submit", .driver = driver});
      if (capture.run.status != 0) continue;  // natively neither: other scenarios say why
      cut_in_places(name, capture, driver, cuts);
      break;
    }
  }
  INFO(cuts.verified << " verified, " << cuts.refused << " refused");
  CHECK(cuts.verified > 100);
  CHECK(cuts.refused > 0);
  CHECK(cuts.refused < 12);
}
