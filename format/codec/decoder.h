// SPDX-License-Identifier: Apache-2.0
// Payload bytes to native parameters that can be moved: one block with the
// args structure at its start, and lists of what to patch before a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/codec/schema.h"
#include "format/digest.h"
#include "format/reader.h"
#include "format/result.h"

namespace rondo::codec {

// A file's dictionary matched with this build's tables, by name and hash.
class IdMap {
 public:
  static IdMap match(std::span<const DictionaryRow> rows);
  CommandId command(std::uint16_t file_id) const;  // CommandId::none if refused
  StructId structure(std::uint16_t file_id) const;
  const std::string& name(std::uint16_t file_command_id) const;
  // "vkFoo: unknown to this build", "VkBar: other encoding", …: refused by name when met.
  const std::vector<std::string>& refused() const { return refused_; }

 private:
  std::vector<CommandId> commands_;
  std::vector<StructId> structures_;
  std::vector<std::string> names_;
  std::vector<std::string> refused_;
};

struct HandleRef {
  std::uint32_t offset;  // of the 8 bytes in Lowered::bytes
  HandleType type;
  std::uint8_t flags;  // FieldFlags of the field it stands in
  std::uint64_t captured;
};
struct BlobRef {
  std::uint32_t offset;  // of the pointer
  Digest digest;
  std::uint64_t bytes;
};
struct DataRef {         // data whose length no member says
  std::uint32_t offset;  // of the pointer
  std::uint64_t bytes;
};
struct MarkRef {
  std::uint32_t offset;  // of the scalar
  Semantic semantic;
};
struct StructRef {  // every structure of a pNext chain
  std::uint32_t offset;
  StructId id;
};

// Reused from record to record: clear() keeps the storage.
struct Lowered {
  std::vector<std::byte> bytes;         // args structure first; aligned to 16
  std::vector<std::uint32_t> pointers;  // at each: a u64 offset into `bytes`, to become a pointer
  std::vector<HandleRef> handles;       // in the order of the payload
  std::vector<BlobRef> blobs;
  std::vector<DataRef> data;
  std::vector<MarkRef> marks;
  std::vector<StructRef> chained;
  void clear();
};

struct DecodeLimits {
  std::size_t max_bytes = std::size_t{256} << 20;  // of one lowered block
};

// Fails (unreadable) on anything that does not fit: the message names the
// command, member and payload offset; the caller adds file and sequence.
Result<void> decode(Lowered& out, const IdMap& ids, CommandId command, std::span<const std::byte> payload,
                    const DecodeLimits& limits = {});

}  // namespace rondo::codec
