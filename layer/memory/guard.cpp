// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/guard.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <new>

#include "layer/memory/kernel.h"
#include "layer/memory/segv.h"

namespace rondo::memory {

// Between enter() and leave(): a page is writable if and only if its bit is set.
struct Guard::Region {
  std::uintptr_t begin;
  std::size_t pages;
  std::atomic<pid_t> holder{0};
  std::unique_ptr<std::uint64_t[]> written;  // a bit a page

  std::byte* at(std::size_t page) const { return reinterpret_cast<std::byte*>(begin) + page * page_bytes; }
  void enter() noexcept {
    const pid_t self = getpid();
    for (pid_t free = 0; !holder.compare_exchange_strong(free, self, std::memory_order_acquire); free = 0) {
      // Held by a thread of the process that this one was forked from: it is not here.
      if (free != self && holder.compare_exchange_strong(free, self, std::memory_order_acquire)) return;
      sched_yield();
    }
  }
  void leave() noexcept { holder.store(0, std::memory_order_release); }
  void set(std::size_t page) noexcept { written[page / 64] |= std::uint64_t{1} << (page % 64); }
  bool has(std::size_t page) const noexcept { return (written[page / 64] >> (page % 64) & 1) != 0; }
};

namespace {

constexpr std::size_t kRegions = 8192;

// What the handler reads: it takes no lock that a thread may hold in the middle of malloc.
constinit std::atomic<Guard::Region*> g_regions[kRegions] = {};
constinit std::atomic<std::size_t> g_used{0};  // slots that were ever in use
constinit std::atomic<int> g_handling{0};      // handlers that look at regions

// A write may have faulted just before its page was let go for good.
struct Released {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<unsigned> left{0};  // such faults that are believed
};
constexpr std::size_t kReleased = 16;
constinit Released g_released[kReleased] = {};
constinit std::atomic<std::size_t> g_next_released{0};

bool protect(std::byte* start, std::size_t pages, bool closed) noexcept {
  return mprotect(start, pages * page_bytes, closed ? PROT_READ : PROT_READ | PROT_WRITE) == 0;
}

// No handler of the program's, which may write to guarded pages, runs on this thread.
class NoSignals {
 public:
  NoSignals() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

bool let_through(Guard::Region& region, std::uintptr_t address) noexcept {
  const std::size_t page = (address - region.begin) / page_bytes;
  region.enter();
  bool done = protect(region.at(page), 1, false);
  if (done) {
    region.set(page);
  } else {  // the process has as many mappings as it may have: one is enough
    done = protect(region.at(0), region.pages, false);
    for (std::size_t i = 0; done && i < region.pages; ++i) region.set(i);
  }
  region.leave();
  return done;
}

bool was_released(std::uintptr_t address) noexcept {
  for (Released& r : g_released)
    if (address >= r.begin.load() && address < r.end.load() && r.left.load() != 0) {
      r.left.fetch_sub(1);
      return true;
    }
  return false;
}

// In the handler of SIGSEGV.
bool handle(std::uintptr_t address) noexcept {
  g_handling.fetch_add(1);
  bool done = false;
  const std::size_t used = g_used.load();
  for (std::size_t i = 0; i < used && !done; ++i) {
    Guard::Region* const region = g_regions[i].load();
    if (region != nullptr && address >= region->begin && address - region->begin < region->pages * page_bytes)
      done = let_through(*region, address);
  }
  g_handling.fetch_sub(1);
  return done || was_released(address);
}

}  // namespace

std::unique_ptr<Guard> Guard::create(std::byte* start, std::size_t pages) noexcept try {
  if (pages == 0 || !catch_faults(handle)) return nullptr;
  auto region = std::make_unique<Region>();
  region->begin = reinterpret_cast<std::uintptr_t>(start);
  region->pages = pages;
  region->written = std::make_unique<std::uint64_t[]>((pages + 63) / 64);
  for (std::size_t i = 0; i < pages; ++i) region->set(i);
  std::unique_ptr<Guard> guard(new Guard());
  std::size_t slot = 0;
  while (slot < kRegions && g_regions[slot].load() != nullptr) ++slot;
  if (slot == kRegions) return nullptr;
  if (slot >= g_used.load()) g_used.store(slot + 1);
  g_regions[slot].store(region.get());
  guard->region_ = region.release();
  return guard;
} catch (const std::bad_alloc&) {
  return nullptr;
}

Guard::~Guard() {
  Region& region = *region_;
  protect(region.at(0), region.pages, false);
  Released& released = g_released[g_next_released.fetch_add(1) % kReleased];
  released.left.store(0);
  released.begin.store(region.begin);
  released.end.store(region.begin + region.pages * page_bytes);
  released.left.store(1000);
  for (std::atomic<Region*>& slot : g_regions)
    if (slot.load() == region_) {
      slot.store(nullptr);
      break;
    }
  while (g_handling.load() != 0) sched_yield();
  delete region_;
}

bool Guard::arm() noexcept {
  const NoSignals none;
  Region& region = *region_;
  region.enter();
  const bool closed = protect(region.at(0), region.pages, true);
  for (std::size_t i = 0; i < (region.pages + 63) / 64; ++i) region.written[i] = closed ? 0 : ~std::uint64_t{0};
  region.leave();
  return closed;
}

bool Guard::scan(std::size_t first, std::size_t last, bool rearm, PageSet& written, std::size_t shift) noexcept {
  if (!catch_faults(handle)) return false;
  const NoSignals none;
  Region& region = *region_;
  bool closed = true;
  region.enter();
  for (std::size_t page = first; page < last;) {
    if (!region.has(page)) {
      ++page;
      continue;
    }
    std::size_t end = page + 1;
    while (end < last && region.has(end)) ++end;
    written.add(page + shift, end + shift);
    if (rearm && protect(region.at(page), end - page, true))
      for (std::size_t i = page; i < end; ++i) region.written[i / 64] &= ~(std::uint64_t{1} << (i % 64));
    else if (rearm)
      closed = false;
    page = end;
  }
  region.leave();
  return closed;
}

bool Guard::works() noexcept {
  constexpr std::size_t pages = 4;
  void* const memory = mmap(nullptr, pages * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  bool right = false;
  {
    auto* const start = static_cast<std::byte*>(memory);
    const auto guard = create(start, pages);
    try {
      PageSet after(pages);
      if (guard != nullptr && guard->arm()) {
        const FaultsOpen open;
        *const_cast<volatile std::byte*>(start + 2 * page_bytes) = std::byte{1};
        right = guard->scan(0, pages, false, after) && after.next(0, pages) == 2 && after.next(3, pages) == pages;
      }
    } catch (const std::bad_alloc&) {
    }
  }
  munmap(memory, pages * page_bytes);
  return right;
}

}  // namespace rondo::memory
