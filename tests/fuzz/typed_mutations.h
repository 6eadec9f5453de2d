// SPDX-License-Identifier: Apache-2.0
// Hostile captures out of real ones: a few members of records are changed by what they are (handles, counts,
// enumerants, flags, sizes, chains, data, texts), or the words of a shader, and every digest is made right
// again. What is wrong with the result is only what was changed, so that it reaches what takes captures for
// granted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "format/digest.h"
#include "tests/fuzz/capture_parts.h"
#include "tests/fuzz/typed_values.h"

namespace rondo::fuzz {

struct Mutant {
  std::vector<std::byte> file;
  std::string what;  // what was changed, for people
};

class TypedMutator {
 public:
  enum class Kind : std::uint8_t { records, shaders };

  // nullopt: this build cannot read the capture.
  static std::optional<TypedMutator> from(std::span<const std::byte> capture);
  bool has_shaders() const { return !shaders_.empty(); }
  // The same numbers, the same mutant. Without shaders every kind is Kind::records.
  Mutant mutate(std::uint64_t seed, std::uint64_t number, Kind kind) const;

 private:
  friend class TypedChange;
  using Records = std::map<std::size_t, std::vector<EditedRecord>>;  // by the part that holds them
  struct Place {
    std::size_t part = 0, record = 0;
    CommandId command = CommandId::none;
  };

  void note_records();

  CaptureParts capture_;
  codec::IdMap ids_;
  Records records_;
  std::vector<Place> places_;                           // of what can be read
  std::vector<std::vector<Place>> commands_;            // the same, by command
  std::vector<std::pair<Place, std::size_t>> shaders_;  // where data is a module, with its index in the record's data
  std::map<Digest, std::vector<std::byte>> blobs_;
  TypedValues values_;
  std::vector<std::byte> unchanged_;  // the capture as a mutant without a change would be
};

}  // namespace rondo::fuzz
