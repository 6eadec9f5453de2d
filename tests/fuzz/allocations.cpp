// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/allocations.h"

#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RONDO_COUNTS 1
#endif
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef RONDO_COUNTS
#endif
#endif

namespace rondo::fuzz {
namespace {

std::atomic<std::size_t> live{0}, most{0}, start{0}, limit{0};

}  // namespace

void watch_allocations() {
  start.store(live.load());
  most.store(live.load());
}

std::size_t most_allocated() { return most.load() > start.load() ? most.load() - start.load() : 0; }

void limit_allocations(std::size_t bytes) { limit.store(bytes); }

#ifdef RONDO_COUNTS

bool allocations_are_counted() { return true; }

namespace {

// In the middle of malloc: nothing here may allocate.
void over_limit() {
  constexpr char words[] = "broken promise: allocations stay within the budget\n";
  static_cast<void>(!::write(STDERR_FILENO, words, sizeof words - 1));
  std::abort();
}

void grow(std::size_t bytes) {
  const std::size_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::size_t seen = most.load(std::memory_order_relaxed);
  while (now > seen && !most.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
  const std::size_t allowed = limit.load(std::memory_order_relaxed);
  if (allowed != 0 && now > start.load(std::memory_order_relaxed) + allowed) over_limit();
}

void* counted(void* p) {
  if (p != nullptr) grow(malloc_usable_size(p));
  return p;
}

void uncount(void* p) {
  if (p != nullptr) live.fetch_sub(malloc_usable_size(p), std::memory_order_relaxed);
}

}  // namespace

#else

bool allocations_are_counted() { return false; }

#endif

}  // namespace rondo::fuzz

#ifdef RONDO_COUNTS

extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* p, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* p);

#pragma GCC visibility push(default)

void* malloc(std::size_t bytes) { return rondo::fuzz::counted(__libc_malloc(bytes)); }
void* calloc(std::size_t count, std::size_t bytes) { return rondo::fuzz::counted(__libc_calloc(count, bytes)); }
void* realloc(void* p, std::size_t bytes) {
  rondo::fuzz::uncount(p);
  void* moved = __libc_realloc(p, bytes);
  if (moved == nullptr && bytes != 0) rondo::fuzz::counted(p);  // it stayed where it was
  return rondo::fuzz::counted(moved);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  return rondo::fuzz::counted(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** out, std::size_t alignment, std::size_t bytes) {
  void* p = memalign(alignment, bytes);
  if (p == nullptr) return ENOMEM;
  *out = p;
  return 0;
}
void free(void* p) {
  rondo::fuzz::uncount(p);
  __libc_free(p);
}

#pragma GCC visibility pop

}  // extern "C"

#endif
