// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/typed_change.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "format/data_region.h"
#include "format/varint.h"
#include "tests/fuzz/spirv_mutations.h"

namespace rondo::fuzz {
namespace {

using What = codec::ValueSink::Part;
using Bytes = std::span<const std::byte>;

template <class T>
void append(std::vector<std::byte>& to, const T& value) {
  const Bytes bytes = std::as_bytes(std::span(&value, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// The bytes [at, at + bytes) become `other`.
void replace(std::vector<std::byte>& payload, std::size_t at, std::size_t bytes, Bytes other) {
  const auto place = payload.erase(payload.begin() + static_cast<std::ptrdiff_t>(at),
                                   payload.begin() + static_cast<std::ptrdiff_t>(at + bytes));
  payload.insert(place, other.begin(), other.end());
}

std::size_t end_of(const List& list, std::size_t element) {
  return element + 1 < list.begins.size() ? list.begins[element + 1] : list.end;
}

}  // namespace

void TypedChange::record() {
  const auto& same = from_.commands_[pick(from_.commands_.size())];
  const TypedMutator::Place place = pick(2) == 0 ? same[pick(same.size())] : from_.places_[pick(from_.places_.size())];
  auto& all = records_[place.part];
  if (place.record >= all.size()) return;  // an earlier change took it away
  EditedRecord& record = all[place.record];
  if (pick(20) == 0) return whole_record(place);
  const Bytes before = payload_of(record);
  Payload payload(before.begin(), before.end());
  const auto sites = PayloadSites::of(from_.ids_, place.command, payload);
  if (!sites) return;
  say("record " + std::to_string(place.record) + " of chunk " + std::to_string(place.part) + ", " +
      codec::info(place.command).name);
  if (pick(40) == 0) return returned(record);
  const std::size_t chosen = pick(20);
  bool done = false;
  if (chosen < 4)
    done = list(payload, *sites);
  else if (chosen < 5)
    done = chain(payload, *sites);
  else if (chosen < 8)
    done = data(payload, *sites);
  else if (chosen < 9)
    done = text(payload, *sites);
  if (!done) done = value(payload, *sites) || list(payload, *sites);
  const std::size_t head = record.body.size() - before.size();
  record.body.resize(head);
  record.body.insert(record.body.end(), payload.begin(), payload.end());
}

bool TypedChange::value(Payload& payload, const PayloadSites& sites) {
  std::vector<const Site*> values;
  for (const Site& site : sites.values)
    if (site.part == What::value && site.bytes <= sizeof(std::uint64_t)) values.push_back(&site);
  if (values.empty()) return false;
  const Site& site = *values[pick(values.size())];
  std::uint64_t before = 0;
  std::memcpy(&before, &payload[site.at], site.bytes);
  const std::uint64_t after = from_.values_.other(site, before, random_);
  std::memcpy(&payload[site.at], &after, site.bytes);
  say(std::string(site.field->name) + ": " + std::to_string(before) + " is " + std::to_string(after));
  return true;
}

void TypedChange::set_count(Payload& payload, const PayloadSites& sites, const Site& site, std::uint64_t elements) {
  const Site* count = sites.count_of(site);
  if (count == nullptr) return;
  const std::uint64_t stated = elements * site.field->count.divisor - site.field->count.constant;
  std::memcpy(&payload[count->at], &stated, count->bytes);
}

// Elements more or fewer. The counts say so, but for some.
bool TypedChange::list(Payload& payload, const PayloadSites& sites) {
  std::vector<const List*> lists;
  for (const List& one : sites.lists)
    if (!one.is_chain()) lists.push_back(&one);
  if (lists.empty()) return false;
  const List& chosen = *lists[pick(lists.size())];
  const bool counted = chosen.head.part == What::count;
  const std::size_t elements = chosen.begins.size();
  std::vector<std::byte> body;
  std::uint32_t count = static_cast<std::uint32_t>(elements);
  const std::size_t first = chosen.head.at + chosen.head.bytes;
  const auto take = [&](std::size_t element) {
    const auto begin = payload.begin() + static_cast<std::ptrdiff_t>(chosen.begins[element]);
    body.insert(body.end(), begin, payload.begin() + static_cast<std::ptrdiff_t>(end_of(chosen, element)));
  };
  const std::size_t how = elements == 0 ? 0 : 1 + pick(4);
  const std::size_t removed = how == 1 ? pick(elements) : elements;
  const std::size_t copied = how == 2 ? pick(elements) : elements;
  const std::size_t times = how == 2 ? 1 + (pick(4) == 0 ? pick(300) : pick(2)) : 0;
  for (std::size_t i = 0; i < elements && how != 3; ++i) {
    if (i != removed) take(i);
    for (std::size_t n = 0; i == copied && n < times; ++n) take(i);
  }
  count = static_cast<std::uint32_t>(count - (removed < elements ? 1 : 0) + times);
  const bool null = how == 3 || how == 0;
  const bool right = pick(5) != 0;
  if (null) count = counted ? codec::kNull : 0;
  if (how == 4) count += 1 + static_cast<std::uint32_t>(pick(3));  // that are not there
  // In front of the list or after it: what comes first moves nothing.
  const std::uint64_t stated = null ? 0 : count;
  if (right && counted) set_count(payload, sites, chosen.head, stated);
  replace(payload, first, chosen.end - std::min(first, chosen.end), body);
  std::memcpy(&payload[chosen.head.at], &count, chosen.head.bytes);
  say(std::string(chosen.head.field->name) + ": " + std::to_string(elements) + " elements are " +
      (null ? "none" : std::to_string(count)) + (right ? "" : ", the count is left"));
  return true;
}

bool TypedChange::chain(Payload& payload, const PayloadSites& sites) {
  std::vector<const List*> chains;
  for (const List& one : sites.lists)
    if (one.is_chain()) chains.push_back(&one);
  if (chains.empty()) return false;
  const List& chosen = *chains[pick(chains.size())];
  const std::size_t elements = chosen.begins.size();
  if (elements != 0 && pick(2) == 0) {
    const std::size_t which = pick(elements);
    const std::size_t begin = chosen.begins[which], bytes = end_of(chosen, which) - begin;
    const std::vector<std::byte> one(payload.begin() + static_cast<std::ptrdiff_t>(begin),
                                     payload.begin() + static_cast<std::ptrdiff_t>(begin + bytes));
    const bool twice = pick(3) == 0;
    replace(payload, begin, twice ? 0 : bytes, twice ? Bytes(one) : Bytes());
    say(std::string("a structure of the chain is ") + (twice ? "there twice" : "taken out"));
    return true;
  }
  const auto other = from_.values_.other_structure(random_);
  if (other.empty()) return false;
  replace(payload, elements == 0 ? chosen.end : chosen.begins[pick(elements)], 0, other);
  say("a structure of another chain is in this one");
  return true;
}

void TypedChange::refer(Payload& payload, const PayloadSites& sites, const Site& site, Bytes bytes, bool count) {
  std::vector<std::byte> reference;
  const bool blob = bytes.size() > codec::kInlineBytes;
  reference.push_back(static_cast<std::byte>(blob ? codec::kDataBlob : codec::kDataInline));
  append(reference, std::uint64_t{bytes.size()});
  if (blob) {
    const Digest digest = digest_of(bytes);
    append(reference, digest.low);
    append(reference, digest.high);
    if (!from_.blobs_.contains(digest)) new_blobs_[digest].assign(bytes.begin(), bytes.end());
  } else {
    reference.insert(reference.end(), bytes.begin(), bytes.end());
  }
  if (count) set_count(payload, sites, site, bytes.size() / std::max<std::size_t>(site.field->size, 1));
  replace(payload, site.at, site.bytes, reference);
}

bool TypedChange::data(Payload& payload, const PayloadSites& sites) {
  std::vector<const Site*> all;
  for (const Site& site : sites.values)
    if (site.part == What::data) all.push_back(&site);
  if (all.empty()) return false;
  const Site site = *all[pick(all.size())];
  const std::size_t how = pick(8);
  if (how == 0) {
    const std::byte null{codec::kDataNull};
    replace(payload, site.at, site.bytes, {&null, 1});
    say(std::string(site.field->name) + " is null");
    return true;
  }
  if (how == 1) {
    const auto other = from_.values_.other_data(random_);
    if (other.empty()) return false;
    replace(payload, site.at, site.bytes, other);
    say(std::string(site.field->name) + " is what another call has");
    return true;
  }
  std::vector<std::byte> bytes = data_at(payload, site, from_.blobs_);
  if (bytes.empty()) return false;
  const bool right = pick(4) != 0;
  if (how == 2) {
    bytes.resize(pick(2) == 0 ? pick(bytes.size() + 1) : bytes.size() + pick(1024));
    say(std::string(site.field->name) + " is " + std::to_string(bytes.size()) + " bytes long" +
        (right ? "" : ", the count is left"));
  } else {
    // A word of what a device may take for counts, indices, addresses or handles.
    const std::size_t at = pick(bytes.size()) & ~std::size_t{3};
    Site word = site;
    word.bytes = std::min<std::size_t>(bytes.size() - at, pick(4) == 0 ? 8 : 4);
    std::uint64_t value = 0;
    std::memcpy(&value, &bytes[at], word.bytes);
    value = from_.values_.other(word, value, random_);
    std::memcpy(&bytes[at], &value, word.bytes);
    say(std::string(site.field->name) + ": the word at " + std::to_string(at) + " is " + std::to_string(value));
  }
  refer(payload, sites, site, bytes, right && how == 2);
  return true;
}

bool TypedChange::text(Payload& payload, const PayloadSites& sites) {
  std::vector<const Site*> texts;
  for (const Site& site : sites.values)
    if (site.part == What::text) texts.push_back(&site);
  if (texts.empty()) return false;
  const Site& site = *texts[pick(texts.size())];
  const std::string other = from_.values_.other_text(random_);
  std::vector<std::byte> bytes;
  append(bytes, static_cast<std::uint32_t>(other.size()));
  const Bytes characters = std::as_bytes(std::span(other));
  bytes.insert(bytes.end(), characters.begin(), characters.end());
  replace(payload, site.at, site.bytes, bytes);
  say(std::string(site.field->name) + " is another text of " + std::to_string(other.size()) + " bytes");
  return true;
}

// Another result, or address, than the captured driver returned.
void TypedChange::returned(EditedRecord& record) {
  if ((record.header.flags & kRecordReturns) == 0) return;
  const std::byte* const begin = record.body.data();
  std::uint64_t value = 0;
  const std::byte* const after = get_varint(begin, begin + record.body.size(), value);
  if (after == nullptr) return;
  const auto results = codec::enumerants(EnumId::VkResult);
  const std::int64_t other = results[pick(results.size())].value;
  std::byte varint[kMaxVarint];
  const std::size_t bytes = put_varint(varint, zigzag(other));
  replace(record.body, 0, static_cast<std::size_t>(after - begin), {varint, bytes});
  say("returned " + std::to_string(other));
}

// Left out, twice, or in the place of another one.
void TypedChange::whole_record(const TypedMutator::Place& place) {
  auto& all = records_[place.part];
  EditedRecord& one = all[place.record];
  EditedRecord& other = all[pick(all.size())];
  say("record " + std::to_string(place.record) + " of chunk " + std::to_string(place.part) + ", " +
      codec::info(place.command).name);
  // The numbers stay in their order.
  switch (pick(3)) {
    case 0:
      one = {{one.header.bytes, 0, kRecordVoid, one.header.sequence_delta}, {}};
      return say("is left out");
    case 1: {
      const std::uint32_t delta = other.header.sequence_delta;
      other = one;
      other.header.sequence_delta = delta;
      return say("is there twice");
    }
    default:
      std::swap(one, other);
      std::swap(one.header.sequence_delta, other.header.sequence_delta);
      return say("has changed places");
  }
}

void TypedChange::shader() {
  const auto& [place, which] = from_.shaders_[pick(from_.shaders_.size())];
  EditedRecord& record = records_[place.part][place.record];
  const Bytes before = payload_of(record);
  Payload payload(before.begin(), before.end());
  const auto sites = PayloadSites::of(from_.ids_, place.command, payload);
  if (!sites || which >= sites->values.size()) return;
  const Site site = sites->values[which];
  const std::vector<std::byte> code = data_at(payload, site, from_.blobs_);
  std::vector<std::uint32_t> words(code.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), code.data(), words.size() * sizeof(std::uint32_t));
  say("a shader of " + std::string(codec::info(place.command).name) + ": " + mutate_spirv(words, random_));
  refer(payload, *sites, site, std::as_bytes(std::span(words)), true);
  const std::size_t head = record.body.size() - before.size();
  record.body.resize(head);
  record.body.insert(record.body.end(), payload.begin(), payload.end());
}

Mutant TypedChange::finish() {
  for (const auto& [part, records] : records_) capture_.parts[part].set_raw(columns_of(records));
  if (!new_blobs_.empty()) {
    std::vector<std::byte> raw;
    append(raw, static_cast<std::uint32_t>(new_blobs_.size()));
    append(raw, std::uint32_t{0});
    for (const auto& [digest, bytes] : new_blobs_) append(raw, BlobEntry{digest.low, digest.high, bytes.size()});
    for (const auto& [digest, bytes] : new_blobs_) raw.insert(raw.end(), bytes.begin(), bytes.end());
    fuzz::Part part;
    part.header = chunk_header(ChunkType::blobs);
    part.set_raw(std::move(raw));
    capture_.parts.push_back(std::move(part));
  }
  return {capture_.bytes(), what_};
}

}  // namespace rondo::fuzz
