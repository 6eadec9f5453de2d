// SPDX-License-Identifier: Apache-2.0
// Memory of the program's own that a device works on (VK_EXT_external_memory_host): heap, a private
// mapping of a file, pages that may only be read, shared pages that are imported twice, a stack, and
// what another allocation has mapped. Written before and after the import, mapped and not, also while
// work is in flight; results are read by the host's pointer.
//   host_pointers [--twice 0] [--address 1]: imports nothing twice; asks for a device address
#include <unistd.h>

#include <chrono>
#include <thread>

#include "accumulate.comp.h"
#include "host_pages.h"
#include "kernel.h"

using namespace program;

namespace {

constexpr VkBufferUsageFlags kFrom = VK_BUFFER_USAGE_TRANSFER_SRC_BIT, kTo = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr std::uint32_t kSlots = 8, kWords = 64;  // as the shader has them

std::uint32_t* heap(Session& s, std::size_t granule, std::size_t bytes) {
  void* const pages = std::aligned_alloc(granule, bytes);
  if (pages == nullptr) die("aligned_alloc", 0);
  std::memset(pages, 0xa5, bytes);  // what the heap left there
  s.at_end.push_back([pages] { std::free(pages); });
  return static_cast<std::uint32_t*>(pages);
}

int file_of(std::size_t bytes, std::uint32_t seed) {
  const int file = memfd_create("host_pointers", MFD_CLOEXEC);
  std::vector<std::uint32_t> words(bytes / 4);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = mix(seed, static_cast<std::uint32_t>(i));
  if (file < 0 || write(file, words.data(), bytes) != static_cast<ssize_t>(bytes)) die("a file", 0);
  return file;
}

void copy(const Session& s, const MappedBuffer& from, const MappedBuffer& to, VkDeviceSize bytes,
          VkDeviceSize offset = 0) {
  const VkBufferCopy all{offset, 0, bytes};
  barrier(s.cmd);
  vkCmdCopyBuffer(s.cmd, from.buffer, to.buffer, 1, &all);
  barrier(s.cmd);
}

// For a while: a device may do nothing before somebody waits.
void look_out_for(const volatile std::uint32_t& word, std::uint32_t value) {
  for (int i = 0; word != value && i < 200; ++i) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

// Sums that add up in place, on the heap: each slot's input is written while the work of the slot
// before is in flight, or done and nobody knows. Who takes its result for the host's has it twice.
void accumulate(Session& s, std::size_t granule) {
  const MappedBuffer inputs = import(s, heap(s, granule, granule), granule, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const MappedBuffer outputs =
      import(s, heap(s, granule, granule), granule, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | kFrom);
  const MappedBuffer results = buffer(s, kSlots * kWords * 4, kTo);        // ordinary memory
  std::memset(outputs.words, 0, static_cast<std::size_t>(outputs.bytes));  // after the import
  constexpr VkDeviceSize slow_bytes = 4u << 20;
  const MappedBuffer slow = buffer(s, slow_bytes, kTo);
  const Kernel kernel = create_kernel(s, shader(s, accumulate_comp_spv), {inputs, outputs});
  Commands work[kSlots];
  for (Commands& one : work) one = create_commands(s);
  std::uint32_t expected[kSlots][kWords] = {};
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      for (std::uint32_t i = 0; i < kWords; ++i) {
        inputs.words[slot * kWords + i] = mix(round, slot * kWords + i);
        expected[slot][i] += 3 * mix(round, slot * kWords + i);
      }
      const VkCommandBuffer cmd = work[slot].buffer;
      begin(work[slot]);
      if (slot % 4 == 2) vkCmdFillBuffer(cmd, slow.buffer, 0, slow_bytes, round);
      barrier(cmd);
      bind(cmd, kernel);
      push(cmd, kernel, slot, slot);
      vkCmdDispatch(cmd, 1, 1, 1);
      barrier(cmd);
      const VkBufferCopy result{slot * kWords * 4, slot * kWords * 4, kWords * 4};
      vkCmdCopyBuffer(cmd, outputs.buffer, results.buffer, 1, &result);
      const VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT,
                                VK_ACCESS_HOST_READ_BIT};
      vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, nullptr,
                           0, nullptr);
      CHECK(vkEndCommandBuffer(cmd));
      submit(s.queues[0], work[slot]);
      if (slot % 3 != 2 && !unchecked()) look_out_for(outputs.words[slot * kWords], expected[slot][0]);
      if (unchecked()) CHECK(vkQueueWaitIdle(s.queues[0]));  // or it reads all inputs, while they are written
    }
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      wait(s, work[slot]);
      for (std::uint32_t i = 0; i < kWords; ++i) EXPECT(s, outputs.words[slot * kWords + i] == expected[slot][i]);
      EXPECT(s, std::memcmp(results.words + slot * kWords, expected[slot], sizeof expected[slot]) == 0);
    }
  }
  s.sum = s.sum * 31 + checksum(outputs.words, kSlots * kWords);
  add(s, results);
  for (Commands& one : work) destroy(s, one);
}

