// SPDX-License-Identifier: Apache-2.0
// Chapters "Clear Commands" and "Copy Commands", of buffers alone: fills of odd
// ends, updates of every size up to the largest, and copies of many regions
// within one buffer and between buffers, in both versions of the command.
#include "words.h"

using namespace program;

namespace {

constexpr std::uint32_t kBytes = 128 * 1024;

void fills(Session& s, const MappedBuffer& b, std::vector<unsigned char>& expected) {
  const auto fill = [&](std::uint32_t at, std::uint32_t bytes, std::uint32_t value) {
    for (std::uint32_t i = at; i < at + bytes; i += 4) std::memcpy(&expected[i], &value, 4);
    vkCmdFillBuffer(s.cmd, b.buffer, at, bytes, value);
  };
  fill(0, 4, 0x01020304);
  fill(4, 8, 0xffffffff);
  fill(20, 4092, 0x80000001);
  fill(kBytes - 4, 4, 7);
  barrier(s.cmd);
  for (std::uint32_t i = kBytes - 1020; i < kBytes; i += 4) std::memcpy(&expected[i], "\1\2\3\4", 4);
  vkCmdFillBuffer(s.cmd, b.buffer, kBytes - 1020, VK_WHOLE_SIZE, 0x04030201);
}

void updates(Session& s, const MappedBuffer& b, std::vector<unsigned char>& expected) {
  std::uint32_t at = 8192;
  for (std::uint32_t words : {1u, 2u, 3u, 63u, 64u, 65u, 1023u, 16384u}) {
    std::vector<std::uint32_t> data(words);
    for (std::uint32_t i = 0; i < words; ++i) data[i] = mix(words, i);
    vkCmdUpdateBuffer(s.cmd, b.buffer, at, words * 4, data.data());
    std::memcpy(&expected[at], data.data(), words * 4);
    std::fill(data.begin(), data.end(), 0u);  // the command has taken what it needs
    at += words * 4 + 12;
  }
}

// Odd bytes, from odd places to odd places, each region apart from the others.
void regions(Session& s, const MappedBuffer& from, const MappedBuffer& to, std::vector<unsigned char>& expected) {
  std::vector<VkBufferCopy> copies;
  for (std::uint32_t i = 0; i < 500; ++i) copies.push_back({i * 131 + i % 7, i * 260 + i % 5, 1 + i % 129});
  vkCmdCopyBuffer(s.cmd, from.buffer, to.buffer, 500, copies.data());
  const auto* bytes = reinterpret_cast<const unsigned char*>(from.words);
  for (const VkBufferCopy& c : copies) std::memcpy(&expected[c.dstOffset], bytes + c.srcOffset, c.size);
}

// Within one buffer, between parts that do not overlap but touch.
void within(Session& s, const MappedBuffer& b, std::vector<unsigned char>& expected) {
  VkBufferCopy2 copies[2] = {{VK_STRUCTURE_TYPE_BUFFER_COPY_2, nullptr, 0, 65536, 4096},
                             {VK_STRUCTURE_TYPE_BUFFER_COPY_2, nullptr, 4096, 69632, 1}};
  const VkCopyBufferInfo2 info{VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2, nullptr, b.buffer, b.buffer, 2, copies};
  vkCmdCopyBuffer2(s.cmd, &info);
  for (VkBufferCopy2& c : copies) {
    std::memcpy(&expected[c.dstOffset], &expected[c.srcOffset], c.size);
    c = {};
  }
}

}  // namespace

int main() {
  Needs needs;
  Session s = open("updates", needs);
  const MappedBuffer first = buffer(s, kBytes, kCopies), second = buffer(s, kBytes, kCopies),
                     third = buffer(s, kBytes, kCopies);
  fill(first, 1);
  fill(second, 2);
  std::vector<unsigned char> expected[2];
  for (int n = 0; n < 2; ++n) {
    const auto* bytes = reinterpret_cast<const unsigned char*>((n == 0 ? second : third).words);
    expected[n].assign(bytes, bytes + kBytes);
  }
  fills(s, second, expected[0]);
  barrier(s.cmd);
  updates(s, second, expected[0]);
  regions(s, first, third, expected[1]);
  barrier(s.cmd);
  within(s, second, expected[0]);
  run(s);
  EXPECT(s, std::memcmp(second.words, expected[0].data(), kBytes) == 0);
  EXPECT(s, std::memcmp(third.words, expected[1].data(), kBytes) == 0);
  add(s, second);
  add(s, third);
  return finish(s);
}
