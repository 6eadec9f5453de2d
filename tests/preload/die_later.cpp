// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program: DIE_AFTER_US microseconds after its first vkCreateInstance has returned, it dies as DIE_BY
// says, whatever it is doing then: kill, segv (a write to nowhere), abort, _exit (with the status 3). DIE_IN=handler:
// on the thread that made the instance, interrupted by a signal wherever it is, in the recorder, too; else on another
// thread. DIE_COUNT, a file of three uint64: the submits that were begun, those that have returned, and those that had
// when it began to die, as far as they are made by calls of libvulkan's vkQueueSubmit.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

namespace {

struct Count {
  std::atomic<std::uint64_t> begun, returned, returned_before;
};

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

Count* open_count() {
  static Count nobodys;
  const int fd = ::open(std::getenv("DIE_COUNT"), O_RDWR | O_CLOEXEC);
  if (fd < 0) return &nobodys;
  void* const at = ::mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  return at != MAP_FAILED ? static_cast<Count*>(at) : &nobodys;
}

volatile int* volatile nowhere = nullptr;
Count* const counts = open_count();
const std::string_view how = variable("DIE_BY");
const bool in_handler = variable("DIE_IN") == "handler";
const long after_us = std::atol(std::getenv("DIE_AFTER_US"));

void die() {
  counts->returned_before = counts->returned.load();
  if (how == "kill") ::kill(::getpid(), SIGKILL);
  if (how == "segv") *nowhere = 1;
  if (how == "abort") std::abort();
  ::_exit(3);
}

void on_signal(int) { die(); }

void* wait_and_die(void* thread) {
  ::usleep(static_cast<useconds_t>(after_us));
  if (!in_handler) die();
  ::pthread_kill(*static_cast<pthread_t*>(thread), SIGUSR2);
  return nullptr;
}

void begin() {
  static std::atomic_flag begun;
  if (begun.test_and_set()) return;
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  std::signal(SIGUSR2, on_signal);
  static pthread_t self = ::pthread_self();
  pthread_t other;
  if (::pthread_create(&other, nullptr, wait_and_die, &self) == 0) ::pthread_detach(other);
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) VkResult vkCreateInstance(const VkInstanceCreateInfo* info,
                                                                            const VkAllocationCallbacks* allocator,
                                                                            VkInstance* instance) {
  static const auto down = next<PFN_vkCreateInstance>("vkCreateInstance");
  const VkResult result = down(info, allocator, instance);
  if (result == VK_SUCCESS) begin();
  return result;
}

extern "C" __attribute__((visibility("default"))) VkResult vkQueueSubmit(VkQueue queue, std::uint32_t count,
                                                                         const VkSubmitInfo* infos, VkFence fence) {
  static const auto down = next<PFN_vkQueueSubmit>("vkQueueSubmit");
  counts->begun += count;
  const VkResult result = down(queue, count, infos, fence);
  if (result == VK_SUCCESS) counts->returned += count;
  return result;
}
