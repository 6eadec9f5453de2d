// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/kernel.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace rondo::memory {
namespace {

// Older headers (Debian 12's) lack what follows; the values are the kernel's interface.
struct ScanArguments {  // struct pm_scan_arg of linux/fs.h
  std::uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
  std::uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
static_assert(sizeof(ScanArguments) == 96);
constexpr unsigned long pagemap_scan = _IOWR('f', 16, ScanArguments);
constexpr std::uint64_t page_is_written = 1u << 1;
constexpr std::uint64_t scan_wp_matching = 1u << 0;
constexpr std::uint64_t scan_check_wpasync = 1u << 1;
constexpr std::uint64_t feature_wp_hugetlbfs_shmem = 1u << 12;
constexpr std::uint64_t feature_wp_unpopulated = 1u << 13;
constexpr std::uint64_t feature_wp_async = 1u << 15;
constexpr int user_mode_only = 1;
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

// Numbers from here up are seldom the program's.
constexpr int high_descriptor = 800;
// A program that closes all descriptors does so once or twice, not for ever.
constexpr unsigned reopen_limit = 4;

std::string reason_of(const char* what, int error) {
  return std::string(what) + " is not possible here (" + std::strerror(error) + ")";
}

// Two pages and more of fresh memory for the self-test, unmapped at the end.
struct TestMapping {
  void* address = MAP_FAILED;
  std::size_t bytes = 0;
  TestMapping(std::size_t size, int flags, int file)
      : address(mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, file, 0)), bytes(size) {}
  ~TestMapping() {
    if (address != MAP_FAILED) munmap(address, bytes);
  }
  TestMapping(const TestMapping&) = delete;
  TestMapping& operator=(const TestMapping&) = delete;
  bool ok() const { return address != MAP_FAILED; }
  std::byte* at(std::size_t page) const { return static_cast<std::byte*>(address) + page * page_bytes; }
};

void touch(std::byte* byte) { *const_cast<volatile std::byte*>(byte) = std::byte{1}; }

}  // namespace

const char* name(Mechanism mechanism) noexcept {
  switch (mechanism) {
    case Mechanism::alias:
      return "alias";
    case Mechanism::pagemap:
      return "pagemap";
    case Mechanism::guard:
      return "guard";
    case Mechanism::shadow:
      return "shadow";
    case Mechanism::scan:
      return "scan";
  }
  return "";
}

Facilities Facilities::probe(bool may_touch) noexcept {
  const auto kernel = Kernel::open(may_touch);
  return kernel ? kernel->facilities() : Facilities{};
}

void OwnDescriptor::reset(int opened) noexcept {
  if (valid()) close(number_);
  number_ = opened;
  if (opened < 0) return;
  if (const int moved = fcntl(opened, F_DUPFD_CLOEXEC, high_descriptor); moved >= 0) {
    close(opened);
    number_ = moved;
  }
  struct stat about;
  if (fstat(number_, &about) == 0) {
    device_ = about.st_dev;
    inode_ = about.st_ino;
  }
}

bool OwnDescriptor::valid() const noexcept {
  struct stat about;
  return number_ >= 0 && fstat(number_, &about) == 0 && about.st_dev == device_ && about.st_ino == inode_;
}

std::unique_ptr<Kernel> Kernel::open(bool may_touch) noexcept {
  std::unique_ptr<Kernel> kernel(new (std::nothrow) Kernel());
  if (!kernel) return nullptr;
  kernel->owner_ = getpid();
  try {
    if (kernel->open_descriptors()) {
      kernel->test();
    } else if (may_touch && kernel->pagemap_.valid()) {
      kernel->by_touch_ = true;
      kernel->facilities_.alias = kernel->by_touch_ = kernel->test_alias();
    }
  } catch (const std::bad_alloc&) {  // only the reason is missing
  }
  return kernel;
}

bool Kernel::ours() const noexcept { return getpid() == owner_; }

