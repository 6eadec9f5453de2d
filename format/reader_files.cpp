// SPDX-License-Identifier: Apache-2.0
// Blobs that lie in files outside the capture, or in one that it has embedded.
#include <algorithm>
#include <cstring>

#include "format/reader_impl.h"

namespace rondo {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;  // of a file: sums with it do not overflow
constexpr std::size_t kStep = 1u << 20;

tl::unexpected<Error> damaged(const File& file, const ChunkInfo& chunk, const std::string& what) {
  return fail(Status::unreadable, at_offset(file, chunk.offset) + ": " + what);
}

template <class T>
T take(std::span<const std::byte>& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return value;
}

}  // namespace

Result<void> parse_files(const File& file, const ChunkInfo& chunk, std::span<const std::byte> payload,
                         std::vector<ExternalFile>& files) {
  const auto wrong = [&] { return damaged(file, chunk, "a files chunk that does not hold what it announces"); };
  if (payload.size() < 2 * sizeof(std::uint32_t)) return wrong();
  const auto count = take<std::uint32_t>(payload);
  if (take<std::uint32_t>(payload) != 0 || count > payload.size() / sizeof(FileEntry)) return wrong();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (payload.size() < sizeof(FileEntry)) return wrong();
    const auto entry = take<FileEntry>(payload);
    const std::uint64_t blocks = (entry.bytes + kFileBlock - 1) / kFileBlock;
    if (entry.number != files.size() || entry.bytes > kMostBytes ||
        entry.check > static_cast<std::uint32_t>(FileCheck::digest) || (entry.blocks != 0 && entry.blocks != blocks) ||
        entry.path_bytes > payload.size())
      return wrong();
    ExternalFile row;
    row.path.assign(reinterpret_cast<const char*>(payload.data()), entry.path_bytes);
    payload = payload.subspan(entry.path_bytes);
    // A path that is none would be taken from the directory of now, or end before its end.
    if (!row.path.starts_with('/') || row.path.find('\0') != std::string::npos ||
        entry.blocks > payload.size() / sizeof(Digest))
      return wrong();
    row.identity = {entry.bytes, entry.device, entry.inode, entry.mtime_ns};
    row.check = static_cast<FileCheck>(entry.check);
    row.blocks.resize(entry.blocks);
    for (Digest& block : row.blocks) block = take<Digest>(payload);
    files.push_back(std::move(row));
  }
  if (!payload.empty()) return wrong();
  return {};
}

Result<Reference> parse_reference(const File& file, const ChunkInfo& chunk, Payload payload,
                                  const std::vector<ExternalFile>& files) {
  const auto wrong = [&](const char* what) { return damaged(file, chunk, std::string("a references chunk ") + what); };
  Reference reference;
  reference.payload = std::move(payload);
  std::span<const std::byte> bytes = std::as_const(reference.payload).bytes();
  if (bytes.size() < sizeof(ReferenceHead)) return wrong("that is too short");
  const auto head = take<ReferenceHead>(bytes);
  if (head.reserved != 0 || head.pieces > bytes.size() / sizeof(ReferencePiece))
    return wrong("whose pieces do not fit in it");
  reference.digest = {head.digest_low, head.digest_high};
  reference.bytes = head.bytes;
  reference.pieces.reserve(head.pieces);
  std::uint64_t left = head.bytes, in_no_file = 0;
  for (std::uint32_t i = 0; i < head.pieces; ++i) {
    const auto piece = take<ReferencePiece>(bytes);
    const Digest digest{piece.digest_low, piece.digest_high};
    if (piece.reserved != 0 || piece.bytes == 0 || piece.bytes > left) return wrong("whose pieces are not its blob");
    left -= piece.bytes;
    if (piece.file == kInNoFile) {
      if (piece.offset != 0 || digest != Digest{}) return wrong("with a piece in no file that has a place there");
      in_no_file += piece.bytes;
    } else {
      if (piece.file >= files.size()) return wrong("that names a file which the capture does not list");
      const std::uint64_t size = files[piece.file].identity.bytes;
      if (piece.offset > size || piece.bytes > size - piece.offset)
        return wrong("with a piece beyond the end of its file");
    }
    reference.pieces.push_back({piece.file, piece.offset, piece.bytes, digest});
  }
  const std::uint64_t directory = sizeof head + std::uint64_t{head.pieces} * sizeof(ReferencePiece);
  if (left != 0 || in_no_file != chunk.header.raw_bytes - directory) return wrong("whose pieces are not its blob");
  reference.in_no_file = bytes;
  return reference;
}

