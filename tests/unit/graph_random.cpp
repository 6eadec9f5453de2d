// SPDX-License-Identifier: Apache-2.0
// The needs of random captures against a look at all pairs of what their commands touch. The look is made from the
// specification: memory aliases by bytes, subresources of one image by their index ("Memory Aliasing").
#include <random>

#include "tests/unit/graph_scene.h"

namespace rondo {
namespace {

using test::GraphScene;
using test::handle;
using test::KeptGraph;

constexpr std::uint64_t kMemory = 4096;

struct RandomImage {
  VkImage image;
  int memory;            // in which it lies, from `offset` to the end; -1: in none
  std::uint64_t offset;  // nothing says its size
  std::uint32_t mips;
};
struct RandomBuffer {
  VkBuffer buffer;
  int memory;
  std::uint64_t offset, size;
};

// Bytes of a memory, or mips of an image.
struct Place {
  enum class Kind { memory, image } kind;
  int index;
  std::uint64_t begin, end;
  bool reads, writes;
};
using Node = std::vector<Place>;

class World {
 public:
  explicit World(unsigned seed) : random_(seed) {
    for (int i = 0; i < 2; ++i) memories_.push_back(scene_.memory(0x200 + static_cast<unsigned>(i), kMemory));
    for (std::uint64_t i = 2 + below(4); i != 0; --i) {
      RandomBuffer one{scene_.buffer(0x300 + i, 256), static_cast<int>(below(2)), below(8) * 64, 256};
      scene_.bind(one.buffer, memories_[static_cast<std::size_t>(one.memory)], one.offset);
      buffers_.push_back(one);
    }
    for (std::uint64_t i = below(4); i != 0; --i) {
      const auto mips = static_cast<std::uint32_t>(1 + below(3));
      RandomImage one{scene_.image(0x400 + i, VK_FORMAT_R8G8B8A8_UNORM, mips), static_cast<int>(below(4)) - 2,
                      below(32) * 64, mips};
      if (one.memory < 0)
        one.memory = -1;
      else
        scene_.bind(one.image, memories_[static_cast<std::size_t>(one.memory)], one.offset);
      images_.push_back(one);
    }
    // What is recorded is executed several times.
    for (std::uint64_t i = 0; i < 3; ++i) {
      const VkCommandBuffer commands = scene_.command_buffer(0x500 + i);
      scene_.begin(commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
      std::vector<Node> recorded;
      for (std::uint64_t n = below(8); n != 0; --n) recorded.push_back(record(commands));
      commands_.emplace_back(commands, recorded);
    }
    for (std::uint64_t i = 2 + below(6); i != 0; --i) {
      if (below(4) == 0) {
        write();
        continue;
      }
      const auto& [commands, recorded] = commands_[below(commands_.size())];
      scene_.submit(commands);
      nodes.insert(nodes.end(), recorded.begin(), recorded.end());
    }
  }

  GraphScene& scene() { return scene_; }
  std::vector<Node> nodes;  // in the order of execution

  // 0: they need no order. 1: perhaps they do. 2: they do.
  int conflict(const Node& a, const Node& b) const {
    int found = 0;
    for (const Place& x : a)
      for (const Place& y : b) {
        if (!x.writes && !y.writes) continue;
        if (x.kind == y.kind && x.index == y.index && x.begin < y.end && y.begin < x.end) return 2;
        const bool same_image = x.kind == Place::Kind::image && y.kind == x.kind && x.index == y.index;
        if ((x.kind == Place::Kind::image || y.kind == Place::Kind::image) && !same_image && may_meet(x, y)) found = 1;
      }
    return found;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  // The bytes where that lies at most.
  Place bytes_of(const Place& one) const {
    if (one.kind == Place::Kind::memory) return one;
    const RandomImage& image = images_[static_cast<std::size_t>(one.index)];
    return {Place::Kind::memory, image.memory, image.offset, kMemory, false, false};
  }
  bool may_meet(const Place& a, const Place& b) const {
    const Place x = bytes_of(a), y = bytes_of(b);
    return x.index >= 0 && x.index == y.index && x.begin < y.end && y.begin < x.end;
  }

  static Place of(const RandomBuffer& one, std::uint64_t offset, std::uint64_t size, bool writes) {
    return {Place::Kind::memory, one.memory, one.offset + offset, one.offset + offset + size, !writes, writes};
  }
  Node record(VkCommandBuffer to) {
    const RandomBuffer& a = buffers_[below(buffers_.size())];
    const RandomBuffer& b = buffers_[below(buffers_.size())];
    const std::uint64_t offset = below(7) * 32, size = 4 * (1 + below(8)), from = below(7) * 32;
    const auto kind = below(images_.empty() ? 2 : 5);
    if (kind == 0) {
      scene_.fill(to, a.buffer, offset, size);
      return {of(a, offset, size, true)};
    }
    if (kind == 1) {
      scene_.copy(to, b.buffer, a.buffer, {from, offset, size});
      return {of(b, from, size, false), of(a, offset, size, true)};
    }
    const auto index = static_cast<int>(below(images_.size()));
    const RandomImage& image = images_[static_cast<std::size_t>(index)];
    const auto mip = static_cast<std::uint32_t>(below(image.mips));
    if (kind == 2) {
      scene_.clear(to, image.image, mip);
      return {{Place::Kind::image, index, mip, mip + 1, false, true}};
    }
    if (kind == 3) {
      const auto mips = static_cast<std::uint32_t>(1 + below(image.mips - mip));
      scene_.transition(to, image.image, mip, mips, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
      return {{Place::Kind::image, index, mip, mip + mips, true, true}};
    }
    // One texel.
    const VkBufferImageCopy region{from, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, mip, 0, 1}, {0, 0, 0}, {1, 1, 1}};
    scene_.capture.call(CommandId::vkCmdCopyImageToBuffer,
                        args_vkCmdCopyImageToBuffer{to, image.image, VK_IMAGE_LAYOUT_GENERAL, b.buffer, 1, &region});
    return {{Place::Kind::image, index, mip, mip + 1, true, false}, of(b, from, 4, true)};
  }
  void write() {
    const auto index = static_cast<int>(below(2));
    const std::uint64_t offset = below(60) * 16, size = 16 * (1 + below(4));
    scene_.host_write(memories_[static_cast<std::size_t>(index)], offset, size);
    nodes.push_back({{Place::Kind::memory, index, offset, offset + size, false, true}});
  }

  std::mt19937 random_;
  GraphScene scene_;
  std::vector<VkDeviceMemory> memories_;
  std::vector<RandomBuffer> buffers_;
  std::vector<RandomImage> images_;
  std::vector<std::pair<VkCommandBuffer, std::vector<Node>>> commands_;
};

TEST(GraphOfRandomCaptures, HasTheNeedsOfAllPairs) {
  std::uint64_t pairs = 0, possible = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    World world(seed);
    std::vector<std::set<std::uint32_t>> certain(world.nodes.size()), all(world.nodes.size());
    for (std::uint32_t to = 0; to < world.nodes.size(); ++to)
      for (std::uint32_t from = 0; from < to; ++from) {
        const int found = world.conflict(world.nodes[from], world.nodes[to]);
        pairs += found == 2 ? 1 : 0;
        possible += found == 1 ? 1 : 0;
        for (auto* kept : {&certain, &all}) {
          if (found == 0 || (found == 1 && kept == &certain)) continue;
          (*kept)[to].insert(from);
          (*kept)[to].insert((*kept)[from].begin(), (*kept)[from].end());
        }
      }
    world.scene().look([&](const KeptGraph& graph) {
      ASSERT_EQ(graph.items.size(), world.nodes.size()) << "seed " << seed;
      ASSERT_EQ(graph.closure(false), certain) << "seed " << seed;
      ASSERT_EQ(graph.closure(true), all) << "seed " << seed;
    });
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(pairs, 10000u);
  EXPECT_GT(possible, 1000u);
}

}  // namespace
}  // namespace rondo
