// SPDX-License-Identifier: Apache-2.0
// Damaged captures, each from a number: the same number, the same damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tests/fuzz/capture_parts.h"

namespace rondo::fuzz {

class Mutator {
 public:
  explicit Mutator(std::span<const std::byte> capture);
  // A quarter of the mutations damages bytes as a disk would; the others keep
  // every digest right, so that what they change is believed.
  std::vector<std::byte> mutate(std::uint64_t seed) const;

 private:
  std::vector<std::byte> file_;
  std::optional<CaptureParts> parts_;
};

}  // namespace rondo::fuzz
