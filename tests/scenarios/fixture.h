// SPDX-License-Identifier: Apache-2.0
// The built tree as the scenarios see it: its programs, and captures made with them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "process.h"

namespace scenario {

using Words = std::vector<std::string>;

std::string build_root();                      // found from this executable's own place
std::string program(const std::string& name);  // of tests/programs
// The names of all of them, sorted; of those below `directory`, if there is one.
std::vector<std::string> programs(const std::string& directory = "");

// The same program, going on whatever its shaders computed: for a driver that runs none.
Words without_checks(const Words& words);
// By the names of Vulkan 1.4's core where those have promoted what it calls (TEST_CORE).
Words by_core_of_1_4(const Words& words);

// The drivers that scenarios run on. The fake one (tests/icd) is the tree's own.
inline const std::string lavapipe = "lavapipe";
inline const std::string fake = "fake";
inline const std::string lavapipe25 = "lavapipe25";    // of a newer Mesa
inline const std::string lavapipe26 = "lavapipe26";    // of the newest Mesa, with newer libraries than this machine's
inline const std::string swiftshader = "swiftshader";  // Google's
// `settings`: RONDO_FAKE_ICD, what the fake driver is told to be like (docs/testing.md).
void use_driver(Environment& environment, const std::string& driver, const std::string& settings = "");

// The player destroys whatever the program left: what it leaves is invalid, too.
void use_driver_for_player(Environment& environment, const std::string& driver, const std::string& settings);

// Empty: it is here. scripts/drivers fetches those that Debian 12 does not have.
const std::string& no_driver(const std::string& driver);

inline constexpr int kCannotRun = 77;  // a program's status
// Statuses of the tools (docs/ci.md).
inline constexpr int kFailed = 1, kUsage = 2, kUnreadable = 3, kDevice = 4, kDifferent = 5, kExternalFile = 6,
                     kTimeout = 7;
// Why the program cannot run on it (it says so itself, with that status), or there is no such driver; empty:
// it can.
std::string cannot_run(const Words& words, const std::string& driver);

// Fails the scenario where the fake driver finds a call invalid: those of no
// result only leave a line on stderr.
Outcome run_on(const std::string& driver, const Command& command);

// Under the test layer of tests/oracle, nearest the driver; it appends to `report`, and keeps in the directory
// `contents`, if there is one, what it digests.
void use_oracle(Environment& environment, const std::string& report, const std::string& contents = "");

// Without a display.
Outcome player(const Words& arguments, const std::string& driver = lavapipe, const std::string& settings = "");
Outcome rondo(const Words& arguments);

// Where programs that open a window find one. Started when first asked for.
const std::string& display();
// For such a program; nothing for others.
void use_window_system(Environment& environment, const Words& words);

struct CaptureOptions {
  std::string checkpoints = "none";
  std::string compression = "fast";
  std::string memory = "auto";
  std::string driver = lavapipe;
  std::string settings = {};  // of the fake driver
  bool with_launcher = true;  // `rondo capture`; else the environment variables alone
  bool oracle = false;        // what the oracle says is in Recording::oracle
};

// The command that captures `words` into `output`: to run, or to start and kill.
Command capture_command(const Words& words, const std::string& output, const CaptureOptions& options = {});

// Read-back checkpoints need memory in which the host's writes can be told from
// the GPU's. Empty where this machine has that; else why not.
const std::string& no_readback(const std::string& driver = lavapipe);

struct Recording {
  std::string path;
  std::string oracle;  // its report; empty: it ran without
  Outcome run;         // of the captured program
};

// Mesa may put an image into a window that glmark2 has just destroyed, more often where presents take longer: an
// X error ends it with status 1 then, and this starts it again, up to three times. `start` leaves nothing of a
// run before it. Other programs do not end so, and are started once.
Outcome run_to_the_end(const std::function<Outcome()>& start);

// Captured once a test program, then shared: never change the file.
const Recording& captured(const Words& words, const CaptureOptions& options = {});
Words vkcube(int frames = 300);
Words vkcubepp(int frames);
Words vkcube_wayland(int frames);
Words windows(const std::string& system);                 // tests/windows, on xcb, xlib or wayland
Words glxgears(int seconds);                              // OpenGL on Vulkan, ended by SIGTERM
Words glmark2(const std::string& benchmark, int frames);  // OpenGL on Vulkan: Mesa's zink

// "N of M <what> compared and equal", as a verification says it.
struct Compared {
  int equal = -1;  // -1: it does not say so
  int all = -1;
};
Compared compared(const Outcome& outcome, const std::string& what);

// A tool's own complaint: one line on stderr, "NAME: …", and nothing else.
bool is_one_line(const Outcome& outcome, const std::string& name);
int count(const std::string& text, const std::string& part);
std::vector<std::string> lines(const std::string& text);

}  // namespace scenario
