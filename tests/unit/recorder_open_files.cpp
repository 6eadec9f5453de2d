// SPDX-License-Identifier: Apache-2.0
// Which files of this process are looked into for blobs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <barrier>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "layer/recorder/open_files.h"

namespace rondo::layer {
namespace {

using Bytes = std::vector<std::byte>;

Bytes noise(std::size_t bytes, std::uint64_t seed) {
  Bytes out(bytes);
  std::uint64_t x = seed * 2 + 1;
  for (std::byte& b : out) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    b = static_cast<std::byte>(x >> 56);
  }
  return out;
}

class TheProgramsFiles : public testing::Test {
 protected:
  TheProgramsFiles() {
    path_ = "/tmp/rondo-test-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp");
  }
  ~TheProgramsFiles() override {
    files_.close();
    std::filesystem::remove_all(path_);
  }
  std::string write(const std::string& name, const Bytes& bytes) const {
    std::ofstream(path_ + "/" + name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path_ + "/" + name;
  }
  // A look comes some time after the one before at the earliest.
  bool is_found(const Bytes& blob) {
    for (int i = 0; i < 20; ++i) {
      const std::vector<FilePiece> pieces = files_.look(blob);
      if (!pieces.empty()) {
        found_ = files_.describe(pieces[0].file == kInNoFile ? pieces[1].file : pieces[0].file).path;
        return true;
      }
      ::usleep(10'000);
    }
    return false;
  }

  std::string path_;
  std::string found_;
  OpenFiles files_;
};

TEST_F(TheProgramsFiles, AreFoundOpenOrMapped) {
  const Bytes one = noise(100'000, 1), other = noise(100'000, 2), none = noise(100'000, 3);
  const std::string opened = write("opened", one), mapped = write("mapped", other);
  write("neither", none);
  const int fd = ::open(opened.c_str(), O_RDONLY | O_CLOEXEC);
  const int mapping = ::open(mapped.c_str(), O_RDONLY | O_CLOEXEC);
  void* const map = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, mapping, 0);
  ::close(mapping);
  EXPECT_TRUE(is_found(one));
  EXPECT_EQ(found_, opened);
  EXPECT_TRUE(is_found(other));
  EXPECT_EQ(found_, mapped);
  EXPECT_FALSE(is_found(none));
  ::munmap(map, 4096);
  ::close(fd);
}

TEST_F(TheProgramsFiles, AreFoundStillWhenTheyAreClosedAndDeleted) {
  const Bytes bytes = noise(200'000, 1);
  const std::string path = write("model", bytes);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_TRUE(is_found(bytes));
  ::close(fd);
  std::filesystem::remove(path);
  EXPECT_TRUE(is_found(Bytes(bytes.begin() + 777, bytes.end())));
  Bytes block(1000);
  EXPECT_TRUE(files_.read(0, 5, block));
}

TEST_F(TheProgramsFiles, AreFoundWhereTheyWereOpenAtAGlance) {
  const Bytes one = noise(100'000, 1), other = noise(100'000, 2);
  for (const auto& [name, bytes] : {std::pair{"one", &one}, std::pair{"other", &other}}) {
    const int fd = ::open(write(name, *bytes).c_str(), O_RDONLY | O_CLOEXEC);
    ::usleep(500'000);
    files_.glance();
    ::close(fd);
  }
  EXPECT_TRUE(is_found(one));
  EXPECT_TRUE(is_found(other));
}

TEST_F(TheProgramsFiles, AreFoundAlsoBehindManyThatAreClosed) {
  const Bytes model = noise(300'000, 1), none = noise(100'000, 2);
  std::vector<int> open;
  for (std::uint64_t i = 0; i < OpenFiles::kMost + 50; ++i)
    open.push_back(
        ::open(write("f" + std::to_string(i), noise(OpenFiles::kSmallest, 10 + i)).c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_GE(open.back(), 0);
  std::barrier<> step(2);
  bool found = false, closed = false, found_none = true;
  // As the recorder's thread: what it keeps open is not open in the program.
  std::thread recorder([&] {
    ASSERT_EQ(::unshare(CLONE_FILES), 0);
    files_.glance();
    step.arrive_and_wait();
    step.arrive_and_wait();
    found = is_found(model);
    closed = is_found(noise(OpenFiles::kSmallest, 10 + OpenFiles::kMost - 1));
    found_none = is_found(none);
    files_.close();
  });
  step.arrive_and_wait();
  for (const int fd : open) ::close(fd);
  const int fd = ::open(write("model", model).c_str(), O_RDONLY | O_CLOEXEC);
  step.arrive_and_wait();
  recorder.join();
  ::close(fd);
  EXPECT_TRUE(found);
  EXPECT_TRUE(closed);
  EXPECT_FALSE(found_none);
}

TEST_F(TheProgramsFiles, AreOthersWhereTheyChangedBehindTheGlance) {
  const Bytes before = noise(100'000, 1), after = noise(150'000, 2);
  const int fd = ::open(write("model", before).c_str(), O_RDONLY | O_CLOEXEC);
  files_.glance();
  write("model", after);
  EXPECT_TRUE(is_found(after));
  EXPECT_FALSE(is_found(before));
  ::close(fd);
}

TEST_F(TheProgramsFiles, AreNotThoseThatWereDeletedBehindTheGlance) {
  const Bytes deleted = noise(100'000, 1), replaced = noise(100'000, 2), kept = noise(100'000, 3);
  std::vector<int> open;
  for (const auto& [name, bytes] :
       {std::pair{"deleted", &deleted}, std::pair{"replaced", &replaced}, std::pair{"kept", &kept}})
    open.push_back(::open(write(name, *bytes).c_str(), O_RDONLY | O_CLOEXEC));
  files_.glance();
  for (const int fd : open) ::close(fd);
  std::filesystem::remove(path_ + "/deleted");
  std::filesystem::rename(write("new", noise(100'000, 4)), path_ + "/replaced");
  EXPECT_FALSE(is_found(deleted));
  EXPECT_FALSE(is_found(replaced));
  EXPECT_TRUE(is_found(kept));
}

TEST_F(TheProgramsFiles, ComeLaterToo) {
  const Bytes one = noise(100'000, 1), other = noise(100'000, 2);
  const int first = ::open(write("one", one).c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_TRUE(is_found(one));
  EXPECT_FALSE(is_found(other));
  const int second = ::open(write("other", other).c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_TRUE(is_found(other));
  ::close(first);
  ::close(second);
}

TEST_F(TheProgramsFiles, AreNotThoseThatItWrites) {
  const Bytes one = noise(100'000, 1), other = noise(100'000, 2);
  const std::string written = write("written", one), shared = write("shared", other);
  const int fd = ::open(written.c_str(), O_RDWR | O_CLOEXEC), mapping = ::open(shared.c_str(), O_RDWR | O_CLOEXEC);
  void* const map = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, mapping, 0);
  ::close(mapping);
  EXPECT_FALSE(is_found(one));
  EXPECT_FALSE(is_found(other));
  ::munmap(map, 4096);
  ::close(fd);
}

TEST_F(TheProgramsFiles, AreNoProgramsNoMemoryAndNothingSmall) {
  const Bytes small = noise(OpenFiles::kSmallest - 1, 1), memory = noise(100'000, 2);
  const int fd = ::open(write("small", small).c_str(), O_RDONLY | O_CLOEXEC);
  const int memfd = ::memfd_create("test", MFD_CLOEXEC);
  ASSERT_EQ(::write(memfd, memory.data(), memory.size()), static_cast<ssize_t>(memory.size()));
  EXPECT_FALSE(is_found(small));
  EXPECT_FALSE(is_found(memory));
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string text(200'000, '\0');
  self.read(text.data(), static_cast<std::streamsize>(text.size()));
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_FALSE(is_found({bytes.begin(), bytes.end()}));
  ::close(memfd);
  ::close(fd);
}

}  // namespace
}  // namespace rondo::layer
