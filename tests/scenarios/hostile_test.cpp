// SPDX-License-Identifier: Apache-2.0
// Programs that do to their process what nobody expects: they run as without Rondo,
// and the capture is right, or one line says what happened (docs/fidelity.md).
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "fixture.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

// Of a sanitizer or of coverage: why the process may not be limited.
std::string no_limits() {
#if defined(RONDO_SANITIZER_RUNTIME) || defined(RONDO_COVERAGE)
  return "a sanitizer's or coverage's runtime needs files, addresses and system calls of its own";
#else
  return "";
#endif
}

Words hostile(const Words& more) {
  Words all{program("hostile")};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Whether what is read back can be compared.
bool is_compared(const std::string& memory) { return (memory == "auto" || memory == "guard") && no_readback().empty(); }

Command recorded(const Words& words, const std::string& output, const std::string& memory = "auto") {
  return capture_command(
      words, output,
      {.checkpoints = is_compared(memory) ? "readback" : "none", .memory = memory, .with_launcher = false});
}

// The same status and output as without Rondo. On stderr one line of Rondo's, with these
// words in it; without words none.
void runs_undisturbed(const Words& words, const Command& captured, const std::string& line = "") {
  Command alone;
  alone.arguments = words;
  alone.directory = captured.directory;
  Outcome native = run(alone);
  // A driver whose system calls fail crashes of itself now and then.
  for (int tries = 0; tries < 3 && native.signal != 0; ++tries) native = run(alone);
  const Outcome outcome = run(captured);
  INFO(native.both() << outcome.both());
  REQUIRE(native.status == 0);
  CHECK(outcome.status == native.status);
  CHECK(outcome.out == native.out);
  if (line.empty()) {
    CHECK(outcome.err == native.err);
  } else {
    CHECK(is_one_line(outcome, "rondo"));
    CHECK(outcome.err.find(line) != std::string::npos);
  }
}

// Whole, and what it did is the same in a replay.
void verifies(const std::string& path, const std::string& memory = "auto") {
  const Outcome info = rondo({"info", path});
  INFO(info.both());
  CHECK(info.out.find("ending      complete") != std::string::npos);
  Words arguments{path};
  if (is_compared(memory)) arguments.insert(arguments.begin(), "--verify");
  const Outcome outcome = player(arguments);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  if (!is_compared(memory)) return;
  const Compared result = compared(outcome, "memory ranges");
  CHECK(result.equal > 0);
  CHECK(result.equal == result.all);
}

void is_recorded_whole(const Words& words, const std::string& memory = "auto") {
  const TemporaryDirectory directory;
  INFO(memory);
  runs_undisturbed(words, recorded(words, directory.file("x.rondo"), memory));
  verifies(directory.file("x.rondo"), memory);
}

}  // namespace

SCENARIO("a program with a thousand objects that come and go replays bit for bit", "[hostile]") {
  replays_bit_for_bit({program("hostile")}, {.submits = 480});
}

SCENARIO("a program that closes every descriptor is recorded, and nobody writes into its files", "[hostile]") {
  for (const char* memory : {"auto", "pagemap", "guard", "scan"}) is_recorded_whole(hostile({"--do", "close"}), memory);
}

SCENARIO("a program that changes its directory is recorded where it began", "[hostile]") {
  const TemporaryDirectory directory, elsewhere;
  const Words words = hostile({"--do", "chdir", "--path", elsewhere.path()});
  Command command = recorded(words, "x.rondo");
  command.directory = directory.path();
  runs_undisturbed(words, command);
  CHECK(files_in(elsewhere.path()).empty());
  verifies(directory.file("x.rondo"));
}

SCENARIO("a program that gives up its rights is recorded to the end", "[hostile]") {
  if (::geteuid() != 0) SKIP_SCENARIO("only root can give up its rights");
  for (const char* memory : {"auto", "pagemap"}) is_recorded_whole(hostile({"--do", "nobody"}), memory);
}

SCENARIO("a limit of address space counts what is used, not what could be", "[hostile]") {
  if (!no_limits().empty()) SKIP_SCENARIO(no_limits());
  for (const char* memory : {"auto", "pagemap", "guard", "scan", "shadow"})
    is_recorded_whole(hostile({"--do", "gigabytes", "--amount", "2"}), memory);
}

SCENARIO("a program that takes away all address space runs on, and the capture says that it ended", "[hostile]") {
  if (!no_limits().empty()) SKIP_SCENARIO(no_limits());
  const TemporaryDirectory directory;
  for (const std::string memory : {"auto", "guard"}) {
    INFO(memory);
    const std::string path = directory.file(memory + ".rondo");
    // --amount: KiB of address space that the program leaves itself. With some C libraries the driver needs more than
    // none.
    Words words = hostile({"--do", "address-space", "--amount", "0"});
    Command alone;
    alone.arguments = words;
    if (run(alone).status != 0) words.back() = "256";
    runs_undisturbed(words, recorded(words, path, memory), "recording stopped: no memory");
    const Outcome outcome = player({path});
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("the recording stopped before the program did") != std::string::npos);
  }
}

