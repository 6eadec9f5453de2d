// SPDX-License-Identifier: Apache-2.0
// A sandbox of a foreign capture, entered in a child: the files that the tests try to reach, and what the child
// came to.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "player/sandbox/sandbox.h"

namespace rondo::player {

class Sandbox : public ::testing::Test {
 protected:
  Sandbox() {
    std::string pattern = ::testing::TempDir() + "rondo-sandbox-XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    std::filesystem::create_directories(directory_ + "/home/.ssh");
    write(secret(), "a private key");
    ::setenv("XDG_CACHE_HOME", (directory_ + "/caches").c_str(), 1);
    write(capture(), "a capture");
  }
  ~Sandbox() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  void SetUp() override {
    if (const std::string lacks = sandbox_lacks(); !lacks.empty()) GTEST_SKIP() << lacks;
  }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  std::string secret() const { return directory_ + "/home/.ssh/id"; }
  std::string capture() const { return directory_ + "/a.rondo"; }
  SandboxRequest request() const { return {"player", capture()}; }

  // Runs `attempt` in a child process that is in a sandbox. Returns what it returned; 255: there was no sandbox.
  int inside(const SandboxRequest& asked, const std::function<int()>& attempt) const {
    const pid_t child = ::fork();
    if (child == 0) {
      const Result<void> entered = enter_sandbox(SandboxMode::require, Trust::foreign, asked);
      ::_exit(entered && in_sandbox() ? attempt() : 255);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // 0: `call` failed, as something that is refused.
  int refused(const std::function<long()>& call) const {
    return inside(request(), [&] {
      errno = 0;
      if (call() >= 0) return 1;
      return errno == EPERM || errno == EACCES || errno == ENOSYS || errno == EXDEV ? 0 : 2;
    });
  }

  std::string directory_;
};

}  // namespace rondo::player
