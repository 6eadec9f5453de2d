// SPDX-License-Identifier: Apache-2.0
// Digests of what a program asked for, the same in a capture and its replay:
// handles count as what their objects were made of, and what may differ from
// device to device (queue families, memory types, addresses) does not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/codec/schema.h"
#include "tests/icd/arguments.h"
#include "tests/icd/driver.h"

namespace fake {

// Order matters; the same values in the same order give the same digest.
class Hash {
 public:
  Hash() = default;
  explicit Hash(std::uint64_t seed) : state_(seed) {}
  void bytes(const void* from, std::size_t count);
  void value(std::uint64_t value);
  std::uint64_t digest() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

// What the object was made of; 0 for those whose making says nothing.
std::uint64_t content_of(HandleType type, std::uint64_t handle);
std::uint64_t content_of(const Object& object);

// All parameters but the first (the device, queue or command buffer) and outputs.
std::uint64_t digest_of(const Arguments& arguments);

// After a call that succeeded: gives the objects that it made their content.
void note_created(const Call& call);

// `bytes` that anybody can tell from those of another seed.
void fill_pattern(std::byte* to, std::size_t bytes, std::uint64_t seed);

}  // namespace fake
