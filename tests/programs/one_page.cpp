// SPDX-License-Identifier: Apache-2.0
// Several slots within a page: the host writes the input of one while the device,
// which nobody waited for, writes the output of another beside it. Outputs add up
// in place, so that who takes a finished one for the host's, and puts it there
// before the work, has the work done twice.
//   one_page [--rounds N]
#include <chrono>
#include <thread>

#include "accumulate.comp.h"
#include "kernel.h"
#include "objects.h"

using namespace program;

namespace {

constexpr std::uint32_t kSlots = 8;
constexpr std::uint32_t kWords = 64;           // of an input or output, as the shader has it
constexpr VkDeviceSize kBytes = 2048;          // of all inputs, and of all outputs
constexpr VkDeviceSize kSlowBytes = 4u << 20;  // what makes some of the work slow

VkBuffer create_buffer(Session& s, VkDeviceSize bytes, VkBufferUsageFlags usage) {
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes, .usage = usage};
  VkBuffer buffer;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &buffer));
  return keep(s, vkDestroyBuffer, buffer);
}

// Two buffers in one page of one memory.
void create_both(Session& s, MappedBuffer& inputs, MappedBuffer& outputs) {
  VkMemoryRequirements needs;
  for (MappedBuffer* b : {&inputs, &outputs}) {
    b->bytes = kBytes;
    b->buffer = create_buffer(s, kBytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    vkGetBufferMemoryRequirements(s.device, b->buffer, &needs);
    if (kBytes % needs.alignment != 0 || needs.size > kBytes) die("a buffer has no place in the page", 0);
  }
  needs.size = 2 * kBytes;
  const VkDeviceMemory memory = keep(
      s, vkFreeMemory, allocate(s, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT));
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  std::memset(mapped, 0, 2 * kBytes);
  VkDeviceSize at = 0;
  for (MappedBuffer* b : {&inputs, &outputs}) {
    b->memory = memory;
    b->words = static_cast<std::uint32_t*>(mapped) + at / 4;
    CHECK(vkBindBufferMemory(s.device, b->buffer, memory, at));
    at += kBytes;
  }
}

// For a while: a device may do nothing before somebody waits.
void look_out_for(const volatile std::uint32_t& word, std::uint32_t value) {
  for (int i = 0; word != value && i < 200; ++i) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t rounds = option(argc, argv, "--rounds", 3);
  Session s = open("one_page");
  MappedBuffer inputs, outputs;
  create_both(s, inputs, outputs);
  const MappedBuffer slow = buffer(s, kSlowBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const Kernel kernel = create_kernel(s, shader(s, accumulate_comp_spv), {inputs, outputs});
  Commands work[kSlots];
  for (Commands& one : work) one = create_commands(s);

  std::uint32_t expected[kSlots][kWords] = {};
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      std::uint32_t* const input = inputs.words + slot * kWords;
      for (std::uint32_t i = 0; i < kWords; ++i) {
        input[i] = mix(round * kSlots + slot, i);
        expected[slot][i] += 3 * input[i];
      }
      const VkCommandBuffer cmd = work[slot].buffer;
      begin(work[slot]);
      if (slot % 4 == 2) vkCmdFillBuffer(cmd, slow.buffer, 0, kSlowBytes, round);
      barrier(cmd);
      bind(cmd, kernel);
      push(cmd, kernel, slot, slot);
      vkCmdDispatch(cmd, 1, 1, 1);
      const VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT,
                                VK_ACCESS_HOST_READ_BIT};
      vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, nullptr,
                           0, nullptr);
      CHECK(vkEndCommandBuffer(cmd));
      submit(s.queues[0], work[slot]);
      // Done, mostly, when the host goes on, though nobody has asked the device.
      if (slot % 3 != 2) look_out_for(outputs.words[slot * kWords], expected[slot][0]);
    }
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      wait(s, work[slot]);
      for (std::uint32_t i = 0; i < kWords; ++i) {
        const std::uint32_t result = outputs.words[slot * kWords + i];
        EXPECT(s, result == expected[slot][i]);
        s.sum = s.sum * 31 + result;
      }
    }
  }
  for (Commands& one : work) destroy(s, one);
  return finish(s);
}
