// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "format/reader_impl.h"

namespace rondo {

namespace {

constexpr std::size_t kBlobsHead = sizeof(std::uint64_t);  // count and zeros, in front of the directory

}  // namespace

void BlobStore::find_all(bool to_get) {
  if (std::exchange(searched_, true)) return;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const ChunkType type = type_of(chunks_[i].header);
    if (type != ChunkType::blobs && type != ChunkType::segment && type != ChunkType::references) continue;
    auto done = type == ChunkType::blobs     ? find_in_chunk(i, to_get)
                : type == ChunkType::segment ? find_in_segment(i)
                                             : find_reference(i);
    if (!done && !problem_) problem_ = std::move(done).error();
  }
}

void BlobStore::found(const Digest& digest, const Place& place) {
  const auto [it, fresh] = places_.try_emplace(digest, place);
  // What the capture has itself is read from no file: the parts of an embedded one are looked for here, too.
  const bool better = !fresh && it->second.in_files && !place.in_files && it->second.bytes == place.bytes;
  if (better) it->second = place;
  if (better) by_chunk_[place.chunk].push_back(digest);
  if (!fresh) return;
  order_.push_back(digest);
  by_chunk_[place.chunk].push_back(digest);
}

// Its begin, as far as the directory goes.
Result<Payload> BlobStore::load_directory(const ChunkInfo& chunk) const {
  const auto first = load_prefix(file_, chunk, kBlobsHead);
  if (!first) return tl::unexpected<Error>(first.error());
  const auto count = blob_count(file_, chunk, first->bytes());
  if (!count) return tl::unexpected<Error>(count.error());
  const std::uint64_t directory_bytes = kBlobsHead + std::uint64_t{*count} * sizeof(BlobEntry);
  if (directory_bytes > memory_.left_for_records())
    return fail(Status::unreadable, at_offset(file_, chunk.offset) +
                                        ": the directory of this blobs chunk exceeds the memory budget: raise it");
  return load_prefix(file_, chunk, static_cast<std::size_t>(directory_bytes));
}

Result<void> BlobStore::find_in_chunk(std::size_t index, bool to_get) {
  const ChunkInfo& chunk = chunks_[index];
  const std::uint64_t raw_bytes = chunk.header.raw_bytes;
  if (raw_bytes < kBlobsHead)
    return fail(Status::unreadable, at_offset(file_, chunk.offset) + ": a blobs chunk without a directory");
  const std::size_t room = std::min(memory_.budget / 4, memory_.left_for_records());
  bool whole = to_get && memory_.blobs <= room && raw_bytes <= (room - memory_.blobs) / 2;
  auto payload = whole ? load_payload(file_, chunk, memory_.left_for_records()) : load_directory(chunk);
  if (whole && !payload) {  // it may be damaged behind its directory
    whole = false;
    payload = load_directory(chunk);
  }
  if (!payload) return tl::unexpected<Error>(payload.error());
  const std::span<const std::byte> bytes = payload->bytes();
  const auto count = blob_count(file_, chunk, bytes.first(std::min<std::size_t>(bytes.size(), kBlobsHead)));
  if (!count) return tl::unexpected<Error>(count.error());
  std::uint64_t offset = kBlobsHead + std::uint64_t{*count} * sizeof(BlobEntry);
  for (std::uint32_t i = 0; i < *count; ++i) {
    BlobEntry entry;
    std::memcpy(&entry, bytes.data() + kBlobsHead + i * sizeof entry, sizeof entry);
    if (entry.bytes > raw_bytes - offset)
      return fail(Status::unreadable, at_offset(file_, chunk.offset) + ": blob " + std::to_string(i) +
                                          " of this chunk goes beyond its end");
    const Digest digest{entry.digest_low, entry.digest_high};
    found(digest, {index, offset, entry.bytes});
    if (whole) {
      const auto blob = bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(entry.bytes));
      if (digest_of(blob) == digest)
        keep(digest, std::make_shared<const std::vector<std::byte>>(blob.begin(), blob.end()));
    }
    offset += entry.bytes;
  }
  return {};
}

