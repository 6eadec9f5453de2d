// SPDX-License-Identifier: Apache-2.0
// A software driver may use private pages of its process as device memory. A child of fork then has a copy of them.
// The layer puts a shared file in their place (AliasMemory), which parent and child would both see. So the parent
// copies such memory before it forks, and the child maps the copies where the files were.
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

  // To be called before the fork. `memories` are sorted by place().
  void make(std::span<const AliasMemory* const> memories, std::size_t most = most_bytes) noexcept;
  // To be called after it, in the child.
  void use() noexcept;
  // To be called after it, in the parent.
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
