// SPDX-License-Identifier: Apache-2.0
// Finds what the program wrote to mapped memory. Makes no Vulkan call: the
// layer allocates, imports, maps and records; this says which bytes changed.
//
// Threads: nothing here locks. Every call on a Tracker and on what it made is
// made inside the layer's one critical section (design, section 6), creation
// and destruction included. The program's threads and the device write the
// memory meanwhile: that is expected, and no write of theirs is lost.
//
// Failure: no exceptions leave, nothing is printed. A null pointer is a normal
// answer. Any error of the kernel's makes everything dirty: slower, not wrong.
//
// In a forked child every call does nothing and finds nothing.
//
// What a program gets to write to is Tracked::program_side(): the driver's
// mapping, another mapping of the same memory, or a shadow of it.
//
//   submit:    for (Tracked* t : tracker.scan())
//                record(t->user, t->changes(active));   // coherent memory
//   flush:     record(m, t->collect(offset, size, active));  // coherent memory: Contested::keep
//   unmap:     record(m, t->collect(0, whole, active));      // AliasMemory: Contested::keep
//   free:      as unmap where still mapped; driver's free; then destroy the Tracked,
//              then the AliasMemory. On a driver's own pointer, and on pages that an
//              AliasMemory covers, the Tracked goes before the driver's free or unmap.
//   wait done: t->refresh(0, whole, Refresh::finished or ::known), or ::everything for checkpoints
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "layer/memory/facilities.h"
#include "layer/memory/fork_copies.h"
#include "layer/memory/page_set.h"

namespace rondo::memory {

class AliasMemory;
class Tracked;
class Space;

inline constexpr std::uint64_t whole = ~std::uint64_t{0};  // to the end, as VK_WHOLE_SIZE

// Bytes that changed. Changes closer than 25 bytes are one range, so a range may hold
// unchanged bytes between changed ones; its first and last byte changed. On pages that
// a device writes, too, with work in flight (Device::active), every byte of it changed.
struct Range {
  std::uint64_t offset = 0;          // from the start of the tracked memory
  std::uint64_t size = 0;            // bytes, never zero
  const std::byte* bytes = nullptr;  // a stable copy, until the next call on this Tracked
  bool ambiguous = false;            // a device write may have been taken for a host write, or the other way
};

// What the memory holds when tracking begins.
enum class Initial {
  zeros,    // known to be zeros, in the replay too (a fresh AliasMemory; memory the layer zeroed)
  current,  // what is there now: its writes were recorded before, or are the device's
  unknown,  // nobody knows: the first change to a page reports all of the page
};

// Device work that may write this memory, since its last refresh().
enum class Device {
  idle,     // none was submitted
  active,   // some was: differences on pages that the host wrote may be the device's
  settled,  // some was, and all of it is finished
};

// What becomes of pages that the host wrote and that, with Device::active, the
// device is known to have written, too, or may have. Only of memory with watch_device().
enum class Contested {
  record,  // they are given as host writes, ambiguous
  keep,    // they stay for the next changes(), and kept_contested() says so
};

enum class Refresh {
  known,       // only pages that the host has written so far: cheap, and what base needs
  finished,    // the same, and all device work is finished
  everything,  // every page that exists: what readback checkpoints need
};

// One a process, created before the program can close descriptors.
class Tracker {
 public:
  // `choice`: the value of RONDO_MEMORY, or null for auto. `must_tell`: the host's writes have to be
  // told from the device's, also where that takes touched pages (Kernel::by_touch). Null when
  // out of memory.
  static std::unique_ptr<Tracker> create(const char* choice, bool must_tell = false) noexcept;
  ~Tracker();

  // What memory gets at best, after the choice.
  Mechanism mechanism() const noexcept { return mechanism_; }
  // One sentence for the log where the choice or the best mechanism could not be had; else empty.
  const std::string& message() const noexcept { return message_; }

  // Whether allocate() can work, at places that are the same in every process.
  bool can_place() const noexcept { return space_ != nullptr; }
  // … and is meant for all memory: the choice asks for it.
  bool can_allocate() const noexcept { return places_all_ && space_ != nullptr; }

  // Memory for one device allocation, zeros, both mappings made. `granule` is
  // minImportedHostPointerAlignment: the size is rounded up to it and the address
  // is a multiple of it (of 64 KiB at least). The same sequence of calls gives the
  // same addresses in every process. Null: allocate plainly.
  std::unique_ptr<AliasMemory> allocate(std::uint64_t size, std::uint64_t granule) noexcept;
  // Where address space is short: none is held for later allocations.
  void hold_no_more() noexcept;

