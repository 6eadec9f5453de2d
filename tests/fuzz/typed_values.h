// SPDX-License-Identifier: Apache-2.0
// What a capture holds of each type, and other values to put in their place.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/payload_sites.h"

namespace rondo::fuzz {

class TypedValues {
 public:
  // Remembers the values of one record.
  void note(const PayloadSites& sites, std::span<const std::byte> payload);

  // Another value in place of `value`, which stands at `site` (a Part::value): `site.bytes` of its bytes
  // count.
  std::uint64_t other(const Site& site, std::uint64_t value, std::mt19937_64& random) const;
  // A text, and a data reference or structure of a chain that stood somewhere; empty: there is none.
  std::string other_text(std::mt19937_64& random) const;
  std::vector<std::byte> other_data(std::mt19937_64& random) const;
  std::vector<std::byte> other_structure(std::mt19937_64& random) const;

 private:
  std::map<HandleType, std::vector<std::uint64_t>> handles_;
  std::vector<std::uint64_t> all_handles_;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::string> texts_;
  std::vector<std::vector<std::byte>> data_, structures_;
};

}  // namespace rondo::fuzz
