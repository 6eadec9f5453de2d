// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "player/leaves.h"
#include "player/validity/validity.h"

namespace rondo::player::validity {

namespace {

bool is_enumerant(const codec::Field& f) { return f.element == codec::Element::enumerant; }

// By StructId: whether an enumerant that the caller chooses is in it, or behind it.
std::vector<bool> find_structures_with_enumerants() {
  const auto all = codec::structures();
  std::vector<bool> has(all.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (const codec::StructInfo& s : all) {
      const auto id = static_cast<std::size_t>(s.id);
      if (has[id]) continue;
      for (const codec::Field& f : s.fields) {
        if ((f.flags & codec::kOutput) != 0) continue;
        const bool inside = f.element == codec::Element::structure || f.element == codec::Element::union_type;
        if (!is_enumerant(f) && !(inside && has[f.type])) continue;
        has[id] = changed = true;
        break;
      }
    }
  }
  return has;
}

// By EnumId: small values as bits, the others in a set.
struct Known {
  std::uint64_t low = 0;
  std::unordered_set<std::uint32_t> high;
  bool has(std::uint32_t value) const {
    return value < 64 ? (low >> value & 1) != 0 : high.count(value) != 0;
  }
};
const Known& known(EnumId id) {
  static std::vector<Known> all;
  static std::vector<bool> filled;
  const auto at = static_cast<std::size_t>(id);
  if (at >= all.size()) {
    all.resize(at + 1);
    filled.resize(at + 1);
  }
  if (!filled[at]) {
    for (const codec::Enumerant& e : codec::enumerants(id)) {
      const auto value = static_cast<std::uint32_t>(e.value);
      if (value < 64)
        all[at].low |= std::uint64_t{1} << value;
      else
        all[at].high.insert(value);
    }
    filled[at] = true;
  }
  return all[at];
}

struct Enumerants {
  const codec::Lowered& lowered;
  const std::vector<bool>& has;
  Wrong wrong;

  bool enters(const codec::StructInfo& s) const { return has[static_cast<std::size_t>(s.id)]; }
  void leaf(const Leaf& leaf) {
    const codec::Field& f = *leaf.field;
    if (!is_enumerant(f) || leaf.blob || !wrong.empty()) return;
    const Known& values = known(static_cast<EnumId>(f.type));
    for (std::size_t i = 0; i < leaf.count; ++i) {
      const auto value = codec::load<std::uint32_t>(&lowered.bytes[leaf.offset + i * f.size]);
      if (values.has(value)) continue;
      wrong = std::string(f.name) + " of " + leaf.owner->name + " is " + std::to_string(value) +
              ", which no " + std::string(codec::enum_name(static_cast<EnumId>(f.type))) + " is";
      return;
    }
  }
};

}  // namespace

Wrong check_enumerants(const Call& call) {
  static const std::vector<bool> has = find_structures_with_enumerants();
  bool any = has[static_cast<std::size_t>(call.command.args)];
  for (const codec::StructRef& chained : call.lowered.chained)
    any = any || has[static_cast<std::size_t>(chained.id)];
  if (!any) return {};
  Enumerants found{call.lowered, has, {}};
  LeafWalk<Enumerants>(call.lowered, found).run(call.command);
  return found.wrong;
}

}  // namespace rondo::player::validity
