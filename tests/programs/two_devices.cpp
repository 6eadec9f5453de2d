// SPDX-License-Identifier: Apache-2.0
// Signals that leave one device as sync fds and come to another: to a semaphore and to a fence.
// What the first device did is known to be done when the second one's fence is signalled: the
// host then writes to the first one's memory, and no wait of the first one's stands between.
#include "objects.h"
#include "shift.h"

using namespace program;

namespace {

constexpr std::uint32_t kRounds = 4;

// A device with work of its own, and what its words should be.
struct Side {
  Context c;
  Shift shift;
  Commands commands[2];
  VkSemaphore from = VK_NULL_HANDLE, to = VK_NULL_HANDLE;
  VkFence given = VK_NULL_HANDLE, got = VK_NULL_HANDLE;
  std::uint32_t expected[kShiftWords] = {};
};

template <class Function>
Function load(const Side& side, const char* name) {
  const auto found = reinterpret_cast<Function>(vkGetDeviceProcAddr(side.c.device, name));
  if (found == nullptr) die(name, 0);
  return found;
}

void open(Side& side, VkInstance instance) {
  Wanted wanted;
  wanted.extensions = {VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME};
  side.c = create_device(instance, wanted);
  side.shift = create_shift(side.c);
  std::memcpy(side.expected, side.shift.words.words, sizeof side.expected);
  for (Commands& one : side.commands) one = create_commands(side.c);
  const VkExportSemaphoreCreateInfo semaphores{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, nullptr,
                                               VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT};
  const VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &semaphores, 0};
  CHECK(vkCreateSemaphore(side.c.device, &semaphore, nullptr, &side.from));
  const VkExportFenceCreateInfo fences{VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO, nullptr,
                                       VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
  const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, &fences, 0};
  CHECK(vkCreateFence(side.c.device, &fence, nullptr, &side.given));
  side.to = create_semaphore(side.c);
  side.got = create_fence(side.c);
}

void close(Side& side) {
  const VkDevice device = side.c.device;
  for (const VkSemaphore one : {side.from, side.to}) vkDestroySemaphore(device, one, nullptr);
  for (const VkFence one : {side.given, side.got}) vkDestroyFence(device, one, nullptr);
  for (Commands& one : side.commands) destroy(side.c, one);
  destroy(side.c, side.shift);
  vkDestroyDevice(device, nullptr);
}

void pass_semaphore(const Side& from, const Side& to) {
  const VkSemaphoreGetFdInfoKHR out{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, nullptr, from.from,
                                    VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT};
  int fd = -2;
  CHECK(load<PFN_vkGetSemaphoreFdKHR>(from, "vkGetSemaphoreFdKHR")(from.c.device, &out, &fd));
  const VkImportSemaphoreFdInfoKHR in{
      VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR, nullptr, to.to, VK_SEMAPHORE_IMPORT_TEMPORARY_BIT,
      VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,  fd};
  CHECK(load<PFN_vkImportSemaphoreFdKHR>(to, "vkImportSemaphoreFdKHR")(to.c.device, &in));
}

void pass_fence(const Side& from, const Side& to) {
  const VkFenceGetFdInfoKHR out{VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR, nullptr, from.given,
                                VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
  int fd = -2;
  CHECK(load<PFN_vkGetFenceFdKHR>(from, "vkGetFenceFdKHR")(from.c.device, &out, &fd));
  const VkImportFenceFdInfoKHR in{
      VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR, nullptr, to.got, VK_FENCE_IMPORT_TEMPORARY_BIT,
      VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,  fd};
  CHECK(load<PFN_vkImportFenceFdKHR>(to, "vkImportFenceFdKHR")(to.c.device, &in));
}

void step(Side& side, int commands, VkSemaphore wait, VkSemaphore signal, VkFence done) {
  const VkCommandBuffer buffer = side.commands[commands].buffer;
  begin(side.commands[commands]);
  record_shift(side.shift, buffer);
  CHECK(vkEndCommandBuffer(buffer));
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          .waitSemaphoreCount = wait == VK_NULL_HANDLE ? 0u : 1u,
                          .pWaitSemaphores = &wait,
                          .pWaitDstStageMask = &stage,
                          .commandBufferCount = 1,
                          .pCommandBuffers = &buffer,
                          .signalSemaphoreCount = signal == VK_NULL_HANDLE ? 0u : 1u,
                          .pSignalSemaphores = &signal};
  CHECK(vkQueueSubmit(side.c.queues[0], 1, &info, done));
  std::memmove(side.expected + 1, side.expected, sizeof side.expected - sizeof side.expected[0]);
}

void wait_and_reset(const Side& side, VkFence fence) {
  CHECK(vkWaitForFences(side.c.device, 1, &fence, VK_TRUE, UINT64_MAX));
  CHECK(vkResetFences(side.c.device, 1, &fence));
}

void expect_words(const Side& side, const char* what) {
  if (std::memcmp(side.shift.words.words, side.expected, sizeof side.expected) != 0) wrong(what, 0);
}

void pass(Side& from, Side& to, std::uint32_t round) {
  step(from, 0, VK_NULL_HANDLE, from.from, VK_NULL_HANDLE);
  pass_semaphore(from, to);
  step(to, 0, to.to, VK_NULL_HANDLE, to.commands[0].done);
  wait_and_reset(to, to.commands[0].done);
  expect_words(from, "words before a semaphore");
  expect_words(to, "words behind a semaphore");

  from.shift.words.words[0] = from.expected[0] = mix(3, round);
  step(from, 1, VK_NULL_HANDLE, VK_NULL_HANDLE, from.given);
  pass_fence(from, to);
  wait_and_reset(to, to.got);
  expect_words(from, "words before a fence");
  from.shift.words.words[0] = from.expected[0] = mix(4, round);
}

}  // namespace

int main() {
  const VkInstance instance = create_instance("two_devices", VK_API_VERSION_1_1);
  Side one, other;
  open(one, instance);
  open(other, instance);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    pass(one, other, round);
    pass(other, one, round);
  }
  std::printf("two_devices: checksum %016llx\n",
              static_cast<unsigned long long>(checksum(one.shift.words.words, kShiftWords) ^
                                              checksum(other.shift.words.words, kShiftWords) * 3));
  close(other);
  close(one);
  vkDestroyInstance(instance, nullptr);
  return 0;
}
