// SPDX-License-Identifier: Apache-2.0
// Of memory that a software driver takes from its process's private pages, a child of fork has a copy. Memory
// that stands in its place (AliasMemory) is a file that both map. So the process copies such memory before it
// forks, and the child maps the copies where it had the files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "layer/memory/kernel.h"

namespace rondo::memory {

class AliasMemory;

// Not thread-safe. Takes nothing from the heap: other handlers of fork may hold its locks.
class ForkCopies {
 public:
  // A process waits for its copies. More bytes than these are not copied, and memory that does not fit stays
  // shared.
  static constexpr std::size_t most_bytes = std::size_t{256} << 20;

  ForkCopies() = default;
  ~ForkCopies() { drop(); }
  ForkCopies(const ForkCopies&) = delete;
  ForkCopies& operator=(const ForkCopies&) = delete;

  // Before the fork. `memories` have ascending places.
  void make(std::span<const AliasMemory* const> memories, std::size_t most = most_bytes) noexcept;
  // After it, in the child.
  void use() noexcept;
  // After it, in the parent.
  void drop() noexcept;
  // Bytes that make() could not copy.
  std::uint64_t left_shared() const noexcept { return left_shared_; }

 private:
  struct Part;  // one memory
  struct View;  // one mapping of such a memory
  struct Room;  // where they are kept
  void find_views() noexcept;
  void copy(const AliasMemory& memory, Part& part, std::size_t most) noexcept;

  Room* room_ = nullptr;
  std::size_t parts_ = 0, views_ = 0;
  OwnDescriptor file_;  // all copies, one after the other
  std::size_t copied_ = 0;
  std::uint64_t left_shared_ = 0;
};

}  // namespace rondo::memory
