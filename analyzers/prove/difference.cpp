// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <string_view>

#include "analyzers/prove/plays.h"

namespace rondo::prove {

namespace {

// The number after `before`. Nothing: it is not there.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + before.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || end == rest.data()) return std::nullopt;
  return number;
}

// What stands between both.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + before.size());
  return rest.substr(0, rest.find(after));
}

}  // namespace

Difference parse_difference(const std::string& sentence) {
  Difference found;
  const std::string_view all = sentence;
  const std::size_t end = all.find("): ");
  if (!all.starts_with("record ") || end == std::string_view::npos) return found;
  found.submit = number_after(all.substr(0, end), "after submit ");
  const std::string_view rest = all.substr(end + 3);
  found.object = rest.substr(0, rest.find(": "));
  const std::size_t range = found.object.find(" bytes ");
  const std::string_view how = rest.substr(std::min(rest.find(": "), rest.size()));
  if (range == std::string::npos) {
    if (const std::string_view pixel = between(how, "pixel ", ":"); !pixel.empty())
      found.object += " pixel " + std::string(pixel);
    return found;
  }
  found.object.resize(range);
  const auto word = number_after(how, ": bytes ");
  const std::string_view captured = between(how, "captured ", ","), replayed = between(how, "replayed ", ";");
  if (!word || captured.empty()) return found;
  // Two digits a byte.
  std::size_t same = 0;
  while (same < captured.size() && same < replayed.size() && captured[same] == replayed[same]) ++same;
  found.byte = *word + same / 2;
  return found;
}

}  // namespace rondo::prove
