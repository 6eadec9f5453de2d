// SPDX-License-Identifier: Apache-2.0
// What the tests of the container share: captures made without Vulkan.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "format/reader.h"
#include "format/varint.h"
#include "format/writer.h"

namespace rondo::test {

// A directory of its own, removed afterwards.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs `body` in a child and returns its wait status.
int in_child(const std::function<void()>& body);

inline constexpr std::uint16_t kDraw = 1, kSubmit = 2, kUnused = 3;
inline constexpr std::uint16_t kStructure = 7, kUnusedStructure = 8;

WriterOptions options_for(const std::string& path, std::size_t segment_bytes = 64 * 1024);
std::unique_ptr<CaptureWriter> create(const WriterOptions& options);

std::vector<std::byte> bytes_of(std::string_view text);
std::vector<std::byte> noise(std::size_t bytes, std::uint64_t seed);  // does not compress

// A numbered call. Returns its number.
std::uint64_t write_call(CaptureWriter& writer, ThreadStream& stream, std::string_view payload,
                         std::uint16_t command = kDraw, std::uint16_t flags = 0);
// The second part of call `sequence`: returns `value`, ran from start to end.
void write_result(ThreadStream& stream, std::uint64_t sequence, std::int64_t value, std::uint64_t start_ns,
                  std::uint64_t end_ns);
void write_void(CaptureWriter& writer, ThreadStream& stream);

// A record as a test compares it.
struct Read {
  std::uint64_t sequence;
  std::uint32_t thread;
  std::uint16_t command;
  std::string payload;
  bool has_return;
  std::int64_t return_value;
  std::uint64_t start_ns, end_ns;
  friend bool operator==(const Read&, const Read&) = default;
};

// All records, or those before `error`.
struct Contents {
  bool opened = false;
  bool complete = false;
  std::string error;
  std::string cut_reason;
  std::uint64_t gaps = 0;
  std::vector<Read> records;
  std::vector<std::string> sessions;
};
Contents read_all(const std::string& path, const ReaderOptions& options = {});
std::unique_ptr<Reader> open(const std::string& path, const ReaderOptions& options = {});

std::vector<std::byte> slurp(const std::string& path);
void spill(const std::string& path, std::span<const std::byte> bytes);

}  // namespace rondo::test
