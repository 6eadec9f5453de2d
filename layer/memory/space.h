// SPDX-License-Identifier: Apache-2.0
// Two halves of a range of addresses: device mappings in the lower one, the
// program's at the same distance in the upper one. The same sequence of takes
// and gives yields the same addresses in every process, which is what lets a
// replay on a software device use captured device addresses. Only as much of the
// halves as is in use, and a little more, is held: what is held counts against a limit of address
// space, and a program may lower that at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace rondo::memory {

class Kernel;

// Free in ordinary processes and under AddressSanitizer and ThreadSanitizer;
// the player reserves the same.
inline constexpr std::uintptr_t reserved_base = 0x7e8000000000;
inline constexpr std::size_t reserved_half = std::size_t{192} << 30;
inline constexpr std::size_t place_alignment = 64 * 1024;
// What memory of `bytes` takes of the range.
constexpr std::size_t room_of(std::size_t bytes) {
  return (bytes + place_alignment - 1) / place_alignment * place_alignment;
}

// Not thread-safe; used inside the layer's critical section.
class Space {
 public:
  // Null when the base is taken, or a limit of address space leaves too little.
  static std::unique_ptr<Space> reserve() noexcept;
  ~Space();
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  // Puts what is held of the program's half under asynchronous write-protect, holes
  // included, so that one scan can cross it.
  bool watch(Kernel& kernel) noexcept;

  // The lowest free place; 0 when there is none, or the process may not have the
  // mappings. `bytes` and `alignment` are multiples of place_alignment, so that no hole
  // stays between places: each would be two mappings, and one more to look at.
  // `kernel`: null where holes are not watched.
  std::uintptr_t take(std::size_t bytes, std::size_t alignment, Kernel* kernel) noexcept;
  // Maps `file` at both sides of a place taken.
  bool map(std::uintptr_t place, std::size_t bytes, int file) noexcept;
  // No more is held than is in use.
  void let_go() noexcept;
  // Unmaps both sides and frees the place.
  void give(std::uintptr_t place, std::size_t bytes, Kernel* kernel) noexcept;

  std::byte* program_side(std::uintptr_t place) const noexcept {
    return reinterpret_cast<std::byte*>(place + reserved_half);
  }

 private:
  Space() = default;
  bool hold(std::size_t bytes, Kernel* kernel) noexcept;  // of each half, from its start
  void let_go(std::size_t from) noexcept;                 // of what is held
  void let_go_of_end(std::size_t spare) noexcept;

  std::size_t held_ = 0;                        // of each half, from its start
  std::map<std::uintptr_t, std::size_t> free_;  // place → bytes; neighbours are joined
  std::size_t taken_ = 0;                       // places
  std::size_t most_ = 0;                        // … that there may be
};

}  // namespace rondo::memory
