// SPDX-License-Identifier: Apache-2.0
// Pages that the captured program had imported several times at once: what a device writes
// through one import it reads through the others. Such memory is imported here, too, from pages
// of the player's own, which lie as the captured ones did to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "format/result.h"
#include "format/vulkan.h"

namespace rondo::player {

struct Op;
struct Plan;
class Run;

// An import of the captured program: addresses, and the records that made and ended it (0: none did).
struct CapturedImport {
  std::uint32_t device = 0;
  std::uint64_t begin = 0, end = 0;
  std::uint64_t created = 0, destroyed = 0;
};

// Of those that shared pages at one time, directly or through others: the pages of all of them.
struct ImportGroups {
  static constexpr std::uint32_t alone = UINT32_MAX;
  struct Pages {
    std::uint64_t begin = 0, end = 0;
  };
  std::vector<Pages> pages;
  std::vector<std::uint32_t> of;  // index into `pages` or alone, for each import
};
ImportGroups group(std::span<const CapturedImport> imports);

// Fills Plan::shared_pages, and the places of memory there.
void find_shared_pages(Plan& plan);

// Pages of one kind, for as long as one import of them is alive. One thread at a time.
class SharedPages {
 public:
  // Null: there is no room. Both are multiples of 4096.
  static std::shared_ptr<SharedPages> map(std::uint64_t bytes, std::uint64_t alignment);
  ~SharedPages();
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;

  std::byte* at(std::uint64_t offset) const { return pages_ + offset; }
  std::uint64_t bytes() const { return bytes_; }
  // What nobody else uses is zeros afterwards.
  void use(std::uint64_t offset, std::uint64_t bytes);
  void let_go(std::uint64_t offset, std::uint64_t bytes);

 private:
  struct User {
    std::uint64_t begin, end;
    friend bool operator==(const User&, const User&) = default;
  };
  SharedPages() = default;
  void* room_ = nullptr;
  std::uint64_t room_bytes_ = 0;
  std::byte* pages_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::vector<User> users_;  // by ascending begin
};

// An import's use of them, until it is destroyed. Move-only.
class PagesInUse {
 public:
  PagesInUse() = default;
  PagesInUse(std::shared_ptr<SharedPages> pages, std::uint64_t offset, std::uint64_t bytes);
  PagesInUse(PagesInUse&& other) noexcept { *this = static_cast<PagesInUse&&>(other); }
  PagesInUse& operator=(PagesInUse&& other) noexcept;
  ~PagesInUse() { release(); }

  // They stay for as long as the process lives: a driver still works on them.
  void leave();
  explicit operator bool() const { return pages_ != nullptr; }

 private:
  void release();
  std::shared_ptr<SharedPages> pages_;
  std::uint64_t offset_ = 0, bytes_ = 0;
};

// What is added to such an allocation; the object lives until the call is over.
class SharedImport {
 public:
  // `info`: in the run's scratch, its memory type chosen.
  Result<void> apply(Run& run, const Op& op, VkMemoryAllocateInfo& info, PagesInUse& pages);

 private:
  VkImportMemoryHostPointerInfoEXT import_{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
                                           VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, nullptr};
};

}  // namespace rondo::player
