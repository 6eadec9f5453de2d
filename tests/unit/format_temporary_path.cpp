// SPDX-License-Identifier: Apache-2.0
// Files that are not to outlive their writers.
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "format/abandoned.h"
#include "format/new_file.h"
#include "format/temporary_path.h"
#include "format_support.h"

namespace rondo::test {
namespace {

bool there(const TemporaryPath& path) { return ::access(path.get().c_str(), F_OK) == 0; }

TemporaryPath made(const std::string& path, std::string_view ending) {
  TemporaryPath one = TemporaryPath::beside(path, ending);
  EXPECT_FALSE(there(one));
  spill(one.get(), bytes_of("half"));
  return one;
}

TEST(TemporaryPath, TakesItsFileAlong) {
  TemporaryDirectory dir;
  std::string name;
  {
    TemporaryPath one = made(dir.file("a"), ".part");
    name = one.get();
    EXPECT_EQ(name.find(dir.file(".a.")), 0u) << name;
    EXPECT_TRUE(name.ends_with(".part")) << name;
    TemporaryPath other = std::move(one);
    one = made(dir.file("a"), ".part");
    EXPECT_NE(one.get(), name);
    EXPECT_TRUE(there(other));
  }
  EXPECT_NE(::access(name.c_str(), F_OK), 0);
  EXPECT_EQ(::rmdir(dir.path().c_str()), 0);
}

// A process that is gone: its number is free.
pid_t gone() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(TemporaryPath, WhatKilledProcessesLeftIsRemovedByTheNext) {
  TemporaryDirectory dir;
  const std::string dead = std::to_string(gone()), alive = std::to_string(::getppid());
  const std::string parts[] = {dir.file(".a." + dead + "-0.part"),
                               dir.file("..a." + dead + "-0.part." + dead + "-1.part")};
  const std::string others[] = {dir.file(".a." + alive + "-0.part"),  // somebody works on it
                                dir.file(".b." + dead + "-0.part"),   // of another file
                                dir.file(".a." + dead + "-0.step"),
                                dir.file(".a." + dead + ".part"),
                                dir.file(".a." + dead + "-x.part"),
                                dir.file("a." + dead + "-0.part"),
                                dir.file(".a.part")};
  for (const std::string& path : parts) spill(path, bytes_of("half"));
  for (const std::string& path : others) spill(path, bytes_of("kept"));
  spill(dir.file("a"), bytes_of("a"));
  // Of a process that is not seen here, but is at work.
  const std::string locked = dir.file(".a." + dead + "-7.part");
  auto file = File::create(locked);
  ASSERT_TRUE(file);
  auto made = NewFile::create(dir.file("a"), dir.file("a"));
  ASSERT_TRUE(made) << made.error().message;
  for (const std::string& path : parts) EXPECT_NE(::access(path.c_str(), F_OK), 0) << path;
  for (const std::string& path : others) EXPECT_EQ(::access(path.c_str(), F_OK), 0) << path;
  EXPECT_EQ(::access(locked.c_str(), F_OK), 0);
  file->close();
  remove_abandoned(dir.path() + "/", ".part");
  EXPECT_NE(::access(locked.c_str(), F_OK), 0);
  EXPECT_NE(::access(dir.file(".b." + dead + "-0.part").c_str(), F_OK), 0);
  EXPECT_EQ(::access(dir.file(".a.part").c_str(), F_OK), 0);
}

// "é" and "€" are two and three bytes: none is cut in the middle.
TEST(TemporaryPath, HasRoomForWhateverNameAFileCanHave) {
  TemporaryDirectory dir;
  spill(dir.file("like"), bytes_of("like"));
  for (const std::string unit : {"x", "é", "€", "x€é"}) {
    std::string name;
    while (name.size() + unit.size() <= 255) name += unit;
    // A step's is no longer than those of others.
    const TemporaryPath step = TemporaryPath::beside(dir.file(name), ".step");
    for (const std::string& path : {dir.file(name), step.get()}) {
      auto file = NewFile::create(path, dir.file("like"));
      ASSERT_TRUE(file) << file.error().message;
      EXPECT_TRUE(file->keep());
      EXPECT_EQ(::access(path.c_str(), F_OK), 0);
    }
    const std::string part = TemporaryPath::beside(dir.file(name), ".part").get().substr(dir.path().size() + 2);
    const std::size_t kept = part.find('.');
    EXPECT_EQ(name.find(part.substr(0, kept)), 0u);
    EXPECT_GT(kept, 97u);
    EXPECT_LE(kept, 100u);
    EXPECT_NE(static_cast<unsigned char>(name[kept]) & 0xc0, 0x80);
  }
  for (const std::size_t bytes : {99u, 100u, 101u}) {
    const std::string part = TemporaryPath::beside(dir.file(std::string(bytes, 'x')), ".part").get();
    EXPECT_EQ(part.find('.', dir.path().size() + 2) - dir.path().size() - 2, std::min<std::size_t>(bytes, 100));
  }
}

TEST(TemporaryPath, LeavesWhatItForgets) {
  TemporaryDirectory dir;
  TemporaryPath one = made(dir.file("a"), ".part");
  const std::string name = one.get();
  one.forget();
  EXPECT_EQ(::access(name.c_str(), F_OK), 0);
  EXPECT_EQ(::unlink(name.c_str()), 0);
}

TEST(TemporaryPath, IsNoFilesThatAProcessOfThisNumberLeft) {
  TemporaryDirectory dir;
  const TemporaryPath first = TemporaryPath::beside(dir.file("a"), ".part");
  // The next one's.
  const std::size_t dash = first.get().rfind('-');
  const unsigned long count = std::stoul(first.get().substr(dash + 1));
  const std::string next = first.get().substr(0, dash + 1) + std::to_string(count + 1) + ".part";
  spill(next, bytes_of("left"));
  const TemporaryPath second = TemporaryPath::beside(dir.file("a"), ".part");
  EXPECT_NE(second.get(), next);
  EXPECT_FALSE(there(second));
  EXPECT_EQ(::unlink(next.c_str()), 0);
}

// As a handler does it; many are gone by then, and one is a file of its own.
TEST(TemporaryPath, AllOfThemAreRemovedWhereAProcessEnds) {
  TemporaryDirectory dir;
  const std::string kept = dir.file("kept");
  const pid_t child = ::fork();
  if (child == 0) {
    for (int i = 0; i < 100; ++i) made(dir.file("gone"), ".part");
    TemporaryPath step = made(dir.file("a"), ".step"), part = made(dir.file("a"), ".part"), last = made(kept, ".part");
    const bool renamed = ::rename(last.get().c_str(), kept.c_str()) == 0;
    last.forget();
    remove_temporary_files();
    std::thread([&] { made(dir.file("late"), ".part"); }).detach();  // waits for the end
    ::usleep(20'000);
    ::_exit(renamed && !there(step) && !there(part) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(slurp(kept), bytes_of("half"));
  EXPECT_EQ(::unlink(kept.c_str()), 0);
  EXPECT_EQ(::rmdir(dir.path().c_str()), 0);
}

}  // namespace
}  // namespace rondo::test
