// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/fork_copies.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "layer/memory/existing_pages.h"
#include "layer/memory/mappings.h"
#include "layer/memory/memfd.h"
#include "layer/memory/space.h"
#include "layer/memory/tracker.h"

namespace rondo::memory {

struct ForkCopies::Part {
  std::uint64_t device = 0, inode = 0;  // of the memory's file; 0: not known
  std::uint64_t begin = 0;              // of the memory in it: in a child it is the file of copies
  std::size_t bytes = 0;                // that its place has
  std::size_t at = 0;                   // in the file of copies
  bool copied = false;

  auto key() const { return std::tie(device, inode, begin); }
};

struct ForkCopies::View {
  std::uintptr_t from;
  std::size_t bytes;
  int rights;
  std::size_t at;  // in the file of copies
};

// Mapped for the time of a fork; only what is used takes memory.
struct ForkCopies::Room {
  static constexpr std::size_t most = 65536;  // a process has no more mappings
  Part parts[most];
  View views[most];
};

namespace {

// False where a write gives less than all.
bool write_all(int file, const std::byte* bytes, std::size_t count, std::size_t at) noexcept {
  while (count != 0) {
    const ssize_t written = pwrite(file, bytes, count, static_cast<off_t>(at));
    if (written <= 0) return false;
    bytes += written;
    at += static_cast<std::size_t>(written);
    count -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

void ForkCopies::make(std::span<const AliasMemory* const> memories, std::size_t most) noexcept {
  drop();
  if (memories.empty()) return;
  std::size_t total = 0;
  for (const AliasMemory* memory : memories) total += room_of(memory->size());
  left_shared_ = total;
  void* const room =
      mmap(nullptr, sizeof(Room), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return;
  room_ = static_cast<Room*>(room);
  if (memories.size() > Room::most || !affordable(total)) return;
  file_.reset(make_file(total));
  if (!file_.valid()) return;
  left_shared_ = 0;

  std::size_t at = 0;
  parts_ = memories.size();
  for (std::size_t i = 0; i < parts_; ++i) {
    room_->parts[i] = {.bytes = room_of(memories[i]->size()), .at = at};
    at += room_->parts[i].bytes;
  }
  std::size_t next = 0;
  Mappings mappings;
  for (Mapping one; next < parts_ && mappings.next(one);) {
    for (; next < parts_ && memories[next]->place() < one.to; ++next) {
      if (memories[next]->place() < one.from) continue;
      room_->parts[next].device = one.device;
      room_->parts[next].inode = one.inode;
      room_->parts[next].begin = one.offset + (memories[next]->place() - one.from);
    }
  }
  for (std::size_t i = 0; i < parts_; ++i) copy(*memories[i], room_->parts[i], most);
  find_views();
}

void ForkCopies::copy(const AliasMemory& memory, Part& part, std::size_t most) noexcept {
  const std::size_t pages = memory.size() / page_bytes;
  std::size_t existing = 0;
  existing_pages(memory.device_side(), 0, pages,
                 [&](std::size_t first, std::size_t last) { existing += (last - first) * page_bytes; });
  bool done = part.inode != 0 && existing <= most - copied_;
  std::size_t from = 0, to = 0;  // of a run of pages
  const auto write_run = [&] {
    done = done && write_all(file_.get(), memory.device_side() + from * page_bytes, (to - from) * page_bytes,
                             part.at + from * page_bytes);
  };
  if (done) {
    existing_pages(memory.device_side(), 0, pages, [&](std::size_t first, std::size_t last) {
      if (first != to) {
        write_run();
        from = first;
      }
      to = last;
    });
    write_run();
  }
  part.copied = done;
  if (done)
    copied_ += existing;
  else
    left_shared_ += existing;
}

// Wherever the process has mapped the memories' files: the program may have moved its mappings, or unmapped
// some.
void ForkCopies::find_views() noexcept {
  const auto by_key = [](const Part& a, const Part& b) { return a.key() < b.key(); };
  Part* const end = room_->parts + parts_;
  std::sort(room_->parts, end, by_key);
  const auto first_in = [&](const Mapping& mapping) {
    const Part wanted{.device = mapping.device, .inode = mapping.inode, .begin = mapping.offset};
    Part* const after = std::upper_bound(room_->parts, end, wanted, by_key);
    return after == room_->parts ? after : after - 1;  // the one before may go on here
  };
  Mappings mappings;
  for (Mapping one; views_ < Room::most && mappings.next(one);) {
    if (!one.shared || one.inode == 0) continue;
    // Of one file of copies the kernel may show several memories as one mapping.
    const Part behind{.device = one.device, .inode = one.inode, .begin = one.offset + (one.to - one.from)};
    for (Part* part = first_in(one); part != end && by_key(*part, behind) && views_ < Room::most; ++part) {
      const std::uint64_t from = std::max(part->begin, one.offset);
      const std::uint64_t to = std::min(part->begin + part->bytes, behind.begin);
      if (part->device != one.device || part->inode != one.inode || from >= to) continue;
      if (part->copied)
        room_->views[views_++] = {one.from + (from - one.offset), to - from, one.rights,
                                  part->at + (from - part->begin)};
    }
  }
}

void ForkCopies::use() noexcept {
  for (std::size_t i = 0; i < views_ && file_.valid(); ++i) {
    const View& view = room_->views[i];
    mmap(reinterpret_cast<void*>(view.from), view.bytes, view.rights, MAP_SHARED | MAP_FIXED, file_.get(),
         static_cast<off_t>(view.at));
  }
  drop();
}

void ForkCopies::drop() noexcept {
  file_.reset(-1);
  if (room_ != nullptr) munmap(room_, sizeof(Room));
  room_ = nullptr;
  parts_ = views_ = copied_ = 0;
  left_shared_ = 0;
}

}  // namespace rondo::memory
