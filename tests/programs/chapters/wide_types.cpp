// SPDX-License-Identifier: Apache-2.0
// Chapter "Shaders" and "Interfaces": numbers of 8, 16 and 64 bits in storage and
// constants that are pushed, packed by scalar layout, half and double floats, and
// atomics of 64 bits in buffers and shared memory.
#include "wide_types.comp.h"
#include "words.h"

using namespace program;

namespace {

// As the shader's Mixed: nothing is aligned to more than its own size.
constexpr std::uint32_t kBytes = 40, kCount = 16;

void put(MappedBuffer& b, std::uint32_t i, std::uint32_t at, const void* value, std::size_t bytes) {
  std::memcpy(reinterpret_cast<unsigned char*>(b.words) + i * kBytes + at, value, bytes);
}

}  // namespace

int main() {
  Needs needs;
  NEED_CORE(needs, shaderInt16);
  NEED_CORE(needs, shaderInt64);
  NEED_CORE(needs, shaderFloat64);
  NEED(needs, Vulkan11Features, storageBuffer16BitAccess);
  NEED(needs, Vulkan11Features, storagePushConstant16);
  NEED(needs, Vulkan12Features, storageBuffer8BitAccess);
  NEED(needs, Vulkan12Features, storagePushConstant8);
  NEED(needs, Vulkan12Features, shaderInt8);
  NEED(needs, Vulkan12Features, shaderFloat16);
  NEED(needs, Vulkan12Features, shaderBufferInt64Atomics);
  NEED(needs, Vulkan12Features, shaderSharedInt64Atomics);
  NEED(needs, Vulkan12Features, scalarBlockLayout);
  Session s = open("wide_types", needs);
  MappedBuffer in = buffer(s, kCount * kBytes, kStorage), out = buffer(s, 16 + kCount * kBytes, kStorage);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const auto small = static_cast<std::uint8_t>(i * 3);
    const auto middle = static_cast<std::uint16_t>(i * 1000);
    const std::uint8_t three[3] = {1, 2, small};
    const std::uint16_t one_and_half = 0x3e00, halves[3] = {0x3c00, 0x3800, 0x3400};
    const std::uint64_t large = 0x0123456789ull * (i + 1);
    const double twice = 0.25 * i;
    put(in, i, 0, &small, 1);
    put(in, i, 2, &middle, 2);
    put(in, i, 4, three, 3);
    put(in, i, 8, &one_and_half, 2);
    put(in, i, 16, &large, 8);
    put(in, i, 24, &twice, 8);
    put(in, i, 32, halves, 6);
  }
  Kernel k = create_kernel(s, shader(s, wide_types_comp_spv), {in, out});
  bind(s.cmd, k);
  const std::uint8_t pushed[16] = {2, 0, 0x10, 0x27, 5, 6, 7, 0, 3, 0, 0, 0, 1, 0, 0, 0};
  vkCmdPushConstants(s.cmd, k.layout, kCompute, 0, 16, pushed);
  vkCmdDispatch(s.cmd, kCount / 8, 1, 1);
  run(s);
  const auto* bytes = reinterpret_cast<const unsigned char*>(out.words) + 16;
  EXPECT(s, bytes[kBytes] == 12);
  EXPECT(s, bytes[4] == 5 && bytes[6] == 8);
  std::uint16_t half = 0;
  std::memcpy(&half, bytes + 8, 2);
  EXPECT(s, half == 0x4300);  // 1.5 * 2 + 0.5
  std::uint64_t most = 0, largest = 0;
  std::memcpy(&most, out.words + 2, 8);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    std::uint64_t one = 0;
    std::memcpy(&one, bytes + i * kBytes + 16, 8);
    largest = one > largest ? one : largest;
  }
  EXPECT(s, most == largest);
  add(s, out);
  return finish(s);
}
