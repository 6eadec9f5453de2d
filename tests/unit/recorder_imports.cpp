// SPDX-License-Identifier: Apache-2.0
// Memory that a program imports from a host pointer: when its contents are recorded, and that
// they are the program's.
#include <sys/mman.h>
#include <unistd.h>

#include "layer/driver/imports.h"
#include "layer/driver/settler.h"
#include "tests/unit/recorder_hooks.h"

namespace rondo::layer::testing {
namespace {

constexpr std::size_t kBytes = 4 * 4096;
std::byte* g_mapped;  // what the driver maps
int g_waits;

VkResult VKAPI_CALL fake_allocate(VkDevice, const VkMemoryAllocateInfo*, const VkAllocationCallbacks*,
                                  VkDeviceMemory* memory) {
  *memory = made_up<VkDeviceMemory>(5);
  return VK_SUCCESS;
}
void VKAPI_CALL fake_free(VkDevice, VkDeviceMemory, const VkAllocationCallbacks*) {}
VkResult VKAPI_CALL fake_map(VkDevice, VkDeviceMemory, VkDeviceSize offset, VkDeviceSize, VkMemoryMapFlags,
                             void** data) {
  *data = g_mapped + offset;
  return VK_SUCCESS;
}
void VKAPI_CALL fake_unmap(VkDevice, VkDeviceMemory) {}
VkResult VKAPI_CALL fake_submit(VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) { return VK_SUCCESS; }
VkResult VKAPI_CALL fake_wait(VkDevice, std::uint32_t, const VkFence*, VkBool32, std::uint64_t) {
  ++g_waits;
  return VK_SUCCESS;
}
VkResult VKAPI_CALL fake_fence(VkDevice, const VkFenceCreateInfo*, const VkAllocationCallbacks*, VkFence* fence) {
  *fence = made_up<VkFence>(9);
  return VK_SUCCESS;
}
VkResult VKAPI_CALL fake_reset(VkDevice, std::uint32_t, const VkFence*) { return VK_SUCCESS; }
void VKAPI_CALL fake_destroy_fence(VkDevice, VkFence, const VkAllocationCallbacks*) {}

Dispatch fakes() {
  Dispatch dispatch;
  dispatch.vkAllocateMemory = fake_allocate;
  dispatch.vkFreeMemory = fake_free;
  dispatch.vkMapMemory = fake_map;
  dispatch.vkUnmapMemory = fake_unmap;
  dispatch.vkQueueSubmit = fake_submit;
  dispatch.vkWaitForFences = fake_wait;
  dispatch.vkCreateFence = fake_fence;
  dispatch.vkResetFences = fake_reset;
  dispatch.vkDestroyFence = fake_destroy_fence;
  return dispatch;
}

// A driver in this process, and pages of the program's.
struct Scene : FakeDevice {
  explicit Scene(int flags = MAP_PRIVATE | MAP_ANONYMOUS, int file = -1) : FakeDevice(fakes()) {
    start();
    state().software = true;
    state().settler = std::make_unique<Settler>(state());
    pages = static_cast<std::byte*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, flags, file, 0));
  }
  static void start();
  void import() {
    const VkImportMemoryHostPointerInfoEXT host{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
                                                VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, pages};
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &host, kBytes, 0};
    if (hook_vkAllocateMemory(device(), &info, nullptr, &memory) != VK_SUCCESS) ::_exit(100);
  }
  void submit() { hook_vkQueueSubmit(queue(), 0, nullptr, VK_NULL_HANDLE); }
  void device_writes_it() { HostMemory::find(state(), memory)->device_writable = true; }

  std::byte* pages;
  VkDeviceMemory memory = VK_NULL_HANDLE;
};

class RecordedImports : public RecorderTest {
 public:
  static void start_recorder() { start(); }

 protected:
  std::vector<CommandId> recorded() { return commands_of(Capture(file("a.rondo"))); }
};

void Scene::start() { RecordedImports::start_recorder(); }

