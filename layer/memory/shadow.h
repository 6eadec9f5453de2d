// SPDX-License-Identifier: Apache-2.0
// A copy of a driver's mapping, for memory in which nobody can watch a program's
// writes: the program works on the copy, and both are brought together byte by
// byte, by what each was known to hold (base).
//
// Used inside the layer's critical section. The program writes its copy and the
// device writes the memory meanwhile; bytes that both write at once are anybody's,
// as they are without a shadow.
#pragma once

#include <cstddef>
#include <memory>

namespace rondo::memory {

class Shadow {
 public:
  // A copy of `bytes` at `real`, or zeros, at the same distance from a page's
  // start. Null when there is no memory.
  static std::unique_ptr<Shadow> create(std::byte* real, std::size_t bytes, bool zeros) noexcept;
  ~Shadow();
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  std::byte* copy() const noexcept { return copy_; }  // the program's

  // Offsets from the start. Gives the device the bytes in which `now` is not `before`.
  void push(const std::byte* before, const std::byte* now, std::size_t offset, std::size_t bytes) const noexcept;
  // Takes the device's bytes that are not those of `base` into it, and into the copy where the
  // program has not written. found(context, begin, end): what was taken, ascending; near ones are one.
  using Found = void (*)(void* context, std::size_t begin, std::size_t end);
  void pull(std::byte* base, std::size_t offset, std::size_t bytes, Found found, void* context) const noexcept;

 private:
  Shadow() = default;
  std::byte* real_ = nullptr;
  std::byte* copy_ = nullptr;
  void* mapping_ = nullptr;
  std::size_t mapped_bytes_ = 0;
};

}  // namespace rondo::memory
