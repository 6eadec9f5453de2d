// SPDX-License-Identifier: Apache-2.0
// Signals that leave semaphores and fences as sync fds and come back into others: by way of
// dup(), to another queue, to several, from a fence to a semaphore and back, through a
// semaphore without a wait, while other work waits for the host; -1, which is signalled; and
// a descriptor of the program's own. Every step moves words up by one: a wait too few shows.
// With "shared", by handles that are no sync fds.
#include <sys/eventfd.h>
#include <unistd.h>

#include "objects.h"
#include "session.h"
#include "shift.h"

using namespace program;

namespace {

constexpr std::uint32_t kRounds = 4;

struct SyncFds {
  Session s;
  Shift shift;
  std::vector<Commands> commands;  // for each step of a round
  std::uint32_t shifts = 0;
  VkSemaphore from = VK_NULL_HANDLE, to = VK_NULL_HANDLE, other = VK_NULL_HANDLE;
  VkFence given = VK_NULL_HANDLE, got = VK_NULL_HANDLE;
  VkExternalSemaphoreHandleTypeFlagBits semaphores = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
  PFN_vkGetSemaphoreFdKHR get_semaphore = nullptr;
  PFN_vkImportSemaphoreFdKHR import_semaphore = nullptr;
  PFN_vkGetFenceFdKHR get_fence = nullptr;
  PFN_vkImportFenceFdKHR import_fence = nullptr;
};

VkSemaphore create_exportable(SyncFds& p) {
  const VkExportSemaphoreCreateInfo types{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, nullptr,
                                          static_cast<VkExternalSemaphoreHandleTypeFlags>(p.semaphores)};
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &types, 0};
  VkSemaphore semaphore;
  CHECK(vkCreateSemaphore(p.s.device, &info, nullptr, &semaphore));
  return keep(p.s, vkDestroySemaphore, semaphore);
}

VkFence create_exportable_fence(SyncFds& p) {
  const VkExportFenceCreateInfo types{VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO, nullptr,
                                      VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
  const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, &types, 0};
  VkFence fence;
  CHECK(vkCreateFence(p.s.device, &info, nullptr, &fence));
  return keep(p.s, vkDestroyFence, fence);
}

int fd_of(SyncFds& p, VkSemaphore semaphore) {
  const VkSemaphoreGetFdInfoKHR info{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, nullptr, semaphore, p.semaphores};
  int fd = -2;
  CHECK(p.get_semaphore(p.s.device, &info, &fd));
  return fd;
}

