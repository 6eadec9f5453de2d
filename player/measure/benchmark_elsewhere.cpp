// SPDX-License-Identifier: Apache-2.0
// `player --benchmark` starts the program player-benchmark. Only that program links google-benchmark, whose library has
// another name on each Debian release.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "player/measure/benchmark.h"

namespace rondo::player {

namespace {

constexpr const char* kProgram = "player-benchmark";

Error not_here() { return {Status::failed, std::string("--benchmark is for the program ") + kProgram}; }

}  // namespace

Result<void> become_benchmark_program(char** argv) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string path = own.parent_path() / kProgram;
  if (!error) ::execv(path.c_str(), argv);
  return fail(Status::failed, path + ": --benchmark is done by this program, which cannot be started: " +
                                  (error ? error.message() : std::strerror(errno)));
}

Result<void> take_benchmark_flags(const std::vector<std::string>&) { return tl::unexpected(not_here()); }
Result<void> benchmark(const Options&, Iterations&, Outcome&) { return tl::unexpected(not_here()); }

}  // namespace rondo::player
