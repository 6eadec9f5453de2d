// SPDX-License-Identifier: Apache-2.0
// Reading, salvaging and finishing whatever stands in a file.
#include "format/reader.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/targets.h"

namespace rondo::fuzz {
namespace {

// Every record in its order; how many there were, or UINT64_MAX for an error.
std::uint64_t read_records(Reader& reader) {
  std::uint64_t count = 0;
  for (std::uint64_t last = 0;; ++count) {
    const auto record = reader.next();
    if (!record) return UINT64_MAX;
    if (!*record) return count;
    expect((*record)->sequence > last, "numbers ascend");
    last = (*record)->sequence;
    std::uint64_t sum = 0;  // the payload is there to be read
    for (const std::byte b : (*record)->payload) sum += static_cast<std::uint64_t>(b);
    expect(sum <= 255 * (*record)->payload.size(), "payload bytes can be summed");
  }
}

// False: it cannot be opened.
bool read_all(const std::string& path, bool salvage) {
  ReaderOptions options;
  options.memory_budget = kReaderBudget;
  options.salvage = salvage;
  const auto reader = Reader::open(path, options);
  if (!reader) {
    expect(!reader.error().message.empty(), "an error says something");
    return false;
  }
  const std::uint64_t records = read_records(**reader);
  expect(!salvage || records != UINT64_MAX, "salvage ends where damage begins, without an error");
  for (const BlobInfo& blob : (*reader)->blobs()) {
    const auto bytes = (*reader)->blob(blob.digest);
    expect(!bytes || (*bytes)->size() == blob.bytes, "a blob is as long as the list says");
    expect(!bytes || digest_of(**bytes) == blob.digest, "a blob has the digest that it is named by");
  }
  for (const ExternalFile& one : (*reader)->files()) expect(one.path.starts_with('/'), "a file has a path that is one");
  static_cast<void>((*reader)->check_files());  // none may be opened
  static_cast<void>((*reader)->gaps());
  static_cast<void>((*reader)->damaged_chunks());
  if ((*reader)->rewind()) expect(read_records(**reader) == records, "a second reading finds the same");
  return true;
}

}  // namespace

void container(Bytes file) {
  const MemoryFile memory(file);
  const bool readable = read_all(memory.path(), false);
  read_all(memory.path(), true);
  const auto finished = finish_capture(memory.path(), 9);
  if (!finished || !readable) return;
  const auto reader = Reader::open(memory.path());
  expect(reader && (*reader)->complete(), "what was finished is complete");
  read_all(memory.path(), false);
  const auto again = finish_capture(memory.path(), 9);
  expect(again && !*again, "what is complete is not finished again");
}

}  // namespace rondo::fuzz
