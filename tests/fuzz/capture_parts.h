// SPDX-License-Identifier: Apache-2.0
// A capture's bytes as chunks that can be changed, and bytes again with every
// digest made right: what is wrong with the result is only what was changed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/container.h"

namespace rondo::fuzz {

struct Part {
  ChunkHeader header{};
  std::vector<std::byte> stored;           // the payload as the file has it
  std::optional<std::uint64_t> claimed{};  // stored_bytes, where the header is to lie

  ChunkType type() const { return static_cast<ChunkType>(header.type); }
  // Decompressed; nullopt where that fails or is more than a test wants.
  std::optional<std::vector<std::byte>> raw() const;
  void set_raw(std::vector<std::byte> bytes);  // kept uncompressed
};

struct CaptureParts {
  FileHeader header{};
  std::vector<Part> parts;      // without the index
  bool closed = false;          // index and footer follow
  Footer footer{};              // if closed
  std::vector<std::byte> rest;  // what no chunk header describes

  // nullopt: these bytes do not begin like a capture.
  static std::optional<CaptureParts> from(std::span<const std::byte> file);
  std::vector<std::byte> bytes() const;
};

// One record of a records chunk.
struct EditedRecord {
  RecordHeader header{};
  std::vector<std::byte> body;
};
// Empty where the payload does not hold records.
std::vector<EditedRecord> records_of(std::span<const std::byte> raw);
std::vector<std::byte> columns_of(const std::vector<EditedRecord>& records);

}  // namespace rondo::fuzz
