// SPDX-License-Identifier: Apache-2.0
#include "format/file_references.h"

#include <algorithm>
#include <cstring>

#include "format/printable.h"

namespace rondo {
namespace {

template <class T>
void append(std::vector<std::byte>& out, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// Where less of it is found it is a blob like others: it would be read from two places.
bool worth_it(std::span<const FilePiece> pieces, std::size_t blob_bytes) {
  std::uint64_t found = 0;
  for (const FilePiece& piece : pieces) found += piece.file != kInNoFile ? piece.bytes : 0;
  return found != 0 && found >= blob_bytes / 2;
}

}  // namespace

bool FileReferences::add(std::span<const std::byte> payload, const Append& append_chunk, int& error) {
  error = 0;
  std::uint32_t count = 0;
  BlobEntry entry;
  if (policy_ == FilePolicy::embed || places_ == nullptr || payload.size() < 2 * sizeof count + sizeof entry)
    return false;
  std::memcpy(&count, payload.data(), sizeof count);
  if (count != 1) return false;
  std::memcpy(&entry, payload.data() + 2 * sizeof count, sizeof entry);
  const std::span<const std::byte> blob = payload.subspan(2 * sizeof count + sizeof entry);
  std::vector<FilePiece> pieces = places_->look(blob);
  if (!worth_it(pieces, blob.size())) return false;
  if (policy_ == FilePolicy::fail) {
    for (const FilePiece& piece : pieces)
      if (piece.file != kInNoFile && found_.empty()) found_ = places_->describe(piece.file).path;
    return false;
  }
  for (FilePiece& piece : pieces) {
    if (piece.file == kInNoFile) continue;
    const auto number = number_of(piece.file, append_chunk, error);
    if (!number) return error != 0;
    piece.file = *number;
  }
  const std::vector<std::byte> made = reference({entry.digest_low, entry.digest_high}, blob, pieces);
  const std::span<const std::byte> piece = made;
  error = append_chunk(chunk_header(ChunkType::references), std::span(&piece, 1));
  return true;
}

std::vector<std::byte> FileReferences::reference(const Digest& digest, std::span<const std::byte> blob,
                                                 std::span<const FilePiece> pieces) const {
  std::vector<std::byte> out, in_no_file;
  append(out, ReferenceHead{digest.low, digest.high, blob.size(), static_cast<std::uint32_t>(pieces.size()), 0});
  for (const FilePiece& piece : pieces) {
    const std::span<const std::byte> bytes = blob.first(static_cast<std::size_t>(piece.bytes));
    blob = blob.subspan(bytes.size());
    const bool outside = piece.file != kInNoFile;
    const Digest own =
        outside && policy_ == FilePolicy::reference && check_ == FileCheck::digest ? digest_of(bytes) : Digest{};
    append(out, ReferencePiece{piece.file, 0, piece.offset, piece.bytes, own.low, own.high});
    if (!outside) in_no_file.insert(in_no_file.end(), bytes.begin(), bytes.end());
  }
  out.insert(out.end(), in_no_file.begin(), in_no_file.end());
  return out;
}

// In the capture; written there with the first blob that needs it. Nothing, and no error: the file is not usable any
// more.
std::optional<std::uint32_t> FileReferences::number_of(std::uint32_t place, const Append& append_chunk, int& error) {
  if (const auto it = numbers_.find(place); it != numbers_.end()) return it->second;
  const ExternalFile file = places_->describe(place);
  std::vector<Digest> blocks;
  if (policy_ == FilePolicy::embed_all) {
    auto embedded = embed(place, file.identity.bytes, append_chunk, error);
    if (!embedded) return std::nullopt;
    blocks = std::move(*embedded);
  }
  std::vector<std::byte> payload;
  append(payload, std::uint64_t{1});  // one row
  const auto number = static_cast<std::uint32_t>(numbers_.size());
  const FileIdentity& id = file.identity;
  append(payload,
         FileEntry{number, static_cast<std::uint32_t>(file.path.size()), id.bytes, id.device, id.inode, id.mtime_ns,
                   static_cast<std::uint32_t>(check_), static_cast<std::uint32_t>(blocks.size())});
  const auto path = std::as_bytes(std::span(file.path));
  payload.insert(payload.end(), path.begin(), path.end());
  for (const Digest& block : blocks) append(payload, block);
  const std::span<const std::byte> piece = payload;
  // In the capture and in the map, or in neither, also where memory is short.
  const auto row = numbers_.emplace(place, number).first;
  try {
    error = append_chunk(chunk_header(ChunkType::files), std::span(&piece, 1));
  } catch (...) {
    numbers_.erase(row);
    throw;
  }
  if (error == 0) return number;
  numbers_.erase(row);
  return std::nullopt;
}

std::optional<std::vector<Digest>> FileReferences::embed(std::uint32_t place, std::uint64_t bytes,
                                                         const Append& append_chunk, int& error) {
  std::vector<Digest> blocks;
  std::vector<std::byte> block;
  for (std::uint64_t at = 0; at < bytes; at += block.size()) {
    block.resize(static_cast<std::size_t>(std::min(kFileBlock, bytes - at)));
    if (!places_->read(place, at, block)) return std::nullopt;
    blocks.push_back(digest_of(block));
    if (!embedded_.insert(blocks.back()).second) continue;
    const std::uint32_t head[2] = {1, 0};
    const BlobEntry entry{blocks.back().low, blocks.back().high, block.size()};
    const std::span<const std::byte> pieces[] = {std::as_bytes(std::span(head)), std::as_bytes(std::span(&entry, 1)),
                                                 block};
    error = append_chunk(chunk_header(ChunkType::blobs), pieces);
    if (error != 0) return std::nullopt;
  }
  return blocks;
}

std::string FileReferences::found_session() const {
  std::string json = "{\"stopped\":";
  append_json_string(json, found_ + " was recognised in what the program gave to Vulkan (RONDO_FILES=fail)");
  return json + "}";
}

}  // namespace rondo
