// SPDX-License-Identifier: Apache-2.0
// Runs the real programs: with an environment of our making, both outputs
// kept, a time limit, and directories that go away.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace scenario {

using Environment = std::map<std::string, std::string>;

// PATH, HOME and lavapipe, and nothing else of the caller's (sanitizer options
// excepted): no display, no RONDO_*, no layers.
Environment quiet_environment();
// The directory of the drivers that scripts/drivers fetches.
std::string fetched_drivers();
// True on a release after Debian 12 if scripts/drivers fetched Debian 12's lavapipe and validation layer.
bool has_drivers_of_12();

struct Command {
  std::vector<std::string> arguments;  // [0] is a path, or found in PATH
  Environment environment = quiet_environment();
  std::string directory;  // where it runs; empty: here
  std::string input;      // its stdin
  double timeout_s = 120;
};

struct Outcome {
  int status = -1;  // exit status, or 128 + signal
  int signal = 0;
  bool timed_out = false;  // killed after Command::timeout_s
  double seconds = 0;
  std::string out;
  std::string err;
  std::string both() const { return out + err; }
};

// A child process; killed if it still runs when this goes away.
class Process {
 public:
  explicit Process(const Command& command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void kill(int signal) const;
  bool running();  // false once it ended (it stays to be waited for)
  // Reads both outputs until it ends or its time is up. What a sanitizer
  // reported meanwhile, here or in a process below, fails the scenario.
  Outcome wait();

 private:
  void drain(int timeout_ms);

  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  double started_s_ = 0;
  double timeout_s_ = 0;
  Outcome outcome_;
};

Outcome run(const Command& command);
double now_s();  // CLOCK_MONOTONIC

// Unique, removed with everything in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// An X server without a screen, for programs that open a window.
class VirtualDisplay {
 public:
  // `pictures`: a directory in which it keeps its picture; empty: none is kept.
  explicit VirtualDisplay(const std::string& pictures = {});
  ~VirtualDisplay();
  const std::string& name() const { return name_; }  // ":1"

 private:
  pid_t pid_ = -1;
  std::string name_;
};

// A Wayland compositor without a screen.
class Compositor {
 public:
  // `display`: of an X server that shows its picture; empty: nothing does.
  explicit Compositor(const std::string& display = {});
  ~Compositor();
  const std::string& runtime_directory() const { return directory_.path(); }  // XDG_RUNTIME_DIR
  const std::string& name() const { return name_; }                           // WAYLAND_DISPLAY

 private:
  TemporaryDirectory directory_;
  pid_t pid_ = -1;
  std::string name_ = "rondo";
};

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);
std::vector<std::string> files_in(const std::string& directory);  // names, sorted

}  // namespace scenario