Result<void> BlobStore::find_reference(std::size_t index) {
  const ChunkInfo& chunk = chunks_[index];
  const auto first = load_prefix(file_, chunk, sizeof(ReferenceHead));
  if (!first) return tl::unexpected<Error>(first.error());
  ReferenceHead head;
  std::memcpy(&head, first->bytes().data(), sizeof head);
  const std::uint64_t directory = sizeof head + std::uint64_t{head.pieces} * sizeof(ReferencePiece);
  if (directory > chunk.header.raw_bytes || directory > memory_.left_for_records() / 2)
    return damaged(file_, chunk, "a references chunk whose pieces do not fit in it, or in the memory budget");
  auto begin = load_prefix(file_, chunk, static_cast<std::size_t>(directory));
  if (!begin) return tl::unexpected<Error>(begin.error());
  auto reference = parse_reference(file_, chunk, std::move(*begin), files_);
  if (!reference) return tl::unexpected<Error>(std::move(reference).error());
  std::vector<std::uint32_t> used;
  for (const FilePiece& piece : reference->pieces) {
    if (piece.file == kInNoFile) continue;
    // More than all bytes that there can be is said of hostile ones only.
    std::uint64_t& sum = files_[piece.file].referenced_bytes;
    sum = piece.bytes > UINT64_MAX - sum ? UINT64_MAX : sum + piece.bytes;
    used.push_back(piece.file);
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (const std::uint32_t number : used) files_[number].blobs += 1;
  found(reference->digest, {index, 0, reference->bytes, true});
  return {};
}

const std::vector<ExternalFile>& BlobStore::files() {
  find_all(false);
  return files_;
}

Result<Reference> BlobStore::load_parts(std::size_t index) const {
  auto payload = load_payload(file_, chunks_[index], memory_.left_for_records() / 2);
  if (!payload) return tl::unexpected<Error>(std::move(payload).error());
  return parse_reference(file_, chunks_[index], std::move(*payload), files_);
}

Result<const OpenedFile*> BlobStore::opened(std::uint32_t number) {
  if (const auto it = opened_.find(number); it != opened_.end()) return &it->second;
  auto file = open_external(access_, files_[number], file_.path());
  if (!file) return tl::unexpected<Error>(std::move(file).error());
  return &opened_.emplace(number, std::move(*file)).first->second;
}

// `at`: behind the piece's first byte.
Result<void> BlobStore::read_piece(const FilePiece& piece, std::uint64_t at, std::span<std::byte> out) {
  const ExternalFile& file = files_[piece.file];
  std::uint64_t offset = piece.offset + at;
  if (!file.embedded()) {
    const auto from = opened(piece.file);
    if (!from) return tl::unexpected<Error>(from.error());
    if (!(*from)->read(offset, out))
      return tl::unexpected<Error>(file_error(
          file_.path(), file,
          "cannot be read at offset " + std::to_string(offset) + ": it has become shorter, or its disk has failed"));
    return {};
  }
  while (!out.empty()) {
    const Digest& name = file.blocks[static_cast<std::size_t>(offset / kFileBlock)];
    const auto place = places_.find(name);
    // No part of a file lies in a file: that could go around.
    if (place == places_.end() || place->second.in_files)
      return fail(Status::unreadable, file_.path() + ": a part of the embedded file " + file.path + " (blob " +
                                          to_string(name) + ") is not in the capture");
    const auto block = get(name);
    if (!block) return tl::unexpected<Error>(block.error());
    const std::uint64_t in_block = offset % kFileBlock;
    if ((*block)->size() != std::min(kFileBlock, file.identity.bytes - (offset - in_block)))
      return fail(Status::unreadable,
                  file_.path() + ": a part of the embedded file " + file.path + " has not the length of one");
    const auto n = std::min<std::size_t>(out.size(), (*block)->size() - static_cast<std::size_t>(in_block));
    std::copy_n((*block)->begin() + static_cast<std::ptrdiff_t>(in_block), n, out.begin());
    out = out.subspan(n);
    offset += n;
  }
  return {};
}

// The blob's bytes in their order, a MiB at most at a time.
Result<void> BlobStore::read_whole(const Reference& reference, const Sink& sink) {
  std::span<const std::byte> rest = reference.in_no_file;
  std::vector<std::byte> step;
  for (const FilePiece& piece : reference.pieces) {
    if (piece.file == kInNoFile) {
      sink(rest.first(static_cast<std::size_t>(piece.bytes)));
      rest = rest.subspan(static_cast<std::size_t>(piece.bytes));
      continue;
    }
    for (std::uint64_t at = 0; at < piece.bytes; at += step.size()) {
      step.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kStep, piece.bytes - at)));
      RONDO_TRY(read_piece(piece, at, step));
      sink(step);
    }
  }
  return {};
}

