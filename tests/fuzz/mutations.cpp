// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutations.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <random>

#include "format/digest.h"

namespace rondo::fuzz {
namespace {

using Buffer = std::vector<std::byte>;

constexpr std::uint64_t kTelling[] = {0,
                                      1,
                                      2,
                                      3,
                                      8,
                                      0x7f,
                                      0x80,
                                      0xff,
                                      0x100,
                                      0x7fff,
                                      0xffff,
                                      0x10000,
                                      0x7fffffff,
                                      0x80000000,
                                      0xfffffffe,
                                      0xffffffff,
                                      0x100000000,
                                      INT64_MAX,
                                      UINT64_MAX - 1,
                                      UINT64_MAX};

class Damage {
 public:
  explicit Damage(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15u + 1) {}

  std::size_t pick(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  std::uint64_t number() { return pick(4) == 0 ? random_() >> pick(64) : kTelling[pick(std::size(kTelling))]; }
  template <class T>
  auto& one_of(std::vector<T>& all) {
    return all[pick(all.size())];
  }

  // Something small somewhere in the bytes.
  void scratch(Buffer& bytes) {
    if (bytes.empty()) return bytes.resize(pick(16));
    const std::size_t at = pick(bytes.size());
    const std::size_t left = bytes.size() - at;
    switch (pick(6)) {
      case 0:
        bytes[at] ^= static_cast<std::byte>(1u << pick(8));
        return;
      case 1:
        bytes[at] = static_cast<std::byte>(random_());
        return;
      case 2: {
        const std::uint64_t value = number();
        std::memcpy(&bytes[at], &value, std::min(left, std::size_t{1} << pick(4)));
        return;
      }
      case 3: {
        std::uint32_t value = 0;
        std::memcpy(&value, &bytes[at], std::min(left, sizeof value));
        value += static_cast<std::uint32_t>(pick(9)) - 4u;
        std::memcpy(&bytes[at], &value, std::min(left, sizeof value));
        return;
      }
      case 4: {  // what stands elsewhere: often a handle or a count
        const std::size_t from = pick(bytes.size());
        std::memmove(&bytes[at], &bytes[from], std::min({left, bytes.size() - from, std::size_t{8}}));
        return;
      }
      default:
        return resize(bytes, at);
    }
  }

  // Takes bytes out, or puts some in.
  void resize(Buffer& bytes, std::size_t at) {
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t count = 1 + pick(pick(4) == 0 ? 256 : 8);
    if (pick(2) == 0) {
      bytes.erase(place, place + static_cast<std::ptrdiff_t>(std::min(count, bytes.size() - at)));
    } else {
      bytes.insert(place, count, static_cast<std::byte>(random_()));
    }
  }

  // As a disk or a broken copy would.
  void raw_file(Buffer& file) {
    for (std::size_t n = 1 + pick(4); n > 0; --n) {
      if (pick(8) == 0)
        file.resize(pick(file.size() + 1));
      else
        scratch(file);
    }
  }

  void chunks(CaptureParts& capture) {
    auto& parts = capture.parts;
    if (parts.empty()) return;
    const auto at = static_cast<std::ptrdiff_t>(pick(parts.size()));
    switch (pick(5)) {
      case 0:
        std::swap(parts[static_cast<std::size_t>(at)], one_of(parts));
        return;
      case 1:
        parts.erase(parts.begin() + at);
        return;
      case 2:
        parts.insert(parts.begin() + at, Part(one_of(parts)));
        return;
      case 3:
        one_of(parts).claimed = number();
        return;
      default:
        chunk_header(one_of(parts).header);
    }
  }

  void chunk_header(ChunkHeader& h) {
    switch (pick(9)) {
      case 0:
        h.type = static_cast<std::uint16_t>(pick(9));
        return;
      case 1:
        h.flags = static_cast<std::uint16_t>(pick(3));
        return;
      case 2:
        h.codec = static_cast<std::uint8_t>(pick(4));
        return;
      case 3:
        h.thread = static_cast<std::uint32_t>(number());
        return;
      case 4:
        h.ordinal = static_cast<std::uint32_t>(number());
        return;
      case 5:
        h.raw_bytes = pick(2) == 0 ? number() : h.raw_bytes + pick(9) - 4;
        return;
      case 6:
        h.base_sequence = number();
        return;
      case 7:
        h.first_sequence += pick(5) - 2;
        return;
      default:
        h.last_sequence += pick(5) - 2;
    }
  }

  void file_facts(CaptureParts& capture) {
    switch (pick(6)) {
      case 0:
        capture.footer.last_sequence = number();
        return;
      case 1:
        capture.footer.gaps = number();
        return;
      case 2:
        capture.footer.ending = static_cast<std::uint32_t>(pick(5));
        return;
      case 3:
        capture.header.segment_bytes = number();
        return;
      case 4:
        capture.closed = !capture.closed;
        return;
      default:
        capture.header.header_bytes = static_cast<std::uint32_t>(64 + pick(3) * 8);
    }
  }

  // Decompressed bytes of any chunk.
  void payload(CaptureParts& capture) {
    if (capture.parts.empty()) return;
    Part& part = one_of(capture.parts);
    auto raw = part.raw();
    if (!raw) return scratch(part.stored);
    for (std::size_t n = 1 + pick(3); n > 0; --n) scratch(*raw);
    part.set_raw(std::move(*raw));
  }

  void records(CaptureParts& capture) {
    std::vector<Part*> holders;
    for (Part& part : capture.parts)
      if (part.type() == ChunkType::records) holders.push_back(&part);
    if (holders.empty()) return payload(capture);
    Part& part = *one_of(holders);
    const auto raw = part.raw();
    if (!raw) return;
    std::vector<EditedRecord> all = records_of(*raw);
    if (all.empty()) return;
    for (std::size_t n = 1 + pick(3); n > 0; --n) record(all);
    part.set_raw(columns_of(all));
  }

  void record(std::vector<EditedRecord>& all) {
    EditedRecord& one = one_of(all);
    EditedRecord& other = one_of(all);
    switch (pick(16)) {
      case 0:  // a number that is not used leaves no gap
        one.header.flags = kRecordVoid;
        one.header.command = 0;
        one.body.clear();
        return;
      case 1:
        return exchange(one, other);
      case 2: {
        EditedRecord copy = other;
        return exchange(one, copy);
      }
      case 3:
        one.header.command = other.header.command;
        return;
      case 4:
        one.header.flags ^= static_cast<std::uint16_t>(1u << pick(7));
        return;
      case 5:
        one.body = other.body;
        return;
      case 6:
        one.header.sequence_delta = static_cast<std::uint32_t>(number());
        return;
      case 7:  // a handle or size of another call
        if (one.body.size() >= 8 && other.body.size() >= 8) {
          std::byte* to = &one.body[pick(one.body.size() - 7)];
          std::memmove(to, &other.body[pick(other.body.size() - 7)], 8);
        }
        return;
      default:
        return scratch(one.body);
    }
  }

  // Everything but the place in the order of numbers.
  static void exchange(EditedRecord& a, EditedRecord& b) {
    std::swap(a, b);
    std::swap(a.header.sequence_delta, b.header.sequence_delta);
  }

  // A blob of other bytes, under the name that these have.
  void blob(CaptureParts& capture) {
    for (Part& part : capture.parts) {
      if (part.type() != ChunkType::blobs || pick(2) == 0) continue;
      auto raw = part.raw();
      std::uint32_t count = 0;
      if (!raw || raw->size() < 8) continue;
      std::memcpy(&count, raw->data(), sizeof count);
      if (count == 0 || count > (raw->size() - 8) / sizeof(BlobEntry)) continue;
      const std::size_t chosen = pick(count);
      std::size_t start = 8 + count * sizeof(BlobEntry);
      BlobEntry entry{};
      for (std::size_t i = 0; i <= chosen; ++i) {
        start += static_cast<std::size_t>(entry.bytes);
        std::memcpy(&entry, raw->data() + 8 + i * sizeof entry, sizeof entry);
        if (entry.bytes > raw->size() - start) return;
      }
      const auto bytes = std::span(*raw).subspan(start, static_cast<std::size_t>(entry.bytes));
      if (bytes.empty()) continue;
      bytes[pick(bytes.size())] = static_cast<std::byte>(random_());
      const Digest digest = digest_of(bytes);
      BlobEntry changed = entry;
      changed.digest_low = digest.low;
      changed.digest_high = digest.high;
      std::memcpy(raw->data() + 8 + chosen * sizeof entry, &changed, sizeof changed);
      part.set_raw(std::move(*raw));
      return rename(capture, entry, changed);
    }
  }

 private:
  static void rename(CaptureParts& capture, const BlobEntry& from, const BlobEntry& to) {
    Buffer name(16), renamed(16);
    std::memcpy(name.data(), &from, 16);
    std::memcpy(renamed.data(), &to, 16);
    for (Part& part : capture.parts) {
      auto raw = part.type() == ChunkType::records ? part.raw() : std::nullopt;
      if (!raw) continue;
      for (auto at = raw->begin();;) {
        at = std::search(at, raw->end(), name.begin(), name.end());
        if (at == raw->end()) break;
        at = std::copy(renamed.begin(), renamed.end(), at);
      }
      part.set_raw(std::move(*raw));
    }
  }

  std::mt19937_64 random_;
};

}  // namespace

Mutator::Mutator(std::span<const std::byte> capture)
    : file_(capture.begin(), capture.end()), parts_(CaptureParts::from(capture)) {}

std::vector<std::byte> Mutator::mutate(std::uint64_t seed) const {
  Damage damage(seed);
  if (!parts_ || damage.pick(4) == 0) {
    Buffer file = file_;
    damage.raw_file(file);
    return file;
  }
  CaptureParts parts = *parts_;
  for (std::size_t n = 1 + damage.pick(2); n > 0; --n) {
    switch (damage.pick(10)) {
      case 0:
        damage.chunks(parts);
        break;
      case 1:
        damage.file_facts(parts);
        break;
      case 2:
        damage.payload(parts);
        break;
      case 3:
        damage.blob(parts);
        break;
      default:
        damage.records(parts);
    }
  }
  return parts.bytes();
}

}  // namespace rondo::fuzz
