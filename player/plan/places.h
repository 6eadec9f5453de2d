// SPDX-License-Identifier: Apache-2.0
// Memory at captured addresses: where a device address is a host pointer, an
// allocation has to lie where it lay (docs/memory.md, "Places"). The range is
// reserved before anything else can take it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "format/result.h"

namespace rondo::player {

// The recorder's range of device mappings.
inline constexpr std::uint64_t kPlacesBegin = 0x7e8000000000;
inline constexpr std::uint64_t kPlacesBytes = std::uint64_t{192} << 30;

std::string address_text(std::uint64_t address);  // "0x…"

// Once a process, first thing, where a program is ours; later calls do nothing.
// What could not be reserved is told by PlacedMemory::map.
void reserve_places();

// Zeros at a place, until it is destroyed. Move-only; one thread at a time.
class PlacedMemory {
 public:
  PlacedMemory() = default;
  PlacedMemory(PlacedMemory&& other) noexcept { *this = static_cast<PlacedMemory&&>(other); }
  PlacedMemory& operator=(PlacedMemory&& other) noexcept;
  ~PlacedMemory() { release(); }

  // Fails (device) where the place is not ours, or taken by another one.
  static Result<PlacedMemory> map(std::uint64_t place, std::uint64_t bytes);
  // It stays where it is for as long as the process lives: a driver still works on it.
  void leave() { bytes_ = 0; }
  void* data() const { return reinterpret_cast<void*>(place_); }
  explicit operator bool() const { return bytes_ != 0; }

 private:
  void release();
  std::uint64_t place_ = 0, bytes_ = 0;
};

}  // namespace rondo::player
