// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/report_section.h"

#include "format/check.h"

namespace rondo::analyzers {

std::string with_prefix(std::string_view lines, std::string_view prefix) {
  constexpr std::string_view kBegin = R"({"row":")";
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    RONDO_CHECK(lines.starts_with(kBegin) && end != std::string_view::npos);
    out += kBegin;
    out += prefix;
    out += '/';
    out += lines.substr(kBegin.size(), end + 1 - kBegin.size());
    lines.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace rondo::analyzers
