// SPDX-License-Identifier: Apache-2.0
// rondo info: what a capture holds, and what this build can capture.
#include "analyzers/analysis/work_rows.h"
#include "analyzers/commands/commands.h"
#include "analyzers/launch/replayable.h"
#include "analyzers/options/budgets.h"
#include "analyzers/options/cli.h"
#include "analyzers/options/job_argument.h"
#include "analyzers/options/span_arguments.h"
#include "analyzers/read/capture_info.h"
#include "analyzers/read/coverage.h"
#include "analyzers/read/privacy.h"
#include "analyzers/read/walk.h"
#include "analyzers/text/info_output.h"
#include "analyzers/text/info_short.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

Result<int> print_coverage(bool as_json) {
  std::string words;
  if (as_json) {
    JsonWriter json(words, /*indented=*/true);
    write_coverage(json);
    words += '\n';
  } else {
    append_coverage(words);
  }
  Output out;
  out.write(words);
  RONDO_TRY(out.finish());
  return 0;
}

struct DrawArguments {
  const InfoShown& shown;
  bool as_json, privacy;
  const JobArgument& job;
  const std::optional<std::string>&frames, &submits, &scope, &top, &by;
};

Result<int> run_draws(const std::string& file, const DrawArguments& given, Budgets& budgets) {
  constexpr const char* kSee = " (see rondo info --help)";
  if (given.shown.coverage || given.shown.scopes || given.shown.shaders || given.shown.times || given.privacy)
    return fail(Status::usage, text("--draws goes with spans, --by, --top and --json alone{}", kSee));
  if ((given.shown.frames && !given.frames) || (given.shown.submits && !given.submits))
    return fail(Status::usage, text("with --draws, --frames and --submits need a range A:B{}", kSee));
  if (file.empty()) return fail(Status::usage, text("FILE is required{}", kSee));
  DrawsWanted wanted;
  wanted.as_json = given.as_json;
  RONDO_TRY(given.job.check());
  wanted.job = given.job.name();
  auto span = span_of(given.frames, given.submits, given.scope);
  if (!span) return tl::unexpected(span.error());
  wanted.span = std::move(*span);
  if (given.by) {
    const auto by = parse_group(*given.by);
    if (!by) return tl::unexpected(by.error());
    wanted.by = *by;
  }
  if (given.top) {
    const auto count = parse_count("--top", given.top, 0);
    if (!count) return tl::unexpected(count.error());
    wanted.top = *count;
  }
  RONDO_TRY(budgets.start(file));
  RONDO_TRY(print_draws(file, wanted));
  return 0;
}

// A range of --frames or --submits: which rows are shown.
Result<void> parse_rows(const std::optional<std::string>& given, SpanRequest::Kind kind, const char* option,
                        std::optional<SpanRequest>& wanted) {
  if (!given) return {};
  auto range = parse_range(*given, kind, option);
  if (!range) return tl::unexpected(range.error());
  wanted = std::move(*range);
  return {};
}

template <class Row>
Result<void> keep_rows(std::vector<Row>& rows, const std::optional<SpanRequest>& wanted, const std::string& file,
                       const std::string& all) {
  if (!wanted) return {};
  std::erase_if(rows, [&](const Row& row) { return row.number < wanted->first || row.number >= wanted->last; });
  if (rows.empty())
    return fail(Status::usage, text("{}: nothing is in {}: it has {}, from 0", file, wanted->text(), all));
  return {};
}

}  // namespace

