// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/typed_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "format/codec/shapes.h"

namespace rondo::fuzz {
namespace {

using What = codec::ValueSink::Part;
using Random = std::mt19937_64;

constexpr std::size_t kMostKept = 4096;  // of each kind, for one capture
constexpr std::uint64_t kTelling[] = {
    0,          1,          2,          3,           4,          7,         8,          15,
    16,         31,         32,         33,          64,         127,       128,        255,
    256,        1023,       4096,       0x7fff,      0xffff,     0x10000,   0x1000000,  0x7fffffff,
    0x80000000, 0xfffffffe, 0xffffffff, 0x100000000, 1ull << 40, INT64_MAX, 1ull << 63, UINT64_MAX - 1,
    UINT64_MAX};
constexpr double kFloats[] = {0.0,
                              -0.0,
                              1.0,
                              -1.0,
                              0.5,
                              1e-45,
                              1e10,
                              3.4e38,
                              std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()};
// What a terminal, a path or a format would take for more than text.
constexpr const char* kTexts[] = {
    "",     "\x1b[2J\x1b]0;x\x07", "\xc2\x9b", "\xe2\x80\xae", "%n%s%s%s", "../../x", "\xff\xfe",
    "a\nb", "VK_KHR_swapchain",    "main"};

std::size_t pick(Random& random, std::size_t count) { return static_cast<std::size_t>(random() % count); }

template <class T>
const T& one_of(const std::vector<T>& all, Random& random) {
  return all[pick(random, all.size())];
}

std::uint64_t load(std::span<const std::byte> payload, const Site& site) {
  std::uint64_t value = 0;
  std::memcpy(&value, payload.data() + site.at, std::min(site.bytes, sizeof value));
  return value;
}

std::uint64_t other_enumerant(const Site& site, std::uint64_t value, Random& random) {
  const auto all = codec::enumerants(static_cast<EnumId>(site.field->type));
  if (all.empty() || pick(random, 4) == 0)
    return pick(random, 2) == 0 ? value + 1 : kTelling[pick(random, std::size(kTelling))];
  return static_cast<std::uint64_t>(all[pick(random, all.size())].value);
}

std::uint64_t other_flags(const Site& site, std::uint64_t value, Random& random) {
  const auto all = codec::enumerants(static_cast<EnumId>(site.field->type));
  switch (pick(random, 8)) {
    case 0:
      return 0;
    case 1:
      return UINT64_MAX;
    case 2:
      return value ^ (1ull << pick(random, site.bytes * 8));
    default:
      return all.empty() ? value ^ (1ull << pick(random, 8))
                         : value ^ static_cast<std::uint64_t>(all[pick(random, all.size())].value);
  }
}

std::uint64_t other_floating(const Site& site, Random& random) {
  const double value = kFloats[pick(random, std::size(kFloats))];
  return site.bytes == sizeof(float) ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                     : std::bit_cast<std::uint64_t>(value);
}

}  // namespace

void TypedValues::note(const PayloadSites& sites, std::span<const std::byte> payload) {
  const auto bytes_at = [&](std::size_t at, std::size_t bytes) {
    const auto part = payload.subspan(at, bytes);
    return std::vector<std::byte>(part.begin(), part.end());
  };
  for (const Site& site : sites.values) {
    if (site.part == What::data) {
      if (site.bytes > 1 && data_.size() < kMostKept) data_.push_back(bytes_at(site.at, site.bytes));
    } else if (site.part == What::text) {
      if (site.bytes > 4 && texts_.size() < kMostKept)
        texts_.emplace_back(reinterpret_cast<const char*>(payload.data()) + site.at + 4, site.bytes - 4);
    } else if (const std::uint64_t value = load(payload, site); site.handle != HandleType::none) {
      auto& same = handles_[site.handle];
      if (value == 0 || std::find(same.begin(), same.end(), value) != same.end()) continue;
      same.push_back(value);
      all_handles_.push_back(value);
    } else if (site.field->element == codec::Element::unsigned_int && numbers_.size() < kMostKept) {
      numbers_.push_back(value);
    }
  }
  for (const List& list : sites.lists)
    for (std::size_t i = 0; list.is_chain() && i < list.begins.size() && structures_.size() < kMostKept; ++i) {
      const std::size_t end = i + 1 < list.begins.size() ? list.begins[i + 1] : list.end;
      structures_.push_back(bytes_at(list.begins[i], end - list.begins[i]));
    }
}

std::uint64_t TypedValues::other(const Site& site, std::uint64_t value, Random& random) const {
  using codec::Element;
  if (site.handle != HandleType::none) {
    const auto same = handles_.find(site.handle);
    const std::size_t chosen = pick(random, 20);
    if (chosen < 3) return 0;
    if (chosen < 5) return value + 1 + pick(random, 16);
    if (chosen < 10 && !all_handles_.empty()) return one_of(all_handles_, random);
    return same != handles_.end() && !same->second.empty() ? one_of(same->second, random) : 0;
  }
  switch (site.field->element) {
    case Element::enumerant:
      return other_enumerant(site, value, random);
    case Element::flags:
      return other_flags(site, value, random);
    case Element::floating:
      return other_floating(site, random);
    case Element::bool32:
      return pick(random, 4) != 0 ? value ^ 1 : kTelling[pick(random, std::size(kTelling))];
    default:
      break;
  }
  switch (pick(random, 8)) {
    case 0:
      return value + 1 + pick(random, 4);
    case 1:
      return value - 1 - pick(random, 4);
    case 2:
      return value * 2;
    case 3:
      return value / 2;
    case 4:
      return numbers_.empty() ? 0 : one_of(numbers_, random);
    case 5:
      return value ^ (1ull << pick(random, site.bytes * 8));
    default:
      return kTelling[pick(random, std::size(kTelling))];
  }
}

std::string TypedValues::other_text(Random& random) const {
  if (pick(random, 8) == 0) return std::string(std::size_t{1} << pick(random, 17), 'x');
  if (texts_.empty() || pick(random, 2) == 0) return kTexts[pick(random, std::size(kTexts))];
  return one_of(texts_, random);
}

std::vector<std::byte> TypedValues::other_data(Random& random) const {
  return data_.empty() ? std::vector<std::byte>() : one_of(data_, random);
}

std::vector<std::byte> TypedValues::other_structure(Random& random) const {
  return structures_.empty() ? std::vector<std::byte>() : one_of(structures_, random);
}

}  // namespace rondo::fuzz