bool Kernel::open_descriptors() noexcept try {
  // The process's own has no memory any more where its first thread has ended.
  int pagemap = ::open("/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) {
    facilities_.reason = reason_of("opening /proc/self/pagemap", errno);
    return false;
  }
  pagemap_.reset(pagemap);
  const long userfault = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | user_mode_only);
  if (userfault < 0) {
    facilities_.reason = reason_of("userfaultfd", errno);
    return false;
  }
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = feature_wp_async | feature_wp_unpopulated | feature_wp_hugetlbfs_shmem;
  const int agreed = ioctl(static_cast<int>(userfault), UFFDIO_API, &api);
  const int error = errno;
  userfault_.reset(static_cast<int>(userfault));
  if (agreed != 0) {
    facilities_.reason = reason_of("asynchronous write-protect (Linux 6.7 or later)", error);
    userfault_.reset(-1);
    return false;
  }
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void Kernel::test() noexcept try {
  facilities_.alias = test_alias();
  facilities_.pagemap = test_private();
  if (!facilities_.alias)
    facilities_.reason = "a write to a memfd mapped twice was not found by asynchronous write-protect";
  else if (!facilities_.pagemap)
    facilities_.reason = "a write to private memory was not found by asynchronous write-protect";
} catch (const std::bad_alloc&) {
}

bool Kernel::test_alias() noexcept {
  constexpr std::size_t pages = 8;
  const int file = memfd_create("rondo-test", MFD_CLOEXEC);
  if (file < 0) return false;
  const bool sized = ftruncate(file, pages * page_bytes) == 0;
  const TestMapping device(pages * page_bytes, MAP_SHARED, file);
  const TestMapping program(pages * page_bytes, MAP_SHARED, file);
  close(file);
  if (!sized || !device.ok() || !program.ok()) return false;
  if (!watch(program.at(0), pages * page_bytes) || !arm(program.at(0), pages * page_bytes)) return false;
  touch(program.at(5));
  if (!shows(program.at(0), pages, 5)) return false;
  touch(device.at(2));
  touch(device.at(5));
  return shows(program.at(0), pages, pages);
}

bool Kernel::test_private() noexcept {
  constexpr std::size_t pages = 8;
  const TestMapping memory(pages * page_bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (!memory.ok()) return false;
  touch(memory.at(1));
  if (!watch(memory.at(0), pages * page_bytes) || !arm(memory.at(0), pages * page_bytes)) return false;
  touch(memory.at(5));
  return shows(memory.at(0), pages, 5);
}

// Whether a scan gives exactly `expected_page`, or nothing if it is `pages`.
bool Kernel::shows(std::byte* start, std::size_t pages, std::size_t expected_page) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(start);
  std::size_t wrong = 0;
  std::size_t right = 0;
  const bool done = scan(begin, begin + pages * page_bytes, Rearm::yes, [&](std::uintptr_t from, std::uintptr_t to) {
    for (; from < to; from += page_bytes) ++(from == begin + expected_page * page_bytes ? right : wrong);
  });
  return done && wrong == 0 && right == (expected_page < pages ? 1u : 0u);
}

