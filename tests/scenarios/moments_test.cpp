// SPDX-License-Identifier: Apache-2.0
// Programs that die at any moment, each way: what they had submitted is in the capture, and plays.
#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <random>
#include <regex>

#include "fixture.h"
#include "sanitizers.h"
#include "skip.h"

using namespace scenario;

namespace {

constexpr int kLeft = 3;  // the status of tests/preload/die_later's _exit

struct Way {
  const char* by;  // DIE_BY
  int signal;      // 0: it leaves with a status
};
constexpr Way kWays[] = {{"kill", SIGKILL}, {"segv", SIGSEGV}, {"abort", SIGABRT}, {"_exit", 0}};

// die_later.so does not live with a program that opens the loader itself, as newer versions of vkcube do.
bool is_linked_to_the_loader(const std::string& path) {
  Command command;
  command.arguments = {"ldd", path};
  return run(command).out.find("libvulkan") != std::string::npos;
}

// Without an end.
const std::vector<Words>& endless() {
  static const std::vector<Words> all = [] {
    std::vector<Words> words{{program("compute"), "--submits", "100000000"},
                             {program("twoqueues_threads"), "--rounds", "100000000"},
                             {program("headless"), "--frames", "100000000"},
                             {program("churn"), "--threads", "4", "--rounds", "100000000"}};
    if (is_linked_to_the_loader("/usr/bin/vkcube")) words.push_back(vkcube(100000000));
    return words;
  }();
  return all;
}
const std::string& driver_of(const Words& words) { return words[0] == program("headless") ? fake : lavapipe; }
bool has_threads(const Words& words) {
  return words[0] == program("twoqueues_threads") || words[0] == program("churn");
}

constexpr double kLongest_us = 400'000;

struct Death {
  Way way;
  Words words;
  bool in_handler;  // on the thread that works, wherever it is
  int after_us;     // after the first instance was there
  bool checked;     // checkpoints are captured and compared
  bool with_launcher;
};

struct Submits {
  std::uint64_t begun, returned, returned_before;  // as the program saw it, and before it began to die
};

// What a replay says that it played; -1: nothing.
long long submits_played(const Outcome& outcome) {
  std::smatch match;
  const std::string said = outcome.out;
  if (!std::regex_search(said, match, std::regex("([0-9,]+) submits?"))) return -1;
  std::string number = match[1];  // with separators
  number.erase(std::remove(number.begin(), number.end(), ','), number.end());
  return std::stoll(number);
}

Outcome dies(const Death& death, const TemporaryDirectory& directory, Submits& submits) {
  const std::string counts = directory.file("counts");
  write_file(counts, std::string(sizeof(Submits), '\0'));
  const bool presents = death.words[0] == "vkcube" || death.words[0] == program("headless");
  Command command = capture_command(death.words, directory.file("x.rondo"),
                                    {.checkpoints = !death.checked ? "none"
                                                    : presents     ? "present"
                                                                   : "readback",
                                     .driver = driver_of(death.words),
                                     .with_launcher = death.with_launcher});
  const std::string library = build_root() + "/tests/preload/die_later.so";
  command.environment["LD_PRELOAD"] =
      death.with_launcher ? library : build_root() + "/layer/librondo_preload.so:" + library;
  command.environment["DIE_BY"] = death.way.by;
  command.environment["DIE_IN"] = death.in_handler ? "handler" : "thread";
  command.environment["DIE_AFTER_US"] = std::to_string(death.after_us);
  command.environment["DIE_COUNT"] = counts;
  const Outcome outcome = run(command);
  const std::string bytes = read_file(counts);
  std::memcpy(&submits, bytes.data(), sizeof submits);
  return outcome;
}

// By the launcher it plays as it is, without it by --salvage: up to the last submit that returned, or the one that was
// being made. Where several threads record, the first number that is missing may be before others' last submits; and
// what they submit while _exit closes the capture is not in it.
void is_played(const Death& death) {
  const TemporaryDirectory directory;
  Submits submits{};
  const Outcome outcome = dies(death, directory, submits);
  INFO(death.way.by << (death.in_handler ? " in a handler " : " on a thread ") << death.after_us
                    << " us after the instance: " << death.words[0] << (death.checked ? ", with checkpoints" : "")
                    << "\n"
                    << outcome.both());
  INFO(submits.begun << " submits were begun, " << submits.returned << " have returned, " << submits.returned_before
                     << " before it began to die");
  CHECK(outcome.status == (death.way.signal != 0 ? 128 + death.way.signal : kLeft));
  REQUIRE(files_in(directory.path()) == Words{"counts", "x.rondo"});
  Words words{directory.file("x.rondo")};
  if (!death.with_launcher) words.insert(words.begin(), "--salvage");
  const Outcome played = player(words, driver_of(death.words));
  INFO(played.both());
  CHECK(played.status == 0);
  CHECK(submits_played(played) <= static_cast<long long>(submits.begun));
  if (!has_threads(death.words))
    CHECK(submits_played(played) >=
          static_cast<long long>(death.way.signal == 0 ? submits.returned_before : submits.returned));
  if (!death.checked) return;
  words.insert(words.begin(), "--verify");
  const Outcome verified = player(words, driver_of(death.words));
  INFO(verified.both());
  CHECK((verified.status == 0 || verified.err.find("nothing to compare") != std::string::npos));
}

// Each way this often.
void die_at_random_moments(std::size_t count, bool with_launcher) {
  std::random_device seed;
  std::mt19937 random(seed());
  std::uniform_real_distribution<double> part(0, 1);
  // A third of them in the first tenth, in which the programs come to their first submits.
  const auto moment = [&] {
    const double at = part(random);
    return static_cast<int>(kLongest_us * at * at);
  };
  for (std::size_t w = 0; w < std::size(kWays); ++w)
    for (std::size_t i = 0; i < count; ++i) {
      const bool checked = i % 4 >= 2 && no_readback().empty();
      is_played({kWays[w], endless()[(i + w) % endless().size()], i % 2 == 1, moment(), checked, with_launcher});
    }
}

const std::string kNotSanitized =
    "a sanitizer's runtime has to be the first library of a process, and reports what is meant";

}  // namespace

SCENARIO("a program that dies at any moment leaves a capture that salvages up to its last submit", "[killed]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  die_at_random_moments(3, false);
}

SCENARIO("a program that dies at any moment under rondo capture leaves one that plays as it is", "[killed]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  die_at_random_moments(3, true);
}

SCENARIO("two hundred programs that die at any moment leave captures that salvage up to their last submits", "[long]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  die_at_random_moments(50, false);
}

SCENARIO("two hundred programs that die at any moment under rondo capture leave ones that play as they are", "[long]") {
  if (kSanitized) SKIP_SCENARIO(kNotSanitized);
  die_at_random_moments(50, true);
}
