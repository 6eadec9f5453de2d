// SPDX-License-Identifier: Apache-2.0
// Files that are not to outlive their writers.
#include "format/temporary_path.h"

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "format/new_file.h"
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