TEST_F(RecordedImports, WhatThePagesHoldComesBehindTheirAllocation) {
  in_process(file("a.rondo"), [] {
    Scene scene;
    scene.pages[7] = std::byte{7};
    scene.import();
    if (scene.pages[7] != std::byte{7}) ::_exit(1);
    scene.submit();
    scene.submit();
    scene.pages[8] = std::byte{8};  // mapped or not
    scene.submit();
  });
  EXPECT_EQ(recorded(),
            (std::vector<CommandId>{CommandId::vkAllocateMemory, CommandId::rondoHostWrite, CommandId::vkQueueSubmit,
                                    CommandId::vkQueueSubmit, CommandId::rondoHostWrite, CommandId::vkQueueSubmit}));
}

TEST_F(RecordedImports, WhatIsWrittenThroughAMappingElsewhereIsFound) {
  in_process(file("a.rondo"), [] {
    const int pages = ::memfd_create("pages", MFD_CLOEXEC);
    if (::ftruncate(pages, kBytes) != 0) ::_exit(1);
    // Private, so that it is watched: what the driver maps shows where nothing was written.
    Scene scene(MAP_PRIVATE, pages);
    g_mapped = static_cast<std::byte*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, pages, 0));
    scene.import();
    void* mapped = nullptr;
    hook_vkMapMemory(scene.device(), scene.memory, 4096, VK_WHOLE_SIZE, 0, &mapped);
    if (mapped != g_mapped + 4096) ::_exit(2);
    *static_cast<std::byte*>(mapped) = std::byte{7};
    hook_vkUnmapMemory(scene.device(), scene.memory);
    scene.submit();
  });
  EXPECT_EQ(recorded(),
            (std::vector<CommandId>{CommandId::vkAllocateMemory, CommandId::vkMapMemory, CommandId::vkUnmapMemory,
                                    CommandId::rondoHostWrite, CommandId::vkQueueSubmit}));
}

TEST_F(RecordedImports, AfterTheFreeThePagesAreNotLookedAt) {
  in_process(file("a.rondo"), [] {
    Scene scene;
    scene.import();
    scene.pages[7] = std::byte{7};
    hook_vkFreeMemory(scene.device(), scene.memory, nullptr);
    scene.pages[8] = std::byte{8};
    scene.submit();
    ::munmap(scene.pages, kBytes);
    scene.submit();
  });
  EXPECT_EQ(recorded(),
            (std::vector<CommandId>{CommandId::vkAllocateMemory, CommandId::rondoHostWrite, CommandId::vkFreeMemory,
                                    CommandId::vkQueueSubmit, CommandId::vkQueueSubmit}));
}

// What the work writes would be played before it.
TEST_F(RecordedImports, WhatChangesWhileWorkMayWriteItWaitsForTheWork) {
  in_process(file("a.rondo"), [] {
    Scene scene;
    scene.import();
    scene.device_writes_it();
    scene.submit();
    scene.submit();  // nothing has changed
    if (g_waits != 0) ::_exit(1);
    scene.pages[7] = std::byte{7};
    scene.submit();
    if (g_waits != 1) ::_exit(2);
  });
  EXPECT_EQ(recorded(),
            (std::vector<CommandId>{CommandId::vkAllocateMemory, CommandId::vkQueueSubmit, CommandId::vkQueueSubmit,
                                    CommandId::rondoDeviceIdle, CommandId::rondoHostWrite, CommandId::vkQueueSubmit}));
}

// Ours is no device's: what may only live in a device's must not be put there.
TEST(Imports, OnlyHostAllocationsMayBeReplacedByOurs) {
  VkExternalMemoryBufferCreateInfo buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  buffer.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_MAPPED_FOREIGN_MEMORY_BIT_EXT;
  EXPECT_FALSE(may_be_imported(&buffer));
  EXPECT_FALSE(may_be_imported(nullptr));
  buffer.handleTypes |= VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  EXPECT_TRUE(may_be_imported(&buffer));
}

}  // namespace
}  // namespace rondo::layer::testing
