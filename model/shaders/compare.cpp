// SPDX-License-Identifier: Apache-2.0
#include "model/shaders/compare.h"

#include <algorithm>

namespace rondo::shaders {

namespace {

void differ(std::vector<Mismatch>& out, std::string what, std::string old_side, std::string new_side) {
  out.push_back({std::move(what), std::move(old_side), std::move(new_side)});
}

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

// Each member of the new block is one of the old one: at the same place, and of the same type.
bool holds(const std::vector<Member>& old_ones, const std::vector<Member>& new_ones) {
  return std::all_of(new_ones.begin(), new_ones.end(), [&](const Member& wanted) {
    return std::any_of(old_ones.begin(), old_ones.end(),
                       [&](const Member& has) { return has.offset == wanted.offset && has.type == wanted.type; });
  });
}

bool stands_for(const Binding& old_one, const Binding& new_one) {
  return old_one.kind == new_one.kind && old_one.type == new_one.type && old_one.array == new_one.array &&
         (new_one.read_only || !old_one.read_only) && holds(old_one.members, new_one.members);
}

void compare_bindings(const EntryPoint& old_one, const EntryPoint& new_one, std::vector<Mismatch>& out) {
  for (const Binding& binding : new_one.bindings) {
    if (!binding.used) continue;
    std::string there;
    const bool found = std::any_of(old_one.bindings.begin(), old_one.bindings.end(), [&](const Binding& other) {
      if (other.set != binding.set || other.binding != binding.binding) return false;
      there += (there.empty() ? "" : " or ") + text_of(other) + (other.used ? "" : ", which it does not use");
      return other.used && stands_for(other, binding);
    });
    if (!found)
      differ(out, "set " + std::to_string(binding.set) + " binding " + std::to_string(binding.binding), or_none(there),
             text_of(binding));
  }
}

void compare_push_constants(const EntryPoint& old_one, const EntryPoint& new_one, std::vector<Mismatch>& out) {
  if (!new_one.push_constants || !new_one.push_constants->used) return;
  const PushConstants& wanted = *new_one.push_constants;
  const bool has = old_one.push_constants && old_one.push_constants->used;
  if (has && old_one.push_constants->begin <= wanted.begin && wanted.end <= old_one.push_constants->end &&
      holds(old_one.push_constants->members, wanted.members))
    return;
  differ(out, "push constants",
         !old_one.push_constants ? "none" : text_of(*old_one.push_constants) + (has ? "" : ", which it does not use"),
         text_of(wanted));
}

bool same_place(const Location& a, const Location& b) {
  return a.kind == b.kind && a.location == b.location && a.component == b.component && a.index == b.index;
}

// Of `from`, what is used has its like in `in`.
template <class Report>
void find_locations(const EntryPoint& from, const EntryPoint& in, bool outputs, bool has_to_be_used,
                    const Report& report) {
  for (const Location& wanted : from.locations) {
    if (!wanted.used || (wanted.kind == "output") != outputs) continue;
    const Location* there = nullptr;
    bool found = false;
    for (const Location& other : in.locations) {
      if (!same_place(other, wanted)) continue;
      there = &other;
      found = found || (other.type == wanted.type && (other.used || !has_to_be_used));
    }
    if (!found) report(wanted, there);
  }
}

std::string place_of(const Location& l) {
  return l.kind + " location " + std::to_string(l.location) +
         (l.component != 0 ? " component " + std::to_string(l.component) : "") +
         (l.index != 0 ? " index " + std::to_string(l.index) : "");
}

std::string side(const Location* location) {
  return location == nullptr ? "none" : location->type + (location->used ? "" : ", which it does not use");
}

// Inputs as few as one likes. Outputs are another stage's inputs, or what is stored: all of them.
void compare_locations(const EntryPoint& old_one, const EntryPoint& new_one, std::vector<Mismatch>& out) {
  find_locations(new_one, old_one, false, true, [&](const Location& wanted, const Location* there) {
    differ(out, place_of(wanted), side(there), wanted.type);
  });
  find_locations(new_one, old_one, true, false, [&](const Location& wanted, const Location* there) {
    differ(out, place_of(wanted), side(there), wanted.type);
  });
  find_locations(old_one, new_one, true, false, [&](const Location& wanted, const Location* there) {
    if (there == nullptr || !there->used) differ(out, place_of(wanted), wanted.type, side(there));  // else told above
  });
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return or_none(text);
}

}  // namespace

const EntryPoint* find_entry_point(const Reflection& reflection, const std::string& name, std::uint32_t model) {
  for (const EntryPoint& entry : reflection.entry_points)
    if (entry.name == name && entry.model == model) return &entry;
  return nullptr;
}

void compare_entry_points(const EntryPoint& old_one, const EntryPoint& new_one, std::vector<Mismatch>& out) {
  if (old_one.local_size != new_one.local_size)
    differ(out, "local size", or_none(old_one.local_size), or_none(new_one.local_size));
  if (old_one.modes != new_one.modes) differ(out, "execution modes", joined(old_one.modes), joined(new_one.modes));
  compare_bindings(old_one, new_one, out);
  compare_push_constants(old_one, new_one, out);
  compare_locations(old_one, new_one, out);
}

// What a stage says to a constant that is not there is ignored. What it says to one that is has its size.
void compare_constants(const Reflection& old_one, const Reflection& new_one, const Specialized& specialized,
                       std::vector<Mismatch>& out) {
  for (const SpecConstant& constant : new_one.constants) {
    const std::string what = "specialization constant " + std::to_string(constant.id);
    const auto other = std::find_if(old_one.constants.begin(), old_one.constants.end(),
                                    [&](const SpecConstant& c) { return c.id == constant.id; });
    if (other != old_one.constants.end() && other->type != constant.type) {
      differ(out, what, other->type, constant.type);
      continue;
    }
    for (const auto& [id, bytes] : specialized)
      if (id == constant.id && bytes != constant.bytes) {
        differ(out, what, "is set with " + std::to_string(bytes) + " bytes",
               constant.type + " of " + std::to_string(constant.bytes) + " bytes");
        break;
      }
  }
}

}  // namespace rondo::shaders
