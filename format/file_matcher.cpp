// SPDX-License-Identifier: Apache-2.0
#include "format/file_matcher.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace rondo {
namespace {

constexpr std::size_t kBlock = FileMatcher::kBlock;
constexpr std::size_t kStep = 256 * 1024;
constexpr std::size_t kBitsPerSlot = 8;
constexpr int kMostAlike = 4;  // blocks of one checksum that are kept

// The checksum of b[0] … b[n-1] is the sum of value(b[i]) * kBase^(n-1-i), modulo 2^64.
constexpr std::uint64_t kBase = 0x9e3779b97f4a7c15u | 5;

constexpr std::uint64_t power(std::size_t exponent) {
  std::uint64_t product = 1;
  for (std::size_t i = 0; i < exponent; ++i) product *= kBase;
  return product;
}

constexpr std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

struct Values {
  std::array<std::uint64_t, 256> in{};   // of a byte that comes
  std::array<std::uint64_t, 256> out{};  // … and of one that goes, a block later
};
constexpr Values make_values() {
  Values v;
  const std::uint64_t far = power(kBlock);
  for (std::size_t b = 0; b < 256; ++b) {
    v.in[b] = scramble(b);
    v.out[b] = v.in[b] * far;
  }
  return v;
}
// Not constexpr: compilers count the steps.
const Values& values() {
  static const Values v = make_values();
  return v;
}

// Eight parts side by side, since each multiplication waits for the one before.
std::uint64_t checksum_of_block(const std::byte* block) {
  constexpr std::size_t kParts = 8, kPart = kBlock / kParts;
  static const std::uint64_t between = power(kPart);
  const std::array<std::uint64_t, 256>& in = values().in;
  std::uint64_t part[kParts] = {};
  for (std::size_t i = 0; i < kPart; ++i)
    for (std::size_t p = 0; p < kParts; ++p)
      part[p] = part[p] * kBase + in[static_cast<std::size_t>(block[p * kPart + i])];
  std::uint64_t sum = 0;
  for (const std::uint64_t one : part) sum = sum * between + one;
  return sum;
}

bool one_byte_repeated(const std::byte* block) { return std::memcmp(block, block + 1, kBlock - 1) == 0; }

// How many bytes are the same from the front, or from the back.
std::size_t same_ahead(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (std::memcmp(a.data(), b.data(), a.size()) == 0) return a.size();
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
}
std::size_t same_back(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (std::memcmp(a.data(), b.data(), a.size()) == 0) return a.size();
  return static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin()).first - a.rbegin());
}

std::uint64_t spread(std::uint64_t hash) { return hash * 0xd6e8feb86659fd93u; }

}  // namespace

std::optional<std::uint32_t> FileMatcher::add(OpenedFile file) {
  const FileIdentity identity = file.identity();
  std::uint64_t every = 1;
  while (every < kMostSteps && identity.bytes / every > kEveryBlock) every *= 2;
  const std::uint64_t step = every * kBlock;
  const std::uint64_t blocks = identity.bytes / step + 1;
  if (identity.bytes < kBlock || blocks > kMostBlocks - std::min(kMostBlocks, used_)) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(files_.size());
  files_.push_back({std::move(file), identity, false});
  const OpenedFile& opened = files_.back().file;
  std::vector<std::byte> buffer(every == 1 ? kStep : kBlock);
  bool whole = true;
  for (std::uint64_t offset = 0; whole && identity.bytes - offset >= kBlock;) {
    const auto n =
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), (identity.bytes - offset) / kBlock * kBlock));
    whole = opened.read(offset, std::span(buffer).first(n));
    for (std::size_t at = 0; whole && at < n; at += kBlock) {
      if (one_byte_repeated(&buffer[at])) continue;
      insert(checksum_of_block(&buffer[at]), number, static_cast<std::uint32_t>((offset + at) / kBlock));
    }
    const std::uint64_t next = every == 1 ? n : step;
    if (identity.bytes - offset <= next) break;
    offset += next;
  }
  if (whole && still(number)) return number;
  files_.back().gone = true;  // what it has in the table is passed over
  return std::nullopt;
}

void FileMatcher::grow() {
  const std::vector<Slot> old = std::move(slots_);
  slots_.assign(std::max<std::size_t>(4096, old.size() * 2), {});
  filter_.assign(slots_.size() * kBitsPerSlot / 64, 0);
  filter_shift_ = 64 - std::countr_zero(slots_.size() * kBitsPerSlot);
  used_ = 0;
  for (const Slot& slot : old)
    if (slot.file != kInNoFile) insert(slot.hash, slot.file, slot.block);
}

