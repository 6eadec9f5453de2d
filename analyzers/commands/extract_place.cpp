// SPDX-License-Identifier: Apache-2.0
#include "analyzers/commands/extract_place.h"

#include <charconv>
#include <filesystem>
#include <span>
#include <string_view>

#include "analyzers/text/text.h"
#include "analyzers/trim/split_submit.h"
#include "format/needed_files.h"
#include "format/reader.h"

namespace rondo::analyzers {

namespace {

constexpr std::string_view kDraw = "draw:";

// "S:N". The largest number is left out: one more than it must be a number, too.
std::optional<DrawPlace> parse_draw(std::string_view text) {
  DrawPlace place;
  const char* const end = text.data() + text.size();
  const auto submit = std::from_chars(text.data(), end, place.submit);
  if (submit.ec != std::errc() || submit.ptr == end || *submit.ptr != ':') return std::nullopt;
  const auto draw = std::from_chars(submit.ptr + 1, end, place.draw);
  if (draw.ec != std::errc() || draw.ptr != end || place.draw == UINT64_MAX) return std::nullopt;
  return place;
}

}  // namespace

std::string ExtractPlace::text() const {
  return draw ? analyzers::text("just after draw {} of submit {}", draw->draw, draw->submit) : place.text();
}

Result<ExtractPlace> parse_extract_place(const std::optional<std::string>& at) {
  ExtractPlace place;
  if (!at) return place;
  if (at->starts_with(kDraw)) {
    place.draw = parse_draw(std::string_view(*at).substr(kDraw.size()));
    if (place.draw) return place;
  }
  const auto parsed = player::parse_place(*at);
  if (!parsed)
    return fail(Status::usage, text("--at: '{}' is neither frame:K nor submit:K nor draw:S:N (draw N of submit S), "
                                    "with numbers from 0",
                                    printable(*at)));
  place.place = *parsed;
  return place;
}

std::string step_path_for(const std::string& directory) {
  std::error_code none;
  std::filesystem::path at = std::filesystem::path(directory).lexically_normal();
  if (!at.has_filename()) at = at.parent_path();  // "out/"
  if (std::filesystem::is_directory(at, none)) return (at / "draws").string();
  while (at.has_parent_path() && at.has_relative_path() && !std::filesystem::is_directory(at.parent_path(), none))
    at = at.parent_path();
  return at.string();
}

Result<PlayedFile> file_to_play(const std::string& capture, const FileAccess& files, const ExtractPlace& place,
                                const std::string& directory) {
  PlayedFile played;
  if (!place.draw) {
    played.path = capture;
    played.files = files;
    played.place = place.place;
    return played;
  }
  const auto reader = Reader::open(capture, {.files = files});
  if (!reader) return tl::unexpected(reader.error());
  const NamedOutput output{NamedOutput::Kind::contents, directory, {}};
  RONDO_TRY(spare_needed_files(**reader, std::span(&output, 1)));
  RONDO_TRY((*reader)->check_files());
  played.step = TemporaryPath::beside(step_path_for(directory), ".step");
  played.path = played.step.get();
  trim::Options options;
  options.file = capture;
  options.files = files;
  // From the first draw on: whatever comes before it in the submit draws nothing, so a split there repeats
  // nothing.
  const auto split = trim::split_submit(options, {place.draw->submit, 0, place.draw->draw + 1}, played.path);
  if (!split) {
    // Here the step is named only where it cannot be written.
    Error error = trim::in_words_of(split.error(), played.path, directory);
    constexpr std::string_view kTrims = "--submits";  // advice for `rondo trim`
    if (const std::size_t at = error.message.find(kTrims); at != std::string::npos)
      error.message.replace(at, kTrims.size(), text("--at submit:{}", place.draw->submit));
    return tl::unexpected(std::move(error));
  }
  played.place.kind = player::SnapshotPlace::Kind::submit;
  played.place.number = split->submit;
  played.place.said = place.text();
  played.record = split->record;
  return played;
}

}  // namespace rondo::analyzers
