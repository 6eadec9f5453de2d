// SPDX-License-Identifier: Apache-2.0
// The process that plays a foreign capture gives up what it does not need before it reads the capture and
// opens a driver: a shader that indexes outside its arrays reads and writes this process's own memory on a
// software driver, and nothing can tell that before. What holds then is what the kernel holds: Landlock
// (which files) and seccomp (which system calls).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "format/outputs.h"
#include "format/result.h"
#include "player/trust.h"

namespace rondo::player {

enum class SandboxMode {
  automatic,  // foreign captures; where the kernel lacks a part, without that part, and a line says so
  require,    // every capture; refused where the kernel lacks a part
  off,
};
// The values of --sandbox. parse_sandbox() takes nothing else: the command line has checked it.
std::vector<std::string> sandbox_modes();
SandboxMode parse_sandbox(std::string_view word);

struct SandboxRequest {
  std::string tool;  // that messages begin with: "player", "rondo"
  std::string capture;
  std::vector<std::string> reads = {};  // files and directories besides the capture and those of drivers
  // files that a library opens by name for writing: made here if they are not there
  std::vector<std::string> writes = {};
  std::vector<NamedOutput> outputs = {};
  std::vector<int> keeps = {};   // descriptors that stay open
  bool shares_pictures = false;  // with an X server, by shared memory
};

// What the kernel lacks for a sandbox, as the end of a sentence; empty: nothing.
std::string sandbox_lacks();

// Whether mode and trust ask for one.
bool wants_sandbox(SandboxMode mode, Trust trust);
// If mode and trust ask for it, the sandbox holds from here on. From a process with one thread. Errors:
// Status::failed.
Result<void> enter_sandbox(SandboxMode mode, Trust trust, const SandboxRequest& request);
bool in_sandbox();
// For messages of failures that a driver may owe to the sandbox: "; …", with what helps. Empty outside.
std::string sandbox_hint();

}  // namespace rondo::player
