// SPDX-License-Identifier: Apache-2.0
// rondo dump: every record of a capture as text or JSON lines.
#include <regex.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "analyzers/budgets.h"
#include "analyzers/cli.h"
#include "analyzers/commands.h"
#include "analyzers/dump_rows.h"
#include "analyzers/output.h"
#include "analyzers/text.h"
#include "analyzers/walk.h"

namespace rondo::analyzers {

namespace {

// POSIX extended; not std::regex, whose recursion long rows overflow.
class Pattern {
 public:
  static Result<std::unique_ptr<Pattern>> compile(const std::string& expression) {
    std::unique_ptr<Pattern> pattern(new Pattern);
    const int error = ::regcomp(&pattern->compiled_, expression.c_str(), REG_EXTENDED | REG_NOSUB);
    if (error == 0) {
      pattern->valid_ = true;
      return pattern;
    }
    char words[128];
    ::regerror(error, &pattern->compiled_, words, sizeof words);
    return fail(Status::usage, text("--grep '{}': {}", printable(expression), words));
  }
  ~Pattern() {
    if (valid_) ::regfree(&compiled_);
  }
  bool matches(const std::string& row) const { return ::regexec(&compiled_, row.c_str(), 0, nullptr, 0) == 0; }

 private:
  Pattern() = default;
  regex_t compiled_{};
  bool valid_ = false;
};

// Needs something that the file does not hold: memory, semaphores or fences
// of another process or device.
bool imports(const Walk& walk, const Step& step) {
  if (std::string_view(step.command->name).starts_with("vkImport")) return true;
  for (const codec::StructRef& chained : walk.decoded().chained)
    // What host pointers led to is recorded.
    if (chained.id != StructId::VkImportMemoryHostPointerInfoEXT &&
        std::string_view(codec::info(chained.id).name).starts_with("VkImport"))
      return true;
  return false;
}

// What the second row says, from a pass of its own. Damage is kept for the
// row: what lies before it is still dumped.
DumpSummary summarize(Walk& walk) {
  DumpSummary summary;
  Step step;
  for (;;) {
    const auto more = walk.next(step);
    if (!more) summary.damage = more.error().message;
    if (!more || !*more) return summary;
    summary.records += 1;
    summary.last_sequence = step.record.sequence;
    if (step.record.has_times && (summary.first_ns == 0 || step.record.start_ns < summary.first_ns))
      summary.first_ns = step.record.start_ns;
    if (step.is_call()) summary.calls += 1;
    if (step.present) summary.frames += 1;
    summary.submits += step.submits;
    const bool supported =
        step.command != nullptr && step.command->kind != codec::CommandClass::unsupported;
    summary.unsupported += supported ? 0 : 1;
    if (!step.is_call() || (step.command != nullptr && imports(walk, step))) continue;
    summary.hermetic += 1;
    summary.replayable += supported ? 1 : 0;
  }
}

struct Selection {
  std::optional<Span> frames;
  std::optional<Span> submits;
  std::unique_ptr<Pattern> pattern;

  bool in_span(const Step& step) const {
    if (frames && !frames->contains(step.frame)) return false;
    // What comes before a submit, back to the one before it, belongs to it.
    if (submits && !submits->overlaps(step.submit, step.submit + std::max<std::uint64_t>(step.submits, 1))) return false;
    return true;
  }
  bool over(const Step& step) const {
    return (frames && step.frame >= frames->end) || (submits && step.submit >= submits->end);
  }
};

// Whether a record lies in the selected frames and submits; --grep is not asked.
Result<bool> dump_records(Walk& walk, DumpRows& rows, const Selection& selection, Output& out) {
  bool any = false;
  Step step;
  std::string row;
  while (!out.closed()) {
    const auto more = walk.next(step);
    if (!more) return tl::unexpected(more.error());
    if (!*more || selection.over(step)) break;
    if (!selection.in_span(step)) continue;
    any = true;
    if (selection.pattern) {
      row.clear();
      RONDO_TRY(append_call(row, walk, step));
      if (!selection.pattern->matches(row)) continue;
    }
    row.clear();
    RONDO_TRY(rows.record(row, walk, step));
    out.write(row);
  }
  return any;
}

}  // namespace

Result<int> run_dump(Arguments args) {
  std::string file;
  std::string format = "text";
  std::string grep;
  bool with_symbols = false;
  Selection selection;
  Cli cli("rondo dump",
          "Prints a row for the file, a summary, then a row for each record: sequence number, thread, time of\n"
          "submits, presents and waits, command, parameters by name, result. Needs no device.");
  cli.positional("FILE", "the capture", file);
  cli.choice("--format", {"text", "jsonl"}, "of the rows (default text)", format);
  cli.span("--frames", "only frames A to B - 1", selection.frames);
  cli.span("--submits", "only records up to submits A to B - 1, from the submit before", selection.submits);
  cli.flag("--symbols", "functions and lines of who called, from the files that the capture names (RONDO_BACKTRACES)", with_symbols);
  cli.value("--grep", "REGEX", "only records whose text has a match (POSIX extended)", grep);
  Budgets budgets;
  budgets.add_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  if (!grep.empty()) {
    auto pattern = Pattern::compile(grep);
    if (!pattern) return tl::unexpected(pattern.error());
    selection.pattern = std::move(*pattern);
  }

  if (file.empty()) return fail(Status::unreadable, "FILE is empty: name a capture");
  RONDO_TRY(budgets.start(file));
  auto walk = Walk::open(file);
  if (!walk) return tl::unexpected(walk.error());
  Symbols symbols;
  Symbols* const use = with_symbols ? &symbols : nullptr;
  const auto rows = format == "jsonl" ? json_rows(use) : text_rows(use);
  Output out;
  std::string row;
  rows->file(row, walk->reader());
  const DumpSummary summary = summarize(*walk);
  rows->summary(row, summary);
  out.write(row);
  RONDO_TRY(walk->rewind());
  const auto dumped = dump_records(*walk, *rows, selection, out);
  RONDO_TRY(out.finish());
  for (const std::string& sentence : symbols.missing()) say(sentence);
  const auto& names = walk->reader().dictionary();
  if (with_symbols && !walk->damage() && walk->reader().damaged_chunks().empty() &&
      std::none_of(names.begin(), names.end(), [](const DictionaryRow& row) { return row.name == "rondoCallChain"; }))
    say(text("{}: it has no call chains: record it with RONDO_BACKTRACES=1 (rondo capture --backtraces)", printable(file)));
  if (!dumped && !walk->damage()) return tl::unexpected(dumped.error());
  RONDO_TRY(walk->intact());
  if (!*dumped && !out.closed() && (selection.frames || selection.submits))
    return fail(Status::usage,
                text("{}: no record is in these frames or submits: it has {} and {}, from 0", file,
                     plural(summary.frames, "frame"), plural(summary.submits, "submit")));
  return 0;
}

}  // namespace rondo::analyzers
