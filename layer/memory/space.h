// SPDX-License-Identifier: Apache-2.0
// Two reserved halves of the address space: device mappings in the lower one,
// the program's at the same distance in the upper one. The same sequence of
// takes and gives yields the same addresses in every process, which is what
// lets a replay on a software device use captured device addresses.
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

// Not thread-safe; used inside the layer's critical section.
class Space {
 public:
  // Reserves as much as it can get. Null when the base is taken.
  static std::unique_ptr<Space> reserve() noexcept;
  ~Space();
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  // Puts the program's half under asynchronous write-protect, holes included,
  // so that one scan can cross it.
  bool watch(Kernel& kernel) noexcept;

  // The lowest free place; 0 when there is none, or the process may not have the
  // mappings. `bytes` and `alignment` are multiples of place_alignment, so that no hole
  // stays between places: each would be two mappings, and one more to look at.
  std::uintptr_t take(std::size_t bytes, std::size_t alignment) noexcept;
  // Maps `file` at both sides of a place taken.
  bool map(std::uintptr_t place, std::size_t bytes, int file) noexcept;
  // Unmaps both sides and frees the place. `kernel`: null where holes are not watched.
  void give(std::uintptr_t place, std::size_t bytes, Kernel* kernel) noexcept;

  std::byte* program_side(std::uintptr_t place) const noexcept {
    return reinterpret_cast<std::byte*>(place + half_);
  }

 private:
  Space() = default;
  std::size_t half_ = 0;
  std::map<std::uintptr_t, std::size_t> free_;  // place → bytes; neighbours are joined
  std::size_t taken_ = 0;                       // places
  std::size_t most_ = 0;                        // … that there may be
};

}  // namespace rondo::memory
