// SPDX-License-Identifier: Apache-2.0
#include "player/plan/shared_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <unordered_map>
#include <utility>

#include "player/run/imports.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

// Which imports are to lie together: sets of them that grow into one another.
class Groups {
 public:
  explicit Groups(std::size_t n) : up_(n) { std::iota(up_.begin(), up_.end(), 0u); }
  std::uint32_t of(std::uint32_t one) {
    while (up_[one] != one) one = up_[one] = up_[up_[one]];
    return one;
  }
  void join(std::uint32_t a, std::uint32_t b) { up_[std::max(of(a), of(b))] = std::min(of(a), of(b)); }

 private:
  std::vector<std::uint32_t> up_;
};

}  // namespace

ImportGroups group(std::span<const CapturedImport> imports) {
  std::vector<std::uint32_t> order(imports.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return imports[a].created < imports[b].created; });

  Groups groups(imports.size());
  std::vector<bool> shares(imports.size());
  using Alive = std::multimap<std::uint64_t, std::uint32_t>;  // by where they begin
  Alive alive;
  std::vector<Alive::iterator> places(imports.size());
  using End = std::pair<std::uint64_t, std::uint32_t>;  // when, and which
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  std::uint64_t longest = 0;
  for (const std::uint32_t i : order) {
    const CapturedImport& one = imports[i];
    for (; !ends.empty() && ends.top().first <= one.created; ends.pop()) alive.erase(places[ends.top().second]);
    for (auto at = alive.lower_bound(one.begin - std::min(one.begin, longest));
         at != alive.end() && at->first < one.end; ++at) {
      const CapturedImport& other = imports[at->second];
      if (other.end <= one.begin || other.device != one.device) continue;
      groups.join(i, at->second);
      shares[i] = shares[at->second] = true;
    }
    places[i] = alive.emplace(one.begin, i);
    if (one.destroyed != 0) ends.emplace(one.destroyed, i);
    longest = std::max(longest, one.end - one.begin);
  }

  ImportGroups found;
  found.of.assign(imports.size(), ImportGroups::alone);
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;  // of a set of Groups: index into `pages`
  for (std::uint32_t i = 0; i < imports.size(); ++i) {
    if (!shares[i]) continue;
    const auto [known, is_new] = numbers.try_emplace(groups.of(i), static_cast<std::uint32_t>(found.pages.size()));
    if (is_new) found.pages.push_back({imports[i].begin, imports[i].end});
    found.of[i] = known->second;
    ImportGroups::Pages& pages = found.pages[known->second];
    pages.begin = std::min(pages.begin, imports[i].begin);
    pages.end = std::max(pages.end, imports[i].end);
  }
  return found;
}

void find_shared_pages(Plan& plan) {
  std::vector<std::uint32_t> memories;  // indexes into Plan::memories
  std::vector<CapturedImport> imports;  // parallel
  for (std::uint32_t m = 0; m < plan.memories.size(); ++m) {
    const CapturedMemory& memory = plan.memories[m];
    if (memory.imported == 0 || memory.bytes > UINT64_MAX - memory.imported) continue;
    const Object& object = plan.objects.objects()[memory.id];
    memories.push_back(m);
    imports.push_back(
        {memory.device, memory.imported, memory.imported + memory.bytes, object.created, object.destroyed});
  }
  const ImportGroups groups = group(imports);
  for (const ImportGroups::Pages& pages : groups.pages) plan.shared_pages.push_back({pages.begin, pages.end});
  for (std::size_t i = 0; i < imports.size(); ++i)
    if (groups.of[i] != ImportGroups::alone) plan.memories[memories[i]].pages = groups.of[i];
}

std::shared_ptr<SharedPages> SharedPages::map(std::uint64_t bytes, std::uint64_t alignment) {
  if (bytes > UINT64_MAX / 2 || alignment > UINT64_MAX / 2) return nullptr;
  std::shared_ptr<SharedPages> made(new SharedPages());
  void* const room =
      mmap(nullptr, bytes + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
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
  const auto place = std::find_if(users_.begin(), users_.end(), [&](const User& u) { return u.begin > offset; });
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
    return tl::unexpected<Error>(run.refuse(op, Status::failed, "there is no room for the pages that it shares"));
  RONDO_TRY(check_importable(run, op, here->at(offset), info.memoryTypeIndex));
  import_.pHostPointer = here->at(offset);
  import_.pNext = info.pNext;
  info.pNext = &import_;
  pages = PagesInUse(std::move(here), offset, info.allocationSize);
  return {};
}

}  // namespace rondo::player
