// SPDX-License-Identifier: Apache-2.0
#include "player/plan/damage.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace rondo::player {

namespace {

std::optional<std::uint64_t> number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<RecordSelector> selector(const std::string& text) {
  RecordSelector selector;
  const std::size_t sign = text.find('#');
  if (sign == std::string::npos) {
    const auto sequence = number(text);
    if (!sequence || *sequence == 0) return std::nullopt;
    selector.sequence = *sequence;
    return selector;
  }
  selector.command = text.substr(0, sign);
  selector.all = text.substr(sign + 1) == "*";
  const auto index = number(text.substr(sign + 1));
  if (selector.command.empty() || (!selector.all && !index)) return std::nullopt;
  selector.index = index.value_or(0);
  return selector;
}

struct Form {
  const char* name;
  Damage::Kind kind;
  std::size_t least, most;  // parts behind the name
  bool records;             // else numbers
};
constexpr Form kForms[] = {
    {"drop", Damage::Kind::drop, 1, 1, true},
    {"swap", Damage::Kind::swap, 2, 2, true},
    {"corrupt", Damage::Kind::corrupt, 1, 2, true},
    {"handle", Damage::Kind::handle, 1, 2, true},
    {"corrupt-blob", Damage::Kind::corrupt_blob, 1, 1, false},
    {"swap-submits", Damage::Kind::swap_submits, 2, 2, false},
    {"move-memory", Damage::Kind::move_memory, 1, 1, false},
};

}  // namespace

std::string RecordSelector::text() const {
  if (sequence != 0) return "record " + std::to_string(sequence);
  return command + "#" + (all ? "*" : std::to_string(index));
}

Result<Damage> parse_damage(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(':', from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  const auto* form =
      std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& f) { return parts[0] == f.name; });
  if (form == std::end(kForms)) return fail(Status::usage, "--damage: '" + parts[0] + "' is unknown");
  if (parts.size() - 1 < form->least || parts.size() - 1 > form->most)
    return fail(Status::usage, "--damage " + parts[0] + " takes " + std::to_string(form->most) + " parts");
  Damage damage;
  damage.kind = form->kind;
  const auto wrong = [&](const std::string& part, const char* what) {
    return fail(Status::usage, "--damage: '" + part + "' is not " + what);
  };
  if (!form->records) {
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const auto value = number(parts[i]);
      if (!value) return wrong(parts[i], "a number");
      (i == 1 ? damage.a : damage.b) = *value;
    }
    return damage;
  }
  for (std::size_t i = 1; i < (form->kind == Damage::Kind::swap ? 3u : 2u); ++i) {
    const auto selected = selector(parts[i]);
    if (!selected || (selected->all && form->kind != Damage::Kind::drop))
      return wrong(parts[i], "a sequence number or NAME#K");
    (i == 1 ? damage.record : damage.other) = *selected;
  }
  if (parts.size() == 2 || form->kind == Damage::Kind::swap) return damage;
  if (form->kind == Damage::Kind::handle) {
    const auto index = number(parts[2]);
    if (!index) return wrong(parts[2], "a number");
    damage.a = *index;
    return damage;
  }
  const std::size_t equals = parts[2].find('=');
  damage.leaf = parts[2].substr(0, equals);
  if (damage.leaf.find_first_not_of("0123456789") != 0 && !number(damage.leaf))
    return wrong(damage.leaf, "a member or an index");
  if (equals == std::string::npos) return damage;
  damage.value = number(parts[2].substr(equals + 1));
  if (!damage.value) return wrong(parts[2].substr(equals + 1), "a number");
  return damage;
}

}  // namespace rondo::player
