// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/hot_blocks.h"

namespace rondo::memory {

HotBlocks::HotBlocks(std::size_t pages)
    : pages_(pages),
      blocks_((pages + block_pages - 1) / block_pages),
      count_(blocks_),
      streak_(blocks_),
      seen_(blocks_),
      warm_(blocks_),
      hot_(blocks_),
      never_(blocks_) {}

void HotBlocks::wrote(std::size_t first, std::size_t last) {
  while (first < last) {
    const std::size_t block = first / block_pages;
    const std::size_t end = std::min(last, block_end(first));
    count_[block] = static_cast<std::uint8_t>(std::min<std::size_t>(count_[block] + (end - first), block_pages));
    seen_.add(block, block + 1);
    first = end;
  }
}

bool HotBlocks::scanned(std::size_t first, std::size_t last, bool parts) {
  for (std::size_t block = warm_.next(0, blocks_); block < blocks_; block = warm_.next(block + 1, blocks_)) {
    if (count_[block] >= busy(block)) continue;
    streak_[block] = 0;
    warm_.remove(block, block + 1);
  }
  bool more = false;
  for (std::size_t block = seen_.next(0, blocks_); block < blocks_; block = seen_.next(block + 1, blocks_)) {
    const std::size_t end = parts ? end_of(block) : (block + 1) * block_pages;
    const bool is_busy = count_[block] >= busy(block) && block * block_pages >= first && end <= last &&
                         !hot_.has(block) && !never_.has(block);
    count_[block] = 0;
    if (!is_busy) continue;
    if (++streak_[block] < busy_scans) {
      warm_.add(block, block + 1);
      continue;
    }
    streak_[block] = 0;
    warm_.remove(block, block + 1);
    hot_.add(block, block + 1);
    more = true;
  }
  seen_.remove(0, blocks_);
  return more;
}

bool HotBlocks::cool_part() {
  if (pages_ % block_pages == 0) return false;
  const std::size_t block = blocks_ - 1;
  const bool was = hot_.has(block);
  hot_.remove(block, block + 1);
  streak_[block] = 0;
  return was;
}

void HotBlocks::never(std::size_t page) {
  const std::size_t block = page / block_pages;
  hot_.remove(block, block + 1);
  never_.add(block, block + 1);
}

bool HotBlocks::compared(std::size_t page, bool changed) {
  const std::size_t block = page / block_pages;
  if (changed) {
    streak_[block] = 0;
    return false;
  }
  if (++streak_[block] < quiet_compares) return false;
  streak_[block] = 0;
  hot_.remove(block, block + 1);
  return true;
}

}  // namespace rondo::memory
