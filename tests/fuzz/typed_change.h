// SPDX-License-Identifier: Apache-2.0
// One mutant in the making: typed_mutations.cpp only.
#pragma once

#include <functional>

#include "tests/fuzz/typed_mutations.h"

namespace rondo::fuzz {

// A record's payload, after its return value and times; empty: they are damaged.
std::span<const std::byte> payload_of(const EditedRecord& record);
// The bytes that a data reference means; empty: it is none, or means none.
std::vector<std::byte> data_at(std::span<const std::byte> payload, const Site& site,
                               const std::map<Digest, std::vector<std::byte>>& blobs);

class TypedChange {
 public:
  TypedChange(const TypedMutator& from, std::mt19937_64& random)
      : from_(from), random_(random), capture_(from.capture_), records_(from.records_) {}

  void record();  // one thing of one record
  void shader();  // the words of one module
  Mutant finish();

 private:
  using Payload = std::vector<std::byte>;
  std::size_t pick(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  void say(const std::string& what) { what_ += (what_.empty() ? "" : "; ") + what; }

  // Of a payload; false: it has nothing of that kind.
  bool value(Payload& payload, const PayloadSites& sites);
  bool list(Payload& payload, const PayloadSites& sites);
  bool chain(Payload& payload, const PayloadSites& sites);
  bool data(Payload& payload, const PayloadSites& sites);
  bool text(Payload& payload, const PayloadSites& sites);
  void returned(EditedRecord& record);
  void whole_record(const TypedMutator::Place& place);

  // The data reference at `site` becomes one to `bytes`, and the member that says how long it is says so.
  void refer(Payload& payload, const PayloadSites& sites, const Site& site, std::span<const std::byte> bytes,
             bool count);
  void set_count(Payload& payload, const PayloadSites& sites, const Site& site, std::uint64_t elements);

  const TypedMutator& from_;
  std::mt19937_64& random_;
  CaptureParts capture_;
  TypedMutator::Records records_;
  std::map<Digest, std::vector<std::byte>> new_blobs_;
  std::string what_;
};

}  // namespace rondo::fuzz
