// SPDX-License-Identifier: Apache-2.0
#include "player/quantities.h"

#include <charconv>
#include <cstdint>

namespace rondo::player {

namespace {

// The whole text is a number of type T.
template <class T>
bool is_number(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<double> parse_seconds(const std::string& text) {
  double seconds = 0;
  if (is_number(text, seconds) && seconds > 0 && seconds <= 1e9) return seconds;
  return fail(Status::usage, "'" + text + "' is not a number of seconds above 0");
}

Result<std::size_t> parse_mebibytes(const std::string& text) {
  std::uint64_t mebibytes = 0;
  if (is_number(text, mebibytes) && mebibytes != 0 && mebibytes <= (std::uint64_t{1} << 40))
    return static_cast<std::size_t>(mebibytes << 20);
  return fail(Status::usage, "'" + text + "' is not a number of MiB from 1 on");
}

}  // namespace rondo::player
