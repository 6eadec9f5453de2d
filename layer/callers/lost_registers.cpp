// SPDX-License-Identifier: Apache-2.0
// Call frame instructions and expressions are those of DWARF 5 (sections 6.4.2 and 2.5.1), entries those of
// the Linux Standard Base (Core, 10.6.1).
#include "layer/callers/lost_registers.h"

#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

namespace rondo::layer {

namespace {

constexpr std::uint8_t kDefCfaExpression = 0x0f, kExpression = 0x10,
                       kValExpression = 0x16;  // a block follows
constexpr std::uint8_t kBreg0 = 0x70;          // what a register has, and an offset

bool kept_by_calls(std::uint64_t number) {
#ifdef __x86_64__
  return number == 3 || number == 6 || number == 7 || (number >= 12 && number <= 16);  // rbx, rbp, rsp, r12 to r15, rip
#elif defined(__aarch64__)
  return number >= 19 && number <= 31;  // x19 to x30, sp
#else
  return true;
#endif
}

struct Bytes {
  const std::uint8_t* at;
  const std::uint8_t* end;
  bool good = true;

  bool more() const { return good && at < end; }
  void skip(std::uint64_t count) {
    good = good && count <= static_cast<std::uint64_t>(end - at);
    if (good) at += count;
  }
  std::uint8_t byte() {
    const std::uint8_t* const here = at;
    skip(1);
    return good ? *here : 0;
  }
  // Of a signed one what stands there: its length is what matters.
  std::uint64_t leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t next = byte();
      if (shift < 64) value |= std::uint64_t{next & 0x7fu} << shift;
      if (next < 0x80) return value;
    }
  }
};

// Of a pointer with this encoding; 0: it says nothing or is none that is known here.
std::size_t pointer_size(std::uint8_t encoding) {
  constexpr std::size_t sizes[] = {sizeof(void*), 0, 2, 4, 8, 0, 0, 0};
  return (encoding & 0x70) == 0x50 ? 0 : sizes[encoding & 7];
}

// What follows an instruction: 'l' a LEB128 number, 'p' a pointer, a digit so many bytes; '?': it is not
// known. Of those with an expression what stands in front of its length.
std::string_view operands_of(std::uint8_t code) {
  constexpr std::string_view known[] = {"",   "p", "1", "2", "4", "ll", "l",  "l", "l",  "ll", "", "",
                                        "ll", "l", "l", "",  "l", "ll", "ll", "l", "ll", "ll", "l"};
  if (code >= 0xc0 || (code >= 0x40 && code < 0x80)) return "";
  if (code >= 0x80) return "l";
  if (code < std::size(known)) return known[code];
  if (code == 0x2d) return "";    // whether return addresses are signed
  if (code == 0x2e) return "l";   // the size of arguments
  if (code == 0x2f) return "ll";  // an offset, negated
  return "?";
}

void skip_operands(Bytes& bytes, std::string_view operands, std::size_t pointer) {
  for (const char one : operands) {
    if (one == 'l') bytes.leb();
    if (one == 'p') bytes.skip(pointer);
    if (one >= '1' && one <= '4') bytes.skip(static_cast<std::uint64_t>(one - '0'));
    if (one == '?') bytes.good = false;
  }
}

// Expressions here begin with the register that they are about.
bool begins_with_lost_register(Bytes bytes) {
  const std::uint8_t code = bytes.byte();
  return bytes.good && code >= kBreg0 && code < kBreg0 + 32 && !kept_by_calls(code - kBreg0);
}

// The encoding of the entry's own places, and whether lengths of augmentations are there.
struct Common {
  std::uint8_t encoding = 0;
  bool sized = false, good = false;
};

Common common_of(Bytes bytes) {
  Common common;
  const std::uint8_t version = bytes.byte();
  const auto* const text = reinterpret_cast<const char*>(bytes.at);
  const std::string_view augmentation(text, ::strnlen(text, static_cast<std::size_t>(bytes.end - bytes.at)));
  bytes.skip(augmentation.size() + 1);
  bytes.leb();                                // what instructions count in: code,
  bytes.leb();                                // data
  version == 1 ? bytes.byte() : bytes.leb();  // the register of return addresses
  common.good = bytes.good;
  common.sized = augmentation.starts_with('z');
  if (!common.sized) {
    common.good = common.good && augmentation.empty();
    return common;
  }
  bytes.leb();
  for (const char one : augmentation.substr(1)) {
    if (one == 'R') common.encoding = bytes.byte();
    if (one == 'L') bytes.byte();
    if (one == 'P') {
      const std::size_t size = pointer_size(bytes.byte());
      bytes.skip(size);
      bytes.good = bytes.good && size != 0;
    }
  }
  common.good = bytes.good;
  return common;
}

// What stands behind an entry's length.
Bytes body_at(const std::uint8_t* entry) {
  std::uint32_t length = 0;
  std::memcpy(&length, entry, sizeof length);
  return {entry + sizeof length, entry + sizeof length + (length == UINT32_MAX ? 0 : length)};
}

}  // namespace

bool needs_lost_register(const void* entry) noexcept {
  Bytes bytes = body_at(static_cast<const std::uint8_t*>(entry));
  const std::uint8_t* const link = bytes.at;
  bytes.skip(sizeof(std::int32_t));
  // Each frame of each call comes here, and hardly one has such a byte at all.
  if (!bytes.good ||
      std::memchr(bytes.at, kDefCfaExpression, static_cast<std::size_t>(bytes.end - bytes.at)) == nullptr)
    return false;
  std::int32_t back = 0;
  std::memcpy(&back, link, sizeof back);
  Bytes common_bytes = body_at(link - back);
  common_bytes.skip(sizeof(std::int32_t));
  const Common common = common_of(common_bytes);
  const std::size_t pointer = pointer_size(common.encoding);
  if (!common.good || pointer == 0) return false;
  bytes.skip(2 * pointer);
  if (common.sized) bytes.skip(bytes.leb());
  while (bytes.more()) {
    const std::uint8_t code = bytes.byte();
    skip_operands(bytes, operands_of(code), pointer);
    if (!bytes.good || (code != kDefCfaExpression && code != kExpression && code != kValExpression)) continue;
    const std::uint64_t length = bytes.leb();
    const std::uint8_t* const first = bytes.at;
    bytes.skip(length);
    if (code == kDefCfaExpression && bytes.good && begins_with_lost_register({first, bytes.at})) return true;
  }
  return false;
}

}  // namespace rondo::layer
