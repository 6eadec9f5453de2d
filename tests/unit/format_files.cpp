// SPDX-License-Identifier: Apache-2.0
// Captures whose blobs lie in files: written by every policy, read with and without leave, packed, and lied about.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "format/chunk_io.h"
#include "format/data_region.h"
#include "format/file_header.h"
#include "format/file_matcher.h"
#include "format/needed_files.h"
#include "format/pack.h"
#include "format/recompress.h"
#include "format_support.h"

namespace rondo::test {
namespace {

using Bytes = std::vector<std::byte>;

// Opened by the thread that looks: its descriptors are its own.
class GivenFiles final : public BlobPlaces {
 public:
  explicit GivenFiles(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  std::vector<FilePiece> look(std::span<const std::byte> blob) override {
    while (matcher_.files() < paths_.size())
      if (!matcher_.add(OpenedFile(::open(paths_[matcher_.files()].c_str(), O_RDONLY | O_CLOEXEC)))) break;
    return matcher_.find(blob);
  }
  ExternalFile describe(std::uint32_t number) const override {
    ExternalFile file;
    file.path = paths_[number];
    file.identity = matcher_.identity(number);
    return file;
  }
  bool read(std::uint32_t number, std::uint64_t offset, std::span<std::byte> out) override {
    return matcher_.file(number).read(offset, out);
  }
  void close() override { matcher_.close(); }

 private:
  std::vector<std::string> paths_;
  FileMatcher matcher_;
};

class ExternalFiles : public testing::Test {
 protected:
  ExternalFiles() : model_(noise(3'000'000, 1)) {
    std::filesystem::create_directory(directory_.file("models"));
    spill(model_path_, model_);
  }
  Bytes part(std::size_t offset, std::size_t size) const {
    const auto begin = model_.begin() + static_cast<std::ptrdiff_t>(offset);
    return {begin, begin + static_cast<std::ptrdiff_t>(size)};
  }
  // Blobs: of the file, of the file and of others, of others.
  Result<CaptureWriter::Summary> record(FilePolicy policy, FileCheck check = FileCheck::identity) {
    WriterOptions options = options_for(capture_);
    options.files = policy;
    options.file_check = check;
    options.places = std::make_shared<GivenFiles>(std::vector{model_path_});
    auto writer = create(options);
    ThreadStream* stream = writer->open_stream();
    write_call(*writer, *stream, "first");
    blobs_ = {part(1'234'567, 1'000'001), part(0, 2'999'999), noise(200'000, 2), part(100, 70'000)};
    const Bytes in_front = noise(50'000, 3);
    blobs_[3].insert(blobs_[3].begin(), in_front.begin(), in_front.end());
    for (const Bytes& blob : blobs_) writer->add_blob(*stream, digest_of(blob), blob);
    write_call(*writer, *stream, "last");
    return writer->finish(Ending::exited);
  }
  void expect_all_blobs(const std::string& path, const FileAccess& access = {}) {
    const auto reader = open(path, {.files = access});
    ASSERT_NE(reader, nullptr);
    EXPECT_TRUE(reader->check_files());
    EXPECT_EQ(reader->blobs().size() >= blobs_.size(), true);
    for (const Bytes& blob : blobs_) {
      const auto read = reader->blob(digest_of(blob));
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_TRUE(**read == blob);
    }
    EXPECT_EQ(read_all(path).records.size(), 2u);
    EXPECT_TRUE(reader->damaged_chunks().empty());
  }
  std::uint64_t size_of(const std::string& path) const { return std::filesystem::file_size(path); }
  FileAccess allowed() const { return {{}, {directory_.file("models")}}; }
  FileAccess remapped(const std::string& to) const { return {{{model_path_, to}}, {}}; }
  // Of checking, by somebody who may do `access`.
  Error refusal(const FileAccess& access) const {
    const auto reader = open(capture_, {.files = access});
    const auto checked = reader->check_files();
    EXPECT_FALSE(checked);
    return checked ? Error{} : checked.error();
  }
  void expect_refused(const FileAccess& access, const std::vector<std::string>& words) const {
    const Error error = refusal(access);
    EXPECT_EQ(error.status, Status::external_file) << error.message;
    for (const std::string& word : words)
      EXPECT_NE(error.message.find(word), std::string::npos) << word << ": " << error.message;
  }
  // One byte, and the times as they were, or another time only.
  void change(std::uint64_t offset, bool keep_time = true) const {
    struct stat before {};
    ASSERT_EQ(::stat(model_path_.c_str(), &before), 0);
    const int fd = ::open(model_path_.c_str(), O_RDWR | O_CLOEXEC);
    const std::byte other = model_[offset] ^ std::byte{1};
    ASSERT_EQ(::pwrite(fd, &other, 1, static_cast<off_t>(offset)), 1);
    timespec times[2] = {before.st_atim, before.st_mtim};
    if (!keep_time) times[1].tv_sec += 1;
    ASSERT_EQ(::futimens(fd, times), 0);
    ::close(fd);
  }
  void touch() const {
    const timespec times[2] = {{1, 0}, {1'000'000'000, 5}};
    ASSERT_EQ(::utimensat(AT_FDCWD, model_path_.c_str(), times, 0), 0);
  }

  TemporaryDirectory directory_;
  const Bytes model_;
  const std::string model_path_ = directory_.file("models/model");
  const std::string capture_ = directory_.file("a.rondo");
  std::vector<Bytes> blobs_;
};

TEST_F(ExternalFiles, EmbeddingLooksForNothing) {
  ASSERT_TRUE(record(FilePolicy::embed));
  EXPECT_TRUE(open(capture_)->files().empty());
  expect_all_blobs(capture_);
}

TEST_F(ExternalFiles, ReferencesTakeLittle) {
  for (const FileCheck check : {FileCheck::identity, FileCheck::digest}) {
    std::filesystem::remove(capture_);
    ASSERT_TRUE(record(FilePolicy::reference, check));
    EXPECT_LT(size_of(capture_), 300'000u);
    const std::vector<ExternalFile> files = open(capture_)->files();
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(files[0].path, model_path_);
    EXPECT_EQ(files[0].check, check);
    EXPECT_EQ(files[0].blobs, 3u);
    EXPECT_GE(files[0].referenced_bytes, 4'070'000u);
    EXPECT_LE(files[0].referenced_bytes, 4'070'008u);
    expect_all_blobs(capture_, allowed());
    expect_all_blobs(capture_, remapped(model_path_));
  }
}

TEST_F(ExternalFiles, EmbeddedFilesAreNotNeeded) {
  ASSERT_TRUE(record(FilePolicy::embed_all));
  std::filesystem::remove(model_path_);
  const std::vector<ExternalFile> files = open(capture_)->files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_TRUE(files[0].embedded());
  expect_all_blobs(capture_);
  EXPECT_LT(size_of(capture_), model_.size() + 400'000);
  const auto packed = pack(capture_, directory_.file("packed.rondo"), {});
  ASSERT_TRUE(packed) << packed.error().message;
  EXPECT_EQ(packed->files, 0u);
  expect_all_blobs(directory_.file("packed.rondo"));
}

TEST_F(ExternalFiles, FailingSaysWhichFileAndKeepsWhatWasBefore) {
  const auto done = record(FilePolicy::fail);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find(model_path_), std::string::npos);
  const auto reader = open(capture_);
  ASSERT_NE(reader, nullptr);
  ASSERT_TRUE(reader->complete());
  EXPECT_EQ(reader->footer()->ending, static_cast<std::uint32_t>(Ending::stopped));
  ASSERT_EQ(reader->sessions().size(), 1u);
  EXPECT_NE(reader->sessions()[0].find(model_path_), std::string::npos);
}

TEST_F(ExternalFiles, NothingIsOpenedWithoutLeave) {
  ASSERT_TRUE(record(FilePolicy::reference));
  expect_refused({}, {model_path_, "--allow-files " + directory_.file("models"), "--file-remap", "rondo pack"});
  const auto blob = open(capture_)->blob(digest_of(blobs_[0]));
  ASSERT_FALSE(blob);
  EXPECT_EQ(blob.error().status, Status::external_file);
  std::filesystem::create_directory(directory_.file("other"));
  expect_refused({{}, {directory_.file("other")}}, {"no directory that is allowed", directory_.file("models")});
}

TEST_F(ExternalFiles, ARemapNamesAFileOrADirectory) {
  ASSERT_TRUE(record(FilePolicy::reference));
  std::filesystem::create_directory(directory_.file("moved"));
  std::filesystem::copy(model_path_, directory_.file("moved/model"));
  std::filesystem::remove(model_path_);
  expect_refused(allowed(), {"No such file", "--file-remap " + model_path_ + "=NEW"});
  expect_all_blobs(capture_, remapped(directory_.file("moved/model")));
  const FileAccess by_directory{{{"/", "/nowhere"}, {directory_.file("models"), directory_.file("moved")}}, {}};
  expect_all_blobs(capture_, by_directory);  // the longest counts
  expect_refused({{{"/", "/nowhere"}}, {}}, {"/nowhere"});
  // not in the middle of a name
  expect_refused({{{directory_.file("mod"), directory_.file("moved")}}, {}}, {"may not be read"});
}

TEST_F(ExternalFiles, AnotherTimeIsAnotherFileByIdentity) {
  ASSERT_TRUE(record(FilePolicy::reference));
  touch();
  expect_refused(allowed(), {"has changed", "time of modification", "--file-remap " + model_path_ + "=" + model_path_});
  expect_all_blobs(capture_, remapped(model_path_));
}

TEST_F(ExternalFiles, AnotherByteIsFoundByDigest) {
  ASSERT_TRUE(record(FilePolicy::reference, FileCheck::digest));
  touch();
  expect_all_blobs(capture_, allowed());
  change(2'000'000);
  expect_refused(allowed(), {"has changed", "bytes"});
  expect_refused(remapped(model_path_), {"has changed"});
}

TEST_F(ExternalFiles, AnotherByteOfARemappedFileIsFoundByIdentityToo) {
  ASSERT_TRUE(record(FilePolicy::reference));
  change(2'000'000);
  expect_refused(remapped(model_path_), {"has changed"});
  const auto reader = open(capture_, {.files = allowed()});
  EXPECT_TRUE(reader->check_files());  // nothing tells it so far …
  const auto blob = reader->blob(digest_of(blobs_[0]));
  ASSERT_FALSE(blob);  // … but what it is used for
  EXPECT_EQ(blob.error().status, Status::external_file);
  EXPECT_TRUE(reader->blob(digest_of(blobs_[3])));
}

TEST_F(ExternalFiles, ShorterFilesAreRefusedByAnyCheck) {
  ASSERT_TRUE(record(FilePolicy::reference, FileCheck::digest));
  ASSERT_EQ(::truncate(model_path_.c_str(), 2'000'000), 0);
  expect_refused(allowed(), {"length"});
  expect_refused(remapped(model_path_), {"length"});
}

TEST_F(ExternalFiles, NoLinkLeadsOut) {
  ASSERT_TRUE(record(FilePolicy::reference));
  const std::string outside = directory_.file("outside");
  std::filesystem::rename(model_path_, outside);
  std::filesystem::create_symlink(outside, model_path_);
  expect_refused(allowed(), {"leads to " + outside});
  expect_refused({{{directory_.file("models"), directory_.file("models")}}, {}}, {"leads to " + outside});
  expect_all_blobs(capture_, remapped(model_path_));  // its user has named it
  // One that stays inside may lie there.
  std::filesystem::remove(model_path_);
  std::filesystem::rename(outside, directory_.file("models/inside"));
  std::filesystem::create_symlink("inside", model_path_);
  expect_all_blobs(capture_, allowed());
}

TEST_F(ExternalFiles, OnlyRegularFilesAreOpened) {
  ASSERT_TRUE(record(FilePolicy::reference));
  std::filesystem::remove(model_path_);
  ASSERT_EQ(::mkfifo(model_path_.c_str(), 0600), 0);  // nobody writes: opening it would wait
  expect_refused(allowed(), {"a pipe, not a regular file"});
  expect_refused(remapped(model_path_), {"a pipe"});
  expect_refused(remapped("/dev/zero"), {"a device"});
  expect_refused(remapped(directory_.path()), {"a directory"});
}

TEST_F(ExternalFiles, APackedCaptureNeedsNone) {
  ASSERT_TRUE(record(FilePolicy::reference));
  const std::string packed = directory_.file("packed.rondo");
  const auto refused = pack(capture_, packed, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, Status::external_file);
  EXPECT_FALSE(std::filesystem::exists(packed));
  const auto overwriting = pack(capture_, model_path_, allowed());
  ASSERT_FALSE(overwriting);
  EXPECT_EQ(overwriting.error().status, Status::usage);
  EXPECT_EQ(size_of(model_path_), model_.size());
  const auto done = pack(capture_, packed, allowed());
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->files, 1u);
  EXPECT_EQ(done->blobs, 3u);
  std::filesystem::remove(model_path_);
  EXPECT_TRUE(open(packed)->files().empty());
  expect_all_blobs(packed);
}

TEST_F(ExternalFiles, NoneIsOverwrittenByAnOutput) {
  ASSERT_TRUE(record(FilePolicy::reference));
  const std::string link = directory_.file("link"), moved = directory_.file("models/VkImage-1.bin");
  std::filesystem::create_symlink(model_path_, link);
  std::filesystem::copy_file(model_path_, moved);
  using Kind = NamedOutput::Kind;
  const auto spared = [&](const FileAccess& access, Kind kind, const std::string& path) {
    const auto reader = Reader::open(capture_, {.files = access});
    EXPECT_TRUE(reader);
    const NamedOutput outputs[] = {{Kind::file, directory_.file("new"), {}}, {kind, path, {}}};
    const auto done = spare_needed_files(**reader, outputs);
    EXPECT_TRUE(done || done.error().status == Status::usage);
    return done.has_value();
  };
  EXPECT_FALSE(spared(allowed(), Kind::file, model_path_));
  EXPECT_FALSE(spared({}, Kind::file, model_path_)) << "also where it may not be read";
  EXPECT_FALSE(spared({}, Kind::file, link));
  EXPECT_FALSE(spared(remapped(moved), Kind::file, moved));
  EXPECT_FALSE(spared(remapped(moved), Kind::contents, directory_.file("models") + "/."));
  EXPECT_TRUE(spared(remapped(moved), Kind::pictures, directory_.file("models")));
  EXPECT_TRUE(spared({}, Kind::contents, directory_.file("models"))) << "no output has the name of that file";
  EXPECT_TRUE(spared({}, Kind::file, moved));
  EXPECT_TRUE(spared({}, Kind::file, "/dev/null"));
  const auto smaller = recompress(capture_, model_path_, Compression::none);
  ASSERT_FALSE(smaller);
  EXPECT_EQ(smaller.error().status, Status::usage);
  EXPECT_EQ(size_of(model_path_), model_.size());
  std::filesystem::remove(capture_);
  ASSERT_TRUE(record(FilePolicy::embed_all));
  EXPECT_TRUE(spared({}, Kind::file, model_path_)) << "the capture has its bytes";
}

TEST_F(ExternalFiles, WordsOfOptionsAreChecked) {
  const std::string wrong[] = {"", "=", "a", "/a", "/a=", "=/b", "a=/b"};
  for (const std::string& one : wrong) EXPECT_FALSE(parse_file_access(std::span(&one, 1), {})) << one;
  const std::string right[] = {"/a/=/b", "/=c"};
  const auto access = parse_file_access(right, {});
  ASSERT_TRUE(access);
  EXPECT_EQ(access->remaps[0].from, "/a");
  EXPECT_EQ(access->remaps[1].from, "/");
  const std::string none = directory_.file("none");
  EXPECT_FALSE(parse_file_access({}, std::span(&none, 1)));
  EXPECT_FALSE(parse_file_access({}, std::span(&model_path_, 1)));
}

// A complete capture of one files chunk and one references chunk.
struct Forged {
  FileEntry file{0, 0, 100'000, 0, 0, 0, 0, 0};
  std::string path = "/etc/passwd";
  std::vector<Digest> blocks{};
  ReferenceHead head{1, 2, 100'000, 1, 0};
  std::vector<ReferencePiece> pieces{{0, 0, 0, 100'000, 0, 0}};
  std::size_t in_no_file = 0;

  void write(const std::string& to) {
    const auto add = [](Bytes& out, const auto& value) {
      const auto bytes = std::as_bytes(std::span(&value, 1));
      out.insert(out.end(), bytes.begin(), bytes.end());
    };
    Bytes files, references;
    add(files, std::uint64_t{1});
    if (file.path_bytes == 0) file.path_bytes = static_cast<std::uint32_t>(path.size());
    add(files, file);
    for (const char c : path) add(files, c);
    for (const Digest& block : blocks) add(files, block);
    add(references, head);
    for (const ReferencePiece& piece : pieces) add(references, piece);
    references.resize(references.size() + in_no_file);
    auto target = File::create(to);
    ASSERT_TRUE(target);
    const FileHeader header = new_file_header(4096);
    ASSERT_EQ(target->write(0, std::as_bytes(std::span(&header, 1))), 0);
    DataRegion region(*target, Compression::none, sizeof header, {},
                      [](std::uint64_t end, std::uint64_t) { return end; });
    const std::span<const std::byte> one = files, other = references;
    ASSERT_EQ(region.append(chunk_header(ChunkType::files), std::span(&one, 1)), 0);
    ASSERT_EQ(region.append(chunk_header(ChunkType::references), std::span(&other, 1)), 0);
    ASSERT_EQ(region.close(Footer{}), 0);
  }
  // Why its blob cannot be read, by one who may read everything.
  std::string error(std::size_t budget = 64u << 20) {
    TemporaryDirectory dir;
    write(dir.file("a.rondo"));
    const auto reader = Reader::open(dir.file("a.rondo"), {.memory_budget = budget, .files = {{}, {"/"}}});
    if (!reader) return reader.error().message;
    const auto blob = (*reader)->blob({head.digest_low, head.digest_high});
    EXPECT_FALSE(blob);
    (void)(*reader)->check_files();
    return blob ? "" : blob.error().message;
  }
};

TEST(ForgedFiles, WhatCannotBeIsRefused) {
  const auto expect = [](Forged forged, const char* word) {
    const std::string error = forged.error();
    EXPECT_NE(error.find(word), std::string::npos) << word << ": " << error;
  };
  const std::uint64_t most = UINT64_MAX;
  expect({}, "length");  // it is right but for the file
  expect({.file = {1, 0, 100'000, 0, 0, 0, 0, 0}}, "files chunk");
  expect({.file = {0, 4'000'000, 100'000, 0, 0, 0, 0, 0}}, "files chunk");
  expect({.file = {0, 3, 100'000, 0, 0, 0, 0, 0}}, "files chunk");
  expect({.file = {0, 0, most, 0, 0, 0, 0, 0}}, "files chunk");
  expect({.file = {0, 0, 100'000, 0, 0, 0, 2, 0}}, "files chunk");
  expect({.file = {0, 0, 100'000, 0, 0, 0, 0, 2}}, "files chunk");
  expect({.file = {0, 0, 100'000, 0, 0, 0, 0, 1}}, "files chunk");
  expect({.path = "etc/passwd"}, "files chunk");
  expect({.path = std::string("/etc\0passwd", 11)}, "files chunk");
  expect({.head = {1, 2, 100'000, 1, 1}}, "pieces");
  expect({.head = {1, 2, 100'000, 0xffffffff, 0}}, "pieces");
  expect({.head = {1, 2, 100'000, 2, 0}}, "pieces");
  expect({.head = {1, 2, 99'999, 1, 0}}, "pieces");
  expect({.head = {1, 2, 100'001, 1, 0}}, "pieces");
  expect({.pieces = {{1, 0, 0, 100'000, 0, 0}}}, "does not list");
  expect({.pieces = {{0, 1, 0, 100'000, 0, 0}}}, "pieces");
  expect({.pieces = {{0, 0, 1, 100'000, 0, 0}}}, "beyond the end");
  expect({.pieces = {{0, 0, most, 100'000, 0, 0}}}, "beyond the end");
  expect({.head = {1, 2, 100'000, 2, 0}, .pieces = {{0, 0, 0, 100'000, 0, 0}, {0, 0, 0, most, 0, 0}}}, "pieces");
  expect({.head = {1, 2, 100'000, 2, 0}, .pieces = {{0, 0, 0, 100'000, 0, 0}, {0, 0, 0, 0, 0, 0}}}, "pieces");
  expect({.in_no_file = 1}, "pieces");
  expect({.pieces = {{kInNoFile, 0, 0, 100'000, 0, 0}}}, "pieces");
  expect({.pieces = {{kInNoFile, 0, 5, 100'000, 0, 0}}, .in_no_file = 100'000}, "in no file");
  expect({.pieces = {{kInNoFile, 0, 0, 100'000, 0, 0}}, .in_no_file = 100'000}, "corrupt");  // another digest
  expect({.path = "/dev/zero"}, "device");
  expect({.path = "/proc/self/environ"}, "length");
  expect({.path = "/../../etc/../dev/null"}, "device");
}

TEST(ForgedFiles, NoRowThatIsWrongIsSalvaged) {
  TemporaryDirectory dir;
  Forged forged{.path = "etc/passwd"};
  forged.write(dir.file("a.rondo"));
  const auto reader = open(dir.file("a.rondo"), {.salvage = true, .files = {{}, {"/"}}});
  ASSERT_NE(reader, nullptr);
  EXPECT_TRUE(reader->files().empty());
  EXPECT_FALSE(reader->blob({1, 2}));
}

TEST(ForgedFiles, WhatNoMemoryHoldsIsRefused) {
  const std::uint64_t much = std::uint64_t{1} << 40;
  Forged forged{.file = {0, 0, much, 0, 0, 0, 0, 0}, .head = {1, 2, much, 1, 0}, .pieces = {{0, 0, 0, much, 0, 0}}};
  EXPECT_NE(forged.error().find("budget"), std::string::npos);
}

TEST(ForgedFiles, AFileIsNoPartOfItself) {
  // The embedded file's only block is the blob that lies in it.
  Forged forged{.file = {0, 0, 100'000, 0, 0, 0, 0, 1}, .blocks = {{1, 2}}};
  EXPECT_NE(forged.error().find("is not in the capture"), std::string::npos) << forged.error();
  Forged missing{.file = {0, 0, 100'000, 0, 0, 0, 0, 1}, .blocks = {{7, 7}}};
  EXPECT_NE(missing.error().find("is not in the capture"), std::string::npos);
}

}  // namespace
}  // namespace rondo::test
