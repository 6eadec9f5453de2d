// SPDX-License-Identifier: Apache-2.0
// This must come before fmt's headers: it compiles fmt into this file. fmt's shared library has another name on each
// Debian release.
#define FMT_HEADER_ONLY
#include "analyzers/text/text.h"

#include <fmt/format.h>

#include <ctime>
#include <iterator>

#include "format/printable.h"

namespace rondo::analyzers {

std::string text_of(fmt::string_view format, fmt::format_args args) { return fmt::vformat(format, args); }

void append_to(std::string& out, fmt::string_view format, fmt::format_args args) {
  fmt::vformat_to(std::back_inserter(out), format, args);
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1024) return text("{} B", bytes);
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  while (value >= 1024.0 && unit + 1 < std::size(kUnits)) {
    value /= 1024.0;
    unit += 1;
  }
  return text("{:.1f} {}", value, kUnits[unit]);
}

std::string duration_text(std::uint64_t ns) {
  const double value = static_cast<double>(ns);
  if (ns < 1'000) return text("{} ns", ns);
  if (ns < 1'000'000) return text("{:.2f} us", value / 1e3);
  if (ns < 1'000'000'000) return text("{:.2f} ms", value / 1e6);
  return text("{:.2f} s", value / 1e9);
}

std::string utc_text(std::uint64_t unix_ns) {
  const std::time_t seconds = static_cast<std::time_t>(unix_ns / 1'000'000'000);
  std::tm parts{};
  char buffer[64];
  if (gmtime_r(&seconds, &parts) == nullptr ||
      std::strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
    return text("{} ns after 1970", unix_ns);
  return buffer;
}

std::string listed(std::span<const std::string> words) {
  std::string all;
  for (const std::string& word : words) append(all, "{}{}", all.empty() ? "" : ", ", word);
  return all;
}

std::string printable(std::string_view in) { return rondo::printable(in); }

std::string shell_word(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:=,") ==
          std::string::npos &&
      !word.empty())
    return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace rondo::analyzers
