// SPDX-License-Identifier: Apache-2.0
// Bytes of blobs found in files: planted at offsets that fit nothing, in part, more than once, in files that change.
#include <fcntl.h>
#include <unistd.h>

#include "format/file_matcher.h"
#include "format_support.h"

namespace rondo::test {
namespace {

using Bytes = std::vector<std::byte>;

class FileMatching : public testing::Test {
 protected:
  std::string write(const std::string& name, const Bytes& bytes) {
    spill(directory_.file(name), bytes);
    return directory_.file(name);
  }
  std::optional<std::uint32_t> add(const std::string& path) {
    return matcher_.add(OpenedFile(::open(path.c_str(), O_RDONLY | O_CLOEXEC)));
  }
  // How many bytes are found; each piece is what it says, and all are the blob.
  std::uint64_t found(const Bytes& blob) {
    const std::vector<FilePiece> pieces = matcher_.find(blob);
    std::uint64_t at = 0, in_files = 0;
    for (const FilePiece& piece : pieces) {
      EXPECT_GT(piece.bytes, 0u);
      EXPECT_LE(piece.bytes, blob.size() - at);
      if (piece.file != kInNoFile) {
        Bytes bytes(piece.bytes);
        EXPECT_TRUE(matcher_.file(piece.file).read(piece.offset, bytes));
        EXPECT_EQ(0, std::memcmp(bytes.data(), &blob[at], bytes.size()));
        in_files += piece.bytes;
      }
      at += piece.bytes;
    }
    EXPECT_TRUE(pieces.empty() || at == blob.size());
    pieces_ = pieces;
    return in_files;
  }
  // Some bytes more may be the same by chance.
  void expect_about(std::uint64_t is, std::uint64_t wanted) {
    EXPECT_GE(is, wanted);
    EXPECT_LE(is, wanted + 8);
  }

  TemporaryDirectory directory_;
  FileMatcher matcher_;
  std::vector<FilePiece> pieces_;
};

Bytes part(const Bytes& bytes, std::size_t offset, std::size_t size) {
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& one : parts) all.insert(all.end(), one.begin(), one.end());
  return all;
}

TEST_F(FileMatching, RunsAreFoundWhereverTheyLie) {
  const Bytes file = noise(1'000'003, 1);
  ASSERT_EQ(add(write("a", file)), 0u);
  for (const std::size_t offset : {0u, 1u, 4095u, 4096u, 4097u, 123'457u})
    for (const std::size_t in_front : {0u, 1u, 777u, 5000u}) {
      expect_about(found(joined({noise(in_front, 2), part(file, offset, 300'001), noise(99, 3)})), 300'001);
      EXPECT_LE(pieces_.size(), 3u);
    }
  EXPECT_EQ(found(file), file.size());
  EXPECT_EQ(found(part(file, 900'000, 100'003)), 100'003u);  // to its end, which no block reaches
}

TEST_F(FileMatching, ARunNeedsOneWholeBlock) {
  const Bytes file = noise(100'000, 1);
  ASSERT_TRUE(add(write("a", file)));
  expect_about(found(joined({noise(70'000, 2), part(file, 8192, 4096)})), 4096);
  EXPECT_EQ(found(joined({noise(70'000, 2), part(file, 8193, 8190)})), 0u);
  EXPECT_EQ(found(noise(100'000, 7)), 0u);
  EXPECT_EQ(found(noise(100, 1)), 0u);
  EXPECT_EQ(found({}), 0u);
}

TEST_F(FileMatching, SeveralPiecesOfSeveralFiles) {
  const Bytes one = noise(200'000, 1), other = noise(300'000, 2);
  ASSERT_EQ(add(write("a", one)), 0u);
  ASSERT_EQ(add(write("b", other)), 1u);
  const Bytes blob = joined({part(one, 100, 50'000), noise(33, 5), part(other, 7, 60'000), part(one, 10'000, 70'000),
                             part(one, 10'000, 70'000)});
  expect_about(found(blob), 250'000);
  ASSERT_GE(pieces_.size(), 4u);
  EXPECT_EQ(pieces_[0].file, 0u);
  EXPECT_EQ(pieces_[0].offset, 100u);
}

TEST_F(FileMatching, OneChangedByteDividesAPiece) {
  const Bytes file = noise(200'000, 1);
  ASSERT_TRUE(add(write("a", file)));
  Bytes blob = file;
  blob[99'999] ^= std::byte{1};
  EXPECT_EQ(found(blob), file.size() - 1);
  EXPECT_EQ(pieces_.size(), 3u);
}

TEST_F(FileMatching, OneByteRepeatedIsNowhereButBesideOthers) {
  Bytes file(400'000);
  const Bytes middle = noise(20'000, 1);
  std::copy(middle.begin(), middle.end(), file.begin() + 200'000);
  ASSERT_TRUE(add(write("a", file)));
  EXPECT_EQ(found(Bytes(100'000)), 0u);
  EXPECT_EQ(found(part(file, 100'000, 200'000)), 200'000u);
  EXPECT_EQ(pieces_.size(), 1u);
}

TEST_F(FileMatching, BlocksThatRepeatAreFound) {
  const Bytes once = noise(8192, 1);
  Bytes file;
  for (int i = 0; i < 40; ++i) file.insert(file.end(), once.begin(), once.end());
  ASSERT_TRUE(add(write("a", file)));
  EXPECT_EQ(found(part(file, 5000, 200'000)), 200'000u);
}

TEST_F(FileMatching, FilesThatChangeCountNoMore) {
  const Bytes file = noise(200'000, 1);
  const std::string path = write("a", file), other = write("b", noise(200'000, 2));
  ASSERT_TRUE(add(path));
  ASSERT_TRUE(add(other));
  ASSERT_EQ(::truncate(path.c_str(), 70'000), 0);
  EXPECT_EQ(found(part(file, 50'000, 100'000)), 0u);
  EXPECT_FALSE(matcher_.still(0));
  EXPECT_EQ(found(noise(200'000, 2)), 200'000u);
}

TEST_F(FileMatching, FilesThatAreGoneCountStill) {
  const Bytes file = noise(200'000, 1);
  const std::string path = write("a", file);
  ASSERT_TRUE(add(path));
  ASSERT_EQ(::unlink(path.c_str()), 0);
  EXPECT_EQ(found(file), file.size());
}

TEST_F(FileMatching, SmallAndUnreadableFilesAreNotAdded) {
  EXPECT_FALSE(add(write("a", noise(4095, 1))));
  EXPECT_FALSE(add(directory_.path()));
  EXPECT_FALSE(add(directory_.file("none")));
}

// Three blocks of four are not in the table then.
TEST_F(FileMatching, LargeFilesAreFoundByFewerBlocks) {
  const std::string path = write("a", {});
  const Bytes data = noise(64 * 1024, 1);
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::ftruncate(fd, off_t{3} << 30), 0);
  ASSERT_EQ(::pwrite(fd, data.data(), data.size(), (off_t{2} << 30) + 777), static_cast<ssize_t>(data.size()));
  ::close(fd);
  ASSERT_TRUE(add(path));
  EXPECT_EQ(found(data), data.size());
  ASSERT_EQ(pieces_.size(), 1u);
  EXPECT_EQ(pieces_[0].offset, (std::uint64_t{2} << 30) + 777);
}

}  // namespace
}  // namespace rondo::test