  // Begins tracking at the first map. `memory` outlives what is returned. One
  // Tracked for one AliasMemory, kept until the memory is freed.
  std::unique_ptr<Tracked> track(AliasMemory& memory, Initial initial) noexcept;
  // A driver's own mapping, which stays mapped as long as what is returned.
  // `cached`: the host reads it at full speed (VK_MEMORY_PROPERTY_HOST_CACHED_BIT).
  // Other memory may get a shadow: where that was asked for, or where writes to
  // it could not be found otherwise (a GPU's own memory).
  std::unique_ptr<Tracked> track(void* mapped, std::uint64_t size, Initial initial, bool cached = true) noexcept;
  // The program's own pages, which a device was given (own_pages.h). All that they hold
  // is given by the first changes(), but for zeros: a replay begins with zeros. What
  // cannot be read is left out for as long as that is so. `may_protect`: no hardware uses
  // them, so writes may be found by asynchronous write-protect, where the pages are of a
  // kind that nobody can write unseen. Else everything is compared.
  std::unique_ptr<Tracked> track_own_pages(void* pages, std::uint64_t size, bool may_protect) noexcept;

  // Looks once at everything tracked, re-arming, and returns what may have
  // changes(). Valid until the next call on this tracker. One system call for
  // all AliasMemory together.
  // Between::yes: not before a call of the program's: pages that it writes "at every scan" are counted over
  // the others.
  enum class Between { no, yes };
  std::span<Tracked* const> scan(Between between = Between::no) noexcept;

  // Around fork, in one critical section: a child gets copies of what is private_ (fork_copies.h).
  void before_fork() noexcept;
  void after_fork(bool is_child) noexcept;
  // Bytes of it that the last child shares with this process.
  std::uint64_t left_shared() const noexcept { return left_shared_; }

  // Whether these pages of the program's side are private_.
  bool is_private(const std::byte* start, std::size_t bytes) const noexcept {
    return private_with(start, bytes) != nullptr;
  }
  // The program gives such pages back to the kernel (MADV_DONTNEED): they are zeros from now on, for the device, too.
  bool give_back(std::byte* start, std::size_t bytes) noexcept;

 private:
  friend class Tracked;
  friend class AliasMemory;
  Tracker() = default;
  void choose(std::string choice);
  std::unique_ptr<Tracked> track(const std::byte* contents, std::byte* watched, std::uint64_t size, Initial initial,
                                 bool aliased, Mechanism wanted, bool own = false) noexcept;
  Mechanism best_for(bool aliased) const noexcept;
  // Of two that rearm the same pages each would miss what the other found.
  bool has_pages_of(const std::byte* start, std::uint64_t size) const noexcept;
  std::unique_ptr<Tracked> track_shadow(std::byte* mapped, std::uint64_t size, Initial initial) noexcept;
  AliasMemory* private_with(const std::byte* start, std::size_t bytes) const noexcept;
  bool scan_arena() noexcept;
  void list_skipped() noexcept;
  void forget(Tracked* tracked) noexcept;

  std::unique_ptr<Kernel> kernel_;
  std::unique_ptr<Space> space_;
  bool places_all_ = false;
  bool may_shadow_ = false;  // where writes cannot be found otherwise
  Mechanism mechanism_ = Mechanism::scan;
  std::string message_;
  std::vector<Tracked*> aliased_;  // ascending addresses
  std::vector<Tracked*> foreign_;
  std::vector<AliasMemory*> private_;  // stands for private pages of a driver; ascending places
  ForkCopies fork_copies_;
  std::uint64_t left_shared_ = 0;
  std::vector<Tracked*> found_;
  struct Skip {  // of aliased memory: no scan looks there
    std::uintptr_t begin, end;
    bool rests;  // else it is hot
  };
  std::vector<Skip> skipped_;   // ascending
  bool skips_changed_ = false;  // since skipped_ was made
  bool between_ = false;        // the last scan was: Between::yes
  bool arena_whole_ = true;     // false once a mapping in the arena cannot be scanned with the others

  // refresh() works in pieces of this many pages, copied aside until it is known
  // that the host did not write them meanwhile.
  static constexpr std::size_t staging_pages = 64;
  std::vector<std::byte> staging_;
  PageSet staged_{staging_pages};    // those of them that changed
  PageSet compared_{staging_pages};  // … that were read at all
};

// A memfd mapped twice. Unmapped when destroyed; the place is used again.
class AliasMemory {
 public:
  ~AliasMemory();
  AliasMemory(const AliasMemory&) = delete;
  AliasMemory& operator=(const AliasMemory&) = delete;

  // Where memory cannot be imported: `pages`, size() bytes which a driver in this process has
  // allocated and mapped and which nobody uses yet, become mapping A, and hold zeros. Private pages
  // are replaced by the memfd's; of a shared mapping mapping B is made another one. False: the
  // pages are the driver's alone, and this is of no use any more.
  bool cover(std::byte* pages) noexcept;
  // Gives the driver private pages again. Before it frees them, and after what tracks them is destroyed.
  void uncover() noexcept;
  // To be called where the driver would have used private pages of the process. A child of fork then gets a copy of
  // this memory (fork_copies.h), and madvise() of the program can give its pages back.
  void stands_for_private() noexcept;
  bool covers() const noexcept { return reinterpret_cast<std::uintptr_t>(device_side_) != place_; }