// Room for what the driver allocates from its heap, where our records lie too: it depends on
// a page whether a copy fits behind that.
SCENARIO("a program that leaves next to no address space runs on, recorded to the end or not", "[hostile]") {
  if (!no_limits().empty()) SKIP_SCENARIO(no_limits());
  const TemporaryDirectory directory;
  for (const std::string memory : {"pagemap", "scan"})
    for (const std::string amount : {"280", "400", "600"}) {
      INFO(memory << " " << amount);
      const std::string path = directory.file(memory + amount + ".rondo");
      const Words words = hostile({"--do", "address-space", "--amount", amount});
      const Command command = recorded(words, path, memory);
      Command alone;
      alone.arguments = words;
      const Outcome native = run(alone), outcome = run(command);
      INFO(native.both() << outcome.both());
      CHECK(outcome.status == 0);
      CHECK(outcome.out == native.out);
      // Its own allocations fail ("no memory"), or the kernel's answer says so ("Cannot allocate memory").
      const bool stopped = outcome.err.find("recording stopped: ") != std::string::npos &&
                           outcome.err.find("memory") != std::string::npos;
      CHECK((stopped ? is_one_line(outcome, "rondo") : outcome.err == native.err));
      const Outcome replay = player({path});
      INFO(replay.both());
      CHECK(replay.status == 0);
      CHECK((replay.out.find("the recording stopped before the program did") != std::string::npos) == stopped);
    }
}

SCENARIO("limits of descriptors and of file size that come late end nothing", "[hostile]") {
  if (!no_limits().empty()) SKIP_SCENARIO(no_limits());
  is_recorded_whole(hostile({"--do", "descriptors", "--amount", "3"}));
  is_recorded_whole(hostile({"--do", "file-size", "--amount", "1024"}));
}

SCENARIO("a program that truncates its capture runs on, and what is left is no capture", "[hostile]") {
  for (const std::string memory : {"auto", "scan"}) {
    const TemporaryDirectory directory;
    const std::string path = directory.file("x.rondo");
    const Words words = hostile({"--do", "truncate", "--path", directory.path()});
    runs_undisturbed(words, recorded(words, path, memory), path);
    const Outcome outcome = player({path});
    CHECK(outcome.status == 3);
    CHECK(is_one_line(outcome, "player"));
  }
}

SCENARIO("a program whose disk is full in the middle runs on, and the capture salvages", "[hostile]") {
  const TemporaryDirectory directory;
  if (::mount("tmpfs", directory.path().c_str(), "tmpfs", 0, "size=24m") != 0)
    SKIP_SCENARIO("mounting a small tmpfs is not permitted here");
  const std::string path = directory.file("x.rondo");
  const Words words{program("persistent"), "--megabytes", "16", "--percent", "50", "--dense", "1", "--frames", "10"};
  const Outcome outcome = run(recorded(words, path));
  const Outcome salvaged = player({"--salvage", path});
  ::umount(directory.path().c_str());
  INFO(outcome.both() << salvaged.both());
  CHECK(outcome.status == 0);
  CHECK(is_one_line(outcome, "rondo"));
  CHECK(outcome.err.find("recording stopped: " + path + ": No space left on device") != std::string::npos);
  CHECK(salvaged.status == 0);
}

// Rondo needs more of the kernel than the program does: docs/fidelity.md lists what.
SCENARIO("a program that forbids itself all other system calls runs on, and its capture can be finished", "[hostile]") {
  if (!no_limits().empty()) SKIP_SCENARIO(no_limits());
  for (const std::string threads : {"0", "2"})
    for (const std::string memory : {"auto", "pagemap", "guard", "scan"}) {
      INFO("threads " << threads << ", " << memory);
      const TemporaryDirectory directory;
      const std::string path = directory.file("x.rondo");
      runs_undisturbed(hostile({"--do", "forbid", "--amount", threads}),
                       recorded(hostile({"--do", "forbid", "--amount", threads}), path, memory), "recording stopped: ");
      const Outcome finished = rondo({"finish", path}), replay = player({path});
      INFO(finished.both() << replay.both());
      CHECK(finished.status == 0);
      CHECK(replay.status == 0);
    }
}

SCENARIO("a program that is killed for unexpected system calls is recorded where the listed ones are allowed",
         "[hostile]") {
  if (!no_limits().empty()) SKIP_SCENARIO(no_limits());
  for (const std::string threads : {"1", "3"})
    for (const std::string memory : {"auto", "pagemap", "guard", "scan"}) {
      INFO("threads " << threads);
      is_recorded_whole(hostile({"--do", "kill", "--amount", threads}), memory);
    }
}