// A private mapping of a file, of which a half is written in places, and one that may only be read.
void files(Session& s, std::size_t granule, const MappedBuffer& out) {
  const int file = file_of(2 * granule, 7);
  std::uint32_t* const pages = map(s, granule, 2 * granule, PROT_READ | PROT_WRITE, MAP_PRIVATE, file);
  pages[5] = 1;
  const MappedBuffer written = import(s, pages, 2 * granule, kFrom | kTo);
  const MappedBuffer read = import(s, map(s, granule, granule, PROT_READ, MAP_PRIVATE, file), granule, kFrom);
  close(file);
  pages[1000] = 2;
  copy(s, written, out, granule);
  run(s);
  for (std::uint32_t i = 0; i < granule / 4; ++i) EXPECT(s, out.words[i] == (i == 5 ? 1 : i == 1000 ? 2 : mix(7, i)));
  add(s, out);
  copy(s, written, out, granule, granule);
  run(s);
  for (std::uint32_t i = 0; i < granule / 4; ++i)
    EXPECT(s, out.words[i] == mix(7, static_cast<std::uint32_t>(granule / 4) + i));
  add(s, out);
  copy(s, read, written, granule);
  copy(s, read, out, granule);
  run(s);
  EXPECT(s, std::memcmp(pages, out.words, granule) == 0 && pages[5] == mix(7, 5));
  add(s, out);
}

// The same pages twice, and a part of them: what the device writes through one it reads through
// the others.
void twice(Session& s, std::size_t granule, const MappedBuffer& out) {
  const int file = file_of(2 * granule, 9);
  std::uint32_t* const pages = map(s, granule, 2 * granule, PROT_READ | PROT_WRITE, MAP_SHARED, file);
  const MappedBuffer first = import(s, pages, 2 * granule, kFrom | kTo);
  const MappedBuffer second = import(s, pages, 2 * granule, kFrom | kTo);
  const MappedBuffer part = import(s, pages + granule / 4, granule, kFrom | kTo);
  vkCmdFillBuffer(s.cmd, first.buffer, 0, 64, 11);
  vkCmdFillBuffer(s.cmd, first.buffer, granule, 64, 12);
  copy(s, second, out, granule);
  run(s);
  EXPECT(s, out.words[0] == 11 && out.words[16] == mix(9, 16) && pages[granule / 4] == 12);
  add(s, out);
  const std::uint32_t word = 13;  // behind the mapping's back
  if (pwrite(file, &word, 4, static_cast<off_t>(granule + 4)) != 4) die("pwrite", 0);
  pages[granule / 4 + 2] = 14;
  copy(s, part, out, granule);
  run(s);
  EXPECT(s, out.words[0] == 12 && out.words[1] == 13 && out.words[2] == 14);
  add(s, out);
  close(file);
}

// Through vkMapMemory, which begins inside of it; and what was written stays when it is unmapped.
void mapped(Session& s, std::size_t granule, const MappedBuffer& out) {
  const MappedBuffer b = import(s, heap(s, granule, granule), granule, kFrom);
  void* there = nullptr;
  CHECK(vkMapMemory(s.device, b.memory, granule / 2, VK_WHOLE_SIZE, 0, &there));
  static_cast<std::uint32_t*>(there)[0] = 21;
  vkUnmapMemory(s.device, b.memory);
  b.words[1] = 22;
  copy(s, b, out, granule);
  run(s);
  EXPECT(s, out.words[granule / 8] == 21 && out.words[1] == 22 && out.words[2] == 0xa5a5a5a5);
  add(s, out);
}

// What another allocation has mapped, and a stack.
void borrowed(Session& s, std::size_t granule, const MappedBuffer& out) {
  const MappedBuffer owner = buffer(s, 2 * granule, kFrom);
  const auto at = reinterpret_cast<std::uintptr_t>(owner.words);
  std::uint32_t* const pages = owner.words + (granule - at % granule) % granule / 4;
  pages[3] = 31;
  const MappedBuffer b = import(s, pages, granule, kFrom | kTo);
  pages[4] = 32;
  vkCmdFillBuffer(s.cmd, b.buffer, 0, 12, 33);
  copy(s, b, out, granule);
  run(s);
  EXPECT(s, pages[2] == 33 && out.words[2] == 33 && out.words[3] == 31 && out.words[4] == 32);
  add(s, out);
}

void stack(Session& s, std::size_t granule, const MappedBuffer& out) {
  alignas(65536) std::uint32_t words[65536 / 4] = {};
  if (65536 % granule != 0) return;
  const std::size_t kept = s.at_end.size();
  words[7] = 41;
  const MappedBuffer b = import(s, words, sizeof words, kFrom);
  words[8] = 42;
  copy(s, b, out, granule);
  run(s);
  EXPECT(s, out.words[7] == 41 && out.words[8] == 42 && out.words[9] == 0);
  add(s, out);
  s.at_end.back()();  // before the stack goes
  s.at_end.resize(kept);
}

void addressed(Session& s, std::size_t granule) {
  const MappedBuffer b = import(s, heap(s, granule, granule), granule, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                                VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT);
  const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, b.buffer};
  EXPECT(s, vkGetBufferDeviceAddress(s.device, &info) != 0);
}

}  // namespace

int main(int argc, char** argv) {
  Wanted wanted;
  wanted.extensions = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
  VkPhysicalDeviceBufferDeviceAddressFeatures addresses{};
  addresses.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
  addresses.bufferDeviceAddress = VK_TRUE;
  const bool asks = option(argc, argv, "--address", 0) != 0;
  if (asks) wanted.features = &addresses;
  Session s = open("host_pointers", wanted);
  const std::size_t granule = granule_of(s);
  const MappedBuffer out = buffer(s, granule, kTo);
  accumulate(s, granule);
  files(s, granule, out);
  if (option(argc, argv, "--twice", 1) != 0) twice(s, granule, out);
  mapped(s, granule, out);
  borrowed(s, granule, out);
  stack(s, granule, out);
  if (asks) addressed(s, granule);
  return finish(s);
}