  std::uintptr_t place() const noexcept { return place_; }
  std::byte* device_side() const noexcept { return device_side_; }    // mapping A: import this
  std::byte* program_side() const noexcept { return program_side_; }  // mapping B: the program gets this
  std::uint64_t size() const noexcept { return size_; }               // rounded up: import this size

 private:
  friend class Tracker;
  friend class Tracked;
  AliasMemory() = default;

  Tracker* tracker_ = nullptr;
  std::uintptr_t place_ = 0;  // in the reserved range
  std::byte* device_side_ = nullptr;
  std::byte* program_side_ = nullptr;
  // where the tracker reads, if its reads may not count as the device's touches
  std::byte* reader_ = nullptr;
  std::uint64_t size_ = 0;
  bool replaced_ = false;  // the driver's pages, by the memfd's
};

// Tracked memory and its last known contents ("base"), which cost memory only
// for pages that were written.
class Tracked {
 public:
  ~Tracked();
  Tracked(const Tracked&) = delete;
  Tracked& operator=(const Tracked&) = delete;

  void* user = nullptr;  // the layer's own

  Mechanism mechanism() const noexcept;
  std::uint64_t size() const noexcept { return size_; }
  // Where the program writes: from the start of the tracked memory.
  std::byte* program_side() const noexcept;
  // Where its bytes are read: of AliasMemory, what the program cannot unmap or replace.
  const std::byte* contents() const noexcept;
  // What the program writes is the device's only after changes() or collect(),
  // and the device's is the program's only after refresh(): both have to go on
  // for as long as this exists.
  bool is_shadow() const noexcept { return mechanism() == Mechanism::shadow; }
  // Whether a device's writes can be told from the host's, page by page.
  bool tells_devices_apart() const noexcept;
  // … also while device work is in flight: watch_device() works.
  bool watches_device() const noexcept;

  // Whether pages that the program writes all the time may be left unprotected and
  // compared at every scan: faster, but a device's writes there look like the host's.
  void adapt(bool may) noexcept;

  // From here on everything is compared: it is written by ways that cannot be watched.
  void compare_all() noexcept;
  // Whether something that scans have found is not what base has: changes() of all has something to give.
  bool anything_differs() noexcept;

  // The program cannot write it (it is not mapped), or can again. At rest, scans may
  // leave it out; what was written before and not given yet is given afterwards.
  void rest(bool rests) noexcept;

  // Looks at this memory alone, then as changes(). For flush (its range) and unmap.
  std::span<const Range> collect(std::uint64_t offset, std::uint64_t size, Device device,
                                 Contested contested = Contested::record) noexcept;
  // The device is a software driver in this process: its writes to AliasMemory may
  // be found by write-protecting mapping A, so that refresh() compares only them, and
  // host writes beside them are told. Before the program has the memory; `untouched`:
  // before a device may have written it, too.
  void watch_device(bool untouched) noexcept;

  // The changes that scans have found so far, in ascending order: to be recorded
  // as host writes now. They become the last known contents.
  // With Device::settled, pages that the device wrote, too, are given whole where
  // that is known: the capture and its replay then have the same bytes there. Where
  // it is not, a byte that the host set back to what base has is not given.
  std::span<const Range> changes(Device device, Contested contested = Contested::record) noexcept {
    return changes(0, whole, device, contested);
  }
  std::span<const Range> changes(std::uint64_t offset, std::uint64_t size, Device device,
                                 Contested contested = Contested::record) noexcept;
  bool kept_contested() const noexcept;  // by the last changes()

  // Whether changes() notes pages that were written and are as they were: a write that
  // was undone. Who reads the memory meanwhile may have seen it.
  void note_undone(bool may) noexcept;
  // Those of the last changes(), by their place from the start of the memory.
  void each_undone(const std::function<void(std::uint64_t from, std::uint64_t to)>& visit) const;

  // After a wait, acquire or invalidate: what changed without a host write.
  // Works on whole pages; only for memory that device work may write. Unambiguous
  // ranges are the device's and become the last known contents. Ambiguous ones lie
  // where the host wrote too, or where the mechanism cannot tell: they have no
  // `bytes`, are not verifiable, and the next changes() gives them as host writes,
  // so that none is lost. Only Refresh::everything lists them. After
  // Refresh::finished they are given whole: a byte that the host has set back to
  // what base has may be another one in the replay, where the device wrote it.
  std::span<const Range> refresh(std::uint64_t offset, std::uint64_t size, Refresh pages) noexcept;

 private:
  friend class Tracker;
  struct State;
  Tracked() = default;

  std::unique_ptr<State> state_;
  Mechanism mechanism_ = Mechanism::scan;
  std::uint64_t size_ = 0;
};

}  // namespace rondo::memory