void write_unchanged(std::byte* at) noexcept {
  // Atomic: the device may be writing the same byte through the other mapping. Not
  // fetch-or with 0, which Clang turns into a mere load.
  auto* const byte = reinterpret_cast<volatile unsigned char*>(at);
  unsigned char value = *byte;
  while (!__atomic_compare_exchange_n(byte, &value, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

namespace {
constexpr std::size_t kAnother = 0;  // an old size with which mremap maps shared pages once more
}

void* map_once_more(std::byte* start, std::size_t bytes) noexcept {
  return mremap(start, kAnother, bytes, MREMAP_MAYMOVE);
}

bool map_once_more(std::byte* start, std::size_t bytes, std::byte* to) noexcept {
  return mremap(start, kAnother, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to;
}

int advise(const void* start, std::size_t bytes, int advice) noexcept {
  return static_cast<int>(syscall(SYS_madvise, start, bytes, advice));
}

bool Kernel::proves(std::byte* page) noexcept {
  write_unchanged(page);
  return shows(page, 1, 0);
}

bool Kernel::watch(const void* start, std::size_t bytes) noexcept {
  if (by_touch_) return true;
  if (!userfault_.valid()) return false;
  uffdio_register request{};
  request.range.start = reinterpret_cast<std::uintptr_t>(start);
  request.range.len = bytes;
  request.mode = UFFDIO_REGISTER_MODE_WP;
  return ioctl(userfault_.get(), UFFDIO_REGISTER, &request) == 0;
}

void Kernel::unwatch(const void* start, std::size_t bytes) noexcept {
  if (!userfault_.valid()) return;
  uffdio_range request{};
  request.start = reinterpret_cast<std::uintptr_t>(start);
  request.len = bytes;
  ioctl(userfault_.get(), UFFDIO_UNREGISTER, &request);
}

bool Kernel::arm(const void* start, std::size_t bytes) noexcept {
  if (by_touch_) return advise(start, bytes, MADV_DONTNEED) == 0;
  if (!userfault_.valid()) return false;
  uffdio_writeprotect request{};
  request.range.start = reinterpret_cast<std::uintptr_t>(start);
  request.range.len = bytes;
  request.mode = UFFDIO_WRITEPROTECT_MODE_WP;
  for (int attempt = 0; attempt < 8; ++attempt) {
    if (ioctl(userfault_.get(), UFFDIO_WRITEPROTECT, &request) == 0) return true;
    if (errno != EAGAIN) return false;  // EAGAIN: mappings are changing on another thread
  }
  return false;
}

// PAGEMAP_SCAN passes over holes in silence, and the marks of pages that the
// program moved away (mremap) went with them. MS_ASYNC does nothing else than
// look. Not by msync(3): a thread may be cancelled there. A filter that forbids
// it says another error.
bool Kernel::mapped(const void* start, std::size_t bytes) noexcept {
  return bytes == 0 || syscall(SYS_msync, start, bytes, MS_ASYNC) == 0 || errno != ENOMEM;
}

long Kernel::next_touched(std::uintptr_t& begin, std::uintptr_t end, Rearm rearm) noexcept {
  constexpr std::size_t most_pages = 4096, at_once = 512;
  constexpr std::uint64_t there = std::uint64_t{3} << 62;  // in memory, or in swap
  const std::size_t pages = std::min<std::size_t>(most_pages, (end - begin) / page_bytes);
  const std::size_t bytes = pages * page_bytes;
  std::uintptr_t entries_of = begin;
  if (rearm == Rearm::yes) {
    // Not by mremap(3), which passes on an address that nobody gave it.
    const long moved = syscall(SYS_mremap, begin, bytes, bytes, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0);
    if (moved == -1) return -1;
    entries_of = static_cast<std::uintptr_t>(moved);
  }
  long count = 0;
  bool read = true;
  std::array<std::uint64_t, at_once> entries;
  for (std::size_t page = 0; page < pages && read; page += at_once) {
    const std::size_t wanted = std::min(at_once, pages - page) * sizeof entries[0];
    const auto at = static_cast<off_t>((entries_of / page_bytes + page) * sizeof entries[0]);
    read = pread(pagemap_.get(), entries.data(), wanted, at) == static_cast<ssize_t>(wanted);
    for (std::size_t i = 0; read && i < wanted / sizeof entries[0]; ++i) {
      if ((entries[i] & there) == 0) continue;
      const std::uint64_t start = begin + (page + i) * page_bytes;
      // Of very many the last one has those between, too.
      const bool joins = count != 0 && (regions_[static_cast<std::size_t>(count) - 1].end == start ||
                                        static_cast<std::size_t>(count) == regions_.size());
      if (!joins) regions_[static_cast<std::size_t>(count++)] = {start, start, 0};
      regions_[static_cast<std::size_t>(count) - 1].end = start + page_bytes;
    }
  }
  if (rearm == Rearm::yes) munmap(reinterpret_cast<void*>(entries_of), bytes);
  if (!read) return -1;
  begin += bytes;
  return count;
}

long Kernel::next_regions(std::uintptr_t& begin, std::uintptr_t end, Rearm rearm) noexcept {
  if (by_touch_) return next_touched(begin, end, rearm);
  ScanArguments request{};
  request.size = sizeof request;
  request.flags = scan_check_wpasync | (rearm == Rearm::yes ? scan_wp_matching : 0);
  request.start = begin;
  request.end = end;
  request.vec = reinterpret_cast<std::uintptr_t>(regions_.data());
  request.vec_len = regions_.size();
  request.category_mask = page_is_written;
  request.return_mask = page_is_written;
  const int count = ioctl(pagemap_.get(), pagemap_scan, &request);
  if (count < 0 || request.walk_end <= begin) return -1;
  begin = static_cast<std::uintptr_t>(request.walk_end);
  return count;
}

bool Kernel::reopen() noexcept {
  if (pagemap_.valid() && (userfault_.valid() || by_touch_)) return false;
  if (reopened_ == reopen_limit) return false;
  ++reopened_;
  return open_descriptors() || (by_touch_ && pagemap_.valid());
}

}  // namespace rondo::memory