Result<int> run_info(Arguments args) {
  std::vector<std::string> files;
  bool as_json = false, privacy = false, draws = false, gate = false, is_short = false;
  std::optional<std::string> frames, submits, scope, top, by;
  InfoShown shown;
  Cli cli("rondo info",
          "Says what a capture holds: session, devices, records, frames, submits, sizes, and whether it is complete.\n"
          "With --coverage and no FILE: what this build can capture. Needs no device.");
  cli.positionals("FILE", "the capture; with --short several", files);
  cli.flag("--json", "as JSON", as_json);
  cli.flag("--short", "a line for each FILE: size, state, program, device, frames, submits, calls, time", is_short);
  cli.flag("--coverage", "regular, irregular and unsupported commands, with reasons", shown.coverage);
  cli.flag_or_range("--submits", "a row for each submit, or each of these; with --draws: only of these", shown.submits,
                    submits);
  cli.flag_or_range("--frames", "a row for each frame, or each of these; with --draws: only of these", shown.frames,
                    frames);
  cli.flag("--scopes", "a row for each time that a label or scope is entered", shown.scopes);
  cli.flag("--shaders", "a row for each shader: digest, size, entry points, and what is made of it", shown.shaders);
  cli.flag("--draws",
           "instead: a row for each draw, dispatch, copy and build that is executed, in order, with the number "
           "SUBMIT:DRAW that "
           "rondo trim --draws takes",
           draws);
  cli.value("--scope", "NAME[#K]", "with --draws: only where this scope is entered", scope);
  cli.value("--by", "KEY",
            "with --draws: grouped by kind (the Vulkan command), pipeline, label, pass, shader, submit or frame; "
            "command (the default): not grouped",
            by);
  cli.value("--top", "N",
            "with --draws: the N items that may touch the most bytes; with --by: the N groups with the most items",
            top);
  cli.flag("--times", "with --submits, --frames or --scopes: native start and duration", shown.times);
  cli.flag("--privacy", "what of it identifies a person or a place, instead, and how a capture comes to be without it",
           privacy);
  cli.flag("--gate", "with --privacy: status 5 where it lists what rondo redact leaves out", gate);
  JobArgument job;
  job.add_to(cli, "with --draws --json: ");
  Budgets budgets;
  budgets.add_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  if (is_short && (shown.any() || draws || privacy || gate || scope || top || by || job.is_given()))
    return fail(Status::usage, "--short goes with --json alone (see rondo info --help)");
  if (is_short && files.empty()) return fail(Status::usage, "FILE is required (see rondo info --help)");
  if (!is_short && files.size() > 1)
    return fail(Status::usage, text("'{}' is one word too many for rondo info; it took '{}' as FILE: only "
                                    "--short takes several (see rondo info --help)",
                                    printable(files[1]), printable(files[0])));
  const std::string file = files.empty() ? "" : files[0];
  if (is_short) {
    RONDO_TRY(budgets.start(files.size() == 1 ? file : plural(files.size(), "file")));
    return print_short(files, as_json);
  }
  if (gate && !privacy) return fail(Status::usage, "--gate goes with --privacy (see rondo info --help)");
  if (draws) return run_draws(file, {shown, as_json, privacy, job, frames, submits, scope, top, by}, budgets);
  if (scope || top || by || job.is_given())
    return fail(Status::usage, "--scope, --by, --top and --job go with --draws (see rondo info --help)");
  std::optional<SpanRequest> some_frames, some_submits;
  RONDO_TRY(parse_rows(frames, SpanRequest::Kind::frames, "--frames", some_frames));
  RONDO_TRY(parse_rows(submits, SpanRequest::Kind::submits, "--submits", some_submits));
  const bool timed = shown.submits || shown.frames || shown.scopes;
  const bool rows = timed || shown.shaders;
  if (shown.times && !timed)
    return fail(Status::usage, "--times goes with --submits, --frames or --scopes (see rondo info --help)");
  if (file.empty()) {
    if (shown.coverage && !rows && !privacy) return print_coverage(as_json);
    return fail(Status::usage, "FILE is required (see rondo info --help)");
  }

  RONDO_TRY(budgets.start(file));
  auto walk = Walk::open(file);
  if (!walk) return tl::unexpected(walk.error());
  CaptureInfo info = gather(*walk, InfoWanted{shown.submits, shown.frames, shown.scopes, shown.shaders});
  RONDO_TRY(keep_rows(info.frame_rows, some_frames, file, plural(info.frames, "frame")));
  RONDO_TRY(keep_rows(info.submit_rows, some_submits, file, plural(info.submits, "submit")));
  info.damaged = walk->reader().damaged_chunks();
  if (!rows && !privacy && info.damaged.empty() && info.missing_blobs == 0)
    info.not_replayable = why_not_replayable(file);
  std::string words;
  std::size_t redactable = 0;
  if (privacy) {
    if (rows || shown.coverage)
      return fail(Status::usage, "--privacy goes with --json and --gate alone (see rondo info --help)");
    const auto found = gather_privacy(*walk, info);
    redactable = gate ? count_redactable(found) : 0;
    if (as_json) {
      JsonWriter json(words, /*indented=*/true);
      write_privacy(json, found);
      words += '\n';
    } else {
      append_privacy(words, found);
    }
  } else if (as_json)
    append_info_json(words, info, shown);
  else
    append_info(words, info, shown);
  Output out;
  out.write(words);
  RONDO_TRY(out.finish());
  if (info.unreadable) return tl::unexpected(*info.unreadable);
  if (!info.damaged.empty())
    return fail(Status::unreadable, text("{}: damaged in {}", file, plural(info.damaged.size(), "place")));
  if (info.complete && info.missing_blobs != 0)
    return fail(Status::unreadable,
                text("{}: {} to data that is not in the file, which was not written to its end or copied in part: "
                     "`player --salvage` plays what comes before the first",
                     file, plural(info.missing_blobs, "reference")));
  if (gate && !info.complete)
    return fail(Status::unreadable,
                text("{}: is not complete ({}): what it holds beyond that is not listed", file, info.cut_reason));
  if (redactable != 0) return static_cast<int>(Status::different);
  return 0;
}

}  // namespace rondo::analyzers