int fd_of(SyncFds& p, VkFence fence) {
  const VkFenceGetFdInfoKHR info{VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR, nullptr, fence,
                                 VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
  int fd = -2;
  CHECK(p.get_fence(p.s.device, &info, &fd));
  return fd;
}

VkResult try_import(SyncFds& p, VkSemaphore semaphore, int fd) {
  const VkImportSemaphoreFdInfoKHR info{VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
                                        nullptr,
                                        semaphore,
                                        VK_SEMAPHORE_IMPORT_TEMPORARY_BIT,
                                        p.semaphores,
                                        fd};
  return p.import_semaphore(p.s.device, &info);
}
void import(SyncFds& p, VkSemaphore semaphore, int fd) { CHECK(try_import(p, semaphore, fd)); }

void import(SyncFds& p, VkFence fence, int fd) {
  const VkImportFenceFdInfoKHR info{
      VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR, nullptr, fence, VK_FENCE_IMPORT_TEMPORARY_BIT,
      VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,  fd};
  CHECK(p.import_fence(p.s.device, &info));
}

int other_fd(int fd) {
  if (fd < 0) return fd;
  const int copy = ::dup(fd);
  if (copy < 0) die("dup", copy);
  return copy;
}

int moved(int fd) {
  const int copy = other_fd(fd);
  if (fd >= 0) ::close(fd);
  return copy;
}

// One shift on the queue, behind `wait`; null for none. The values are of timelines.
void step(SyncFds& p, std::uint32_t queue, std::uint32_t commands, VkSemaphore wait, VkSemaphore signal, VkFence done,
          std::uint64_t value = 0) {
  const Commands& c = p.commands[commands];
  begin(c);
  record_shift(p.shift, c.buffer);
  CHECK(vkEndCommandBuffer(c.buffer));
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &value;
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  if (value != 0) info.pNext = &values;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &c.buffer;
  info.waitSemaphoreCount = wait == VK_NULL_HANDLE ? 0 : 1;
  info.pWaitSemaphores = &wait;
  info.pWaitDstStageMask = &stage;
  info.signalSemaphoreCount = signal == VK_NULL_HANDLE ? 0 : 1;
  info.pSignalSemaphores = &signal;
  CHECK(vkQueueSubmit(p.s.queues[queue], 1, &info, done));
  ++p.shifts;
}

void wait_and_reset(SyncFds& p, VkFence fence) {
  CHECK(vkWaitForFences(p.s.device, 1, &fence, VK_TRUE, UINT64_MAX));
  CHECK(vkResetFences(p.s.device, 1, &fence));
}

void expect_all(SyncFds& p) {
  if (!unchecked()) expect_shifted(p.shift, p.shifts);
}

// From queue to queue, by another descriptor of the same.
void to_another_queue(SyncFds& p) {
  const VkFence done = p.commands[1].done;
  step(p, 0, 0, VK_NULL_HANDLE, p.from, VK_NULL_HANDLE);
  import(p, p.to, moved(fd_of(p, p.from)));
  step(p, 1, 1, p.to, VK_NULL_HANDLE, done);
  wait_and_reset(p, done);
  expect_all(p);
}

// One signal for two waits: of the second queue, and of the first behind it.
void to_several(SyncFds& p) {
  const VkFence done = p.commands[2].done;
  step(p, 0, 0, VK_NULL_HANDLE, p.from, VK_NULL_HANDLE);
  const int fd = fd_of(p, p.from);
  import(p, p.to, other_fd(fd));
  import(p, p.other, fd);
  const VkSemaphore next = keep(p.s, vkDestroySemaphore, create_semaphore(p.s));
  step(p, 1, 1, p.to, next, VK_NULL_HANDLE);
  step(p, 0, 2, next, VK_NULL_HANDLE, VK_NULL_HANDLE);
  step(p, 0, 3, p.other, VK_NULL_HANDLE, done);
  wait_and_reset(p, done);
  expect_all(p);
}

// A fence's to another fence, and to a semaphore; a semaphore's to a fence.
void of_fences(SyncFds& p) {
  const VkFence done = p.commands[1].done;
  step(p, 0, 0, VK_NULL_HANDLE, VK_NULL_HANDLE, p.given);
  import(p, p.got, moved(fd_of(p, p.given)));
  wait_and_reset(p, p.got);
  expect_all(p);

  step(p, 0, 0, VK_NULL_HANDLE, VK_NULL_HANDLE, p.given);
  import(p, p.to, fd_of(p, p.given));
  step(p, 1, 1, p.to, VK_NULL_HANDLE, done);
  wait_and_reset(p, done);
  expect_all(p);

  step(p, 1, 1, VK_NULL_HANDLE, p.from, VK_NULL_HANDLE);
  import(p, p.got, fd_of(p, p.from));
  CHECK(vkWaitForFences(p.s.device, 1, &p.got, VK_TRUE, UINT64_MAX));
  EXPECT(p.s, vkGetFenceStatus(p.s.device, p.got) == VK_SUCCESS);
  CHECK(vkResetFences(p.s.device, 1, &p.got));
  expect_all(p);

  // It is signalled when it is exported, and then not any more.
  step(p, 0, 0, VK_NULL_HANDLE, VK_NULL_HANDLE, p.given);
  CHECK(vkWaitForFences(p.s.device, 1, &p.given, VK_TRUE, UINT64_MAX));
  const int fd = fd_of(p, p.given);
  EXPECT(p.s, vkGetFenceStatus(p.s.device, p.given) == VK_NOT_READY);
  import(p, p.got, fd);
  wait_and_reset(p, p.got);
}

// What came in goes out again, and nobody waited for it here.
void passed_on(SyncFds& p) {
  const VkFence done = p.commands[1].done;
  step(p, 0, 0, VK_NULL_HANDLE, p.from, VK_NULL_HANDLE);
  import(p, p.other, fd_of(p, p.from));
  import(p, p.to, fd_of(p, p.other));
  step(p, 1, 1, p.to, VK_NULL_HANDLE, done);
  wait_and_reset(p, done);
  expect_all(p);
}

// The queue that gives the signal goes on to wait for the host, who waits for what is behind the signal.
void with_the_host(SyncFds& p, VkSemaphore timeline, std::uint64_t round) {
  const VkFence done = p.commands[1].done, last = p.commands[2].done;
  step(p, 0, 0, VK_NULL_HANDLE, p.from, VK_NULL_HANDLE);
  import(p, p.to, fd_of(p, p.from));
  step(p, 0, 2, timeline, VK_NULL_HANDLE, last, round);
  --p.shifts;  // not yet
  step(p, 1, 1, p.to, VK_NULL_HANDLE, done);
  wait_and_reset(p, done);
  expect_all(p);
  const VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, timeline, round};
  CHECK(vkSignalSemaphore(p.s.device, &signal));
  ++p.shifts;
  wait_and_reset(p, last);
  expect_all(p);
}

