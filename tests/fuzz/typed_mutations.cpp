// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/typed_mutations.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "format/reader.h"
#include "format/record_walk.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/spirv_mutations.h"
#include "tests/fuzz/typed_change.h"

namespace rondo::fuzz {
namespace {

using What = codec::ValueSink::Part;

constexpr std::size_t kDataHead = 1 + sizeof(std::uint64_t);

}  // namespace

std::span<const std::byte> payload_of(const EditedRecord& record) {
  std::uint64_t time = 0;
  RecordBody body;
  if (!parse_body(record.header, record.body, time, body)) return {};
  return body.payload;
}

std::optional<TypedMutator> TypedMutator::from(std::span<const std::byte> capture) {
  TypedMutator mutator;
  const MemoryFile file(capture);
  const auto reader = Reader::open(file.path());
  auto parts = CaptureParts::from(capture);
  if (!reader || !parts) return std::nullopt;
  mutator.capture_ = std::move(*parts);
  mutator.ids_ = codec::IdMap::match((*reader)->dictionary());
  for (const BlobInfo& blob : (*reader)->blobs())
    if (const auto bytes = (*reader)->blob(blob.digest))
      mutator.blobs_.emplace(blob.digest, std::vector<std::byte>((*bytes)->begin(), (*bytes)->end()));
  mutator.note_records();
  if (mutator.places_.empty()) return std::nullopt;
  std::mt19937_64 unused;
  mutator.unchanged_ = TypedChange(mutator, unused).finish().file;
  return mutator;
}

void TypedMutator::note_records() {
  std::map<CommandId, std::vector<Place>> by_command;
  for (std::size_t i = 0; i < capture_.parts.size(); ++i) {
    if (capture_.parts[i].type() != ChunkType::records) continue;
    const auto raw = capture_.parts[i].raw();
    if (!raw) continue;
    const auto& all = records_[i] = records_of(*raw);
    for (std::size_t k = 0; k < all.size(); ++k) {
      if ((all[k].header.flags & kRecordKindMask) != kRecordCall) continue;
      const Place place{i, k, ids_.command(all[k].header.command)};
      const auto payload = payload_of(all[k]);
      const auto sites = PayloadSites::of(ids_, place.command, payload);
      if (!sites) continue;
      values_.note(*sites, payload);
      places_.push_back(place);
      by_command[place.command].push_back(place);
      for (std::size_t n = 0; n < sites->values.size(); ++n) {
        const auto data = data_at(payload, sites->values[n], blobs_);
        std::uint32_t first = 0;
        if (data.size() < 20) continue;
        std::memcpy(&first, data.data(), sizeof first);
        if (first == kSpirvMagic) shaders_.emplace_back(place, n);
      }
    }
  }
  for (auto& [command, places] : by_command) commands_.push_back(std::move(places));
}

std::vector<std::byte> data_at(std::span<const std::byte> payload, const Site& site,
                               const std::map<Digest, std::vector<std::byte>>& blobs) {
  if (site.part != What::data || site.bytes < kDataHead) return {};
  const auto reference = payload.subspan(site.at, site.bytes);
  if (static_cast<std::uint8_t>(reference[0]) == codec::kDataInline)
    return {reference.begin() + kDataHead, reference.end()};
  Digest digest;
  std::memcpy(&digest.low, reference.data() + kDataHead, sizeof digest.low);
  std::memcpy(&digest.high, reference.data() + kDataHead + sizeof digest.low, sizeof digest.high);
  const auto found = blobs.find(digest);
  return found == blobs.end() ? std::vector<std::byte>() : found->second;
}

Mutant TypedMutator::mutate(std::uint64_t seed, std::uint64_t number, Kind kind) const {
  std::seed_seq numbers{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                        static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
  std::mt19937_64 random(numbers);
  Mutant mutant;
  // A change may put the same in place of the same.
  do {
    TypedChange change(*this, random);
    if (kind == Kind::shaders && has_shaders())
      change.shader();
    else
      for (std::size_t left = random() % 3 == 0 ? 2 + random() % 2 : 1; left > 0; --left) change.record();
    mutant = change.finish();
  } while (mutant.file == unchanged_);
  return mutant;
}

}  // namespace rondo::fuzz
