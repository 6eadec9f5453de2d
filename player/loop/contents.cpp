// SPDX-License-Identifier: Apache-2.0
#include "player/loop/contents.h"

#include <algorithm>
#include <cstring>

namespace rondo::player {

namespace {

constexpr VkDeviceSize kBlock = 4096;  // what is compared and kept at once

}  // namespace

std::uint64_t Contents::bytes_kept() const {
  std::uint64_t sum = 0;
  for (const Kept& kept : kept_) sum += kept.data.size();
  return sum;
}

Result<void> Contents::keep() {
  const Plan& plan = run_.plan();
  std::uint64_t total = 0;
  const auto add = [&](Result<MemoryBytes::Allocation> opened) -> Result<void> {
    if (!opened) return tl::unexpected<Error>(opened.error());
    total += opened->bytes;
    kept_.emplace_back().allocation = std::move(*opened);
    return {};
  };
  for (std::uint32_t i = 0; i < plan.memories.size(); ++i)
    if (run_.memory_at(i).handle != VK_NULL_HANDLE) RONDO_TRY(add(bytes_.open(i)));
  for (const auto& swapchain : run_.swapchains()) {
    if (swapchain == nullptr) continue;
    const CapturedSwapchain& captured = plan.swapchains[swapchain->place];
    for (std::size_t i = 0; i < swapchain->memories.size(); ++i)
      RONDO_TRY(
          add(bytes_.open(captured.device, plan.name(captured.id) + " image " + std::to_string(i),
                          swapchain->memories[i], swapchain->memory_bytes, swapchain->memory_type, nullptr, false)));
  }
  if (total > budget_)
    return fail(Status::failed, plan.path + ": the span cannot be looped: what it begins with is " +
                                    std::to_string(total >> 20) + " MiB, more than the " +
                                    std::to_string(budget_ >> 20) + " MiB of --memory-budget");
  for (Kept& kept : kept_) {
    kept.data.reserve(kept.allocation.bytes);
    kept.blocks.push_back({0, kept.allocation.bytes, 0});
    RONDO_TRY(read(kept, [&](VkDeviceSize, std::span<const std::byte> bytes) {
      kept.data.insert(kept.data.end(), bytes.begin(), bytes.end());
    }));
    const auto now = digest(kept);
    if (!now) return tl::unexpected<Error>(now.error());
    kept.digest = *now;
  }
  return {};
}

Result<void> Contents::narrow() {
  for (Kept& kept : kept_) {
    std::vector<Block> changed;
    RONDO_TRY(read(kept, [&](VkDeviceSize offset, std::span<const std::byte> now) {
      for (VkDeviceSize at = 0; at < now.size(); at += kBlock) {
        const VkDeviceSize bytes = std::min<VkDeviceSize>(kBlock, now.size() - at);
        if (std::memcmp(now.data() + at, kept.data.data() + offset + at, bytes) == 0) continue;
        if (!changed.empty() && changed.back().offset + changed.back().bytes == offset + at)
          changed.back().bytes += bytes;
        else
          changed.push_back({offset + at, bytes, 0});
      }
    }));
    std::vector<std::byte> data;
    for (Block& block : changed) {
      const auto from = kept.data.begin() + static_cast<std::ptrdiff_t>(block.offset);
      block.at = data.size();
      data.insert(data.end(), from, from + static_cast<std::ptrdiff_t>(block.bytes));
    }
    data.shrink_to_fit();
    kept.data = std::move(data);
    kept.blocks = std::move(changed);
  }
  return {};
}

Result<void> Contents::restore() {
  for (const Kept& kept : kept_)
    for (const Block& block : kept.blocks)
      RONDO_TRY(bytes_.write(kept.allocation, block.offset, std::span(kept.data).subspan(block.at, block.bytes)));
  return {};
}

// Of the digests of the pieces that it is read in.
Result<Digest> Contents::digest(const Kept& kept) {
  std::vector<Digest> pieces;
  RONDO_TRY(read(kept, [&](VkDeviceSize, std::span<const std::byte> bytes) { pieces.push_back(digest_of(bytes)); }));
  return digest_of(std::as_bytes(std::span(pieces)));
}

Result<void> Contents::check() {
  for (const Kept& kept : kept_) {
    const auto now = digest(kept);
    if (!now) return tl::unexpected<Error>(now.error());
    if (*now == kept.digest) continue;
    return fail(Status::failed, run_.plan().path + ": the iterations were not alike: " + kept.allocation.name +
                                    " holds bytes that a later one changed and the first did not, so they were "
                                    "not put back");
  }
  return {};
}

}  // namespace rondo::player
