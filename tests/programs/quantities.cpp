// SPDX-License-Identifier: Apache-2.0
// Very much of one thing: objects that come and go, allocations at once, memory that stays mapped.
//   quantities [--objects N]       N objects of eight kinds, one after the other
//              [--allocations N]   N buffers at once, each in mapped memory of its own
//              [--mebibytes N]     mapped all the time, of which a word in every eight MiB is used
#include <fstream>

#include "objects.h"

using namespace program;

namespace {

constexpr VkBufferUsageFlags kCopied = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

// Of this process, in KiB. Not its proportional part of what it shares, which grows when another process ends.
long private_dirty_kib() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;)
    if (long kib = 0; word == "Private_Dirty:" && file >> kib) return kib;
  return 0;
}

void run(const Context& c, const Commands& commands) {
  transfers_to_host(commands.buffer);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands);
  wait(c, commands);
}

void come_and_go(const Context& c, std::uint32_t n, std::uint32_t value) {
  switch (n % 8) {
    case 0:
      return vkDestroyFence(c.device, create_fence(c), nullptr);
    case 1:
      return vkDestroySemaphore(c.device, create_semaphore(c), nullptr);
    case 2:
      return vkDestroyEvent(c.device, create_event(c), nullptr);
    case 3: {
      VkSampler sampler;
      VkSamplerCreateInfo info{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .maxLod = float(value % 16)};
      CHECK(vkCreateSampler(c.device, &info, nullptr, &sampler));
      return vkDestroySampler(c.device, sampler, nullptr);
    }
    case 4: {
      VkBuffer buffer;
      const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 64, .usage = kCopied};
      CHECK(vkCreateBuffer(c.device, &info, nullptr, &buffer));
      return vkDestroyBuffer(c.device, buffer, nullptr);
    }
    case 5: {
      VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, {4, 4, 1}, VK_IMAGE_USAGE_SAMPLED_BIT);
      VkImage image;
      CHECK(vkCreateImage(c.device, &info, nullptr, &image));
      return vkDestroyImage(c.device, image, nullptr);
    }
    case 6: {
      VkDescriptorSetLayout layout;
      const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 + value % 4,
                                                 VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
      const VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 1,
                                                 &binding};
      CHECK(vkCreateDescriptorSetLayout(c.device, &info, nullptr, &layout));
      return vkDestroyDescriptorSetLayout(c.device, layout, nullptr);
    }
    default: {
      MappedBuffer b = create_mapped_buffer(c, 64, kCopied);
      b.words[0] = value;
      return destroy(c, b);
    }
  }
}

// What it holds at the end beyond what it held after the first eighth is the recorder's.
void objects(const Context& c, std::uint32_t count) {
  MappedBuffer out = create_mapped_buffer(c, 64, kCopied);
  Commands commands = create_commands(c);
  long before = 0;
  for (std::uint32_t n = 0; n < count; ++n) {
    come_and_go(c, n, mix(3, n));
    if (n == count / 8) before = private_dirty_kib();
    if (n % 65536 != 0) continue;
    begin(commands);
    vkCmdFillBuffer(commands.buffer, out.buffer, 0, 64, n);
    run(c, commands);
  }
  if (count >= 8192) std::fprintf(stderr, "quantities: grew by %ld KiB\n", private_dirty_kib() - before);
  if (out.words[0] != (count - 1) / 65536 * 65536) die("wrong word", static_cast<long>(out.words[0]));
  std::printf("quantities: %u objects, last %u\n", count, out.words[0]);
  destroy(c, out);
  destroy(c, commands);
}

void allocations(const Context& c, std::uint32_t count) {
  MappedBuffer out = create_mapped_buffer(c, count * 4, kCopied);
  Commands commands = create_commands(c);
  std::vector<MappedBuffer> all;
  for (std::uint32_t n = 0; n < count; ++n) all.push_back(create_mapped_buffer(c, 4096, kCopied));
  for (std::uint32_t round = 0; round < 2; ++round) {
    for (std::uint32_t n = round; n < count; n += round + 1) all[n].words[n % 1024] = mix(round, n);
    begin(commands);
    for (std::uint32_t n = 0; n < count; ++n) {
      const VkBufferCopy region{n % 1024 * 4, n * 4, 4};
      vkCmdCopyBuffer(commands.buffer, all[n].buffer, out.buffer, 1, &region);
    }
    run(c, commands);
    for (std::uint32_t n = 0; n < count; ++n)
      if (out.words[n] != mix(n % 2 == 1 ? round : 0, n)) die("wrong word", static_cast<long>(n));
  }
  std::printf("quantities: %u allocations, checksum %016llx\n", count,
              static_cast<unsigned long long>(checksum(out.words, count)));
  for (MappedBuffer& one : all) destroy(c, one);
  destroy(c, out);
  destroy(c, commands);
}

// Two halves: one is copied to the other.
void mapped(const Context& c, std::uint32_t mebibytes) {
  constexpr std::uint32_t kStep = 8u << 18;  // words
  const std::uint32_t words = mebibytes / 2 << 18, count = words / kStep;
  MappedBuffer from = create_mapped_buffer(c, VkDeviceSize{words} * 4, kCopied);
  MappedBuffer to = create_mapped_buffer(c, VkDeviceSize{words} * 4, kCopied);
  Commands commands = create_commands(c);
  std::uint64_t sum = 0;
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t n = 0; n < count; ++n) from.words[n * kStep + round] = mix(round, n);
    begin(commands);
    for (std::uint32_t n = 0; n < count; ++n) {
      const VkDeviceSize at = (VkDeviceSize{n} * kStep + round) * 4;
      const VkBufferCopy region{at, at, 4};
      vkCmdCopyBuffer(commands.buffer, from.buffer, to.buffer, 1, &region);
    }
    run(c, commands);
    for (std::uint32_t n = 0; n < count; ++n) {
      const std::uint32_t found = to.words[n * kStep + round];
      if (found != mix(round, n)) die("wrong word", static_cast<long>(n));
      sum = sum * 31 + found;
    }
  }
  std::printf("quantities: %u MiB mapped, checksum %016llx\n", mebibytes, static_cast<unsigned long long>(sum));
  destroy(c, from);
  destroy(c, to);
  destroy(c, commands);
}

}  // namespace

int main(int argc, char** argv) {
  Context c = create_context("quantities");
  if (const std::uint32_t count = option(argc, argv, "--objects", 4096); count > 0) objects(c, count);
  if (const std::uint32_t count = option(argc, argv, "--allocations", 64); count > 0) allocations(c, count);
  if (const std::uint32_t count = option(argc, argv, "--mebibytes", 32); count > 0) mapped(c, count);
  destroy(c);
  return 0;
}