void FileMatcher::insert(std::uint64_t hash, std::uint32_t file, std::uint32_t block) {
  if (2 * (used_ + 1) > slots_.size()) grow();
  int alike = 0;
  std::size_t at = first_slot(hash);
  for (; slots_[at].file != kInNoFile; at = (at + 1) & (slots_.size() - 1)) {
    alike += slots_[at].hash == hash ? 1 : 0;
    if (alike == kMostAlike) return;
  }
  slots_[at] = {hash, file, block};
  ++used_;
  const std::size_t bit = filter_bit(hash);
  filter_[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

std::size_t FileMatcher::first_slot(std::uint64_t hash) const {
  return static_cast<std::size_t>(spread(hash) >> 32) & (slots_.size() - 1);
}

// The upper bits of a checksum are as good as any: no multiplication more for each byte of a blob.
std::size_t FileMatcher::filter_bit(std::uint64_t hash) const {
  return static_cast<std::size_t>(hash >> filter_shift_);
}

bool FileMatcher::still(std::uint32_t number) {
  Indexed& one = files_[number];
  one.gone = one.gone || one.file.identity() != one.identity;
  return !one.gone;
}

void FileMatcher::close() {
  for (Indexed& one : files_) {
    const FileIdentity now = one.file.identity();
    if (now.device != one.identity.device || now.inode != one.identity.inode) one.file.forget();
  }
  files_.clear();
  slots_.clear();
  filter_.clear();
  used_ = 0;
}

FileMatcher::Run FileMatcher::run_at(std::span<const std::byte> blob, std::size_t at, std::size_t begin,
                                     std::uint64_t hash) {
  Run best;
  std::vector<std::byte>& buffer = buffer_;
  for (std::size_t i = first_slot(hash); slots_[i].file != kInNoFile; i = (i + 1) & (slots_.size() - 1)) {
    const Slot& slot = slots_[i];
    if (slot.hash != hash || files_[slot.file].gone) continue;
    const OpenedFile& file = files_[slot.file].file;
    const std::uint64_t size = files_[slot.file].identity.bytes;
    const std::uint64_t here = std::uint64_t{slot.block} * kBlock;
    std::size_t ahead = 0, back = 0;
    for (bool more = true; more;) {
      const auto n =
          static_cast<std::size_t>(std::min<std::uint64_t>({kStep, blob.size() - at - ahead, size - here - ahead}));
      if (n == 0 || !file.read(here + ahead, std::span(buffer).first(n))) break;
      const std::size_t same = same_ahead(blob.subspan(at + ahead, n), std::span(buffer).first(n));
      ahead += same;
      more = same == n;
    }
    if (ahead < kBlock) continue;  // another block of the same checksum, or it has changed
    for (bool more = true; more;) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>({kStep, at - begin - back, here - back}));
      if (n == 0 || !file.read(here - back - n, std::span(buffer).first(n))) break;
      const std::size_t same = same_back(blob.subspan(at - back - n, n), std::span(buffer).first(n));
      back += same;
      more = same == n;
    }
    if (ahead + back > best.piece.bytes) best = {at - back, {slot.file, here - back, ahead + back, {}}};
    if (ahead == blob.size() - at && back == at - begin) break;  // nothing is longer
  }
  return best;
}

std::vector<FilePiece> FileMatcher::find(std::span<const std::byte> blob) {
  std::vector<FilePiece> pieces;
  if (used_ == 0 || blob.size() < kBlock) return pieces;
  const auto byte = [&blob](std::size_t at) { return static_cast<std::size_t>(blob[at]); };
  const Values& value = values();
  std::size_t done = 0;  // up to here the blob is in `pieces`
  const auto none_until = [&](std::size_t at) {
    if (at != done) pieces.push_back({kInNoFile, 0, at - done, {}});
    done = at;
  };
  std::vector<bool> used(files_.size());
  buffer_.resize(kStep);
  while (blob.size() - done >= kBlock) {
    std::size_t at = done;
    std::uint64_t hash = checksum_of_block(&blob[at]);
    Run run;
    for (;;) {
      if (const std::size_t bit = filter_bit(hash); (filter_[bit / 64] >> (bit % 64) & 1) != 0)
        run = run_at(blob, at, done, hash);
      if (run.piece.bytes != 0 || at + kBlock == blob.size()) break;
      hash = hash * kBase + (value.in[byte(at + kBlock)] - value.out[byte(at)]);
      ++at;
    }
    if (run.piece.bytes == 0) break;
    none_until(run.begin);
    used[run.piece.file] = true;
    pieces.push_back(run.piece);
    done += static_cast<std::size_t>(run.piece.bytes);
  }
  if (pieces.empty()) return pieces;
  none_until(blob.size());
  // Who writes into a file while it is compared gets no piece of it.
  for (std::uint32_t number = 0; number < used.size(); ++number)
    if (used[number] && !still(number)) return {};
  return pieces;
}

}  // namespace rondo
