// SPDX-License-Identifier: Apache-2.0
#include "player/shared_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "player/imports.h"
#include "player/run.h"

namespace rondo::player {

namespace {

bool at_one_time(const Object& a, const Object& b) {
  return (a.destroyed == 0 || b.created < a.destroyed) && (b.destroyed == 0 || a.created < b.destroyed);
}

}  // namespace

void find_shared_pages(Plan& plan) {
  std::vector<std::uint32_t> imports;  // indexes into Plan::memories, by ascending address
  for (std::uint32_t m = 0; m < plan.memories.size(); ++m) {
    const CapturedMemory& memory = plan.memories[m];
    if (memory.imported != 0 && memory.bytes <= UINT64_MAX - memory.imported) imports.push_back(m);
  }
  const auto begin_of = [&](std::uint32_t m) { return plan.memories[m].imported; };
  const auto end_of = [&](std::uint32_t m) { return plan.memories[m].imported + plan.memories[m].bytes; };
  const auto object_of = [&](std::uint32_t m) -> const Object& {
    return plan.objects.objects()[plan.memories[m].id];
  };
  std::sort(imports.begin(), imports.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(begin_of(a), a) < std::pair(begin_of(b), b);
  });
  for (std::size_t i = 0; i < imports.size(); ++i) {
    CapturedMemory& first = plan.memories[imports[i]];
    for (std::size_t j = i + 1; j < imports.size() && begin_of(imports[j]) < end_of(imports[i]); ++j) {
      CapturedMemory& other = plan.memories[imports[j]];
      if (first.device != other.device || !at_one_time(object_of(imports[i]), object_of(imports[j])))
        continue;
      std::uint32_t group = std::min(first.pages, other.pages);
      if (group == kNone) {
        group = static_cast<std::uint32_t>(plan.shared_pages.size());
        plan.shared_pages.push_back({begin_of(imports[i]), end_of(imports[i])});
      }
      // Two groups that meet are one.
      if (const std::uint32_t gone = std::max(first.pages, other.pages); gone != kNone && gone != group) {
        CapturedPages& all = plan.shared_pages[group];
        all.begin = std::min(all.begin, plan.shared_pages[gone].begin);
        all.end = std::max(all.end, plan.shared_pages[gone].end);
        for (const std::uint32_t m : imports)
          if (plan.memories[m].pages == gone) plan.memories[m].pages = group;
      }
      first.pages = other.pages = group;
      CapturedPages& pages = plan.shared_pages[group];
      pages.begin = std::min(pages.begin, begin_of(imports[i]));
      pages.end = std::max({pages.end, end_of(imports[i]), end_of(imports[j])});
    }
  }
}

std::shared_ptr<SharedPages> SharedPages::map(std::uint64_t bytes, std::uint64_t alignment) {
  if (bytes > UINT64_MAX / 2 || alignment > UINT64_MAX / 2) return nullptr;
  std::shared_ptr<SharedPages> made(new SharedPages());
  void* const room = mmap(nullptr, bytes + alignment, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  made->room_ = room;
  made->room_bytes_ = bytes + alignment;
  const auto begin = reinterpret_cast<std::uintptr_t>(room);
  made->pages_ = static_cast<std::byte*>(room) + (alignment - begin % alignment) % alignment;
  made->bytes_ = bytes;
  return made;
}

SharedPages::~SharedPages() {
  if (room_ != nullptr) munmap(room_, room_bytes_);
}

void SharedPages::use(std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t end = offset + bytes;
  std::uint64_t at = offset;
  const auto forget = [&](std::uint64_t to) {
    if (at < to) madvise(pages_ + at, to - at, MADV_DONTNEED);
  };
  for (const User& user : users_) {
    forget(std::min(user.begin, end));
    at = std::max(at, user.end);
  }
  forget(end);
  const auto place =
      std::find_if(users_.begin(), users_.end(), [&](const User& u) { return u.begin > offset; });
  users_.insert(place, {offset, end});
}

void SharedPages::let_go(std::uint64_t offset, std::uint64_t bytes) {
  users_.erase(std::find(users_.begin(), users_.end(), User{offset, offset + bytes}));
}

PagesInUse::PagesInUse(std::shared_ptr<SharedPages> pages, std::uint64_t offset, std::uint64_t bytes)
    : pages_(std::move(pages)), offset_(offset), bytes_(bytes) {
  pages_->use(offset, bytes);
}

PagesInUse& PagesInUse::operator=(PagesInUse&& other) noexcept {
  if (this == &other) return *this;
  release();
  pages_ = std::exchange(other.pages_, nullptr);
  offset_ = other.offset_;
  bytes_ = other.bytes_;
  return *this;
}

void PagesInUse::release() {
  if (pages_ != nullptr) pages_->let_go(offset_, bytes_);
  pages_ = nullptr;
}

void PagesInUse::leave() {
  if (pages_ != nullptr) static_cast<void>(new std::shared_ptr<SharedPages>(std::move(pages_)));
}

Result<void> SharedImport::apply(Run& run, const Op& op, VkMemoryAllocateInfo& info, PagesInUse& pages) {
  const CapturedMemory& captured = run.plan().memories[run.plan().place_of(op.subject)];
  if (captured.pages == kNone || captured.place != 0) return {};
  const CapturedPages& all = run.plan().shared_pages[captured.pages];
  const DeviceState& device = run.device(op);
  const VkDeviceSize granule = std::max<VkDeviceSize>(run.targets()[device.index].import_alignment, 4096);
  const std::uint64_t offset = captured.imported - all.begin;
  if (offset % granule != 0 || info.allocationSize % granule != 0)
    return tl::unexpected<Error>(run.refuse(op, Status::device,
                                            "shares its pages with another import, and the device imports "
                                            "multiples of " +
                                                std::to_string(granule) + " bytes only"));
  std::weak_ptr<SharedPages>& known = run.shared_pages(captured.pages);
  std::shared_ptr<SharedPages> here = known.lock();
  if (here == nullptr)
    known = here = SharedPages::map((all.end - all.begin + granule - 1) / granule * granule, granule);
  if (here == nullptr || offset + info.allocationSize > here->bytes())
    return tl::unexpected<Error>(
        run.refuse(op, Status::failed, "there is no room for the pages that it shares"));
  RONDO_TRY(check_importable(run, op, here->at(offset), info.memoryTypeIndex));
  import_.pHostPointer = here->at(offset);
  import_.pNext = info.pNext;
  info.pNext = &import_;
  pages = PagesInUse(std::move(here), offset, info.allocationSize);
  return {};
}

}  // namespace rondo::player
