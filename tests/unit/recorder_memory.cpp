// SPDX-License-Identifier: Apache-2.0
// Device memory over a driver whose memory is this test's: what it holds when
// the program gets it, and how its tracking ends.
#include <sys/mman.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "layer/driver/alias_types.h"
#include "tests/unit/recorder_hooks.h"

namespace rondo::layer::testing {
namespace {

constexpr std::size_t kBytes = 16384;
std::byte* g_bytes;  // of the one allocation
int g_maps;

VkResult VKAPI_CALL fake_allocate(VkDevice, const VkMemoryAllocateInfo*, const VkAllocationCallbacks*,
                                  VkDeviceMemory* memory) {
  g_bytes =
      static_cast<std::byte*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::fill_n(g_bytes, kBytes, std::byte{0xcd});  // recycled
  *memory = made_up<VkDeviceMemory>(5);
  return VK_SUCCESS;
}
VkResult VKAPI_CALL fake_map(VkDevice, VkDeviceMemory, VkDeviceSize offset, VkDeviceSize, VkMemoryMapFlags,
                             void** data) {
  ++g_maps;
  *data = g_bytes + offset;
  return VK_SUCCESS;
}
void VKAPI_CALL fake_unmap(VkDevice, VkDeviceMemory) {}
void VKAPI_CALL fake_destroy(VkDevice, const VkAllocationCallbacks*) { ::munmap(g_bytes, kBytes); }
VkResult VKAPI_CALL fake_submit(VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) { return VK_SUCCESS; }
VkResult VKAPI_CALL fake_bind(VkDevice, VkImage, VkDeviceMemory, VkDeviceSize) { return VK_SUCCESS; }

Dispatch fakes() {
  Dispatch dispatch;
  dispatch.vkAllocateMemory = fake_allocate;
  dispatch.vkMapMemory = fake_map;
  dispatch.vkUnmapMemory = fake_unmap;
  dispatch.vkDestroyDevice = fake_destroy;
  dispatch.vkQueueSubmit = fake_submit;
  dispatch.vkBindImageMemory = fake_bind;
  return dispatch;
}

VkDeviceMemory allocate(FakeDevice& device, const void* next = nullptr) {
  const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, next, kBytes, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  if (hook_vkAllocateMemory(device.device(), &info, nullptr, &memory) != VK_SUCCESS) ::_exit(100);
  return memory;
}

bool all_are(std::byte value) {
  return std::all_of(g_bytes, g_bytes + kBytes, [&](std::byte b) { return b == value; });
}

class RecordedMemory : public RecorderTest {};

TEST_F(RecordedMemory, HostVisibleMemoryIsZeroWhereItIsNotAliased) {
  in_process(file("a.rondo"), [] {
    FakeDevice device(fakes());
    start();
    allocate(device);
    if (!all_are(std::byte{0})) ::_exit(1);
  });
}

TEST_F(RecordedMemory, MemoryOfSomebodyElseIsLeftAsItIs) {
  in_process(file("a.rondo"), [] {
    FakeDevice device(fakes());
    start();
    const VkImportMemoryFdInfoKHR import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, nullptr,
                                         VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, 3};
    allocate(device, &import);
    if (!all_are(std::byte{0xcd}) || g_maps != 0) ::_exit(1);
  });
}

TEST_F(RecordedMemory, MemoryThatTheHostDoesNotSeeIsNotMapped) {
  in_process(file("a.rondo"), [] {
    FakeDevice device(fakes());
    device.state().memory.memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    start();
    allocate(device);
    if (!all_are(std::byte{0xcd}) || g_maps != 0) ::_exit(1);
  });
}

// The first record of a write would be all of the recycled memory otherwise.
TEST_F(RecordedMemory, OfZeroedMemoryOnlyWhatTheProgramWroteIsRecorded) {
  in_process(file("a.rondo"), [] {
    FakeDevice device(fakes());
    start();
    if (!alias_wanted(false)) log(LogLevel::info, "without alias");  // creates the tracker
    const VkDeviceMemory memory = allocate(device);
    void* mapped = nullptr;
    hook_vkMapMemory(device.device(), memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    static_cast<std::byte*>(mapped)[5000] = std::byte{7};
    hook_vkQueueSubmit(device.queue(), 0, nullptr, VK_NULL_HANDLE);
  });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  while (const auto record = capture.next()) {
    if (capture.ids.command(record->command) != CommandId::rondoHostWrite) continue;
    codec::Lowered lowered;
    ASSERT_TRUE(codec::decode(lowered, capture.ids, CommandId::rondoHostWrite, record->payload));
    args_rondoHostWrite args;
    std::memcpy(&args, lowered.bytes.data(), sizeof args);
    EXPECT_EQ(args.dataSize, 1u);
    return;
  }
  FAIL() << "no write was recorded";
}

TEST_F(RecordedMemory, WritesToLeakedMemoryComeBeforeTheEndOfTheirDeviceAndNeverAfter) {
  in_process(file("a.rondo"), [] {
    FakeDevice device(fakes()), other(fakes());
    start();
    alias_wanted(false);
    const VkDeviceMemory memory = allocate(device);
    void* mapped = nullptr;
    hook_vkMapMemory(device.device(), memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    static_cast<std::byte*>(mapped)[5000] = std::byte{7};
    hook_vkDestroyDevice(device.device(), nullptr);  // the mapping goes with it
    hook_vkQueueSubmit(other.queue(), 0, nullptr, VK_NULL_HANDLE);
  });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  EXPECT_EQ(commands_of(capture),
            (std::vector<CommandId>{CommandId::vkAllocateMemory, CommandId::vkMapMemory, CommandId::rondoHostWrite,
                                    CommandId::vkDestroyDevice, CommandId::vkQueueSubmit}));
}

// A program may make thousands of them.
TEST_F(RecordedMemory, ImagesInMemoryThatTheyMayNotHaveAreNotedOnceADevice) {
  const std::string unwanted = file("unwanted");
  in_process(file("a.rondo"), [&] {
    FakeDevice devices[] = {FakeDevice(fakes()), FakeDevice(fakes())};
    start();
    if (!alias_wanted(false)) {
      std::ofstream(unwanted) << "no";
      return;
    }
    for (FakeDevice& device : devices) {
      const auto handle = made_up<VkDeviceMemory>(5);
      auto memory = std::make_unique<Memory>();
      memory->alias = host_memory().tracker()->allocate(kBytes, 4096);
      if (memory->alias == nullptr) ::_exit(1);
      device.state().memories.memories[handle] = std::move(memory);
      for (const std::uintptr_t value : {1U, 2U, 3U}) {
        const auto image = made_up<VkImage>(value);
        device.state().memories.plain_images[image] = kBytes;
        hook_vkBindImageMemory(device.device(), image, handle, 0);
      }
    }
  });
  if (std::filesystem::exists(unwanted)) GTEST_SKIP() << "no memory of this kind here";
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  const std::vector<CommandId> commands = commands_of(capture);
  EXPECT_EQ(std::count(commands.begin(), commands.end(), CommandId::vkBindImageMemory), 6);
  EXPECT_EQ(std::count(commands.begin(), commands.end(), CommandId::rondoNote), 2);
}

}  // namespace
}  // namespace rondo::layer::testing
