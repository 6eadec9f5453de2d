// SPDX-License-Identifier: Apache-2.0
// Which captures are trusted: those in this user's list, as long as they are the same file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "player/trust.h"

namespace rondo::player {

namespace {

namespace fs = std::filesystem;

class TrustList : public ::testing::Test {
 protected:
  TrustList() {
    std::string pattern = ::testing::TempDir() + "rondo-trust-XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    ::setenv("XDG_STATE_HOME", (directory_ + "/state").c_str(), 1);
  }
  ~TrustList() override {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
    ::unsetenv("XDG_STATE_HOME");
  }
  std::string file(const std::string& name) {
    const std::string path = directory_ + "/" + name;
    std::ofstream(path) << "a capture of " << name;
    return path;
  }

  std::string directory_;
};

TEST_F(TrustList, HoldsWhatWasAddedAndNothingElse) {
  const std::string ours = file("a.rondo"), other = file("b.rondo");
  EXPECT_EQ(trust_of(ours, false), Trust::foreign);
  EXPECT_TRUE(add_trusted(ours));
  EXPECT_EQ(trust_of(ours, false), Trust::trusted);
  EXPECT_EQ(trust_of(other, false), Trust::foreign);
  EXPECT_EQ(trust_of(other, true), Trust::trusted);
  EXPECT_EQ(trust_of(directory_ + "/none.rondo", false), Trust::foreign);
}

TEST_F(TrustList, ACopyIsForeign) {
  const std::string ours = file("a.rondo");
  ASSERT_TRUE(add_trusted(ours));
  fs::copy_file(ours, directory_ + "/copy.rondo");
  EXPECT_EQ(trust_of(directory_ + "/copy.rondo", false), Trust::foreign);
}

TEST_F(TrustList, AFileThatChangedIsForeign) {
  const std::string ours = file("a.rondo");
  ASSERT_TRUE(add_trusted(ours));
  struct stat before {};
  ASSERT_EQ(::stat(ours.c_str(), &before), 0);
  // The same number of bytes, and a modification time that says nothing: the time of the change of state
  // does.
  std::fstream(ours, std::ios::in | std::ios::out) << "X";
  const timespec times[] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, ours.c_str(), times, 0), 0);
  EXPECT_EQ(trust_of(ours, false), Trust::foreign);
}

TEST_F(TrustList, AddingAFileAgainLeavesOneEntry) {
  const std::string ours = file("a.rondo");
  ASSERT_TRUE(add_trusted(ours));
  const auto one = fs::file_size(trust_list_path());
  std::ofstream(ours, std::ios::app) << "more";
  EXPECT_EQ(trust_of(ours, false), Trust::foreign);
  ASSERT_TRUE(add_trusted(ours));
  EXPECT_EQ(trust_of(ours, false), Trust::trusted);
  EXPECT_EQ(fs::file_size(trust_list_path()), one);
}

TEST_F(TrustList, IsNotUsedWhereOthersCanWriteIt) {
  const std::string ours = file("a.rondo");
  ASSERT_TRUE(add_trusted(ours));
  ASSERT_EQ(::chmod(trust_list_path().c_str(), 0660), 0);
  EXPECT_EQ(trust_of(ours, false), Trust::foreign);
  EXPECT_FALSE(add_trusted(ours));
  ASSERT_EQ(::chmod(trust_list_path().c_str(), 0600), 0);
  EXPECT_EQ(trust_of(ours, false), Trust::trusted);
}

TEST_F(TrustList, IsMadeForItsUserAlone) {
  ASSERT_TRUE(add_trusted(file("a.rondo")));
  struct stat list {};
  ASSERT_EQ(::stat(trust_list_path().c_str(), &list), 0);
  EXPECT_EQ(list.st_mode & 07777u, 0600u);
  ASSERT_EQ(::stat((directory_ + "/state/rondo").c_str(), &list), 0);
  EXPECT_EQ(list.st_mode & 077, 0u);
}

TEST_F(TrustList, MakesNoHomeThatIsNotThere) {
  const char* const before = std::getenv("HOME");
  const std::string home = before == nullptr ? "" : before;
  ::unsetenv("XDG_STATE_HOME");
  ::setenv("HOME", (directory_ + "/nobody").c_str(), 1);
  EXPECT_FALSE(add_trusted(file("a.rondo")));
  EXPECT_FALSE(fs::exists(directory_ + "/nobody"));
  ::setenv("HOME", directory_.c_str(), 1);
  EXPECT_TRUE(add_trusted(file("a.rondo")));
  EXPECT_TRUE(fs::exists(directory_ + "/.local/state/rondo/trusted"));
  ::setenv("HOME", home.c_str(), 1);
}

TEST_F(TrustList, WhatIsNoListTrustsNothingAndIsReplaced) {
  const std::string ours = file("a.rondo");
  ASSERT_TRUE(add_trusted(ours));
  std::ofstream(trust_list_path(), std::ios::trunc) << "no list at all, but longer than its magic";
  EXPECT_EQ(trust_of(ours, false), Trust::foreign);
  ASSERT_TRUE(add_trusted(ours));
  EXPECT_EQ(trust_of(ours, false), Trust::trusted);
}

TEST_F(TrustList, IsBoundedAndForgetsTheOldest) {
  const std::string first = file("first.rondo");
  ASSERT_TRUE(add_trusted(first));
  // As many entries as it may hold: copies of the first one's with other inodes.
  std::string list;
  {
    std::ifstream in(trust_list_path(), std::ios::binary);
    list.assign(std::istreambuf_iterator<char>(in), {});
  }
  const std::string entry = list.substr(8);
  ASSERT_EQ(entry.size(), 40u);
  for (std::size_t i = 1; i < kMostTrusted; ++i) {
    std::string one = entry;
    for (int b = 0; b < 4; ++b) one[static_cast<std::size_t>(12 + b)] = static_cast<char>(i >> (8 * b));
    list += one;
  }
  std::ofstream(trust_list_path(), std::ios::binary) << list;
  EXPECT_EQ(trust_of(first, false), Trust::trusted);
  const std::string last = file("last.rondo");
  ASSERT_TRUE(add_trusted(last));
  EXPECT_EQ(fs::file_size(trust_list_path()), 8 + kMostTrusted * 40);
  EXPECT_EQ(trust_of(last, false), Trust::trusted);
  EXPECT_EQ(trust_of(first, false), Trust::foreign);
}

TEST_F(TrustList, LosesNothingWhenSeveralAddAtOnce) {
  constexpr int kProcesses = 8;
  std::vector<std::string> files;
  for (int i = 0; i < kProcesses; ++i) files.push_back(file(std::to_string(i) + ".rondo"));
  std::vector<pid_t> children;
  for (const std::string& one : files) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(add_trusted(one) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  for (const std::string& one : files) EXPECT_EQ(trust_of(one, false), Trust::trusted);
}

}  // namespace

}  // namespace rondo::player
