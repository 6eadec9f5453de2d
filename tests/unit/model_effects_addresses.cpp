// SPDX-License-Identifier: Apache-2.0
// What commands touch that name memory by its address.
#include "tests/unit/effects_capture.h"

namespace rondo::model {
namespace {

using test::handle;
using Said = std::vector<std::string>;

constexpr VkDeviceAddress kFirst = 0x7e8000000000, kSecond = 0x7e8000100000, kNowhere = 0x7e9000000000;

class EffectsByAddress : public test::EffectsCapture {
 protected:
  // Reads the parameters of the rays at an address.
  void trace(VkDeviceAddress at, const VkStridedDeviceAddressRegionKHR& raygen = {}) {
    const VkStridedDeviceAddressRegionKHR none{};
    capture.call(CommandId::vkCmdTraceRaysIndirectKHR,
                 args_vkCmdTraceRaysIndirectKHR{commands, &raygen, &none, &none, &none, at});
  }
};

TEST_F(EffectsByAddress, AreOfTheBufferThere) {
  buffer(0x100, 4096, kFirst);
  buffer(0x101, 4096, kSecond);
  trace(kSecond + 16, {kFirst + 64, 32, 32});
  play();
  EXPECT_EQ(works, std::vector{VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR});
  EXPECT_EQ(said, (Said{"VkBuffer#0 64:96 read", "VkBuffer#1 16:28 read"}));
  ASSERT_EQ(reaches.size(), 1u);  // structures refer to others
  EXPECT_EQ(reaches[0].unknown, kStructures);
}

TEST_F(EffectsByAddress, AreUnknownWhereNoBufferIs) {
  buffer(0x100, 4096, kFirst);
  trace(kNowhere);
  trace(kFirst + 4090);  // it does not fit
  trace(0);              // nothing
  play();
  EXPECT_EQ(said, Said{});
  std::size_t unknown = 0;
  for (const Reach& one : reaches) {
    if (one.unknown != kMemory) continue;
    ++unknown;
    EXPECT_TRUE(one.reads);
    EXPECT_FALSE(one.writes);
  }
  EXPECT_EQ(unknown, 2u);
}

// Buffers of one memory may share an address: the one that reaches furthest is meant.
TEST_F(EffectsByAddress, AreOfTheBufferThatReachesFurthest) {
  buffer(0x100, 64, kFirst);
  const VkBuffer longer = buffer(0x101, 4096, kFirst);
  trace(kFirst + 8);
  capture.call(CommandId::vkDestroyBuffer, args_vkDestroyBuffer{device, longer, nullptr});
  trace(kFirst + 8);
  play();
  EXPECT_EQ(said, (Said{"VkBuffer#1 8:20 read", "VkBuffer#0 8:20 read"}));
}

// An access that kWrites lacks would be taken for a read.
TEST(EffectsAccesses, ThatWriteAreKnown) {
  for (const codec::Enumerant& one : codec::enumerants(EnumId::VkAccessFlagBits2)) {
    const std::string_view name = one.name;
    const auto bit = static_cast<VkAccessFlags2>(one.value);
    EXPECT_EQ(name.find("WRITE") != std::string_view::npos, (bit & kWrites) != 0) << name << " (model/touch.h)";
  }
}

}  // namespace
}  // namespace rondo::model
