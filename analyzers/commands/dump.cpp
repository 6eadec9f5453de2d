// SPDX-License-Identifier: Apache-2.0
// rondo dump: every record of a capture as text or JSON lines.
#include <regex.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "analyzers/commands/commands.h"
#include "analyzers/options/budgets.h"
#include "analyzers/options/cli.h"
#include "analyzers/read/executed_lists.h"
#include "analyzers/read/walk.h"
#include "analyzers/text/dump_rows.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"

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
  if (step.command->verb == codec::Verb::imports) return true;
  for (const codec::StructRef& chained : walk.decoded().chained)
    // What host pointers led to is recorded.
    if (chained.id != StructId::VkImportMemoryHostPointerInfoEXT &&
        std::string_view(codec::info(chained.id).name).starts_with("VkImport"))
      return true;
  return false;
}

// What the second row says, from a pass of its own. Damage is kept for the
// row: what lies before it is still dumped.
DumpSummary summarize(Walk& walk, ExecutedLists& executed) {
  DumpSummary summary;
  Step step;
  for (;;) {
    const auto more = walk.next(step);
    if (!more) summary.damage = more.error().message;
    if (!more || !*more) return summary;
    executed.look(walk, step);
    summary.records += 1;
    summary.last_sequence = step.record.sequence;
    if (step.record.has_times && (summary.first_ns == 0 || step.record.start_ns < summary.first_ns))
      summary.first_ns = step.record.start_ns;
    if (step.is_call()) summary.calls += 1;
    if (step.present) summary.frames += 1;
    summary.submits += step.submits;
    const bool supported = step.command != nullptr && step.command->kind != codec::CommandClass::unsupported;
    summary.unsupported += supported ? 0 : 1;
    if (!step.is_call() || (step.command != nullptr && imports(walk, step))) continue;
    summary.hermetic += 1;
    summary.replayable += supported ? 1 : 0;
  }
}

// The rows of the selected frames and submits.
class Dump {
 public:
  Dump(Walk& walk, DumpRows& rows, const DumpSpan& span, ExecutedLists& executed, const Pattern* pattern, Output& out)
      : walk_(walk), rows_(rows), span_(span), executed_(executed), pattern_(pattern), out_(out) {}

  // Whether a record lies in them; --grep is not asked.
  Result<bool> run() {
    bool any = false;
    while (!out_.closed()) {
      const auto more = walk_.next(step_);
      if (!more) return tl::unexpected(more.error());
      if (!*more || span_.over(step_)) break;
      // First: what is printed of a record does not need its decoded form, which this changes.
      const auto& batches = executed_.follow(walk_, step_);
      if (span_.contains(step_)) {
        any = true;
        RONDO_TRY(print());
        if (!span_.whole()) print_executed(batches);
      }
      if (executed_.needs_row()) RONDO_TRY(keep());
    }
    return any;
  }

 private:
  Result<void> keep() {
    const auto matches = is_wanted();
    if (!matches) return tl::unexpected(matches.error());
    if (!*matches) return {};
    auto row = rows_.command(walk_, step_);
    if (!row) return tl::unexpected(row.error());
    executed_.keep(std::move(*row));
    return {};
  }

  Result<bool> is_wanted() {
    if (pattern_ == nullptr) return true;
    row_.clear();
    RONDO_TRY(append_call(row_, walk_, step_));
    return pattern_->matches(row_);
  }

  Result<void> print() {
    const auto matches = is_wanted();
    if (!matches) return tl::unexpected(matches.error());
    if (!*matches) return {};
    row_.clear();
    const std::optional<DrawNumber> number = executed_.number();
    RONDO_TRY(rows_.record(row_, walk_, step_, number ? &*number : nullptr));
    out_.write(row_);
    return {};
  }

  void print_executed(const std::vector<CommandLists::Batch>& batches) {
    if (!step_.succeeded()) return;
    for (std::uint32_t i = 0; i < batches.size() && i < step_.submits; ++i) {
      const std::uint64_t submit = step_.submit + i;
      if (!span_.contains(step_.frame, submit)) continue;
      std::uint64_t draws = 0;
      for (const CommandLists::Primary& primary : batches[i]) {
        row_.clear();
        ExecutesRow row{submit, i, walk_.objects().name(primary.command_buffer), 0, 0, false};
        if (primary.list != nullptr) {
          row.first_record = primary.list->first_record;
          row.commands = primary.list->commands;
          row.recorded_before = executed_.is_kept(*primary.list);
        }
        if (pattern_ == nullptr) rows_.executes(row_, row);
        if (primary.list != nullptr) {
          executed_.each_kept(*primary.list, draws, [&](std::optional<std::uint64_t> draw, const std::string& command) {
            rows_.executed(row_, submit, draw, command);
          });
          draws += primary.list->draws;
        }
        out_.write(row_);
      }
    }
  }

  Walk& walk_;
  DumpRows& rows_;
  const DumpSpan& span_;
  ExecutedLists& executed_;
  const Pattern* const pattern_;
  Output& out_;
  Step step_;
  std::string row_;
};

}  // namespace

Result<int> run_dump(Arguments args) {
  std::string file;
  std::string format = "text";
  std::string grep;
  bool with_symbols = false;
  DumpSpan span;
  std::unique_ptr<Pattern> pattern;
  Cli cli("rondo dump",
          "Prints a row for the file, a summary, then a row for each record: sequence number, thread, time of\n"
          "submits, presents and waits, command, parameters by name, result, number of draws. In a span each submit\n"
          "is followed by what it executes that was recorded before. Needs no device.");
  cli.positional("FILE", "the capture", file);
  cli.choice("--format", {"text", "jsonl"}, "of the rows (default text)", format);
  cli.span("--frames", "only frames A to B - 1", span.frames);
  cli.span("--submits", "only records up to submits A to B - 1, from the submit before", span.submits);
  cli.flag("--symbols", "functions and lines of who called, from the files that the capture names (RONDO_BACKTRACES)",
           with_symbols);
  cli.value("--grep", "REGEX", "only records whose text has a match (POSIX extended)", grep);
  Budgets budgets;
  budgets.add_to(cli);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  if (!grep.empty()) {
    auto compiled = Pattern::compile(grep);
    if (!compiled) return tl::unexpected(compiled.error());
    pattern = std::move(*compiled);
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
  ExecutedLists executed(span);
  const DumpSummary summary = summarize(*walk, executed);
  rows->summary(row, summary);
  out.write(row);
  RONDO_TRY(walk->rewind());
  const auto dumped = Dump(*walk, *rows, span, executed, pattern.get(), out).run();
  RONDO_TRY(out.finish());
  for (const std::string& sentence : symbols.missing()) say(sentence);
  const auto& names = walk->reader().dictionary();
  if (with_symbols && !walk->damage() && walk->reader().damaged_chunks().empty() &&
      std::none_of(names.begin(), names.end(), [](const DictionaryRow& row) { return row.name == "rondoCallChain"; }))
    say(text("{}: it has no call chains: record it with RONDO_BACKTRACES=1 (rondo capture --backtraces)",
             printable(file)));
  if (!dumped && !walk->damage()) return tl::unexpected(dumped.error());
  RONDO_TRY(walk->intact());
  if (!*dumped && !out.closed() && !span.whole())
    return fail(Status::usage, text("{}: no record is in these frames or submits: it has {} and {}, from 0", file,
                                    plural(summary.frames, "frame"), plural(summary.submits, "submit")));
  return 0;
}

}  // namespace rondo::analyzers
