// SPDX-License-Identifier: Apache-2.0
// --frames, --submits and --scope: the span of a capture that a subcommand looks at.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "analyzers/options/cli.h"
#include "format/spans.h"

namespace rondo::analyzers {

// The request that at most one of the three makes; none: the whole capture. Status::usage.
Result<SpanRequest> span_of(const std::optional<std::string>& frames, const std::optional<std::string>& submits,
                            const std::optional<std::string>& scope);

class SpanArguments {
 public:
  void add_to(Cli& cli);  // must outlive its parse()
  Result<SpanRequest> request() const { return span_of(frames_, submits_, scope_); }

 private:
  std::optional<std::string> frames_, submits_, scope_;
};

// A whole number, or `otherwise` where none was given. Status::usage.
Result<std::size_t> parse_count(const char* option, const std::optional<std::string>& given, std::size_t otherwise);

}  // namespace rondo::analyzers