Result<void> BlobStore::find_in_segment(std::size_t index) {
  const auto payload = load_payload(file_, chunks_[index], memory_.left_for_records());
  if (!payload) return tl::unexpected<Error>(payload.error());
  RecordWalk walk(payload->bytes(), chunks_[index].header.base_sequence);
  while (walk.next()) {
    if (walk.kind() != kRecordBlob) continue;
    Digest digest;
    std::memcpy(&digest, walk.body().data(), sizeof digest);
    found(digest, {index, walk.offset() + sizeof(RecordHeader) + sizeof digest, walk.body().size() - sizeof digest});
  }
  return {};
}

std::vector<BlobInfo> BlobStore::list() {
  find_all(false);
  std::vector<BlobInfo> all;
  all.reserve(order_.size());
  for (const Digest& digest : order_) all.push_back({digest, places_.at(digest).bytes});
  return all;
}

Result<Reader::Bytes> BlobStore::get(const Digest& digest) {
  find_all(true);
  if (const auto it = cache_.find(digest); it != cache_.end()) {
    ages_.splice(ages_.begin(), ages_, it->second.age);
    return it->second.bytes;
  }
  const auto place = places_.find(digest);
  if (place == places_.end()) {
    std::string why = file_.path() + ": blob " + to_string(digest) + " is not in the capture";
    if (problem_) why += " (" + problem_->message + ")";
    return fail(Status::unreadable, std::move(why));
  }
  return place->second.in_files ? load_from_files(digest, place->second) : load(digest, place->second);
}

Result<Reader::Bytes> BlobStore::load(const Digest& wanted, const Place& place) {
  const ChunkInfo& chunk = chunks_[place.chunk];
  const auto raw_bytes = static_cast<std::size_t>(chunk.header.raw_bytes);
  make_room(raw_bytes);
  RONDO_TRY(check_payload_size(file_, chunk, memory_.left_for_records()));
  auto all = std::make_shared<std::vector<std::byte>>(raw_bytes);
  RONDO_TRY(load_payload_into(file_, chunk, *all));
  const auto matches = [&](const Digest& digest, std::uint64_t offset, std::uint64_t bytes) {
    return digest_of(std::span(*all).subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes))) ==
           digest;
  };
  if (place.offset + place.bytes > raw_bytes || !matches(wanted, place.offset, place.bytes))
    return fail(Status::unreadable, at_offset(file_, chunk.offset) + ": blob " + to_string(wanted) +
                                        " is corrupt (its bytes have another digest)");
  if (place.offset + place.bytes == raw_bytes && place.bytes > raw_bytes / 2) {
    // Most of the chunk: moved to the front instead of copied.
    all->erase(all->begin(), all->begin() + static_cast<std::ptrdiff_t>(place.offset));
    Reader::Bytes bytes = std::move(all);
    keep(wanted, bytes);
    return bytes;
  }
  const auto copy = [&](std::uint64_t offset, std::uint64_t bytes) {
    const auto from = all->begin() + static_cast<std::ptrdiff_t>(offset);
    return std::make_shared<const std::vector<std::byte>>(from, from + static_cast<std::ptrdiff_t>(bytes));
  };
  // Whoever wants one blob of a chunk soon wants the others.
  if (raw_bytes <= memory_.budget / 8) {
    for (const Digest& digest : by_chunk_.at(place.chunk)) {
      const Place& other = places_.at(digest);
      if (digest != wanted && other.offset + other.bytes <= raw_bytes && matches(digest, other.offset, other.bytes))
        keep(digest, copy(other.offset, other.bytes));
    }
  }
  Reader::Bytes bytes = copy(place.offset, place.bytes);
  keep(wanted, bytes);
  return bytes;
}

void BlobStore::keep(const Digest& digest, const Reader::Bytes& bytes) {
  if (bytes->size() > memory_.budget / 4 || cache_.count(digest) != 0) return;
  make_room(bytes->size());
  ages_.push_front(digest);
  cache_.emplace(digest, Cached{bytes, ages_.begin()});
  memory_.blobs += bytes->size();
}

// The cache stays below a quarter of the budget, and out of the records' way.
void BlobStore::make_room(std::size_t bytes) {
  const std::size_t limit = std::min(memory_.budget / 4, memory_.left_for_records());
  while (!ages_.empty() && memory_.blobs + bytes > limit) {
    const auto oldest = cache_.find(ages_.back());
    memory_.blobs -= oldest->second.bytes->size();
    cache_.erase(oldest);
    ages_.pop_back();
  }
}

}  // namespace rondo
