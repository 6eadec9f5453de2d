// SPDX-License-Identifier: Apache-2.0
#include "analyzers/options/span_arguments.h"

#include <charconv>

#include "analyzers/text/text.h"

namespace rondo::analyzers {

Result<SpanRequest> span_of(const std::optional<std::string>& frames, const std::optional<std::string>& submits,
                            const std::optional<std::string>& scope) {
  if ((frames ? 1 : 0) + (submits ? 1 : 0) + (scope ? 1 : 0) > 1)
    return fail(Status::usage, "--frames, --submits and --scope exclude each other");
  if (scope) return parse_scope(*scope);
  if (frames) return parse_range(*frames, SpanRequest::Kind::frames, "--frames");
  if (submits) return parse_range(*submits, SpanRequest::Kind::submits, "--submits");
  return SpanRequest{};
}

void SpanArguments::add_to(Cli& cli) {
  cli.value("--frames", "A:B", "only frames from A up to, not with, B", frames_);
  cli.value("--submits", "A:B", "likewise of submits", submits_);
  cli.value("--scope", "NAME[#K]", "only where this label or scope is entered, or the K-th time of it, from 0", scope_);
}

Result<std::size_t> parse_count(const char* option, const std::optional<std::string>& given, std::size_t otherwise) {
  if (!given) return otherwise;
  std::size_t count = 0;
  const char* const end = given->data() + given->size();
  const auto [last, error] = std::from_chars(given->data(), end, count);
  const auto wrong = [&](const char* what) {
    return fail(Status::usage, text("{}: '{}' is {}", option, printable(*given), what));
  };
  if (error == std::errc::result_out_of_range) return wrong("too large");
  if (given->size() > 1 && given->find_first_not_of("0123456789", 1) == std::string::npos && given->front() == '-')
    return wrong("less than 0");
  if (error != std::errc() || last != end) return wrong("no whole number");
  return count;
}

}  // namespace rondo::analyzers
