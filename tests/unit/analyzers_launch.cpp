// SPDX-License-Identifier: Apache-2.0
// What the launcher passes through: status, signals, environment; what it preloads.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "analyzers/launch/launch.h"
#include "analyzers/launch/probe.h"
#include "analyzers/launch/tree.h"

namespace rondo::analyzers {
namespace {

Ended launched(const std::vector<std::string>& words, const EnvironmentChanges& environment = {}) {
  const auto ended = launch(words, environment);
  EXPECT_TRUE(ended);
  return ended ? *ended : Ended{};
}

TEST(AnalyzersLaunch, ExitStatusAndSignalAreTold) {
  EXPECT_EQ(launched({"sh", "-c", "exit 42"}).status, 42);
  const Ended killed = launched({"sh", "-c", "kill -9 $$"});
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(signal_name(killed.signal), "SIGKILL");
}

TEST(AnalyzersLaunch, AProgramThatCannotStartTellsWhy) {
  EXPECT_EQ(launched({"/no/such/program"}).exec_error, ENOENT);
  EXPECT_EQ(launched({"/"}).exec_error, EACCES);
}

TEST(AnalyzersLaunch, TheEnvironmentIsChangedForTheProgramOnly) {
  ::setenv("RONDO_TEST_GONE", "here", 1);
  const Ended ended = launched({"sh", "-c", "[ \"$RONDO_TEST_NEW\" = value ] && [ -z \"${RONDO_TEST_GONE+x}\" ]"},
                               {{"RONDO_TEST_NEW", "value"}, {"RONDO_TEST_GONE", std::nullopt}});
  EXPECT_EQ(ended.status, 0);
  EXPECT_STREQ(::getenv("RONDO_TEST_GONE"), "here");
  EXPECT_EQ(::getenv("RONDO_TEST_NEW"), nullptr);
  ::unsetenv("RONDO_TEST_GONE");
}

TEST(AnalyzersLaunch, ASignalToTheLauncherReachesTheProgram) {
  // The program ends with 3 when the signal arrives, which it asks for itself.
  const Ended ended = launched({"sh", "-c", "trap 'exit 3' TERM; kill -TERM $PPID; while :; do sleep 0.05; done"});
  EXPECT_EQ(ended.signal, 0);
  EXPECT_EQ(ended.status, 3);
}

TEST(AnalyzersLaunch, TheProgramsSignalMaskIsOurs) {
  // SignalMasks are inherited: a program with SIGTERM blocked could not be stopped.
  const Ended ended = launched({"sh", "-c", "kill -TERM $$; sleep 5"});
  EXPECT_EQ(ended.signal, SIGTERM);
}

TEST(AnalyzersLaunch, EndingLikeAKilledProgramIsBeingKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    Ended ended;
    ended.signal = SIGTERM;
    ::_exit(end_like(ended));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
  EXPECT_EQ(end_like(Ended{.pid = 1, .exec_error = 0, .status = 9, .signal = 0}), 9);
}

TEST(AnalyzersLaunch, TheProgramsOutputIsWhereItIsWanted) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_EQ(launch({"sh", "-c", "echo there"}, {}, ends[1])->status, 0);
  ::close(ends[1]);
  char words[16] = {};
  EXPECT_EQ(::read(ends[0], words, sizeof words - 1), 6);
  EXPECT_STREQ(words, "there\n");
  ::close(ends[0]);
}

TEST(AnalyzersTree, WhatIsPreloadedStaysBesideTheShim) {
  const std::string shim = "/x/shim.so";
  EXPECT_EQ(preload_with(shim, nullptr, ShimPlace::first), shim);
  EXPECT_EQ(preload_with(shim, "", ShimPlace::first), shim);
  EXPECT_EQ(preload_with(shim, "a.so:/b/c.so d.so", ShimPlace::first), "/x/shim.so:a.so:/b/c.so:d.so");
  EXPECT_EQ(preload_with(shim, ":a.so::/x/shim.so:", ShimPlace::first), "/x/shim.so:a.so");
  EXPECT_EQ(preload_with(shim, "asan.so:a.so", ShimPlace::behind_others), "asan.so:a.so:/x/shim.so");
  EXPECT_EQ(preload_with(shim, "/x/shim.so", ShimPlace::behind_others), "");  // there is no runtime to stand behind
  EXPECT_EQ(preload_without(shim, "a.so:/x/shim.so"), "a.so");
  EXPECT_EQ(preload_without(shim, nullptr), "");
  EXPECT_EQ(preloaded(" a.so::b.so"), (std::vector<std::string>{"a.so", "b.so"}));
}

TEST(AnalyzersTree, AShimThatCannotBePreloadedIsNone) {
  const auto told = [](const std::string& library) {
    const auto shim = find_shim({"", "", library});
    return shim ? *shim : shim.error().message;
  };
  const std::string directory = ::testing::TempDir() + "rondo tree";
  std::filesystem::create_directories(directory);
  EXPECT_NE(told(directory + "/librondo_layer.so").find("no preload shim"), std::string::npos);
  EXPECT_NE(told("librondo_layer.so").find("no preload shim"), std::string::npos);  // wherever that is found
  std::ofstream(directory + "/librondo_preload.so") << "here";
  EXPECT_NE(told(directory + "/librondo_layer.so").find("has no way to name"), std::string::npos);
  std::filesystem::remove_all(directory);
}

TEST(AnalyzersProbe, CrashHangAndAnswerAreToldApart) {
  const Probed answer = probe([] { return std::string("ok 1\n2"); });
  EXPECT_TRUE(answer.finished);
  EXPECT_EQ(answer.said, "ok 1\n2");
  const Probed crash = probe([]() -> std::string {
    ::raise(SIGKILL);  // what sanitizers leave alone
    return "ok";
  });
  EXPECT_FALSE(crash.finished);
  EXPECT_EQ(crash.trouble(), "ended by SIGKILL");
  const Probed hang = probe(
      []() -> std::string {
        for (;;) ::pause();
      },
      1);
  EXPECT_TRUE(hang.timed_out);
  EXPECT_FALSE(hang.finished);
}

}  // namespace
}  // namespace rondo::analyzers