// Signals of nobody here.
void from_elsewhere(SyncFds& p) {
  const VkFence done = p.commands[1].done;
  import(p, p.to, -1);
  step(p, 1, 1, p.to, VK_NULL_HANDLE, done);
  wait_and_reset(p, done);
  import(p, p.got, -1);
  EXPECT(p.s, vkGetFenceStatus(p.s.device, p.got) == VK_SUCCESS);
  wait_and_reset(p, p.got);

  const int mine = ::eventfd(0, 0);
  if (try_import(p, p.to, ::dup(mine)) != VK_SUCCESS) {  // most drivers take nothing but their own
    ::close(mine);
    return;
  }
  step(p, 1, 1, p.to, VK_NULL_HANDLE, done);
  if (::eventfd_write(mine, 1) != 0) die("eventfd_write", 0);
  wait_and_reset(p, done);
  ::close(mine);
  expect_all(p);
}

// Not what the device said that it does.
int share(SyncFds& p) {
  step(p, 0, 0, VK_NULL_HANDLE, p.from, VK_NULL_HANDLE);
  import(p, p.to, fd_of(p, p.from));
  step(p, 1, 1, p.to, VK_NULL_HANDLE, p.commands[1].done);
  wait_and_reset(p, p.commands[1].done);
  expect_all(p);
  return finish(p.s);
}

void say_what_is_offered(SyncFds& p) {
  const VkPhysicalDeviceExternalSemaphoreInfo semaphore{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
                                                        nullptr, p.semaphores};
  VkExternalSemaphoreProperties of_semaphores{VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
  vkGetPhysicalDeviceExternalSemaphoreProperties(p.s.physical, &semaphore, &of_semaphores);
  std::fprintf(stderr, "sync_fds: semaphores are offered: %u\n", of_semaphores.externalSemaphoreFeatures);
}

}  // namespace

int main(int argc, char** argv) {
  const bool shared = argc > 1 && std::strcmp(argv[1], "shared") == 0;
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines{};
  timelines.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  timelines.timelineSemaphore = VK_TRUE;
  Wanted wanted;
  wanted.queues = shared ? 1 : 2;
  wanted.features = &timelines;
  wanted.extensions = {VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};
  if (!shared) wanted.extensions.push_back(VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME);
  SyncFds p;
  p.s = open("sync_fds", wanted);
  if (shared) p.s.queues.push_back(p.s.queues[0]);
  if (shared) p.semaphores = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  p.get_semaphore = load<PFN_vkGetSemaphoreFdKHR>(p.s, "vkGetSemaphoreFdKHR");
  p.import_semaphore = load<PFN_vkImportSemaphoreFdKHR>(p.s, "vkImportSemaphoreFdKHR");
  p.shift = create_shift(p.s);
  p.s.at_end.push_back([&] {
    for (Commands& one : p.commands) destroy(p.s, one);
    destroy(p.s, p.shift);
  });
  for (int i = 0; i < 4; ++i) p.commands.push_back(create_commands(p.s));
  p.from = create_exportable(p);
  p.to = keep(p.s, vkDestroySemaphore, create_semaphore(p.s));
  p.other = create_exportable(p);
  if (shared) {
    say_what_is_offered(p);
    return share(p);
  }
  p.get_fence = load<PFN_vkGetFenceFdKHR>(p.s, "vkGetFenceFdKHR");
  p.import_fence = load<PFN_vkImportFenceFdKHR>(p.s, "vkImportFenceFdKHR");
  p.given = create_exportable_fence(p);
  p.got = keep(p.s, vkDestroyFence, create_fence(p.s));
  const VkSemaphore timeline = keep(p.s, vkDestroySemaphore, create_timeline(p.s));
  for (std::uint32_t round = 1; round <= kRounds; ++round) {
    to_another_queue(p);
    to_several(p);
    of_fences(p);
    passed_on(p);
    with_the_host(p, timeline, round);
    from_elsewhere(p);
  }
  p.s.sum = checksum(p.shift.words.words, kShiftWords);
  return finish(p.s);
}
