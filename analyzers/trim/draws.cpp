// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/draws.h"

#include <algorithm>
#include <charconv>

#include "analyzers/trim/split_submit.h"
#include "format/temporary_path.h"

namespace rondo::trim {

Error in_words_of(Error error, const std::string& step, const std::string& file) {
  for (std::size_t at = error.message.find(step); at != std::string::npos;
       at = error.message.find(step, at + file.size()))
    error.message.replace(at, step.size(), file);
  return error;
}

std::string DrawRange::text() const {
  return "draws " + std::to_string(submit) + ":" + std::to_string(first) + ":" + std::to_string(last);
}

Result<DrawRange> parse_draws(const std::string& text) {
  DrawRange range;
  std::uint64_t* const numbers[] = {&range.submit, &range.first, &range.last};
  const char* at = text.data();
  const char* const end = at + text.size();
  // SUBMIT:A is that draw alone.
  const std::size_t wanted = std::count(text.begin(), text.end(), ':') == 1 ? 2 : 3;
  bool good = true;
  for (std::size_t i = 0; good && i < wanted; ++i) {
    const auto [after, error] = std::from_chars(at, end, *numbers[i]);
    good = error == std::errc() && (i + 1 == wanted ? after == end : after != end && *after == ':');
    at = after + 1;
  }
  if (wanted == 2 && range.first != UINT64_MAX) range.last = range.first + 1;
  if (!good || range.first >= range.last)
    return fail(Status::usage, "--draws: '" + text + "' is neither SUBMIT:DRAW nor SUBMIT:A:B with A < B");
  return range;
}

Result<Outcome> trim_draws(const Options& options, const DrawRange& draws) {
  // Where there is room for the cut, there is for this.
  const TemporaryPath step = TemporaryPath::beside(options.output, ".step");
  const auto split = split_submit(options, draws, step.get());
  if (!split) return tl::unexpected<Error>(in_words_of(split.error(), step.get(), options.file));
  Options rest = options;
  rest.file = step.get();
  rest.span = {SpanRequest::Kind::submits, split->submit, split->submit + 1, {}, {}};
  Origin origin;
  origin.source_id = split->source_id;
  origin.span = draws.text();
  origin.records = {split->record, split->record};
  origin.submit = draws.submit;
  origin.bytes = split->bytes;
  rest.origin = origin;
  auto done = trim(rest);
  if (!done) return tl::unexpected<Error>(in_words_of(done.error(), step.get(), options.file));
  return done;
}

}  // namespace rondo::trim
