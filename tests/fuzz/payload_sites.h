// SPDX-License-Identifier: Apache-2.0
// Where each member of a record's payload stands, and what it is: what a mutation by type changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/codec/decoder.h"
#include "format/codec/printer.h"

namespace rondo::fuzz {

struct Site {
  const codec::Field* field = nullptr;
  codec::ValueSink::Part part = codec::ValueSink::Part::value;
  std::size_t at = 0, bytes = 0;         // in the payload
  std::uint32_t owner = 0;               // the structure that holds it: a number in the payload
  HandleType handle = HandleType::none;  // of a value: what it names
};

// A list whose count stands in the payload, the target of a pointer that may be null, or a pNext chain.
struct List {
  Site head;                        // the count or presence; of a chain: none, its elements begin with their ids
  std::vector<std::size_t> begins;  // of the elements
  std::size_t end = 0;
  bool is_chain() const { return head.part == codec::ValueSink::Part::chained; }
};

struct PayloadSites {
  std::vector<Site> values;  // in the order of the payload: values, data, texts
  std::vector<List> lists;

  // nullopt: this build cannot read it.
  static std::optional<PayloadSites> of(const codec::IdMap& ids, CommandId command, std::span<const std::byte> payload);
  // The number that says how long the list or data of `site` is; null: none does, or it is not a plain
  // member.
  const Site* count_of(const Site& site) const;
};

}  // namespace rondo::fuzz
