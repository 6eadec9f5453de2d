// SPDX-License-Identifier: Apache-2.0
// Stands for a driver: a library that is loaded late and crashes in each way.
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

volatile std::uintptr_t nowhere = 8;

void write_nowhere() { *reinterpret_cast<volatile int*>(nowhere) = 1; }

void* crash_on_a_thread(void*) {
  write_nowhere();
  return nullptr;
}

// It does not end. The frames are large enough for the compiler not to make a loop of it.
int recurse(volatile char* last) {
  if (nowhere == 0) return 0;
  volatile char here[4096];
  here[0] = last == nullptr ? '\1' : last[0];
  return recurse(here) + here[0];
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void crash(const char* how) {
  const auto is = [how](const char* name) { return std::strcmp(how, name) == 0; };
  if (is("write")) write_nowhere();
  static char source[1024];
  if (is("copy")) std::memcpy(reinterpret_cast<void*>(nowhere), source, static_cast<std::size_t>(nowhere) * 100);
  if (is("abort")) std::abort();
  if (is("recursion")) recurse(nullptr);
  if (is("null function")) {
    const std::uintptr_t none = nowhere - 8;
    reinterpret_cast<void (*)()>(none)();
    nowhere = none;  // no tail call, whose caller would be ours
  }
  if (is("thread")) {
    pthread_t thread;
    ::pthread_create(&thread, nullptr, crash_on_a_thread, nullptr);
    while (true) ::pause();
  }
  if (is("generated code")) {
    void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#if defined(__x86_64__)
    const unsigned char illegal[] = {0x0f, 0x0b};
#else
    const unsigned char illegal[] = {0, 0, 0, 0};
#endif
    std::memcpy(page, illegal, sizeof illegal);
    __builtin___clear_cache(static_cast<char*>(page), static_cast<char*>(page) + sizeof illegal);
    reinterpret_cast<void (*)()>(page)();
  }
}
