// SPDX-License-Identifier: Apache-2.0
// Captures written by hand for the work graph, and what it says of them.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzers/analysis/graph_places.h"
#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/graph_uses.h"
#include "analyzers/analysis/graph_walk.h"
#include "tests/unit/access_scene.h"

namespace rondo::test {

// What a graph tells, kept.
struct KeptGraph final : analyzers::GraphVisitor {
  explicit KeptGraph(const analyzers::GraphWalk& walk) : walk_(walk) {}

  bool item(const graph::Item& item, std::span<const graph::ItemNeed> needs, std::span<const graph::Piece>) override {
    EXPECT_EQ(item.number, items.size());
    names.add(item, true);
    items.push_back(item);
    std::vector<std::string> said;
    for (const graph::ItemNeed& need : needs) {
      std::uint64_t all = 1;
      const auto from =
          graph::is_join(need.from) ? names.items_of(need.from, SIZE_MAX, all) : std::vector<std::uint32_t>{need.from};
      for (const std::uint32_t one : from) {
        EXPECT_LT(one, item.number);
        direct[item.number][need.possible ? 1 : 0].insert(one);
        said.push_back((need.possible ? "maybe " : "") + std::to_string(one) + " " + analyzers::kinds_text(need.kinds) +
                       " " + place_text(walk_, place_of(walk_, need)));
      }
    }
    needs_of.push_back(std::move(said));
    return true;
  }
  void join(std::uint32_t join, std::span<const std::uint32_t> all) override { names.add_join(join, all); }

  // All that each item needs, through others or not. Without possible needs, or with them.
  std::vector<std::set<std::uint32_t>> closure(bool with_possible) const {
    std::vector<std::set<std::uint32_t>> all(items.size());
    for (std::uint32_t one = 0; one < items.size(); ++one)
      if (const auto found = direct.find(one); found != direct.end())
        for (int possible = 0; possible <= (with_possible ? 1 : 0); ++possible)
          for (const std::uint32_t from : found->second[possible]) {
            all[one].insert(from);
            all[one].insert(all[from].begin(), all[from].end());
          }
    return all;
  }

  std::vector<graph::Item> items;
  std::vector<std::vector<std::string>> needs_of;  // "0 RAW VkBuffer#0 0:16", by item
  analyzers::ItemNames names;
  std::map<std::uint32_t, std::set<std::uint32_t>[2]> direct;  // by item: certain, possible
  analyzers::GraphTotals totals;

 private:
  const analyzers::GraphWalk& walk_;
};

struct GraphScene : AccessScene {
  VkDeviceMemory memory(std::uint64_t value, VkDeviceSize size) {
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.allocationSize = size;
    VkDeviceMemory made = handle<VkDeviceMemory>(value);
    capture.call(CommandId::vkAllocateMemory, args_vkAllocateMemory{device, &info, nullptr, &made},
                 {.result = VK_SUCCESS});
    return made;
  }
  void bind(VkBuffer one, VkDeviceMemory to, VkDeviceSize offset) {
    capture.call(CommandId::vkBindBufferMemory, args_vkBindBufferMemory{device, one, to, offset},
                 {.result = VK_SUCCESS});
  }
  void bind(VkImage one, VkDeviceMemory to, VkDeviceSize offset) {
    capture.call(CommandId::vkBindImageMemory, args_vkBindImageMemory{device, one, to, offset}, {.result = VK_SUCCESS});
  }
  void copy(VkCommandBuffer to, VkBuffer from, VkBuffer into, VkBufferCopy region) {
    capture.call(CommandId::vkCmdCopyBuffer, args_vkCmdCopyBuffer{to, from, into, 1, &region});
  }
  void clear(VkCommandBuffer to, VkImage one, std::uint32_t mip) {
    const VkClearColorValue color{};
    const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, mip, 1, 0, 1};
    capture.call(CommandId::vkCmdClearColorImage,
                 args_vkCmdClearColorImage{to, one, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range});
  }
  void transition(VkCommandBuffer to, VkImage one, std::uint32_t mip, std::uint32_t mips, VkImageLayout from,
                  VkImageLayout into) {
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.oldLayout = from;
    barrier.newLayout = into;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = one;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, mip, mips, 0, 1};
    capture.call(CommandId::vkCmdPipelineBarrier,
                 args_vkCmdPipelineBarrier{to, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                                           nullptr, 0, nullptr, 1, &barrier});
  }
  void host_write(VkDeviceMemory to, std::uint64_t offset, std::uint64_t size) {
    const std::vector<std::byte> bytes(size);
    const RondoRange range{offset, size};
    capture.call(CommandId::rondoHostWrite, args_rondoHostWrite{device, to, 1, &range, bytes.size(), bytes.data()});
  }
  // "0 reads 1 8:16", "1 writes 2 0:16", of each item that touches the resource.
  std::vector<std::string> uses(const std::string& resource) {
    capture.finish();
    std::vector<std::string> all;
    auto walk = analyzers::GraphWalk::open(file.path());
    auto wanted = analyzers::ResourceWanted::parse(resource);
    if (!walk || !wanted) return {"no capture, or no resource"};
    analyzers::ResourceUses uses(
        *walk, *wanted,
        [&](const analyzers::ResourceUses& from, const graph::Item& item, const analyzers::ResourceUse& use) {
          const std::string number = std::to_string(item.number);
          for (const bool writes : {false, true}) {
            std::string pieces, versions;
            for (const graph::Piece& piece : use.parts(writes)) pieces += ' ' + from.piece_text(piece);
            for (const std::uint32_t version : use.versions)
              versions += (versions.empty() ? "" : ",") + std::to_string(version);
            if (writes ? use.writes : use.reads)
              all.push_back(number + (writes ? " writes " + std::to_string(use.version) : " reads " + versions) +
                            pieces);
          }
          if (use.possible) all.push_back(number + " may touch");
          return true;
        });
    EXPECT_TRUE(walk->run(uses));
    return all;
  }
  template <class Look>
  void look(const Look& look) {
    capture.finish();
    auto walk = analyzers::GraphWalk::open(file.path());
    ASSERT_TRUE(walk) << walk.error().message;
    KeptGraph kept(*walk);
    const auto totals = walk->run(kept);
    ASSERT_TRUE(totals) << totals.error().message;
    kept.totals = *totals;
    look(kept);
  }
};

}  // namespace rondo::test