Result<Reader::Bytes> BlobStore::load_from_files(const Digest& wanted, const Place& place) {
  const ChunkInfo& chunk = chunks_[place.chunk];
  auto reference = load_parts(place.chunk);
  if (!reference) return tl::unexpected<Error>(std::move(reference).error());
  make_room(static_cast<std::size_t>(place.bytes));
  const std::uint64_t parts = 2 * reference->payload.size();  // at most
  const std::uint64_t left = memory_.left_for_records() - std::min<std::uint64_t>(parts, memory_.left_for_records());
  if (reference->bytes > left)
    return fail(Status::unreadable, at_offset(file_, chunk.offset) + ": this blob needs " +
                                        std::to_string(reference->bytes) + " bytes of memory, more than the " +
                                        std::to_string(left) + " left of the budget: raise the budget");
  // A file that is there and as long as it was: only then is so much memory of use.
  for (const FilePiece& piece : reference->pieces) {
    if (piece.file == kInNoFile || files_[piece.file].embedded()) continue;
    if (const auto from = opened(piece.file); !from) return tl::unexpected<Error>(from.error());
  }
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(reference->bytes));
  RONDO_TRY(read_whole(*reference,
                       [&](std::span<const std::byte> step) { bytes.insert(bytes.end(), step.begin(), step.end()); }));
  if (reference->digest != wanted || digest_of(bytes) != wanted) {
    RONDO_TRY(check_reference(*reference));
    return fail(Status::unreadable, at_offset(file_, chunk.offset) + ": blob " + to_string(wanted) +
                                        " is corrupt (its bytes have another digest)");
  }
  Reader::Bytes shared = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  keep(wanted, shared);
  return shared;
}

// Whether what it takes from files is what it was; who wrote the capture may have kept no digests of the parts.
Result<void> BlobStore::check_reference(const Reference& reference) {
  const ExternalFile* last = nullptr;
  for (const FilePiece& piece : reference.pieces) {
    if (piece.file == kInNoFile || files_[piece.file].embedded()) continue;
    last = &files_[piece.file];
    if (piece.digest == Digest{}) continue;
    Digester digester;
    std::vector<std::byte> step;
    for (std::uint64_t at = 0; at < piece.bytes; at += step.size()) {
      step.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kStep, piece.bytes - at)));
      RONDO_TRY(read_piece(piece, at, step));
      digester.add(step);
    }
    if (digester.digest() != piece.digest)
      return tl::unexpected<Error>(
          file_error(file_.path(), *last,
                     "has changed since: the bytes " + std::to_string(piece.offset) + " to " +
                         std::to_string(piece.offset + piece.bytes) +
                         " of it, which are used, are others: bring the old one back; --file-remap " + last->path +
                         "=NEW says where it lies"));
  }
  if (last == nullptr) return {};
  Digester whole;
  RONDO_TRY(read_whole(reference, [&](std::span<const std::byte> step) { whole.add(step); }));
  if (whole.digest() == reference.digest) return {};
  return tl::unexpected<Error>(file_error(file_.path(), *last,
                                          "has changed since: the bytes of blob " + to_string(reference.digest) +
                                              ", which lie in it, are others: bring the old one back; --file-remap " +
                                              last->path + "=NEW says where it lies"));
}

Result<void> BlobStore::check_files() {
  find_all(false);
  if (problem_) return tl::unexpected<Error>(*problem_);
  std::vector<bool> to_read(files_.size());
  for (std::uint32_t number = 0; number < files_.size(); ++number) {
    if (files_[number].embedded() || files_[number].blobs == 0) continue;
    const auto file = opened(number);
    if (!file) return tl::unexpected<Error>(file.error());
    to_read[number] = (*file)->remapped() || files_[number].check == FileCheck::digest;
  }
  if (std::find(to_read.begin(), to_read.end(), true) == to_read.end()) return {};
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    if (type_of(chunks_[i].header) != ChunkType::references) continue;
    const auto reference = load_parts(i);
    if (!reference) return tl::unexpected<Error>(reference.error());
    const auto asked = [&](const FilePiece& piece) { return piece.file != kInNoFile && to_read[piece.file]; };
    if (std::any_of(reference->pieces.begin(), reference->pieces.end(), asked)) RONDO_TRY(check_reference(*reference));
  }
  return {};
}

}  // namespace rondo
