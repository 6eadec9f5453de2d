// SPDX-License-Identifier: Apache-2.0
#include "format_support.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace rondo::test {

TemporaryDirectory::TemporaryDirectory() {
  const char* base = std::getenv("TMPDIR");
  path_ = std::string(base != nullptr ? base : "/tmp") + "/rondo-test-XXXXXX";
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
}
TemporaryDirectory::~TemporaryDirectory() { std::filesystem::remove_all(path_); }

int in_child(const std::function<void()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    body();
    ::_exit(0);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

WriterOptions options_for(const std::string& path, std::size_t segment_bytes) {
  WriterOptions options;
  options.path = path;
  options.segment_bytes = segment_bytes;
  options.spool_base = 16u << 20;  // so that little data gets there
  options.dictionary = {{DictionaryKind::command, kDraw, 11, "vkCmdDraw"},
                        {DictionaryKind::command, kSubmit, 22, "vkQueueSubmit"},
                        {DictionaryKind::command, kUnused, 33, "vkUnused"},
                        {DictionaryKind::structure, kStructure, 44, "VkUsedInfo"},
                        {DictionaryKind::structure, kUnusedStructure, 55, "VkUnusedInfo"}};
  return options;
}

std::unique_ptr<CaptureWriter> create(const WriterOptions& options) {
  auto writer = CaptureWriter::create(options);
  EXPECT_TRUE(writer) << writer.error().message;
  return writer ? std::move(*writer) : nullptr;
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* p = reinterpret_cast<const std::byte*>(text.data());
  return {p, p + text.size()};
}

std::vector<std::byte> noise(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::byte> out(bytes);
  std::uint64_t x = seed * 2 + 1;
  for (std::byte& b : out) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    b = static_cast<std::byte>(x >> 56);
  }
  return out;
}

std::uint64_t write_call(CaptureWriter& writer, ThreadStream& stream, std::string_view payload, std::uint16_t command,
                         std::uint16_t flags) {
  const std::uint64_t sequence = writer.take_sequence();
  std::byte* body = stream.begin(command, static_cast<std::uint16_t>(kRecordCall | flags), sequence, payload.size());
  std::memcpy(body, payload.data(), payload.size());
  stream.commit();
  return sequence;
}

void write_result(ThreadStream& stream, std::uint64_t sequence, std::int64_t value, std::uint64_t start_ns,
                  std::uint64_t end_ns) {
  std::byte body[4 * kMaxVarint];
  std::size_t n = put_varint(body, zigzag(value));
  n += put_varint(body + n, start_ns - stream.last_time_ns());
  n += put_varint(body + n, end_ns - start_ns);
  n += put_varint(body + n, stream.last_sequence() - sequence);
  std::memcpy(stream.begin(kSubmit, kRecordResult | kRecordReturns | kRecordTimes, 0, n), body, n);
  stream.set_last_time_ns(end_ns);
  stream.commit();
}

void write_void(CaptureWriter& writer, ThreadStream& stream) {
  stream.begin(0, kRecordVoid, writer.take_sequence(), 0);
  stream.commit();
}

std::unique_ptr<Reader> open(const std::string& path, const ReaderOptions& options) {
  auto reader = Reader::open(path, options);
  EXPECT_TRUE(reader) << reader.error().message;
  return reader ? std::move(*reader) : nullptr;
}

Contents read_all(const std::string& path, const ReaderOptions& options) {
  Contents contents;
  auto opened = Reader::open(path, options);
  if (!opened) {
    contents.error = opened.error().message;
    EXPECT_FALSE(contents.error.empty());
    return contents;
  }
  Reader& reader = **opened;
  contents.opened = true;
  contents.sessions = reader.sessions();
  contents.gaps = reader.gaps();
  for (;;) {
    auto record = reader.next();
    if (!record) {
      contents.error = record.error().message;
      break;
    }
    if (!*record) break;
    const Record& r = **record;
    contents.records.push_back({r.sequence, r.thread, r.command,
                                std::string(reinterpret_cast<const char*>(r.payload.data()), r.payload.size()),
                                r.has_return, r.return_value, r.start_ns, r.end_ns});
  }
  contents.complete = reader.complete();
  contents.cut_reason = reader.cut_reason();
  return contents;
}

std::vector<std::byte> slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  return bytes_of(text);
}

void spill(const std::string& path, std::span<const std::byte> bytes) {
  // A new file: some file systems write one that was cut to nothing to the disk at once.
  std::filesystem::remove(path);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace rondo::test
