// SPDX-License-Identifier: Apache-2.0
// Work that shows how often it was done: each time, the words of a buffer move
// up by one. Word n holds the first word after n times.
#pragma once

#include "support.h"

namespace program {

inline constexpr std::uint32_t kShiftWords = 1024;

struct Shift {
  MappedBuffer words;
  MappedBuffer aside;
};

inline Shift create_shift(const Context& c) {
  constexpr VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  Shift s;
  s.words = create_mapped_buffer(c, kShiftWords * 4, usage);
  s.aside = create_mapped_buffer(c, kShiftWords * 4, usage);
  for (std::uint32_t i = 0; i < kShiftWords; ++i) s.words.words[i] = mix(7, i);
  return s;
}

inline void destroy(const Context& c, Shift& s) {
  destroy(c, s.aside);
  destroy(c, s.words);
}

inline void record_shift(const Shift& s, VkCommandBuffer commands) {
  constexpr VkAccessFlags both = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  const VkBufferCopy out{0, 0, kShiftWords * 4}, back{0, 4, (kShiftWords - 1) * 4};
  transfer_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, both);
  vkCmdCopyBuffer(commands, s.words.buffer, s.aside.buffer, 1, &out);
  transfer_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, both);
  vkCmdCopyBuffer(commands, s.aside.buffer, s.words.buffer, 1, &back);
  transfers_to_host(commands);
}

// Ends the program if it was not done `times` times.
inline void expect_shifted(const Shift& s, std::uint32_t times) {
  for (std::uint32_t i = 0; i < kShiftWords; ++i)
    if (s.words.words[i] != mix(7, i < times ? 0 : i - times)) die("wrong word, shifted so often", times);
}

}  // namespace program
