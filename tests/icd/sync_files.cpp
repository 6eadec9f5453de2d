// SPDX-License-Identifier: Apache-2.0
// Sync fds of semaphores and fences: eventfds that are readable once they are
// signalled. What is imported may be any descriptor that becomes readable: a thread
// of its own looks.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>

#include "tests/icd/execute.h"

using namespace rondo;  // args_vk…

namespace fake {

SyncFile::~SyncFile() {
  if (fd >= 0) ::close(fd);
}

bool signal_exported(std::deque<std::shared_ptr<SyncFile>>& exported) {
  if (exported.empty()) return false;
  SyncFile& file = *exported.front();
  file.signaled = true;
  ::eventfd_write(file.fd, 1);
  exported.pop_front();
  return true;
}

namespace {

bool is_readable(int fd, int timeout_ms) {
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, timeout_ms) > 0;
}

void watch(std::shared_ptr<SyncFile> file) {
  std::thread([file = std::move(file)] {
    while (!is_readable(file->fd, -1)) {
    }
    const Monitor::Lock lock = Monitor::get().enter();
    file->signaled = true;
    Monitor::get().changed();
  }).detach();
}

// -1 is signalled. The descriptor is the driver's from here on.
std::shared_ptr<SyncFile> import(int fd) {
  auto file = std::make_shared<SyncFile>();
  file->fd = fd;
  file->signaled = fd < 0 || is_readable(fd, 0);
  if (!file->signaled) watch(file);
  return file;
}

// To the program, who closes it; the driver keeps another.
VkResult give(const SyncFile& file, int* out) {
  *out = file.signaled ? -1 : ::dup(file.fd);
  return file.signaled || *out >= 0 ? VK_SUCCESS : VK_ERROR_TOO_MANY_OBJECTS;
}

VkResult new_file(std::shared_ptr<SyncFile>& file, int* out) {
  file = std::make_shared<SyncFile>();
  file->fd = ::eventfd(0, EFD_CLOEXEC);
  return file->fd < 0 ? VK_ERROR_TOO_MANY_OBJECTS : give(*file, out);
}

VkResult wrong(const char* what) {
  violation(what);
  return VK_ERROR_VALIDATION_FAILED_EXT;
}

VkResult get_semaphore(Call&, args_vkGetSemaphoreFdKHR& a) {
  if (a.pGetFdInfo->handleType != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT)
    return wrong("exports a handle that is no sync fd");
  const auto semaphore = get<Semaphore>(a.pGetFdInfo->semaphore);
  if (semaphore->timeline || !semaphore->exportable) return wrong("exports a semaphore that was not made for it");
  const Monitor::Lock lock = Monitor::get().enter();
  if (const auto imported = std::exchange(semaphore->imported, nullptr)) return give(*imported, a.pFd);
  if (!semaphore->promised) return wrong("exports a semaphore that nothing signals");
  semaphore->promised = false;
  if (semaphore->value != 0) {
    semaphore->value = 0;
    *a.pFd = -1;
    return VK_SUCCESS;
  }
  std::shared_ptr<SyncFile> file;
  const VkResult result = new_file(file, a.pFd);
  if (result == VK_SUCCESS) semaphore->exported.push_back(std::move(file));
  return result;
}

VkResult get_fence(Call&, args_vkGetFenceFdKHR& a) {
  if (a.pGetFdInfo->handleType != VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT)
    return wrong("exports a handle that is no sync fd");
  const auto fence = get<Fence>(a.pGetFdInfo->fence);
  if (!fence->exportable) return wrong("exports a fence that was not made for it");
  const Monitor::Lock lock = Monitor::get().enter();
  if (const auto imported = std::exchange(fence->imported, nullptr)) return give(*imported, a.pFd);
  if (fence->signaled) {
    fence->signaled = false;
    *a.pFd = -1;
    return VK_SUCCESS;
  }
  if (fence->pending <= fence->exported.size()) return wrong("exports a fence that nothing signals");
  std::shared_ptr<SyncFile> file;
  const VkResult result = new_file(file, a.pFd);
  if (result == VK_SUCCESS) fence->exported.push_back(std::move(file));
  return result;
}

VkResult import_semaphore(Call&, args_vkImportSemaphoreFdKHR& a) {
  const VkImportSemaphoreFdInfoKHR& info = *a.pImportSemaphoreFdInfo;
  if (info.handleType != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT ||
      (info.flags & VK_SEMAPHORE_IMPORT_TEMPORARY_BIT) == 0)
    return wrong("imports a handle that is no sync fd, or for good");
  const auto semaphore = get<Semaphore>(info.semaphore);
  if (semaphore->timeline) return wrong("imports a sync fd into a timeline semaphore");
  const Monitor::Lock lock = Monitor::get().enter();
  if (semaphore->pending != 0) violation("imports into a semaphore that a queue uses");
  semaphore->imported = import(info.fd);
  return VK_SUCCESS;
}

VkResult import_fence(Call&, args_vkImportFenceFdKHR& a) {
  const VkImportFenceFdInfoKHR& info = *a.pImportFenceFdInfo;
  if (info.handleType != VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT || (info.flags & VK_FENCE_IMPORT_TEMPORARY_BIT) == 0)
    return wrong("imports a handle that is no sync fd, or for good");
  const auto fence = get<Fence>(info.fence);
  const Monitor::Lock lock = Monitor::get().enter();
  if (fence->pending != 0) violation("imports into a fence that a queue has not signaled yet");
  fence->imported = import(info.fd);
  return VK_SUCCESS;
}

}  // namespace

void install_sync_files(Table& table) {
  table.behave<get_semaphore>(CommandId::vkGetSemaphoreFdKHR);
  table.behave<get_fence>(CommandId::vkGetFenceFdKHR);
  table.behave<import_semaphore>(CommandId::vkImportSemaphoreFdKHR);
  table.behave<import_fence>(CommandId::vkImportFenceFdKHR);
}

}  // namespace fake
