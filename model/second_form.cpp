// SPDX-License-Identifier: Apache-2.0
#include "model/second_form.h"

#include <algorithm>
#include <functional>

#include "format/check.h"
#include "format/codec/schema.h"
#include "model/second_form_maker.h"

namespace rondo::model {

namespace {

// At most so many members of one structure of an array are linked.
constexpr int kMembers = 2;

// By CommandId; null: there is one form.
const Pair* pair_of(CommandId canonical) {
  static const std::vector<const Pair*> by_first = [] {
    std::vector<const Pair*> table(codec::commands().size(), nullptr);
    for (const std::span<const Pair> some : {pairs_of_copies(), pairs_of_passes(), pairs_of_others()})
      for (const Pair& one : some) table[static_cast<std::size_t>(one.first)] = &one;
    return table;
  }();
  const auto index = static_cast<std::size_t>(canonical);
  RONDO_CHECK(index < by_first.size());
  return by_first[index];
}

}  // namespace

CommandId second_form_of(CommandId canonical) {
  const Pair* const found = pair_of(canonical);
  return found != nullptr ? found->second : canonical;
}

bool SecondForm::take(CommandId canonical, const void* args) {
  moved_.clear();
  args_ = nullptr;
  const Pair* const found = pair_of(canonical);
  if (found == nullptr) return false;
  memory_.release();
  Maker maker(*this);
  args_ = found->convert(maker, args);
  RONDO_CHECK(args_ != nullptr);
  // A submit of very many batches has as many places.
  std::sort(moved_.begin(), moved_.end(),
            [](const Moved& a, const Moved& b) { return std::less<>()(a.begin, b.begin); });
  return true;
}

const void* SecondForm::source_of(const void* member) const {
  const auto* const at = static_cast<const std::byte*>(member);
  auto found = std::upper_bound(moved_.begin(), moved_.end(), at, [](const std::byte* place, const Moved& one) {
    return std::less<>()(place, one.begin);
  });
  // Handles of different members of an array's elements alternate: the few before may be meant, too.
  for (int tries = 0; tries < kMembers && found != moved_.begin(); ++tries) {
    const Moved& one = *--found;
    const auto distance = static_cast<std::size_t>(at - one.begin);
    if (distance < one.stride * one.count && distance % one.stride == 0)
      return one.source + distance / one.stride * one.source_stride;
  }
  return member;
}

}  // namespace rondo::model
